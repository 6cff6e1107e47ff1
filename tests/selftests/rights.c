// SPDX-License-Identifier: GPL-2.0
/*
 * Proves who may do what: the tables of coroprof(4). What perf_event_open() says to the
 * same task at the same moment is the measure, beside what the tables say.
 */
#include "kselftest_harness.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/stat.h>

#include "child.h"
#include "parameter.h"
#include "require.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define GROUP_MAY	PARAMETER("group_may_count")
#define OTHER		1234

static void __attribute__((constructor)) go_on_as_child(int argc, char **argv)
{
	child_again(argc, argv);
}

/* ---- who */

enum who { ROOT, MEMBER, PERFMON, PTRACE, CONTAINER_ROOT, ROOTLESS, WHO_MAX };

static const char *const who_names[WHO_MAX] = {
	"root", "member of the group", "CAP_PERFMON", "CAP_SYS_PTRACE", "root of a container",
	"root of a rootless container",
};

static int become_with(__u64 capabilities)
{
	if (prctl(PR_SET_KEEPCAPS, 1))
		return -errno;
	return child_become(NOBODY, NOBODY, NOBODY, NOBODY) ?: child_keep_only(capabilities);
}

static int become(enum who who)
{
	const __u64 one = 1;

	switch (who) {
	case ROOT:
		return 0;
	case MEMBER:
		return child_become(NOBODY, NOBODY, NOBODY, NOBODY);
	case PERFMON:
		return become_with(one << CAP_PERFMON);
	case PTRACE:
		return become_with(one << CAP_SYS_PTRACE);
	case CONTAINER_ROOT: /* as docker has it, about */
		return child_keep_only(one << CAP_CHOWN | one << CAP_SETUID | one << CAP_NET_RAW);
	case ROOTLESS:
		return child_become(NOBODY, NOBODY, NOBODY, NOBODY) ?:
		       unshare(CLONE_NEWUSER) ? -errno : 0;
	default:
		return -EINVAL;
	}
}

/* ---- what perf says */

static int perf_open(pid_t pid, bool kernel)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* ---- may count, as perf_event_paranoid says */

enum what { TIMES, USER_MODE, SAMPLES, KERNEL_MODE, WHAT_MAX };

static const char *const what_names[WHAT_MAX] = {
	"times", "user mode", "samples of user mode", "kernel mode",
};

static int try_session(int control, enum what what)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	const struct coroprof_counter counter = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.flags = what == KERNEL_MODE ? COROPROF_COUNTER_KERNEL : 0,
	};
	int fd;

	if (what == USER_MODE || what == KERNEL_MODE) {
		config.nr_counters = 1;
		config.counters[0] = counter;
	}
	if (what == SAMPLES) {
		config.sampling.counter = counter;
		config.sampling.period = 1000;
	}
	fd = make_session(control, &config);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int try_own_counters(int control, bool kernel)
{
	const struct coroprof_counter counter = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.flags = kernel ? COROPROF_COUNTER_KERNEL : 0,
	};
	int process = make_process(control, NR_SLOTS, 0), channel;

	if (process < 0)
		return process;
	channel = join_counting(process, THREAD_SLOT, &counter, 1);
	if (channel >= 0)
		close(channel);
	close(process);
	return channel < 0 ? channel : 0;
}

/* What the tables say, 0 or a negative errno. */
static int table_says(enum who who, enum what what, long paranoid, bool group_may)
{
	if (what == TIMES || who == ROOT || who == PERFMON)
		return 0;
	if (what == KERNEL_MODE && paranoid > 1)
		return -EPERM;
	return paranoid > 2 && !group_may ? -EACCES : 0;
}

struct question {
	int control;
	enum who who;
	long paranoid;
	bool group_may;
};

