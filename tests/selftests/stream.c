// SPDX-License-Identifier: GPL-2.0
/*
 * Proves what a session tells: the stream of what there is, what a slice says
 * of itself, and when a reader is woken.
 */
#include "kselftest_harness.h"

#include "child.h"
#include "conserve.h"
#include "require.h"

/* Reader and program in one process, its main thread with a channel. */
FIXTURE(stream)
{
	struct program program;
	struct reader reader;
	int channel;
};

FIXTURE_SETUP(stream)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->reader.config.nr_counters = 1;
	self->reader.config.counters[0].type = PERF_TYPE_SOFTWARE;
	self->reader.config.counters[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_LE(0, self->channel);
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
}

FIXTURE_TEARDOWN(stream)
{
	close(self->channel);
	reader_close(&self->reader);
	program_close(&self->program);
}

TEST_F(stream, the_stream_of_a_short_life)
{
	struct child child;
	struct log *log;

	ASSERT_EQ(0, start(self->reader.fd));
	reader_drain(&self->reader);
	ASSERT_EQ(0, child_start(&child, self->reader.config.token));
	CHILD('p');
	reader_drain(&self->reader);
	EXPECT_EQ(2, self->reader.nr_processes);
	EXPECT_EQ(child.pid, self->reader.process.pid);
	EXPECT_LT(0, self->reader.process.process_id);
	CHILD('l');
	reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.nr_labels);
	EXPECT_EQ(1, self->reader.label.label);
	EXPECT_EQ(0, self->reader.label.flags);
	EXPECT_EQ(self->reader.process.process_id, self->reader.label.process_id);
	EXPECT_STREQ("a label", self->reader.label_text);
	CHILD('j');
	CHILD('a');
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	log = &self->reader.logs[0];
	EXPECT_FALSE(log->ended);
	EXPECT_EQ(child.pid, log->record.tid);
	EXPECT_EQ(self->reader.process.process_id, log->record.process_id);
	EXPECT_STREQ("test-child", log->record.comm);
	EXPECT_EQ(1, log->record.nr_counters);
	EXPECT_EQ(self->reader.config.ring_size, log->record.ring_size);
	EXPECT_EQ(PERF_TYPE_SOFTWARE, log->counters[0].counter.type);
	EXPECT_EQ(PERF_COUNT_SW_PAGE_FAULTS, log->counters[0].counter.config);
	EXPECT_EQ(0, log->counters[0].error);
	CHILD('q');
	reader_drain(&self->reader);
	EXPECT_TRUE(log->ended);
	EXPECT_EQ(0, self->reader.nr_process_ends);
	EXPECT_STREQ("", conservation(&self->reader));
	child_kill(&child);
	reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.nr_process_ends);
	EXPECT_STREQ("", self->reader.defect);
}

/* Labels that were there before the session came are told all the same. */
TEST_F(stream, labels_from_before)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, 0));
	CHILD('p');
	CHILD('l');
	ASSERT_EQ(0, attach(self->reader.fd, child.pid));
	reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.nr_labels);
	EXPECT_STREQ("a label", self->reader.label_text);
	child_kill(&child);
}

TEST_F(stream, what_a_slice_tells)
{
	struct coroprof_slot *slots = self->program.slots;
	struct log *log;

	slots[A].parent = 11;
	slots[A].tag = 22;
	slots[A].label = make_label(self->program.process, "A", 1);
	slots[A].wake_time = 33;
	slots[A].waker = 44;
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	EXPECT_EQ(0, slots[A].wake_time);
	ASSERT_EQ(0, switch_to(self->channel, B | COROPROF_SWITCH_READY));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	log = &self->reader.logs[0];
	EXPECT_EQ(A, log->last.slot);
	EXPECT_EQ(ID_OF(A), log->last.id);
	EXPECT_EQ(slots[A].label, log->last.label);
	EXPECT_EQ(COROPROF_SLICE_FIRST | COROPROF_SLICE_FRESH | COROPROF_SLICE_WOKEN |
		  COROPROF_SLICE_READY, log->last.flags & ~COROPROF_SLICE_OFFCPU);
	EXPECT_EQ(11, log->last_fresh.parent);
	EXPECT_EQ(22, log->last_fresh.tag);
	EXPECT_EQ(33, log->last_woken.wake_time);
	EXPECT_EQ(44, log->last_woken.waker);

	/* Neither fresh nor woken the second time. */
	ASSERT_EQ(0, switch_to(self->channel, A));
	ASSERT_EQ(0, switch_to(self->channel, B | COROPROF_SWITCH_END));
	reader_drain(&self->reader);
	EXPECT_EQ(A, log->last.slot);
	EXPECT_EQ(COROPROF_SLICE_END, log->last.flags & ~COROPROF_SLICE_OFFCPU);
	EXPECT_STREQ("", conservation(&self->reader));
}

