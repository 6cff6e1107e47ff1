// SPDX-License-Identifier: GPL-2.0
/*
 * Proves what CHANNEL reports of the slice that goes on: which coroutine, since when, and
 * what its thread does, against what that thread knows, and against the records that come
 * later. By ioctl and from user mode.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include <sys/prctl.h>

#include "conserve.h"
#include "require.h"
#include "user_mode.h"

#define NR_SLOTS	16U
#define A		2U
#define B		3U
#define LABEL		77U
#define RING_SIZE	(1U << 20)
#define ASKED		300U
/* Switches between two questions, at most: what they write, the ring has room for. */
#define SWITCHES	100U
/* How often a thread is asked that has called execve(). */
#define EXECS		20U
#define AFTER_EXEC	"COROPROF_TEST_LIVE_EXEC"

/* What a thread is to do, and has done. */
enum task {
	SPIN,
	SLEEP,
	SWITCH_A,
	SWITCH_B,
	SWITCH_ALL_THE_TIME,
	END,
};

FIXTURE(live)
{
	struct program program;
	struct reader reader;
	struct switcher s;
	pthread_t thread;
	int pipe[2];
	unsigned int given;	/* how many tasks */
	unsigned int begun;
	enum task task;
	int cpu;
	bool failed;
	__u64 before;		/* the last switch that was a task: between these */
	__u64 after;
	unsigned int allowed;	/* so many switches in all */
	unsigned int switches;
};

FIXTURE_VARIANT(live)
{
	bool from_user;
};

FIXTURE_VARIANT_ADD(live, by_ioctl)
{
	.from_user = false,
};

FIXTURE_VARIANT_ADD(live, from_user_mode)
{
	.from_user = true,
};

/* A program that somebody has called execve() for: says that it runs, and never sleeps. */
__attribute__((constructor))
static void after_exec(void)
{
	const char *pipe = getenv(AFTER_EXEC);

	if (!pipe)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(atoi(pipe), "", 1) != 1)
		_exit(1);
	for (;;)
		;
}

static unsigned int tasks_given(FIXTURE_DATA(live) *self)
{
	return __atomic_load_n(&self->given, __ATOMIC_ACQUIRE);
}

static void switch_as_task(FIXTURE_DATA(live) *self, __u32 slot)
{
	self->before = wall_ns();
	self->failed |= switcher_switch(&self->s, slot) < 0;
	self->after = wall_ns();
}

/* From coroutine to coroutine, until there is another task; no further than is allowed. */
static void switch_all_the_time(FIXTURE_DATA(live) *self, unsigned int nr)
{
	while (tasks_given(self) == nr) {
		if (self->switches == __atomic_load_n(&self->allowed, __ATOMIC_ACQUIRE))
			continue;
		self->failed |= switcher_switch(&self->s, A + self->switches % 8) < 0;
		__atomic_fetch_add(&self->switches, 1, __ATOMIC_RELEASE);
	}
}

static void obey(FIXTURE_DATA(live) *self, unsigned int nr)
{
	char byte;

	switch (self->task) {
	case SWITCH_A:
		switch_as_task(self, A);
		break;
	case SWITCH_B:
		switch_as_task(self, B);
		break;
	case SLEEP:
		__atomic_store_n(&self->begun, nr, __ATOMIC_RELEASE);
		self->failed |= read(self->pipe[0], &byte, 1) < 0;
		break;
	case SWITCH_ALL_THE_TIME:
		__atomic_store_n(&self->begun, nr, __ATOMIC_RELEASE);
		switch_all_the_time(self, nr);
		break;
	default:
		break;
	}
	__atomic_store_n(&self->begun, nr, __ATOMIC_RELEASE);
}

static void *run_thread_asked(void *arg)
{
	FIXTURE_DATA(live) *self = arg;
	unsigned int nr = 0;

	pin_to(self->cpu);
	do {
		while (tasks_given(self) == nr)
			;
		obey(self, ++nr);
	} while (self->task != END);
	switcher_leave(&self->s);
	return NULL;
}

