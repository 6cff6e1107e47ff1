// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Spans without a system call: the totals of the running coroutine are those of
 * its slot and what the open slice has so far. A span that has ended is written
 * like a slice; the open slice goes on. Other than for switches it is no matter
 * whether the thread was off the CPU meanwhile: the kernel says how long.
 */
#include "user.h"

typedef uint64_t __attribute__((may_alias)) word;

/* A counter's page has changed. False: it was not on the PMU all the time. */
static bool refresh(struct user_counter *counter)
{
	uint32_t lock = counter->page->lock;
	uint32_t index = counter->page->index;
	uint64_t offset = (uint64_t)counter->page->offset;
	uint64_t lag = counter->page->time_enabled - counter->page->time_running;

	if (!index || lock & 1 || lag != counter->lag || counter->page->lock != lock)
		return false;
	counter->lock = lock;
	counter->number = index - 1;
	counter->offset = offset;
	return counter->number <= ARCH_COUNTER_MAX;
}

static __attribute__((noinline)) bool refresh_all(struct user *user)
{
	for (uint32_t i = 0; i < user->nr; i++) {
		if (user->counter[i].page && !refresh(&user->counter[i]))
			return false;
	}
	return true;
}

/* Returns false if a counter was disturbed. */
static inline bool read_count(const struct user *user, uint32_t i, __u64 *count)
{
	const struct user_counter *counter = &user->counter[i];
	uint32_t number = counter->number, lock = counter->lock;

	*count = arch_counter(number, i == 0) + counter->offset - user->open->count[i];
	return likely(counter->page->lock == lock);
}

/* Any number of counters, of any width. */
static __attribute__((noinline)) bool read_any(const struct user *user, __u64 *count)
{
	for (uint32_t i = 0; i < user->nr; i++) {
		count[i] = 0;
		if (user->counter[i].page && !read_count(user, i, &count[i]))
			return false;
		count[i] = (count[i] & user->counter[i].mask) + user->current->count[i];
	}
	return true;
}

static __attribute__((noinline)) bool read_again(struct user *user, __u64 *count)
{
	return refresh_all(user) && read_any(user, count);
}

/* Two counters as wide as they come: the most usual, and the fastest. */
static inline bool read_counts(struct user *user, __u64 *count)
{
	const __u64 *total = user->current->count;

	if (unlikely(!user->pair))
		return read_any(user, count) || read_again(user, count);
	if (unlikely(!read_count(user, 0, &count[0])) || unlikely(!read_count(user, 1, &count[1])))
		return read_again(user, count);
	count[0] = (count[0] & ARCH_COUNTER_MASK) + total[0];
	count[1] = (count[1] & ARCH_COUNTER_MASK) + total[1];
	return true;
}

static inline bool read_totals(struct user *user, __u64 *time, __u64 *running_ns, __u64 *count)
{
	const struct coroprof_open_slice *open = user->open;
	const volatile struct coroprof_channel_page *page = user->page;
	uint64_t off_ns = page->off_ns, passed;

	if (unlikely(user->stamp == STAMP_NONE) || unlikely(!read_counts(user, count)))
		return false;
	passed = arch_cycles() - user->cycles;
	if (unlikely(passed > user->span)) {
		coroprof_user_clock(user, open->began);
		passed = 0;
	}
	*time = user_time(user, passed);
	*running_ns = user->current->running_ns + *time - open->began - off_ns;
	fence();
	/*
	 * Or else the thread was off the CPU just now, or the recording has ended:
	 * then the slot has the open slice in it already.
	 */
	return likely(page->off_ns == off_ns) && likely(page->closed == UINT64_MAX);
}

/*
 * The clock was looked at in between, and may have been ahead before: nothing
 * takes less than no time, nor is it on the CPU for longer than it takes.
 */
static inline uint64_t since(uint64_t now, uint64_t then, uint64_t most)
{
	uint64_t passed = now - then;

	if (unlikely((int64_t)passed < 0))
		return 0;
	return likely(passed <= most) ? passed : most;
}

static inline void give_back(struct thread *self, struct user *user)
{
	fence();
	if (likely(self->user_mode))
		self->user = user;
}

/* What the running coroutine has used up to now. False: ask the kernel. */
static inline bool take_totals(struct user *user, struct coroprof_span *span)
{
	/* Nothing is there in a child that was forked behind the library's back. */
	if (unlikely(!user->slots) || unlikely(user->open->slot == ENTRY_SLOTLESS) ||
	    unlikely(!read_totals(user, &span->time, &span->running_ns, span->count)))
		return false;
	span->missing_ns[0] = 0;
	span->missing_ns[1] = 0;
	for (uint32_t i = 2; unlikely(i < user->nr); i++)
		span->missing_ns[i] = 0;
	return true;
}

