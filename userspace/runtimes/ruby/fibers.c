// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ruby reports that a thread has switched to a fiber once it is there, on the thread, with Ruby's
 * lock held. A fiber is over when it ends, which the next switch finds, or when it is collected:
 * then Ruby calls the function that frees its data, before which ours stands.
 *
 * Threads of Ruby are threads of the system: what is neither, as in 3.3 with RUBY_MN_THREADS, is
 * not listened to.
 */
#include <string.h>

#include "../preload/charge.h"
#include "../preload/store.h"
#include "fibers.h"

static struct table_node *buckets[16384];
static const struct table fibers = { buckets, 16384, sizeof(struct fiber) };

/* Of the calling thread; NULL: it has not switched yet. */
static __thread struct fiber *running __attribute__((tls_model("initial-exec")));

static void (*next_free)(void *data);

static void freed(void *data)
{
	struct fiber *fiber = table_find(&fibers, (uintptr_t)data);

	if (fiber) {
		if (fiber->co)
			coroprof_done(fiber->co);
		fiber->known = false;
		fiber->co = COROPROF_THREAD;
		fiber->label = 0;
	}
	next_free(data);
}

/* All fibers have one type, which Ruby keeps to itself. */
static bool watch_ends(const struct ruby_type *type)
{
	if (likely(type->free == freed))
		return true;
	if (strcmp(type->name, "fiber"))
		return false;
	next_free = type->free;
	return store((void **)&type->free, (void *)freed);
}

struct fiber *fiber_of(VALUE fiber, bool create)
{
	uintptr_t data = (uintptr_t)((const struct ruby_object *)fiber)->data;

	return create ? table_get(&fibers, data) : table_find(&fibers, data);
}

static struct adapter adapter = {
	.name = "Ruby",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

/*
 * One that begins runs no code of Ruby yet; what a thread began with has resumed another by some.
 */
static void begins(struct fiber *fiber, VALUE self)
{
	fiber->known = true;
	fiber->object = *(const struct ruby_object *)self;
	if (!ruby.sourcefile())
		fiber->co = runtime_new(&adapter, fiber->label, runtime_current, self);
}

/* Unless it is seen when fibers are collected, one would be taken for another. */
static bool is_watched(VALUE fiber)
{
	if (watch_ends(((const struct ruby_object *)fiber)->type))
		return true;
	coroprof_debug("Ruby's fibers can't be seen to be collected: they are not told");
	ruby.remove_event_hook(fiber_listener);
	return false;
}

static bool has_ended(const struct fiber *fiber)
{
	return !ruby.fiber_alive_p((VALUE)&fiber->object);
}

/* What is looked up then is charged between the slices of both. */
static void name(struct fiber *to, VALUE self, bool ended)
{
	if (ended)
		charge_done();
	else
		charge();
	to->label = fiber_label(self);
	coroprof_set_label(to->co, to->label);
}

static void go(struct fiber *to, VALUE self)
{
	struct fiber *left = running;
	bool ended = left && left->co && has_ended(left);
	bool unnamed = runtime_recorded() && to->co && !to->label;

	running = to;
	if (unlikely(ended && runtime_current != left->co))
		runtime_switch(left->co);
	if (unlikely(unnamed))
		name(to, self, ended);
	if (ended && !unnamed)
		coroprof_switch_done(to->co);
	else
		runtime_switch(to->co);
	if (ended)
		left->co = COROPROF_THREAD;
}

/* One thread of the system is several of Ruby's, one after the other. */
static void thread_begins(void)
{
	running = NULL;
	if (unlikely(runtime_current != COROPROF_THREAD))
		coroprof_switch_unreported(COROPROF_THREAD);
}

void fiber_listener(uint32_t event, VALUE data, VALUE thread, ID method, VALUE class)
{
	struct fiber *fiber;
	VALUE self;

	(void)data, (void)thread, (void)method, (void)class;
	if (event == RUBY_THREAD_BEGIN) {
		thread_begins();
		return;
	}
	self = ruby.fiber_current();
	fiber = fiber_of(self, true);
	if (!fiber)
		return;
	if (unlikely(!fiber->known)) {
		if (!is_watched(self))
			return;
		begins(fiber, self);
	}
	go(fiber, self);
}
