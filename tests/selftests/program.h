/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The traced side of a test: a process that has made itself known, and what
 * its threads need to keep busy or idle in ways that can be foretold.
 */
#ifndef _PROGRAM_H
#define _PROGRAM_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "call.h"

/* By custom here: slot 1 is the thread itself, coroutines follow. */
#define THREAD_SLOT	1U
/* The id of the coroutine in a slot; told apart from the slot's number. */
#define ID_OF(slot)	(1000000ULL + (slot))

struct program {
	int control;
	int process;
	__u32 nr_slots;
	struct coroprof_slot *slots;
	const volatile struct coroprof_process_page *page;
};

static inline void program_close(struct program *program)
{
	if (program->slots)
		munmap(program->slots, page_align(program->nr_slots *
						  sizeof(*program->slots)));
	if (program->page)
		munmap((void *)program->page, page_size());
	if (program->process >= 0)
		close(program->process);
	if (program->control >= 0)
		close(program->control);
}

/* On a control descriptor that there is. Returns 0 or a negative errno. */
static inline int program_open_on(struct program *program, int control, __u32 nr_slots,
				  __u64 token)
{
	__u32 slot;

	memset(program, 0, sizeof(*program));
	program->process = -1;
	program->nr_slots = nr_slots;
	program->control = control;
	if (program->control < 0)
		return program->control;
	program->process = make_process(program->control, nr_slots, token);
	if (program->process < 0)
		return program->process;
	program->slots = map_slots(program->process, nr_slots);
	program->page = map_process_page(program->process);
	if (!program->slots || !program->page)
		return -errno;
	for (slot = 1; slot < nr_slots; slot++)
		program->slots[slot].id = ID_OF(slot);
	return 0;
}

static inline int program_open(struct program *program, __u32 nr_slots, __u64 token)
{
	return program_open_on(program, open_control(), nr_slots, token);
}

static inline __u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static inline __u64 wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline __u64 cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline void spin_wall(__u64 ns)
{
	__u64 until = wall_ns() + ns;

	while (wall_ns() < until)
		;
}

/* So much time on a CPU, however long that takes. */
static inline void spin_cpu(__u64 ns)
{
	__u64 until = cpu_ns() + ns;

	while (cpu_ns() < until)
		;
}

static inline void sleep_ns(__u64 ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* How often the calling thread has gone to sleep. */
static inline unsigned int times_slept(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

static inline void sleep_ms(unsigned int ms)
{
	sleep_ns(ms * 1000000ULL);
}

/* For the calling thread. */
static inline void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		abort();
	}
}

static inline int nr_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

static inline pid_t thread_id(void)
{
	return syscall(SYS_gettid);
}

static inline pthread_t run_thread(void *(*function)(void *), void *arg)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, function, arg);

	if (err) {
		fprintf(stderr, "pthread_create: %s\n", strerror(err));
		abort();
	}
	return thread;
}

/* Runs @function in a child and returns what it returned, 0..127, or -1. */
static inline int in_child(int (*function)(void *), void *arg)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(function(arg));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Runs @function on a thread of its own and returns what it returned. */
struct on_thread {
	int (*function)(void *arg);
	void *arg;
	int ret;
};

static inline void *on_thread_main(void *arg)
{
	struct on_thread *job = arg;

	job->ret = job->function(job->arg);
	return NULL;
}

static inline int on_thread(int (*function)(void *), void *arg)
{
	struct on_thread job = { .function = function, .arg = arg };

	pthread_join(run_thread(on_thread_main, &job), NULL);
	return job.ret;
}

/* Two threads, sides 0 and 1, take turns; asleep while they wait. */
struct turns {
	int pipes[2][2];
};

/* It is the turn of side 0. */
static inline int turns_begin(struct turns *turns)
{
	if (pipe(turns->pipes[0]) || pipe(turns->pipes[1]))
		return -errno;
	return write(turns->pipes[0][1], "", 1) == 1 ? 0 : -errno;
}

static inline void turns_wait(struct turns *turns, unsigned int side)
{
	char byte;

	if (read(turns->pipes[side][0], &byte, 1) != 1)
		abort();
}

static inline void turns_pass(struct turns *turns, unsigned int side)
{
	if (write(turns->pipes[!side][1], "", 1) != 1)
		abort();
}

/* So long nothing that is to come stays away, however busy the machine is: a test that hangs fails then. */
#define PATIENCE_MS 120000

/* Returns whether it came true. */
static inline bool wait_until(const volatile unsigned int *value, unsigned int at_least)
{
	__u64 until = wall_ns() + PATIENCE_MS * 1000000ULL;

	while (__atomic_load_n(value, __ATOMIC_ACQUIRE) < at_least) {
		if (wall_ns() > until)
			return false;
		sleep_ns(200000);
	}
	return true;
}

#endif /* _PROGRAM_H */
