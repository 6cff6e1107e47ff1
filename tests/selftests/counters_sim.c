// SPDX-License-Identifier: GPL-2.0
/*
 * Proves, on a PMU that counts what it is told to, that hardware counts reach
 * the right coroutine to the count, and that a counter that was not on the PMU
 * all the time is never taken for one that was. Needs coroprof_simpmu.
 */
#include "kselftest_harness.h"

#include "conserve.h"
#include "program.h"
#include "require.h"
#include "samples.h"

#define SIMPMU		"/dev/coroprof_simpmu"
#define SIMPMU_COUNTERS	"/sys/module/coroprof_simpmu/parameters/counters"
#define NR_SLOTS	16U
#define A		4U
#define B		5U

__attribute__((constructor))
static void require_simpmu(void)
{
	if (!access(SIMPMU, W_OK))
		return;
	ksft_print_header();
	ksft_exit_skip("no %s: run 'insmod coroprof_simpmu.ko', on a machine without a PMU\n",
		       SIMPMU);
}

FIXTURE(sim)
{
	struct program program;
	struct reader reader;
	int channel;
};

static int simpmu = -1;

/* The hardware counts, in user mode, as if the calling thread had done it. */
static void happen(const char *events)
{
	if (write(simpmu, events, strlen(events)) != (ssize_t)strlen(events)) {
		perror(SIMPMU);
		abort();
	}
}

static void set_hardware_counters(const char *number)
{
	int fd = open(SIMPMU_COUNTERS, O_WRONLY);

	if (fd < 0 || write(fd, number, strlen(number)) < 0) {
		perror(SIMPMU_COUNTERS);
		abort();
	}
	close(fd);
}

FIXTURE_SETUP(sim)
{
	simpmu = open(SIMPMU, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, simpmu);
	set_hardware_counters("4");
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->channel = -1;
	self->reader.fd = -1;
}

FIXTURE_TEARDOWN(sim)
{
	set_hardware_counters("4");
	close(self->channel);
	reader_close(&self->reader);
	program_close(&self->program);
}

static void count(struct __test_metadata *_metadata, FIXTURE_DATA(sim) *self,
		  const struct coroprof_counter *counters, unsigned int nr)
{
	self->reader.config.nr_counters = nr;
	memcpy(self->reader.config.counters, counters, nr * sizeof(*counters));
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
}

/* Likewise, with the test's own thread as the only one. */
static void count_here(struct __test_metadata *_metadata, FIXTURE_DATA(sim) *self,
		       const struct coroprof_counter *counters, unsigned int nr)
{
	count(_metadata, self, counters, nr);
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
}

static void settle(struct __test_metadata *_metadata, FIXTURE_DATA(sim) *self)
{
	__u32 slot;

	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	for (slot = A; slot <= B; slot++)
		conserve_slot(&self->reader, slot, &self->program.slots[slot],
			      self->reader.config.nr_counters);
	EXPECT_STREQ("", self->reader.defect);
}

#define EXPECT_STANDING(expected, word, n) \
	EXPECT_EQ(COROPROF_STANDING_##expected, COROPROF_STANDING(word, n))

#define HARDWARE(event)	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##event }
#define RAW(number)	{ .type = PERF_TYPE_RAW, .config = (number) }

static const struct coroprof_counter common[3] = {
	HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS), HARDWARE(CACHE_MISSES),
};

TEST_F(sim, exact_counts)
{
	struct coroprof_slot *a = &self->program.slots[A], *b = &self->program.slots[B];
	unsigned int i, n;

	count_here(_metadata, self, common, 3);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, switch_to(self->channel, A | (i ? 0 : COROPROF_SWITCH_FRESH)));
		happen("cycles 1000 instructions 700 cache-misses 3");
		happen("cycles 1");
		ASSERT_EQ(0, switch_to(self->channel, B | (i ? 0 : COROPROF_SWITCH_FRESH)));
		happen("cache-misses 100000 cycles 123456789012");
	}
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	settle(_metadata, self);
	EXPECT_EQ(50 * 1001, a->count[0]);
	EXPECT_EQ(50 * 700, a->count[1]);
	EXPECT_EQ(50 * 3, a->count[2]);
	EXPECT_EQ(50 * 123456789012, b->count[0]);
	EXPECT_EQ(0, b->count[1]);
	EXPECT_EQ(50 * 100000, b->count[2]);
	for (n = 0; n < 3; n++) {
		EXPECT_STANDING(COUNTED, a->standing, n);
		EXPECT_STANDING(COUNTED, b->standing, n);
		EXPECT_EQ(0, a->missing_ns[n]);
	}
	EXPECT_EQ(0, self->reader.slots[THREAD_SLOT].count[2]);
}

