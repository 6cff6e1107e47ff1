// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a span is what lies between two totals of a coroutine: its own
 * running time and counts wherever it ran meanwhile, and all of the time that
 * passed; and that a ring that is full says how many spans it has not told.
 */
#include "kselftest_harness.h"

#include <poll.h>

#include "conserve.h"
#include "program.h"
#include "require.h"

#define NR_SLOTS	16U
#define A		2U
#define B		3U
#define LABEL		77U
#define DEPTH		5U

/* The second one no machine has. */
static const struct coroprof_counter counters[] = {
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	{ .type = PERF_TYPE_SOFTWARE, .config = 0x7fff },
};

FIXTURE(span)
{
	struct program program;
	struct reader reader;
	int channel;
	struct log *log;
};

FIXTURE_SETUP(span)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->reader.config.ring_size = page_size();
	self->reader.config.nr_counters = ARRAY_SIZE(counters);
	memcpy(self->reader.config.counters, counters, sizeof(counters));
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_EQ(0, switch_to(self->channel, A));
	reader_drain(&self->reader);
	ASSERT_STREQ("", self->reader.defect);
	ASSERT_EQ(1, self->reader.nr_logs);
	self->log = &self->reader.logs[0];
}

FIXTURE_TEARDOWN(span)
{
	close(self->channel);
	reader_close(&self->reader);
	program_close(&self->program);
}

static void settle(struct __test_metadata *_metadata, FIXTURE_DATA(span) *self)
{
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
}

/* Once, so that what the calls themselves touch has been there before. */
static void rehearse(struct __test_metadata *_metadata, FIXTURE_DATA(span) *self)
{
	struct coroprof_span span;

	ASSERT_EQ(0, begin_span(self->channel, &span));
	fault_pages(1);
	spin_wall(1);
	ASSERT_EQ(0, end_span(self->channel, &span));
}

TEST_F(span, within_a_slice)
{
	const struct coroprof_record_span *record = &self->log->last_span;
	struct coroprof_span span;
	__u64 before, after;

	rehearse(_metadata, self);
	ASSERT_EQ(0, begin_span(self->channel, &span));
	span.label = LABEL;
	span.depth = DEPTH;
	fault_pages(3);
	spin_wall(1000000);
	before = wall_ns();
	ASSERT_EQ(0, end_span(self->channel, &span));
	after = wall_ns();
	reader_drain(&self->reader);
	ASSERT_EQ(2, self->log->spans);
	EXPECT_EQ(LABEL, record->label);
	EXPECT_EQ(DEPTH, record->depth);
	EXPECT_EQ(A, record->slot);
	EXPECT_EQ(ID_OF(A), record->id);
	EXPECT_EQ(span.time, record->time - record->duration);
	EXPECT_LE(before, record->time);
	EXPECT_GE(after, record->time);
	EXPECT_LE(1000000, record->duration);
	EXPECT_GE(record->duration, record->running_ns);
	EXPECT_EQ(3, self->log->last_span_count[0]);
	EXPECT_EQ(COROPROF_STANDING_COUNTED, COROPROF_STANDING(record->standing, 0));
	EXPECT_EQ(COROPROF_STANDING_UNSUPPORTED, COROPROF_STANDING(record->standing, 1));
	EXPECT_EQ(0, self->log->last_span_count[1]);
	settle(_metadata, self);
}

/* What another coroutine does meanwhile takes time, and nothing else. */
TEST_F(span, across_a_switch)
{
	const struct coroprof_record_span *record = &self->log->last_span;
	struct coroprof_span span;

	rehearse(_metadata, self);
	ASSERT_EQ(0, begin_span(self->channel, &span));
	fault_pages(2);
	ASSERT_EQ(0, switch_to(self->channel, B));
	fault_pages(7);
	spin_wall(20000000);
	ASSERT_EQ(0, switch_to(self->channel, A));
	fault_pages(2);
	ASSERT_EQ(0, end_span(self->channel, &span));
	settle(_metadata, self);
	EXPECT_EQ(4, self->log->last_span_count[0]);
	EXPECT_LE(20000000, record->duration);
	EXPECT_GE(record->duration - 20000000, record->running_ns);
}

