// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a thread finds a ring when it is first recorded: START and read() have made it ahead.
 * And that rings that nobody takes are few, take nothing from anybody, and go with the session.
 */
#include "kselftest_harness.h"

#include "child.h"
#include "conserve.h"
#include "parameter.h"
#include "require.h"
#include "says.h"
#include "user_mode.h"

#define RING_SIZE	(1U << 16)
#define MEMORY_MB	PARAMETER("user_memory_mb")
#define MOST		8U	/* for a process */
#define MOST_OF_USER	32U
#define CHILDREN	36U
#define IDLE_MAX	20U

FIXTURE(ahead)
{
	struct program program;
	struct reader reader;
	struct child children[CHILDREN];
	unsigned int nr_children;
	pthread_t idle[IDLE_MAX];
	unsigned int nr_idle;
	unsigned int nr_recordings;
	long memory_mb;
};

FIXTURE_SETUP(ahead)
{
	memset(self->children, 0, sizeof(self->children));
	memset(&self->reader, 0, sizeof(self->reader));
	self->nr_children = 0;
	self->nr_idle = 0;
	self->nr_recordings = 0;
	self->reader.config.ring_size = RING_SIZE;
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->memory_mb = number_read(MEMORY_MB);
	ASSERT_LT(0, self->memory_mb);
}

FIXTURE_TEARDOWN(ahead)
{
	number_write(MEMORY_MB, self->memory_mb);
	while (self->nr_idle) {
		pthread_cancel(self->idle[--self->nr_idle]);
		pthread_join(self->idle[self->nr_idle], NULL);
	}
	while (self->nr_children)
		child_kill(&self->children[--self->nr_children]);
	if (self->reader.slots)
		reader_close(&self->reader);
	program_close(&self->program);
}

static void *sleep_on(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

/* Threads that never switch. */
static void be_idle(FIXTURE_DATA(ahead) *self, unsigned int nr)
{
	while (self->nr_idle < nr)
		self->idle[self->nr_idle++] = run_thread(sleep_on, NULL);
}

static int open_reader(FIXTURE_DATA(ahead) *self)
{
	return reader_open(&self->reader, self->program.control, NR_SLOTS);
}

/* A session that has this process. */
static int attach_self(FIXTURE_DATA(ahead) *self)
{
	return open_reader(self) ?: attach(self->reader.fd, getpid());
}

static unsigned long long spare(FIXTURE_DATA(ahead) *self)
{
	return number(self->reader.fd, "memory-spare");
}

static unsigned long long memory(FIXTURE_DATA(ahead) *self)
{
	return number(self->reader.fd, "memory");
}

/* What else a ring is charged is less than a ring, in sum, too. */
static unsigned int nr_spare(FIXTURE_DATA(ahead) *self)
{
	return spare(self) / (self->reader.config.ring_size + page_size());
}

/* A thread that is recorded, and ends. */
struct late {
	FIXTURE_DATA(ahead) *self;
	bool from_user;
	struct coroprof_channel_status status;
	int ret;
};

static int switch_once(void *arg)
{
	struct late *late = arg;
	struct switcher s = { .channel = -1 };
	int ret = switcher_join(&s, &late->self->program, THREAD_SLOT, late->from_user);

	if (ret >= 0)
		ret = switcher_switch(&s, A);
	if (ret >= 0 && late->from_user && !in_user_mode(&s))
		ret = -EOPNOTSUPP;
	if (ret >= 0)
		ret = channel_status(late->self->reader.fd, ++late->self->nr_recordings,
				     &late->status);
	switcher_leave(&s);
	switcher_close(&s);
	return ret < 0 ? ret : 0;
}

static int come(FIXTURE_DATA(ahead) *self, struct late *late)
{
	*late = (struct late){ .self = self };
	return on_thread(switch_once, late);
}

#define MADE_ITSELF(late)	((late)->status.ring_made)

/* ------------------------------------------------------------ who finds one */

TEST_F(ahead, first_thread_finds_a_ring)
{
	struct late late;
	unsigned long long before;

	ASSERT_EQ(0, attach_self(self));
	EXPECT_EQ(0, spare(self));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(1, nr_spare(self));
	before = memory(self);
	ASSERT_EQ(0, come(self, &late));
	EXPECT_FALSE(MADE_ITSELF(&late));
	EXPECT_EQ(0, spare(self));
	/* It was charged before: the recording itself is less than that. */
	EXPECT_GT(before + RING_SIZE, memory(self));
	/* Nobody has read of the first one. */
	ASSERT_EQ(0, come(self, &late));
	EXPECT_TRUE(MADE_ITSELF(&late));
}

TEST_F(ahead, thread_of_user_mode_finds_a_ring)
{
	struct late late = { .self = self, .from_user = true };

	self->reader.config.flags = COROPROF_SESSION_USER;
	ASSERT_EQ(0, attach_self(self));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, on_thread(switch_once, &late));
	EXPECT_FALSE(MADE_ITSELF(&late));
	EXPECT_EQ(0, spare(self));
}

