// SPDX-License-Identifier: GPL-2.0
/* Threads come and go, and leave nothing behind. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

static pthread_key_t late;

static void *churn(void *label)
{
	coroprof_co mine[100];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 100; i++)
			mine[i] = coroprof_new((uint32_t)(uintptr_t)label, COROPROF_THREAD, i);
		for (int i = 0; i < 100; i++)
			coroprof_switch(mine[i]);
		coroprof_switch(COROPROF_THREAD);
		for (int i = 0; i < 100; i++)
			coroprof_done(mine[i]);
	}
	pthread_setspecific(late, label);
	return NULL;
}

/* A program's own destructor, which may run before ours or after. */
static void switch_late(void *label)
{
	coroprof_co co = coroprof_new((uint32_t)(uintptr_t)label, COROPROF_THREAD, 0);

	coroprof_switch(co);
	coroprof_switch_done(COROPROF_THREAD);
}

static coroprof_co highest(void)
{
	coroprof_co mine[200], high = 0;

	for (int i = 0; i < 200; i++) {
		mine[i] = coroprof_new(0, COROPROF_THREAD, 0);
		high = mine[i] > high ? mine[i] : high;
	}
	for (int i = 0; i < 200; i++)
		coroprof_done(mine[i]);
	return high;
}

static void run(int times, void *label)
{
	pthread_t threads[4];

	for (int i = 0; i < times; i++) {
		for (int j = 0; j < 4; j++)
			pthread_create(&threads[j], NULL, churn, label);
		for (int j = 0; j < 4; j++)
			pthread_join(threads[j], NULL);
	}
}

/* Many threads give what others take. */
static coroprof_co shelf[64];

static void *trade(void *seed)
{
	unsigned int state = (unsigned int)(uintptr_t)seed;
	coroprof_co co;

	for (int i = 0; i < 200000; i++) {
		co = coroprof_new(0, COROPROF_THREAD, 0);
		co = __atomic_exchange_n(&shelf[rand_r(&state) % 64], co, __ATOMIC_ACQ_REL);
		coroprof_done(co);
	}
	return NULL;
}

static void trading(void)
{
	pthread_t threads[4];
	bool distinct = true;

	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, trade, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 64; i++) {
		for (int j = 0; j < i; j++)
			distinct &= shelf[i] != shelf[j] && coroprof_id(shelf[i]);
	}
	ok(distinct, "threads that free each other's coroutines never share one");
	is(coroprof_slotless(), 0, "threads that free each other's coroutines waste none");
	for (int i = 0; i < 64; i++)
		coroprof_done(shelf[i]);
}

static coroprof_co sleeper;

static void *wake_only(void *id)
{
	coroprof_wake(sleeper);
	*(uint64_t *)id = coroprof_id(COROPROF_THREAD);
	return NULL;
}

/* Who wakes has a name, also if that is all that it does. */
static void waking(void)
{
	uint64_t before = mock_count(MOCK_THREAD), id = 0;
	const struct mock_event *event;
	pthread_t thread;

	sleeper = coroprof_new(0, COROPROF_THREAD, 0);
	coroprof_switch(sleeper);
	coroprof_switch(COROPROF_THREAD);
	pthread_create(&thread, NULL, wake_only, &id);
	pthread_join(thread, NULL);
	coroprof_switch(sleeper);
	event = mock_last(MOCK_SWITCH);
	ok(event->woken && event->waker == id && id & COROPROF_ID_THREAD,
	   "a thread that only wakes is named as the waker");
	is(mock_count(MOCK_THREAD), before + 1, "a thread that only wakes does not join");
	coroprof_switch(COROPROF_THREAD);
	coroprof_wake(sleeper);
	coroprof_switch(sleeper);
	event = mock_last(MOCK_SWITCH);
	ok(event->woken && event->waker == coroprof_id(COROPROF_THREAD),
	   "a thread outside any coroutine is named as the waker");
	coroprof_switch_done(COROPROF_THREAD);
}

int main(void)
{
	void *label = (void *)(uintptr_t)coroprof_label("worker");
	coroprof_co high;
	int before;

	pthread_key_create(&late, switch_late);
	trading();
	mock_record(true);
	waking();
	run(1, label);
	before = mock_descriptors();
	high = highest();
	run(50, label);
	is(mock_descriptors(), before, "no descriptor is left open");
	/* Four threads with 100 each and some in store; 200 runs would have lost 20000. */
	ok(highest() < 1500, "no slot is lost: %u, then %u", high, highest());
	ok(mock_count(MOCK_LEAVE) >= 4, "threads leave");
	return tap_done();
}
