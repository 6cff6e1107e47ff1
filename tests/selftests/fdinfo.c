// SPDX-License-Identifier: GPL-2.0
/* Proves that /proc/PID/fdinfo says of each descriptor what there is. */
#include "kselftest_harness.h"

#include "program.h"
#include "reader.h"
#include "require.h"
#include "says.h"

#define NR_SLOTS 16U

FIXTURE(fdinfo)
{
	struct program program;
	struct reader reader;
	int channel;
};

FIXTURE_SETUP(fdinfo)
{
	memset(&self->reader, 0, sizeof(self->reader));
	self->reader.config.ring_size = page_size();
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_LE(0, self->channel);
}

FIXTURE_TEARDOWN(fdinfo)
{
	close(self->channel);
	close(self->reader.fd);
	program_close(&self->program);
}

TEST_F(fdinfo, of_a_process)
{
	int fd = self->program.process;

	EXPECT_LT(0, number(fd, "process-id"));
	EXPECT_EQ(NR_SLOTS, number(fd, "slots"));
	EXPECT_STREQ("1", says(fd, "threads"));
	EXPECT_STREQ("0", says(fd, "labels"));
	EXPECT_STREQ("no", says(fd, "attached"));
	EXPECT_STREQ("no", says(fd, "ended"));
	make_label(fd, "name", 4);
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	EXPECT_STREQ("1", says(fd, "labels"));
	EXPECT_STREQ("yes", says(fd, "attached"));
}

TEST_F(fdinfo, of_a_channel)
{
	int fd = self->channel;

	EXPECT_EQ(number(self->program.process, "process-id"), number(fd, "process-id"));
	EXPECT_EQ((unsigned long long)thread_id(), number(fd, "tid"));
	EXPECT_STREQ("not recorded", says(fd, "mode"));
	EXPECT_STREQ("", says(fd, "ring-size"));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(fd, 2));
	ASSERT_EQ(0, switch_to(fd, 3));
	EXPECT_STREQ("ioctl", says(fd, "mode"));
	EXPECT_EQ((unsigned long long)page_size(), number(fd, "ring-size"));
	EXPECT_LT(0, number(fd, "ring-used"));
	EXPECT_STREQ("0", says(fd, "lost"));
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_STREQ("not recorded", says(fd, "mode"));
}

TEST_F(fdinfo, of_a_session)
{
	int fd = self->reader.fd, i;

	EXPECT_STREQ("no", says(fd, "started"));
	EXPECT_STREQ("0", says(fd, "processes"));
	ASSERT_EQ(0, attach(fd, getpid()));
	ASSERT_EQ(0, start(fd));
	EXPECT_STREQ("yes", says(fd, "started"));
	EXPECT_STREQ("1", says(fd, "processes"));
	EXPECT_STREQ("0", says(fd, "threads"));
	EXPECT_EQ((unsigned long long)page_size(), number(fd, "ring-size"));
	for (i = 0; i < 10000; i++)
		ASSERT_EQ(0, switch_to(self->channel, 2 + i % 2));
	EXPECT_STREQ("1", says(fd, "threads"));
	EXPECT_STREQ("0", says(fd, "ended-threads"));
	/* One slice less than there were switches; each takes at least 40 bytes. */
	EXPECT_LE(9999 - page_size() / 40, number(fd, "lost"));
	EXPECT_GT(10000, number(fd, "lost"));
	EXPECT_STREQ("0", says(fd, "unrecorded"));
	EXPECT_LT((unsigned long long)page_size(), number(fd, "memory"));
	EXPECT_LE(number(fd, "memory"), number(fd, "memory-limit"));
	EXPECT_STRNE("", says(fd, "memory-spare"));
	EXPECT_LT(number(fd, "memory-spare"), number(fd, "memory"));
	EXPECT_LE(number(fd, "memory"), number(fd, "user-memory"));
	ASSERT_EQ(0, stop(fd));
	EXPECT_STREQ("0", says(fd, "threads"));
	EXPECT_STREQ("1", says(fd, "ended-threads"));
}

TEST_HARNESS_MAIN