static int say(const struct question *q, const char *what, int got, int expected)
{
	if (got == expected)
		return 0;
	printf("# %s, %s, paranoid %ld, group_may_count %d: %d where %d is right\n",
	       who_names[q->who], what, q->paranoid, q->group_may, got, expected);
	fflush(stdout);
	return 1;
}

/* Says what is wrong; returns how much. */
static int count_as(void *arg)
{
	const struct question *q = arg;
	struct coroprof_info info = { .size = sizeof(info) };
	int wrong = 0, user, kernel;
	enum what what;

	if (become(q->who))
		return q->who == ROOTLESS ? NO_NAMESPACE : 100;
	for (what = 0; what < WHAT_MAX; what++)
		wrong += say(q, what_names[what], try_session(q->control, what),
			     table_says(q->who, what, q->paranoid, q->group_may));
	user = table_says(q->who, USER_MODE, q->paranoid, q->group_may);
	kernel = table_says(q->who, KERNEL_MODE, q->paranoid, q->group_may);
	wrong += say(q, "counters of its own", try_own_counters(q->control, false), user);
	wrong += say(q, "kernel mode of its own", try_own_counters(q->control, true), kernel);
	if (call(q->control, COROPROF_IOC_INFO, &info))
		return 101;
	wrong += say(q, "INFO of user mode", !(info.flags & COROPROF_INFO_COUNTING_ALLOWED), !!user);
	wrong += say(q, "INFO of kernel mode", !(info.flags & COROPROF_INFO_KERNEL_ALLOWED), !!kernel);
	/* From 3 on kernels differ: unpatched ones go no further, Debian's want CAP_SYS_ADMIN. */
	if (q->paranoid < 3) {
		wrong += say(q, "kernel mode by perf", !!perf_open(0, true), !!kernel);
		wrong += say(q, "user mode by perf", !!perf_open(0, false), !!user);
	}
	return wrong > 99 ? 99 : wrong;
}

TEST(counting)
{
	struct question q = { .control = open_control() };
	long before = number_read(PARANOID);
	int ret;

	ASSERT_LE(0, q.control);
	for (q.paranoid = -1; q.paranoid <= 4; q.paranoid++) {
		ASSERT_EQ(0, number_write(PARANOID, q.paranoid));
		for (q.who = 0; q.who < 2 * WHO_MAX; q.who++) {
			struct question one = q;

			one.who = q.who % WHO_MAX;
			one.group_may = q.who / WHO_MAX;
			ASSERT_EQ(0, number_write(GROUP_MAY, one.group_may));
			ret = in_child(count_as, &one);
			if (ret != NO_NAMESPACE)
				EXPECT_EQ(0, ret) TH_LOG("%s at paranoid %ld", who_names[one.who],
							 q.paranoid);
		}
	}
	number_write(GROUP_MAY, 0);
	number_write(PARANOID, before);
}

/* ---- may attach, as ptrace's rules say */

struct target {
	const char *name;
	const char *orders;		/* what makes it so, of a child of root */
	bool may[WHO_MAX];
};

#define ALWAYS	[ROOT] = true, [PERFMON] = true, [PTRACE] = true

static const struct target targets[] = {
	{ "of the same uid", "onDp", { ALWAYS, [MEMBER] = true } },
	{ "of another uid", "oODp", { ALWAYS } },
	{ "of root", "p", { ALWAYS } },
	{ "of root without capabilities", "zp", { ALWAYS, [CONTAINER_ROOT] = true } },
	{ "with dropped privileges", "pn", { ALWAYS } },
	{ "that hides", "onDHp", { ALWAYS } },
	{ "with a saved id of root", "orDp", { ALWAYS } },
	{ "with capabilities", "okDp", { ALWAYS } },
	{ "set-user-id for root", "onDup", { ALWAYS } },
	{ "in a rootless container of the same uid", "onDwDp", { ALWAYS, [MEMBER] = true } },
	{ "in a rootless container of another uid", "oODwDp", { ALWAYS } },
};

