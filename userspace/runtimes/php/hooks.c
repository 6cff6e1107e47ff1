// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PHP reports each switch between fibers to whoever asks for it. It can be asked once PHP has
 * begun, and before it runs anything: then it asks for PHP_INI_SCAN_DIR. Where the program
 * keeps the address of getenv(), ours is stored before main(). No extension is loaded, and
 * no variable is set.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../preload/scope.h"
#include "../preload/table.h"
#include "../runtime.h"
#include "fiber.h"

/**
 * struct fiber - a fiber that has begun
 * @node:     by its context
 * @co:       its coroutine, 0: it is over
 * @labelled: that has its label
 */
struct fiber {
	struct table_node node;
	coroprof_co co;
	bool labelled;
};

static struct table_node *buckets[16384];
static const struct table fibers = { buckets, 16384, sizeof(struct fiber) };

/* The integer of a constant of PHP comes first in its value. */
static const int64_t *(*constant)(const char *name, size_t len);
static void *const *fiber_kind;

uint32_t php_place_at;

static bool is_known(void)
{
	static bool looked;
	const int64_t *version;

	if (likely(looked))
		return php_place_at;
	looked = true;
	version = constant("PHP_VERSION_ID", strlen("PHP_VERSION_ID"));
	php_place_at = version ? php_place_offset(*version / 100) : 0;
	if (!php_place_at)
		coroprof_debug("this PHP is not known: its fibers are not recorded");
	return php_place_at;
}

static const struct php_fiber *fiber_of(const struct php_context *context)
{
	return (const void *)((uintptr_t)context - offsetof(struct php_fiber, context));
}

static void name(struct fiber *fiber, const struct php_context *context, bool late)
{
	coroprof_set_label(fiber->co, php_label(fiber_of(context), late));
	fiber->labelled = true;
}

static struct adapter adapter = {
	.name = "PHP",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

static void begins(struct php_context *context)
{
	struct fiber *fiber;

	if (!is_known() || context->kind != *fiber_kind)
		return;
	fiber = table_get(&fibers, (uintptr_t)context);
	if (!fiber)
		return;
	if (fiber->co)
		coroprof_done(fiber->co);
	fiber->co = runtime_new(&adapter, 0, runtime_current, (uintptr_t)fiber_of(context));
	fiber->labelled = false;
	if (unlikely(runtime_recorded()))
		name(fiber, context, false);
}

/* What is no fiber is the thread. */
static void switches(struct php_context *from, struct php_context *to)
{
	struct fiber *left = table_find(&fibers, (uintptr_t)from);
	struct fiber *next = table_find(&fibers, (uintptr_t)to);
	coroprof_co co = next ? next->co : COROPROF_THREAD;

	if (unlikely(runtime_recorded() && co && !next->labelled))
		name(next, to, true);
	if (left && left->co && from->status == PHP_DEAD) {
		if (unlikely(runtime_current != left->co))
			runtime_switch(left->co);
		coroprof_switch_done(co);
		left->co = 0;
	} else {
		runtime_switch(co);
	}
}

static void ends(struct php_context *context)
{
	struct fiber *fiber = table_find(&fibers, (uintptr_t)context);

	if (fiber && fiber->co)
		coroprof_done(fiber->co);
	if (fiber)
		fiber->co = 0;
}

static void ask(const char *how, void *function)
{
	void (*registers)(void *function) = (void (*)(void *))dlsym(RTLD_DEFAULT, how);

	if (registers)
		registers(function);
}

/* Only PHP calls it. */
static char *look_up(const char *name)
{
	static bool asked;

	if (!asked && !strcmp(name, "PHP_INI_SCAN_DIR")) {
		asked = true;
		ask("zend_observer_fiber_init_register", (void *)begins);
		ask("zend_observer_fiber_switch_register", (void *)switches);
		ask("zend_observer_fiber_destroy_register", (void *)ends);
	}
	return getenv(name);
}

static void begin(void)
{
	void *function = dlsym(RTLD_DEFAULT, "zend_observer_fiber_switch_register");
	struct link_map *php = function ? scope_object(function) : NULL;

	if (!php)
		return;
	*(void **)&constant = dlsym(RTLD_DEFAULT, "zend_get_constant_str");
	fiber_kind = dlsym(RTLD_DEFAULT, "zend_ce_fiber");
	if (!constant || !fiber_kind || !scope_divert(php, "getenv", (void *)look_up))
		coroprof_debug("this PHP is not known: its fibers are not recorded");
}

struct runtime php_runtime = { .begin = begin };
