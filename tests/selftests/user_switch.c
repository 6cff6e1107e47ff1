// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a switch from user mode is a switch: the same records, whatever
 * comes in its way, and that a recording which ends in the middle of one has
 * every slice once.
 */
#include "kselftest_harness.h"

#include <sys/prctl.h>

#include "conserve.h"
#include "require.h"
#include "storm.h"
#include "user_mode.h"

#define NR_SLOTS	32U
#define RING_SIZE	65536U
#define A		20U
#define B		21U
#define C		22U
#define AFTER_EXEC	"COROPROF_TEST_AFTER_EXEC"

/* Somebody who was told to call execve() arrives here. */
__attribute__((constructor))
static void after_exec(void)
{
	if (getenv(AFTER_EXEC))
		_exit(0);
}

FIXTURE(user_switch)
{
	struct program program;
	struct reader reader;
	struct switcher s;
};

static int session_open(FIXTURE_DATA(user_switch) *self, __u32 ring_size, pid_t pid)
{
	struct reader *reader = &self->reader;
	int ret;

	reader->config.flags = COROPROF_SESSION_USER;
	reader->config.ring_size = ring_size;
	count_faults_and_cycles(&reader->config);
	ret = reader_open(reader, self->program.control, NR_SLOTS);
	return ret ?: attach(reader->fd, pid) ?: start(reader->fd);
}

FIXTURE_SETUP(user_switch)
{
	allow_user_access();
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	ASSERT_EQ(0, session_open(self, RING_SIZE, getpid()));
	ASSERT_LE(0, switcher_join(&self->s, &self->program, THREAD_SLOT, true));
}

FIXTURE_TEARDOWN(user_switch)
{
	switcher_close(&self->s);
	reader_close(&self->reader);
	program_close(&self->program);
}

/*
 * One switch that is done from user mode. The machine may take the CPU away at
 * any time; then the kernel does it, and another is tried from where it was.
 */
static bool from_user(struct switcher *s, unsigned long to)
{
	unsigned long before = s->switches;
	__u32 from = in_user_mode(s) ? open_slice(s)->slot : B;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		if (switcher_switch(s, to))
			return false;
		if (s->switches > before)
			return true;
		if (switcher_switch(s, from))
			return false;
		before = s->switches;
	}
	return false;
}

static void settle(struct __test_metadata *_metadata, FIXTURE_DATA(user_switch) *self)
{
	__u32 slot;

	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	for (slot = 1; slot < NR_SLOTS; slot++)
		conserve_slot(&self->reader, slot, &self->program.slots[slot], 2);
	EXPECT_STREQ("", self->reader.defect);
}

static void stop_and_settle(struct __test_metadata *_metadata, FIXTURE_DATA(user_switch) *self)
{
	ASSERT_EQ(0, stop(self->reader.fd));
	settle(_metadata, self);
}

/* --------------------------------------------------------------- the records */

TEST_F(user_switch, mode_is_told)
{
	ASSERT_TRUE(from_user(&self->s, A));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_USER, self->reader.logs[0].record.mode);
	EXPECT_EQ(0, self->reader.logs[0].record.reason);
	EXPECT_EQ(0, self->reader.logs[0].record.error);
	stop_and_settle(_metadata, self);
}

TEST_F(user_switch, counters_read_in_user_mode)
{
	if (access("/proc/sys/kernel/perf_user_access", W_OK) &&
	    access("/sys/bus/event_source/devices/cpu/rdpmc", W_OK))
		SKIP(return, "this kernel lets user mode read no counters of this machine");
	ASSERT_TRUE(from_user(&self->s, A));
	if (self->s.event[1].fd < 0)
		SKIP(return, "this machine does not count cycles");
	EXPECT_LT(0, self->s.by_register);
	stop_and_settle(_metadata, self);
}

