// SPDX-License-Identifier: GPL-2.0
/*
 * Proves which processes a session gets that make themselves known after it was
 * attached to them, or to their parents.
 */
#include "kselftest_harness.h"

#include <sys/stat.h>

#include "child.h"
#include "reader.h"
#include "require.h"

#define LATER		COROPROF_ATTACH_LATER
#define CHILDREN	COROPROF_ATTACH_CHILDREN
#define FOLLOWS_MAX	1024

static void __attribute__((constructor)) go_on_as_child(int argc, char **argv)
{
	child_again(argc, argv);
}

FIXTURE(follow)
{
	int control;
	struct reader reader;
	struct child child;
};

FIXTURE_SETUP(follow)
{
	self->control = open_control();
	ASSERT_LE(0, self->control);
	ASSERT_EQ(0, reader_open(&self->reader, self->control, NR_SLOTS));
	ASSERT_EQ(0, child_start(&self->child, 0));
}

FIXTURE_TEARDOWN(follow)
{
	child_kill(&self->child);
	reader_close(&self->reader);
	close(self->control);
}

/* For test bodies. */
#define ORDER(order) \
	ASSERT_EQ('y', child_step(&self->child, order)) TH_LOG("order %s", #order)
#define ATTACH(flags) \
	ASSERT_EQ(0, attach_flags(self->reader.fd, self->child.pid, flags))
#define EXPECT_ATTACHED(n) do { \
	reader_drain(&self->reader); \
	EXPECT_EQ(n, self->reader.nr_processes); \
	EXPECT_EQ(0, self->reader.nr_refused); \
	EXPECT_STREQ("", self->reader.defect); \
} while (0)

TEST_F(follow, recorded_from_the_first_coroutine_on)
{
	ASSERT_EQ(0, start(self->reader.fd));
	ATTACH(LATER);
	EXPECT_ATTACHED(0);
	ORDER('p');
	EXPECT_ATTACHED(1);
	EXPECT_EQ(self->child.pid, self->reader.process.pid);
	EXPECT_EQ(0, self->reader.process.error);
	EXPECT_STREQ("test-child", self->reader.process.comm);
	ORDER('j');
	ORDER('a');
	ORDER('b');
	ORDER('q');
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_LT(0, self->reader.logs[0].sums.slices);
	EXPECT_STREQ("", self->reader.defect);
}

TEST_F(follow, started_after_it_is_known)
{
	ATTACH(LATER);
	ORDER('p');
	ORDER('j');
	ORDER('a');
	EXPECT_ATTACHED(1);
	EXPECT_EQ(0, self->reader.nr_logs);
	ASSERT_EQ(0, start(self->reader.fd));
	ORDER('b');
	ORDER('q');
	EXPECT_ATTACHED(1);
	EXPECT_EQ(1, self->reader.nr_logs);
}

TEST_F(follow, without_later_it_must_be_known)
{
	EXPECT_EQ(-ENODEV, attach_flags(self->reader.fd, self->child.pid, 0));
	EXPECT_EQ(-ENODEV, attach_flags(self->reader.fd, self->child.pid, CHILDREN));
	ORDER('p');
	EXPECT_ATTACHED(0);
}

TEST_F(follow, known_process_is_attached_at_once)
{
	ORDER('p');
	EXPECT_LT(0, attach_flags(self->reader.fd, self->child.pid, LATER | CHILDREN));
	EXPECT_EQ(-EBUSY, attach_flags(self->reader.fd, self->child.pid, 0));
	EXPECT_LT(0, attach_flags(self->reader.fd, self->child.pid, LATER));
	EXPECT_ATTACHED(1);
	ORDER('c');
	ORDER('p');
	EXPECT_ATTACHED(2);
}

TEST_F(follow, twice_is_once)
{
	ATTACH(LATER);
	ATTACH(LATER);
	ORDER('p');
	EXPECT_ATTACHED(1);
}

TEST_F(follow, child_is_attached)
{
	ATTACH(LATER | CHILDREN);
	ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(1);
	EXPECT_NE(self->child.pid, self->reader.process.pid);
	EXPECT_LT(0, self->reader.process.pid);
}

