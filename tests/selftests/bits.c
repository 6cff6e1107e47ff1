// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that 32-bit programs are refused as documented: whatever they ask for, with descriptors
 * that they open or inherit, and in front of probes. A 64-bit program, built of the same source,
 * is served: so what refuses is the number of bits.
 */
#include "kselftest_harness.h"

#include "caller.h"
#include "child.h"
#include "probed.h"
#include "program.h"
#include "reader.h"
#include "require.h"

FIXTURE(bits)
{
	struct program program;
	int channel;
	struct reader reader;
	struct child child;
	struct reader totals;
	int view;
	int answers[2];
	char path[128];
};

FIXTURE_SETUP(bits)
{
	struct coroprof_view view;

	self->view = -1;
	self->totals.config.flags = COROPROF_SESSION_TOTALS;
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, reader_open(&self->totals, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, pipe(self->answers));

	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_LE(0, self->channel);
	ASSERT_EQ(0, switch_to(self->channel, 2));

	ASSERT_EQ(0, child_start(&self->child, 0));
	ASSERT_TRUE(child_steps(&self->child, "pj"));
	self->view = open_view(self->totals.fd, attach_flags(self->totals.fd, self->child.pid, 0),
			       &view);
	ASSERT_LE(0, self->view);
}

FIXTURE_TEARDOWN(bits)
{
	child_kill(&self->child);
	close(self->view);
	reader_close(&self->totals);
	reader_close(&self->reader);
	close(self->channel);
	program_close(&self->program);
	close(self->answers[0]);
	close(self->answers[1]);
}

/* Of caller_32 or caller_64, which are beside this program. Returns whether it is there. */
static bool find_caller(const char *name, char *path, size_t room)
{
	ssize_t len = readlink("/proc/self/exe", path, room - 1);

	if (len < 0)
		return false;
	path[len] = '\0';
	len = strrchr(path, '/') + 1 - path;
	snprintf(path + len, room - len, "%s", name);
	return !access(path, X_OK);
}

/* In the child. 126: the kernel runs no such program. */
static void execute(const char *path)
{
	execl(path, path, NULL);
	_exit(errno == ENOEXEC ? 126 : 127);
}

static void hand_over(const FIXTURE_DATA(bits) *self)
{
	dup2(self->answers[1], CALLER_ANSWERS);
	dup2(self->program.control, CALLER_CONTROL);
	dup2(self->program.process, CALLER_PROCESS);
	dup2(self->channel, CALLER_CHANNEL);
	dup2(self->reader.fd, CALLER_SESSION);
	dup2(self->view, CALLER_VIEW);
}

/* Has caller use the descriptors. Returns the exit status of the child. */
static int run_caller(FIXTURE_DATA(bits) *self, struct caller_answers *answers)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		hand_over(self);
		execute(self->path);
	}
	waitpid(pid, &status, 0);
	if (status)
		return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return read(self->answers[0], answers, sizeof(*answers)) == sizeof(*answers) ? 0 : -EIO;
}

#define NEED_CALLER_32() do {							\
	if (!find_caller("caller_32", self->path, sizeof(self->path)))		\
		SKIP(return, "no caller_32: no compiler for 32 bits was there when this was built"); \
} while (0)

#define RUN_CALLER_32(answers) do {						\
	int status = run_caller(self, answers);					\
	if (status == 126)							\
		SKIP(return, "this kernel, or processor, runs no 32-bit program"); \
	ASSERT_EQ(0, status);							\
} while (0)

static bool module_has_said(const char *text)
{
	char line[8192];
	bool said = false;
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	ssize_t len;

	/* EPIPE: what comes next was overwritten; the next read goes on behind it. */
	while (!said && ((len = read(fd, line, sizeof(line) - 1)) > 0 || errno == EPIPE)) {
		line[len > 0 ? len : 0] = '\0';
		said = strstr(line, text);
	}
	close(fd);
	return said;
}

