// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Function calls as spans, for libcoroprof-instrument and for adapters of
 * runtimes that report their functions. An end says which function returns, so calls are matched
 * by that: those that longjmp() has skipped, or that began while nobody recorded, mislead nobody.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "internal.h"

/*
 * Labels of functions, found by address without a lock: 48 bits of address and
 * 16 of label in each place, 0 for none. There are half as many labels as
 * places. The code of a library that is unloaded is taken for what was there.
 */
#define PLACES (2u * COROPROF_LABELS_MAX)
#define PROBES 32u

static uint64_t *places;

static uint64_t *places_get(void)
{
	uint64_t *now = __atomic_load_n(&places, __ATOMIC_ACQUIRE);
	void *memory;

	if (likely(now))
		return now;
	coroprof_lock();
	if (!places) {
		memory = mmap(NULL, PLACES * sizeof(*places), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory != MAP_FAILED)
			__atomic_store_n(&places, memory, __ATOMIC_RELEASE);
	}
	coroprof_unlock();
	return places;
}

static uint32_t first_place(uint64_t address)
{
	return (uint32_t)((address * 0x9e3779b97f4a7c15ULL) >> 40) % PLACES;
}

/* Somebody else may have put it there meanwhile, or something else: no matter. */
static void keep(uint64_t *table, uint64_t address, uint32_t label)
{
	uint64_t new = address << 16 | (uint16_t)label, none;
	uint32_t place = first_place(address);

	for (uint32_t i = 0; i < PROBES; i++) {
		none = 0;
		if (__atomic_compare_exchange_n(&table[(place + i) % PLACES], &none, new, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		    none >> 16 == address)
			return;
	}
}

static uint32_t label_of(const void *code)
{
	uint64_t address = (uintptr_t)code, *table = places_get(), found;
	uint32_t place = first_place(address), label;

	for (uint32_t i = 0; table && i < PROBES; i++) {
		found = __atomic_load_n(&table[(place + i) % PLACES], __ATOMIC_RELAXED);
		if (likely(found >> 16 == address))
			return (uint16_t)found;
		if (!found)
			break;
	}
	label = coroprof_label_code(code);
	if (table && address && !(address >> 48))
		keep(table, address, label);
	return label;
}

/* What was begun under other conditions will not be reported, nor be waited for. */
static void drop_old(struct stack *stack)
{
	uint32_t top = stack->depth < stack->room ? stack->depth : stack->room;

	if (!top || coroprof_frame_at(stack, top - 1)->stamp != coroprof_span_stamp())
		stack->depth = 0;
}

/* Without a label of its own, it is what stands at that address. */
static void enter(const void *code, uint32_t label)
{
	struct stacks *stacks = coroprof_stacks_own();
	struct stack *stack = &stacks->calls;
	struct frame *frame;

	if (!stacks || !coroprof_span_recorded())
		return;
	drop_old(stack);
	if (stack->depth < stack->room || coroprof_stack_grow(stack, stack->depth)) {
		frame = coroprof_frame_at(stack, stack->depth);
		frame->code = code;
		if (!coroprof_frame_begin(stacks, frame, label ? label : label_of(code)))
			return;
	}
	stack->depth++;
}

/* Where the call that returns is, 0 for nowhere. Calls above it were skipped. */
static uint32_t depth_of(const struct stack *stack, const void *code)
{
	uint32_t depth = stack->depth;

	while (depth && coroprof_frame_at(stack, depth - 1)->code != code)
		depth--;
	return depth;
}

static void leave(const void *code, uint32_t unused)
{
	struct stacks *stacks = coroprof_stacks_own();
	struct stack *stack = &stacks->calls;
	uint32_t depth;

	(void)unused;
	if (!stacks || !stack->depth || !coroprof_span_recorded())
		return;
	drop_old(stack);
	if (stack->depth > stack->room) {
		stack->depth--;
		return;
	}
	depth = depth_of(stack, code);
	if (!depth)
		return;
	stack->depth = depth - 1;
	coroprof_frame_end(coroprof_frame_at(stack, depth - 1));
}

/*
 * Instrumented code that the library itself calls, such as a program's own
 * ioctl(), and signal handlers that come in meanwhile, are not reported.
 */
static __attribute__((noinline)) void guarded(void (*fn)(const void *, uint32_t), const void *code,
					      uint32_t label)
{
	int saved = errno;

	if (this_thread.in_call)
		return;
	this_thread.in_call = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	fn(code, label);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	this_thread.in_call = false;
	errno = saved;
}

void coroprof_call_begin(const void *code, uint32_t label)
{
	if (unlikely(active()))
		guarded(enter, code, label);
}

void coroprof_call_end(const void *code)
{
	if (unlikely(active()))
		guarded(leave, code, 0);
}

EXPORT void coroprof_call_enter_(const void *code)
{
	coroprof_call_begin(code, 0);
}

EXPORT void coroprof_call_exit_(const void *code)
{
	coroprof_call_end(code);
}
