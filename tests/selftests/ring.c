// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a ring that is not drained loses slices and says how many, that
 * the totals are exact all the same, and that no tail a reader may write
 * breaks anything but that reader's own view.
 */
#include "kselftest_harness.h"

#include "conserve.h"
#include "program.h"
#include "require.h"

#define NR_SLOTS	16U
#define A		2U
#define B		3U

FIXTURE(ring)
{
	struct program program;
	struct reader reader;
	int channel;
	struct log *log;
};

/* Two switches, so that the ring is there and has something in it. */
FIXTURE_SETUP(ring)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->reader.config.ring_size = page_size();
	self->reader.config.nr_counters = 1;
	self->reader.config.counters[0].type = PERF_TYPE_SOFTWARE;
	self->reader.config.counters[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_EQ(0, switch_to(self->channel, A));
	ASSERT_EQ(0, switch_to(self->channel, B));
	reader_drain(&self->reader);
	ASSERT_STREQ("", self->reader.defect);
	ASSERT_EQ(1, self->reader.nr_logs);
	self->log = &self->reader.logs[0];
}

FIXTURE_TEARDOWN(ring)
{
	close(self->channel);
	reader_close(&self->reader);
	program_close(&self->program);
}

static void switch_times(struct __test_metadata *_metadata, FIXTURE_DATA(ring) *self,
			 unsigned int times)
{
	while (times--)
		ASSERT_EQ(0, switch_to(self->channel, times % 2 ? A : B));
}

/* The slots began at zero with the recording, so all of it must be in them. */
static void slots_hold_all(struct __test_metadata *_metadata, FIXTURE_DATA(ring) *self)
{
	const struct coroprof_slot *slots = self->program.slots;
	struct coroprof_channel_status status;
	struct sums sums = { 0 };
	__u32 i;

	ASSERT_EQ(0, channel_status(self->reader.fd, self->log->record.channel_id, &status));
	for (i = 1; i < NR_SLOTS; i++) {
		sums.slices += slots[i].slices;
		sums.running_ns += slots[i].running_ns;
		sums.preempted_ns += slots[i].preempted_ns;
		sums.blocked_ns += slots[i].blocked_ns;
		sums.count[0] += slots[i].count[0];
	}
	EXPECT_EQ(status.slices, sums.slices);
	EXPECT_EQ(status.running_ns, sums.running_ns);
	EXPECT_EQ(status.preempted_ns, sums.preempted_ns);
	EXPECT_EQ(status.blocked_ns, sums.blocked_ns);
	EXPECT_EQ(status.count[0], sums.count[0]);
}

/* Slots have 24 bits of a switch's argument, flags those above. */
TEST(flags_are_none_of_the_number)
{
	const __u32 nr = 1U << 22, high = nr - 1, other = nr / 2 + 1;
	struct reader reader = { .config = { .ring_size = 1 << 16 } };
	int control = open_control(), process, channel;
	unsigned int i;

	process = make_process(control, nr, 0);
	ASSERT_LE(0, process);
	ASSERT_EQ(0, reader_open(&reader, control, nr));
	ASSERT_EQ(0, attach(reader.fd, getpid()));
	ASSERT_EQ(0, start(reader.fd));
	channel = join(process, THREAD_SLOT);
	for (i = 0; i < 100; i++) {
		static const unsigned long flags[] = {
			0, COROPROF_SWITCH_READY, COROPROF_SWITCH_END, COROPROF_SWITCH_UNREPORTED,
			COROPROF_SWITCH_END | COROPROF_SWITCH_UNREPORTED,
		};
		static const unsigned int said[] = {
			0, COROPROF_SLICE_READY, COROPROF_SLICE_END, COROPROF_SLICE_UNREPORTED,
			COROPROF_SLICE_END | COROPROF_SLICE_UNREPORTED,
		};

		ASSERT_EQ(0, switch_to(channel, (i % 2 ? high : other) | flags[i % 5]));
		reader_drain(&reader);
		ASSERT_STREQ("", reader.defect);
		EXPECT_EQ(said[i % 5], reader.logs[0].last.flags & (COROPROF_SLICE_READY |
			  COROPROF_SLICE_END | COROPROF_SLICE_UNREPORTED | COROPROF_SLICE_FRESH |
			  COROPROF_SLICE_WOKEN));
	}
	close(channel);
	reader_close(&reader);
	close(process);
	close(control);
}

