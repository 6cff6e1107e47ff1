// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that nothing of another program is told of a thread that calls execve(),
 * though another process keeps its old address space, and its descriptors; and that
 * the new program can make itself known.
 */
#include "kselftest_harness.h"

#include <sys/stat.h>

#include "child.h"
#include "conserve.h"
#include "require.h"

static void __attribute__((constructor)) go_on_as_child(int argc, char **argv)
{
	child_again(argc, argv);
}

FIXTURE(exec)
{
	int control;
	struct reader reader;
	struct child child;
	__u64 executed;
};

FIXTURE_SETUP(exec)
{
	self->control = open_control();
	self->reader.config.nr_counters = 1;
	self->reader.config.counters[0].type = PERF_TYPE_SOFTWARE;
	self->reader.config.counters[0].config = PERF_COUNT_SW_TASK_CLOCK;
	ASSERT_EQ(0, reader_open(&self->reader, self->control, NR_SLOTS));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, child_start(&self->child, self->reader.config.token));
}

FIXTURE_TEARDOWN(exec)
{
	child_kill(&self->child);
	reader_close(&self->reader);
	close(self->control);
}

/* For test bodies. */
#define ORDERS(orders) ASSERT_TRUE(child_steps(&self->child, orders)) TH_LOG("orders %s", orders)

/* The new program runs for much longer than the old one, asleep and awake. */
#define EXECUTE(how) do { \
	ORDERS(how); \
	self->executed = wall_ns(); \
	sleep_ms(30); \
	ORDERS("S"); \
	sleep_ms(30); \
	ORDERS("S"); \
	reader_drain(&self->reader); \
	EXPECT_STREQ("", conservation(&self->reader)); \
	ASSERT_EQ(1, self->reader.nr_logs); \
	EXPECT_TRUE(self->reader.logs[0].ended); \
	EXPECT_GE(self->executed, self->reader.logs[0].end); \
	EXPECT_LE(2, self->reader.logs[0].sums.slices); \
} while (0)

TEST_F(exec, alone)
{
	ORDERS("pjaba");
	EXECUTE("c");
	EXPECT_EQ(1, self->reader.nr_process_ends);
}

TEST_F(exec, memory_is_shared)
{
	ORDERS("pjabam");
	EXECUTE("c");
	EXPECT_EQ(1, self->reader.nr_process_ends);
}

/*
 * Nobody knows when it was: the last slice that is whole is the last one. Unless the
 * thread was scheduled within execve(), which cuts the one that was open.
 */
TEST_F(exec, memory_is_shared_and_descriptors_stay)
{
	int error;

	ORDERS("pjabamK");
	EXECUTE("c");
	error = self->reader.logs[0].end_error;
	EXPECT_EQ(error ? ESTALE : 0, error);
	EXPECT_EQ(error ? 2 : 3, self->reader.logs[0].sums.slices);
}

static unsigned int effective_uid(pid_t pid)
{
	unsigned int uid = -1U;
	char line[128];
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/status", pid);
	file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file) && sscanf(line, "Uid: %*u %u", &uid) != 1)
		;
	if (file)
		fclose(file);
	return uid;
}

TEST_F(exec, memory_is_shared_and_the_new_program_is_set_user_id)
{
	ASSERT_EQ(0, child_copy_setid());
	ORDERS("onDpjabamK");
	EXPECT_EQ(NOBODY, effective_uid(self->child.pid));
	EXECUTE("u");
	EXPECT_EQ(0, effective_uid(self->child.pid));
	unlink(CHILD_SETID);
}

TEST_F(exec, stopped_while_the_new_program_runs)
{
	ORDERS("pjabamK");
	EXECUTE("c");
	EXPECT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_GE(self->executed, self->reader.logs[0].end);
}

TEST_F(exec, new_program_makes_itself_known)
{
	static const char *const before[] = { "pjaba", "pjabam", "pjabamK" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct child child;

		ASSERT_EQ(0, child_start(&child, self->reader.config.token));
		ASSERT_EQ(0, attach_flags(self->reader.fd, child.pid, COROPROF_ATTACH_LATER));
		ASSERT_TRUE(child_steps(&child, before[i]));
		ASSERT_TRUE(child_steps(&child, "cp")) TH_LOG("after %s", before[i]);
		ASSERT_TRUE(child_steps(&child, "jabaq"));
		reader_drain(&self->reader);
		EXPECT_EQ(2 * (i + 1), self->reader.nr_processes);
		EXPECT_EQ(2 * (i + 1), self->reader.nr_logs);
		EXPECT_LT(0, self->reader.logs[2 * i + 1].sums.slices);
		child_kill(&child);
	}
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_EQ(6, self->reader.nr_process_ends);
}

/* The new one ends before it was off a CPU once, or does not. */
TEST_F(exec, new_program_that_ends_at_once)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		const struct log *log = &self->reader.logs[i];
		__u64 before, after;
		struct child child;

		ASSERT_EQ(0, child_start(&child, self->reader.config.token));
		ASSERT_TRUE(child_steps(&child, "pjabamK"));
		before = wall_ns();
		ASSERT_EQ('!', child_step(&child, 'E'));
		waitpid(child.pid, NULL, 0);
		after = wall_ns();
		reader_drain(&self->reader);
		ASSERT_EQ(i + 1, self->reader.nr_logs);
		EXPECT_TRUE(log->ended);
		/* Off the CPU within execve() it ends there, else with its last whole slice. */
		EXPECT_GE(log->end_error ? before : after, log->end);
		EXPECT_TRUE(log->end_error || log->last.flags & COROPROF_SLICE_CUT);
		child_kill(&child);
	}
}

TEST_HARNESS_MAIN
