// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Spans without a system call, in the fast case: few around it, no calls of
 * functions, counters as they were when the slice began. What is not the fast case
 * is found out before anything is written, and passed on.
 *
 * Here, too, every instruction counts: see user-fast.c.
 */
#include "kind.h"

static inline void give_back(struct user *user, struct thread *self)
{
	fence();
	if (likely(self->user_mode))
		self->user = user;
}

/**
 * struct totals - what the running coroutine has used up to now
 * @slot:       its slot
 * @open:       its open slice
 * @time:       now
 * @running_ns: on the CPU
 * @count:      of each counter; what an UNSUPPORTED one has of other recordings
 */
struct totals {
	const struct coroprof_slot *slot;
	const struct coroprof_open_slice *open;
	uint64_t time;
	uint64_t running_ns;
	uint64_t count[KIND_COUNTERS];
};

/* Returns false when they can't be had so, or @end is beyond @room. */
part bool take_totals(const struct user *user, struct totals *totals,
		      const volatile struct coroprof_channel_page *page, uint64_t end,
		      uint64_t room, const uint32_t kind)
{
	uint64_t off_ns = page->off_ns, off_ns_now, closed, began[KIND_COUNTERS];
	const struct coroprof_open_slice *open;
	const struct coroprof_slot *slot;
	struct reading reading;

	read_all(user, &reading, kind);
	/*
	 * Or else the thread was off the CPU just now, or the recording has ended:
	 * then the slot has the open slice in it already.
	 */
	off_ns_now = page->off_ns;
	closed = page->closed;
	if (unlikely(!(holds(&reading, kind) & (off_ns_now == off_ns) &
		       (closed == UINT64_MAX) & (end <= room))))
		return false;

	totals->time = time_of(user, &reading);
	slot = user->current;
	open = user->open;
	both(slot, open);
	totals->slot = slot;
	totals->open = open;
	for_all(kind, i)
		totals->count[i] = slot->count[i];
	load_pairs(kind, totals->count);
	for_counted(kind, i)
		began[i] = open->count[i];
	load_pairs(kind, began);
	for_counted(kind, i)
		totals->count[i] += reading.count[i] - began[i];
	totals->running_ns = slot->running_ns + totals->time - open->began - off_ns;
	return true;
}

part void begin_plain(uint32_t label, struct stacks *stacks, struct frame *frame,
		      struct user *user, struct thread *self, uint32_t depth,
		      const uint32_t kind)
{
	uint64_t stamp = user->fast_frame;
	struct totals totals;

	if (unlikely(!stamp) || unlikely(!take_totals(user, &totals, user->page, 0, 0, kind))) {
		give_back(user, self);
		coroprof_begin_general(label, stacks);
		return;
	}
	frame->stamp = stamp;
	frame->code = NULL;
	frame->span.label = coroprof_label_number(label);
	frame->span.depth = 0;
	if (unlikely(depth) && frame[-1].stamp == stamp)
		frame->span.depth = frame[-1].span.depth + 1;
	frame->span.time = totals.time;
	frame->span.running_ns = totals.running_ns;
	for_all(kind, i)
		frame->span.count[i] = totals.count[i];
	for_all(kind, i)
		frame->span.missing_ns[i] = 0;
	give_back(user, self);
}

/* Returns where the record ends; NULL: the clock was looked at, and went back. */
part word *put_record(const struct user *user, const struct frame *frame,
		      const struct totals *totals, const uint32_t kind)
{
	uint64_t time = frame->span.time, running_ns = frame->span.running_ns, duration;
	uint64_t before[KIND_COUNTERS], id, slot, last, first, label, depth;
	word *record;

	both(time, running_ns);
	duration = totals->time - time;
	running_ns = totals->running_ns - running_ns;
	if (unlikely((int64_t)duration < 0) || unlikely(running_ns > duration))
		return NULL;
	id = totals->slot->id;
	slot = totals->open->slot;
	last = user->last;
	first = user->span_first;
	both(last, first);
	label = frame->span.label;
	depth = frame->span.depth;
	both(label, depth);
	record = (word *)user->at;
	once(record);
	record[0] = first | slot << 32;
	record[1] = totals->time;
	record[2] = duration;
	record[3] = id;
	record[4] = last | label;
	record[5] = running_ns;
	record[6] = depth;
	record += 7;
	for_counted(kind, i)
		before[i] = frame->span.count[i];
	load_pairs(kind, before);
	for_all(kind, i)
		*record++ = KIND_COUNTED(kind, i) ? totals->count[i] - before[i] : 0;
	return record;
}