struct attempt {
	int control;
	enum who who;
	pid_t pid;
};

/* Returns 0 or 1 for "it may", 2 more for what perf says. */
static int attach_as(void *arg)
{
	const struct attempt *attempt = arg;
	struct coroprof_session_config config = { .ring_size = 0 };
	int session, ret;

	if (become(attempt->who))
		return NO_NAMESPACE;
	session = make_session(attempt->control, &config);
	if (session < 0)
		return 100;
	ret = attach(session, attempt->pid);
	if (ret && ret != -EPERM)
		return 101;
	return !ret + 2 * !perf_open(attempt->pid, false);
}

static void try_all(struct __test_metadata *_metadata, const struct target *target, int control)
{
	struct attempt attempt = { .control = control };
	struct child child;
	int ret;

	ASSERT_EQ(0, child_start(&child, 0));
	if (!child_steps(&child, target->orders)) {
		printf("# not made: a process %s\n", target->name);
		child_kill(&child);
		return;
	}
	attempt.pid = child.pid;
	for (attempt.who = 0; attempt.who < WHO_MAX; attempt.who++) {
		ret = in_child(attach_as, &attempt);
		if (ret == NO_NAMESPACE)
			continue;
		EXPECT_EQ(target->may[attempt.who] ? 3 : 0, ret)
			TH_LOG("%s, a process %s", who_names[attempt.who], target->name);
	}
	child_kill(&child);
}

TEST(attaching)
{
	long before = number_read(PARANOID);
	int control = open_control();
	unsigned int i;

	/* Whose processes is the question here, not whether to count. */
	ASSERT_EQ(0, number_write(PARANOID, 1));
	ASSERT_EQ(0, child_copy_setid());
	for (i = 0; i < ARRAY_SIZE(targets); i++)
		try_all(_metadata, &targets[i], control);
	unlink(CHILD_SETID);
	number_write(PARANOID, before);
	close(control);
}

/* Root of a container to the processes in it, in the same user namespace. */
static int attach_within(void *arg)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	int control = *(int *)arg, session;
	struct child child = { .pid = -1 };

	if (become(ROOTLESS))
		return NO_NAMESPACE;
	session = make_session(control, &config);
	if (session < 0 || child_start(&child, 0) || !child_steps(&child, "pD"))
		return 100;
	return -attach(session, child.pid) + (perf_open(child.pid, false) ? 50 : 0);
}

TEST(attaching_within_a_rootless_container)
{
	long before = number_read(PARANOID);
	int control = open_control(), ret;

	ASSERT_EQ(0, chmod(COROPROF_DEVICE, 0666));
	ASSERT_EQ(0, number_write(PARANOID, 1));
	ret = in_child(attach_within, &control);
	number_write(PARANOID, before);
	ASSERT_EQ(0, chmod(COROPROF_DEVICE, 0600));
	if (ret == NO_NAMESPACE)
		SKIP(return, "users may make no user namespaces here");
	EXPECT_EQ(0, ret);
}

/* ---- may open */

static int open_in_group(void *arg)
{
	const gid_t group = *(gid_t *)arg;
	int fd;

	if (setgroups(group ? 1 : 0, &group) || become(MEMBER))
		return 100;
	fd = open_control();
	return fd < 0 ? -fd : 0;
}

TEST(opening)
{
	gid_t group = OTHER, none = 0, another = OTHER + 1;

	ASSERT_EQ(0, chown(COROPROF_DEVICE, 0, OTHER));
	ASSERT_EQ(0, chmod(COROPROF_DEVICE, 0660));
	EXPECT_EQ(0, in_child(open_in_group, &group));
	EXPECT_EQ(EACCES, in_child(open_in_group, &another));
	EXPECT_EQ(EACCES, in_child(open_in_group, &none));
	ASSERT_EQ(0, chown(COROPROF_DEVICE, 0, 0));
	ASSERT_EQ(0, chmod(COROPROF_DEVICE, 0600));
	EXPECT_EQ(EACCES, in_child(open_in_group, &group));
}

