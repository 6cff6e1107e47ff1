// SPDX-License-Identifier: GPL-2.0
/*
 * Proves who may attach to what, and what a token is good for.
 */
#include "kselftest_harness.h"

#include "child.h"
#include "reader.h"
#include "require.h"

FIXTURE(attach)
{
	int control;
	int session;
	struct coroprof_session_config config;
};

FIXTURE_SETUP(attach)
{
	self->control = open_control();
	ASSERT_LE(0, self->control);
	self->session = make_session(self->control, &self->config);
	ASSERT_LE(0, self->session);
}

FIXTURE_TEARDOWN(attach)
{
	close(self->session);
	close(self->control);
}

TEST_F(attach, no_such_process)
{
	EXPECT_EQ(-ESRCH, attach(self->session, 0x3fffffff));
	EXPECT_EQ(-ESRCH, attach(self->session, 0));
	EXPECT_EQ(-ESRCH, attach(self->session, -1));
	EXPECT_EQ(-ESRCH, attach(self->session, INT32_MIN));
}

TEST_F(attach, process_that_is_not_known)
{
	EXPECT_EQ(-ENODEV, attach(self->session, getpid()));
	EXPECT_EQ(-ENODEV, attach(self->session, 1));
}

TEST_F(attach, one_session_to_a_process)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	int other = make_session(self->control, &config);
	struct child child;

	ASSERT_EQ(0, child_start(&child, 0));
	CHILD('p');
	EXPECT_EQ(0, attach(self->session, child.pid));
	EXPECT_EQ(-EBUSY, attach(other, child.pid));
	close(self->session);
	EXPECT_EQ(0, attach(other, child.pid));
	child_kill(&child);
	close(other);
	self->session = -1;
}

/* The process's own session ends with it; its id may mean another then. */
TEST_F(attach, process_that_has_gone)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, 0));
	CHILD('p');
	child_kill(&child);
	EXPECT_EQ(-ESRCH, attach(self->session, child.pid));
}

/* Runs with the ids of nobody, with a session opened as such. */
static int attach_as_nobody(void *arg)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	int session, control = open_control();

	if (child_become(NOBODY, NOBODY, NOBODY, NOBODY))
		return 100;
	session = make_session(control, &config);
	if (session < 0)
		return 101;
	return -attach(session, *(pid_t *)arg);
}

TEST_F(attach, ids_must_be_the_same)
{
	const struct {
		char become;
		int error;
	} cases[] = {
		{ 'n', 0 }, { 'r', EPERM }, { 's', EPERM }, { 'e', EPERM }, { 'g', EPERM },
		{ 0, EPERM },
	};
	struct child child;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, child_start(&child, 0));
		CHILD('p');
		if (cases[i].become)
			CHILD(cases[i].become);
		EXPECT_EQ(cases[i].error, in_child(attach_as_nobody, &child.pid))
			TH_LOG("case %u", i);
		/* Root may attach to any. */
		EXPECT_EQ(0, attach(self->session, child.pid));
		child_kill(&child);
	}
}

struct passed_session {
	int session;
	pid_t pid;
};

static int attach_after_dropping(void *arg)
{
	struct passed_session *passed = arg;

	if (child_become(NOBODY, NOBODY, NOBODY, NOBODY))
		return 100;
	return -attach(passed->session, passed->pid);
}

/* A session's rights are those of who opened it, when it was opened. */
TEST_F(attach, rights_are_those_of_the_opener)
{
	struct passed_session passed = { .session = self->session };
	struct child child;

	ASSERT_EQ(0, child_start(&child, 0));
	CHILD('p');
	passed.pid = child.pid;
	EXPECT_EQ(0, in_child(attach_after_dropping, &passed));
	child_kill(&child);
}

/* Has all capabilities, in a namespace where they count for nothing outside. */
static int attach_from_own_namespace(void *arg)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	int session, control = open_control();

	if (child_become(NOBODY, NOBODY, NOBODY, NOBODY))
		return 100;
	if (unshare(CLONE_NEWUSER))
		return NO_NAMESPACE;
	session = make_session(control, &config);
	if (session < 0)
		return 101;
	return -attach(session, *(pid_t *)arg);
}

TEST_F(attach, capabilities_of_another_user_namespace_are_others)
{
	struct child child;
	int ret;

	ASSERT_EQ(0, child_start(&child, 0));
	CHILD('p');
	CHILD('k');
	EXPECT_EQ(EPERM, in_child(attach_as_nobody, &child.pid));
	ret = in_child(attach_from_own_namespace, &child.pid);
	child_kill(&child);
	if (ret == NO_NAMESPACE)
		SKIP(return, "users may make no user namespaces here");
	EXPECT_EQ(EPERM, ret);
}

/* With the same ids, and none. */
TEST_F(attach, without_capabilities_the_user_namespace_does_not_matter)
{
	struct child child;
	int ret;

	ASSERT_EQ(0, child_start(&child, 0));
	CHILD('p');
	CHILD('n');
	ret = in_child(attach_from_own_namespace, &child.pid);
	child_kill(&child);
	if (ret == NO_NAMESPACE)
		SKIP(return, "users may make no user namespaces here");
	EXPECT_EQ(0, ret);
}

FIXTURE(token)
{
	int control;
	struct reader reader;
	struct child child;
};

FIXTURE_SETUP(token)
{
	self->control = open_control();
	ASSERT_EQ(0, reader_open(&self->reader, self->control, NR_SLOTS));
}

FIXTURE_TEARDOWN(token)
{
	reader_close(&self->reader);
	close(self->control);
}

TEST_F(token, attaches)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, self->reader.config.token));
	CHILD('p');
	reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.nr_processes);
	EXPECT_EQ(child.pid, self->reader.process.pid);
	EXPECT_STREQ("test-child", self->reader.process.comm);
	child_kill(&child);
	reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.nr_process_ends);
	EXPECT_STREQ("", self->reader.defect);
}

TEST_F(token, unknown_is_no_error)
{
	struct child child;

	ASSERT_EQ(0, child_start(&child, self->reader.config.token ^ 1));
	CHILD('p');
	reader_drain(&self->reader);
	EXPECT_EQ(0, self->reader.nr_processes);
	EXPECT_EQ(0, attach(self->reader.fd, child.pid));
	child_kill(&child);
}

/* A token is consent of the process, not a right of the session. */
static int token_of_nobody(void *arg)
{
	static struct reader reader;
	struct child child;
	int control = open_control();

	(void)arg;
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, 0))
		return 1;
	if (reader_open(&reader, control, NR_SLOTS))
		return 2;
	/* Back to root, so that the child is. */
	if (setresuid(0, 0, 0) || child_start(&child, reader.config.token))
		return 3;
	if (child_step(&child, 'p') != 'y')
		return 4;
	reader_drain(&reader);
	child_kill(&child);
	return reader.nr_processes ? 5 : 0;
}

TEST_F(token, gives_no_rights)
{
	EXPECT_EQ(0, in_child(token_of_nobody, NULL));
}

TEST_HARNESS_MAIN