TEST_F(stream, read_needs_room_for_a_record)
{
	unsigned char buffer[COROPROF_RECORD_MAX];
	const struct coroprof_record *record = (void *)buffer;

	ASSERT_LT(0, make_label(self->program.process, "x", 1));
	EXPECT_EQ(-1, read(self->reader.fd, buffer, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->reader.fd, buffer, sizeof(*record)));
	EXPECT_EQ(EINVAL, errno);
	/* Nothing has been lost by trying, and records come whole. */
	ASSERT_EQ(sizeof(struct coroprof_record_process),
		  read(self->reader.fd, buffer, sizeof(struct coroprof_record_process)));
	EXPECT_EQ(COROPROF_RECORD_PROCESS, record->type);
	ASSERT_EQ(sizeof(struct coroprof_record_label) + 8,
		  read(self->reader.fd, buffer, sizeof(buffer)));
	EXPECT_EQ(COROPROF_RECORD_LABEL, record->type);
	EXPECT_EQ(-1, read(self->reader.fd, buffer, sizeof(buffer)));
	EXPECT_EQ(EAGAIN, errno);
}

TEST_F(stream, read_into_bad_memory)
{
	unsigned char buffer[COROPROF_RECORD_MAX];
	void *unwritable = mmap(NULL, page_size(), PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, unwritable);
	EXPECT_EQ(-1, read(self->reader.fd, unwritable, sizeof(buffer)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(sizeof(struct coroprof_record_process),
		  read(self->reader.fd, buffer, sizeof(buffer)));
}

static int label_later(void *arg)
{
	sleep_ms(30);
	return make_label(((struct program *)arg)->process, "late", 4);
}

TEST_F(stream, read_waits)
{
	struct on_thread job = { .function = label_later, .arg = &self->program };
	unsigned char buffer[COROPROF_RECORD_MAX];
	__u64 begin;
	pthread_t thread;

	reader_drain(&self->reader);
	ASSERT_EQ(0, fcntl(self->reader.fd, F_SETFL, O_RDWR));
	begin = wall_ns();
	thread = run_thread(on_thread_main, &job);
	EXPECT_EQ(sizeof(struct coroprof_record_label) + 8,
		  read(self->reader.fd, buffer, sizeof(buffer)));
	EXPECT_LT(20000000, wall_ns() - begin);
	pthread_join(thread, NULL);
	EXPECT_EQ(1, job.ret);
}

static bool readable(int fd, int ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, ms) == 1 && (pollfd.revents & POLLIN);
}

TEST_F(stream, poll_for_the_stream)
{
	EXPECT_TRUE(readable(self->reader.fd, 0));
	reader_drain(&self->reader);
	EXPECT_FALSE(readable(self->reader.fd, 0));
	ASSERT_LT(0, make_label(self->program.process, "x", 1));
	EXPECT_TRUE(readable(self->reader.fd, 0));
	reader_drain(&self->reader);
	EXPECT_FALSE(readable(self->reader.fd, 0));
}

struct filler {
	FIXTURE_DATA(stream) *session;
	unsigned int ready;
	__u64 until;	/* how full the ring shall be */
	unsigned int more;	/* switches after that */
	bool filled;
	bool done;
	int err;
};

static void *fill_ring(void *arg)
{
	struct filler *filler = arg;
	FIXTURE_DATA(stream) *self = filler->session;
	int channel = join(self->program.process, THREAD_SLOT + 4);
	unsigned int i;

	filler->err = switch_to(channel, A);
	__atomic_store_n(&filler->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&filler->until, __ATOMIC_ACQUIRE))
		sleep_ms(1);
	for (i = 0; !filler->err && self->reader.logs[0].producer->head < filler->until; i++)
		filler->err = switch_to(channel, i % 2 ? A : B);
	__atomic_store_n(&filler->ready, 2, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&filler->filled, __ATOMIC_ACQUIRE))
		sleep_ms(1);
	/* Until the reader waits in poll(), and has to be woken. */
	sleep_ms(100);
	for (i = 0; !filler->err && i < filler->more; i++)
		filler->err = switch_to(channel, i % 2 ? A : B);
	/* The end of the thread would wake the reader as well. */
	while (!__atomic_load_n(&filler->done, __ATOMIC_ACQUIRE))
		sleep_ms(1);
	return NULL;
}