/* Totals up to now, in the middle of a slice. */
TEST_F(sim, read_is_exact)
{
	struct coroprof_totals totals;

	count_here(_metadata, self, common, 3);
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	happen("cache-misses 5");
	ASSERT_EQ(0, read_totals(self->channel, &totals));
	EXPECT_EQ(5, totals.count[2]);
	EXPECT_STANDING(COUNTED, totals.standing, 2);
	happen("cache-misses 6");
	ASSERT_EQ(0, read_totals(self->channel, &totals));
	EXPECT_EQ(11, totals.count[2]);
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	settle(_metadata, self);
	EXPECT_EQ(11, self->program.slots[A].count[2]);
}

TEST_F(sim, kernel_mode_is_excluded_unless_asked_for)
{
	struct coroprof_counter counters[2] = { HARDWARE(CACHE_MISSES), HARDWARE(CACHE_MISSES) };

	counters[1].flags = COROPROF_COUNTER_KERNEL;
	count_here(_metadata, self, counters, 2);
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	happen("cache-misses 7 cache-misses:k 100");
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	settle(_metadata, self);
	EXPECT_EQ(7, self->program.slots[A].count[0]);
	EXPECT_EQ(107, self->program.slots[A].count[1]);
}

TEST_F(sim, unsupported_beside_supported)
{
	const struct coroprof_counter counters[2] = {
		HARDWARE(BUS_CYCLES), HARDWARE(CACHE_MISSES),
	};
	struct coroprof_slot *a = &self->program.slots[A];

	count_here(_metadata, self, counters, 2);
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	happen("cache-misses 9");
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	settle(_metadata, self);
	EXPECT_STANDING(UNSUPPORTED, a->standing, 0);
	EXPECT_EQ(0, a->count[0]);
	EXPECT_STANDING(COUNTED, a->standing, 1);
	EXPECT_EQ(9, a->count[1]);
	EXPECT_EQ(ENOENT, self->reader.logs[0].counters[0].error);
	EXPECT_EQ(0, self->reader.logs[0].counters[1].error);
}

/* Two threads on two CPUs hand coroutine A to each other. */
#define HANDOVERS	300U

struct runner {
	struct program *program;
	struct turns *turns;
	unsigned int side;
	int err;
};

static void *run_side(void *arg)
{
	struct runner *runner = arg;
	__u32 own = THREAD_SLOT + runner->side;
	unsigned int turn;
	int channel;

	pin_to(runner->side % nr_cpus());
	channel = join(runner->program->process, own);
	runner->err = channel < 0 ? channel : 0;
	for (turn = runner->side; turn < HANDOVERS; turn += 2) {
		turns_wait(runner->turns, runner->side);
		runner->err = runner->err ?:
			switch_to(channel, A | (turn ? 0 : COROPROF_SWITCH_FRESH));
		happen("cache-misses 10");
		sched_yield();
		happen(runner->side ? "cache-misses 1" : "cache-misses 2");
		runner->err = runner->err ?: switch_to(channel, own);
		happen("cache-misses 1000");
		turns_pass(runner->turns, runner->side);
	}
	leave(channel);
	return NULL;
}

TEST_F(sim, follows_the_coroutine_to_another_thread)
{
	struct coroprof_slot *slots = self->program.slots;
	struct runner runners[2];
	pthread_t threads[2];
	struct turns turns;
	unsigned int i;

	ASSERT_EQ(0, turns_begin(&turns));
	count(_metadata, self, common, 3);
	for (i = 0; i < 2; i++) {
		runners[i] = (struct runner){ &self->program, &turns, i, 0 };
		threads[i] = run_thread(run_side, &runners[i]);
	}
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		ASSERT_EQ(0, runners[i].err);
	}
	settle(_metadata, self);
	EXPECT_EQ(HANDOVERS, slots[A].slices);
	EXPECT_EQ(HANDOVERS / 2 * (12 + 11), slots[A].count[2]);
	EXPECT_STANDING(COUNTED, slots[A].standing, 2);
	EXPECT_EQ(HANDOVERS / 2 * 1000, slots[THREAD_SLOT].count[2]);
	EXPECT_EQ(HANDOVERS / 2 * 1000, slots[THREAD_SLOT + 1].count[2]);
}

/* Four events for two counters. */
static const struct coroprof_counter crowd[4] = { RAW(1), RAW(2), RAW(3), RAW(4) };

#define CROWD_HAPPENS	"r1 10 r2 10 r3 10 r4 10"

