// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Spans. How many are open is always known, whether anybody records or not, so
 * that beginnings and ends stay matched when a recording starts or ends between
 * them. What a span began with is kept only when it is recorded. A signal
 * handler may come in anywhere: a frame is its own as long as the depth says so.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "internal.h"
#include "user.h"

/* What the running coroutine has used up to now. False: nobody can say. */
static bool take_totals(struct coroprof_span *span)
{
	struct coroprof_totals totals;
	size_t bytes;

	if (likely(coroprof_user_totals(span)))
		return true;
	totals.size = sizeof(totals);
	totals.flags = 0;
	totals.reserved = 0;
	if (ioctl(this_thread.channel, COROPROF_IOC_READ, &totals))
		return false;
	/* What several coroutines share is the figures of none of them. */
	if (totals.slot == ENTRY_SLOTLESS) {
		errno = ENODATA;
		return false;
	}
	span->time = totals.time;
	span->running_ns = totals.running_ns;
	bytes = totals.nr_counters * sizeof(totals.count[0]);
	memcpy(span->count, totals.count, bytes);
	memcpy(span->missing_ns, totals.missing_ns, bytes);
	return true;
}

/* Where a signal handler can't report its spans, nobody is to be blamed. */
static bool write_span(struct coroprof_span *span)
{
	bool nested = this_thread.reporting, written;

	if (likely(coroprof_user_span(span)))
		return true;
	if (unlikely(!coroprof_user_pause()))
		return true;
	span->size = sizeof(*span);
	span->flags = 0;
	written = !ioctl(this_thread.channel, COROPROF_IOC_SPAN, span);
	coroprof_user_unpause(nested);
	return written;
}

/*
 * The channel is not what it was. A child that was made behind the library's
 * back (EPERM) may share memory with its parent, so it is left to its switches.
 */
static void failed(void)
{
	if (errno != EPERM && errno != ENODATA)
		coroprof_thread_lost(errno);
}

/*
 * Of a moment between two STARTs or STOPs, of threads that count alike: totals
 * of different ones have nothing to do with each other. Never 0: its middle bits are not.
 */
uint64_t coroprof_span_stamp(void)
{
	return (uint64_t)this_thread.counters << 48 ^ stamp();
}

/* Whether the calling thread's spans are recorded. It need not have switched before. */
bool coroprof_span_recorded(void)
{
	if (!recorded() || recorded_totals())
		return false;
	if (unlikely(this_thread.synced != stamp()))
		coroprof_thread_sync();
	return this_thread.channel >= 0;
}

/* How many spans there are around one that is about to begin. */
static uint32_t around(const struct stack *stack, uint32_t depth, uint64_t now)
{
	const struct frame *outer;

	if (!depth || depth > stack->room)
		return 0;
	outer = coroprof_frame_at(stack, depth - 1);
	return outer->stamp == now ? outer->span.depth + 1 : 0;
}

/* In a recorded thread. Returns whether the frame can be reported when it ends. */
bool coroprof_frame_begin(struct stacks *stacks, struct frame *frame, uint32_t label)
{
	uint32_t spans, calls;
	uint64_t now;

	if (unlikely(!take_totals(&frame->span))) {
		failed();
		return false;
	}
	now = coroprof_span_stamp();
	/* Of a span, its own frame is not around it. */
	spans = around(&stacks->spans, stacks->spans.depth - !frame->code, now);
	calls = around(&stacks->calls, stacks->calls.depth, now);
	frame->span.label = coroprof_label_number(label);
	frame->span.depth = spans > calls ? spans : calls;
	frame->stamp = now;
	return true;
}

/* In a recorded thread. */
void coroprof_frame_end(struct frame *frame)
{
	if (frame->stamp != coroprof_span_stamp())
		return;
	if (unlikely(!write_span(&frame->span)))
		failed();
	frame->stamp = 0;
}

/* The depth counts it already. */
static void begin_recorded(struct stacks *stacks, uint32_t label)
{
	struct stack *stack = &stacks->spans;
	uint32_t index = stack->depth - 1;
	bool wanted = coroprof_span_recorded();
	struct frame *frame;

	if (index >= stack->room && !(wanted && coroprof_stack_grow(stack, index)))
		return;
	frame = coroprof_frame_at(stack, index);
	frame->stamp = 0;
	frame->code = NULL;
	if (wanted)
		coroprof_frame_begin(stacks, frame, label);
}

void coroprof_begin_general(uint32_t label, struct stacks *stacks)
{
	int saved = errno;

	begin_recorded(stacks, label);
	errno = saved;
}

/* The depth counts it still. */
void coroprof_end_general(struct stacks *stacks)
{
	struct stack *stack = &stacks->spans;
	uint32_t index = stack->depth - 1;
	int saved = errno;

	if (index < stack->room && coroprof_span_recorded())
		coroprof_frame_end(coroprof_frame_at(stack, index));
	errno = saved;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	stack->depth--;
}

static void begin(struct stacks *stacks, uint32_t label)
{
	stacks->spans.depth++;
	fence();
	if (active())
		coroprof_begin_general(label, stacks);
}

static void end(struct stacks *stacks)
{
	if (!stacks->spans.depth)
		return;
	if (active())
		coroprof_end_general(stacks);
	else
		stacks->spans.depth--;
}

/* A coroutine's first span, or one of what can't have any. */
void coroprof_begin_first(uint32_t label)
{
	struct stacks *stacks = coroprof_stacks_of(this_thread.current);

	if (stacks)
		begin(stacks, label);
}

void coroprof_end_first(void)
{
	struct stacks *stacks = coroprof_stacks_of(this_thread.current);

	if (stacks)
		end(stacks);
}
