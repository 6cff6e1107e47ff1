// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The switch path. It takes no lock and allocates nothing, and a signal handler
 * may come in anywhere.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <time.h>

#include "internal.h"
#include "user.h"
#include "wake.h"

/* A coroutine the kernel has seen, but not since something changed. */
static bool stale(const struct coroutine *entry)
{
	return entry->counters != this_thread.counters || entry->epoch != (uint16_t)epoch();
}

/* The slot of a coroutine the kernel has not seen, and what to report with it. */
static uint32_t introduce(uint32_t number, unsigned long *flags)
{
	struct coroutine *entry = &coroprof_entries[number];

	if (number >= coroprof_process_slots() || !coroprof_slot(number, entry)) {
		number = ENTRY_SLOTLESS;
		entry = &coroprof_entries[number];
		if (!entry->id || !coroprof_slot(number, entry))
			return number;
	}
	if (entry->generation != coroprof_generation_low()) {
		entry->generation = coroprof_generation_low();
		entry->counters = this_thread.counters;
		*flags |= COROPROF_SWITCH_FRESH;
	}
	return number;
}

/* Without memory for it the slot was not switched to, but the channel is there. */
static bool failed(int error, bool nested)
{
	if (error == ENOMEM || error == EDQUOT)
		coroprof_user_go_on(nested, 0);
	else if (nested)
		this_thread.interrupted = true;
	return coroprof_thread_lost(error);
}

/* A module of an ABI level below 3 knows of no switches that were missed. */
static int call(unsigned long arg)
{
	int err = ioctl(this_thread.channel, COROPROF_IOC_SWITCH, arg);

	if (unlikely(err < 0 && errno == EINVAL && arg & COROPROF_SWITCH_UNREPORTED))
		err = ioctl(this_thread.channel, COROPROF_IOC_SWITCH,
			    arg & ~COROPROF_SWITCH_UNREPORTED);
	return err;
}

/* Returns false when the channel turned out to be gone. */
static bool report(coroprof_co co, unsigned long flags)
{
	uint32_t number = co ? co : this_thread.slot;
	struct coroutine *entry = &coroprof_entries[number];
	bool nested;
	int ret;

	if (unlikely(number >= coroprof_process_slots() ||
		     entry->generation != coroprof_generation_low()))
		number = introduce(number, &flags);
	else if (unlikely(stale(entry)))
		coroprof_slot_renew(number, entry);

	nested = this_thread.reporting;
	if (unlikely(this_thread.user_mode))
		flags |= coroprof_user_hold();
	ret = call(number | flags);
	if (unlikely(ret < 0))
		return failed(errno, nested);
	coroprof_user_go_on(nested, number);
	/* The next switch begins as after a START, and takes what was given. */
	if (unlikely(ret)) {
		this_thread.given = this_thread.synced;
		this_thread.synced = 0;
	}
	return true;
}

bool coroprof_report(coroprof_co co)
{
	return report(co, 0);
}

/* Whether the kernel has a slot of its own for the coroutine that leaves. */
static bool introduced(coroprof_co co)
{
	return co > ENTRY_SLOTLESS && co < coroprof_process_slots() &&
	       coroprof_entries[co].generation == coroprof_generation_low();
}

static void leave(coroprof_co to, unsigned long flags)
{
	if (!recorded() && (!this_thread.counting || refused()))
		return;
	if (unlikely(this_thread.synced != stamp()) && coroprof_thread_sync() &&
	    to == this_thread.current && !(flags & ~COROPROF_SWITCH_READY))
		return;
	if (unlikely(this_thread.channel < 0))
		return;
	report(to, flags);
}

void coroprof_switch_ioctl(coroprof_co to, unsigned long flags)
{
	int saved = errno;

	leave(to, flags);
	this_thread.current = to;
	errno = saved;
}

/*
 * @flags: 0 or COROPROF_SWITCH_READY
 *
 * What runs already goes on: to report that would part its slice in two. Once the thread is
 * synced the kernel knows what runs, also in a signal handler that came in the middle of a
 * switch: that ends as if there had been no handler.
 */
static inline void switch_active(coroprof_co to, unsigned long flags, struct thread *self)
{
	struct user *user = self->user;

	if (unlikely(!user)) {
		if (unlikely(to == self->current) && self->synced == stamp())
			return;
		coroprof_switch_ioctl(to, flags);
		return;
	}
	/* All that is read of it is read after this. */
	self->user = NULL;
	fence();
	self->path(to, flags, user, self);
}

/* Whatever the flags are. */
static __attribute__((noinline)) void switch_general(coroprof_co to, unsigned long flags)
{
	struct thread *self = &this_thread;
	struct user *user = self->user;

	if (!user) {
		coroprof_switch_ioctl(to, flags);
		return;
	}
	self->user = NULL;
	fence();
	coroprof_user_switch(to, flags, user, self);
}

EXPORT void coroprof_switch(coroprof_co to)
{
	struct thread *self = &this_thread;

	once(self);
	if (likely(!active()))
		self->current = to;
	else
		switch_active(to, 0, self);
}

EXPORT void coroprof_switch_ready(coroprof_co to)
{
	struct thread *self = &this_thread;

	once(self);
	if (likely(!active()))
		self->current = to;
	else
		switch_active(to, COROPROF_SWITCH_READY, self);
}

EXPORT void coroprof_switch_done(coroprof_co to)
{
	coroprof_co done = this_thread.current;

	if (done == to)
		return;
	if (likely(!active()))
		this_thread.current = to;
	else
		switch_general(to, introduced(done) ? COROPROF_SWITCH_END : 0);
	coroprof_done(done);
}

void coroprof_switch_unreported(coroprof_co to)
{
	if (likely(!active()))
		this_thread.current = to;
	else
		switch_general(to, COROPROF_SWITCH_UNREPORTED);
}

EXPORT coroprof_co coroprof_current(void)
{
	return this_thread.current;
}

static __attribute__((noinline)) uint64_t clock_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec + clock_offset();
}

EXPORT void coroprof_wake(coroprof_co co)
{
	struct coroprof_wake wake;
	struct coroprof_slot *slot;
	const struct user *user;
	uint32_t waker;

	if (likely(!active()) || co <= ENTRY_SLOTLESS || co >= coroprof_process_slots())
		return;
	slot = coroprof_slot(co, &coroprof_entries[co]);
	if (!slot)
		return;

	user = this_thread.user;
	if (!user || !user_now(user, &wake.time))
		wake.time = clock_time();
	waker = this_thread.current ? this_thread.current : this_thread.slot;
	wake.waker = likely(waker && waker < coroprof_process_slots()) ?
		     coroprof_entries[waker].id : coroprof_thread_id();
	coroprof_entries[co].epoch = (uint16_t)epoch();
	wake_put(slot, wake);
}