/* Each detail that a slice may have, of one that began and ended from here. */
TEST_F(user_switch, details)
{
	struct coroprof_slot *a = &self->program.slots[A];
	int label = make_label(self->program.process, "a label", 7);
	const struct log *log;

	ASSERT_LT(0, label);
	ASSERT_TRUE(from_user(&self->s, C));
	*a = (struct coroprof_slot){ .id = 77, .parent = 66, .tag = 55, .label = label };
	a->wake_time = wall_ns();
	a->waker = 44;
	ASSERT_EQ(0, switcher_switch(&self->s, A | COROPROF_SWITCH_FRESH));
	EXPECT_EQ(0, a->wake_time);
	ASSERT_EQ(0, switcher_switch(&self->s, B | COROPROF_SWITCH_END));
	reader_drain(&self->reader);
	ASSERT_STREQ("", self->reader.defect);
	log = &self->reader.logs[0];
	EXPECT_EQ(A, log->last.slot);
	EXPECT_EQ(77, log->last.id);
	EXPECT_EQ(label, log->last.label);
	EXPECT_EQ(COROPROF_SLICE_FRESH | COROPROF_SLICE_WOKEN | COROPROF_SLICE_END,
		  log->last.flags & ~COROPROF_SLICE_OFFCPU);
	EXPECT_EQ(66, log->last_fresh.parent);
	EXPECT_EQ(55, log->last_fresh.tag);
	EXPECT_EQ(44, log->last_woken.waker);
	ASSERT_EQ(0, switcher_switch(&self->s, A | COROPROF_SWITCH_READY));
	reader_drain(&self->reader);
	EXPECT_EQ(B, log->last.slot);
	EXPECT_TRUE(log->last.flags & COROPROF_SLICE_READY);
	stop_and_settle(_metadata, self);
}

/* Of the slice that ends there, not of the next, whoever ends it. */
TEST_F(user_switch, missed)
{
	const struct log *log = &self->reader.logs[0];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(from_user(&self->s, i ? B : A));
		ASSERT_EQ(0, i ? switch_to(self->s.channel, C | COROPROF_SWITCH_UNREPORTED) :
			     switcher_switch(&self->s, C | COROPROF_SWITCH_UNREPORTED));
		reader_drain(&self->reader);
		ASSERT_STREQ("", self->reader.defect);
		EXPECT_EQ(i ? B : A, log->last.slot);
		EXPECT_TRUE(log->last.flags & COROPROF_SLICE_UNREPORTED);
		ASSERT_EQ(0, switcher_switch(&self->s, A));
		reader_drain(&self->reader);
		EXPECT_EQ(C, log->last.slot);
		EXPECT_FALSE(log->last.flags & COROPROF_SLICE_UNREPORTED);
	}
	stop_and_settle(_metadata, self);
}

/* READ knows of what the kernel was not told, and leaves it as it is. */
TEST_F(user_switch, read_in_between)
{
	const struct coroprof_slot *a = &self->program.slots[A];
	struct coroprof_totals totals;
	unsigned int i;

	ASSERT_TRUE(from_user(&self->s, A));
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, read_totals(self->s.channel, &totals));
		EXPECT_EQ(A, totals.slot);
		EXPECT_EQ(ID_OF(A), totals.id);
		EXPECT_EQ(a->slices + 1, totals.slices);
		EXPECT_LE(a->running_ns, totals.running_ns);
		EXPECT_LE(a->count[0], totals.count[0]);
		ASSERT_TRUE(from_user(&self->s, B));
		ASSERT_TRUE(from_user(&self->s, A));
	}
	stop_and_settle(_metadata, self);
}

/* Nor does CHANNEL, at whatever moment it comes, find less than all. */
TEST_F(user_switch, status_in_between)
{
	struct coroprof_channel_status status;
	unsigned int i;

	ASSERT_TRUE(from_user(&self->s, A));
	for (i = 0; i < 50; i++) {
		ASSERT_TRUE(from_user(&self->s, i % 2 ? A : B));
		settle(_metadata, self);
		ASSERT_EQ(0, channel_status(self->reader.fd, 1, &status));
		EXPECT_EQ(COROPROF_CHANNEL_OPEN, status.flags);
		EXPECT_EQ(self->s.producer->head & ~1ULL, status.ring_head);
		EXPECT_EQ(open_slice(&self->s)->began, status.begin + status.running_ns +
			  status.preempted_ns + status.blocked_ns);
	}
	stop_and_settle(_metadata, self);
}

#define NAP_NS	20000000ULL

/*
 * Sleeps until it was off the CPU for some time in this slice, and returns that. The way to
 * sleep is no part of it, and may be long.
 */
static __u64 nap(const struct switcher *s)
{
	__u64 ns;

	for (ns = NAP_NS; ns < 1000 * NAP_NS && s->page->off_ns < NAP_NS / 2; ns *= 2)
		sleep_ns(ns);
	return s->page->off_ns;
}