/* What it would have counted all the time, as perf would scale it. */
static double scaled(const struct coroprof_slot *a, unsigned int i)
{
	return a->count[i] * (double)a->running_ns / (a->running_ns - a->missing_ns[i]);
}

/* Scaling takes events for evenly spread over the time. */
static bool all_scaled_near(const struct coroprof_slot *a, __u64 happened)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (scaled(a, i) <= happened * 0.75 || scaled(a, i) >= happened * 1.25)
			return false;
	return true;
}

/* Returns how many rounds of them there were in A. */
static __u64 crowd_for(__u64 ns, int channel)
{
	__u64 rounds = 0, until;

	switch_to(channel, A);
	for (until = wall_ns() + ns; wall_ns() < until; rounds++)
		happen(CROWD_HAPPENS);
	switch_to(channel, THREAD_SLOT);
	return rounds;
}

TEST_F_TIMEOUT(sim, multiplexed_is_scaled, 120)
{
	struct coroprof_slot *a = &self->program.slots[A];
	__u64 rounds = 0, counted = 0;
	double sum = 0;
	unsigned int i;

	set_hardware_counters("2");
	count_here(_metadata, self, crowd, 4);
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	/* On a busy host they do not come evenly, which more turns of the events even out. */
	for (i = 0; i < 10 && !(i && all_scaled_near(a, rounds * 10)); i++)
		rounds += crowd_for(4000000000, self->channel);
	settle(_metadata, self);
	for (i = 0; i < 4; i++) {
		double share = 1 - (double)a->missing_ns[i] / a->running_ns;

		EXPECT_STANDING(SCALED, a->standing, i);
		EXPECT_LT(0, a->count[i]);
		EXPECT_GT(rounds * 10, a->count[i]);
		EXPECT_LT(0, a->missing_ns[i]);
		EXPECT_GT(a->running_ns, a->missing_ns[i]);
		counted += a->count[i];
		sum += share;
	}
	EXPECT_TRUE(all_scaled_near(a, rounds * 10));
	/* Whichever two of the four were on the PMU, they counted. */
	EXPECT_LT(rounds * 20 * 0.99, counted);
	EXPECT_GE(rounds * 20, counted);
	/* Two counters were there to be shared, and nobody else wanted them. */
	EXPECT_LT(1.9, sum);
	EXPECT_GT(2.01, sum);
}

/* What each slice of A claims, against the ten that happened in it. */
static unsigned int seen[4];

static void judge(struct reader *reader, const struct slice *slice)
{
	unsigned int i;

	if (slice->record->slot != A)
		return;
	for (i = 0; i < 4; i++) {
		__u32 standing = COROPROF_STANDING(slice->record->standing, i);
		__u64 missing = slice->missing_ns ? slice->missing_ns[i] : 0;
		__u64 counted = slice->count[i];

		seen[standing]++;
		if (standing == COROPROF_STANDING_UNSUPPORTED ||
		    (standing == COROPROF_STANDING_COUNTED && (counted != 10 || missing)) ||
		    (standing == COROPROF_STANDING_NOT_SCHEDULED && counted) ||
		    (standing == COROPROF_STANDING_SCALED && counted > 10) ||
		    missing > slice->record->duration)
			defect(reader, "counter %u of a slice of %llu ns: standing %u, count %llu of 10, missing %llu ns",
			       i, slice->record->duration, standing, counted, missing);
	}
}

TEST_F(sim, every_slice_tells_its_standing)
{
	unsigned int rounds;
	__u64 until;

	set_hardware_counters("2");
	self->reader.each = judge;
	self->reader.config.ring_size = 1 << 24;
	count_here(_metadata, self, crowd, 4);
	ASSERT_EQ(0, switch_to(self->channel, B | COROPROF_SWITCH_FRESH));
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	/* Long enough for counters to take turns, and for enough slices on a busy machine. */
	until = wall_ns() + 500000000;
	for (rounds = 0; rounds < 500 || wall_ns() < until; rounds++) {
		happen(CROWD_HAPPENS);
		ASSERT_EQ(0, switch_to(self->channel, B));
		ASSERT_EQ(0, switch_to(self->channel, A));
	}
	happen(CROWD_HAPPENS);
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	settle(_metadata, self);
	EXPECT_LT(100, seen[COROPROF_STANDING_COUNTED]);
	EXPECT_LT(100, seen[COROPROF_STANDING_NOT_SCHEDULED]);
}

