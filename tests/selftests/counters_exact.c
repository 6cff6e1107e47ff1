// SPDX-License-Identifier: GPL-2.0
/*
 * Proves on real instructions, where the PMU counts them exactly, that a
 * coroutine is charged what it executed: no more, no less, at every run. Needs
 * such a PMU: QEMU's arm64 one with -icount, or real hardware that is idle.
 */
#include "kselftest_harness.h"

#include <sys/prctl.h>

#include "conserve.h"
#include "program.h"
#include "require.h"
#include "user_mode.h"

#define NR_SLOTS	64U
#define A		4U
#define WORK		100000ULL
#define REPEAT		16U
/* Instructions of work(n), the loop alone. */
#define COST(n)		(2 * (n))

/* Two instructions, n times. */
static __attribute__((noinline)) void work(__u64 n)
{
#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__x86_64__)
	asm volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(n) : : "cc");
#else
#error write the same for this machine
#endif
}

static const struct coroprof_counter counters[] = {
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CACHE_MISSES },
};

static int open_event(const struct coroprof_counter *counter)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = counter->type,
		.config = counter->config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* What perf itself says, without coroprof. */
static __u64 measure(int event, __u64 n)
{
	__u64 before = 0, after = 0;

	if (read(event, &before, sizeof(before)) != sizeof(before))
		return 0;
	work(n);
	if (read(event, &after, sizeof(after)) != sizeof(after))
		return 0;
	return after - before;
}

__attribute__((constructor))
static void require_exact_pmu(void)
{
	int event = open_event(&counters[0]);
	__u64 a = 0, b = 0;

	if (event >= 0) {
		measure(event, WORK);
		a = measure(event, WORK);
		b = measure(event, WORK);
		close(event);
	}
	if (a && a == b && a < COST(WORK) + COST(WORK) / 1000)
		return;
	ksft_print_header();
	ksft_exit_skip("no PMU here that counts instructions exactly (%llu and %llu of %llu)\n",
		       a, b, COST(WORK));
}

FIXTURE(exact)
{
	struct program program;
	struct reader reader;
	int channel;
};

FIXTURE_SETUP(exact)
{
	allow_user_access();
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->reader.config.flags = COROPROF_SESSION_USER;
	self->reader.config.nr_counters = ARRAY_SIZE(counters);
	memcpy(self->reader.config.counters, counters, sizeof(counters));
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
}

FIXTURE_TEARDOWN(exact)
{
	close(self->channel);
	reader_close(&self->reader);
	program_close(&self->program);
}

static void settle(struct __test_metadata *_metadata, FIXTURE_DATA(exact) *self)
{
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
}

/* One slice of so much work in a coroutine, and nothing else. */
static int work_in(int channel, __u32 slot, __u64 n)
{
	int ret = switch_to(channel, slot);

	work(n);
	return ret ?: switch_to(channel, THREAD_SLOT);
}

/*
 * QEMU's -icount has one counter for all CPUs, so that it counts on while
 * another one executes, were it but a timer interrupt. On one CPU every slice
 * is exact; on more, of many the least is, and threads here wait asleep.
 */
#define EXPECT_COST(n, seen) do {					\
	EXPECT_LE(COST(n), (seen));					\
	EXPECT_GE(COST(n) + COST(n) / 1000, (seen));			\
} while (0)

static __u64 exact_of(struct __test_metadata *_metadata, const struct coroprof_slot *slots)
{
	__u64 least = slots[0].count[0];
	unsigned int i;

	for (i = 1; i < REPEAT; i++) {
		if (slots[i].count[0] < least)
			least = slots[i].count[0];
		if (nr_cpus() == 1)
			EXPECT_EQ(slots[0].count[0], slots[i].count[0]);
	}
	return least;
}

/* A coroutine for each of so many slices of the same work. */
static void repeat(struct __test_metadata *_metadata, FIXTURE_DATA(exact) *self,
		   __u32 slot, __u64 n)
{
	unsigned int i;

	for (i = 0; i < REPEAT; i++)
		ASSERT_EQ(0, work_in(self->channel, slot + i, n));
}

