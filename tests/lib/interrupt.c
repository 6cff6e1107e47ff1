// SPDX-License-Identifier: GPL-2.0
/*
 * A switch to what runs already is no record, by ioctl and from user mode. And signal handlers
 * that switch, and have spans, at any instruction of such a switch, of another, or of a span from
 * user mode: nothing may crash, and the law of conservation holds.
 * For a guest with the module and a PMU that counts instructions exactly: there
 * timers come at instructions that differ from thread to thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <coroprof/coroprof.h>

#include "conserve.h"
#include "tap.h"

#define THREADS 20
#define SWITCHES 3000
#define NR_SLOTS (1u << 20)

static __thread coroprof_co handlers_own;
static volatile sig_atomic_t interrupts;

static void interrupt(int signal)
{
	coroprof_co before = coroprof_current();

	(void)signal;
	if (!handlers_own)
		return;
	interrupts++;
	coroprof_span_begin(0);
	coroprof_switch(before);
	coroprof_switch(handlers_own);
	coroprof_span_begin(0);
	coroprof_span_end();
	coroprof_switch(before);
	coroprof_span_end();
}

static timer_t start_timer(long period)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec times = { .it_interval.tv_nsec = period, .it_value.tv_nsec = period };
	timer_t timer;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &times, NULL)) {
		printf("Bail out! no timer: %s\n", strerror(errno));
		exit(1);
	}
	return timer;
}

static void *run(void *arg)
{
	long period = *(long *)arg;
	coroprof_co co[4];
	timer_t timer;

	for (int i = 0; i < 4; i++)
		co[i] = coroprof_new(coroprof_label("interrupted"), COROPROF_THREAD, 0);
	handlers_own = coroprof_new(coroprof_label("handler"), COROPROF_THREAD, 0);
	timer = start_timer(period);
	for (int i = 0; i < SWITCHES; i++) {
		coroprof_switch(co[i % 4]);
		coroprof_switch(co[i % 4]);
		coroprof_span_begin(0);
		coroprof_span_end();
	}
	timer_delete(timer);
	coroprof_switch(COROPROF_THREAD);
	return NULL;
}

/* Each thread is interrupted elsewhere; some find the recording started anew. */
static void run_threads(struct reader *reader, long period)
{
	pthread_t thread;
	long times;

	for (int i = 0; i < THREADS && !reader->defect[0]; i++) {
		times = period + i * 137;
		pthread_create(&thread, NULL, run, &times);
		if (i % 3 == 1) {
			nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
			stop(reader->fd);
			start(reader->fd);
		}
		pthread_join(thread, NULL);
		reader_drain(reader);
	}
}

static int find(const struct reader *reader, unsigned int mode, unsigned int reason)
{
	int found = 0;

	for (unsigned int i = 0; i < reader->nr_logs; i++)
		found += reader->logs[i].record.mode == mode &&
			 reader->logs[i].record.reason == reason;
	return found;
}

static void begin(struct reader *reader, int control, uint32_t flags)
{
	*reader = (struct reader){ .config = {
		.flags = flags,
		.ring_size = 1 << 20,
		.nr_counters = 2,
		.counters = { { .config = PERF_COUNT_HW_CPU_CYCLES },
			      { .config = PERF_COUNT_HW_INSTRUCTIONS } },
	} };
	is(reader_open(reader, control, NR_SLOTS), 0, "there is a session");
	is(attach(reader->fd, getpid()), 0, "the session attaches");
	is(start(reader->fd), 0, "the session starts");
}

/* In user mode the first slice is the library's own: in that it maps the ring. */
static void one_step(int control, uint32_t flags, unsigned int mode, const char *how)
{
	coroprof_co own = coroprof_new(coroprof_label("own"), COROPROF_THREAD, 0), other;
	struct reader reader;

	begin(&reader, control, flags);
	coroprof_switch(own);
	for (int i = 0; i < 20; i++) {
		other = coroprof_new(coroprof_label("other"), own, 0);
		coroprof_wake(other);
		coroprof_switch(own);
		coroprof_switch_ready(own);
		coroprof_done(other);
	}
	coroprof_switch_done(COROPROF_THREAD);
	is(stop(reader.fd), 0, "the session stops");
	reader_drain(&reader);
	ok(reader.nr_logs == 1 && reader.logs[0].record.mode == mode, "the thread switches %s", how);
	is(reader.logs[0].sums.slices, mode == COROPROF_MODE_USER ? 4 : 3,
	   "a step that makes and wakes 20 others is one slice, between two of the thread, %s", how);
	ok(!*conservation(&reader), "slices sum to what the thread counted: %s", reader.defect);
	reader_close(&reader);
}

static void interrupted(int control, long period)
{
	struct reader reader;

	begin(&reader, control, COROPROF_SESSION_USER);
	interrupts = 0;
	run_threads(&reader, period);
	is(stop(reader.fd), 0, "the session stops");
	reader_drain(&reader);
	ok(interrupts > THREADS, "handlers switched, by timers of %ld ns: %d times", period,
	   (int)interrupts);
	ok(find(&reader, COROPROF_MODE_USER, 0) > THREADS / 2, "threads began in user mode");
	ok(find(&reader, COROPROF_MODE_IOCTL, COROPROF_REASON_NESTED),
	   "some were interrupted in the middle of a switch");
	ok(!*conservation(&reader), "slices sum to what threads counted: %s", reader.defect);
	reader_close(&reader);
}

int main(void)
{
	static const long periods[] = { 100057, 200017, 60013, 150011 };
	int control = open_control();

	if (control < 0 || coroprof_status()) {
		printf("1..0 # SKIP no module here\n");
		return 0;
	}
	one_step(control, 0, COROPROF_MODE_IOCTL, "by ioctl");
	one_step(control, COROPROF_SESSION_USER, COROPROF_MODE_USER, "from user mode");
	signal(SIGUSR1, interrupt);
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		interrupted(control, periods[i]);
	return tap_done();
}
