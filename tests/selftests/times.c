// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that running, preempted and blocked mean what they say, by clocks that
 * the module has nothing to do with.
 *
 * Those clocks are not exact on a machine that does other things, or that is
 * virtual, so a figure may be off for once. It must not be off every time. All of
 * it holds as well for a slice that the thread began from user mode.
 */
#include "kselftest_harness.h"

#include <sys/prctl.h>

#include "conserve.h"
#include "program.h"
#include "require.h"
#include "user_mode.h"

#define NR_SLOTS	32U
#define OTHER_SLOT	2U
#define ATTEMPTS	4U

/*
 * The scheduler draws the line between two threads elsewhere in a context
 * switch than the module does; under lock and memory checkers that is far.
 */
#define SWITCH_SLACK_NS	300000ULL

FIXTURE(times)
{
	struct program program;
	struct reader reader;
};

FIXTURE_VARIANT(times)
{
	bool from_user;
};

FIXTURE_VARIANT_ADD(times, by_ioctl)
{
	.from_user = false,
};

FIXTURE_VARIANT_ADD(times, from_user)
{
	.from_user = true,
};

FIXTURE_SETUP(times)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->reader.config.flags = variant->from_user ? COROPROF_SESSION_USER : 0;
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
}

FIXTURE_TEARDOWN(times)
{
	reader_close(&self->reader);
	program_close(&self->program);
}

/* What a thread knows of its coroutine A by other clocks; B just runs. */
struct worker {
	struct program *program;
	bool from_user;
	__u32 a;
	void (*act)(void);
	__u64 wall;
	__u64 cpu;
	unsigned int slept;
	unsigned long switches;	/* to A that were done from user mode: 0 or 1 */
	int err;
};

static void *run_worker(void *arg)
{
	struct worker *worker = arg;
	struct switcher s;
	int err;

	err = switcher_join(&s, worker->program, THREAD_SLOT, worker->from_user);
	/* Twice: to map what user mode needs takes so long that it may lose the CPU. */
	err = err < 0 ? err : switcher_switch(&s, OTHER_SLOT);
	err = err ?: switcher_switch(&s, THREAD_SLOT);
	worker->switches = s.switches;
	err = err ?: switcher_switch(&s, worker->a | COROPROF_SWITCH_FRESH);
	worker->switches = s.switches - worker->switches;
	worker->wall = wall_ns();
	worker->cpu = cpu_ns();
	worker->slept = times_slept();
	worker->act();
	worker->slept = times_slept() - worker->slept;
	worker->cpu = cpu_ns() - worker->cpu;
	worker->wall = wall_ns() - worker->wall;
	err = err ?: switcher_switch(&s, (worker->a + 1) | COROPROF_SWITCH_FRESH);
	spin_cpu(2000000);
	worker->err = err ?: switcher_switch(&s, THREAD_SLOT) ?: switcher_leave(&s);
	switcher_close(&s);
	return NULL;
}

static bool near(__u64 expected, __u64 seen, __u64 wall, unsigned int switches)
{
	__u64 slack = wall / 50 + 1000000 + switches * SWITCH_SLACK_NS;
	__u64 off = expected < seen ? seen - expected : expected - seen;

	if (off > slack)
		fprintf(stderr, "# %llu ns expected, %llu seen, of %llu, with %u switches\n",
			expected, seen, wall, switches);
	return off <= slack;
}

/* Until one attempt is @plausible. Returns its slot, that of B behind it. */
static const struct coroprof_slot *
attempt(struct __test_metadata *_metadata, FIXTURE_DATA(times) *self,
	const FIXTURE_VARIANT(times) *variant, struct worker *worker, void (*act)(void),
	bool (*plausible)(const struct worker *, const struct coroprof_slot *))
{
	const struct coroprof_slot *a;
	bool good = false;
	unsigned int i;

	for (i = 0; i < ATTEMPTS && !good; i++) {
		*worker = (struct worker){
			.program = &self->program, .from_user = variant->from_user,
			.a = 4 + 2 * i, .act = act,
		};
		pthread_join(run_thread(run_worker, worker), NULL);
		ASSERT_EQ(0, worker->err);
		a = &self->program.slots[worker->a];
		ASSERT_EQ(1, a->slices);
		good = plausible(worker, a) && worker->switches == variant->from_user;
	}
	EXPECT_TRUE(good) TH_LOG("%u attempts, none plausible", i);
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_EQ(i, self->reader.nr_logs);
	return a;
}