/* A pinned one takes the only counter, for good. */
TEST_F(sim, never_scheduled)
{
	struct coroprof_counter counters[2] = { RAW(1), RAW(2) };
	struct coroprof_slot *a = &self->program.slots[A];

	counters[0].flags = COROPROF_COUNTER_PINNED;
	set_hardware_counters("1");
	count_here(_metadata, self, counters, 2);
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	happen("r1 5 r2 5");
	spin_wall(10000000);
	sleep_ms(2);
	happen("r1 5 r2 5");
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	settle(_metadata, self);
	EXPECT_STANDING(COUNTED, a->standing, 0);
	EXPECT_EQ(10, a->count[0]);
	EXPECT_STANDING(NOT_SCHEDULED, a->standing, 1);
	EXPECT_EQ(0, a->count[1]);
	/* All of the running time is missing, but for what a read takes. */
	EXPECT_LE(a->running_ns - 200000, a->missing_ns[1]);
	EXPECT_GE(a->running_ns, a->missing_ns[1]);
}

/* perf puts a pinned event that does not fit into an error state. */
TEST_F(sim, pinned_that_does_not_fit)
{
	struct coroprof_counter counters[2] = { RAW(1), RAW(2) };
	struct coroprof_slot *slots = self->program.slots;

	counters[0].flags = COROPROF_COUNTER_PINNED;
	counters[1].flags = COROPROF_COUNTER_PINNED;
	set_hardware_counters("1");
	count_here(_metadata, self, counters, 2);
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	happen("r1 5 r2 5");
	set_hardware_counters("4");
	sleep_ms(2);
	ASSERT_EQ(0, switch_to(self->channel, B | COROPROF_SWITCH_FRESH));
	happen("r1 7 r2 7");
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	settle(_metadata, self);
	EXPECT_STANDING(COUNTED, slots[A].standing, 0);
	EXPECT_EQ(5, slots[A].count[0]);
	EXPECT_STANDING(NOT_SCHEDULED, slots[A].standing, 1);
	EXPECT_EQ(0, slots[A].count[1]);
	/* Room that comes later does not bring it back. */
	EXPECT_STANDING(COUNTED, slots[B].standing, 0);
	EXPECT_EQ(7, slots[B].count[0]);
	EXPECT_STANDING(NOT_SCHEDULED, slots[B].standing, 1);
	EXPECT_EQ(0, slots[B].count[1]);
}

/* Room that comes and goes: each slice says what it had. */
TEST_F(sim, room_that_comes_later)
{
	const struct coroprof_counter counters[1] = { RAW(1) };
	struct coroprof_slot *slots = self->program.slots;

	set_hardware_counters("0");
	count_here(_metadata, self, counters, 1);
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	happen("r1 5");
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	EXPECT_STANDING(NOT_SCHEDULED, slots[A].standing, 0);
	EXPECT_EQ(0, slots[A].count[0]);
	set_hardware_counters("4");
	sleep_ms(20);
	ASSERT_EQ(0, switch_to(self->channel, B | COROPROF_SWITCH_FRESH));
	happen("r1 6");
	ASSERT_EQ(0, switch_to(self->channel, A));
	EXPECT_STANDING(COUNTED, slots[B].standing, 0);
	EXPECT_EQ(6, slots[B].count[0]);
	EXPECT_EQ(0, slots[B].missing_ns[0]);
	happen("r1 7");
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	EXPECT_STANDING(SCALED, slots[A].standing, 0);
	EXPECT_EQ(7, slots[A].count[0]);
	settle(_metadata, self);
	EXPECT_STANDING(SCALED, slots[THREAD_SLOT].standing, 0);
}

static void count_slots(void *arg, const struct sample *sample)
{
	unsigned int *in = arg;

	in[sample->record->slot]++;
}

/* A sample whenever the sum of what happened reaches the period. */
TEST_F(sim, one_sample_for_each_period)
{
	unsigned int in[NR_SLOTS] = { 0 };
	struct samples samples = { .each = count_slots, .arg = in };

	self->reader.config.sampling.counter = common[0];
	self->reader.config.sampling.period = 1000;
	count_here(_metadata, self, common, 1);
	reader_drain(&self->reader);
	EXPECT_EQ(0, self->reader.logs[0].record.sample_error);
	ASSERT_EQ(0, samples_map(&samples, &self->reader, &self->reader.logs[0]));
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	happen("cycles 10500");
	ASSERT_EQ(0, switch_to(self->channel, B | COROPROF_SWITCH_FRESH));
	happen("cycles 499");
	samples_drain(&samples);
	EXPECT_EQ(10, in[A]);
	EXPECT_EQ(0, in[B]);
	happen("cycles 1");
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	settle(_metadata, self);
	EXPECT_STREQ("", samples_agree(&samples));
	EXPECT_EQ(10, in[A]);
	EXPECT_EQ(1, in[B]);
	samples_unmap(&samples);
}

TEST_HARNESS_MAIN