TEST_F(bits, a_64_bit_program_is_served)
{
	struct caller_answers is;

	ASSERT_TRUE(find_caller("caller_64", self->path, sizeof(self->path)));
	ASSERT_EQ(0, run_caller(self, &is));
	EXPECT_EQ(0, is.calls[CALLER_OPEN]);
	EXPECT_EQ(0, is.calls[CALLER_INFO]);
	EXPECT_EQ(0, is.calls[CALLER_MAKE_PROCESS]);
	/* Of another process, and of a thread of it. */
	EXPECT_EQ(-EPERM, is.calls[CALLER_LABEL]);
	EXPECT_EQ(-EPERM, is.calls[CALLER_MAP_PROCESS]);
	EXPECT_EQ(-EPERM, is.calls[CALLER_SWITCH]);
	EXPECT_EQ(-EPERM, is.calls[CALLER_MAP_CHANNEL]);
	EXPECT_EQ(0, is.calls[CALLER_STOP]);
	EXPECT_EQ(0, is.calls[CALLER_READ]);
	EXPECT_EQ(0, is.calls[CALLER_MAP_RING]);
	EXPECT_EQ(0, is.calls[CALLER_TOUCHED]);
	EXPECT_EQ(0, is.calls[CALLER_MAP_VIEW]);
}

TEST_F(bits, a_32_bit_program_is_refused)
{
	struct caller_answers is;

	NEED_CALLER_32();
	RUN_CALLER_32(&is);
	EXPECT_EQ(-EOPNOTSUPP, is.calls[CALLER_OPEN]);
	EXPECT_EQ(-ENOTTY, is.calls[CALLER_INFO]);
	EXPECT_EQ(-ENOTTY, is.calls[CALLER_MAKE_PROCESS]);
	EXPECT_EQ(-ENOTTY, is.calls[CALLER_LABEL]);
	EXPECT_EQ(-EOPNOTSUPP, is.calls[CALLER_MAP_PROCESS]);
	EXPECT_EQ(-ENOTTY, is.calls[CALLER_SWITCH]);
	EXPECT_EQ(-EOPNOTSUPP, is.calls[CALLER_MAP_CHANNEL]);
	EXPECT_EQ(-ENOTTY, is.calls[CALLER_STOP]);
	EXPECT_EQ(-EOPNOTSUPP, is.calls[CALLER_READ]);
	EXPECT_EQ(-EOPNOTSUPP, is.calls[CALLER_MAP_RING]);
	EXPECT_EQ(-ENOTTY, is.calls[CALLER_TOUCHED]);
	EXPECT_EQ(-EOPNOTSUPP, is.calls[CALLER_MAP_VIEW]);
	/* The session still records. */
	EXPECT_EQ(0, stop(self->reader.fd));
	EXPECT_TRUE(module_has_said("the module serves no 32-bit program"));
}

#if defined(__x86_64__)
TEST_F(bits, a_32_bit_system_call_of_a_64_bit_program_is_refused)
{
	struct caller_answers is;

	ASSERT_TRUE(find_caller("caller_64", self->path, sizeof(self->path)));
	ASSERT_EQ(0, run_caller(self, &is));
	EXPECT_EQ(-EOPNOTSUPP, is.calls[CALLER_OPEN_32]);
	EXPECT_EQ(-ENOTTY, is.calls[CALLER_INFO_32]);
}
#endif

/* ---- probes */

FIXTURE(probes)
{
	int control;
	struct reader reader;
	int go[2];
	int answers[2];
	char path[128];
};

FIXTURE_SETUP(probes)
{
	self->control = open_control();
	ASSERT_EQ(0, reader_open(&self->reader, self->control, 1U << 20));
	ASSERT_EQ(0, pipe(self->go));
	ASSERT_EQ(0, pipe(self->answers));
}

FIXTURE_TEARDOWN(probes)
{
	reader_close(&self->reader);
	close(self->control);
	close(self->go[0]);
	close(self->go[1]);
	close(self->answers[0]);
	close(self->answers[1]);
}

/* At caller_visited(). */
static int put_probe(int session, const char *path)
{
	static char bytes[1 << 17];
	struct coroprof_probe probe = { .role = COROPROF_PROBE_OUT };
	const char *mark;
	ssize_t len;
	int err;

	probe.fd = open(path, O_RDONLY | O_CLOEXEC);
	len = read(probe.fd, bytes, sizeof(bytes));
	mark = len > 0 ? memmem(bytes, len, CALLER_MARK, strlen(CALLER_MARK)) : NULL;
	if (!mark)
		return -ENOENT;
	probe.offset = mark + strlen(CALLER_MARK) - bytes;
	probe.address = probe.offset;
	err = add_probe(session, &probe);
	close(probe.fd);
	return err;
}