/* The thread was off the CPU: that slice is the kernel's, with all it knows. */
TEST_F(user_switch, off_the_cpu)
{
	const struct log *log;
	unsigned long before;
	__u64 off_ns;

	ASSERT_TRUE(from_user(&self->s, A));
	reader_drain(&self->reader);
	log = &self->reader.logs[0];
	before = self->s.switches;
	off_ns = nap(&self->s);
	EXPECT_EQ(1, self->s.page->attention);
	EXPECT_LE(NAP_NS / 2, off_ns);
	ASSERT_EQ(0, switcher_switch(&self->s, B));
	EXPECT_EQ(before, self->s.switches);
	reader_drain(&self->reader);
	EXPECT_EQ(A, log->last.slot);
	EXPECT_TRUE(log->last.flags & COROPROF_SLICE_OFFCPU);
	EXPECT_LE(1, log->last_offcpu.nr_blocked);
	EXPECT_LE(off_ns, log->last_offcpu.blocked_ns + log->last_offcpu.preempted_ns);
	EXPECT_LE(off_ns, self->program.slots[A].blocked_ns + self->program.slots[A].preempted_ns);
	EXPECT_TRUE(from_user(&self->s, A));
	stop_and_settle(_metadata, self);
}

#define AHEAD_NS	400000ULL

static void nap_before_the_head(struct switcher *s, enum held_up where)
{
	(void)s;
	if (where == BEFORE_HEAD)
		sleep_ns(AHEAD_NS / 8);
}

/*
 * A thread that computes its times may be a little ahead of the kernel's clock:
 * then it is off the CPU before its slice began, and that time is not in it.
 */
TEST_F(user_switch, clock_ahead)
{
	unsigned int i;

	ASSERT_TRUE(from_user(&self->s, A));
	for (i = 0; i < 100; i++) {
		self->s.ahead = AHEAD_NS;
		self->s.held_up = i % 2 ? nap_before_the_head : NULL;
		ASSERT_EQ(0, switcher_switch(&self->s, i % 2 ? A : B));
		self->s.ahead = 0;
		self->s.held_up = NULL;
		if (i % 3)
			sleep_ns(i * AHEAD_NS / 50);
		sched_yield();
		ASSERT_EQ(0, switcher_switch(&self->s, C));
	}
	EXPECT_LT(10, self->s.switches);
	stop_and_settle(_metadata, self);
}

/* -------------------------------------------------------- the first switch */

/* What has to wait for other processors START does, not the threads. */
static void begins_without_sleep(struct __test_metadata *_metadata,
				 FIXTURE_DATA(user_switch) *self, bool user)
{
	unsigned int before;

	reader_close(&self->reader);
	memset(&self->reader, 0, sizeof(self->reader));
	self->s.from_user = user;
	/* perf forgets its last event after a second. */
	sleep_ms(1500);
	ASSERT_EQ(0, session_open(self, RING_SIZE, getpid()));
	before = times_slept();
	ASSERT_EQ(0, switcher_switch(&self->s, A));
	EXPECT_EQ(before, times_slept());
	ASSERT_EQ(user, in_user_mode(&self->s));
	stop_and_settle(_metadata, self);
}

TEST_F(user_switch, begins_without_sleep)
{
	begins_without_sleep(_metadata, self, true);
}

TEST_F(user_switch, begins_by_ioctl_without_sleep)
{
	begins_without_sleep(_metadata, self, false);
}

/* --------------------------------------------------------- a ring that is full */

/* What is lost is in the slots and in the totals, but not in the slices. */
static void settle_lost(struct __test_metadata *_metadata, FIXTURE_DATA(user_switch) *self)
{
	struct coroprof_channel_status status;
	struct coroprof_slot sum = { 0 };
	__u32 slot;

	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	ASSERT_EQ(0, channel_status(self->reader.fd, 1, &status));
	EXPECT_EQ(0, status.error);
	EXPECT_LT(0, status.lost);
	EXPECT_EQ(status.lost, self->reader.logs[0].lost);
	for (slot = 1; slot < NR_SLOTS; slot++) {
		sum.slices += self->program.slots[slot].slices;
		sum.running_ns += self->program.slots[slot].running_ns;
		sum.count[0] += self->program.slots[slot].count[0];
	}
	EXPECT_EQ(status.slices, sum.slices);
	EXPECT_EQ(status.running_ns, sum.running_ns);
	EXPECT_EQ(status.count[0], sum.count[0]);
}

static void fill_ring(struct __test_metadata *_metadata, FIXTURE_DATA(user_switch) *self)
{
	unsigned int i;

	for (i = 0; i < 2 * RING_SIZE / 56; i++)
		ASSERT_EQ(0, switcher_switch(&self->s, i % 2 ? A : B));
}

