// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

static coroprof_co a, b;

static const struct mock_event *first_switch_of(int pid)
{
	for (uint32_t i = 0; i < mock_events(); i++) {
		if (mock_event(i)->command == MOCK_SWITCH && mock_event(i)->pid == pid &&
		    !mock_event(i)->error)
			return mock_event(i);
	}
	return NULL;
}

static int wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const struct mock_event *last_switch_of(int pid)
{
	for (uint32_t i = mock_events(); i--; ) {
		if (mock_event(i)->command == MOCK_SWITCH && mock_event(i)->pid == pid)
			return mock_event(i);
	}
	return NULL;
}

/* In a child: goes on with what the parent made. */
static int go_on(void)
{
	coroprof_co c = coroprof_new(coroprof_label("child's"), a, 0);
	const struct mock_event *last;

	coroprof_switch(b);
	coroprof_switch(a);
	coroprof_switch(c);
	coroprof_switch_done(a);
	last = last_switch_of(getpid());
	return last && !last->error && !strcmp(last->label, "alpha") ? 0 : 1;
}

static void plain(void)
{
	int before = mock_descriptors();
	pid_t pid;

	mock_forget();
	pid = fork();
	if (!pid) {
		if (mock_descriptors() != before - 1)	/* the channel is not there yet */
			_exit(2);
		_exit(go_on());
	}
	is(wait_for(pid), 0, "a child goes on with the parent's coroutines");
	is(mock_event(0)->pid, pid, "the child speaks first");
	is(mock_event(1)->error, EPERM, "the child finds its inheritance of no use");
	is(mock_count(MOCK_PROCESS), 1, "the child makes itself known");
	ok(first_switch_of(pid) && first_switch_of(pid)->slot == a &&
	   first_switch_of(pid)->arg & COROPROF_SWITCH_FRESH, "what runs there is told, fresh");
	is(first_switch_of(pid) ? first_switch_of(pid)->id : 0, coroprof_id(a),
	   "the child's coroutine has the same id");

	mock_forget();
	coroprof_switch(b);
	coroprof_switch(a);
	is(mock_count(MOCK_SWITCH), 2, "the parent goes on as before");
	is(mock_last(MOCK_SWITCH)->id, coroprof_id(a), "the parent has its own slots");
}

static void raw(void)
{
	pid_t pid;

	mock_forget();
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid) {
		coroprof_switch(b);	/* finds out */
		syscall(SYS_exit_group, go_on());
	}
	is(wait_for(pid), 0, "a child made behind the library's back finds out");
	ok(first_switch_of(pid), "a child made behind the library's back is told of");
}

/* Until such a child switches it has no slots but the parent's. */
static void behind_back(void)
{
	coroprof_co born = coroprof_new(coroprof_label("beta"), COROPROF_THREAD, 0);
	pid_t pid;

	coroprof_switch(b);
	coroprof_switch(a);
	mock_forget();
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid) {
		coroprof_wake(b);
		coroprof_set_label(b, coroprof_label("alpha"));
		coroprof_set_tag(b, 9);
		coroprof_wake(born);
		syscall(SYS_exit_group, 0);
	}
	is(wait_for(pid), 0, "a child wakes and names its own coroutines");
	coroprof_switch(b);
	is(mock_last(MOCK_SWITCH)->woken, 0, "no coroutine of the parent is woken by a child");
	ok(!strcmp(mock_last(MOCK_SWITCH)->label, "beta"),
	   "no coroutine of the parent is named by a child");
	is(mock_last(MOCK_SWITCH)->tag, 0, "no coroutine of the parent is tagged by a child");
	coroprof_switch(born);
	is(mock_last(MOCK_SWITCH)->woken, 0,
	   "no coroutine of the parent that has not run is woken by a child");
	coroprof_switch_done(a);
}

/* The library's number of the process, which each child raises. */
extern uint32_t coroprof_generation, *coroprof_generation_ours;
void coroprof_entries_unseen(void);
void coroprof_slots_unseen(void);

/* What runs was first reported by a process with the number that the child gets. */
static void many_parents(void)
{
	uint16_t before = coroprof_generation;
	const struct mock_event *first;
	pid_t pid;

	mock_forget();
	coroprof_generation = UINT16_MAX;
	pid = fork();
	if (!pid)
		_exit(go_on());
	coroprof_generation = before;
	is(wait_for(pid), 0, "a child whose number is used again has its coroutines");
	first = first_switch_of(pid);
	ok(first && first->slot == a && first->arg & COROPROF_SWITCH_FRESH,
	   "a child whose number is used again tells of what runs there, fresh");
}

static pthread_barrier_t turn;

/* Joins, and then makes no call while the process gets others; returns how often it has joined. */
static void *waits(void *unused)
{
	coroprof_switch(b);
	coroprof_switch(COROPROF_THREAD);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	mock_forget();
	coroprof_switch(b);
	coroprof_switch(COROPROF_THREAD);
	return (void)unused, (void *)(uintptr_t)mock_count(MOCK_THREAD);
}

/* As many that a number of 16 bits would be the same. */
static void many_objects(void)
{
	pthread_t thread;
	void *joins;

	pthread_barrier_init(&turn, NULL, 2);
	pthread_create(&thread, NULL, waits, NULL);
	pthread_barrier_wait(&turn);
	coroprof_generation += 1u << 16;
	*coroprof_generation_ours = coroprof_generation;
	coroprof_entries_unseen();
	coroprof_slots_unseen();
	pthread_barrier_wait(&turn);
	pthread_join(thread, &joins);
	is((uintptr_t)joins, 1, "a thread that waits while 65,536 process objects are made joins the last of them");
}

static bool stop_threads;

static void *busy(void *unused)
{
	coroprof_co co = coroprof_new(coroprof_label("busy"), COROPROF_THREAD, 0);
	char text[32];

	for (int i = 0; !__atomic_load_n(&stop_threads, __ATOMIC_RELAXED); i++) {
		snprintf(text, sizeof(text), "busy %d", i % 1000);
		coroprof_label(text);
		coroprof_switch(co);
		coroprof_switch(COROPROF_THREAD);
	}
	return unused;
}

static void threaded(void)
{
	pthread_t threads[2];
	int failed = 0;
	pid_t pid;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, busy, NULL);
	for (int i = 0; i < 50; i++) {
		pid = fork();
		if (!pid) {
			alarm(300);
			_exit(go_on());
		}
		failed += wait_for(pid) != 0;
	}
	is(failed, 0, "children of a busy program work");
	__atomic_store_n(&stop_threads, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void refused(void)
{
	pid_t pid;

	mock_fail(MOCK_PROCESS, EPERM, 1);
	pid = fork();
	if (!pid) {
		coroprof_switch(b);
		_exit(coroprof_status() == -EPERM && coroprof_current() == b ? 0 : 1);
	}
	is(wait_for(pid), 0, "a child that is refused runs on, unrecorded");
}

int main(void)
{
	a = coroprof_new(coroprof_label("alpha"), COROPROF_THREAD, 0);
	b = coroprof_new(coroprof_label("beta"), COROPROF_THREAD, 0);
	mock_record(true);
	coroprof_switch(a);
	plain();
	raw();
	behind_back();
	many_parents();
	many_objects();
	threaded();
	refused();
	return tap_done();
}
