// SPDX-License-Identifier: GPL-2.0
/* A program that has put a filter of system calls in place: none of ioctl() is made any more. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

/* So many that the library looks meanwhile whether its descriptor is still there. */
#define MANY 5000

static coroprof_co a, b;

static void switch_some(void)
{
	for (int i = 0; i < 10; i++)
		coroprof_switch(i % 2 ? a : b);
	coroprof_switch(COROPROF_THREAD);
}

static void *another(void *unused)
{
	switch_some();
	return unused;
}

static void run_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, another, NULL);
	pthread_join(thread, NULL);
}

static void run_child(pid_t pid)
{
	if (!pid) {
		coroprof_label("of the child");
		switch_some();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void make_many(void)
{
	for (int i = 0; i < MANY; i++)
		coroprof_new(coroprof_label("many"), COROPROF_THREAD, 0);
}

static void nothing_is_called(void (*fn)(void), const char *name)
{
	mock_forget();
	fn();
	is(mock_events(), 0, "behind the filter nothing is called: %s", name);
}

static void name(void)
{
	coroprof_label("another");
}

static void join(void)
{
	is(coroprof_thread_join(NULL), -EPERM, "behind the filter a thread can't join");
}

static void fork_child(void)
{
	run_child(fork());
}

static void clone_child(void)
{
	run_child((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

/* The program may have closed all numbers, and have taken them. */
static void leave(void)
{
	int null = open("/dev/null", O_RDONLY);
	bool open = true;

	for (int fd = 512; fd < 540; fd++)
		dup2(null, fd);
	coroprof_thread_leave();
	for (int fd = 512; fd < 540; fd++)
		open &= fcntl(fd, F_GETFD) >= 0;
	ok(open, "behind the filter nothing is closed that may be the program's");
}

static void span(void)
{
	coroprof_span_begin(coroprof_label("many"));
	coroprof_span_end();
}

static void read_own(void)
{
	struct coroprof_totals totals = { .size = sizeof(totals) };

	is(coroprof_read_self(&totals), -ENODATA, "behind the filter nothing is read");
}

/* It stays in place until the program ends, so each kind of thread has a process of its own. */
static void as_recorded(void)
{
	mock_record(true);
	switch_some();
	ok(mock_count(MOCK_SWITCH) >= 10, "before the filter a recorded thread calls");
	mock_refuse();
	nothing_is_called(switch_some, "switches of a recorded thread");
	nothing_is_called(span, "spans");
	nothing_is_called(name, "a new label");
	nothing_is_called(make_many, "many coroutines");
	nothing_is_called(run_thread, "a thread that comes and goes");
	nothing_is_called(fork_child, "a child");
	nothing_is_called(clone_child, "a child that is made behind the library's back");
	nothing_is_called(join, "join");
	nothing_is_called(leave, "leave");
}

static void as_counting(void)
{
	is(coroprof_thread_join(NULL), 0, "before the filter a thread counts by itself");
	switch_some();
	mock_refuse();
	nothing_is_called(switch_some, "switches of a thread that counts by itself");
	nothing_is_called(read_own, "read");
	nothing_is_called(leave, "leave, of a thread that counts by itself");
}

int main(int argc, char **argv)
{
	(void)argv;
	a = coroprof_new(coroprof_label("a"), COROPROF_THREAD, 0);
	b = coroprof_new(coroprof_label("b"), COROPROF_THREAD, 0);
	if (argc > 1)
		as_counting();
	else
		as_recorded();
	return tap_done();
}
