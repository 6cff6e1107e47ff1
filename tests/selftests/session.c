// SPDX-License-Identifier: GPL-2.0
/*
 * Proves what START and STOP do to threads wherever they are, and that what was
 * recorded stays until it is forgotten.
 */
#include "kselftest_harness.h"

#include "child.h"
#include "conserve.h"
#include "parameter.h"
#include "require.h"

/* Reader and program in one process, its main thread with a channel. */
FIXTURE(session)
{
	struct program program;
	struct reader reader;
	int channel;
};

FIXTURE_SETUP(session)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	/* Room for what a busy machine may let a thread do before a STOP. */
	self->reader.config.ring_size = 1 << 24;
	self->reader.config.nr_counters = 1;
	self->reader.config.counters[0].type = PERF_TYPE_SOFTWARE;
	self->reader.config.counters[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_LE(0, self->channel);
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
}

FIXTURE_TEARDOWN(session)
{
	close(self->channel);
	reader_close(&self->reader);
	program_close(&self->program);
}

TEST_F(session, start_and_stop)
{
	const volatile struct coroprof_process_page *page = self->program.page;
	__u32 epoch = page->epoch;
	int i;

	EXPECT_EQ(-EALREADY, stop(self->reader.fd));
	EXPECT_EQ(0, page->active);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, start(self->reader.fd));
		EXPECT_NE(0, page->active);
		EXPECT_EQ(++epoch, page->epoch);
		EXPECT_EQ(-EALREADY, start(self->reader.fd));
		EXPECT_EQ(epoch, page->epoch);
		EXPECT_EQ(0, stop(self->reader.fd));
		EXPECT_EQ(0, page->active);
		EXPECT_EQ(++epoch, page->epoch);
		EXPECT_EQ(-EALREADY, stop(self->reader.fd));
	}
}

TEST_F(session, nothing_is_recorded_while_stopped)
{
	ASSERT_EQ(0, switch_to(self->channel, A));
	ASSERT_EQ(0, switch_to(self->channel, B));
	reader_drain(&self->reader);
	EXPECT_EQ(0, self->reader.nr_logs);
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, A));
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, B));
	ASSERT_EQ(0, switch_to(self->channel, A));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(1, self->reader.logs[0].sums.slices);
	EXPECT_EQ(A, self->reader.logs[0].last.slot);
}

/* Attached to a session that is started already. */
TEST_F(session, attach_after_start)
{
	struct child child;

	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, child_start(&child, 0));
	CHILD('p');
	CHILD('j');
	ASSERT_EQ(0, attach(self->reader.fd, child.pid));
	CHILD('a');
	CHILD('b');
	CHILD('q');
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(child.pid, self->reader.logs[0].record.tid);
	child_kill(&child);
}

/*
 * What a thread does while STOP comes.
 * @ready: 1 once it is recorded, and 1 more for each round that it switched
 */
struct target {
	struct program *program;
	unsigned int ready;
	bool done;
	void (*act)(struct target *target, int channel);
	int err;
};

static void act_spin(struct target *target, int channel)
{
	(void)channel;
	while (!__atomic_load_n(&target->done, __ATOMIC_ACQUIRE))
		;
}

static void act_block(struct target *target, int channel)
{
	(void)channel;
	while (!__atomic_load_n(&target->done, __ATOMIC_ACQUIRE))
		sleep_ms(300);
}

static void act_switch(struct target *target, int channel)
{
	while (!target->err && !__atomic_load_n(&target->done, __ATOMIC_ACQUIRE)) {
		target->err = switch_to(channel, A) ?: switch_to(channel, B);
		__atomic_add_fetch(&target->ready, 1, __ATOMIC_RELEASE);
	}
}

static void *run_target(void *arg)
{
	struct target *target = arg;
	int channel = join(target->program->process, THREAD_SLOT + 4);

	target->err = switch_to(channel, A | COROPROF_SWITCH_FRESH);
	__atomic_store_n(&target->ready, 1, __ATOMIC_RELEASE);
	target->act(target, channel);
	return NULL;
}

