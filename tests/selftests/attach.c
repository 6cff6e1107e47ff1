// SPDX-License-Identifier: GPL-2.0
/*
 * Proves who may attach to what, and what a token is good for.
 */
#include "kselftest_harness.h"

#include "child.h"
#include "reader.h"
#include "require.h"

static void __attribute__((constructor)) go_on_as_child(int argc, char **argv)
{
	child_again(argc, argv);
}

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

/* Whoever changes its ids may not be looked into, until it says otherwise. */
TEST_F(attach, ids_must_be_the_same)
{
	const struct {
		const char *become;
		int error;
	} cases[] = {
		{ "nD", 0 }, { "rD", EPERM }, { "sD", EPERM }, { "eD", EPERM }, { "gD", EPERM },
		{ "", EPERM }, { "n", EPERM }, { "nDH", EPERM },
	};
	struct child child;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, child_start(&child, 0));
		CHILD('p');
		ASSERT_TRUE(child_steps(&child, cases[i].become));
		EXPECT_EQ(cases[i].error, in_child(attach_as_nobody, &child.pid))
			TH_LOG("case %u: %s", i, cases[i].become);
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

/* The capabilities that it has in there count for nothing outside. */
TEST_F(attach, session_of_a_user_namespace_gets_nothing_outside_of_it)
{
	struct child child;
	int ret;

	ASSERT_EQ(0, child_start(&child, 0));
	CHILD('p');
	CHILD('n');
	CHILD('D');
	ret = in_child(attach_from_own_namespace, &child.pid);
	child_kill(&child);
	if (ret == NO_NAMESPACE)
		SKIP(return, "users may make no user namespaces here");
	EXPECT_EQ(EPERM, ret);
}

/* As a rootless container is to who runs it: the namespace is nobody's. */
static int attach_into_own_container(void *arg)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	int session, control = open_control();
	struct child child;

	(void)arg;
	if (child_start(&child, 0) || !child_steps(&child, "on"))
		return 100;
	if (child_step(&child, 'w') != 'y')
		return NO_NAMESPACE;
	if (child_become(NOBODY, NOBODY, NOBODY, NOBODY))
		return 101;
	session = make_session(control, &config);
	if (session < 0)
		return 103;
	/* What it has of before the namespace is root's, until it runs another program. */
	if (!child_steps(&child, "p") || attach(session, child.pid) != -EPERM)
		return 104;
	return child_steps(&child, "D") ? -attach(session, child.pid) : 105;
}

TEST_F(attach, user_namespace_of_the_sessions_user)
{
	int ret = in_child(attach_into_own_container, NULL);

	if (ret == NO_NAMESPACE)
		SKIP(return, "users may make no user namespaces here");
	EXPECT_EQ(0, ret);
}

/* Nothing is done that the caller can't be told. */
TEST_F(attach, answer_that_can_not_be_written_attaches_nothing)
{
	struct coroprof_attach *config;
	struct child child;

	config = map_at(-1, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	ASSERT_NE(NULL, config);
	ASSERT_EQ(0, child_start(&child, 0));
	CHILD('p');
	*config = (struct coroprof_attach){ .size = sizeof(*config), .pid = child.pid };
	ASSERT_EQ(0, mprotect(config, page_size(), PROT_READ));
	EXPECT_EQ(-EFAULT, call(self->session, COROPROF_IOC_ATTACH, config));
	ASSERT_EQ(0, mprotect(config, page_size(), PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, call(self->session, COROPROF_IOC_ATTACH, config));
	EXPECT_LT(0, config->process_id);
	munmap(config, page_size());
	child_kill(&child);
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