TEST_F(user_switch, full)
{
	struct coroprof_channel_status status;
	unsigned int round, i;
	const struct log *log;
	__u64 lost = 0;

	ASSERT_TRUE(from_user(&self->s, A));
	reader_drain(&self->reader);
	log = &self->reader.logs[0];
	for (round = 0; round < 5; round++) {
		fill_ring(_metadata, self);
		EXPECT_LT(lost, self->s.producer->lost);
		reader_drain(&self->reader);
		ASSERT_STREQ("", self->reader.defect);
		/* Before long it looks at the ring again; and then all that was lost is told. */
		for (i = 0; i < 600; i++)
			ASSERT_EQ(0, switcher_switch(&self->s, i % 2 ? A : B));
		ASSERT_TRUE(from_user(&self->s, C));
		reader_drain(&self->reader);
		ASSERT_STREQ("", self->reader.defect);
		ASSERT_EQ(0, channel_status(self->reader.fd, 1, &status));
		EXPECT_LT(lost, status.lost);
		EXPECT_EQ(status.lost, log->lost);
		lost = log->lost;
	}
	/* Once more, so that the end finds it full: CHANNEL_LAST tells of that. */
	fill_ring(_metadata, self);
	ASSERT_EQ(0, stop(self->reader.fd));
	settle_lost(_metadata, self);
	EXPECT_LT(lost, log->lost);
	EXPECT_TRUE(log->last.flags & COROPROF_SLICE_CUT);
}

/* The kernel is called by few of the switches that find no room. */
TEST_F(user_switch, drops_without_a_call)
{
	unsigned long before;

	ASSERT_TRUE(from_user(&self->s, A));
	reader_drain(&self->reader);
	fill_ring(_metadata, self);
	before = self->s.dropped;
	fill_ring(_metadata, self);
	EXPECT_LT(RING_SIZE / 56, self->s.dropped - before);
	ASSERT_EQ(0, stop(self->reader.fd));
	settle_lost(_metadata, self);
}

/* A span that finds room again comes behind what was lost, and switches go on there. */
TEST_F(user_switch, span_after_drops)
{
	struct coroprof_span span = { .size = sizeof(span) };
	const struct log *log = &self->reader.logs[0];
	unsigned int round, i;

	ASSERT_TRUE(from_user(&self->s, A));
	reader_drain(&self->reader);
	for (round = 0; round < 4; round++) {
		fill_ring(_metadata, self);
		/* So that either of the open slices is the one that is open. */
		if (round % 2)
			ASSERT_EQ(0, switcher_switch(&self->s, C));
		reader_drain(&self->reader);
		ASSERT_EQ(0, call(self->s.channel, COROPROF_IOC_SPAN, &span));
		for (i = 0; i < 8; i++)
			ASSERT_EQ(0, switcher_switch(&self->s, i % 2 ? A : B));
		reader_drain(&self->reader);
		ASSERT_STREQ("", self->reader.defect);
		EXPECT_EQ(round + 1, log->spans);
	}
	ASSERT_EQ(0, stop(self->reader.fd));
	settle_lost(_metadata, self);
}

/* ------------------------------------------- held up in the middle of a switch */

struct interruption {
	FIXTURE_DATA(user_switch) *self;
	enum held_up where;
	bool by_another;
	bool and_start;
	bool full;
	int ret;
	__u64 closed;
};

static int stop_now(void *arg)
{
	struct interruption *at = arg;

	at->ret = stop(at->self->reader.fd);
	at->closed = at->self->s.page->closed;
	if (!at->ret && at->and_start)
		at->ret = start(at->self->reader.fd);
	return at->ret;
}

static void interrupt_with_stop(struct switcher *s, enum held_up where)
{
	struct interruption *at = s->arg;

	if (where != at->where)
		return;
	s->held_up = NULL;
	if (at->by_another)
		on_thread(stop_now, at);
	else
		stop_now(at);
}

/* The switch from A to B is the one that is held up. */
static void stop_in_a_switch(struct __test_metadata *_metadata, FIXTURE_DATA(user_switch) *self,
			     struct interruption *at)
{
	const struct log *log = &self->reader.logs[0];
	bool late = at->where == BEFORE_HEAD;
	unsigned int i;