TEST_F(follow, child_of_a_known_process_is_attached)
{
	ORDER('p');
	EXPECT_LT(0, attach_flags(self->reader.fd, self->child.pid, CHILDREN));
	ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(2);
}

TEST_F(follow, child_is_not_attached_without_the_flag)
{
	ATTACH(LATER);
	ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(0);
}

TEST_F(follow, later_flags_hold)
{
	ATTACH(LATER | CHILDREN);
	ATTACH(LATER);
	ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(0);
}

TEST_F(follow, grandchild_is_attached)
{
	ATTACH(LATER | CHILDREN);
	ORDER('f');
	ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(1);
}

/* As many generations as the ABI promises, and not one more. */
TEST_F(follow, generations)
{
	int i;

	ATTACH(LATER | CHILDREN);
	for (i = 0; i < 32; i++)
		ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(1);
}

TEST_F(follow, too_many_generations)
{
	int i;

	ATTACH(LATER | CHILDREN);
	for (i = 0; i < 33; i++)
		ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(0);
}

static void end_first(const struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
}

/* A child that was attached is followed itself. */
TEST_F(follow, goes_on_when_the_first_has_ended)
{
	ATTACH(LATER | CHILDREN);
	ORDER('f');
	ORDER('p');
	end_first(&self->child);
	ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(2);
}

TEST_F(follow, child_whose_parent_ended_before_is_not_found)
{
	ATTACH(LATER | CHILDREN);
	ORDER('f');
	ORDER('d');
	ORDER('p');
	EXPECT_ATTACHED(0);
}

TEST_F(follow, execve_before_it_is_known)
{
	ATTACH(LATER);
	ORDER('c');
	ORDER('p');
	EXPECT_ATTACHED(1);
	EXPECT_EQ(self->child.pid, self->reader.process.pid);
}

TEST_F(follow, execve_after_it_is_known)
{
	__u32 first;

	ATTACH(LATER);
	ORDER('p');
	EXPECT_ATTACHED(1);
	first = self->reader.process.process_id;
	ORDER('c');
	ORDER('p');
	EXPECT_ATTACHED(2);
	EXPECT_EQ(1, self->reader.nr_process_ends);
	EXPECT_EQ(self->child.pid, self->reader.process.pid);
	EXPECT_NE(first, self->reader.process.process_id);
}

TEST_F(follow, execve_without_later)
{
	ORDER('p');
	EXPECT_LT(0, attach_flags(self->reader.fd, self->child.pid, CHILDREN));
	ORDER('c');
	ORDER('p');
	EXPECT_ATTACHED(1);
}

TEST_F(follow, another_process_that_gets_the_id)
{
	pid_t pid = self->child.pid;

	ATTACH(LATER | CHILDREN);
	child_kill(&self->child);
	EXPECT_EQ(-ESRCH, attach_flags(self->reader.fd, pid, LATER));
	ASSERT_EQ(0, child_start_as(&self->child, 0, pid));
	ASSERT_EQ(pid, self->child.pid);
	ORDER('p');
	ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(0);
}

TEST_F(follow, closed_session)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	int other = make_session(self->control, &config);

	ASSERT_EQ(0, attach_flags(other, self->child.pid, LATER | CHILDREN));
	close(other);
	ORDER('p');
	EXPECT_LT(0, attach_flags(self->reader.fd, self->child.pid, LATER));
	EXPECT_ATTACHED(1);
}

