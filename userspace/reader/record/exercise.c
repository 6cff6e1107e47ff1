// SPDX-License-Identifier: GPL-2.0
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

/*
 * The first one warms up, and is not forgotten before the second one ends: that takes a new ring,
 * too. All others take one of these.
 */
#define JOINS		6

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

static double thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* What the library did in the thread is in a slice, as in any recording: it is no part of this. */
static double charged_ns(void)
{
	struct coroprof_totals t = { .size = sizeof(t) };

	coroprof_switch(coroprof_thread_tool());
	return coroprof_read_self(&t) ? 0 : (double)t.running_ns;
}

/* The first switch joins. */
static void *join_and_leave(void *ns)
{
	double begin = thread_ns(), joined, charged, leaves;

	coroprof_switch(coroprof_new(0, COROPROF_THREAD, 0));
	coroprof_switch_done(COROPROF_THREAD);
	joined = thread_ns();
	charged = charged_ns();
	leaves = thread_ns();
	coroprof_thread_leave();
	*(double *)ns = joined - begin + thread_ns() - leaves - charged;
	return NULL;
}

/* On a CPU: that it waits for others is not what it costs. @new: out: with a new ring */
static double time_of_join(int reader, double *new)
{
	double best = -1, ns;
	pthread_t thread;
	char byte = 0;

	for (unsigned int i = 0; i < JOINS; i++) {
		if (pthread_create(&thread, NULL, join_and_leave, &ns))
			break;
		pthread_join(thread, NULL);
		if (!i)
			continue;
		/* It can be forgotten now. */
		if (write(reader, &byte, 1) != 1 || read(reader, &byte, 1) != 1)
			break;
		if (i == 1)
			*new = ns;
		if (best < 0 || ns < best)
			best = ns;
	}
	return best;
}

/* Without what is part of it and measured by itself. */
static double less(double ns, double part)
{
	return ns < 0 || part < 0 ? -1 : ns > part ? ns - part : 0;
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

static void exercise(struct exercise *result, const struct exercise_how *how, int reader)
{
	double joins, new = -1;

	coroprof_init_(0);
	a = coroprof_new(0, COROPROF_THREAD, 0);
	b = coroprof_new(0, COROPROF_THREAD, 0);
	coroprof_switch(a);
	switch_often(WARM_UP);
	result->switches.ns = time_of(switch_often);
	/* Each other slice is of @b. */
	result->switches.count = 2 * count_of(switch_often, how->counter);
	bear_often(WARM_UP);
	result->births.ns = less(time_of(bear_often), 2 * result->switches.ns);
	joins = time_of_join(reader, &new);
	result->joins.ns = less(joins, 2 * result->switches.ns + result->births.ns);
	result->rings.ns = less(new, joins);
	if (!how->spans)
		return;
	span_often(WARM_UP);
	result->spans.ns = time_of(span_often);
	result->spans.count = count_of(span_often, how->counter);
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
	else
		exercise(&result, how, reader);
	if ((how->probed || !coroprof_status()) &&
	    write(reader, &result, sizeof(result)) == sizeof(result))
		_exit(0);
	_exit(1);
}

/* A single byte says that a thread has ended, and waits for an answer. */
static int take_result(struct exercise *exercise, const struct exercise_how *how, int in,
		       struct error *err)
{
	struct pollfd fd = { .fd = in, .events = POLLIN };
	ssize_t got = 1;

	while (got == 1 && poll(&fd, 1, PATIENCE_MS) == 1) {
		got = read(in, exercise, sizeof(*exercise));
		if (got == sizeof(*exercise))
			return 0;
		how->forget(how->data);
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
