// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "cprof/ahead.h"

/* More would wait for the one thread that adds up. */
#define THREADS_MAX	2

enum {
	JOB_QUEUED,
	JOB_TAKEN,
	JOB_DONE,
};

/**
 * struct ahead - the threads, and what is asked of them
 * @file:       where the segments are
 * @lock:       protects what follows, and the state of jobs
 * @asked:      there is a job, or it is time to stop
 * @done:       a job has been done
 * @first:      of the queue
 * @last:       where the next one is put
 * @stop:       no more jobs
 * @nr_threads: how many there are
 * @threads:    these
 */
struct ahead {
	struct file *file;
	pthread_mutex_t lock;
	pthread_cond_t asked;
	pthread_cond_t done;
	struct ahead_job *first;
	struct ahead_job **last;
	bool stop;
	unsigned int nr_threads;
	pthread_t threads[THREADS_MAX];
};

static void put_last(struct ahead *a, struct ahead_job *job)
{
	job->state = JOB_QUEUED;
	job->next = NULL;
	job->link = a->last;
	*a->last = job;
	a->last = &job->next;
}

static void take_out(struct ahead *a, struct ahead_job *job)
{
	*job->link = job->next;
	if (job->next)
		job->next->link = job->link;
	else
		a->last = job->link;
	job->state = JOB_TAKEN;
}

/* Takes it out of the queue, and lets go of the lock meanwhile. */
static void do_job(struct ahead *a, struct file_unpacker *unpacker,
		   struct ahead_job *job)
{
	struct error err;

	take_out(a, job);
	pthread_mutex_unlock(&a->lock);
	job->failed = file_read_by(a->file, unpacker, job->segment,
				   job->payload, &err);
	pthread_mutex_lock(&a->lock);
	job->state = JOB_DONE;
	pthread_cond_signal(&a->done);
}

static void *work(void *arg)
{
	struct ahead *a = arg;
	struct file_unpacker unpacker;
	struct error err;

	if (file_unpacker_init(&unpacker, &err))
		return NULL;
	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		if (a->first)
			do_job(a, &unpacker, a->first);
		else
			pthread_cond_wait(&a->asked, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	file_unpacker_free(&unpacker);
	return NULL;
}

static unsigned int threads_wanted(void)
{
	cpu_set_t set;
	int processors;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	processors = CPU_COUNT(&set);
	return processors > THREADS_MAX ? THREADS_MAX :
	       (unsigned int)processors - 1;
}

/* Signals are for the thread that asks. */
static void start_threads(struct ahead *a)
{
	unsigned int wanted = threads_wanted();
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (a->nr_threads < wanted &&
	       !pthread_create(&a->threads[a->nr_threads], NULL, work, a))
		a->nr_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct ahead *ahead_start(struct file *file)
{
	struct ahead *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->file = file;
	a->last = &a->first;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->asked, NULL);
	pthread_cond_init(&a->done, NULL);
	start_threads(a);
	return a;
}

void ahead_stop(struct ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->asked);
	pthread_mutex_unlock(&a->lock);
	for (unsigned int i = 0; i < a->nr_threads; i++)
		pthread_join(a->threads[i], NULL);
	pthread_cond_destroy(&a->done);
	pthread_cond_destroy(&a->asked);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

void ahead_ask(struct ahead *a, struct ahead_job *job)
{
	pthread_mutex_lock(&a->lock);
	put_last(a, job);
	pthread_cond_signal(&a->asked);
	pthread_mutex_unlock(&a->lock);
}

void ahead_wait(struct ahead *a, struct ahead_job *job)
{
	pthread_mutex_lock(&a->lock);
	if (job->state == JOB_QUEUED)
		do_job(a, &a->file->unpacker, job);
	while (job->state != JOB_DONE)
		pthread_cond_wait(&a->done, &a->lock);
	pthread_mutex_unlock(&a->lock);
}
