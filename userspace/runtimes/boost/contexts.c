// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Coroutines of Boost.Context by their stacks: made, found again where memory is used once more,
 * and named.
 */
#include <stdlib.h>
#include <string.h>

#include "../preload/scope.h"
#include "../preload/table.h"
#include "../runtime.h"
#include "../stacks/place.h"
#include "contexts.h"

/* Linked by @stack.left. The lock of the library guards it. */
static struct cstack *unused;

/* One that runs, and makes another of the stack it is on, can't be done below the lock. */
static void gone(struct cstack *old)
{
	if (old->co != coroprof_current())
		coroprof_done(old->co);
	old->co = old->inner = COROPROF_THREAD;
	__atomic_store_n(&old->left, unused, __ATOMIC_RELAXED);
	unused = old;
}

struct fcontext *fcontext_of(struct cstack *stack)
{
	return stack && stack->gone == gone ? (struct fcontext *)stack : NULL;
}

static struct fcontext *take(void)
{
	struct cstack *stack = unused;

	if (!stack)
		return calloc(1, sizeof(struct fcontext));
	unused = stack->left;
	return (struct fcontext *)stack;
}

/* For the interval, which was not a coroutine's as it is now. */
static struct fcontext *settle(uintptr_t low, uintptr_t top)
{
	struct fcontext *context;

	coroprof_lock();
	context = take();
	if (context) {
		context->stack.gone = gone;
		context->stack.co = context->stack.inner = COROPROF_THREAD;
		context->top = top;
	}
	stack_take(low, top, context ? &context->stack : NULL);
	coroprof_unlock();
	return context;
}

/*
 * Most stacks are used again as they were. Who makes a coroutine of memory has it
 * to himself: no lock is needed to find out.
 */
static struct fcontext *find(uintptr_t low, uintptr_t top)
{
	struct fcontext *context = fcontext_of(stack_find(top));

	return context && context->stack.low == low && context->top == top ? context : NULL;
}

/* Labels of what coroutines run: to look one up takes long. */
struct entry {
	struct table_node node;
	uint32_t label;
};

static struct table_node *buckets[256];
static const struct table entries = { buckets, 256, sizeof(struct entry) };

/*
 * In place of a label: of what waits for work on behalf of its thread. That is all that
 * libboost_fiber itself begins; what a fiber begins with is a template, in the program.
 */
#define LABEL_DISPATCHER UINT32_MAX

static bool is_dispatcher(const void *fn)
{
	static const char library[] = "libboost_fiber";
	const struct link_map *object = scope_object(fn);
	const char *name = object ? strrchr(object->l_name, '/') : NULL;

	return name && !strncmp(name + 1, library, sizeof(library) - 1);
}

static uint32_t label_of(const void *fn)
{
	struct entry *entry = table_get(&entries, (uintptr_t)fn);
	uint32_t label = entry ? __atomic_load_n(&entry->label, __ATOMIC_RELAXED) : 0;

	if (label)
		return label;
	label = is_dispatcher(fn) ? LABEL_DISPATCHER : coroprof_label_code(fn);
	if (entry)
		__atomic_store_n(&entry->label, label, __ATOMIC_RELAXED);
	return label;
}

static void begin(struct fcontext *context, coroprof_co co)
{
	coroprof_co old = context->stack.co;

	/* It never said that it ended, and will not run again. */
	if (old != COROPROF_THREAD && old != coroprof_current())
		coroprof_done(old);
	context->stack.co = context->stack.inner = co;
	context->started = context->ready = false;
	context->record = 0;
}

static struct adapter adapter = {
	.name = "Boost",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES,
};

void fcontext_new(uintptr_t top, uintptr_t size, const void *fn)
{
	uintptr_t low = top - size;
	struct fcontext *context;
	uint32_t label;

	place_settle();
	context = find(low, top);
	if (!context)
		context = settle(low, top);
	if (!context)
		return;
	label = label_of(fn);
	begin(context, label == LABEL_DISPATCHER ? COROPROF_THREAD :
		       runtime_new(&adapter, label, coroprof_current(), top));
}

/*
 * What Boost.Context, Coroutine2 and Fiber keep at the top of a coroutine's stack,
 * and give it when it first runs, begins with what the stack's allocator gave: how
 * large the stack is, and where it ends.
 */
struct record {
	uintptr_t size;
	uintptr_t top;
};

/* A record is not farther from what make_fcontext() was given than this. */
#define RECORD_FAR 1024

static bool is_record(const struct fcontext *context, uintptr_t data)
{
	const struct record *record = (const struct record *)data;

	if (data < context->top || data - context->top > RECORD_FAR || data % sizeof(uintptr_t))
		return false;
	return record->top > data && record->top - record->size == context->stack.low;
}

/* All that is above it is the coroutine's as well: objects there say whose they are. */
static void widen(struct fcontext *context, uintptr_t low, uintptr_t high)
{
	coroprof_lock();
	stack_leave(&context->stack);
	stack_take(low, high, &context->stack);
	coroprof_unlock();
}

void fcontext_start(struct fcontext *context, uintptr_t data)
{
	const struct record *record = (const struct record *)data;

	context->started = true;
	if (!is_record(context, data))
		return;
	context->record = data;
	if (context->stack.high != record->top)
		widen(context, context->stack.low, record->top);
}
