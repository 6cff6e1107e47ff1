// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that no START and STOP, however often they come, keep a thread in its SWITCH: it
 * goes on, and can be killed. The storm runs on the thread's CPU and goes before it, but
 * sleeps now and then. That is how long the thread has the CPU, and its ring takes it many times
 * longer: the ring is large, and the session has too little memory to keep one for the next.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include "child.h"
#include "require.h"
#include "storm.h"

/* How long the storm sleeps between a START and the next STOP. */
#define PAUSE_NS	100000
#define RING_SIZE	(1U << 24)
#define MEMORY_MB	24
#define SWITCHES	5U
/* Of the storm, before the thread is killed in it. */
#define ROUNDS		200U

/* What the test and the thread's process share. */
struct stage {
	unsigned int joined;
	unsigned int switches;
	unsigned int failed;
	unsigned int rounds;
	unsigned int asked;
	unsigned int recorded;	/* so often a recording went on */
	unsigned int calm;	/* the storm is over */
	unsigned int over;
};

FIXTURE(starts)
{
	struct stage *stage;
	int control;
	int session;
	pid_t child;
	pthread_t storm;
	pthread_t asker;
};

static bool is_calm(const struct stage *stage)
{
	return __atomic_load_n(&stage->calm, __ATOMIC_ACQUIRE);
}

static bool is_over(const struct stage *stage)
{
	return __atomic_load_n(&stage->over, __ATOMIC_ACQUIRE);
}

static void switch_all_the_time(struct stage *stage)
{
	struct program program;
	int channel, ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin_to(0);
	if (program_open(&program, NR_SLOTS, 0))
		_exit(1);
	channel = join(program.process, THREAD_SLOT);
	if (channel < 0)
		_exit(1);
	__atomic_store_n(&stage->joined, 1, __ATOMIC_RELEASE);
	for (;;) {
		/* The memory may be another recording's still. */
		ret = switch_to(channel, A + stage->switches % 2);
		if (ret && ret != -EDQUOT)
			stage->failed++;
		__atomic_fetch_add(&stage->switches, 1, __ATOMIC_RELEASE);
	}
}

static bool goes_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	return !sched_setscheduler(0, SCHED_FIFO, &first);
}

static void *run_storm(void *arg)
{
	FIXTURE_DATA(starts) *self = arg;

	pin_to(0);
	while (goes_first() && !is_calm(self->stage)) {
		stop(self->session);
		start(self->session);
		__atomic_fetch_add(&self->stage->rounds, 1, __ATOMIC_RELEASE);
		sleep_ns(PAUSE_NS);
	}
	return NULL;
}

/* Takes what the session has to say; what has ended gives its memory back. Returns the last channel. */
static __u32 take_records(int session, __u32 id)
{
	__u64 buffer[8192 / 8];
	ssize_t got;
	char *at;

	while ((got = read(session, buffer, sizeof(buffer))) > 0) {
		for (at = (char *)buffer; at < (char *)buffer + got;) {
			const struct coroprof_record *record = (void *)at;

			if (record->type == COROPROF_RECORD_CHANNEL)
				id = record->data;
			else if (record->type == COROPROF_RECORD_CHANNEL_END)
				forget(session, record->data);
			at += record->size;
		}
	}
	return id;
}

/* The reader, which asks all the time for a recording that begins, goes on, ends, or is gone. */
static void *run_asker(void *arg)
{
	FIXTURE_DATA(starts) *self = arg;
	struct coroprof_channel_status status;
	__u32 id = 0;

	while (!is_over(self->stage)) {
		id = take_records(self->session, id);
		if (!channel_status(self->session, id, &status) && status.slices &&
		    !(status.flags & COROPROF_CHANNEL_ENDED))
			__atomic_fetch_add(&self->stage->recorded, 1, __ATOMIC_RELEASE);
		self->stage->asked++;
		sleep_ns(PAUSE_NS);
	}
	return NULL;
}

FIXTURE_SETUP(starts)
{
	struct coroprof_session_config config = { .ring_size = RING_SIZE, .memory_mb = MEMORY_MB };

	self->stage = mmap(NULL, sizeof(*self->stage), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->stage);
	self->control = open_control();
	self->session = make_session(self->control, &config);
	ASSERT_LE(0, self->session);
	fcntl(self->session, F_SETFL, O_RDWR | O_NONBLOCK);
	self->child = fork();
	if (!self->child)
		switch_all_the_time(self->stage);
	ASSERT_TRUE(wait_until(&self->stage->joined, 1));
	ASSERT_EQ(0, attach(self->session, self->child));
	self->storm = run_thread(run_storm, self);
	self->asker = run_thread(run_asker, self);
}

static void end_storm(FIXTURE_DATA(starts) *self)
{
	__atomic_store_n(&self->stage->calm, 1, __ATOMIC_RELEASE);
	pthread_join(self->storm, NULL);
}

FIXTURE_TEARDOWN(starts)
{
	if (!is_calm(self->stage))
		end_storm(self);
	__atomic_store_n(&self->stage->over, 1, __ATOMIC_RELEASE);
	pthread_join(self->asker, NULL);
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
	close(self->session);
	close(self->control);
}

/* The memory may be the last recording's yet: then the next START is the one that counts. */
static bool is_recorded(FIXTURE_DATA(starts) *self)
{
	unsigned int before = __atomic_load_n(&self->stage->recorded, __ATOMIC_ACQUIRE);
	__u64 until = wall_ns() + PATIENCE_MS * 1000000ULL;

	while (wall_ns() < until) {
		sleep_ms(500);
		if (__atomic_load_n(&self->stage->recorded, __ATOMIC_ACQUIRE) > before)
			return true;
		stop(self->session);
		start(self->session);
	}
	return false;
}

TEST_F(starts, thread_goes_on_switching)
{
	unsigned int switches;

	ASSERT_TRUE(wait_until(&self->stage->rounds, 1)) TH_LOG("SCHED_FIFO is refused");
	switches = __atomic_load_n(&self->stage->switches, __ATOMIC_ACQUIRE);
	EXPECT_TRUE(wait_until(&self->stage->switches, switches + SWITCHES))
		TH_LOG("%u switches in %u rounds of the storm", self->stage->switches - switches,
		       self->stage->rounds);
	end_storm(self);
	EXPECT_EQ(0, self->stage->failed);
	fprintf(stderr, "# ran: %u rounds, CHANNEL asked %u times\n", self->stage->rounds,
		self->stage->asked);

	/* What the thread did not take note of in the storm it does now. */
	EXPECT_TRUE(is_recorded(self));
}

TEST_F(starts, thread_is_killed)
{
	__u64 until = wall_ns() + PATIENCE_MS * 1000000ULL;
	bool gone = false;

	ASSERT_TRUE(wait_until(&self->stage->rounds, ROUNDS));
	kill(self->child, SIGKILL);
	while (!gone && wall_ns() < until) {
		gone = waitpid(self->child, NULL, WNOHANG) == self->child;
		sleep_ms(1);
	}
	EXPECT_TRUE(gone);
	EXPECT_LT(ROUNDS, self->stage->rounds);
	if (gone)
		self->child = 0;
}

TEST_HARNESS_MAIN
