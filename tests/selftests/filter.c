// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a process which puts a filter of system calls in place is told before it would be
 * killed for a call, and its session too; and that a filter which permits what it calls changes
 * nothing.
 */
#include "kselftest_harness.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>

#include "child.h"
#include "conserve.h"
#include "require.h"

/* So long the module may take to end the process. */
#define SETTLE_MS 5000

#define NR_ARGS(n) (offsetof(struct seccomp_data, args) + (n) * sizeof(__u64))

/* What the child is to do, and says of it: in memory that both have. */
struct shared {
	struct sock_fprog filter;
	bool by_prctl;
	bool by_thread;
	bool goes_on;		/* with its calls, after the filter */
	volatile bool joined;
	volatile bool recorded;
	volatile bool filtered;
	volatile bool done;
	volatile __u32 active_before;
	volatile __u32 active;
	volatile __u32 active_later;
	volatile __u32 flags;
	volatile int error;
};

FIXTURE(filter)
{
	int control;
	struct reader reader;
	struct shared *shared;
	pid_t child;
};

FIXTURE_SETUP(filter)
{
	self->child = -1;
	self->control = open_control();
	ASSERT_LE(0, self->control);
	ASSERT_EQ(0, reader_open(&self->reader, self->control, NR_SLOTS));
	self->shared = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
}

FIXTURE_TEARDOWN(filter)
{
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	reader_close(&self->reader);
	close(self->control);
}

static bool wait_for(const volatile bool *what)
{
	unsigned int ms;

	for (ms = 0; !*what && ms < SETTLE_MS; ms++)
		sleep_ns(1000000);
	return *what;
}

/* Returns 0 or a negative errno. */
static int put_in_place(const struct shared *shared)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (shared->by_prctl ?
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &shared->filter, 0, 0) :
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &shared->filter))
		return -errno;
	return 0;
}

static void *thread_puts_in_place(void *arg)
{
	struct shared *shared = arg;

	shared->error = put_in_place(shared);
	return NULL;
}

static void filter_of(struct shared *shared)
{
	if (shared->by_thread)
		pthread_join(run_thread(thread_puts_in_place, shared), NULL);
	else
		shared->error = put_in_place(shared);
}

static void switch_some(int channel)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		switch_to(channel, i % 2 ? A : B);
}

/* Ends by _exit(), or by the filter. */
static void child(struct shared *shared)
{
	struct program program;
	int channel = -1;

	if (!program_open(&program, NR_SLOTS, 0))
		channel = join(program.process, THREAD_SLOT);
	shared->joined = channel >= 0;
	wait_for(&shared->recorded);
	switch_some(channel);
	shared->active_before = program.page->active;
	filter_of(shared);
	shared->active = program.page->active;
	shared->flags = program.page->flags & COROPROF_PROCESS_REFUSES;
	shared->filtered = true;
	if (shared->goes_on)
		switch_some(channel);
	shared->done = true;
	for (;;) {
		shared->active_later = program.page->active;
		sleep_ns(1000000);
	}
}

/* For test bodies: until the filter is in place. */
#define RUN(rules) do { \
	memcpy(self->shared + 1, rules, sizeof(rules)); \
	self->shared->filter.len = sizeof(rules) / sizeof((rules)[0]); \
	self->shared->filter.filter = (void *)(self->shared + 1); \
	self->child = fork(); \
	if (!self->child) { \
		child(self->shared); \
		_exit(0); \
	} \
	ASSERT_TRUE(wait_for(&self->shared->joined)); \
	ASSERT_EQ(0, attach(self->reader.fd, self->child)); \
	ASSERT_EQ(0, start(self->reader.fd)); \
	self->shared->recorded = true; \
	ASSERT_TRUE(wait_for(&self->shared->filtered)); \
	ASSERT_EQ(0, self->shared->error); \
} while (0)

static void drain_until_end(struct reader *reader)
{
	unsigned int ms;

	for (ms = 0; !reader->nr_process_ends && ms < SETTLE_MS; ms++) {
		sleep_ns(1000000);
		reader_drain(reader);
	}
}

/* The process was told at once, the session before long. */
#define EXPECT_REFUSED() do { \
	EXPECT_EQ(COROPROF_PROCESS_REFUSES, self->shared->flags); \
	EXPECT_EQ(0, self->shared->active); \
	drain_until_end(&self->reader); \
	EXPECT_EQ(1, self->reader.nr_process_ends); \
	EXPECT_EQ(EPERM, self->reader.process_end.error); \
	ASSERT_EQ(1, self->reader.nr_logs); \
	EXPECT_TRUE(self->reader.logs[0].ended); \
	EXPECT_EQ(COROPROF_SLICE_CUT | COROPROF_SLICE_UNREPORTED, self->reader.logs[0].last.flags & \
		  (COROPROF_SLICE_CUT | COROPROF_SLICE_UNREPORTED)); \
	EXPECT_STREQ("", conservation(&self->reader)); \
	EXPECT_EQ(-ENODEV, attach(self->reader.fd, self->child)); \
	EXPECT_EQ(0, kill(self->child, 0)); \
} while (0)