/* Only the reader who reads of the last one has a ring made for the next one. */
TEST_F(ahead, thread_that_begins_later_finds_a_ring)
{
	struct late late;
	int i;

	ASSERT_EQ(0, attach_self(self));
	ASSERT_EQ(0, start(self->reader.fd));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, come(self, &late));
		EXPECT_FALSE(MADE_ITSELF(&late)) TH_LOG("thread %d", i);
		reader_stream(&self->reader);
		EXPECT_LE(1, nr_spare(self));
		/* The last thread may still be there. */
		EXPECT_GE(2, nr_spare(self));
	}
	while (spare(self))
		ASSERT_EQ(0, come(self, &late));
	ASSERT_EQ(0, come(self, &late));
	EXPECT_TRUE(MADE_ITSELF(&late));
}

/* Attached by the session, or by its token. */
TEST_F(ahead, process_that_is_attached_later_finds_a_ring)
{
	struct late late;

	ASSERT_EQ(0, open_reader(self));
	ASSERT_EQ(0, start(self->reader.fd));
	reader_stream(&self->reader);
	EXPECT_EQ(0, spare(self));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	EXPECT_EQ(0, spare(self));
	reader_stream(&self->reader);
	EXPECT_EQ(1, nr_spare(self));
	ASSERT_EQ(0, come(self, &late));
	EXPECT_FALSE(MADE_ITSELF(&late));
}

/* Of one that was attached, and nothing else is wanted of it. */
TEST_F(ahead, session_that_is_stopped_makes_none)
{
	ASSERT_EQ(0, attach_self(self));
	reader_stream(&self->reader);
	EXPECT_EQ(0, spare(self));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(1, nr_spare(self));
	ASSERT_EQ(-EALREADY, start(self->reader.fd));
	EXPECT_EQ(1, nr_spare(self));
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(1, nr_spare(self));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(1, nr_spare(self));
}

TEST_F(ahead, samples_have_a_ring_too)
{
	struct coroprof_sampling *sampling = &self->reader.config.sampling;
	struct late late;

	sampling->counter.type = PERF_TYPE_SOFTWARE;
	sampling->counter.config = PERF_COUNT_SW_CPU_CLOCK;
	sampling->period = 1000000000;
	sampling->ring_size = RING_SIZE;
	ASSERT_EQ(0, attach_self(self));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(2, nr_spare(self));
	ASSERT_EQ(0, come(self, &late));
	EXPECT_FALSE(MADE_ITSELF(&late));
	EXPECT_EQ(0, spare(self));
}

/* ------------------------------------------------------------- and how many */

TEST_F(ahead, each_thread_has_a_ring)
{
	ASSERT_EQ(0, attach_self(self));
	be_idle(self, 4);
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(5, nr_spare(self));
}

TEST_F(ahead, many_idle_threads_have_few)
{
	ASSERT_EQ(0, attach_self(self));
	be_idle(self, IDLE_MAX);
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(MOST, nr_spare(self));
}

