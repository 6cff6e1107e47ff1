// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a coroutine's trace stands in the ring before the slice that ends with it, as it
 * was given, whether the kernel or the thread writes it; and that one which finds the ring full
 * is refused, and leaves a LOST record.
 */
#include "kselftest_harness.h"

#include <poll.h>

#include "conserve.h"
#include "require.h"
#include "user_mode.h"

#define NR_SLOTS	16U
#define RING_SIZE	65536U
#define A		2U
#define B		3U
#define SLICES_MAX	64U

/* What had been in the ring by the end of a slice. */
struct seen {
	__u32 slot;
	__u64 end;
	__u64 traces;
	struct coroprof_record_trace last;
};

static struct seen seen[SLICES_MAX];
static unsigned int nr_seen;

static void see(struct reader *reader, const struct slice *slice)
{
	if (nr_seen < SLICES_MAX)
		seen[nr_seen++] = (struct seen){
			.slot = slice->record->slot,
			.end = slice->record->time,
			.traces = reader->logs[0].traces,
			.last = reader->logs[0].last_trace,
		};
}

FIXTURE(traces)
{
	struct program program;
	struct reader reader;
	struct switcher s;
	struct log *log;
};

FIXTURE_VARIANT(traces)
{
	bool from_user;
};

FIXTURE_VARIANT_ADD(traces, ioctl)
{
	.from_user = false,
};

FIXTURE_VARIANT_ADD(traces, user)
{
	.from_user = true,
};

FIXTURE_SETUP(traces)
{
	struct reader *reader = &self->reader;

	allow_user_access();
	nr_seen = 0;
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	reader->config.flags = COROPROF_SESSION_TRACES |
			       (variant->from_user ? COROPROF_SESSION_USER : 0);
	reader->config.ring_size = RING_SIZE;
	count_faults_and_cycles(&reader->config);
	reader->each = see;
	ASSERT_EQ(0, reader_open(reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(reader->fd, getpid()));
	ASSERT_EQ(0, start(reader->fd));
	ASSERT_LE(0, switcher_join(&self->s, &self->program, THREAD_SLOT, variant->from_user));
	ASSERT_EQ(0, switcher_switch(&self->s, A));
	reader_drain(reader);
	ASSERT_STREQ("", reader->defect);
	ASSERT_EQ(1, reader->nr_logs);
	self->log = &reader->logs[0];
}

FIXTURE_TEARDOWN(traces)
{
	switcher_close(&self->s);
	reader_close(&self->reader);
	program_close(&self->program);
}

static void settle(struct __test_metadata *_metadata, FIXTURE_DATA(traces) *self)
{
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_STREQ("", self->reader.defect);
}

static void all_bytes_are(struct __test_metadata *_metadata, const __u8 *bytes, size_t nr,
			  __u8 value)
{
	while (nr--)
		EXPECT_EQ(value, bytes[nr]);
}

static void is_trace(struct __test_metadata *_metadata, const struct seen *s, __u32 slot,
		     __u8 trace, __u8 span)
{
	EXPECT_EQ(slot, s->last.slot);
	EXPECT_EQ(ID_OF(slot), s->last.id);
	all_bytes_are(_metadata, s->last.trace_id, sizeof(s->last.trace_id), trace);
	all_bytes_are(_metadata, s->last.span_id, sizeof(s->last.span_id), span);
}

TEST_F(traces, come_before_the_end_of_their_slice)
{
	__u64 before = wall_ns(), after;
	__u32 active = self->program.page->active;
	unsigned int first = nr_seen;

	ASSERT_EQ(0, set_trace(self->s.channel, 1, 2));
	after = wall_ns();
	ASSERT_EQ(0, switcher_switch(&self->s, B));
	ASSERT_EQ(0, switcher_switch(&self->s, A));
	ASSERT_EQ(0, switcher_switch(&self->s, B));
	ASSERT_EQ(0, set_trace(self->s.channel, 0, 0));
	ASSERT_EQ(0, set_trace(self->s.channel, 255, 128));
	ASSERT_EQ(0, switch_to(self->s.channel, B));
	ASSERT_EQ(0, set_trace(self->s.channel, 0, 0));
	ASSERT_EQ(0, switcher_switch(&self->s, THREAD_SLOT));
	settle(_metadata, self);

	EXPECT_EQ(COROPROF_ACTIVE | COROPROF_ACTIVE_TRACES, active);
	ASSERT_LE(first + 5, nr_seen);
	EXPECT_EQ(A, seen[first].slot);
	EXPECT_EQ(1, seen[first].traces);
	is_trace(_metadata, &seen[first], A, 1, 2);
	EXPECT_LE(before, seen[first].last.time);
	EXPECT_GE(after, seen[first].last.time);
	EXPECT_EQ(B, seen[first + 1].slot);
	EXPECT_EQ(1, seen[first + 1].traces);
	EXPECT_EQ(A, seen[first + 2].slot);
	EXPECT_EQ(1, seen[first + 2].traces);
	EXPECT_EQ(B, seen[first + 3].slot);
	EXPECT_EQ(3, seen[first + 3].traces);
	is_trace(_metadata, &seen[first + 3], B, 255, 128);
	/* A switch to the slot that is current parts two traces. */
	EXPECT_EQ(B, seen[first + 4].slot);
	EXPECT_EQ(4, seen[first + 4].traces);
	is_trace(_metadata, &seen[first + 4], B, 0, 0);
}

/* Switches until the thread may write a record of @size bytes by itself. Returns whether it may. */
static bool may_write(struct switcher *s, size_t size)
{
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		if (in_user_mode(s) && (s->producer->head & ~1ULL) + size <= s->page->until)
			return true;
		if (switcher_switch(s, i % 2 ? A : B))
			return false;
	}
	return false;
}

