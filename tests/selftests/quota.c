// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that no user, session or recorded process takes more of the kernel's
 * memory than it may, nor what is meant for others, and that whoever is at a bound
 * is told.
 */
#include "kselftest_harness.h"

#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "child.h"
#include "conserve.h"
#include "parameter.h"
#include "require.h"

#define MEMORY_MB	PARAMETER("user_memory_mb")
#define SESSIONS	PARAMETER("user_sessions")
#define CHANNELS	PARAMETER("user_channels")
#define CGROUPS		"/coroprof-test-cgroups"
#define TARGET_GROUP	CGROUPS "/coroprof-target"
#define SESSIONS_MOST	512
/* The owner of a user namespace, and ids that he has in it. */
#define OWNER		1000
#define SUBORDINATE	100000
#define NR_SUBORDINATES	5
#define NONE_HERE	206

FIXTURE(quota)
{
	int control;
	long memory_mb;
	long sessions;
	long channels;
};

FIXTURE_SETUP(quota)
{
	self->control = open_control();
	self->memory_mb = number_read(MEMORY_MB);
	self->sessions = number_read(SESSIONS);
	ASSERT_LT(0, self->memory_mb);
	ASSERT_LT(0, self->sessions);
	self->channels = number_read(CHANNELS);
	ASSERT_LT(0, self->channels);
}

FIXTURE_TEARDOWN(quota)
{
	number_write(MEMORY_MB, self->memory_mb);
	number_write(SESSIONS, self->sessions);
	number_write(CHANNELS, self->channels);
	close(self->control);
}

/* Opens sessions until that is refused; returns how many there were. */
static int open_all(int control, int *fds)
{
	int nr;

	for (nr = 0; nr < SESSIONS_MOST; nr++) {
		struct coroprof_session_config config = { .ring_size = 0 };

		fds[nr] = make_session(control, &config);
		if (fds[nr] < 0)
			break;
	}
	return nr;
}

static void close_all(const int *fds, int nr)
{
	while (nr--)
		close(fds[nr]);
}

TEST_F(quota, sessions_of_a_user_are_counted)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	static int fds[SESSIONS_MOST];
	int nr, session;

	ASSERT_EQ(0, number_write(SESSIONS, 10));
	nr = open_all(self->control, fds);
	EXPECT_EQ(10, nr);
	EXPECT_EQ(-EDQUOT, fds[nr]);
	close(fds[3]);
	session = make_session(self->control, &config);
	EXPECT_LE(0, session);
	fds[3] = session;
	close_all(fds, nr);
}

/* A session takes two pages of the kernel's memory, and a file. */
TEST_F(quota, sessions_are_charged_what_they_take)
{
	static int fds[SESSIONS_MOST];
	int nr;

	ASSERT_EQ(0, number_write(SESSIONS, SESSIONS_MOST));
	ASSERT_EQ(0, number_write(MEMORY_MB, 1));
	nr = open_all(self->control, fds);
	EXPECT_LT(0, nr);
	EXPECT_GE((1 << 20) / 8192, nr);
	EXPECT_EQ(-EDQUOT, fds[nr]);
	close_all(fds, nr);
}