/* A thread that sleeps in a span does not run. On a slow machine it runs for long before it sleeps. */
TEST_F(span, asleep)
{
	const struct coroprof_record_span *record = &self->log->last_span;
	struct coroprof_span span;
	__u64 ms;

	for (ms = 20; ms < 20000; ms *= 2) {
		ASSERT_EQ(0, begin_span(self->channel, &span));
		sleep_ms(ms);
		ASSERT_EQ(0, end_span(self->channel, &span));
		reader_drain(&self->reader);
		ASSERT_LE(ms * 1000000, record->duration);
		if (record->running_ns <= record->duration / 2)
			break;
	}
	EXPECT_GE(record->duration / 2, record->running_ns);
	settle(_metadata, self);
}

struct mover {
	struct program *program;
	const struct coroprof_span *span;
	int err;
};

static void *end_elsewhere(void *arg)
{
	struct mover *mover = arg;
	int channel = join(mover->program->process, B);

	mover->err = channel < 0 ? channel : switch_to(channel, B);
	fault_pages(9);
	mover->err = mover->err ?: switch_to(channel, A);
	fault_pages(2);
	mover->err = mover->err ?: end_span(channel, mover->span);
	mover->err = mover->err ?: switch_to(channel, B) ?: leave(channel);
	return NULL;
}

/* Begun on one thread, ended on another: the figures are the coroutine's. */
TEST_F(span, moves_to_another_thread)
{
	struct coroprof_span span;
	struct mover mover = { &self->program, &span, 0 };
	const struct log *log;

	rehearse(_metadata, self);
	ASSERT_EQ(0, begin_span(self->channel, &span));
	span.label = LABEL;
	fault_pages(3);
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	pthread_join(run_thread(end_elsewhere, &mover), NULL);
	ASSERT_EQ(0, mover.err);
	settle(_metadata, self);
	ASSERT_EQ(2, self->reader.nr_logs);
	log = &self->reader.logs[1];
	ASSERT_EQ(1, log->spans);
	EXPECT_EQ(LABEL, log->last_span.label);
	EXPECT_EQ(ID_OF(A), log->last_span.id);
	EXPECT_EQ(span.time, log->last_span.time - log->last_span.duration);
	/* The new thread's own first steps in A touch a page or two. */
	EXPECT_LE(5, log->last_span_count[0]);
	EXPECT_GE(5 + 3, log->last_span_count[0]);
}

/* Of a counter that was missing, as far as the figures it began with say. */
static __u32 standing_if_missing(struct __test_metadata *_metadata, FIXTURE_DATA(span) *self,
				 __u64 missing)
{
	struct coroprof_span span;

	ASSERT_EQ(0, begin_span(self->channel, &span));
	spin_wall(1000000);
	span.missing_ns[0] -= missing;
	span.missing_ns[1] -= missing;
	ASSERT_EQ(0, end_span(self->channel, &span));
	reader_drain(&self->reader);
	EXPECT_STREQ("", self->reader.defect);
	EXPECT_EQ(COROPROF_STANDING_UNSUPPORTED,
		  COROPROF_STANDING(self->log->last_span.standing, 1));
	EXPECT_EQ(0, self->log->last_span_missing_ns[1]);
	return COROPROF_STANDING(self->log->last_span.standing, 0);
}

TEST_F(span, standing)
{
	const struct coroprof_record_span *record = &self->log->last_span;

	EXPECT_EQ(COROPROF_STANDING_COUNTED, standing_if_missing(_metadata, self, 0));
	EXPECT_EQ(0, record->flags);
	EXPECT_EQ(COROPROF_STANDING_SCALED, standing_if_missing(_metadata, self, 1));
	EXPECT_EQ(COROPROF_SPAN_SCALED, record->flags);
	EXPECT_EQ(1, self->log->last_span_missing_ns[0]);
	EXPECT_EQ(COROPROF_STANDING_NOT_SCHEDULED,
		  standing_if_missing(_metadata, self, 1ULL << 40));
	EXPECT_EQ(record->running_ns, self->log->last_span_missing_ns[0]);
	EXPECT_EQ(COROPROF_STANDING_COUNTED, standing_if_missing(_metadata, self, -1ULL));
	settle(_metadata, self);
}

