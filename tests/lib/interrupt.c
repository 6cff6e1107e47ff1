// SPDX-License-Identifier: GPL-2.0
/*
 * A switch to what runs already is no record, by ioctl and from user mode. And signal handlers
 * that switch, and have spans, at any instruction of such a switch, of another, of one that begins a
 * coroutine, or of a span from user mode: nothing may crash, and the law of conservation holds. And
 * coroutines begin and end from user mode, by no call, with all that is known of them.
 * For a guest with the module and a PMU that counts instructions exactly: there
 * timers come at instructions that differ from thread to thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include <coroprof/coroprof.h>

#include "conserve.h"
#include "tap.h"

#define THREADS 20
#define SWITCHES 3000
#define NR_SLOTS (1u << 20)
#define BIRTHS 200u
#define BIRTHS_TAG 0x1000u

static __thread coroprof_co handlers_own;
static volatile sig_atomic_t interrupts;

static unsigned int calls;

/* In place of the C library's. */
int ioctl(int fd, unsigned long request, ...)
{
	unsigned long arg;
	va_list args;

	va_start(args, request);
	arg = va_arg(args, unsigned long);
	va_end(args);
	calls++;
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

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
		coroprof_switch(coroprof_new(0, co[i % 4], 0));
		coroprof_switch_done(co[i % 4]);
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

/**
 * struct lives - what slices say of coroutines
 * @maker: who makes them, and says that they are ready
 * @begun: when the maker's last slice began
 * @born:  so many began, one after another
 * @wrong: what is not so with one of them
 */
static struct lives {
	uint64_t maker;
	uint64_t begun;
	unsigned int born;
	const char *wrong;
} lives;

static void look(struct reader *reader, const struct slice *slice)
{
	uint64_t began = slice->record->time - slice->record->duration;

	(void)reader;
	if (slice->record->id == lives.maker)
		lives.begun = began;
	if (!slice->fresh || slice->fresh->tag < BIRTHS_TAG)
		return;
	if (slice->fresh->tag != BIRTHS_TAG + lives.born || slice->fresh->parent != lives.maker)
		lives.wrong = "its tag or its parent";
	if (!slice->woken || slice->woken->waker != lives.maker ||
	    slice->woken->wake_time < lives.begun || slice->woken->wake_time > began)
		lives.wrong = "who made it ready, or when";
	if (!(slice->record->flags & COROPROF_SLICE_END))
		lives.wrong = "its end";
	lives.born++;
}

/* Two first, for the ring to be mapped. */
static void births(int control)
{
	coroprof_co own = coroprof_new(coroprof_label("own"), COROPROF_THREAD, 0), other;
	struct reader reader;

	begin(&reader, control, COROPROF_SESSION_USER);
	reader.each = look;
	lives = (struct lives){ .maker = coroprof_id(own) };
	coroprof_switch(own);
	coroprof_switch(COROPROF_THREAD);
	coroprof_switch(own);
	calls = 0;
	for (unsigned int i = 0; i < BIRTHS; i++) {
		other = coroprof_new(0, own, BIRTHS_TAG + i);
		coroprof_wake(other);
		coroprof_switch(other);
		coroprof_switch_done(own);
	}
	ok(calls < BIRTHS / 10, "%u coroutines begin and end from user mode, by %u calls", BIRTHS,
	   calls);
	coroprof_switch_done(COROPROF_THREAD);
	is(stop(reader.fd), 0, "the session stops");
	reader_drain(&reader);
	is(lives.born, BIRTHS, "each of them is new once");
	ok(!lives.wrong, "and all of it is as it was: %s", lives.wrong ? lives.wrong : "nothing is wrong");
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
	births(control);
	signal(SIGUSR1, interrupt);
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		interrupted(control, periods[i]);
	return tap_done();
}