/* Nobody was told anything, as all goes on. */
#define EXPECT_PERMITTED() do { \
	EXPECT_EQ(0, self->shared->flags); \
	EXPECT_NE(0, self->shared->active); \
	ASSERT_TRUE(wait_for(&self->shared->done)); \
	EXPECT_EQ(0, stop(self->reader.fd)); \
	reader_drain(&self->reader); \
	EXPECT_EQ(0, self->reader.nr_process_ends); \
	ASSERT_EQ(1, self->reader.nr_logs); \
	EXPECT_EQ(20, self->reader.logs[0].sums.slices); \
	EXPECT_EQ(COROPROF_SLICE_CUT, self->reader.logs[0].last.flags & \
		  (COROPROF_SLICE_CUT | COROPROF_SLICE_UNREPORTED)); \
	EXPECT_STREQ("", conservation(&self->reader)); \
} while (0)

#define IOCTL(what) { \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, what), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), \
}

/* With the command at the end: @then for @command, else @other. */
#define IOCTL_COMMAND(command, then, other) { \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 4), \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NR_ARGS(1)), \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, command, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, then), \
	BPF_STMT(BPF_RET | BPF_K, other), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), \
}

TEST_F(filter, that_kills_for_ioctl_is_told_before_the_next_call)
{
	struct sock_filter rules[] = IOCTL(SECCOMP_RET_KILL_PROCESS);

	RUN(rules);
	EXPECT_REFUSED();
}

TEST_F(filter, that_returns_an_error_is_told_too)
{
	struct sock_filter rules[] = IOCTL(SECCOMP_RET_ERRNO | EPERM);

	self->shared->by_prctl = true;
	RUN(rules);
	EXPECT_REFUSED();
}

TEST_F(filter, of_another_thread_ends_the_whole_process)
{
	struct sock_filter rules[] = IOCTL(SECCOMP_RET_TRAP);

	self->shared->by_thread = true;
	RUN(rules);
	EXPECT_REFUSED();
}

TEST_F(filter, that_permits_only_another_command_is_told)
{
	struct sock_filter rules[] =
		IOCTL_COMMAND(TCGETS, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);

	RUN(rules);
	EXPECT_REFUSED();
}

TEST_F(filter, that_refuses_another_command_changes_nothing)
{
	struct sock_filter rules[] =
		IOCTL_COMMAND(TIOCSTI, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW);

	self->shared->goes_on = true;
	RUN(rules);
	EXPECT_PERMITTED();
}

/* All but its traces goes on. */
TEST_F(filter, that_refuses_TRACE_hides_that_traces_are_wanted)
{
	struct sock_filter rules[] =
		IOCTL_COMMAND(COROPROF_IOC_TRACE, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW);
	unsigned int ms;

	close(self->reader.fd);
	self->reader.config.flags = COROPROF_SESSION_TRACES;
	ASSERT_EQ(0, reader_open(&self->reader, self->control, NR_SLOTS));
	self->shared->goes_on = true;
	RUN(rules);
	EXPECT_EQ(COROPROF_ACTIVE, self->shared->active);
	EXPECT_EQ(COROPROF_ACTIVE | COROPROF_ACTIVE_TRACES, self->shared->active_before);
	EXPECT_PERMITTED();
	/* Nor of a later START. */
	ASSERT_EQ(0, start(self->reader.fd));
	for (ms = 0; !self->shared->active_later && ms < SETTLE_MS; ms++)
		sleep_ns(1000000);
	EXPECT_EQ(COROPROF_ACTIVE, self->shared->active_later);
}

TEST_F(filter, that_only_logs_changes_nothing)
{
	struct sock_filter rules[] = IOCTL(SECCOMP_RET_LOG);

	self->shared->goes_on = true;
	RUN(rules);
	EXPECT_PERMITTED();
}

/* That these are filters indeed: a call after one of them is the last. */
TEST_F(filter, kills_who_calls_all_the_same)
{
	struct sock_filter rules[] = IOCTL(SECCOMP_RET_KILL_PROCESS);
	int status;

	self->shared->goes_on = true;
	RUN(rules);
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	self->child = -1;
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGSYS, WTERMSIG(status));
}

/* Filters of packets are made by the same function, and know nothing of calls. */
TEST_F(filter, of_packets_changes_nothing)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 100),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	struct sock_fprog filter = { .len = 2, .filter = rules };
	int fanout = PACKET_FANOUT_CBPF << 16 | 1;
	int packets = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	struct program program;

	if (packets < 0)
		SKIP(return, "no AF_PACKET");
	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	ASSERT_EQ(0, setsockopt(packets, SOL_PACKET, PACKET_FANOUT, &fanout, sizeof(fanout)));
	EXPECT_EQ(0, setsockopt(packets, SOL_PACKET, PACKET_FANOUT_DATA, &filter,
				sizeof(filter)));
	EXPECT_EQ(0, program.page->flags & COROPROF_PROCESS_REFUSES);
	program_close(&program);
	close(packets);
}

TEST_HARNESS_MAIN