/* The code of caller_visited(), if there is no probe: the byte is in the file. */
static int first_byte(const char *path)
{
	static char bytes[1 << 17];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, bytes, sizeof(bytes));
	const char *mark = memmem(bytes, len, CALLER_MARK, strlen(CALLER_MARK));

	close(fd);
	return (unsigned char)mark[strlen(CALLER_MARK)];
}

static pid_t start_caller(const FIXTURE_DATA(probes) *self)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	if (read(self->go[0], &byte, 1) != 1)
		_exit(1);
	dup2(self->answers[1], CALLER_ANSWERS);
	execute(self->path);
	return 0;
}

/*
 * Has caller come to the probe three times, while the session follows it, or this process and its
 * children. Returns the exit status.
 */
static int visit(FIXTURE_DATA(probes) *self, pid_t follow, pid_t pid,
		 struct caller_answers *answers)
{
	__u32 flags = COROPROF_ATTACH_LATER | (follow == pid ? 0 : COROPROF_ATTACH_CHILDREN);
	int status;

	if (attach_flags(self->reader.fd, follow, flags) || start(self->reader.fd) ||
	    write(self->go[1], "g", 1) != 1)
		return -EIO;
	waitpid(pid, &status, 0);
	if (status)
		return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return read(self->answers[0], answers, sizeof(*answers)) == sizeof(*answers) ? 0 : -EIO;
}

TEST_F(probes, a_64_bit_program_is_recorded)
{
	struct caller_answers is;
	pid_t pid;

	ASSERT_TRUE(find_caller("caller_64", self->path, sizeof(self->path)));
	ASSERT_EQ(0, put_probe(self->reader.fd, self->path));
	pid = start_caller(self);
	ASSERT_EQ(0, visit(self, pid, pid, &is));
	reader_stream(&self->reader);
	EXPECT_EQ(0, self->reader.nr_refused);
	EXPECT_EQ(1, self->reader.nr_processes);
	EXPECT_EQ(pid, self->reader.process.pid);
	EXPECT_NE(first_byte(self->path), is.no_probe);
}

#define EXPECT_REFUSED(of) do {						\
	EXPECT_EQ(0, self->reader.nr_processes);			\
	EXPECT_EQ(0, self->reader.nr_logs);				\
	EXPECT_EQ(1, self->reader.nr_refused);				\
	EXPECT_EQ(EOPNOTSUPP, self->reader.refused.error);		\
	EXPECT_EQ(0, self->reader.refused.process_id);			\
	EXPECT_EQ(of, self->reader.refused.pid);			\
	EXPECT_STREQ("caller_32", self->reader.refused.comm);		\
	/* Its probe is gone. */					\
	EXPECT_EQ(first_byte(self->path), is.no_probe);			\
} while (0)

#define VISIT_32(follow, pid) do {						\
	int status = visit(self, follow, pid, &is);				\
	if (status == 126)							\
		SKIP(return, "this kernel, or processor, runs no 32-bit program"); \
	ASSERT_EQ(0, status);							\
} while (0)

#if defined(__aarch64__)
/* The kernel itself puts no probe into such a program. */
TEST_F(probes, a_32_bit_program_has_none)
{
	struct caller_answers is;
	pid_t pid;

	NEED_CALLER_32();
	ASSERT_EQ(0, put_probe(self->reader.fd, self->path));
	pid = start_caller(self);
	VISIT_32(pid, pid);
	reader_stream(&self->reader);
	EXPECT_EQ(0, self->reader.nr_processes);
	EXPECT_EQ(0, self->reader.nr_refused);
	EXPECT_EQ(first_byte(self->path), is.no_probe);
}
#else
TEST_F(probes, a_32_bit_program_is_reported_once)
{
	struct caller_answers is;
	pid_t pid;

	NEED_CALLER_32();
	ASSERT_EQ(0, put_probe(self->reader.fd, self->path));
	pid = start_caller(self);
	VISIT_32(pid, pid);
	reader_stream(&self->reader);
	EXPECT_REFUSED(pid);
}

TEST_F(probes, a_32_bit_child_is_reported_by_its_own_number)
{
	struct caller_answers is;
	pid_t pid;

	NEED_CALLER_32();
	ASSERT_EQ(0, put_probe(self->reader.fd, self->path));
	pid = start_caller(self);
	VISIT_32(getpid(), pid);
	reader_stream(&self->reader);
	EXPECT_REFUSED(pid);
}
#endif

TEST_HARNESS_MAIN