/* Returns whether the thread has begun with it, or is through with a switch. */
static bool give_task(FIXTURE_DATA(live) *self, enum task task)
{
	self->task = task;
	__atomic_fetch_add(&self->given, 1, __ATOMIC_RELEASE);
	return wait_until(&self->begun, self->given);
}

static void *join_and_run(void *arg)
{
	FIXTURE_DATA(live) *self = arg;

	if (switcher_join(&self->s, &self->program, THREAD_SLOT, self->s.from_user) < 0)
		abort();
	return run_thread_asked(self);
}

FIXTURE_SETUP(live)
{
	__u32 slot;

	self->reader.config.ring_size = RING_SIZE;
	self->reader.config.flags = variant->from_user ? COROPROF_SESSION_USER : 0;
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	for (slot = 1; slot < NR_SLOTS; slot++)
		self->program.slots[slot].label = LABEL + slot;
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, pipe(self->pipe));
	self->cpu = nr_cpus() - 1;
	pin_to(0);
	self->s.from_user = variant->from_user;
	self->thread = run_thread(join_and_run, self);
	/* The first one is by ioctl, also of a thread that goes to user mode. */
	ASSERT_TRUE(give_task(self, SWITCH_B));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	ASSERT_EQ(variant->from_user ? COROPROF_MODE_USER : COROPROF_MODE_IOCTL,
		  self->reader.logs[0].record.mode);
}

FIXTURE_TEARDOWN(live)
{
	/* Wakes it, where a test has failed while it slept. */
	close(self->pipe[1]);
	if (self->thread) {
		give_task(self, END);
		pthread_join(self->thread, NULL);
	}
	EXPECT_FALSE(self->failed);
	reader_close(&self->reader);
	program_close(&self->program);
	close(self->pipe[0]);
}

static int ask(FIXTURE_DATA(live) *self, struct coroprof_channel_status *status)
{
	return channel_status(self->reader.fd, self->reader.logs[0].record.channel_id, status);
}

/* Asks until the thread is found in that state. Returns whether it is, before patience ends. */
static bool ask_until(FIXTURE_DATA(live) *self, __u32 state,
		      struct coroprof_channel_status *status)
{
	__u64 until = wall_ns() + PATIENCE_MS * 1000000ULL;

	while (wall_ns() < until) {
		if (ask(self, status) || !(status->flags & COROPROF_CHANNEL_OPEN))
			return false;
		if (status->open_state == state)
			return true;
	}
	return false;
}

/* The slice that the last task has begun, and a state that makes sense. */
static void is_of_task(struct __test_metadata *_metadata, FIXTURE_DATA(live) *self, __u32 slot,
		       const struct coroprof_channel_status *status)
{
	EXPECT_EQ(COROPROF_CHANNEL_OPEN, status->flags);
	EXPECT_EQ(slot, status->open_slot);
	EXPECT_EQ(ID_OF(slot), status->open_id);
	EXPECT_EQ(LABEL + slot, status->open_label);
	EXPECT_LE(self->before, status->open_begin);
	EXPECT_GE(self->after, status->open_begin);
	EXPECT_LE(status->open_begin, status->open_since);
	EXPECT_GE(wall_ns(), status->open_since);
	EXPECT_GE(1, status->ring_made);
}

TEST_F(live, while_it_runs)
{
	struct coroprof_channel_status status;

	if (nr_cpus() < 2)
		SKIP(return, "with one processor nobody runs while another asks");
	ASSERT_TRUE(give_task(self, SWITCH_A));
	ASSERT_TRUE(ask_until(self, COROPROF_OPEN_RUNNING, &status));
	is_of_task(_metadata, self, A, &status);
	ASSERT_TRUE(give_task(self, SWITCH_B));
	ASSERT_TRUE(ask_until(self, COROPROF_OPEN_RUNNING, &status));
	is_of_task(_metadata, self, B, &status);
}

static void *spin_beside(void *arg)
{
	FIXTURE_DATA(live) *self = arg;

	pin_to(self->cpu);
	while (tasks_given(self) < 3)
		;
	return NULL;
}