	at->self = self;
	at->ret = 1;
	self->s.arg = at;
	if (at->full)
		fill_ring(_metadata, self);
	for (i = 0; i < 1000 && at->ret == 1; i++) {
		ASSERT_EQ(0, switcher_switch(&self->s, A));
		self->s.held_up = interrupt_with_stop;
		ASSERT_EQ(0, switcher_switch(&self->s, B));
		self->s.held_up = NULL;
	}
	ASSERT_EQ(0, at->ret);
	EXPECT_EQ(late, self->s.late);
	reader_drain(&self->reader);
	EXPECT_TRUE(log->ended && log->last_taken);
	EXPECT_TRUE(log->last.flags & COROPROF_SLICE_CUT);
	EXPECT_EQ(late ? A : B, log->last.slot);
	EXPECT_EQ(at->closed, log->tail);
}

/*
 * The record that comes too late does not count, and its slice is in
 * CHANNEL_LAST; one that was not late is where it is, and the next in there.
 */
TEST_F(user_switch, stopped_by_itself_before_the_head)
{
	struct interruption at = { .where = BEFORE_HEAD };

	stop_in_a_switch(_metadata, self, &at);
	settle(_metadata, self);
}

TEST_F(user_switch, stopped_by_itself_after_the_head)
{
	struct interruption at = { .where = AFTER_HEAD };

	stop_in_a_switch(_metadata, self, &at);
	EXPECT_EQ(at.closed, self->s.producer->head & ~1ULL);
	settle(_metadata, self);
}

TEST_F(user_switch, stopped_by_another_before_the_head)
{
	struct interruption at = { .where = BEFORE_HEAD, .by_another = true };

	stop_in_a_switch(_metadata, self, &at);
	settle(_metadata, self);
}

TEST_F(user_switch, stopped_by_another_after_the_head)
{
	struct interruption at = { .where = AFTER_HEAD, .by_another = true };

	stop_in_a_switch(_metadata, self, &at);
	settle(_metadata, self);
}

/* Nothing is written in either case: it is the number of slices that tells. */
TEST_F(user_switch, stopped_by_itself_before_a_drop)
{
	struct interruption at = { .where = BEFORE_HEAD, .full = true };

	stop_in_a_switch(_metadata, self, &at);
	settle_lost(_metadata, self);
}

TEST_F(user_switch, stopped_by_itself_after_a_drop)
{
	struct interruption at = { .where = AFTER_HEAD, .full = true };

	stop_in_a_switch(_metadata, self, &at);
	settle_lost(_metadata, self);
}

TEST_F(user_switch, stopped_by_another_after_a_drop)
{
	struct interruption at = { .where = AFTER_HEAD, .by_another = true, .full = true };

	stop_in_a_switch(_metadata, self, &at);
	settle_lost(_metadata, self);
}

static void goes_on(struct __test_metadata *_metadata, FIXTURE_DATA(user_switch) *self)
{
	ASSERT_TRUE(from_user(&self->s, C));
	stop_and_settle(_metadata, self);
	ASSERT_EQ(2, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_USER, self->reader.logs[1].record.mode);
}

TEST_F(user_switch, stopped_and_started_before_the_head)
{
	struct interruption at = { .where = BEFORE_HEAD, .by_another = true, .and_start = true };

	stop_in_a_switch(_metadata, self, &at);
	goes_on(_metadata, self);
}

TEST_F(user_switch, stopped_and_started_after_the_head)
{
	struct interruption at = { .where = AFTER_HEAD, .by_another = true, .and_start = true };

	stop_in_a_switch(_metadata, self, &at);
	goes_on(_metadata, self);
}

/* Preempted, moved and asleep there: the head that comes later still counts. */
static void interrupt_with_all_else(struct switcher *s, enum held_up where)
{
	unsigned int *seed = s->arg;

	switch ((rand_r(seed) >> 4) % 8 + 8 * (where == AFTER_HEAD)) {
	case 0:
	case 8:
		sleep_ns(rand_r(seed) % 100000);
		break;
	case 1:
	case 9:
		pin_to(rand_r(seed) % nr_cpus());
		break;
	case 2:
	case 10:
		sched_yield();
		break;
	default:
		break;
	}
}

TEST_F(user_switch, off_the_cpu_in_a_switch)
{
	unsigned int seed = storm_seed(), i;

	self->s.arg = &seed;
	self->s.held_up = interrupt_with_all_else;
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, switcher_switch(&self->s, A + rand_r(&seed) % 4));
		if (!(i % 64)) {
			reader_drain(&self->reader);
			ASSERT_STREQ("", self->reader.defect);
		}
	}
	EXPECT_LT(0, self->s.switches);
	EXPECT_EQ(0, self->s.late);
	stop_and_settle(_metadata, self);
	/* The first SWITCH began the first slice; STOP cut the last. */
	EXPECT_EQ(i, self->reader.logs[0].sums.slices);
}

