// SPDX-License-Identifier: GPL-2.0
/*
 * SWITCH in a process several threads of which are recorded. They take turns, a
 * round each, on the one processor; each counts its own instructions.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/ioctl.h>

#include "meter.h"
#include "recording.h"
#include "threads.h"

#define THREADS_MAX 8
#define ROUNDS 20u
#define WARM 2u

/* A thread's own slot, and two coroutines. */
#define SLOTS 3u

/**
 * struct worker - one of the threads
 * @number: which
 * @first:  its own slot; those of its coroutines follow
 * @track:  how it is recorded
 * @cost:   what a switch cost it
 * @err:    a negative errno, or 0
 */
struct worker {
	unsigned int number;
	uint32_t first;
	struct track track;
	struct cost cost;
	int err;
};

static struct recording recording;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static unsigned int nr_workers, turn_of;

static __thread int channel;
static __thread int failure;

static void switch_to(uint32_t turn)
{
	if (ioctl(channel, COROPROF_IOC_SWITCH, turn))
		failure = errno;
}

static void await_turn(const struct worker *w)
{
	pthread_mutex_lock(&lock);
	while (turn_of != w->number)
		pthread_cond_wait(&passed, &lock);
	pthread_mutex_unlock(&lock);
}

static void pass_turn(void)
{
	pthread_mutex_lock(&lock);
	turn_of = (turn_of + 1) % nr_workers;
	pthread_cond_broadcast(&passed);
	pthread_mutex_unlock(&lock);
}

/* Between rounds: every other thread has a round. */
static void between(void *arg)
{
	struct worker *w = arg;

	track_drain(&w->track);
	pass_turn();
	await_turn(w);
}

static int join(struct worker *w)
{
	int err = meter_open();

	if (!err)
		err = track_join(&w->track, &recording, w->first);
	if (!err)
		err = track_begin(&w->track, w->first);
	channel = w->track.channel;
	return err;
}

static int run(struct worker *w)
{
	struct loop loop = {
		.operation = switch_to,
		.first = w->first + 1,
		.span = 2,
		.warm = WARM,
		.rounds = ROUNDS,
		.between = between,
		.arg = w,
	};
	int err = meter_run(&loop, &w->cost);

	return err ? err : -failure;
}

/* All have joined before one is measured, and none leaves while another is. */
static void *work(void *arg)
{
	struct worker *w = arg;

	await_turn(w);
	w->err = join(w);
	pass_turn();
	await_turn(w);
	if (!w->err)
		w->err = run(w);
	pass_turn();
	return NULL;
}

static int run_all(struct worker *workers)
{
	pthread_t threads[THREADS_MAX];
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr_workers && !err; i++)
		err = -pthread_create(&threads[i], NULL, work, &workers[i]);
	if (err)
		return err;
	for (i = 0; i < nr_workers; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < nr_workers && !err; i++)
		err = workers[i].err;
	for (i = 0; i < nr_workers && !err; i++)
		err = track_verify(&workers[i].track, &recording);
	return err;
}

void measure_switch_threads(int threads, struct result *result)
{
	struct worker workers[THREADS_MAX] = { 0 };
	double sum = 0;

	nr_workers = threads;
	for (unsigned int i = 0; i < nr_workers; i++)
		workers[i] = (struct worker){ .number = i, .first = RECORDING_FIRST + SLOTS * i };
	if (result_failed(result, recording_open(&recording, 2, SLOTS * nr_workers, 0),
			  "process and session") ||
	    result_failed(result, recording_start(&recording), "START") ||
	    result_failed(result, run_all(workers), "recording of all threads"))
		return;
	for (unsigned int i = 0; i < nr_workers; i++)
		sum += workers[i].cost.least;
	result_set(result, sum / nr_workers);
}