TEST_F(exact, one_two_and_ten)
{
	const __u64 times[] = { 1, 2, 10 };
	__u64 counts[3];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(times); i++)
		repeat(_metadata, self, A + i * REPEAT, times[i] * WORK);
	settle(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		counts[i] = exact_of(_metadata, &self->program.slots[A + i * REPEAT]);
		EXPECT_COST(times[i] * WORK, counts[i]);
		/* What is not work is the same in each of them. */
		EXPECT_EQ(counts[0] - COST(WORK), counts[i] - COST(times[i] * WORK));
	}
}

struct from_user {
	struct program *program;
	struct switcher s;
};

/* Again if the kernel had to do one of the two switches. */
static int work_from_user(struct switcher *s, __u32 slot, __u64 n)
{
	unsigned long before;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < 100; i++) {
		before = s->switches;
		ret = switcher_switch(s, slot | COROPROF_SWITCH_FRESH);
		work(n);
		ret = ret ?: switcher_switch(s, THREAD_SLOT + 1);
		if (s->switches == before + 2)
			return ret;
	}
	return ret ?: -EAGAIN;
}

static int one_two_and_ten_from_user(void *arg)
{
	const __u64 times[] = { 1, 2, 10 };
	struct from_user *user = arg;
	unsigned int i;
	int ret;

	ret = switcher_join(&user->s, user->program, THREAD_SLOT + 1, true);
	ret = ret < 0 ? ret : work_from_user(&user->s, A, WORK);
	for (i = 0; !ret && i < 3 * REPEAT; i++)
		ret = work_from_user(&user->s, A + i, times[i / REPEAT] * WORK);
	switcher_leave(&user->s);
	switcher_close(&user->s);
	return ret;
}

/* As exact_of(), where slices have looks at the clock, which may take a turn more. */
static __u64 least_of(const struct coroprof_slot *slots)
{
	__u64 least = slots[0].count[0];
	unsigned int i;

	for (i = 1; i < REPEAT; i++)
		if (slots[i].count[0] < least)
			least = slots[i].count[0];
	return least;
}

/* No count is lost or made up where user mode reads the counters itself. */
TEST_F(exact, one_two_and_ten_from_user)
{
	struct from_user user = { .program = &self->program };
	const __u64 times[] = { 1, 2, 10 };
	__u64 counts[3];
	unsigned int i;

	ASSERT_EQ(0, on_thread(one_two_and_ten_from_user, &user));
	settle(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		counts[i] = least_of(&self->program.slots[A + i * REPEAT]);
		EXPECT_EQ(counts[0] - COST(WORK), counts[i] - COST(times[i] * WORK));
	}
	EXPECT_COST(10 * WORK, counts[2]);
	if (!access("/proc/sys/kernel/perf_user_access", F_OK))
		EXPECT_LT(0, user.s.by_register);
}

TEST_F(exact, the_same_at_every_run)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		repeat(_metadata, self, A + i * REPEAT, 3 * WORK);
	settle(_metadata, self);
	for (i = 1; i < 3; i++)
		EXPECT_EQ(exact_of(_metadata, &self->program.slots[A]),
			  exact_of(_metadata, &self->program.slots[A + i * REPEAT]));
}

/*
 * What perf itself counts over the same work, whatever interrupts it. Returns
 * the sum of perf's own figures, that many reads of which are in A's.
 */
static __u64 work_beside_perf(struct __test_metadata *_metadata, FIXTURE_DATA(exact) *self,
			      unsigned int times, __u64 n, bool move)
{
	int event = open_event(&counters[0]);
	__u64 sum = 0;
	unsigned int i;

	ASSERT_LE(0, event);
	for (i = 0; i < times; i++) {
		ASSERT_EQ(0, switch_to(self->channel, A));
		sum += measure(event, n);
		ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
		if (move)
			pin_to(i % nr_cpus());
	}
	close(event);
	return sum;
}

/* What a slice has around the instructions that perf was asked about. */
#define AROUND	100

TEST_F(exact, agrees_with_perf)
{
	const struct coroprof_slot *a = &self->program.slots[A];
	__u64 perf = work_beside_perf(_metadata, self, 30, 20 * WORK, false);

	settle(_metadata, self);
	EXPECT_LE(COST(30 * 20 * WORK), perf);
	EXPECT_LE(perf, a->count[0]);
	EXPECT_GE(perf + 30 * AROUND, a->count[0]);
	EXPECT_EQ(COROPROF_STANDING_COUNTED, COROPROF_STANDING(a->standing, 0));
}