static void compute(void)
{
	spin_cpu(100000000);
}

static bool ran_all_the_time(const struct worker *worker, const struct coroprof_slot *a)
{
	return near(worker->cpu, a->running_ns, worker->wall, a->nr_preempted);
}

TEST_F(times, running_is_cpu_time)
{
	const struct coroprof_slot *a;
	struct worker worker;

	a = attempt(_metadata, self, variant, &worker, compute, ran_all_the_time);
	EXPECT_EQ(0, a->nr_blocked);
	EXPECT_EQ(0, a->blocked_ns);
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

static bool shared_the_cpu(const struct worker *worker, const struct coroprof_slot *a)
{
	return worker->wall - worker->cpu > worker->wall / 4 &&
	       near(worker->wall - worker->cpu, a->preempted_ns, worker->wall, a->nr_preempted) &&
	       near(worker->cpu, a->running_ns, worker->wall, a->nr_preempted);
}

/* What a neighbour on the same CPU takes is neither running nor blocked. */
TEST_F(times, preempted_by_a_neighbour)
{
	const struct coroprof_slot *a;
	struct worker worker;
	pid_t neighbour;

	pin_to(0);
	neighbour = start_neighbour();
	a = attempt(_metadata, self, variant, &worker, compute, shared_the_cpu);
	kill(neighbour, SIGKILL);
	waitpid(neighbour, NULL, 0);
	EXPECT_LE(2, a->nr_preempted);
	EXPECT_EQ(0, a->nr_blocked);
	EXPECT_EQ(0, a->blocked_ns);
}

#define SLEEPS		10
#define SLEEP_NS	5000000ULL

static void sleep_ten_times(void)
{
	int i;

	for (i = 0; i < SLEEPS; i++)
		sleep_ns(SLEEP_NS);
}

static bool slept_mostly(const struct worker *worker, const struct coroprof_slot *a)
{
	return near(worker->cpu, a->running_ns, worker->wall, SLEEPS) &&
	       near(worker->wall - worker->cpu, a->blocked_ns + a->preempted_ns,
		    worker->wall, SLEEPS);
}

/* Sleeping in the kernel is blocked_ns, of the coroutine that slept. */
TEST_F(times, blocked_in_the_kernel)
{
	const struct coroprof_slot *a, *b;
	struct worker worker;

	a = attempt(_metadata, self, variant, &worker, sleep_ten_times, slept_mostly);
	EXPECT_LT(0, worker.slept);
	EXPECT_EQ(worker.slept, a->nr_blocked);
	EXPECT_LE(SLEEPS * (SLEEP_NS - SWITCH_SLACK_NS), a->blocked_ns);
	EXPECT_GE(worker.wall, a->blocked_ns);
	b = a + 1;
	EXPECT_LT(0, b->running_ns);
	EXPECT_EQ(0, b->nr_blocked);
	EXPECT_EQ(0, b->blocked_ns);
}

/* A thread that waits for its turn could run: it does not block. */
static void yield(void)
{
	__u64 until = wall_ns() + 50000000;

	while (wall_ns() < until)
		sched_yield();
}

TEST_F(times, yielding_is_not_blocking)
{
	const struct coroprof_slot *a;
	struct worker worker;
	pid_t neighbour;

	pin_to(0);
	neighbour = start_neighbour();
	a = attempt(_metadata, self, variant, &worker, yield, ran_all_the_time);
	kill(neighbour, SIGKILL);
	waitpid(neighbour, NULL, 0);
	EXPECT_EQ(0, a->nr_blocked);
	EXPECT_LT(0, a->nr_preempted);
}

TEST_HARNESS_MAIN