/* Of two that wait for it the second is told. */
TEST_F(follow, one_session_to_a_process)
{
	struct pollfd ready = { .fd = self->reader.fd, .events = POLLIN };
	struct coroprof_session_config config = { .ring_size = 0 };
	struct child child;
	int other;

	other = make_session(self->control, &config);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, child_start(&child, config.token));
	ASSERT_EQ(0, attach_flags(self->reader.fd, child.pid, LATER));
	EXPECT_EQ(0, poll(&ready, 1, 0));
	CHILD('p');
	EXPECT_EQ(1, poll(&ready, 1, 0));
	reader_drain(&self->reader);
	EXPECT_EQ(0, poll(&ready, 1, 0));
	EXPECT_EQ(0, self->reader.nr_processes);
	EXPECT_EQ(1, self->reader.nr_refused);
	EXPECT_EQ(EBUSY, self->reader.refused.error);
	EXPECT_EQ(child.pid, self->reader.refused.pid);
	EXPECT_LT(0, self->reader.refused.process_id);
	EXPECT_LT(0, self->reader.refused.time);
	EXPECT_STREQ("test-child", self->reader.refused.comm);
	EXPECT_STREQ("", self->reader.defect);
	child_kill(&child);
	close(other);
}

/* What the reader is yet to be told stays. */
TEST_F(follow, refusal_outlives_another_attach)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	struct child child;
	int other;

	other = make_session(self->control, &config);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, child_start(&child, config.token));
	ASSERT_EQ(0, attach_flags(self->reader.fd, child.pid, LATER));
	CHILD('p');
	close(other);
	EXPECT_LT(0, attach_flags(self->reader.fd, child.pid, LATER));
	reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.nr_refused);
	EXPECT_EQ(1, self->reader.nr_processes);
	child_kill(&child);
}

/* Its own token has attached it, or its parent's: there is nothing to tell. */
TEST_F(follow, token_of_the_same_session)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, self->reader.config.token));
	ASSERT_EQ(0, attach_flags(self->reader.fd, child.pid, LATER | CHILDREN));
	CHILD('p');
	CHILD('f');
	CHILD('p');
	EXPECT_ATTACHED(2);
	child_kill(&child);
}

/* The limit of each user, in MiB; shows what it was before. */
static int limit_memory(const char *limit, char *before)
{
	int fd = open("/sys/module/coroprof/parameters/user_memory_mb", O_RDWR);
	int ret = -1;

	if (fd < 0)
		return -1;
	if ((!before || read(fd, before, 16) > 0) &&
	    pwrite(fd, limit, strlen(limit), 0) == (ssize_t)strlen(limit))
		ret = 0;
	close(fd);
	return ret;
}

TEST_F(follow, no_memory_left_to_the_user)
{
	char before[17] = "";

	ASSERT_EQ(0, limit_memory("0", before));
	EXPECT_EQ(-EDQUOT, attach_flags(self->reader.fd, self->child.pid, LATER));
	ASSERT_EQ(0, limit_memory(before, NULL));
	ORDER('p');
	EXPECT_ATTACHED(0);
}

/* If each left what it was charged for, there were a MiB of it. */
TEST_F_TIMEOUT(follow, closed_sessions_leave_nothing, 200)
{
	const pid_t pids[] = { self->child.pid, getpid(), getppid(), 1 };
	struct coroprof_session_config config = { .ring_size = 0 };
	char before[17] = "";
	int i, fd, ret = 0;

	ASSERT_EQ(0, limit_memory("1", before));
	for (i = 0; i < 4000 && !ret; i++) {
		unsigned int n;

		fd = make_session(self->control, &config);
		for (n = 0; n < ARRAY_SIZE(pids) && !ret; n++)
			ret = fd < 0 ? fd : attach_flags(fd, pids[n], LATER);
		close(fd);
	}
	ASSERT_EQ(0, limit_memory(before, NULL));
	EXPECT_EQ(0, ret) TH_LOG("session %d", i);
}

static void fork_idle(pid_t *pids, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

static void end_all(const pid_t *pids, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < nr; i++)
		waitpid(pids[i], NULL, 0);
}