/* ----------------------------------------------- a switch within a switch */

static struct switcher *nested;
static int nested_ret;

static void switch_in_handler(int signal)
{
	(void)signal;
	nested_ret = switcher_switch(nested, C);
}

static void interrupt_with_signal(struct switcher *s, enum held_up where)
{
	if (where != *(enum held_up *)s->arg)
		return;
	s->held_up = NULL;
	raise(SIGUSR1);
}

static void nest(struct __test_metadata *_metadata, FIXTURE_DATA(user_switch) *self,
		 enum held_up where)
{
	struct coroprof_wanted want;
	const struct log *log;

	signal(SIGUSR1, switch_in_handler);
	nested = &self->s;
	nested_ret = 1;
	ASSERT_TRUE(from_user(&self->s, A));
	self->s.arg = &where;
	self->s.held_up = interrupt_with_signal;
	ASSERT_TRUE(switcher_switch(&self->s, B) == 0 && switcher_switch(&self->s, A) == 0);
	self->s.held_up = NULL;
	if (nested_ret == 1)
		SKIP(return, "this machine did not let a switch from user mode happen");
	ASSERT_EQ(0, nested_ret);
	EXPECT_EQ(where == BEFORE_HEAD, self->s.late);
	ASSERT_EQ(0, wanted(self->s.channel, &want));
	EXPECT_EQ(0, want.flags);
	stop_and_settle(_metadata, self);
	ASSERT_EQ(2, self->reader.nr_logs);
	log = &self->reader.logs[1];
	EXPECT_EQ(COROPROF_MODE_IOCTL, log->record.mode);
	EXPECT_EQ(COROPROF_REASON_NESTED, log->record.reason);
	/* And not at the next START either. */
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switcher_switch(&self->s, B));
	stop_and_settle(_metadata, self);
	EXPECT_EQ(COROPROF_REASON_NESTED, self->reader.logs[2].record.reason);
}

TEST_F(user_switch, nested_before_the_head)
{
	nest(_metadata, self, BEFORE_HEAD);
}

TEST_F(user_switch, nested_after_the_head)
{
	nest(_metadata, self, AFTER_HEAD);
}

/* ------------------------------------------------------- STOP at any moment */

struct restless {
	struct switcher s;
	struct program *program;
	__u32 own;
	bool end;
	unsigned int seed;
	int ret;
};

/* So long that some STOP comes right there. */
static void dawdle(struct switcher *s, enum held_up where)
{
	struct restless *restless = s->arg;

	(void)where;
	if (!(rand_r(&restless->seed) % 64))
		spin_wall(30000);
}

static void *switch_restlessly(void *arg)
{
	struct restless *restless = arg;
	struct switcher *s = &restless->s;
	int ret = switcher_join(s, restless->program, restless->own, true);
	__u32 to;

	s->arg = restless;
	s->held_up = dawdle;
	while (ret >= 0 && !__atomic_load_n(&restless->end, __ATOMIC_RELAXED)) {
		to = restless->own + 1 + (rand_r(&restless->seed) >> 4) % 3;
		ret = switcher_switch(s, to);
		if (!(rand_r(&restless->seed) % 32))
			sleep_ns(20000);
	}
	restless->ret = ret < 0 ? ret : 0;
	switcher_leave(s);
	return NULL;
}

#define RESTLESS	3
#define ROUNDS		40

/* A reader has room for so many channels: those that are done with make way. */
static void check_and_forget(struct __test_metadata *_metadata, FIXTURE_DATA(user_switch) *self)
{
	struct reader *reader = &self->reader;
	unsigned int i;

	reader_drain(reader);
	ASSERT_STREQ("", conservation(reader));
	for (i = 0; i < reader->nr_logs; i++) {
		ASSERT_EQ(0, forget(reader->fd, reader->logs[i].record.channel_id));
		log_unmap(reader, &reader->logs[i]);
	}
	reader->nr_logs = 0;
}

static unsigned long all_switches(const struct restless *threads)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < RESTLESS; i++)
		sum += __atomic_load_n(&threads[i].s.switches, __ATOMIC_RELAXED);
	return sum;
}

/* Until one of them is in user mode, however slow the machine; or not for long. */
static void wait_for_a_switch(const struct restless *threads)
{
	__u64 until = wall_ns() + 200000000;
	unsigned long before = all_switches(threads);

	while (all_switches(threads) == before && wall_ns() < until)
		sleep_ns(100000);
}