/* From what @span began with to now. False: the kernel has to write it. */
static inline bool write_span(struct user *user, const struct coroprof_span *span)
{
	uint64_t size = sizeof(struct coroprof_record_span) + user->nr * sizeof(uint64_t);
	__u64 count[COROPROF_COUNTERS_MAX], time, running_ns;
	uint64_t head = user->head;
	word *record = (word *)user->at;

	if (unlikely((head & ~1ull) + size > user->room) ||
	    unlikely(!read_totals(user, &time, &running_ns, count)))
		return false;
	record[0] = COROPROF_RECORD_SPAN | size << 16 | (uint64_t)user->open->slot << 32;
	record[1] = time;
	record[2] = since(time, span->time, UINT64_MAX);
	record[3] = user->current->id;
	record[4] = user->last | span->label;
	record[5] = since(running_ns, span->running_ns, record[2]);
	record[6] = span->depth;
	for (uint32_t i = 0; i < user->nr; i++)
		record[7 + i] = count[i] - span->count[i];
	user->head = head + size;
	user->at = (char *)record + size;
	__atomic_store_n(&user->producer->head, head + size, __ATOMIC_RELEASE);
	return true;
}

bool coroprof_user_totals(struct coroprof_span *span)
{
	struct thread *self = &here;
	struct user *user = self->user;
	bool done;

	if (unlikely(!user))
		return false;
	self->user = NULL;
	fence();
	done = take_totals(user, span);
	give_back(self, user);
	return done;
}

bool coroprof_user_span(const struct coroprof_span *span)
{
	struct thread *self = &here;
	struct user *user = self->user;
	bool done;

	if (unlikely(!user))
		return false;
	self->user = NULL;
	fence();
	done = write_span(user, span);
	give_back(self, user);
	return done;
}

/* The frame of the span on top, if all around it are like it; or NULL. */
static inline struct frame *top(const struct stacks *stacks)
{
	uint32_t index = stacks->spans.depth - 1;

	if (unlikely(index >= stacks->spans.room) || unlikely(stacks->calls.depth))
		return NULL;
	return coroprof_frame_at(&stacks->spans, index);
}

/* How many spans there are around the one on top. */
static inline uint32_t around(const struct stacks *stacks, uint64_t stamp)
{
	uint32_t index = stacks->spans.depth - 1;
	const struct frame *outer;

	if (likely(!index))
		return 0;
	outer = coroprof_frame_at(&stacks->spans, index - 1);
	return outer->stamp == stamp ? outer->span.depth + 1 : 0;
}

/* All of the beginning of a span, or as much as the kernel is needed for. */
void coroprof_user_begin(struct stacks *stacks, uint32_t label)
{
	struct thread *self = &here;
	struct frame *frame = top(stacks);
	struct user *user = self->user;
	bool done;

	if (unlikely(!user) || unlikely(!frame)) {
		coroprof_begin_told(stacks, label);
		return;
	}
	self->user = NULL;
	fence();
	done = take_totals(user, &frame->span);
	if (likely(done)) {
		frame->stamp = user->frame_stamp;
		frame->code = NULL;
		frame->span.size = sizeof(frame->span);
		frame->span.flags = 0;
		frame->span.depth = around(stacks, user->frame_stamp);
		frame->span.label = coroprof_label_number(label);
	}
	give_back(self, user);
	if (unlikely(!done))
		coroprof_begin_told(stacks, label);
}

/* All of its end; the depth counts it still. */
void coroprof_user_end(struct stacks *stacks)
{
	struct thread *self = &here;
	struct frame *frame = top(stacks);
	struct user *user = self->user;
	bool done;

	if (unlikely(!user) || unlikely(!frame) || unlikely(frame->stamp != user->frame_stamp)) {
		coroprof_end_told(stacks);
		return;
	}
	self->user = NULL;
	fence();
	done = write_span(user, &frame->span);
	give_back(self, user);
	if (unlikely(!done)) {
		coroprof_end_told(stacks);
		return;
	}
	frame->stamp = 0;
	fence();
	stacks->spans.depth--;
}

/* ---- the plain case: two counters, few spans around it, nothing to be called */

static inline struct frame *plain_frame(const struct stacks *stacks, uint32_t index)
{
	if (unlikely(index >= FRAMES_FIRST) || unlikely(index >= stacks->spans.room) ||
	    unlikely(stacks->calls.depth))
		return NULL;
	return &stacks->spans.frames->first[index];
}