TEST_F(live, while_it_is_preempted)
{
	struct coroprof_channel_status status;
	pthread_t other;

	ASSERT_TRUE(give_task(self, SWITCH_A));
	other = run_thread(spin_beside, self);
	EXPECT_TRUE(ask_until(self, COROPROF_OPEN_PREEMPTED, &status));
	is_of_task(_metadata, self, A, &status);
	EXPECT_LE(self->after, status.open_since);
	ASSERT_TRUE(give_task(self, SPIN));
	pthread_join(other, NULL);
}

TEST_F(live, while_it_is_blocked)
{
	struct coroprof_channel_status status, again;
	__u64 asleep;

	ASSERT_TRUE(give_task(self, SWITCH_A));
	ASSERT_TRUE(give_task(self, SLEEP));
	ASSERT_TRUE(ask_until(self, COROPROF_OPEN_BLOCKED, &status));
	asleep = wall_ns();
	is_of_task(_metadata, self, A, &status);
	sleep_ms(2);
	ASSERT_EQ(0, ask(self, &again));
	EXPECT_EQ(COROPROF_OPEN_BLOCKED, again.open_state);
	EXPECT_EQ(status.open_since, again.open_since);
	EXPECT_EQ(status.open_begin, again.open_begin);
	EXPECT_GE(asleep, again.open_since);
	ASSERT_EQ(1, write(self->pipe[1], "", 1));
	/* It is in the same slice, and awake since it was woken. */
	ASSERT_TRUE(give_task(self, SPIN));
	ASSERT_TRUE(ask_until(self, nr_cpus() < 2 ? COROPROF_OPEN_PREEMPTED : COROPROF_OPEN_RUNNING,
			      &status));
	is_of_task(_metadata, self, A, &status);
	EXPECT_LE(asleep, status.open_since);
}

/* Answers, in the order in which they were given, for the records to come. */
static struct coroprof_channel_status answers[ASKED];
static unsigned int nr_answers, nr_found;

static void find_answers(struct reader *reader, const struct slice *slice)
{
	const struct coroprof_record_slice *record = slice->record;
	__u64 begin = record->time - record->duration;

	for (; nr_found < nr_answers && answers[nr_found].open_begin <= begin; nr_found++) {
		const struct coroprof_channel_status *answer = &answers[nr_found];

		if (answer->open_begin != begin || answer->open_slot != record->slot ||
		    answer->open_id != record->id || answer->open_label != record->label)
			defect(reader, "answer %u: slot %u since %llu; the record: slot %u, %llu",
			       nr_found, answer->open_slot, answer->open_begin, record->slot, begin);
	}
}

/* As wait_until(), but comes back at once. */
static bool spin_until(const unsigned int *value, unsigned int at_least)
{
	__u64 until = wall_ns() + PATIENCE_MS * 1000000ULL;

	while (__atomic_load_n(value, __ATOMIC_ACQUIRE) < at_least) {
		if (wall_ns() > until)
			return false;
		sched_yield();
	}
	return true;
}

TEST_F(live, each_answer_is_in_the_records)
{
	unsigned int i, others = 0;

	nr_answers = 0;
	nr_found = 0;
	self->reader.each = find_answers;
	ASSERT_TRUE(give_task(self, SWITCH_ALL_THE_TIME));
	for (i = 0; i < ASKED; i++) {
		__atomic_fetch_add(&self->allowed, SWITCHES, __ATOMIC_RELEASE);
		/* It has gone on since the last question, and is not through. */
		ASSERT_TRUE(spin_until(&self->switches, i * SWITCHES + 1));
		ASSERT_EQ(0, ask(self, &answers[i]));
		EXPECT_EQ(COROPROF_CHANNEL_OPEN, answers[i].flags);
		others += i && answers[i].open_begin != answers[i - 1].open_begin;
		nr_answers++;
		reader_drain(&self->reader);
		/* The ring has room for what is allowed next. */
		ASSERT_TRUE(wait_until(&self->switches, self->allowed));
		reader_drain(&self->reader);
	}
	EXPECT_EQ(ASKED - 1, others);
	ASSERT_TRUE(give_task(self, SWITCH_B));
	EXPECT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_EQ(ASKED, nr_found);
	EXPECT_EQ(0, self->reader.logs[0].lost);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_STREQ("", self->reader.defect);
}