TEST_F(user_switch, stopped_and_started_all_the_time)
{
	struct restless threads[RESTLESS] = { 0 };
	unsigned int seed = storm_seed(), i, round;
	unsigned long switches = 0, late = 0;
	pthread_t ids[RESTLESS];

	/* What is lost is in the slots, but not in the slices. */
	reader_close(&self->reader);
	memset(&self->reader, 0, sizeof(self->reader));
	ASSERT_EQ(0, session_open(self, 16 * RING_SIZE, getpid()));
	for (i = 0; i < RESTLESS; i++) {
		threads[i].program = &self->program;
		threads[i].own = 2 + 4 * i;
		threads[i].seed = seed + i;
		ids[i] = run_thread(switch_restlessly, &threads[i]);
	}
	for (round = 0; round < ROUNDS; round++) {
		if (round % 4)
			wait_for_a_switch(threads);
		sleep_ns(rand_r(&seed) % 4000000);
		reader_drain(&self->reader);
		sleep_ns(rand_r(&seed) % 1000000);
		ASSERT_EQ(0, stop(self->reader.fd));
		check_and_forget(_metadata, self);
		ASSERT_EQ(0, start(self->reader.fd));
	}
	for (i = 0; i < RESTLESS; i++) {
		__atomic_store_n(&threads[i].end, true, __ATOMIC_RELAXED);
		pthread_join(ids[i], NULL);
		EXPECT_EQ(0, threads[i].ret);
		switches += threads[i].s.switches;
		late += threads[i].s.late;
	}
	stop_and_settle(_metadata, self);
	EXPECT_LT(0, switches);
	TH_LOG("%lu switches from user mode, %lu were too late", switches, late);
}

/* ------------------------------------------------------------ how a thread ends */

/* In a child: it switches from user mode, says so, and ends as it is told. */
static int end_as(FIXTURE_DATA(user_switch) *self, char how, int say)
{
	struct program program;
	struct switcher s;
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (program_open(&program, NR_SLOTS, self->reader.config.token) ||
	    switcher_join(&s, &program, THREAD_SLOT, true) < 0 || !from_user(&s, A))
		return 1;
	for (i = 0; i < 100; i++)
		from_user(&s, i % 2 ? A : B);
	if (write(say, "", 1) != 1)
		return 2;
	switch (how) {
	case 'k':
		for (i = 0;; i++)
			switcher_switch(&s, i % 2 ? A : B);
	case 'x':
		setenv(AFTER_EXEC, "1", 1);
		execl("/proc/self/exe", "user_switch", NULL);
		return 3;
	case 'a':
		abort();
	default:
		return 0;
	}
}

static void ends(struct __test_metadata *_metadata, FIXTURE_DATA(user_switch) *self, char how)
{
	const struct log *log = &self->reader.logs[0];
	int said[2];
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(said));
	pid = fork();
	if (!pid)
		_exit(end_as(self, how, said[1]));
	ASSERT_EQ(1, read(said[0], &byte, 1));
	if (how == 'k') {
		sleep_ms(3);
		kill(pid, SIGKILL);
	}
	waitpid(pid, NULL, 0);
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_USER, log->record.mode);
	EXPECT_TRUE(log->ended && log->last_taken);
	EXPECT_TRUE(log->last.flags & COROPROF_SLICE_CUT);
	EXPECT_LT(100, log->sums.slices + log->lost);
	EXPECT_EQ(1, self->reader.nr_process_ends);
}

TEST_F(user_switch, exits)
{
	ends(_metadata, self, 'e');
}

TEST_F(user_switch, is_killed)
{
	ends(_metadata, self, 'k');
}

TEST_F(user_switch, aborts)
{
	ends(_metadata, self, 'a');
}

TEST_F(user_switch, calls_execve)
{
	ends(_metadata, self, 'x');
}

/* ----------------------------------------------------- in a time namespace */

/* CLOCK_MONOTONIC of children differs by so much from now on. Returns false if it can't. */
static bool shift_clock(long seconds)
{
	char text[32];
	int fd, len;

	if (unshare(CLONE_NEWTIME))
		return false;
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	len = snprintf(text, sizeof(text), "monotonic %ld 0", seconds);
	if (write(fd, text, len) != len)
		return false;
	close(fd);
	return true;
}