/* A thread that switches from user mode writes its records by itself. */
TEST_F(traces, are_written_by_the_thread)
{
	struct coroprof_record_trace *record;
	unsigned int nr, i, found = 0;
	__u32 slot[2];
	__u64 head;

	for (nr = 0; nr < 2; nr++) {
		if (!may_write(&self->s, sizeof(*record)))
			SKIP(return, "this thread switches by ioctl");
		head = self->s.producer->head;
		record = (void *)self->s.producer + page_size() + (head & ~1ULL) % RING_SIZE;
		slot[nr] = open_slice(&self->s)->slot;
		*record = (struct coroprof_record_trace){
			.type = COROPROF_RECORD_TRACE,
			.size = sizeof(*record),
			.slot = slot[nr],
			.id = ID_OF(slot[nr]),
			.time = wall_ns(),
		};
		memset(record->trace_id, nr + 1, sizeof(record->trace_id));
		__atomic_store_n(&self->s.producer->head, head + sizeof(*record),
				 __ATOMIC_RELEASE);
		ASSERT_EQ(0, switcher_switch(&self->s, slot[nr] == A ? B : A));
	}
	settle(_metadata, self);
	EXPECT_EQ(2, self->log->traces);
	for (i = 0; i < nr_seen && found < 2; i++) {
		if (seen[i].traces != found + 1)
			continue;
		is_trace(_metadata, &seen[i], slot[found], found + 1, 0);
		EXPECT_EQ(slot[found], seen[i].slot);
		found++;
	}
	EXPECT_EQ(2, found);
}

TEST_F(traces, are_refused_when_the_ring_is_full)
{
	unsigned int round, written = 0, refused;
	__u64 nothing;
	int ret;

	self->reader.may_lose_traces = true;
	for (round = 1; round <= 3; round++) {
		while (!(ret = set_trace(self->s.channel, 1, round)))
			written++;
		ASSERT_EQ(-ENOSPC, ret);
		for (refused = 0; refused < 3; refused++)
			EXPECT_EQ(-ENOSPC, set_trace(self->s.channel, 2, round));
		/* LOST may find room where no trace does. */
		reader_drain(&self->reader);
		EXPECT_EQ(written, self->log->traces);
		nothing = self->log->nothing_lost;

		/* Now there is room: for what was lost first. */
		ASSERT_EQ(0, set_trace(self->s.channel, 3, round));
		written++;
		reader_drain(&self->reader);
		EXPECT_EQ(written, self->log->traces);
		EXPECT_EQ(nothing + 1, self->log->nothing_lost);
		all_bytes_are(_metadata, self->log->last_trace.trace_id, 16, 3);
	}
	EXPECT_LT(RING_SIZE / sizeof(struct coroprof_record_trace), written);
	settle(_metadata, self);
	EXPECT_EQ(0, self->log->lost);
	EXPECT_EQ(0, self->log->spans_lost);
}

