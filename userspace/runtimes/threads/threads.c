// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Threads without coroutines, on demand: each thread that begins is recorded from then on, as a
 * thread. Without this a thread is recorded from its first coroutine on.
 *
 * Threads are those that pthread_create() and thrd_create() make for the program and its libraries,
 * and the one that runs main(). These are not recorded until they switch: threads that began while
 * nobody recorded, and threads that constructors of other libraries make, as those run before ours.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "../preload/library.h"
#include "../preload/preload.h"
#include "../runtime.h"
#include "threads.h"

typedef int create_fn(pthread_t *thread, const pthread_attr_t *attributes,
		      void *(*function)(void *), void *argument);
typedef int create_c11_fn(thrd_t *thread, thrd_start_t function, void *argument);
typedef int setname_fn(pthread_t thread, const char *name);

struct start {
	union {
		void *(*function)(void *);
		thrd_start_t c11;
	};
	void *argument;
};

static bool wanted;

/* It says no more than that: what is seen of coroutines, their own adapters say. */
static struct adapter adapter = {
	.name = "threads",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
};

/* A module that is loaded later than the program is asked again. */
static bool begins_recorded(void)
{
	return wanted && !coroprof_process_need() && runtime_recorded();
}

/*
 * To join opens files, where a thread may be cancelled: not before its function runs, which may
 * forbid that.
 */
static void record_this_thread(void)
{
	int saved = errno, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (runtime_recorded())
		coroprof_switch(runtime_current);
	pthread_setcancelstate(state, NULL);
	errno = saved;
}

static struct start begin(void *argument)
{
	struct start start = *(struct start *)argument;

	free(argument);
	record_this_thread();
	return start;
}

/* Optimized, these two leave nothing on the thread's stack: they jump to its function. */
static void *run(void *argument)
{
	struct start start = begin(argument);

	return start.function(start.argument);
}

static int run_c11(void *argument)
{
	struct start start = begin(argument);

	return start.c11(start.argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*function)(void *), void *argument)
{
	static void *kept;
	create_fn *create = (create_fn *)preload_kept(&kept, "pthread_create");
	struct start *start;
	int err;

	if (!begins_recorded() || !(start = malloc(sizeof(*start))))
		return create(thread, attributes, function, argument);
	*start = (struct start){ .function = function, .argument = argument };
	err = create(thread, attributes, run, start);
	if (err)
		free(start);
	return err;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
	static void *kept;
	create_c11_fn *create = (create_c11_fn *)preload_kept(&kept, "thrd_create");
	struct start *start;
	int err;

	if (!begins_recorded() || !(start = malloc(sizeof(*start))))
		return create(thread, function, argument);
	*start = (struct start){ .c11 = function, .argument = argument };
	err = create(thread, run_c11, start);
	if (err != thrd_success)
		free(start);
	return err;
}

/* Most threads give themselves their names when they run already. */
EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	static void *kept;
	int err = ((setname_fn *)preload_kept(&kept, "pthread_setname_np"))(thread, name);

	if (!err && wanted && pthread_equal(thread, pthread_self()))
		runtime_name_thread();
	return err;
}

/* The only thread of a child goes on in the middle of what it does. */
static void in_child(void)
{
	if (begins_recorded())
		record_this_thread();
}

void threads_begin(bool program_reports)
{
	const char *text = secure_getenv(THREADS_ENV);

	/* A process that makes itself known can't be probed, and probes are what Go has. */
	if (!text || !*text || !strcmp(text, "0") || library_is_of_go())
		return;
	wanted = true;
	if (!program_reports)
		runtime_report(&adapter);
	pthread_atfork(NULL, NULL, in_child);
	in_child();
}