part void end_plain(struct stacks *stacks, struct frame *frame, struct user *user,
		    struct thread *self, uint32_t depth, const uint32_t kind)
{
	const uint64_t size = sizeof(struct coroprof_record_span) +
			      KIND_NR(kind) * sizeof(uint64_t);
	const volatile struct coroprof_channel_page *page;
	uint64_t stamp = user->fast_frame, end;
	struct totals totals;
	word *record;

	if (unlikely(!stamp) || unlikely(frame->stamp != stamp))
		goto not_plain;
	end = user->head;
	page = user->page;
	both(end, page);
	end += size;
	if (unlikely(!take_totals(user, &totals, page, end, user->room, kind)))
		goto not_plain;
	record = put_record(user, frame, &totals, kind);
	if (unlikely(!record))
		goto not_plain;
	user->at = (char *)record;
	user->head = end;
	__atomic_store_n(&user->producer->head, end, __ATOMIC_RELEASE);
	frame->stamp = 0;
	give_back(user, self);
	stacks->spans.depth = depth;
	return;

not_plain:
	give_back(user, self);
	coroprof_end_general(stacks);
}

#define FAST(kind)									\
	static void begin_##kind(uint32_t label, struct stacks *stacks, struct frame *frame, \
				 struct user *user, struct thread *self, uint32_t depth) \
	{										\
		begin_plain(label, stacks, frame, user, self, depth, kind);		\
	}										\
	static void end_##kind(struct stacks *stacks, struct frame *frame, struct user *user, \
			       struct thread *self, uint32_t depth)			\
	{										\
		end_plain(stacks, frame, user, self, depth, kind);			\
	}

#define BEGIN(kind) [kind] = begin_##kind,
#define END(kind) [kind] = end_##kind,

ALL_KINDS(FAST)

static void begin_any(uint32_t label, struct stacks *stacks, struct frame *frame,
		      struct user *user, struct thread *self, uint32_t depth)
{
	(void)frame;
	(void)depth;
	give_back(user, self);
	coroprof_begin_general(label, stacks);
}

static void end_any(struct stacks *stacks, struct frame *frame, struct user *user,
		    struct thread *self, uint32_t depth)
{
	(void)frame;
	(void)depth;
	give_back(user, self);
	coroprof_end_general(stacks);
}

/* @kind: 0 if there is no fast case. */
void coroprof_user_span_paths(uint32_t kind)
{
	static const user_begin begin[KINDS] = { begin_any, ALL_KINDS(BEGIN) };
	static const user_end end[KINDS] = { end_any, ALL_KINDS(END) };

	this_thread.begin = begin[kind];
	this_thread.end = end[kind];
}

EXPORT void coroprof_span_begin(uint32_t label)
{
	struct thread *self = &this_thread;
	struct frames *frames;
	struct stacks *stacks;
	struct user *user;
	uint32_t depth;

	once(self);
	if (unlikely(!coroprof_stacks_quick(&stacks, self))) {
		coroprof_begin_first(label);
		return;
	}
	depth = stacks->spans.depth;
	stacks->spans.depth = depth + 1;
	fence();
	if (likely(!active()))
		return;
	user = self->user;
	frames = stacks->spans.frames;
	once(frames);
	if (unlikely(!user) || unlikely(depth >= FRAMES_FIRST) || unlikely(!frames) ||
	    unlikely(stacks->calls.depth)) {
		coroprof_begin_general(label, stacks);
		return;
	}
	/* All that is read of it is read after this, and how to begin. */
	self->user = NULL;
	fence();
	self->begin(label, stacks, &frames->first[depth], user, self, depth);
}

EXPORT void coroprof_span_end(void)
{
	struct thread *self = &this_thread;
	struct frames *frames;
	struct stacks *stacks;
	struct user *user;
	uint32_t depth;

	once(self);
	if (unlikely(!coroprof_stacks_quick(&stacks, self))) {
		coroprof_end_first();
		return;
	}
	depth = stacks->spans.depth;
	if (unlikely(!depth))
		return;
	depth--;
	if (likely(!active())) {
		stacks->spans.depth = depth;
		return;
	}
	user = self->user;
	frames = stacks->spans.frames;
	once(frames);
	if (unlikely(!user) || unlikely(depth >= FRAMES_FIRST) || unlikely(!frames)) {
		coroprof_end_general(stacks);
		return;
	}
	self->user = NULL;
	fence();
	self->end(stacks, &frames->first[depth], user, self, depth);
}