TEST_F(exact, many_short_slices)
{
	struct coroprof_slot *a = &self->program.slots[A];
	__u64 perf = work_beside_perf(_metadata, self, 1000, WORK / 100, false);

	settle(_metadata, self);
	EXPECT_EQ(1000, a->slices);
	EXPECT_LE(perf, a->count[0]);
	EXPECT_GE(perf + 1000 * AROUND, a->count[0]);
}

static pid_t start_neighbour(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		;
}

/* Other people's instructions are not ours, preempted or moved as we may be. */
TEST_F(exact, beside_a_busy_neighbour)
{
	struct coroprof_slot *a = &self->program.slots[A];
	pid_t neighbour;
	__u64 perf;

	pin_to(0);
	neighbour = start_neighbour();
	perf = work_beside_perf(_metadata, self, 20, 100 * WORK, true);
	kill(neighbour, SIGKILL);
	waitpid(neighbour, NULL, 0);
	settle(_metadata, self);
	EXPECT_LT(0, self->reader.logs[0].sums.nr_preempted);
	EXPECT_LE(COST(20 * 100 * WORK), a->count[0]);
	EXPECT_LE(perf, a->count[0]);
	EXPECT_GE(perf + 20 * AROUND, a->count[0]);
	EXPECT_EQ(COROPROF_STANDING_COUNTED, COROPROF_STANDING(a->standing, 0));
}

#define TURNS	40U

struct runner {
	struct program *program;
	struct turns *turns;
	unsigned int side;
	int err;
};

static void *run_side(void *arg)
{
	struct runner *runner = arg;
	__u32 own = THREAD_SLOT + 1 + runner->side;
	int channel = join(runner->program->process, own);
	unsigned int turn;

	runner->err = channel < 0 ? channel : 0;
	pin_to(runner->side % nr_cpus());
	for (turn = runner->side; turn < TURNS; turn += 2) {
		turns_wait(runner->turns, runner->side);
		runner->err = runner->err ?: switch_to(channel, A);
		work(WORK);
		runner->err = runner->err ?: switch_to(channel, own);
		turns_pass(runner->turns, runner->side);
	}
	leave(channel);
	return NULL;
}

TEST_F(exact, follows_the_coroutine_to_another_thread)
{
	struct coroprof_slot *a = &self->program.slots[A];
	struct runner runners[2];
	pthread_t threads[2];
	struct turns turns;
	unsigned int i;

	ASSERT_EQ(0, turns_begin(&turns));
	for (i = 0; i < 2; i++) {
		runners[i] = (struct runner){ &self->program, &turns, i, 0 };
		threads[i] = run_thread(run_side, &runners[i]);
	}
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		ASSERT_EQ(0, runners[i].err);
	}
	settle(_metadata, self);
	EXPECT_EQ(TURNS, a->slices);
	EXPECT_LE(COST(TURNS * WORK), a->count[0]);
	/* Less than one slice more, and on one CPU next to nothing. */
	EXPECT_GT(COST(TURNS * WORK) + (nr_cpus() == 1 ? TURNS * AROUND : COST(WORK)),
		  a->count[0]);
}

/* Sleeping takes time, not instructions. */
TEST_F(exact, asleep)
{
	struct coroprof_slot *a = &self->program.slots[A];

	ASSERT_EQ(0, switch_to(self->channel, A));
	sleep_ms(50);
	work(100 * WORK);
	ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	settle(_metadata, self);
	EXPECT_COST(100 * WORK, a->count[0]);
	EXPECT_LE(50000000 - 100000, a->blocked_ns);
}

/* What perf does not have here is UNSUPPORTED, and the session is told so. */
TEST_F(exact, cache_misses_as_perf_has_them)
{
	int event = open_event(&counters[2]);
	struct coroprof_slot *a = &self->program.slots[A];

	ASSERT_EQ(0, work_in(self->channel, A, WORK));
	settle(_metadata, self);
	EXPECT_EQ(event < 0 ? -event : 0, self->reader.logs[0].counters[2].error);
	if (event >= 0)
		SKIP(return, "this PMU counts cache misses");
	EXPECT_EQ(COROPROF_STANDING_UNSUPPORTED, COROPROF_STANDING(a->standing, 2));
	EXPECT_EQ(0, a->count[2]);
	EXPECT_EQ(0, a->missing_ns[2]);
}

TEST_HARNESS_MAIN