static void stop_a_thread_that(struct __test_metadata *_metadata,
			       FIXTURE_DATA(session) *self,
			       void (*act)(struct target *, int), unsigned int rounds)
{
	struct target target = { .program = &self->program, .act = act };
	struct coroprof_channel_status status;
	__u64 before, after;
	pthread_t thread;
	struct log *log;

	ASSERT_EQ(0, start(self->reader.fd));
	thread = run_thread(run_target, &target);
	ASSERT_TRUE(wait_until(&target.ready, 1 + rounds));
	sleep_ms(20);
	before = wall_ns();
	ASSERT_EQ(0, stop(self->reader.fd));
	after = wall_ns();
	reader_drain(&self->reader);
	ASSERT_STREQ("", conservation(&self->reader));
	ASSERT_EQ(1, self->reader.nr_logs);
	log = &self->reader.logs[0];
	/* All of it is there when STOP returns. */
	EXPECT_TRUE(log->ended);
	EXPECT_TRUE(log->last.flags & COROPROF_SLICE_CUT);
	EXPECT_LE(before, log->last.time);
	EXPECT_GE(after, log->last.time);
	EXPECT_EQ(log->last.time, log->end);
	ASSERT_EQ(0, channel_status(self->reader.fd, log->record.channel_id, &status));
	EXPECT_EQ(COROPROF_CHANNEL_ENDED, status.flags);
	__atomic_store_n(&target.done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, target.err);
}

TEST_F(session, stop_while_a_thread_spins)
{
	stop_a_thread_that(_metadata, self, act_spin, 0);
	EXPECT_EQ(1, self->reader.logs[0].sums.slices);
	EXPECT_EQ(A, self->reader.logs[0].last.slot);
	/* It spun for 20 ms, sharing two CPUs with this thread that slept. */
	EXPECT_LT(10000000, self->reader.logs[0].sums.running_ns);
}

TEST_F(session, stop_while_a_thread_blocks)
{
	struct log *log = &self->reader.logs[0];

	stop_a_thread_that(_metadata, self, act_block, 0);
	EXPECT_EQ(1, log->sums.slices);
	EXPECT_TRUE(log->last.flags & COROPROF_SLICE_OFFCPU);
	EXPECT_LT(15000000, log->sums.blocked_ns);
	EXPECT_GE(log->sums.duration, log->sums.blocked_ns);
}

TEST_F(session, stop_while_a_thread_switches)
{
	unsigned int i;

	for (i = 0; i < 10; i++) {
		stop_a_thread_that(_metadata, self, act_switch, 20);
		EXPECT_LT(20, self->reader.logs[0].sums.slices);
		ASSERT_EQ(0, forget(self->reader.fd, i + 1));
		log_unmap(&self->reader, &self->reader.logs[0]);
		self->reader.nr_logs = 0;
	}
}

TEST_F(session, closed_while_a_thread_switches)
{
	struct target target = { .program = &self->program, .act = act_switch };
	struct coroprof_session_config config = { .ring_size = 0 };
	pthread_t thread;
	int session, i;

	ASSERT_EQ(0, start(self->reader.fd));
	thread = run_thread(run_target, &target);
	ASSERT_TRUE(wait_until(&target.ready, 1));
	close(self->reader.fd);
	self->reader.fd = -1;
	EXPECT_EQ(0, self->program.page->active);
	for (i = 0; i < 20; i++) {
		session = make_session(self->program.control, &config);
		ASSERT_EQ(0, attach(session, getpid()));
		ASSERT_EQ(0, start(session));
		sleep_ms(3);
		close(session);
		ASSERT_EQ(0, self->program.page->active);
	}
	__atomic_store_n(&target.done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, target.err);
}

/* Own counters are counted in the session's place. */
TEST_F(session, counters_of_the_thread_itself)
{
	const struct coroprof_counter own[2] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES },
	};
	struct log *log;
	unsigned int slept;

	ASSERT_EQ(0, leave(self->channel));
	close(self->channel);
	self->channel = join_counting(self->program.process, THREAD_SLOT, own, 2);
	ASSERT_LE(0, self->channel);
	spin_wall(3000000);
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	spin_wall(3000000);
	/* A timer may fire before the thread has gone to sleep for it. */
	for (slept = times_slept(); slept == times_slept();)
		sleep_ms(1);
	ASSERT_EQ(0, switch_to(self->channel, B));
	ASSERT_EQ(0, stop(self->reader.fd));
	spin_wall(1000000);
	ASSERT_EQ(0, switch_to(self->channel, A));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	ASSERT_EQ(1, self->reader.nr_logs);
	log = &self->reader.logs[0];
	EXPECT_EQ(2, log->record.nr_counters);
	EXPECT_EQ(PERF_COUNT_SW_TASK_CLOCK, log->counters[0].counter.config);
	EXPECT_EQ(PERF_COUNT_SW_CONTEXT_SWITCHES, log->counters[1].counter.config);
	/* One sleep, in A; they count without the session as well. */
	EXPECT_LE(1, self->reader.slots[A].count[1]);
	EXPECT_LE(self->reader.slots[B].slices + 1, self->program.slots[B].slices);
}

