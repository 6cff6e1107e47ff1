// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that what a session does, and may hold others up with, takes no longer the more
 * recordings it has. The least of many times counts: that is one in which nothing else
 * took the processor.
 */
#include "kselftest_harness.h"

#include <linux/membarrier.h>
#include <sys/utsname.h>

#include "parameter.h"
#include "program.h"
#include "reader.h"
#include "require.h"

#define NR_SLOTS	16U
#define A		2U
#define FEW		30U
#define MANY		3000U
#define ROUNDS		40
#define TURNS		50
/* A walk takes about as many times as long as there are times as many. */
#define NOT_LONGER	4
#define MEMORY_MB	PARAMETER("user_memory_mb")

FIXTURE(crowd)
{
	struct program program;
	int channel;
	long memory_mb;
	struct coroprof_session_config config;
	int session;
	unsigned int recordings;
};

/* All that there is to read, which nobody wants to know. */
static void read_all(int session)
{
	char buffer[4096];

	while (read(session, buffer, sizeof(buffer)) > 0)
		;
}

/* Each with a ring, and none forgotten. Returns 0 or a negative errno. */
static int record_up_to(FIXTURE_DATA(crowd) *self, unsigned int recordings)
{
	int ret = 0;

	for (; self->recordings < recordings && !ret; self->recordings++) {
		ret = start(self->session);
		if (!ret)
			ret = switch_to(self->channel, A);
		if (!ret)
			ret = stop(self->session);
	}
	read_all(self->session);
	return ret;
}

FIXTURE_SETUP(crowd)
{
	self->memory_mb = number_read(MEMORY_MB);
	ASSERT_EQ(0, number_write(MEMORY_MB, 512));
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->channel = join(self->program.process, 1);
	ASSERT_LE(0, self->channel);
	self->config.ring_size = page_size();
	self->config.memory_mb = 512;
	self->session = make_session(self->program.control, &self->config);
	ASSERT_LE(0, self->session);
	ASSERT_EQ(0, fcntl(self->session, F_SETFL, O_RDWR | O_NONBLOCK));
	ASSERT_EQ(0, attach(self->session, getpid()));
}

FIXTURE_TEARDOWN(crowd)
{
	close(self->session);
	close(self->channel);
	program_close(&self->program);
	number_write(MEMORY_MB, self->memory_mb);
}

/* What a session is asked to do. Returns 0, or what went wrong. */
typedef int (*operation_fn)(const FIXTURE_DATA(crowd) *self);

/* Nanoseconds that TURNS of it take, or 0 when it goes wrong. */
static __u64 least_time(const FIXTURE_DATA(crowd) *self, operation_fn operation)
{
	__u64 least = ~0ULL, began, took;
	int round, turn;

	for (round = 0; round < ROUNDS; round++) {
		began = clock_ns(CLOCK_MONOTONIC);
		for (turn = 0; turn < TURNS; turn++)
			if (operation(self))
				return 0;
		took = clock_ns(CLOCK_MONOTONIC) - began;
		least = took < least ? took : least;
	}
	return least;
}

#define EXPECT_NO_LONGER(operation)							\
	do {										\
		__u64 few, many;							\
											\
		ASSERT_EQ(0, record_up_to(self, FEW));					\
		few = least_time(self, operation);					\
		ASSERT_EQ(0, record_up_to(self, MANY));					\
		many = least_time(self, operation);					\
		ASSERT_LT(0, few);							\
		ASSERT_LT(0, many);							\
		EXPECT_GE(NOT_LONGER * few, many)					\
			TH_LOG("%llu ns with %u recordings, %llu ns with %u",		\
			       few / TURNS, FEW, many / TURNS, MANY);			\
	} while (0)

static int read_nothing(const FIXTURE_DATA(crowd) *self)
{
	char buffer[COROPROF_RECORD_MAX];

	return read(self->session, buffer, sizeof(buffer)) >= 0 || errno != EAGAIN;
}

TEST_F(crowd, read_without_news_takes_no_longer_with_many_recordings)
{
	EXPECT_NO_LONGER(read_nothing);
}

static int poll_nothing(const FIXTURE_DATA(crowd) *self)
{
	struct pollfd pollfd = { .fd = self->session, .events = POLLIN };

	return poll(&pollfd, 1, 0);
}

TEST_F(crowd, poll_without_news_takes_no_longer_with_many_recordings)
{
	EXPECT_NO_LONGER(poll_nothing);
}

static int status_of_last(const FIXTURE_DATA(crowd) *self)
{
	struct coroprof_channel_status status;

	return channel_status(self->session, self->recordings, &status);
}

TEST_F(crowd, figures_of_the_last_take_no_longer_with_many_recordings)
{
	EXPECT_NO_LONGER(status_of_last);
}

static int start_and_stop(const FIXTURE_DATA(crowd) *self)
{
	return start(self->session) || stop(self->session);
}

TEST_F(crowd, start_and_stop_take_no_longer_with_many_recordings)
{
	EXPECT_NO_LONGER(start_and_stop);
}

/* A recording more, read and forgotten at once. */
static int record_one(const FIXTURE_DATA(crowd) *self)
{
	char buffer[8 * COROPROF_RECORD_MAX];
	struct coroprof_record_channel *end;
	ssize_t size, at, next;

	if (start(self->session) || switch_to(self->channel, A) || stop(self->session))
		return 1;
	size = read(self->session, buffer, sizeof(buffer));
	for (at = 0, next = 0; next < size; next += end->size) {
		at = next;
		end = (void *)(buffer + at);
	}
	end = (void *)(buffer + at);
	return size <= 0 || end->type != COROPROF_RECORD_CHANNEL_END ||
	       forget(self->session, end->channel_id);
}

TEST_F(crowd, another_recording_takes_no_longer_with_many)
{
	EXPECT_NO_LONGER(record_one);
}

/* Of that many times. */
static __u64 least_of(const FIXTURE_DATA(crowd) *self, operation_fn operation, int times)
{
	__u64 least = ~0ULL, began, took;

	while (times--) {
		began = clock_ns(CLOCK_MONOTONIC);
		if (operation(self))
			return 0;
		took = clock_ns(CLOCK_MONOTONIC) - began;
		least = took < least ? took : least;
	}
	return least;
}

/* What this command does is wait for a grace period of RCU; unless there is one CPU. */
static int wait_for_grace_period(const FIXTURE_DATA(crowd) *self)
{
	(void)self;
	return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/*
 * If each recording that ends waited for one, those of many threads would take seconds. That is
 * how irq_work_sync() waits with PREEMPT_RT. On other kernels nothing can be learned from it; and
 * on the debug kernel a recording takes half as long as a grace period by its own work.
 */
static bool has_preempt_rt(void)
{
	struct utsname kernel;

	return !uname(&kernel) && strstr(kernel.version, "PREEMPT_RT");
}

TEST_F(crowd, another_recording_waits_for_no_grace_period)
{
	__u64 one, grace_period;

	if (!has_preempt_rt())
		SKIP(return, "this kernel is without PREEMPT_RT, where a recording's end would wait");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "with one CPU nobody says how long a grace period is");
	ASSERT_EQ(0, record_up_to(self, 1));
	one = least_of(self, record_one, 20);
	grace_period = least_of(self, wait_for_grace_period, 20);
	ASSERT_LT(0, one);
	ASSERT_LT(0, grace_period);
	EXPECT_GT(grace_period, 2 * one)
		TH_LOG("%llu ns, a grace period %llu ns", one, grace_period);
}

TEST_HARNESS_MAIN
