// SPDX-License-Identifier: LGPL-2.1-or-later
/* What coroprof-node-18.cjs calls: this library is a native addon of Node.js, too. */
#include "../preload/charge.h"
#include "../runtime.h"
#include "api.h"

#define LABEL_ROOM 256

static uint32_t number_of(napi_env env, napi_call call)
{
	uint32_t number = COROPROF_THREAD;
	napi_value value;
	size_t nr = 1;

	if (node.arguments(env, call, &nr, &value, NULL, NULL) == NODE_OK && nr)
		node.number(env, value, &number);
	return number;
}

static napi_value answer(napi_env env, uint32_t number)
{
	napi_value value;

	return node.new_number(env, number, &value) == NODE_OK ? value : NULL;
}

static struct adapter adapter = {
	.name = "Node.js",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

/* label(text): its number. */
static napi_value label(napi_env env, napi_call call)
{
	char text[LABEL_ROOM] = "";
	napi_value value;
	size_t nr = 1;

	if (node.arguments(env, call, &nr, &value, NULL, NULL) == NODE_OK && nr)
		node.text(env, value, text, sizeof(text), NULL);
	return answer(env, coroprof_label(text));
}

/* begin(label): a request is there, and runs from now on. */
static napi_value begin_request(napi_env env, napi_call call)
{
	static uint64_t requests;
	coroprof_co co = runtime_new(&adapter, number_of(env, call), COROPROF_THREAD,
				     __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED));

	runtime_switch(co);
	return answer(env, co);
}

/* enter(number): it runs from now on; 0: the thread does. */
static napi_value enter(napi_env env, napi_call call)
{
	runtime_switch(number_of(env, call));
	return NULL;
}

/* end(number): it is answered, or given up. */
static napi_value end(napi_env env, napi_call call)
{
	coroprof_co co = number_of(env, call);

	if (co == runtime_current)
		coroprof_switch_done(COROPROF_THREAD);
	else if (co)
		coroprof_done(co);
	return NULL;
}

/* rename(number, label): it has another label. */
static napi_value rename_request(napi_env env, napi_call call)
{
	uint32_t co = COROPROF_THREAD, label = 0;
	napi_value values[2];
	size_t nr = 2;

	if (node.arguments(env, call, &nr, values, NULL, NULL) == NODE_OK && nr == 2) {
		node.number(env, values[0], &co);
		node.number(env, values[1], &label);
	}
	if (co != COROPROF_THREAD)
		coroprof_set_label(co, label);
	return NULL;
}

/* know(): so that the kernel can say who records. */
static napi_value know(napi_env env, napi_call call)
{
	(void)env;
	(void)call;
	coroprof_process_need();
	return NULL;
}

/* recorded(): does somebody record? Then what follows, up to begin(), is the adapter's own work. */
static napi_value recorded(napi_env env, napi_call call)
{
	(void)call;
	charge();
	return answer(env, runtime_recorded());
}

static const struct {
	const char *name;
	napi_function *function;
} functions[] = {
	{ "label", label }, { "begin", begin_request }, { "enter", enter }, { "end", end },
	{ "rename", rename_request },
	{ "know", know }, { "recorded", recorded },
};

/* Once for each thread of JavaScript. */
EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
	napi_value function;

	if (node_runtime.off || !node_find())
		return exports;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (node.new_function(env, functions[i].name, SIZE_MAX, functions[i].function, NULL,
				      &function) == NODE_OK)
			node.set(env, exports, functions[i].name, function);
	}
	return exports;
}
