// SPDX-License-Identifier: GPL-2.0
/*
 * Switches from user mode to coroutines that were woken: each such slice has the time and the
 * waker of its own wake, also if several threads wake at once, and takes few instructions more than
 * one that was not. For a guest with the module, and a PMU that user mode may read; how many
 * instructions it takes is known where that counts them exactly.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/utsname.h>
#include <time.h>

#include <coroprof/coroprof.h>

#include "conserve.h"
#include "tap.h"

#define NR_SLOTS 65536u
#define ROUNDS 400
#define WAKERS 3u
#define WAKES 2000u
/* In the general case it takes more than 200 instructions more. */
#define MORE_MAX 50
/*
 * A thread's own clock may run 500 ppm off for a millisecond, and is late by as long as it takes to
 * read one.
 */
#define OFF_MAX 500u
#define READING_MAX 500u

/*
 * Each slice that was woken, in turn, and whether the slice before it has the time of its wake; and
 * the fewest instructions of a slice of a coroutine.
 */
static struct coroprof_slice_woken woken[WAKERS * WAKES + ROUNDS];
static bool in_the_one_before[WAKERS * WAKES + ROUNDS];
static unsigned int nr_woken;
static __u64 least, before_began, before_ended;

static void each(struct reader *reader, const struct slice *slice)
{
	__u64 began = before_began, ended = before_ended;

	(void)reader;
	before_ended = slice->record->time;
	before_began = before_ended - slice->record->duration;
	if (slice->record->id & COROPROF_ID_THREAD)
		return;
	if (slice->woken && nr_woken < sizeof(woken) / sizeof(woken[0])) {
		in_the_one_before[nr_woken] = slice->woken->wake_time >= began &&
					      slice->woken->wake_time <= ended;
		woken[nr_woken++] = *slice->woken;
	}
	if (!(slice->record->flags & ~COROPROF_SLICE_WOKEN) && slice->count[0] < least)
		least = slice->count[0];
}

static coroprof_co co[3];
static struct { __u64 from, to; } at[ROUNDS];

static __u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static bool is_near(__u64 time, __u64 from, __u64 to)
{
	return time + OFF_MAX + READING_MAX >= from && time <= to + OFF_MAX;
}

enum rounds { PLAIN, WAKES_ANOTHER, WAKES_NEXT };

static void go_round(enum rounds what)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		if (what == WAKES_NEXT)
			coroprof_wake(co[i % 2]);
		else if (what == WAKES_ANOTHER)
			coroprof_wake(co[2]);
		coroprof_switch(co[i % 2]);
	}
	coroprof_switch(COROPROF_THREAD);
}

static void begin(struct reader *reader, int control)
{
	*reader = (struct reader){ .each = each, .config = { .flags = COROPROF_SESSION_USER,
			.ring_size = 4 << 20, .nr_counters = 2 } };
	reader->config.counters[0].config = PERF_COUNT_HW_INSTRUCTIONS;
	reader->config.counters[1].config = PERF_COUNT_HW_CPU_CYCLES;
	nr_woken = 0;
	least = ~0ull;
	ok(!reader_open(reader, control, NR_SLOTS) && !attach(reader->fd, getpid()) &&
	   !start(reader->fd), "recording begins");
}

static void end(struct reader *reader, const char *what)
{
	is(stop(reader->fd), 0, "%s: ends", what);
	reader_drain(reader);
	ok(!*conservation(reader), "%s: slices sum to the totals: %s", what, reader->defect);
	is(reader->logs[0].record.mode, COROPROF_MODE_USER, "%s: from user mode", what);
	reader_close(reader);
}

/* Returns the instructions of the cheapest slice. */
static __u64 measured(int control, enum rounds what, const char *name)
{
	struct reader reader;

	begin(&reader, control);
	/* The kernel hears of each coroutine once. */
	for (unsigned int i = 0; i < 3; i++)
		coroprof_switch(co[i]);
	go_round(what);
	end(&reader, name);
	return least;
}

static void takes_few_instructions(int control, bool exact)
{
	__u64 plain = measured(control, PLAIN, "not woken");
	__u64 another = measured(control, WAKES_ANOTHER, "another is woken");
	__u64 next = measured(control, WAKES_NEXT, "woken");

	ok(nr_woken >= ROUNDS, "each switch takes its wake: %u", nr_woken);
	if (!exact) {
		ok(1, "instructions # SKIP they are counted exactly on arm64 alone");
		return;
	}
	printf("# a slice takes %llu instructions, with a wake %llu, and woken %llu\n",
	       plain, another, next);
	ok(next > another && next - another <= MORE_MAX,
	   "a switch to a woken coroutine takes %llu instructions more than another",
	   next - another);
}