/* Each of a process's rings is as large as its thread will want it. */
TEST_F(ahead, sizes_are_those_that_threads_want)
{
	struct late late;
	unsigned int i;

	self->reader.config.ring_size = 0;
	self->reader.config.memory_mb = 4;
	ASSERT_EQ(0, attach_self(self));
	be_idle(self, MOST - 1);
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_LT(0, spare(self));
	for (i = 0; spare(self) && i < MOST; i++) {
		ASSERT_EQ(0, come(self, &late));
		EXPECT_FALSE(MADE_ITSELF(&late)) TH_LOG("thread %u", i);
	}
	EXPECT_EQ(0, spare(self));
}

/* So many processes, each with a thread. */
#define CHILDREN_ATTACHED(nr) do { \
	while (self->nr_children < (nr)) { \
		ASSERT_EQ(0, child_start(&self->children[self->nr_children], \
					 self->reader.config.token)); \
		self->nr_children++; \
		ASSERT_TRUE(child_steps(&self->children[self->nr_children - 1], "p")); \
	} \
} while (0)

/* Attached while the session is started, and reported by one read(). */
TEST_F(ahead, all_processes_of_a_read_have_rings)
{
	self->reader.config.ring_size = page_size();
	ASSERT_EQ(0, open_reader(self));
	ASSERT_EQ(0, start(self->reader.fd));
	CHILDREN_ATTACHED(3);
	EXPECT_EQ(0, spare(self));
	reader_stream(&self->reader);
	EXPECT_EQ(3, self->reader.nr_processes);
	EXPECT_LE(3 * 3 * page_size(), spare(self));
}

TEST_F(ahead, many_processes_have_few)
{
	self->reader.config.ring_size = page_size();
	ASSERT_EQ(0, open_reader(self));
	CHILDREN_ATTACHED(CHILDREN);
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_GE(MOST_OF_USER * 3 * page_size() + MOST_OF_USER * 4096, spare(self));
	EXPECT_LE(MOST_OF_USER * 3 * page_size(), spare(self));
}

