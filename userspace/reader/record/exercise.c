// SPDX-License-Identifier: GPL-2.0
/*
 * The child that calibrate.c records: times batches of switches, spans, births and joins, and sends
 * the times, or counts of instructions, through a socket.
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

/* Switches @times times. Begins and ends in coroutine @a. */
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

/* Creates and ends @times coroutines. Begins and ends in @a. */
static void create_often(unsigned int times)
{
	while (times--) {
		coroprof_switch(coroprof_new(0, COROPROF_THREAD, 0));
		coroprof_switch_done(a);
	}
}

/* @ns without a part of it that was measured by itself; -1 if either is not known. */
static double without_part(double ns, double part)
{
	return ns < 0 || part < 0 ? -1 : ns > part ? ns - part : 0;
}

/*
 * The time in ns that the library charged to its own coroutine in this thread: reports have it as
 * slices, so it is not counted as a cost here.
 */
static double tool_slice_ns(void)
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

static void *run_short_thread(void *data)
{
	struct short_thread *thread = data;
	uint64_t begin;

	thread->tid = gettid();
	if (!thread->recorded)
		return NULL;
	coroprof_switch(coroprof_new(0, COROPROF_THREAD, 0));
	coroprof_switch_done(COROPROF_THREAD);
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	thread->apart = tool_slice_ns();
	thread->apart += (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
	coroprof_thread_leave();
	return NULL;
}

/*
 * pthread_join() returns while the kernel still takes the thread down, which is a part of its cost.
 */
static void wait_until_thread_is_gone(pid_t tid)
{
	const struct timespec nap = { .tv_nsec = 200000 };

	do
		nanosleep(&nap, NULL);
	while (!syscall(SYS_tgkill, getpid(), tid, 0));
}

/*
 * CPU time in ns of a thread's life, of all CPUs: waiting is no cost. Negative if no thread could
 * be created.
 */
static double cpu_time_of_thread(bool recorded)
{
	struct short_thread short_thread = { .recorded = recorded };
	uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_short_thread, &short_thread))
		return -1;
	pthread_join(thread, NULL);
	wait_until_thread_is_gone(short_thread.tid);
	return (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin) - short_thread.apart;
}

/* Has the reader give up the channels of threads that have ended, and waits until it has. */
static bool ask_reader_to_forget(int reader)
{
	char byte = 0;

	return write(reader, &byte, 1) == 1 && read(reader, &byte, 1) == 1;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The median of several threads: CPU time has little of what else the machine does, and the
 * cheapest thread is one that woke the reader less than most do. Negative if a thread could not be
 * created.
 */
static double median_cpu_time_of_threads(bool recorded, int reader)
{
	double ns[JOINS];

	for (unsigned int i = 0; i < JOINS; i++) {
		ns[i] = cpu_time_of_thread(recorded);
		if (ns[i] < 0 || (recorded && !ask_reader_to_forget(reader)))
			return -1;
	}
	qsort(ns, JOINS, sizeof(ns[0]), compare_doubles);
	return ns[JOINS / 2];
}

/*
 * @alone: CPU time in ns of a thread that does not join. The first thread warms up, and is not
 * forgotten before the second one has ended, so the second one needs a new ring, too. All others
 * get a ring that is there. This thread itself is not recorded yet.
 */
static void measure_joins(struct exercise *result, double alone, int reader)
{
	double new;

	cpu_time_of_thread(true);
	new = cpu_time_of_thread(true);
	if (!ask_reader_to_forget(reader))
		return;
	result->joins.ns = without_part(median_cpu_time_of_threads(true, reader), alone);
	result->rings.ns = without_part(without_part(new, alone), result->joins.ns);
}

/* The least time in ns of one operation, over several batches. */
static double best_time(void (*often)(unsigned int times))
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
 * How many events coroutine @a counts for one operation of a batch, without those of reading the
 * counter, which are measured by themselves.
 */
static double count_per_operation(void (*often)(unsigned int times), unsigned int counter)
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

static void measure_probes(struct exercise *result)
{
	probed_often(WARM_UP);
	result->probes.ns = best_time(probed_often);
	probed_born_often(WARM_UP);
	result->births.ns = without_part(best_time(probed_born_often), 2 * result->probes.ns);
}

static void begin_switching(void)
{
	a = coroprof_new(0, COROPROF_THREAD, 0);
	b = coroprof_new(0, COROPROF_THREAD, 0);
	coroprof_switch(a);
	switch_often(WARM_UP);
}

static void measure_times(struct exercise *result, const struct exercise_how *how, int reader)
{
	double alone;

	cpu_time_of_thread(false);
	alone = median_cpu_time_of_threads(false, reader);
	coroprof_init_(0);
	measure_joins(result, alone, reader);
	begin_switching();
	result->switches.ns = best_time(switch_often);
	create_often(WARM_UP);
	result->births.ns = without_part(best_time(create_often), 2 * result->switches.ns);
	result->joins.ns =
		without_part(result->joins.ns, 2 * result->switches.ns + result->births.ns);
	if (!how->spans)
		return;
	span_often(WARM_UP);
	result->spans.ns = best_time(span_often);
}

static void measure_counts(struct exercise *result, const struct exercise_how *how)
{
	coroprof_init_(0);
	begin_switching();
	/* Each other slice is of @b. */
	result->switches.count = 2 * count_per_operation(switch_often, (unsigned int)how->counter);
	if (!how->spans)
		return;
	span_often(WARM_UP);
	result->spans.count = count_per_operation(span_often, (unsigned int)how->counter);
}

static void run_child(int reader, const struct exercise_how *how)
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
		measure_probes(&result);
	else if (how->counter < 0)
		measure_times(&result, how, reader);
	else
		measure_counts(&result, how);
	if ((how->probed || !coroprof_status()) &&
	    write(reader, &result, sizeof(result)) == sizeof(result))
		_exit(0);
	_exit(1);
}

/*
 * A single byte from the child says that threads have ended, and waits for an answer. Between the
 * first and the last of these the session is read whenever it has records, as in a recording: its
 * threads then wake the reader, which is a part of their cost. After that it would be readable all
 * the time, as nobody empties the rings.
 */
static int receive_result(struct exercise *exercise, const struct exercise_how *how, int in,
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
		run_child(fds[1], how);
	}
	close(fds[1]);
	ret = pid < 0 ? error_errno(err, "can't fork") :
			receive_result(exercise, how, fds[0], err);
	close(fds[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return ret;
}