/* Those that have ended make room. One that has none is attached all the same. */
TEST_F_TIMEOUT(follow, at_most_so_many_that_live, 200)
{
	static pid_t pids[FOLLOWS_MAX];
	int i;

	fork_idle(pids, FOLLOWS_MAX - 1);
	for (i = 0; i < FOLLOWS_MAX - 1; i++)
		ASSERT_EQ(0, attach_flags(self->reader.fd, pids[i], LATER));
	ATTACH(LATER | CHILDREN);
	EXPECT_EQ(-EDQUOT, attach_flags(self->reader.fd, getpid(), LATER));
	/* Of one that is followed only the flags change. */
	EXPECT_EQ(0, attach_flags(self->reader.fd, pids[0], LATER | CHILDREN));
	ORDER('f');
	ORDER('p');
	EXPECT_ATTACHED(1);
	end_all(pids, FOLLOWS_MAX - 1);
	EXPECT_EQ(0, attach_flags(self->reader.fd, getpid(), LATER));
}

/* What a session of nobody, inherited from its parent, comes to. */
struct of_nobody {
	struct reader reader;
	struct child child;
};

static int of_nobody_open(struct of_nobody *nobody)
{
	int control = open_control();

	if (child_start(&nobody->child, 0) || child_step(&nobody->child, 'o') != 'y')
		return 1;
	if (child_become(NOBODY, NOBODY, NOBODY, NOBODY))
		return 2;
	return reader_open(&nobody->reader, control, NR_SLOTS) ? 3 : 0;
}

static int follow_foreign(void *arg)
{
	static struct of_nobody nobody;

	(void)arg;
	return of_nobody_open(&nobody) ?:
	       -attach_flags(nobody.reader.fd, nobody.child.pid, LATER | CHILDREN);
}

TEST_F(follow, process_of_another_user)
{
	EXPECT_EQ(EPERM, in_child(follow_foreign, NULL));
}

static int follow_own(void *arg)
{
	static struct of_nobody nobody;
	int err = of_nobody_open(&nobody);

	(void)arg;
	if (err)
		return err;
	if (!child_steps(&nobody.child, "nD"))
		return 4;
	if (attach_flags(nobody.reader.fd, nobody.child.pid, LATER | CHILDREN))
		return 5;
	if (child_step(&nobody.child, 'f') != 'y' || child_step(&nobody.child, 'p') != 'y')
		return 6;
	reader_drain(&nobody.reader);
	return nobody.reader.nr_processes == 1 && !nobody.reader.nr_refused ? 0 : 7;
}

TEST_F(follow, process_of_the_same_user)
{
	EXPECT_EQ(0, in_child(follow_own, NULL));
}

/* It is attached, and then is not to be looked into any more. */
static int follow_hidden(void *arg)
{
	static struct of_nobody nobody;
	int err = of_nobody_open(&nobody);

	(void)arg;
	if (err)
		return err;
	if (!child_steps(&nobody.child, "nDp"))
		return 104;
	if (attach_flags(nobody.reader.fd, nobody.child.pid, 0) <= 0)
		return 105;
	if (!child_steps(&nobody.child, "H"))
		return 106;
	err = attach_flags(nobody.reader.fd, nobody.child.pid, LATER | CHILDREN);
	return err < 0 ? -err : 0;
}

TEST_F(follow, rights_are_those_of_the_call_if_it_is_attached_already)
{
	EXPECT_EQ(EPERM, in_child(follow_hidden, NULL));
}

/* It was nobody's when it was attached, and is root's when it makes itself known. */
static int follow_into_root(void *arg)
{
	static struct of_nobody nobody;
	int err = of_nobody_open(&nobody);

	(void)arg;
	if (err)
		return err;
	if (!child_steps(&nobody.child, "nD"))
		return 4;
	if (attach_flags(nobody.reader.fd, nobody.child.pid, LATER | CHILDREN))
		return 5;
	if (child_step(&nobody.child, 'u') != 'y' || child_step(&nobody.child, 'p') != 'y')
		return 6;
	reader_drain(&nobody.reader);
	if (nobody.reader.nr_processes)
		return 7;
	return nobody.reader.nr_refused == 1 ? nobody.reader.refused.error : 8;
}

TEST_F(follow, rights_are_those_of_when_it_is_known)
{
	ASSERT_EQ(0, child_copy_setid());
	EXPECT_EQ(EPERM, in_child(follow_into_root, NULL));
	unlink(CHILD_SETID);
}

TEST_HARNESS_MAIN