/* Up to the watermark nobody is woken; beyond it, at once. */
TEST_F(stream, poll_at_the_watermark)
{
	struct filler filler = { .session = self, .more = 2 };
	__u32 watermark = self->reader.config.watermark;
	pthread_t thread;
	__u64 begin;

	ASSERT_EQ(0, start(self->reader.fd));
	thread = run_thread(fill_ring, &filler);
	ASSERT_TRUE(wait_until(&filler.ready, 1));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_FALSE(readable(self->reader.fd, 0));
	__atomic_store_n(&filler.until, watermark - 80, __ATOMIC_RELEASE);
	ASSERT_TRUE(wait_until(&filler.ready, 2));
	EXPECT_GT(watermark, self->reader.logs[0].producer->head);
	EXPECT_FALSE(readable(self->reader.fd, 5));
	begin = wall_ns();
	__atomic_store_n(&filler.filled, true, __ATOMIC_RELEASE);
	EXPECT_TRUE(readable(self->reader.fd, PATIENCE_MS));
	/* Woken, and not just found ready when time was up. */
	EXPECT_GT(PATIENCE_MS / 2 * 1000000ULL, wall_ns() - begin);
	EXPECT_LE(watermark, self->reader.logs[0].producer->head);
	reader_drain(&self->reader);
	EXPECT_FALSE(readable(self->reader.fd, 0));
	__atomic_store_n(&filler.done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, filler.err);
	EXPECT_STREQ("", self->reader.defect);
}

static void take_first(struct reader *reader, struct log *log)
{
	log->tail += take_ring_record(reader, log, log->data + log->tail % log->record.ring_size,
				      ring_end(log) - log->tail);
	__atomic_store_n(&log->consumer->tail, log->tail, __ATOMIC_RELEASE);
}

/* The watermark is so high that less than as much again fits. */
TEST_F(stream, woken_again_after_a_ring_was_read_in_part)
{
	struct filler filler = { .session = self, .more = 40 };
	struct coroprof_session_config config = self->reader.config;
	pthread_t thread;
	__u64 begin;

	reader_close(&self->reader);
	config.ring_size = 1U << 16;
	config.watermark = config.ring_size;
	self->reader = (struct reader){ .config = config };
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	thread = run_thread(fill_ring, &filler);
	ASSERT_TRUE(wait_until(&filler.ready, 1));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	__atomic_store_n(&filler.until, self->reader.config.watermark, __ATOMIC_RELEASE);
	ASSERT_TRUE(wait_until(&filler.ready, 2));
	EXPECT_TRUE(readable(self->reader.fd, 0));
	take_first(&self->reader, &self->reader.logs[0]);
	EXPECT_FALSE(readable(self->reader.fd, 0));
	begin = wall_ns();
	__atomic_store_n(&filler.filled, true, __ATOMIC_RELEASE);
	EXPECT_TRUE(readable(self->reader.fd, PATIENCE_MS));
	EXPECT_GT(PATIENCE_MS / 2 * 1000000ULL, wall_ns() - begin);
	__atomic_store_n(&filler.done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, filler.err);
	reader_drain(&self->reader);
	EXPECT_STREQ("", self->reader.defect);
}

TEST_HARNESS_MAIN
