// SPDX-License-Identifier: GPL-2.0
/* What is reported to the kernel, in which order, of switches, births and deaths. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

static const struct mock_event *nth_switch(uint32_t n)
{
	for (uint32_t i = 0; i < mock_events(); i++) {
		if (mock_event(i)->command == MOCK_SWITCH && !n--)
			return mock_event(i);
	}
	return NULL;
}

static void reported(const struct mock_event *event, coroprof_co co, unsigned long flags,
		     const char *what)
{
	ok(event && event->slot == co && !event->error &&
	   (event->arg & ~COROPROF_SWITCH_SLOT_MASK) == flags, "%s", what);
	if (event)
		printf("# slot %u flags %lx error %d\n", event->slot, event->arg >> 24, event->error);
}

static void idle(void)
{
	coroprof_co a = coroprof_new(coroprof_label("a"), COROPROF_THREAD, 1);

	mock_forget();
	coroprof_switch(a);
	is(coroprof_current(), a, "an idle switch is noted");
	coroprof_switch_ready(COROPROF_THREAD);
	coroprof_wake(a);
	coroprof_switch(a);
	coroprof_switch_done(COROPROF_THREAD);
	is(coroprof_current(), COROPROF_THREAD, "an idle end is noted");
	is(mock_events(), 0, "nothing is told while idle");
}

static void first_switch(coroprof_co a, coroprof_co b)
{
	mock_forget();
	errno = EILSEQ;
	coroprof_switch(a);
	is(errno, EILSEQ, "errno is kept by a switch that joins");
	is(mock_count(MOCK_THREAD), 1, "the first switch joins");
	ok(mock_last(MOCK_THREAD)->nr_counters == 0,
	   "the first switch joins without counters of its own");
	reported(nth_switch(0), mock_last(MOCK_THREAD)->slot, COROPROF_SWITCH_FRESH,
		 "the first switch tells the thread first");
	ok(nth_switch(0) && !strncmp(nth_switch(0)->label, "(thread ", 8),
	   "a thread is labelled as a thread");
	reported(nth_switch(1), a, COROPROF_SWITCH_FRESH,
		 "the first switch tells the coroutine next, fresh");
	ok(nth_switch(1) && !strcmp(nth_switch(1)->label, "alpha"),
	   "a fresh coroutine has its label");
	ok(nth_switch(1) && nth_switch(1)->tag == 17, "a fresh coroutine has its tag");
	ok(nth_switch(1) && nth_switch(1)->id == coroprof_id(a), "a fresh coroutine has its id");

	mock_forget();
	coroprof_switch(b);
	reported(nth_switch(0), b, COROPROF_SWITCH_FRESH, "a second coroutine is fresh as well");
	ok(nth_switch(0) && nth_switch(0)->parent == coroprof_id(a),
	   "a second coroutine has its parent");
	coroprof_switch(a);
	reported(nth_switch(1), a, 0, "no coroutine is fresh twice");
	is(mock_events(), 2, "one call a switch");
}

static uint64_t kernel_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec + MOCK_CLOCK_OFFSET;
}

static void flags(coroprof_co a, coroprof_co b)
{
	uint64_t id = coroprof_id(b), before;
	coroprof_co c;

	mock_forget();
	coroprof_switch_ready(b);
	reported(nth_switch(0), b, COROPROF_SWITCH_READY, "ready is told");
	before = kernel_clock();
	coroprof_wake(a);
	coroprof_switch_done(a);
	ok(nth_switch(1) && nth_switch(1)->woken >= before &&
	   nth_switch(1)->woken <= kernel_clock(), "a wake-up has a time of the kernel's clock");
	reported(nth_switch(1), a, COROPROF_SWITCH_END, "an end is told with the next switch");
	ok(nth_switch(1) && nth_switch(1)->woken, "a wake-up is in the slot");

	c = coroprof_new(coroprof_label("gamma"), a, 0);
	is(c, b, "the slot of who has ended is used again");
	ok(coroprof_id(c) != id, "a slot that is used again has another id");
	coroprof_wake(c);
	coroprof_switch(c);
	reported(nth_switch(2), c, COROPROF_SWITCH_FRESH,
		 "a slot that is used again is fresh again");
	ok(nth_switch(2) && nth_switch(2)->woken, "a wake-up before the first slice counts");
	ok(nth_switch(2) && !strcmp(nth_switch(2)->label, "gamma"),
	   "a slot that is used again has the new label");
	coroprof_set_tag(c, 18);
	coroprof_set_label(c, coroprof_label("delta"));
	coroprof_switch(a);
	coroprof_switch(c);
	ok(nth_switch(4) && !strcmp(nth_switch(4)->label, "delta"), "a label can change");
	ok(nth_switch(4) && nth_switch(4)->tag == 18, "a tag can change");
	coroprof_done(c);
	reported(nth_switch(5), mock_event(mock_events() - 1)->slot, COROPROF_SWITCH_END,
		 "the running one, done, leaves the thread to itself");
	is(coroprof_current(), COROPROF_THREAD, "a thread left to itself is in no coroutine");
	is(coroprof_id(c), 0, "what is done has no id");
	c = coroprof_new(0, a, 5);
	coroprof_wake(c);
	coroprof_set_label(c, coroprof_label("late"));
	coroprof_set_tag(c, 0);
	coroprof_switch(c);
	ok(nth_switch(6) && nth_switch(6)->tag == 0, "a tag can become 0");
	ok(nth_switch(6) && !strcmp(nth_switch(6)->label, "late"),
	   "a coroutine labelled between its wake-up and its first slice has that label");
	coroprof_done(c);
}

static void restart(coroprof_co a)
{
	coroprof_co d = coroprof_new(coroprof_label("d"), COROPROF_THREAD, 0);
	coroprof_co e = coroprof_new(coroprof_label("e"), COROPROF_THREAD, 0);

	coroprof_switch(a);
	coroprof_wake(a);
	mock_record(false);
	coroprof_switch(d);
	mock_forget();
	mock_record(true);
	coroprof_switch(a);
	reported(nth_switch(0), d, COROPROF_SWITCH_FRESH,
		 "after a pause the one left is told first");
	reported(nth_switch(1), a, 0, "after a pause the one entered is known from before");
	ok(nth_switch(1) && !nth_switch(1)->woken, "a wake-up of an earlier recording is dropped");
	is(mock_count(MOCK_THREAD), 0, "the channel lasts beyond a recording");

	mock_record(false);
	coroprof_switch(e);
	coroprof_switch_done(COROPROF_THREAD);
	mock_forget();
	mock_record(true);
	coroprof_switch(a);
	is(mock_count(MOCK_SWITCH), 2, "who came and went in the pause is not told of");
}

static void goes_on(coroprof_co a)
{
	coroprof_co other;

	coroprof_switch(a);
	mock_forget();
	for (int i = 0; i < 20; i++) {
		other = coroprof_new(coroprof_label("other"), a, 0);
		coroprof_wake(other);
		coroprof_switch(a);
		coroprof_switch_ready(a);
		coroprof_done(other);
	}
	is(mock_count(MOCK_SWITCH), 0, "what runs goes on, whomever it makes and wakes meanwhile");
	coroprof_switch(COROPROF_THREAD);
	coroprof_switch(COROPROF_THREAD);
	is(mock_count(MOCK_SWITCH), 1, "a thread outside any coroutine goes on, too");
	mock_record(false);
	mock_record(true);
	mock_forget();
	coroprof_switch(COROPROF_THREAD);
	coroprof_switch(COROPROF_THREAD);
	is(mock_count(MOCK_SWITCH), 1, "when a recording begins it is told once what goes on");
	mock_record(false);
	mock_record(true);
	mock_forget();
	coroprof_switch_ready(COROPROF_THREAD);
	is(mock_count(MOCK_SWITCH), 1, "so it is by a switch to what is ready, and goes on");
	coroprof_switch(a);
}

static void misuse(coroprof_co a)
{
	mock_forget();
	coroprof_switch(0xfffffff0);
	ok(nth_switch(0) && nth_switch(0)->slot == 1, "a handle out of range is the shared slot");
	coroprof_switch(a);
	coroprof_wake(0xfffffff0);
	coroprof_done(0xfffffff0);
	coroprof_set_label(0xfffffff0, 3);
	coroprof_set_tag(0xfffffff0, 3);
	coroprof_set_tag(COROPROF_THREAD, 3);
	is(coroprof_id(0xfffffff0), 0, "a handle out of range has no id");
	coroprof_switch_done(a);
	is(coroprof_current(), a, "to leave for oneself is not to end");
	ok(coroprof_id(a), "who leaves for oneself lives on");
}

static void quota(coroprof_co a)
{
	mock_fail(MOCK_SWITCH, ENOMEM, 1);
	mock_forget();
	errno = EILSEQ;
	coroprof_switch(COROPROF_THREAD);
	is(errno, EILSEQ, "errno is kept when the kernel has no memory");
	coroprof_switch(a);
	is(mock_count(MOCK_THREAD), 0, "the channel is kept when the kernel has no memory");
	reported(nth_switch(1), a, 0, "the channel that was kept is used");
}

int main(void)
{
	coroprof_co a, b;

	is(coroprof_status(), 0, "the process is known");
	idle();
	a = coroprof_new(coroprof_label("alpha"), COROPROF_THREAD, 17);
	b = coroprof_new(coroprof_label("beta"), a, 18);
	mock_record(true);
	first_switch(a, b);
	flags(a, b);
	restart(a);
	goes_on(a);
	misuse(a);
	quota(a);
	return tap_done();
}