TEST_F(live, nothing_is_open_once_it_has_ended)
{
	struct coroprof_channel_status status;

	ASSERT_TRUE(give_task(self, SWITCH_A));
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, ask(self, &status));
	EXPECT_EQ(COROPROF_CHANNEL_ENDED, status.flags);
	EXPECT_EQ(0, status.open_begin | status.open_id | status.open_since | status.open_slot |
		     status.open_label | status.open_state);
}

/* What was there before level 5 gets what it got then. */
TEST_F(live, shorter_structure_is_left_alone)
{
	struct coroprof_channel_status status;

	memset(&status, 0xaa, sizeof(status));
	status.size = COROPROF_CHANNEL_STATUS_SIZE_LEVEL2;
	status.channel_id = self->reader.logs[0].record.channel_id;
	ASSERT_EQ(0, call(self->reader.fd, COROPROF_IOC_CHANNEL, &status));
	EXPECT_EQ(0, status.flags);
	EXPECT_EQ(0, status.throttled);
	EXPECT_EQ(0xaaaaaaaaaaaaaaaaULL, status.open_begin);
	EXPECT_EQ(0xaaaaaaaaU, status.ring_made);
}

/* ------------------------------------------------------------- after execve() */

/* It keeps the old program's memory, so that nothing ends with that. */
static int keep_memory(void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	__atomic_store_n((unsigned int *)arg, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return 0;
}

/* Switches to A, and becomes another program, with the descriptors open. */
static void run_and_exec(int session, int told)
{
	static char stack[65536] __attribute__((aligned(16)));
	static unsigned int there;
	struct program program;
	char number[16];
	int channel;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin_to(nr_cpus() - 1);
	if (program_open(&program, NR_SLOTS, 0) || attach(session, getpid()))
		_exit(1);
	channel = join(program.process, THREAD_SLOT);
	if (channel < 0 || switch_to(channel, A))
		_exit(2);
	fcntl(program.process, F_SETFD, 0);
	fcntl(channel, F_SETFD, 0);
	if (clone(keep_memory, stack + sizeof(stack), CLONE_VM | SIGCHLD, &there) < 0 ||
	    !wait_until(&there, 1))
		_exit(3);
	snprintf(number, sizeof(number), "%d", told);
	setenv(AFTER_EXEC, number, 1);
	execl("/proc/self/exe", "live", NULL);
	_exit(4);
}

struct after {
	unsigned int unknown;
	unsigned int ended;
	unsigned int shown;
};

static void ask_after_exec(struct __test_metadata *_metadata, struct after *after)
{
	static struct reader reader;
	struct coroprof_channel_status status;
	int told[2], control = open_control();
	pid_t pid;
	char byte;

	memset(&reader, 0, sizeof(reader));
	ASSERT_EQ(0, pipe(told));
	ASSERT_EQ(0, reader_open(&reader, control, NR_SLOTS));
	ASSERT_EQ(0, start(reader.fd));
	pid = fork();
	if (!pid)
		run_and_exec(reader.fd, told[1]);
	close(told[1]);
	ASSERT_EQ(1, read(told[0], &byte, 1));
	ASSERT_EQ(0, channel_status(reader.fd, 1, &status));
	after->shown += !!(status.flags & COROPROF_CHANNEL_OPEN);
	after->unknown += status.flags == COROPROF_CHANNEL_OPEN_UNKNOWN;
	after->ended += status.flags == COROPROF_CHANNEL_ENDED;
	EXPECT_EQ(0, status.open_begin | status.open_id | status.open_since | status.open_slot |
		     status.open_label | status.open_state);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(told[0]);
	reader_close(&reader);
	close(control);
}

TEST(another_program_is_not_shown)
{
	struct after after = { 0 };
	unsigned int i;

	pin_to(0);
	for (i = 0; i < EXECS; i++)
		ask_after_exec(_metadata, &after);
	fprintf(stderr, "# ran: %u recordings went on after execve(), %u had ended\n",
		after.unknown, after.ended);
	EXPECT_EQ(0, after.shown);
	EXPECT_EQ(EXECS, after.unknown + after.ended);
}

TEST_HARNESS_MAIN