/* Figures that lie ahead of all that was: nonsense, but not more than that. */
TEST_F(span, absurd)
{
	struct coroprof_span span;

	memset(&span, 0xff, sizeof(span));
	span.size = sizeof(span);
	span.flags = 0;
	ASSERT_EQ(0, end_span(self->channel, &span));
	reader_drain(&self->reader);
	EXPECT_EQ(0, self->log->last_span.duration);
	EXPECT_EQ(0, self->log->last_span.running_ns);
	EXPECT_EQ(~0U, self->log->last_span.label);
	settle(_metadata, self);
}

static int end_on_other_thread(void *arg)
{
	struct coroprof_span span = { .size = sizeof(span) };

	return end_span(*(int *)arg, &span);
}

TEST_F(span, errors)
{
	struct coroprof_span span;

	ASSERT_EQ(0, begin_span(self->channel, &span));
	EXPECT_EQ(-EPERM, on_thread(end_on_other_thread, &self->channel));
	settle(_metadata, self);
	EXPECT_EQ(-ENODATA, end_span(self->channel, &span));
	ASSERT_EQ(0, leave(self->channel));
	EXPECT_EQ(-EPERM, end_span(self->channel, &span));
	EXPECT_EQ(0, self->log->spans);
}

/* To count by oneself is not to be recorded. */
TEST_F(span, nobody_records)
{
	struct coroprof_span span;
	int channel;

	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, leave(self->channel));
	channel = join_counting(self->program.process, THREAD_SLOT, counters, 1);
	ASSERT_LE(0, channel);
	ASSERT_EQ(0, begin_span(channel, &span));
	EXPECT_EQ(-ENODATA, end_span(channel, &span));
	close(channel);
}

static void spans(struct __test_metadata *_metadata, FIXTURE_DATA(span) *self,
		  unsigned int times)
{
	struct coroprof_span span;

	ASSERT_EQ(0, begin_span(self->channel, &span));
	while (times--)
		ASSERT_EQ(0, end_span(self->channel, &span));
}

/* A ring full of spans: each is there, or told as lost, and no slice is missed. */
TEST_F(span, lost)
{
	const unsigned int rounds = 5, times = 200;
	struct coroprof_channel_status status;
	unsigned int i;

	for (i = 1; i <= rounds; i++) {
		spans(_metadata, self, times);
		reader_drain(&self->reader);
		ASSERT_EQ(0, switch_to(self->channel, i % 2 ? B : A));
		reader_drain(&self->reader);
		ASSERT_STREQ("", self->reader.defect);
		EXPECT_EQ(i * times, self->log->spans + self->log->spans_lost);
	}
	EXPECT_LT(0, self->log->spans_lost);
	EXPECT_LT(0, self->log->spans);
	EXPECT_EQ(0, self->log->producer->lost);
	settle(_metadata, self);
	ASSERT_EQ(0, channel_status(self->reader.fd, self->log->record.channel_id, &status));
	EXPECT_EQ(0, status.lost);
	EXPECT_EQ(status.slices, self->log->sums.slices);
}

/* Slices and spans lost together, told together. */
TEST_F(span, lost_with_slices)
{
	unsigned int i;

	for (i = 0; i < 300; i++) {
		spans(_metadata, self, 1);
		ASSERT_EQ(0, switch_to(self->channel, i % 2 ? A : B));
	}
	EXPECT_LT(0, self->log->producer->lost);
	reader_drain(&self->reader);
	ASSERT_EQ(0, switch_to(self->channel, A));
	settle(_metadata, self);
	EXPECT_EQ(300, self->log->spans + self->log->spans_lost);
	EXPECT_LT(0, self->log->spans_lost);
	EXPECT_EQ(self->log->producer->lost, self->log->lost);
}

static int readable(int fd, int ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, ms);
}

/* Spans alone wake the reader. */
TEST_F(span, watermark)
{
	EXPECT_EQ(0, readable(self->reader.fd, 0));
	spans(_metadata, self, self->reader.config.watermark /
	      sizeof(struct coroprof_record_span) + 1);
	EXPECT_EQ(1, readable(self->reader.fd, PATIENCE_MS));
	settle(_metadata, self);
}

TEST_HARNESS_MAIN
