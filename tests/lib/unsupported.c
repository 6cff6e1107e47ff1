// SPDX-License-Identifier: GPL-2.0
/*
 * Switches and spans from user mode where the machine lacks some of the counters, at any
 * position, and where one is the program's own: the records say so, and the switch takes
 * fewer instructions than with as many of the machine's. For a guest with the module and a
 * PMU that counts instructions exactly, but no cache misses.
 */
#define _GNU_SOURCE
#include <time.h>

#include <coroprof/coroprof.h>

#include "conserve.h"
#include "tap.h"

#define SWITCHES 500
#define SPANS 50
#define NR_SLOTS (1u << 20)
#define COUNTERS 4u
#define NONE COROPROF_COUNTERS_MAX
/* The program counts so many in each slice and each span, or a multiple of that. */
#define OWN 3u

/**
 * struct seen - what the slices of a recording said
 * @nr:     how many counters there are
 * @absent: a bit for each that is UNSUPPORTED
 * @own:    which is the program's own, or NONE
 * @fast:   slices without details
 * @wrong:  slices whose counts or standing are not what they should be
 * @least:  instructions in the slice with the fewest
 */
static struct seen {
	unsigned int nr;
	unsigned int absent;
	unsigned int own;
	unsigned int fast;
	unsigned int wrong;
	__u64 least;
} seen;

static bool is_absent(unsigned int i)
{
	return seen.absent >> i & 1;
}

/* The first counter of the machine's that there is counts instructions. */
static unsigned int instructions_at(void)
{
	unsigned int others = seen.own == NONE ? 0 : 1u << seen.own;

	return __builtin_ctz(~(seen.absent | others));
}

static struct coroprof_counter counter_of(unsigned int i)
{
	if (i == seen.own)
		return (struct coroprof_counter){ .type = COROPROF_TYPE_PROGRAM };
	if (is_absent(i))
		return (struct coroprof_counter){ .config = PERF_COUNT_HW_CACHE_MISSES };
	return (struct coroprof_counter){ .config = i == instructions_at() ?
				PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES };
}

static bool count_right(unsigned int i, __u64 count)
{
	return count && (i != seen.own || count % OWN == 0);
}

static bool right(const struct slice *slice, unsigned int i)
{
	unsigned int standing = COROPROF_STANDING(slice->record->standing, i);

	return is_absent(i) ? standing == COROPROF_STANDING_UNSUPPORTED && !slice->count[i] :
			      standing == COROPROF_STANDING_COUNTED &&
				      count_right(i, slice->count[i]);
}

static void each(struct reader *reader, const struct slice *slice)
{
	(void)reader;
	/* Between coming into user mode and the first switch the thread itself counts nothing. */
	if (slice->record->flags || slice->record->id & COROPROF_ID_THREAD)
		return;
	seen.fast++;
	for (unsigned int i = 0; i < seen.nr; i++)
		seen.wrong += !right(slice, i);
	if (instructions_at() < seen.nr && slice->count[instructions_at()] < seen.least)
		seen.least = slice->count[instructions_at()];
}

/* The last begins fast, and ends where its thread was off the CPU meanwhile. */
static void spans(void)
{
	for (unsigned int i = 0; i < SPANS; i++) {
		coroprof_span_begin(0);
		coroprof_count(OWN);
		if (i == SPANS - 1)
			nanosleep(&(struct timespec){ .tv_nsec = 1 }, NULL);
		coroprof_span_end();
	}
}

static bool span_right(const struct log *log)
{
	unsigned int wrong = log->spans != SPANS;

	for (unsigned int i = 0; i < seen.nr; i++) {
		unsigned int standing = COROPROF_STANDING(log->last_span.standing, i);

		if (is_absent(i))
			wrong += standing != COROPROF_STANDING_UNSUPPORTED || log->last_span_count[i];
		else
			wrong += standing == COROPROF_STANDING_UNSUPPORTED ||
				 !count_right(i, log->last_span_count[i]);
	}
	return !wrong;
}

/* Returns how the thread switched, COROPROF_MODE_*, or a negative errno. */
static int record(int control, unsigned int nr, unsigned int absent, unsigned int own)
{
	struct reader reader = { .each = each, .config = { .flags = COROPROF_SESSION_USER,
			.ring_size = 1 << 20, .nr_counters = nr } };
	static coroprof_co co[2];
	int ret;

	seen = (struct seen){ .nr = nr, .absent = absent, .own = own, .least = ~0ull };
	for (unsigned int i = 0; i < nr; i++)
		reader.config.counters[i] = counter_of(i);
	for (unsigned int i = 0; i < 2 && !co[i]; i++)
		co[i] = coroprof_new(coroprof_label("switched"), COROPROF_THREAD, 0);
	coroprof_switch(COROPROF_THREAD);
	ret = reader_open(&reader, control, NR_SLOTS);
	if (!ret)
		ret = attach(reader.fd, getpid());
	if (!ret)
		ret = start(reader.fd);
	for (unsigned int i = 0; i < SWITCHES && !ret; i++) {
		coroprof_switch(co[i % 2]);
		coroprof_count(OWN);
	}
	if (!ret)
		spans();
	if (!ret)
		ret = stop(reader.fd);
	reader_drain(&reader);
	ok(span_right(&reader.logs[0]),
	   "spans have counts of what is supported, and 0 of what is not");
	ok(!*conservation(&reader), "slices sum to what the thread counted: %s", reader.defect);
	if (!ret)
		ret = reader.nr_logs == 1 ? reader.logs[0].record.mode : -ENODATA;
	reader_close(&reader);
	return ret;
}

/* Returns the instructions of the cheapest slice. */
static __u64 recorded(int control, unsigned int nr, unsigned int absent, unsigned int own)
{
	is(record(control, nr, absent, own), COROPROF_MODE_USER,
	   "%u counters, absent %#x, the program's %u: the thread switches from user mode", nr,
	   absent, own);
	ok(seen.fast > SWITCHES / 2, "most slices are fast: %u", seen.fast);
	is(seen.wrong, 0, "absent counters are 0 and UNSUPPORTED, the others are COUNTED");
	return seen.least;
}

/* @all: with as many, all of the machine's */
static void recorded_for_less(int control, unsigned int nr, unsigned int absent,
			      unsigned int own, __u64 all)
{
	__u64 some = recorded(control, nr, absent, own);

	if (instructions_at() < nr)
		ok(some < all, "the switch takes %llu instructions, with all %llu", some, all);
}

int main(void)
{
	int control = open_control();
	__u64 all;

	if (control < 0 || coroprof_status()) {
		printf("1..0 # SKIP no module here\n");
		return 0;
	}
	for (unsigned int nr = 1; nr <= COUNTERS; nr++) {
		all = recorded(control, nr, 0, NONE);
		for (unsigned int absent = 1; absent < 1u << nr; absent++)
			recorded_for_less(control, nr, absent, NONE, all);
		for (unsigned int absent = 0; absent < 1u << (nr - 1); absent++)
			recorded_for_less(control, nr, absent, nr - 1, all);
	}
	/* More than the fast path knows, and the program's own where it does not look for it. */
	recorded(control, COUNTERS + 2, 0, NONE);
	recorded(control, COUNTERS + 2, 0x15, NONE);
	recorded(control, COUNTERS + 2, 0, COUNTERS + 1);
	recorded(control, COUNTERS, 0x4, 0);
	return tap_done();
}