/* Nor do they go for those of another session. */
TEST_F(ahead, list_that_is_full_stays_as_it_is)
{
	static struct reader other;
	unsigned long long before;

	other.config.ring_size = page_size();
	self->reader.config.ring_size = page_size();
	ASSERT_EQ(0, attach_self(self));
	be_idle(self, MOST - 1);
	CHILDREN_ATTACHED(MOST_OF_USER - MOST);
	ASSERT_EQ(0, start(self->reader.fd));
	before = spare(self);
	EXPECT_LE(MOST_OF_USER * 3 * page_size(), before);
	ASSERT_EQ(0, reader_open(&other, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, child_start(&self->children[self->nr_children], other.config.token));
	self->nr_children++;
	ASSERT_TRUE(child_steps(&self->children[self->nr_children - 1], "p"));
	ASSERT_EQ(0, start(other.fd));
	EXPECT_EQ(0, number(other.fd, "memory-spare"));
	EXPECT_EQ(before, spare(self));
	reader_close(&other);
}

/* Not all for one. */
TEST_F(ahead, each_process_has_one_before_one_has_two)
{
	self->reader.config.ring_size = 1U << 19;
	self->reader.config.memory_mb = 8;
	ASSERT_EQ(0, attach_self(self));
	be_idle(self, IDLE_MAX);
	CHILDREN_ATTACHED(4);
	ASSERT_EQ(0, start(self->reader.fd));
	/* Half of what the session may take. */
	EXPECT_EQ(7, nr_spare(self));
	for (; self->nr_children; self->nr_children--) {
		unsigned long long before = spare(self);

		ASSERT_TRUE(child_steps(&self->children[self->nr_children - 1], "ja"));
		EXPECT_LE(spare(self) + self->reader.config.ring_size, before);
		child_kill(&self->children[self->nr_children - 1]);
	}
}

/* --------------------------------------------------- what it takes from whom */

TEST_F(ahead, takes_at_most_half_of_the_session)
{
	self->reader.config.memory_mb = 4;
	self->reader.config.ring_size = 1U << 18;
	ASSERT_EQ(0, attach_self(self));
	be_idle(self, IDLE_MAX);
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_LT(0, spare(self));
	EXPECT_GE(2U << 20, spare(self));
	EXPECT_GE(number(self->reader.fd, "memory-limit"), memory(self));
}

/* All that is not spare can be had. */
TEST_F(ahead, another_process_gets_what_idle_threads_have)
{
	unsigned int nr;

	self->reader.config.memory_mb = 4;
	self->reader.config.ring_size = 1U << 18;
	ASSERT_EQ(0, attach_self(self));
	be_idle(self, IDLE_MAX);
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_LT(4, nr_spare(self));
	CHILDREN_ATTACHED(1);
	for (nr = 0; nr < 11; nr++)
		ASSERT_TRUE(child_steps(&self->children[0], "jaq")) TH_LOG("thread %u", nr);
}

TEST_F(ahead, start_of_a_session_without_room_is_no_error)
{
	self->reader.config.memory_mb = 1;
	self->reader.config.ring_size = 1U << 20;
	ASSERT_EQ(0, attach_self(self));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(0, spare(self));
	reader_stream(&self->reader);
	EXPECT_EQ(0, spare(self));
}

/* A ring that a thread has left is worth more than one that a thread may want. */
TEST_F(ahead, drives_out_no_spare_ring_of_another_session)
{
	static struct reader other = { .config = { .memory_mb = 4, .ring_size = 1U << 19 } };
	unsigned long long before;

	self->reader.config.memory_mb = 4;
	self->reader.config.ring_size = 1U << 19;
	ASSERT_EQ(0, number_write(MEMORY_MB, 4));
	ASSERT_EQ(0, attach_self(self));
	be_idle(self, IDLE_MAX);
	ASSERT_EQ(0, start(self->reader.fd));
	before = spare(self);
	EXPECT_EQ(3, nr_spare(self));
	EXPECT_EQ(0, number_write(MEMORY_MB, 2));
	EXPECT_EQ(0, reader_open(&other, self->program.control, NR_SLOTS));
	EXPECT_EQ(0, child_start(&self->children[0], other.config.token));
	self->nr_children = 1;
	EXPECT_TRUE(child_steps(&self->children[0], "p"));
	EXPECT_EQ(0, start(other.fd));
	EXPECT_EQ(0, number(other.fd, "memory-spare"));
	EXPECT_EQ(before, spare(self));
	reader_close(&other);
}

/* ---------------------------------------------------------------- its end */

TEST_F(ahead, nothing_is_left_of_it)
{
	static struct reader other;
	unsigned long long before;

	ASSERT_EQ(0, reader_open(&other, self->program.control, NR_SLOTS));
	before = number(other.fd, "user-memory");
	ASSERT_EQ(0, attach_self(self));
	be_idle(self, MOST - 1);
	CHILDREN_ATTACHED(3);
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(MOST + 3, nr_spare(self));
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_stream(&self->reader);
	/* Those of a process go once its end was read. */
	child_kill(&self->children[--self->nr_children]);
	reader_stream(&self->reader);
	EXPECT_EQ(1, self->reader.nr_process_ends);
	EXPECT_EQ(MOST + 2, nr_spare(self));
	while (self->nr_children)
		child_kill(&self->children[--self->nr_children]);
	close(self->reader.fd);
	self->reader.fd = -1;
	EXPECT_EQ(before, number(other.fd, "user-memory"));
	reader_close(&other);
}

/* More than a user may have at once. */
TEST_F(ahead, sessions_leave_nothing)
{
	unsigned int i;

	self->reader.config.ring_size = page_size();
	for (i = 0; i < 80; i++) {
		ASSERT_EQ(0, attach_self(self)) TH_LOG("session %u", i);
		ASSERT_EQ(0, start(self->reader.fd));
		reader_stream(&self->reader);
		reader_close(&self->reader);
		self->reader.slots = NULL;
	}
}

TEST_HARNESS_MAIN
