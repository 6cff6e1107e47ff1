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

static bool refresh_all(struct user *user)
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
static bool read_any(const struct user *user, __u64 *count)
{
	for (uint32_t i = 0; i < user->nr; i++) {
		count[i] = user_is_word(user, i) ? user_word(user) - user->open->count[i] : 0;
		if (user->counter[i].page && !read_count(user, i, &count[i]))
			return false;
		count[i] = (count[i] & user->counter[i].mask) + user->current->count[i];
	}
	return true;
}

static bool read_counts(struct user *user, __u64 *count)
{
	return read_any(user, count) || (refresh_all(user) && read_any(user, count));
}

static bool read_totals(struct user *user, __u64 *time, __u64 *running_ns, __u64 *count)
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
static bool take_totals(struct user *user, struct coroprof_span *span)
{
	/* Nothing is there in a child that was forked behind the library's back. */
	if (unlikely(!user->slots) || unlikely(user->open->slot == ENTRY_SLOTLESS) ||
	    unlikely(!read_totals(user, &span->time, &span->running_ns, span->count)))
		return false;
	for (uint32_t i = 0; i < user->nr; i++)
		span->missing_ns[i] = 0;
	return true;
}

/* From what @span began with to now. False: the kernel has to write it. */
static bool write_span(struct user *user, const struct coroprof_span *span)
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
	struct thread *self = &this_thread;
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
	struct thread *self = &this_thread;
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