TEST_F(ring, drops_are_counted)
{
	struct coroprof_channel_status status;
	const unsigned int rounds = 50, times = 100, faults = 3;
	__u64 begin = self->log->sums.slices;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		switch_times(_metadata, self, times);
		fault_pages(faults);
	}
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, channel_status(self->reader.fd, self->log->record.channel_id, &status));
	/* Each switch ended a slice, and STOP cut one more. */
	EXPECT_EQ(begin + rounds * times + 1, status.slices);
	EXPECT_LT(0, status.lost);
	EXPECT_EQ(status.lost, self->log->producer->lost);
	EXPECT_LE(rounds * faults, status.count[0]);
	slots_hold_all(_metadata, self);
	reader_drain(&self->reader);
	EXPECT_STREQ("", self->reader.defect);
	EXPECT_EQ(status.ring_head, self->log->tail);
	/* What was lost at the very end had no room for a LOST record either. */
	EXPECT_EQ(status.slices - self->log->sums.slices, status.lost);
}

TEST_F(ring, lost_stands_before_the_next_slice)
{
	unsigned int round;
	__u64 lost = 0;

	for (round = 1; round <= 10; round++) {
		switch_times(_metadata, self, 200);
		EXPECT_LT(lost, self->log->producer->lost);
		lost = self->log->producer->lost;
		reader_drain(&self->reader);
		/* Room again: the loss is told first, then the slice. */
		switch_times(_metadata, self, 1);
		reader_drain(&self->reader);
		ASSERT_STREQ("", self->reader.defect);
		EXPECT_EQ(lost, self->log->lost);
	}
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	slots_hold_all(_metadata, self);
}

/* None is lost by a reader that keeps up. */
TEST_F(ring, nothing_is_lost_without_need)
{
	unsigned int i;

	for (i = 0; i < 500; i++) {
		switch_times(_metadata, self, 10);
		reader_drain(&self->reader);
	}
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_EQ(0, self->log->lost);
	EXPECT_EQ(0, self->log->producer->lost);
}

static void set_tail(FIXTURE_DATA(ring) *self, __u64 tail)
{
	__atomic_store_n(&self->log->consumer->tail, tail, __ATOMIC_RELEASE);
}

/*
 * A tail that can't be makes the ring full, once the room is used up that the
 * right one had left; the right one makes it whole again. (One a little too far
 * is believed, as the producer gets there: that costs the reader what it says
 * it has read.)
 */
static void tail_counts_as_full(struct __test_metadata *_metadata,
				FIXTURE_DATA(ring) *self, __u64 tail)
{
	const unsigned int enough = page_size() / sizeof(struct coroprof_record_slice) + 1;
	__u64 head, lost = self->log->producer->lost;

	set_tail(self, tail);
	switch_times(_metadata, self, enough);
	head = self->log->producer->head;
	EXPECT_LE(head, self->log->tail + page_size()) TH_LOG("tail %#llx", tail);
	EXPECT_LT(lost, self->log->producer->lost) TH_LOG("tail %#llx", tail);

	lost = self->log->producer->lost;
	switch_times(_metadata, self, 10);
	EXPECT_EQ(head, self->log->producer->head) TH_LOG("tail %#llx", tail);
	EXPECT_EQ(lost + 10, self->log->producer->lost) TH_LOG("tail %#llx", tail);

	lost = self->log->producer->lost;
	reader_drain(&self->reader);
	set_tail(self, self->log->tail);
	switch_times(_metadata, self, 1);
	reader_drain(&self->reader);
	ASSERT_STREQ("", self->reader.defect);
	EXPECT_EQ(lost, self->log->lost);
	EXPECT_EQ(self->log->tail, self->log->producer->head);
}