/* ---- may map */

/* Its process's page and slots, by a child that has the descriptor. */
static int map_of_parent(void *arg)
{
	int process = *(int *)arg;

	return map_process_page(process) || errno != EPERM ? 1 :
	       map_slots(process, NR_SLOTS) || errno != EPERM ? 2 : 0;
}

static int map_of_parents_thread(void *arg)
{
	void *at = map_at(*(int *)arg, page_size(), PROT_READ, MAP_SHARED,
			  COROPROF_MMAP_CHANNEL_PAGE);

	return at || errno != EPERM;
}

/* Whoever was given the session's descriptor has its rings. */
static int map_ring(void *arg)
{
	if (become(MEMBER))
		return 100;
	return !map_at(*(int *)arg, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
		       COROPROF_MMAP_RING(1)) ||
	       !map_at(*(int *)arg, page_size(), PROT_READ, MAP_SHARED,
		       COROPROF_MMAP_RING(1) + page_size()) ||
	       map_at(*(int *)arg, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
		      COROPROF_MMAP_RING(1) + page_size());
}

TEST(mapping)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	struct program program;
	int channel, session;

	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	channel = join(program.process, THREAD_SLOT);
	session = make_session(program.control, &config);
	ASSERT_EQ(0, attach(session, getpid()));
	ASSERT_EQ(0, start(session));
	ASSERT_EQ(0, switch_to(channel, A));
	EXPECT_EQ(0, in_child(map_of_parent, &program.process));
	EXPECT_EQ(0, in_child(map_of_parents_thread, &channel));
	EXPECT_EQ(0, on_thread(map_of_parents_thread, &channel));
	EXPECT_EQ(0, in_child(map_ring, &session));
	close(session);
	close(channel);
	program_close(&program);
}

/* ---- how often */

TEST(sampling_no_more_often_than_perf_may)
{
	struct coroprof_session_config config = {
		.sampling = {
			.counter = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK },
			.frequency = 50000,
		},
	};
	long before = number_read(SAMPLE_RATE);
	int control = open_control(), session;

	/* The kernel lowers it by itself on a slow machine, so low that it will not. */
	ASSERT_EQ(0, number_write(SAMPLE_RATE, 200));
	session = make_session(control, &config);
	EXPECT_LE(0, session);
	EXPECT_EQ(200, config.sampling.frequency);
	close(session);
	number_write(SAMPLE_RATE, before);
	close(control);
}

/* ---- threads */

static int switch_as_other(void *arg)
{
	struct program *program = arg;
	int channel, ret;

	/* This thread alone: glibc would change all. */
	if (syscall(SYS_setresuid, OTHER, OTHER, OTHER))
		return 100;
	channel = join(program->process, THREAD_SLOT + 1);
	ret = channel < 0 ? 101 : -switch_to(channel, B);
	close(channel);
	return ret;
}

static int thread_of_another_user(void *arg)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	struct coroprof_channel_status status;
	struct program program;
	int session;

	(void)arg;
	if (program_open(&program, NR_SLOTS, 0))
		return 100;
	/* Root without capabilities, and so is the main thread: the other is another user's. */
	if (child_keep_only(1 << CAP_SETUID))
		return 101;
	session = make_session(program.control, &config);
	if (prctl(PR_SET_DUMPABLE, 1) || attach(session, getpid()) || start(session))
		return 102;
	/* To the thread it is no error. */
	if (on_thread(switch_as_other, &program))
		return 103;
	if (channel_status(session, 1, &status))
		return 104;
	return status.error == EACCES && !status.slices ? 0 : 105;
}

TEST(thread_of_another_user_is_not_recorded)
{
	EXPECT_EQ(0, in_child(thread_of_another_user, NULL));
}

TEST_HARNESS_MAIN