/* Records itself. Returns what is wrong, by number. */
static int be_shifted(void *arg)
{
	__u64 offset = *(long *)arg * 1000000000ULL, before, after;
	struct coroprof_channel_status status;
	FIXTURE_DATA(user_switch) self = { 0 };
	unsigned int i;

	if (program_open(&self.program, NR_SLOTS, 0) || session_open(&self, RING_SIZE, getpid()) ||
	    switcher_join(&self.s, &self.program, THREAD_SLOT, true) < 0)
		return 1;
	before = wall_ns() - offset;
	for (i = 0; i < 10; i++) {
		if (!from_user(&self.s, i % 2 ? B : A))
			return 2;
		spin_wall(500000);
	}
	if (stop(self.reader.fd))
		return 3;
	after = wall_ns() - offset;
	reader_drain(&self.reader);
	if (*conservation(&self.reader))
		return 4;
	if (channel_status(self.reader.fd, 1, &status) || status.error)
		return 5;
	if (status.begin < before || status.end > after)
		return 6;
	return self.reader.logs[0].record.mode == COROPROF_MODE_USER ? 0 : 7;
}

static int shift_and_be(void *arg)
{
	if (!shift_clock(*(long *)arg))
		return 100;
	return in_child(be_shifted, arg);
}

/* What it tells is in the kernel's time, and the recording is whole. */
TEST_F(user_switch, in_a_time_namespace)
{
	static const long shifts[] = { 100, -1 };
	long shift;
	unsigned int i;
	int ret;

	if (access("/proc/self/timens_offsets", W_OK))
		SKIP(return, "this kernel has no time namespaces");
	/* No clock may be before 0. */
	while (wall_ns() < 1500000000)
		sleep_ms(100);
	for (i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
		shift = shifts[i];
		ret = in_child(shift_and_be, &shift);
		EXPECT_EQ(0, ret) TH_LOG("by %ld s", shift);
	}
}

/* Up to the first that is from user mode, wherever it goes to; there may be none if the recording ends. */
static int any_from_user(struct switcher *s)
{
	unsigned long before = s->switches;
	unsigned int i;
	int err = 0;

	for (i = 0; i < 1000 && s->switches == before && !err; i++)
		err = switcher_switch(s, i % 2 ? A : B);
	return err;
}

/* Another namespace in the middle of a recording: it ends there. */
TEST_F(user_switch, into_a_time_namespace)
{
	struct coroprof_channel_status status;
	int fd;

	if (access("/proc/self/timens_offsets", W_OK))
		SKIP(return, "this kernel has no time namespaces");
	ASSERT_TRUE(from_user(&self->s, A));
	reader_stream(&self->reader);
	ASSERT_TRUE(shift_clock(50));
	fd = open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, setns(fd, CLONE_NEWTIME));
	close(fd);
	self->s.ahead = -50000000000LL;
	/*
	 * One by ioctl has the kernel's clock, and is not wrong; after one that is, there are no more. The kernel may
	 * have seen that one before its end, and taken it.
	 */
	ASSERT_EQ(0, any_from_user(&self->s));
	self->s.ahead = 0;
	ASSERT_EQ(0, switch_to(self->s.channel, C));
	ASSERT_EQ(0, channel_status(self->reader.fd, 1, &status));
	EXPECT_EQ(EBADMSG, status.error);
	/* The next START takes its clock as it is then. */
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switcher_switch(&self->s, B));
	ASSERT_TRUE(from_user(&self->s, C));
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, channel_status(self->reader.fd, self->reader.nr_logs + 1, &status));
	EXPECT_EQ(0, status.error);
}

static void *switch_and_end(void *arg)
{
	struct restless *restless = arg;

	switcher_join(&restless->s, restless->program, restless->own, true);
	restless->ret = !from_user(&restless->s, A);
	return NULL;
}

/* With everything still open and mapped. */
TEST_F(user_switch, thread_ends)
{
	struct restless restless = { .program = &self->program, .own = 2 };
	const struct log *log = &self->reader.logs[0];

	pthread_join(run_thread(switch_and_end, &restless), NULL);
	ASSERT_EQ(0, restless.ret);
	sleep_ms(1);
	settle(_metadata, self);
	EXPECT_TRUE(log->ended && log->last_taken);
	EXPECT_EQ(A, log->last.slot);
	EXPECT_EQ(1, restless.s.page->attention);
	switcher_close(&restless.s);
}

TEST_F(user_switch, thread_leaves)
{
	ASSERT_TRUE(from_user(&self->s, A));
	ASSERT_EQ(0, switcher_leave(&self->s));
	settle(_metadata, self);
	EXPECT_TRUE(self->reader.logs[0].last_taken);
	EXPECT_EQ(A, self->reader.logs[0].last.slot);
}

TEST_HARNESS_MAIN
