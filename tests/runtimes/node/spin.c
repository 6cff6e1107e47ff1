// SPDX-License-Identifier: GPL-2.0
/* Work of a known number of instructions, as an addon of Node.js: spin(turns). */
#include <stddef.h>
#include <stdint.h>

#include "../../harness/rounds.h"

typedef struct env *napi_env;
typedef struct value *napi_value;
typedef struct call *napi_call;

int napi_get_cb_info(napi_env env, napi_call call, size_t *nr, napi_value *values, napi_value *self, void **data);
int napi_get_value_uint32(napi_env env, napi_value value, uint32_t *number);
int napi_create_function(napi_env env, const char *name, size_t length, napi_value (*function)(napi_env env, napi_call call),
			 void *data, napi_value *value);
napi_value napi_register_module_v1(napi_env env, napi_value exports);

static napi_value spin(napi_env env, napi_call call)
{
	uint32_t turns = 0;
	napi_value value;
	size_t nr = 1;

	napi_get_cb_info(env, call, &nr, &value, NULL, NULL);
	napi_get_value_uint32(env, value, &turns);
	rounds(turns);
	return NULL;
}

/* What it exports is the function. */
napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
	napi_value function = exports;

	napi_create_function(env, "spin", SIZE_MAX, spin, NULL, &function);
	return function;
}