/* As read_totals(), but gives up at whatever is not plain. */
static inline __attribute__((always_inline)) bool
plain_totals(const struct user *user, uint64_t *time, uint64_t *running_ns, uint64_t *count)
{
	const volatile struct coroprof_channel_page *page = user->page;
	const struct coroprof_open_slice *open = user->open;
	const struct coroprof_slot *slot = user->current;
	uint64_t cycles = user->cycles, span = user->span, off_ns = page->off_ns, passed;
	uint64_t first, second;

	passed = arch_cycles() - cycles;
	first = arch_extend(arch_counter(user->counter[0].number, true)) + user->counter[0].offset;
	second = arch_extend(arch_counter(user->counter[1].number, false)) + user->counter[1].offset;
	if (unlikely(user->counter[0].page->lock != user->counter[0].lock) ||
	    unlikely(user->counter[1].page->lock != user->counter[1].lock) ||
	    unlikely(passed > span))
		return false;
	count[0] = first - open->count[0] + slot->count[0];
	count[1] = second - open->count[1] + slot->count[1];
	*time = user_time(user, passed);
	*running_ns = slot->running_ns + *time - open->began - off_ns;
	fence();
	return likely(page->off_ns == off_ns) && likely(page->closed == UINT64_MAX);
}

EXPORT void coroprof_span_begin(uint32_t label)
{
	uint64_t time, running_ns, count[2];
	struct thread *self = &here;
	struct stacks *stacks;
	struct frame *frame;
	struct user *user;
	uint32_t depth;

	if (unlikely(!coroprof_stacks_quick(&stacks))) {
		coroprof_begin_first(label);
		return;
	}
	depth = stacks->spans.depth;
	stacks->spans.depth = depth + 1;
	fence();
	if (likely(!active()))
		return;
	user = self->user;
	frame = plain_frame(stacks, depth);
	if (unlikely(!user) || unlikely(!frame) || unlikely(!user->plain_frame))
		goto not_plain;

	once(frame);
	self->user = NULL;
	fence();
	if (unlikely(!plain_totals(user, &time, &running_ns, count)))
		goto give_back;
	frame->span.time = time;
	frame->span.running_ns = running_ns;
	frame->span.count[0] = count[0];
	frame->span.count[1] = count[1];
	frame->span.missing_ns[0] = 0;
	frame->span.missing_ns[1] = 0;
	frame->stamp = user->plain_frame;
	frame->code = NULL;
	*(word *)&frame->span.size = sizeof(frame->span);
	frame->span.label = coroprof_label_number(label);
	frame->span.depth = 0;
	if (unlikely(depth) && frame[-1].stamp == frame->stamp)
		frame->span.depth = frame[-1].span.depth + 1;
	give_back(self, user);
	return;

give_back:
	give_back(self, user);
not_plain:
	coroprof_user_begin(stacks, label);
}

EXPORT void coroprof_span_end(void)
{
	const uint64_t size = sizeof(struct coroprof_record_span) + 2 * sizeof(uint64_t);
	uint64_t head, time, running_ns, duration, count[2];
	struct thread *self = &here;
	struct stacks *stacks;
	struct frame *frame;
	struct user *user;
	uint32_t depth;
	word *record;

	if (unlikely(!coroprof_stacks_quick(&stacks))) {
		coroprof_end_first();
		return;
	}
	depth = stacks->spans.depth;
	if (unlikely(!depth))
		return;
	if (likely(!active())) {
		stacks->spans.depth = depth - 1;
		return;
	}
	user = self->user;
	frame = plain_frame(stacks, depth - 1);
	if (unlikely(!user) || unlikely(!frame) || unlikely(!user->plain_frame))
		goto not_plain;
	once(frame);
	if (unlikely(frame->stamp != user->plain_frame))
		goto not_plain;

	self->user = NULL;
	fence();
	head = user->head + size;
	if (unlikely(head > user->room) || unlikely(!plain_totals(user, &time, &running_ns, count)))
		goto give_back;
	record = (word *)user->at;
	record[0] = COROPROF_RECORD_SPAN | size << 16 | (uint64_t)user->open->slot << 32;
	record[1] = time;
	duration = since(time, frame->span.time, UINT64_MAX);
	record[2] = duration;
	record[3] = user->current->id;
	record[4] = user->last | frame->span.label;
	record[5] = since(running_ns, frame->span.running_ns, duration);
	record[6] = frame->span.depth;
	record[7] = count[0] - frame->span.count[0];
	record[8] = count[1] - frame->span.count[1];
	user->head = head;
	user->at = (char *)record + size;
	__atomic_store_n(&user->producer->head, head, __ATOMIC_RELEASE);
	frame->stamp = 0;
	give_back(self, user);
	stacks->spans.depth = depth - 1;
	return;

give_back:
	give_back(self, user);
not_plain:
	coroprof_user_end(stacks);
}