TEST_F(ring, hostile_tails)
{
	const __u64 size = page_size();
	unsigned int seed = 1, i;

	/* So that there is something to be far behind of. */
	for (i = 0; i < 100; i++) {
		switch_times(_metadata, self, 10);
		reader_drain(&self->reader);
	}
	ASSERT_LT(4 * size, self->log->tail);
	tail_counts_as_full(_metadata, self, self->log->tail + size + 8);
	tail_counts_as_full(_metadata, self, self->log->tail + size + 1);
	tail_counts_as_full(_metadata, self, self->log->tail + 2 * size);
	tail_counts_as_full(_metadata, self, self->log->tail - size);
	tail_counts_as_full(_metadata, self, self->log->tail - size - 8);
	tail_counts_as_full(_metadata, self, 0);
	tail_counts_as_full(_metadata, self, ~0ULL);
	tail_counts_as_full(_metadata, self, 1ULL << 63);
	tail_counts_as_full(_metadata, self, 1ULL << 32);
	for (i = 0; i < 100; i++)
		tail_counts_as_full(_metadata, self, self->log->tail + size + 1 + rand_r(&seed));
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	slots_hold_all(_metadata, self);
}

static long sum_of_numbers(const char *from)
{
	long sum = 0, number;
	char *end;

	for (;;) {
		number = strtol(from, &end, 10);
		if (end == from)
			return sum;
		sum += number;
		from = end;
	}
}

/* Interrupts on all CPUs for work of the kind that wakes readers; -1 if they are not counted. */
static long irq_works(void)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char line[4096];
	long sum = -1;

	while (file && fgets(line, sizeof(line), file)) {
		if (strchr(line, ':') && strstr(line, "IRQ work interrupts"))
			sum = sum_of_numbers(strchr(line, ':') + 1);
	}
	if (file)
		fclose(file);
	return sum;
}

TEST_F(ring, slices_that_find_a_tail_without_sense_wake_nobody)
{
	const unsigned int times = 5000;
	long before;

	if (irq_works() < 0)
		SKIP(return, "this kernel does not count interrupts for irq_work");
	set_tail(self, self->log->tail + page_size() + 8);
	switch_times(_metadata, self, 500);
	before = irq_works();
	switch_times(_metadata, self, times);
	/* The kernel has others to wake as well. */
	EXPECT_GT(times / 10, irq_works() - before);
	set_tail(self, self->log->tail);
}

struct scribbler {
	struct coroprof_ring_consumer *consumer;
	bool done;
};

static void *scribble(void *arg)
{
	struct scribbler *scribbler = arg;
	unsigned int seed = 7;

	while (!__atomic_load_n(&scribbler->done, __ATOMIC_ACQUIRE)) {
		__u64 tail = (__u64)rand_r(&seed) << (rand_r(&seed) % 40);

		__atomic_store_n(&scribbler->consumer->tail, tail, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* The data is then worth nothing to this reader; all the rest stays true. */
TEST_F(ring, tail_changes_all_the_time)
{
	struct scribbler scribbler = { .consumer = self->log->consumer };
	__u64 begin = self->log->sums.slices, until = wall_ns() + 300000000;
	struct coroprof_channel_status status;
	pthread_t thread = run_thread(scribble, &scribbler);
	unsigned int rounds = 0;

	for (; wall_ns() < until; rounds++)
		switch_times(_metadata, self, 100);
	__atomic_store_n(&scribbler.done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, channel_status(self->reader.fd, self->log->record.channel_id, &status));
	EXPECT_EQ(begin + rounds * 100 + 1, status.slices);
	EXPECT_EQ(status.lost, self->log->producer->lost);
	slots_hold_all(_metadata, self);
}

TEST_HARNESS_MAIN