static void names_each(int control)
{
	unsigned int right = 0, near = 0;
	struct reader reader;

	begin(&reader, control);
	coroprof_switch(co[0]);
	coroprof_switch(co[1]);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		at[i].from = now();
		coroprof_wake(co[i % 2]);
		at[i].to = now();
		coroprof_switch(co[i % 2]);
	}
	coroprof_switch(COROPROF_THREAD);
	end(&reader, "woken by the one before");
	is(nr_woken, ROUNDS, "woken by the one before: each slice");
	for (unsigned int i = 0; i < ROUNDS; i++) {
		right += in_the_one_before[i] && woken[i].waker == coroprof_id(co[(i + 1) % 2]);
		near += is_near(woken[i].wake_time, at[i].from, at[i].to);
	}
	is(right, ROUNDS,
	   "woken by the one before: each slice has its waker, and a time of its waker's slice");
	/* One that was preempted while it read the clock is later until it reads it again. */
	ok(near >= ROUNDS * 9 / 10, "woken by the one before: at the time of the wake: %u of %u", near,
	   ROUNDS);
}

static struct waker {
	pthread_t thread;
	coroprof_co self;
	__u64 id;
	struct { __u64 from, to; bool found; } at[WAKES];
} wakers[WAKERS];
static unsigned int nr_done;

static void *wake_often(void *arg)
{
	struct waker *waker = arg;

	coroprof_switch(waker->self);
	for (unsigned int i = 0; i < WAKES; i++) {
		waker->at[i].from = now();
		coroprof_wake(co[0]);
		waker->at[i].to = now();
		if (i % 3 == 0)
			sched_yield();
	}
	coroprof_switch_done(COROPROF_THREAD);
	__atomic_fetch_add(&nr_done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* The one of that waker at that time, unless another slice has had it. */
static bool find(const struct coroprof_slice_woken *wake)
{
	for (unsigned int n = 0; n < WAKERS; n++) {
		for (unsigned int i = 0; i < WAKES && wakers[n].id == wake->waker; i++) {
			if (wakers[n].at[i].found ||
			    !is_near(wake->wake_time, wakers[n].at[i].from, wakers[n].at[i].to))
				continue;
			wakers[n].at[i].found = true;
			return true;
		}
	}
	return false;
}

static void names_each_of_many(int control)
{
	unsigned int strange = 0;
	struct reader reader;

	begin(&reader, control);
	coroprof_switch(co[0]);
	coroprof_switch(co[1]);
	for (unsigned int n = 0; n < WAKERS; n++) {
		wakers[n].self = coroprof_new(0, COROPROF_THREAD, 0);
		wakers[n].id = coroprof_id(wakers[n].self);
		pthread_create(&wakers[n].thread, NULL, wake_often, &wakers[n]);
	}
	for (unsigned int i = 0; __atomic_load_n(&nr_done, __ATOMIC_ACQUIRE) < WAKERS; i++) {
		coroprof_switch(co[0]);
		coroprof_switch(co[1]);
		if (i % 16 == 0) {
			reader_drain(&reader);
			sched_yield();
		}
	}
	for (unsigned int n = 0; n < WAKERS; n++)
		pthread_join(wakers[n].thread, NULL);
	coroprof_switch(co[0]);
	coroprof_switch(COROPROF_THREAD);
	end(&reader, "woken by many");
	for (unsigned int i = 0; i < nr_woken; i++)
		strange += !find(&woken[i]);
	ok(nr_woken >= 1, "woken by many: %u slices", nr_woken);
	is(strange, 0,
	   "woken by many: each slice has the time and waker of one wake, and each wake one slice");
}

/* Where the kernel has a switch for it. */
static void permission(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1", 1) != 1)
		perror(path);
	if (fd >= 0)
		close(fd);
}

int main(void)
{
	int control = open_control();
	struct utsname name;

	uname(&name);
	permission("/proc/sys/kernel/perf_user_access");
	permission("/sys/bus/event_source/devices/cpu/rdpmc");
	if (control < 0 || coroprof_status()) {
		printf("1..0 # SKIP no module here\n");
		return 0;
	}
	for (unsigned int i = 0; i < 3; i++)
		co[i] = coroprof_new(coroprof_label("woken"), COROPROF_THREAD, 0);
	names_each(control);
	names_each_of_many(control);
	takes_few_instructions(control, name.machine[0] == 'a');
	return tap_done();
}