/* Uid 0 without what makes it the host's root. */
static int drop_resource(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective &= ~(1U << CAP_SYS_RESOURCE);
	data[0].permitted &= ~(1U << CAP_SYS_RESOURCE);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/* Takes all that a container's root gets; returns how much the host's root then has. */
static int exhaust_as_container(void *arg)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	static int fds[SESSIONS_MOST];
	int control = *(int *)arg, ready[2], done[2], ret;
	char byte = 0;
	pid_t pid;

	if (pipe(ready) || pipe(done))
		return 100;
	pid = fork();
	if (!pid) {
		ret = drop_resource() ? 0 : open_all(control, fds);
		byte = ret > 0 && ret < SESSIONS_MOST && fds[ret] == -EDQUOT;
		if (write(ready[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1)
			_exit(1);
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1 || byte != 1)
		return 101;
	ret = make_session(control, &config);
	if (write(done[1], &byte, 1) != 1)
		return 102;
	waitpid(pid, NULL, 0);
	return ret < 0 ? -ret : 0;
}

TEST_F(quota, root_of_a_container_does_not_take_what_is_the_hosts)
{
	EXPECT_EQ(0, in_child(exhaust_as_container, &self->control));
}

/* What one takes as often as it is given it; returns how often that was, and keeps it. */
static int take_sessions(int control)
{
	static int fds[SESSIONS_MOST];

	return open_all(control, fds);
}

static int take_a_channel(int control)
{
	int process = make_process(control, NR_SLOTS, 0);

	return process >= 0 && join(process, THREAD_SLOT) >= 0;
}

struct takers {
	int control;
	int (*take)(int control);
	bool nested;		/* each in a user namespace of its own, within that of the owner */
	int maps[2], mapped[2];	/* pipes */
	pid_t owner;
};

/* As each of the ids in the namespace, the owner's first: all keep what they have until the end. */
static int take_as_all(const struct takers *takers)
{
	int i, taken[2], end[2], sum = 0, nr;

	if (pipe(taken) || pipe(end))
		return 200;
	for (i = 0; i <= NR_SUBORDINATES; i++) {
		if (fork()) {
			if (read(taken[0], &nr, sizeof(nr)) != sizeof(nr) || nr < 0)
				return 201;
			sum += nr;
			continue;
		}
		close(end[1]);
		nr = setresgid(i, i, i) || setresuid(i, i, i) ||
		     (takers->nested && unshare(CLONE_NEWUSER)) ? -1 : takers->take(takers->control);
		if (write(taken[1], &nr, sizeof(nr)) != sizeof(nr))
			_exit(1);
		_exit(read(end[0], &nr, 1) < 0);
	}
	close(end[1]);
	for (i = 0; i <= NR_SUBORDINATES; i++)
		waitpid(-1, NULL, 0);
	return sum;
}

static int own_a_namespace(const struct takers *takers)
{
	char byte = 0;

	if (child_become(OWNER, OWNER, OWNER, OWNER) || unshare(CLONE_NEWUSER))
		return NONE_HERE;
	if (write(takers->maps[1], &byte, 1) != 1 || read(takers->mapped[0], &byte, 1) != 1)
		return 202;
	return take_as_all(takers);
}

static int write_map(pid_t pid, const char *name)
{
	char path[64], map[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	snprintf(map, sizeof(map), "0 %d 1\n1 %d %d\n", OWNER, SUBORDINATE, NR_SUBORDINATES);
	return file_write(path, map);
}

/* Returns how much all ids of a user namespace got together, below 200. */
static int take_in_namespace(void *arg)
{
	struct takers *takers = arg;
	int status;
	char byte;

	if (pipe(takers->maps) || pipe(takers->mapped))
		return 203;
	takers->owner = fork();
	if (!takers->owner)
		_exit(own_a_namespace(takers));
	close(takers->maps[1]);
	if (read(takers->maps[0], &byte, 1) == 1 &&
	    (write_map(takers->owner, "uid_map") || write_map(takers->owner, "gid_map") ||
	     write(takers->mapped[1], &byte, 1) != 1))
		return 204;
	if (waitpid(takers->owner, &status, 0) != takers->owner || !WIFEXITED(status))
		return 205;
	return WEXITSTATUS(status);
}

/* Twice: all that was taken has been given back then. */
#define EXPECT_TAKEN(expected, what, is_nested) do { \
	struct takers takers_ = { .control = self->control, .take = what, .nested = is_nested }; \
	int times_, taken_; \
	for (times_ = 0; times_ < 2; times_++) { \
		taken_ = in_child(take_in_namespace, &takers_); \
		if (taken_ == NONE_HERE) \
			SKIP(return, "users may make no user namespaces here"); \
		EXPECT_EQ(expected, taken_); \
	} \
} while (0)

TEST_F(quota, subordinate_ids_have_no_more_sessions_than_their_owner)
{
	ASSERT_EQ(0, number_write(SESSIONS, 10));
	EXPECT_TAKEN(10, take_sessions, false);
	EXPECT_TAKEN(10, take_sessions, true);
}

TEST_F(quota, subordinate_ids_have_no_more_channels_than_their_owner)
{
	ASSERT_EQ(0, number_write(CHANNELS, 3));
	EXPECT_TAKEN(3, take_a_channel, false);
}

/* Each session takes more than two pages; of 1 MiB there are fewer than of six times as much. */
TEST_F(quota, subordinate_ids_have_no_more_memory_than_their_owner)
{
	static int fds[SESSIONS_MOST];
	int nr;

	ASSERT_EQ(0, number_write(SESSIONS, SESSIONS_MOST));
	ASSERT_EQ(0, number_write(MEMORY_MB, 1));
	nr = open_all(self->control, fds);
	close_all(fds, nr);
	ASSERT_GT(200, nr);
	EXPECT_TAKEN(nr, take_sessions, false);
}

TEST_F(quota, namespace_of_a_user_takes_nothing_of_the_hosts_root)
{
	static int fds[SESSIONS_MOST];
	int nr;

	ASSERT_EQ(0, number_write(SESSIONS, 10));
	nr = open_all(self->control, fds);
	EXPECT_EQ(10, nr);
	EXPECT_TAKEN(10, take_sessions, false);
	close_all(fds, nr);
}

TEST_F(quota, default_is_a_part_of_the_memory)
{
	long pages = sysconf(_SC_PHYS_PAGES), mb = pages / (1048576 / sysconf(_SC_PAGESIZE));

	EXPECT_GE(mb / 16 + 1, self->memory_mb) TH_LOG("%ld MiB of memory", mb);
	EXPECT_GE(1024, self->memory_mb);
}

TEST_F(quota, session_is_told_its_bound)
{
	struct coroprof_session_config half = { .memory_mb = 0 }, own = { .memory_mb = 3 };
	struct coroprof_session_config much = { .memory_mb = 1U << 31 };
	int fds[3] = {
		make_session(self->control, &half), make_session(self->control, &own),
		make_session(self->control, &much),
	};

	EXPECT_LE(0, fds[0]);
	EXPECT_LE(0, fds[1]);
	EXPECT_LE(0, fds[2]);
	EXPECT_EQ((self->memory_mb + 1) / 2, half.memory_mb);
	EXPECT_EQ(3, own.memory_mb);
	EXPECT_EQ(self->memory_mb, much.memory_mb);
	close_all(fds, 3);
}

/* One that joins and leaves makes recordings as fast as it can. */
static int join_and_leave(struct program *program, int times)
{
	int ret = 0;

	while (times-- && !ret) {
		int channel = join(program->process, THREAD_SLOT);

		if (channel < 0)
			return channel;
		ret = switch_to(channel, A);
		if (ret == -EDQUOT)
			ret = 0;
		close(channel);
	}
	return ret;
}

/* What it records takes its own part, and not that of the next session. */
TEST_F(quota, recorded_process_takes_no_more_than_its_session_may)
{
	static struct reader greedy, next;
	struct program program;
	int channel;

	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	greedy.config.memory_mb = 4;
	ASSERT_EQ(0, reader_open(&greedy, program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(greedy.fd, getpid()));
	ASSERT_EQ(0, start(greedy.fd));
	ASSERT_EQ(0, join_and_leave(&program, 1000));
	ASSERT_EQ(0, reader_open(&next, program.control, NR_SLOTS));
	close(greedy.fd);
	greedy.fd = -1;
	ASSERT_EQ(0, attach(next.fd, getpid()));
	ASSERT_EQ(0, start(next.fd));
	channel = join(program.process, THREAD_SLOT);
	EXPECT_EQ(0, switch_to(channel, A));
	EXPECT_EQ(0, switch_to(channel, B));
	reader_drain(&next);
	EXPECT_EQ(1, next.nr_logs);
	close(channel);
	reader_close(&next);
	reader_close(&greedy);
	program_close(&program);
}

/* Few get the largest rings; all are recorded, in memory that has room for 32 of these. */
TEST_F(quota, rings_get_smaller_the_more_threads_there_are)
{
	static struct reader reader = { .config = { .memory_mb = 32 } };
	struct program program;
	__u32 before;
	unsigned int i;

	if (self->memory_mb < 32)
		SKIP(return, "a user may have less than 32 MiB on this machine");
	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	ASSERT_EQ(0, reader_open(&reader, program.control, NR_SLOTS));
	before = reader.config.ring_size;
	EXPECT_EQ(1 << 20, before);
	ASSERT_EQ(0, attach(reader.fd, getpid()));
	ASSERT_EQ(0, start(reader.fd));
	ASSERT_EQ(0, join_and_leave(&program, 48));
	reader_drain(&reader);
	EXPECT_STREQ("", reader.defect);
	ASSERT_EQ(48, reader.nr_logs);
	for (i = 0; i < reader.nr_logs; i++) {
		__u32 size = reader.logs[i].record.ring_size;

		EXPECT_EQ(0, reader.logs[i].record.error);
		EXPECT_LE(size, before);
		EXPECT_LE(16384, size);
		EXPECT_LE(1, reader.logs[i].sums.slices);
		before = size;
	}
	EXPECT_EQ(1 << 20, reader.logs[15].record.ring_size);
	EXPECT_GT(1 << 18, before);
	reader_close(&reader);
	program_close(&program);
}

/* Who says how large gets that, or nothing. */
TEST_F(quota, rings_of_a_size_that_was_asked_for_are_of_that_size)
{
	static struct reader reader = { .config = { .memory_mb = 8, .ring_size = 1 << 20 } };
	struct program program;
	unsigned int i;

	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	ASSERT_EQ(0, reader_open(&reader, program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(reader.fd, getpid()));
	ASSERT_EQ(0, start(reader.fd));
	ASSERT_EQ(0, join_and_leave(&program, 12));
	reader_drain(&reader);
	ASSERT_LT(1, reader.nr_logs);
	for (i = 0; i < reader.nr_logs; i++)
		EXPECT_EQ(reader.logs[i].record.error ? 0 : 1 << 20,
			  reader.logs[i].record.ring_size);
	EXPECT_EQ(EDQUOT, reader.logs[11].record.error);
	reader_close(&reader);
	program_close(&program);
}

struct stream_counts {
	unsigned int channels;
	unsigned int failed;
	__u64 unrecorded;
};

static void count_records(int fd, struct stream_counts *counts)
{
	__u64 buffer[8192 / 8];
	ssize_t got, at;

	while ((got = read(fd, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < got;) {
			const struct coroprof_record *record = (void *)buffer + at;
			const struct coroprof_record_channel *channel = (void *)record;
			const struct coroprof_record_unrecorded *unrecorded = (void *)record;

			if (record->type == COROPROF_RECORD_CHANNEL) {
				counts->channels++;
				counts->failed += channel->error == EDQUOT;
			}
			if (record->type == COROPROF_RECORD_UNRECORDED)
				counts->unrecorded = unrecorded->nr;
			at += record->size;
		}
	}
}

/* Each recording that there would be is told of: as one, as an error, or as a number. */
TEST_F(quota, whatever_is_not_recorded_is_told)
{
	struct coroprof_session_config config = { .memory_mb = 2, .ring_size = 1 << 18 };
	struct stream_counts counts = { 0 };
	struct program program;
	int session;

	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	session = make_session(program.control, &config);
	ASSERT_LE(0, session);
	ASSERT_EQ(0, fcntl(session, F_SETFL, O_RDWR | O_NONBLOCK));
	ASSERT_EQ(0, attach(session, getpid()));
	ASSERT_EQ(0, start(session));
	ASSERT_EQ(0, join_and_leave(&program, 500));
	count_records(session, &counts);
	EXPECT_LT(0, counts.channels - counts.failed);
	EXPECT_LT(0, counts.failed);
	EXPECT_LT(0, counts.unrecorded);
	EXPECT_EQ(500, counts.channels + counts.unrecorded);
	/* What is forgotten makes room. */
	EXPECT_EQ(0, forget(session, 1));
	EXPECT_EQ(0, forget(session, 2));
	counts = (struct stream_counts){ 0 };
	ASSERT_EQ(0, join_and_leave(&program, 1));
	count_records(session, &counts);
	EXPECT_EQ(1, counts.channels);
	EXPECT_EQ(0, counts.failed);
	close(session);
	program_close(&program);
}

/* How many of three recordings with rings of 64 MiB there are. */
static int large_rings(struct program *program, __u32 memory_mb)
{
	struct coroprof_session_config config = { .memory_mb = memory_mb, .ring_size = 64 << 20 };
	int session = make_session(program->control, &config);
	struct stream_counts counts = { 0 };

	if (session < 0 || fcntl(session, F_SETFL, O_RDWR | O_NONBLOCK) ||
	    attach(session, getpid()) || start(session) || join_and_leave(program, 3))
		return -1;
	count_records(session, &counts);
	close(session);
	return counts.channels == 3 ? (int)(counts.channels - counts.failed) : -2;
}

TEST_F(quota, large_rings_of_several_threads_for_who_asks_for_as_much)
{
	struct program program;

	ASSERT_EQ(0, number_write(MEMORY_MB, 240));
	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	EXPECT_EQ(1, large_rings(&program, 0));
	EXPECT_EQ(3, large_rings(&program, 240));
	program_close(&program);
}

/* A program that always says that user mode did not go well. */
TEST_F(quota, switches_make_no_recordings_without_end)
{
	static struct reader reader;
	struct program program;
	int channel, i;

	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	ASSERT_EQ(0, reader_open(&reader, program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(reader.fd, getpid()));
	ASSERT_EQ(0, start(reader.fd));
	channel = join(program.process, THREAD_SLOT);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, switch_to(channel, (i % 2 ? A : B) | COROPROF_SWITCH_KERNEL));
	reader_drain(&reader);
	EXPECT_STREQ("", conservation(&reader));
	EXPECT_GE(2, reader.nr_logs);
	EXPECT_LE(999, reader.slots[A].slices + reader.slots[B].slices + 1);
	close(channel);
	reader_close(&reader);
	program_close(&program);
}

/* Of cgroups 2, with a limit for all that is in it. Returns why not, or NULL. */
static const char *make_group(const char *limit)
{
	mkdir(CGROUPS, 0755);
	if (mount("none", CGROUPS, "cgroup2", 0, NULL))
		return "no cgroups 2 here";
	if (file_write(CGROUPS "/cgroup.subtree_control", "+memory"))
		return "cgroups here don't know of memory";
	mkdir(TARGET_GROUP, 0755);
	if (file_write(TARGET_GROUP "/memory.max", limit))
		return "no limit of memory can be set";
	return NULL;
}

static void remove_group(void)
{
	rmdir(TARGET_GROUP);
	umount(CGROUPS);
	rmdir(CGROUPS);
}

static int record_in_group(int ring_mb)
{
	static struct reader reader;
	struct child child;
	char pid[16];
	int ret;

	reader.config.ring_size = ring_mb << 20;
	reader.config.memory_mb = 512;
	if (reader_open(&reader, open_control(), NR_SLOTS) || start(reader.fd))
		return 1;
	if (child_start(&child, reader.config.token))
		return 2;
	snprintf(pid, sizeof(pid), "%d", child.pid);
	if (file_write(TARGET_GROUP "/cgroup.procs", pid))
		return 3;
	ret = child_steps(&child, "pjabab") ? 0 : 4;
	reader_drain(&reader);
	if (!ret && (reader.nr_logs != 1 || reader.logs[0].record.error))
		ret = 5;
	if (!ret && number_read(TARGET_GROUP "/memory.current") > 8 << 20)
		ret = 6;
	child_kill(&child);
	reader_close(&reader);
	return ret;
}

/* It is the reader who wants the ring. */
TEST_F(quota, ring_is_not_charged_to_the_recorded_process)
{
	const char *why_not = make_group("16M");

	if (why_not) {
		remove_group();
		SKIP(return, "%s", why_not);
	}
	ASSERT_EQ(0, number_write(MEMORY_MB, 512));
	EXPECT_EQ(0, record_in_group(64));
	remove_group();
}

TEST_HARNESS_MAIN
