// SPDX-License-Identifier: GPL-2.0
/* A thread that counts by itself: coroutines read their own counters. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

static void *another(void *co)
{
	coroprof_switch(*(coroprof_co *)co);
	coroprof_switch(COROPROF_THREAD);
	return NULL;
}

static void unjoined(void)
{
	struct coroprof_totals totals = { .size = sizeof(totals) };

	is(coroprof_read_self(&totals), -ENODATA, "who counts nothing reads nothing");
	mock_record(true);
	is(coroprof_read_self(&totals), 0, "what a session counts can be read");
	is(totals.nr_counters, 2, "what a session counts is read with its counters");
	mock_record(false);
	is(coroprof_read_self(&totals), -ENODATA,
	   "what a session counts can be read while it lasts");
	is(coroprof_thread_leave(), 0, "a channel can be left");
	is(coroprof_thread_leave(), -ESRCH, "a channel can be left once");
	totals.size = 8;
	is(coroprof_read_self(&totals), -EINVAL, "the structure must be whole");
}

static void joined(coroprof_co a, coroprof_co b)
{
	struct coroprof_totals totals = { .size = sizeof(totals) };
	struct coroprof_join join = { .size = sizeof(join), .nr_counters = 9 };
	pthread_t thread;
	uint64_t value;

	is(coroprof_thread_join(&join), -EINVAL, "nine counters are too many");
	mock_forget();
	is(coroprof_thread_join(NULL), 0, "a thread joins");
	is(mock_last(MOCK_THREAD)->nr_counters, 3, "a thread joins with three counters by default");
	coroprof_switch(a);
	is(mock_last(MOCK_SWITCH)->slot, a,
	   "switches of a thread that joined are told, session or not");
	totals.flags = ~0U;
	totals.reserved = ~0U;
	is(coroprof_read_self(&totals), 0, "a coroutine reads its own, whatever is in the structure behind its size");
	is(totals.id, coroprof_id(a), "a coroutine reads no other's");
	is(totals.slices, 1, "a coroutine reads its own in its first slice");
	coroprof_switch(b);
	coroprof_switch(a);
	coroprof_read_self(&totals);
	is(totals.slices, 2, "totals continue in a coroutine's second slice");

	is(coroprof_estimate(&totals, 0, &value), COROPROF_STANDING_COUNTED,
	   "a counter is counted");
	is(value, totals.count[0], "a counter that is counted is as it was read");
	is(coroprof_estimate(&totals, 1, &value), COROPROF_STANDING_SCALED,
	   "a counter that had half of the time is scaled");
	is(value, 2 * totals.count[1], "a counter is scaled from half of the time to all of it");
	is(coroprof_estimate(&totals, 2, &value), -ENODATA,
	   "a counter that was never scheduled has no estimate");
	is(coroprof_estimate(&totals, 3, &value), -EINVAL, "there is no fourth counter");

	join.nr_counters = 1;
	is(coroprof_thread_join(&join), 0, "a thread joins with other counters");
	coroprof_switch(b);
	coroprof_switch(a);
	coroprof_read_self(&totals);
	is(totals.slices, 2, "totals of other counters are not added to");
	is(coroprof_thread_join(NULL), 0, "a thread joins with its first counters again");

	mock_forget();
	pthread_create(&thread, NULL, another, &b);
	pthread_join(thread, NULL);
	is(mock_events(), 0, "other threads stay idle");

	mock_record(true);
	coroprof_switch(b);
	coroprof_switch(a);
	is(mock_count(MOCK_THREAD), 0, "a session changes nothing about a channel that counts");
	mock_record(false);
	mock_forget();
	coroprof_switch(b);
	is(mock_count(MOCK_SWITCH) > 0, 1, "the end of a session changes nothing about it either");
	is(coroprof_thread_leave(), 0, "a thread that counts leaves");
	mock_forget();
	coroprof_switch(a);
	is(mock_events(), 0, "a thread that has left is idle again");
	is(coroprof_read_self(&totals), -ENODATA, "a thread that has left reads nothing");
}

static void child(void)
{
	struct coroprof_totals totals = { .size = sizeof(totals) };
	int status = 0;
	pid_t pid;

	coroprof_thread_join(NULL);
	pid = fork();
	if (!pid) {
		if (coroprof_read_self(&totals) != -ENODATA)
			_exit(1);
		if (coroprof_thread_join(NULL) || coroprof_read_self(&totals))
			_exit(2);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	is(status, 0, "a child counts once it joins itself");
	is(coroprof_read_self(&totals), 0, "the parent of a child goes on counting");
}

static void *join_and_exit(void *unused)
{
	coroprof_thread_join(NULL);
	return unused;
}

int main(void)
{
	coroprof_co a = coroprof_new(coroprof_label("alpha"), COROPROF_THREAD, 0);
	coroprof_co b = coroprof_new(coroprof_label("beta"), COROPROF_THREAD, 0);
	pthread_t thread;

	unjoined();
	joined(a, b);
	child();
	coroprof_thread_leave();
	pthread_create(&thread, NULL, join_and_exit, NULL);
	pthread_join(thread, NULL);
	mock_forget();
	coroprof_switch(a);
	is(mock_events(), 0, "a thread that exits lets the others be idle");
	return tap_done();
}
