// SPDX-License-Identifier: GPL-2.0
/*
 * The child that calibrate.c records: times switches, spans, births and joins in batches, and sends
 * what they took through a socket.
 */
#include <coroprof/coroprof.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "record/exercise.h"
#include "record/probed.h"

/*
 * The cheapest batch is the one that nothing else got into. All slices together
 * must fit into a ring of the default size, so that no switch is spared writing
 * its record.
 */
#define BATCHES		16
#define BATCH		128
#define WARM_UP		128

/* Threads of each kind: these take milliseconds. */
#define JOINS		7

/* Far more than it takes. */
#define PATIENCE_MS	10000

void coroprof_init_(int early);
coroprof_co coroprof_thread_tool(void);

/* The library is not to be looked for, nor set up, but in the child. */
const int coroprof_early = 0;

static coroprof_co a, b;

/* Both begin and end in @a. */
static void switch_often(unsigned int times)
{
	for (unsigned int i = 0; i < times; i += 2) {
		coroprof_switch(b);
		coroprof_switch(a);
	}
}

static void span_often(unsigned int times)
{
	while (times--) {
		coroprof_span_begin(0);
		coroprof_span_end();
	}
}

/* Each ends in @a. */
static void bear_often(unsigned int times)
{
	while (times--) {
		coroprof_switch(coroprof_new(0, COROPROF_THREAD, 0));
		coroprof_switch_done(a);
	}
}

/* Without what is part of it and measured by itself. */
static double less(double ns, double part)
{
	return ns < 0 || part < 0 ? -1 : ns > part ? ns - part : 0;
}

/* What the library did in the thread is in a slice, as in any recording: it is no part of this. */
static double charged_ns(void)
{
	struct coroprof_totals t = { .size = sizeof(t) };

	coroprof_switch(coroprof_thread_tool());
	return coroprof_read_self(&t) ? 0 : (double)t.running_ns;
}

/**
 * struct short_thread - a thread that lives shortly
 * @recorded: it joins the recording, with its first switch
 * @tid:      out
 * @apart:    out: what it ran that is measured by itself, in ns
 */
struct short_thread {
	bool recorded;
	pid_t tid;
	double apart;
};