/* The next slice comes behind LOST. From user mode it may be lost as well. */
TEST_F(traces, that_were_lost_are_reported_before_the_next_slice)
{
	unsigned int first, i;

	self->reader.may_lose_traces = true;
	while (!set_trace(self->s.channel, 1, 1))
		;
	reader_drain(&self->reader);
	first = nr_seen;
	for (i = 0; i < 1000 && nr_seen == first; i++) {
		EXPECT_EQ(0, self->log->nothing_lost + self->log->lost);
		ASSERT_EQ(0, switcher_switch(&self->s, i % 2 ? A : B));
		reader_drain(&self->reader);
	}
	EXPECT_EQ(first + 1, nr_seen);
	EXPECT_EQ(1, self->log->nothing_lost + !!self->log->lost);
	if (!variant->from_user)
		EXPECT_EQ(1, i);
	settle(_metadata, self);
}

TEST_F(traces, wake_the_reader)
{
	struct pollfd fd = { .fd = self->reader.fd, .events = POLLIN };
	unsigned int nr = self->reader.config.watermark / sizeof(struct coroprof_record_trace) + 1;

	EXPECT_EQ(0, poll(&fd, 1, 0));
	while (nr--)
		ASSERT_EQ(0, set_trace(self->s.channel, 1, 1));
	EXPECT_EQ(1, poll(&fd, 1, PATIENCE_MS));
	settle(_metadata, self);
}

TEST_F(traces, are_refused_if_they_are_none)
{
	struct coroprof_trace trace = { .size = sizeof(trace) };
	int channel = self->s.channel;

	EXPECT_EQ(-EINVAL, set_trace(channel, 0, 1));
	trace.trace_flags = 255;
	EXPECT_EQ(-EINVAL, call(channel, COROPROF_IOC_TRACE, &trace));
	trace.trace_id[15] = 1;
	EXPECT_EQ(0, call(channel, COROPROF_IOC_TRACE, &trace));
	trace.trace_flags = 256;
	EXPECT_EQ(-EINVAL, call(channel, COROPROF_IOC_TRACE, &trace));
	trace.trace_flags = 0;
	trace.reserved = 1;
	EXPECT_EQ(-EINVAL, call(channel, COROPROF_IOC_TRACE, &trace));
	settle(_metadata, self);
	EXPECT_EQ(1, self->log->traces);
	EXPECT_EQ(255, self->log->last_trace.trace_flags);
}

/* Between two recordings, and by a session that wants none, they are refused. */
TEST_F(traces, are_refused_when_nobody_wants_them)
{
	int channel = self->s.channel;

	ASSERT_EQ(0, set_trace(channel, 1, 1));
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(-ENODATA, set_trace(channel, 2, 2));
	ASSERT_EQ(0, switcher_switch(&self->s, B));
	EXPECT_EQ(0, set_trace(channel, 3, 3));
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.logs[0].traces);
	EXPECT_EQ(1, self->reader.logs[1].traces);
	EXPECT_EQ(3, self->reader.logs[1].last_trace.trace_id[0]);
	EXPECT_STREQ("", conservation(&self->reader));

	reader_close(&self->reader);
	memset(&self->reader, 0, sizeof(self->reader));
	self->reader.config.flags = COROPROF_SESSION_TRACES | COROPROF_SESSION_TOTALS;
	EXPECT_EQ(-EINVAL, make_session(self->program.control, &self->reader.config));
	self->reader.config.flags = 0;
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(COROPROF_ACTIVE, self->program.page->active);
	ASSERT_EQ(0, switch_to(channel, B));
	EXPECT_EQ(-ENODATA, set_trace(channel, 1, 1));
	EXPECT_EQ(-EINVAL, set_trace(channel, 0, 1));
}

static int set_on_other_thread(void *arg)
{
	return set_trace(*(int *)arg, 1, 1);
}

TEST_F(traces, are_of_the_thread_that_is_recorded)
{
	EXPECT_EQ(-EPERM, on_thread(set_on_other_thread, &self->s.channel));
	settle(_metadata, self);
	EXPECT_EQ(-ENODATA, set_trace(self->s.channel, 1, 1));
	ASSERT_EQ(0, leave(self->s.channel));
	EXPECT_EQ(-EPERM, set_trace(self->s.channel, 1, 1));
	EXPECT_EQ(0, self->log->traces);
}

TEST_HARNESS_MAIN
