// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a process can't hide from root by a session of its own, that the
 * session it is taken from is told, and that nothing of either gets mixed up.
 */
#include "kselftest_harness.h"

#include "child.h"
#include "conserve.h"
#include "require.h"

/* A session of nobody, which has a process of nobody, which switches. */
FIXTURE(takeover)
{
	int control;
	struct reader weak;
	struct reader strong;
	struct child child;
};

/* With the rights of nobody, for the test that is root. */
static int open_as_nobody(struct reader *reader, int control)
{
	int err;

	if (setresgid(NOBODY, NOBODY, 0) || setresuid(NOBODY, NOBODY, 0))
		return -errno;
	err = reader_open(reader, control, NR_SLOTS);
	if (setresuid(0, 0, 0) || setresgid(0, 0, 0))
		return -errno;
	return err;
}

FIXTURE_SETUP(takeover)
{
	self->control = open_control();
	/* Some tests make many, and forget none. */
	self->weak.config.ring_size = 4 * page_size();
	ASSERT_EQ(0, open_as_nobody(&self->weak, self->control));
	ASSERT_EQ(0, reader_open(&self->strong, self->control, NR_SLOTS));
	ASSERT_EQ(0, child_start(&self->child, 0));
	ASSERT_TRUE(child_steps(&self->child, "pnDj"));
	ASSERT_EQ(0, attach(self->weak.fd, self->child.pid));
	ASSERT_EQ(0, start(self->weak.fd));
	ASSERT_EQ(0, start(self->strong.fd));
}

FIXTURE_TEARDOWN(takeover)
{
	child_kill(&self->child);
	reader_close(&self->weak);
	reader_close(&self->strong);
	close(self->control);
}

/* For test bodies. */
#define ORDERS(orders) ASSERT_TRUE(child_steps(&self->child, orders)) TH_LOG("orders %s", orders)

TEST_F(takeover, the_session_with_more_rights_has_it_from_then_on)
{
	ORDERS("abab");
	ASSERT_EQ(0, attach(self->strong.fd, self->child.pid));
	ORDERS("aba");
	reader_drain(&self->weak);
	EXPECT_EQ(1, self->weak.nr_processes);
	EXPECT_EQ(1, self->weak.nr_process_ends);
	EXPECT_EQ(EBUSY, self->weak.process_end.error);
	EXPECT_LE(self->weak.process.time, self->weak.process_end.time);
	EXPECT_STREQ("", conservation(&self->weak));
	ASSERT_EQ(1, self->weak.nr_logs);
	EXPECT_TRUE(self->weak.logs[0].ended);
	EXPECT_EQ(4, self->weak.logs[0].sums.slices);
	ORDERS("q");
	reader_drain(&self->strong);
	EXPECT_STREQ("", conservation(&self->strong));
	ASSERT_EQ(1, self->strong.nr_logs);
	EXPECT_EQ(3, self->strong.logs[0].sums.slices);
	EXPECT_LE(self->weak.logs[0].end, self->strong.logs[0].record.time);
}

TEST_F(takeover, the_session_with_fewer_rights_does_not_get_it_back)
{
	ASSERT_EQ(0, attach(self->strong.fd, self->child.pid));
	EXPECT_EQ(-EBUSY, attach(self->weak.fd, self->child.pid));
	reader_drain(&self->weak);
	EXPECT_EQ(-EBUSY, attach(self->weak.fd, self->child.pid));
	close(self->strong.fd);
	self->strong.fd = -1;
	EXPECT_EQ(0, attach(self->weak.fd, self->child.pid));
	ORDERS("ab");
	reader_drain(&self->weak);
	EXPECT_EQ(2, self->weak.nr_processes);
	EXPECT_EQ(1, self->weak.nr_process_ends);
}

/* What it does with processes that it has no longer. */
TEST_F(takeover, stop_and_close_of_the_session_that_lost_it_change_nothing)
{
	ORDERS("ab");
	ASSERT_EQ(0, attach(self->strong.fd, self->child.pid));
	ORDERS("ab");
	EXPECT_EQ(0, stop(self->weak.fd));
	EXPECT_EQ(0, start(self->weak.fd));
	ORDERS("ab");
	close(self->weak.fd);
	self->weak.fd = -1;
	ORDERS("abq");
	reader_drain(&self->strong);
	EXPECT_STREQ("", conservation(&self->strong));
	ASSERT_EQ(1, self->strong.nr_logs);
	EXPECT_EQ(6, self->strong.logs[0].sums.slices);
	EXPECT_EQ(0, self->strong.nr_process_ends);
}

TEST_F(takeover, follower_takes_it_over_too)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, self->weak.config.token));
	ASSERT_EQ(0, attach_flags(self->strong.fd, child.pid, COROPROF_ATTACH_LATER));
	ASSERT_TRUE(child_steps(&child, "onDp"));
	reader_drain(&self->strong);
	EXPECT_EQ(1, self->strong.nr_processes);
	EXPECT_EQ(0, self->strong.nr_refused);
	reader_drain(&self->weak);
	EXPECT_EQ(2, self->weak.nr_processes);
	EXPECT_EQ(1, self->weak.nr_process_ends);
	child_kill(&child);
}

TEST_F(takeover, sessions_with_equal_rights_wait_for_each_other)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	int other = make_session(self->control, &config);

	ASSERT_EQ(0, attach(self->strong.fd, self->child.pid));
	EXPECT_EQ(-EBUSY, attach(other, self->child.pid));
	close(other);
}

/* Under switches, starts and stops of both. */
TEST_F(takeover, again_and_again)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	unsigned int i;

	for (i = 0; i < 50; i++) {
		int other = make_session(self->control, &config);

		ASSERT_EQ(0, start(other));
		ORDERS("ab");
		ASSERT_EQ(0, attach(other, self->child.pid));
		ORDERS("ab");
		close(other);
		reader_drain(&self->weak);
		ASSERT_EQ(i + 1, self->weak.nr_process_ends);
		ASSERT_EQ(0, attach(self->weak.fd, self->child.pid));
	}
	EXPECT_STREQ("", self->weak.defect);
	EXPECT_EQ(50, self->weak.nr_logs);
}

TEST_HARNESS_MAIN