static void *live_shortly(void *data)
{
	struct short_thread *thread = data;
	uint64_t begin;

	thread->tid = gettid();
	if (!thread->recorded)
		return NULL;
	coroprof_switch(coroprof_new(0, COROPROF_THREAD, 0));
	coroprof_switch_done(COROPROF_THREAD);
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	thread->apart = charged_ns();
	thread->apart += (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
	coroprof_thread_leave();
	return NULL;
}

/* pthread_join() returns while the kernel still takes the thread down. */
static void wait_until_gone(pid_t tid)
{
	const struct timespec nap = { .tv_nsec = 200000 };

	do
		nanosleep(&nap, NULL);
	while (!syscall(SYS_tgkill, getpid(), tid, 0));
}

/* On all CPUs: that it waits for others is not what it costs. Negative if there is no thread. */
static double time_of_thread(bool recorded)
{
	struct short_thread short_thread = { .recorded = recorded };
	uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	pthread_t thread;

	if (pthread_create(&thread, NULL, live_shortly, &short_thread))
		return -1;
	pthread_join(thread, NULL);
	wait_until_gone(short_thread.tid);
	return (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin) - short_thread.apart;
}

/* The reader answers when it has forgotten threads that have ended. */
static bool may_be_forgotten(int reader)
{
	char byte = 0;

	return write(reader, &byte, 1) == 1 && read(reader, &byte, 1) == 1;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The median, as CPU time has little of what else the machine does, and the cheapest has less of
 * the reader's being woken than most. Negative if a thread could not be made.
 */
static double time_of_threads(bool recorded, int reader)
{
	double ns[JOINS];

	for (unsigned int i = 0; i < JOINS; i++) {
		ns[i] = time_of_thread(recorded);
		if (ns[i] < 0 || (recorded && !may_be_forgotten(reader)))
			return -1;
	}
	qsort(ns, JOINS, sizeof(ns[0]), by_size);
	return ns[JOINS / 2];
}

/*
 * The first thread warms up, and is not forgotten before the second one has ended: that takes a new
 * ring, too. All others take one that is there. This thread itself is not recorded yet.
 */
static void join_often(struct exercise *result, double alone, int reader)
{
	double new;

	time_of_thread(true);
	new = time_of_thread(true);
	if (!may_be_forgotten(reader))
		return;
	result->joins.ns = less(time_of_threads(true, reader), alone);
	result->rings.ns = less(less(new, alone), result->joins.ns);
}

static double time_of(void (*often)(unsigned int times))
{
	double best = -1;

	for (unsigned int i = 0; i < BATCHES; i++) {
		uint64_t begin = monotonic_ns();
		double each;

		often(BATCH);
		each = (double)(monotonic_ns() - begin) / BATCH;
		if (best < 0 || each < best)
			best = each;
	}
	return best;
}

/*
 * What coroutine @a counts in a batch. What reading that costs is measured and
 * taken off.
 */
static double count_of(void (*often)(unsigned int times), unsigned int counter)
{
	struct coroprof_totals t[3];
	double count;

	for (unsigned int i = 0; i < ARRAY_SIZE(t); i++) {
		t[i] = (struct coroprof_totals){ .size = sizeof(t[i]) };
		if (i == 2)
			often(BATCH);
		if (coroprof_read_self(&t[i]) || t[i].nr_counters <= counter ||
		    COROPROF_STANDING(t[i].standing, counter) !=
		    COROPROF_STANDING_COUNTED)
			return -1;
	}
	count = (double)(t[2].count[counter] - t[1].count[counter]) -
		(double)(t[1].count[counter] - t[0].count[counter]);
	return count < 0 ? -1 : count / BATCH;
}

static void come_by(struct exercise *result)
{
	probed_often(WARM_UP);
	result->probes.ns = time_of(probed_often);
	probed_born_often(WARM_UP);
	result->births.ns = less(time_of(probed_born_often), 2 * result->probes.ns);
}

static void begin_to_switch(void)
{
	a = coroprof_new(0, COROPROF_THREAD, 0);
	b = coroprof_new(0, COROPROF_THREAD, 0);
	coroprof_switch(a);
	switch_often(WARM_UP);
}

static void take_times(struct exercise *result, const struct exercise_how *how, int reader)
{
	double alone;

	time_of_thread(false);
	alone = time_of_threads(false, reader);
	coroprof_init_(0);
	join_often(result, alone, reader);
	begin_to_switch();
	result->switches.ns = time_of(switch_often);
	bear_often(WARM_UP);
	result->births.ns = less(time_of(bear_often), 2 * result->switches.ns);
	result->joins.ns = less(result->joins.ns, 2 * result->switches.ns + result->births.ns);
	if (!how->spans)
		return;
	span_often(WARM_UP);
	result->spans.ns = time_of(span_often);
}

static void take_counts(struct exercise *result, const struct exercise_how *how)
{
	coroprof_init_(0);
	begin_to_switch();
	/* Each other slice is of @b. */
	result->switches.count = 2 * count_of(switch_often, (unsigned int)how->counter);
	if (!how->spans)
		return;
	span_often(WARM_UP);
	result->spans.count = count_of(span_often, (unsigned int)how->counter);
}

static void child(int reader, const struct exercise_how *how)
{
	struct exercise result = {
		{ -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 },
	};
	char text[32];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(text, sizeof(text), "%" PRIu64, how->token);
	setenv(COROPROF_ENV_TOKEN, text, 1);
	unsetenv("COROPROF_DISABLE");
	if (how->by_ioctl)
		setenv("COROPROF_SWITCH", "ioctl", 1);
	if (how->probed)
		come_by(&result);
	else if (how->counter < 0)
		take_times(&result, how, reader);
	else
		take_counts(&result, how);
	if ((how->probed || !coroprof_status()) &&
	    write(reader, &result, sizeof(result)) == sizeof(result))
		_exit(0);
	_exit(1);
}

/*
 * A single byte says that threads have ended, and waits for an answer. Between the first and the
 * last of these the session is read as soon as it has something, as when it records: its threads
 * wake the reader, which costs them something. Later it would have something all the time, as
 * nobody empties the rings.
 */
static int take_result(struct exercise *exercise, const struct exercise_how *how, int in,
		       struct error *err)
{
	struct pollfd fds[] = { { .fd = in, .events = POLLIN }, { .fd = -1, .events = POLLIN } };
	unsigned int left = JOINS + 1;
	ssize_t got = 1;

	while (got == 1 && poll(fds, ARRAY_SIZE(fds), PATIENCE_MS) > 0) {
		if (fds[1].revents)
			how->forget(how->data);
		if (!fds[0].revents)
			continue;
		got = read(in, exercise, sizeof(*exercise));
		if (got == sizeof(*exercise))
			return 0;
		how->forget(how->data);
		fds[1].fd = --left ? how->session : -1;
		if (got == 1)
			got = send(in, exercise, 1, MSG_NOSIGNAL);
	}
	return error_set(err, EIO, "the program that was to be measured has failed");
}

int exercise_run(struct exercise *exercise, const struct exercise_how *how,
		 struct error *err)
{
	int fds[2], ret;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return error_errno(err, "can't make a pair of sockets");
	pid = fork();
	if (!pid) {
		close(fds[0]);
		child(fds[1], how);
	}
	close(fds[1]);
	ret = pid < 0 ? error_errno(err, "can't fork") :
			take_result(exercise, how, fds[0], err);
	close(fds[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return ret;
}