TEST_F(session, forget)
{
	__u32 id;

	EXPECT_EQ(-ENOENT, forget(self->reader.fd, 0));
	EXPECT_EQ(-ENOENT, forget(self->reader.fd, 1));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, A));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	id = self->reader.logs[0].record.channel_id;
	EXPECT_EQ(-EBUSY, forget(self->reader.fd, id));
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(-ENOENT, forget(self->reader.fd, id + 1));
	EXPECT_EQ(-ENOENT, forget(self->reader.fd, (1UL << 32) | id));
	EXPECT_EQ(0, forget(self->reader.fd, id));
	EXPECT_EQ(-ENOENT, forget(self->reader.fd, id));
}

/* A recording that was forgotten before its records were read. */
TEST_F(session, forget_unread)
{
	struct coroprof_channel_status status;

	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, A));
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(0, forget(self->reader.fd, 1));
	EXPECT_EQ(-ENOENT, channel_status(self->reader.fd, 1, &status));
	EXPECT_EQ(-ENOENT, channel_status(self->reader.fd, 0, &status));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, B));
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(0, channel_status(self->reader.fd, 2, &status));
}

/* A killed process loses nothing of what was recorded. */
TEST_F(session, rings_outlive_a_killed_process)
{
	struct child child;
	unsigned int i;

	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, child_start(&child, self->reader.config.token));
	CHILD('p');
	CHILD('j');
	CHILD('a');
	for (i = 0; i < 10; i++) {
		CHILD('b');
		CHILD('a');
	}
	child_kill(&child);
	sleep_ms(20);
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_TRUE(self->reader.logs[0].ended);
	EXPECT_TRUE(self->reader.logs[0].last.flags & COROPROF_SLICE_CUT);
	EXPECT_EQ(11, self->reader.slots[A].slices);
	EXPECT_EQ(10, self->reader.slots[B].slices);
	EXPECT_EQ(1, self->reader.nr_process_ends);
}

/* The figures of a channel that goes on are of one moment, and only grow. */
TEST_F(session, channel_status_while_it_runs)
{
	struct target target = { .program = &self->program, .act = act_switch };
	struct coroprof_channel_status last = { 0 }, now;
	pthread_t thread;
	unsigned int i;

	ASSERT_EQ(0, start(self->reader.fd));
	thread = run_thread(run_target, &target);
	ASSERT_TRUE(wait_until(&target.ready, 2));
	for (i = 0; i < 40; i++) {
		ASSERT_EQ(0, channel_status(self->reader.fd, 1, &now));
		ASSERT_EQ(COROPROF_CHANNEL_OPEN, now.flags);
		ASSERT_EQ(0, now.end);
		ASSERT_LE(last.slices, now.slices);
		ASSERT_LE(last.running_ns, now.running_ns);
		ASSERT_LE(last.preempted_ns, now.preempted_ns);
		ASSERT_LE(last.blocked_ns, now.blocked_ns);
		ASSERT_LE(last.ring_head, now.ring_head);
		ASSERT_LE(now.begin + now.running_ns + now.preempted_ns + now.blocked_ns,
			  wall_ns());
		last = now;
	}
	EXPECT_LT(0, last.slices);
	__atomic_store_n(&target.done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

#define MEMORY_LIMIT	PARAMETER("user_memory_mb")

/* At the limit the thread goes on, unrecorded, and the session hears why. */
TEST_F(session, memory_limit)
{
	struct log *log = &self->reader.logs[0];
	long limit = number_read(MEMORY_LIMIT);
	int first, second;

	if (access(MEMORY_LIMIT, W_OK))
		SKIP(return, "no %s", MEMORY_LIMIT);
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_LE(0, limit);
	ASSERT_EQ(0, number_write(MEMORY_LIMIT, 1));
	first = switch_to(self->channel, A);
	second = switch_to(self->channel, B);
	ASSERT_EQ(0, number_write(MEMORY_LIMIT, limit));
	EXPECT_EQ(-EDQUOT, first);
	EXPECT_EQ(0, second);
	EXPECT_EQ(0, switch_to(self->channel, A));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(EDQUOT, log->record.error);
	EXPECT_EQ(0, log->record.ring_size);
	EXPECT_TRUE(log->ended);
	/* From the next START on it is recorded. */
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(0, switch_to(self->channel, B));
	reader_drain(&self->reader);
	EXPECT_EQ(2, self->reader.nr_logs);
	EXPECT_EQ(0, self->reader.logs[1].record.error);
}

TEST_HARNESS_MAIN
