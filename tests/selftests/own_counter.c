// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a counter of the program's own is one like any other: what each coroutine
 * counted is what it is charged with, exactly, however its thread switches and whatever
 * happens to it; and that the program, which writes the word, can't break anything by it.
 */
#include "kselftest_harness.h"

#include "conserve.h"
#include "parameter.h"
#include "require.h"
#include "user_mode.h"

#define NR_SLOTS	32U
#define RING_SIZE	65536U
#define A		20U
#define KINDS		3U
#define OWN		1U	/* among the session's counters */
#define NOBODY		65534
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

static const struct coroprof_counter own = { .type = COROPROF_TYPE_PROGRAM };

FIXTURE(own_counter)
{
	struct program program;
	struct reader reader;
	struct switcher s;
	__u64 *word;
};

FIXTURE_VARIANT(own_counter)
{
	bool from_user;
};

FIXTURE_VARIANT_ADD(own_counter, by_ioctl)
{
	.from_user = false,
};

FIXTURE_VARIANT_ADD(own_counter, from_user)
{
	.from_user = true,
};

static int session_open(FIXTURE_DATA(own_counter) *self, __u32 flags)
{
	struct coroprof_session_config *config = &self->reader.config;
	int ret;

	config->flags = flags;
	config->ring_size = flags & COROPROF_SESSION_TOTALS ? 0 : RING_SIZE;
	config->nr_counters = 2;
	config->counters[0].type = PERF_TYPE_SOFTWARE;
	config->counters[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	config->counters[OWN] = own;
	ret = reader_open(&self->reader, self->program.control, NR_SLOTS);
	return ret ?: attach(self->reader.fd, getpid()) ?: start(self->reader.fd);
}

FIXTURE_SETUP(own_counter)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->program.slots[THREAD_SLOT].id |= COROPROF_ID_THREAD;
	self->word = &self->program.slots[THREAD_SLOT].mark[1];
	/* Of before anybody asked. */
	*self->word = 1000003;
	ASSERT_EQ(0, session_open(self, variant->from_user ? COROPROF_SESSION_USER : 0));
	ASSERT_LE(0, switcher_join(&self->s, &self->program, THREAD_SLOT, variant->from_user));
	*self->word += 17;
}

FIXTURE_TEARDOWN(own_counter)
{
	switcher_close(&self->s);
	reader_close(&self->reader);
	program_close(&self->program);
}

static __u64 counted(const FIXTURE_DATA(own_counter) *self, __u32 slot)
{
	return self->reader.slots[slot].count[OWN];
}

static void stop_and_settle(struct __test_metadata *_metadata, FIXTURE_DATA(own_counter) *self)
{
	__u32 slot;

	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	for (slot = 1; slot < NR_SLOTS; slot++)
		conserve_slot(&self->reader, slot, &self->program.slots[slot], 2);
	EXPECT_STREQ("", self->reader.defect);
}

static unsigned int times_preempted(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static void *compete(void *done)
{
	pin_to(0);
	while (!__atomic_load_n((bool *)done, __ATOMIC_RELAXED))
		sched_yield();
	return NULL;
}

static void be_preempted(void)
{
	unsigned int before = times_preempted();

	while (times_preempted() == before)
		sched_yield();
}

/* However slow the machine is: a time that is over before the thread sleeps does not block it. */
static void be_blocked(void)
{
	unsigned int before = times_slept();
	__u64 ns;

	for (ns = 50000; times_slept() == before; ns *= 2)
		sleep_ns(ns);
}

/* Round and round, in uneven portions; with the thread off the CPU in the middle of some. */
static __u64 work(struct switcher *s, __u64 *word, __u64 share, unsigned int round, __u32 slot)
{
	__u64 half = share * (round % 7);

	if (switcher_switch(s, slot | (round ? 0 : COROPROF_SWITCH_FRESH)))
		return 0;
	*word += half;
	if (round % 16 == 3)
		be_blocked();
	if (round % 16 == 9)
		be_preempted();
	*word += share;
	return half + share;
}

TEST_F(own_counter, shares_of_coroutines)
{
	static const __u64 shares[KINDS] = { 1, 5, 20 };
	__u64 known[KINDS] = { 0 };
	unsigned int round, kind;
	bool done = false;
	pthread_t other;

	pin_to(0);
	other = run_thread(compete, &done);
	for (round = 0; round < 200; round++) {
		for (kind = 0; kind < KINDS; kind++)
			known[kind] += work(&self->s, self->word, shares[kind], round, A + kind);
		/* Outside any coroutine the thread counts for itself. */
		ASSERT_EQ(0, switcher_switch(&self->s, THREAD_SLOT |
					     (round ? 0 : COROPROF_SWITCH_FRESH)));
		*self->word += 3;
		reader_drain(&self->reader);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
	stop_and_settle(_metadata, self);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(variant->from_user ? COROPROF_MODE_USER : COROPROF_MODE_IOCTL,
		  self->reader.logs[0].record.mode);
	EXPECT_EQ(COROPROF_STANDING_COUNTED,
		  COROPROF_STANDING(self->reader.logs[0].sums.standing, OWN));
	EXPECT_EQ(known[0] * 5, known[1]);
	EXPECT_EQ(known[0] * 20, known[2]);
	for (kind = 0; kind < KINDS; kind++) {
		EXPECT_EQ(known[kind], counted(self, A + kind));
		EXPECT_LT(0, self->reader.slots[A + kind].nr_preempted);
		EXPECT_LT(0, self->reader.slots[A + kind].nr_blocked);
	}
	EXPECT_EQ(200 * 3, counted(self, THREAD_SLOT));
	if (variant->from_user)
		EXPECT_LT(0, self->s.switches);
}

static bool any_garbage(__u64 seed, __u64 *word)
{
	*word = seed * 0x9e3779b97f4a7c15ULL;
	return !(seed % 3);
}

static void *scribble(void *word)
{
	unsigned int i;

	for (i = 0; i < 100000; i++)
		any_garbage(i, word);
	return NULL;
}

/* Down, up, round, and by another thread: the books agree, and nothing ends. */
TEST_F(own_counter, whatever_is_written)
{
	pthread_t other = run_thread(scribble, self->word);
	unsigned int i;

	for (i = 0; i < 400; i++) {
		ASSERT_EQ(0, switcher_switch(&self->s, (A + i % KINDS) |
					     (i < KINDS ? COROPROF_SWITCH_FRESH : 0)));
		if (any_garbage(i, self->word))
			*self->word = 0;
		reader_drain(&self->reader);
	}
	pthread_join(other, NULL);
	ASSERT_EQ(0, switcher_switch(&self->s, THREAD_SLOT | COROPROF_SWITCH_FRESH));
	stop_and_settle(_metadata, self);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(0, self->reader.logs[0].end_error);
}

/* A step back is a difference modulo 2^64. */
TEST_F(own_counter, less)
{
	ASSERT_EQ(0, switcher_switch(&self->s, A | COROPROF_SWITCH_FRESH));
	*self->word -= 5;
	ASSERT_EQ(0, switcher_switch(&self->s, THREAD_SLOT | COROPROF_SWITCH_FRESH));
	stop_and_settle(_metadata, self);
	EXPECT_EQ(-5ULL, counted(self, A));
}

/* In a slot that is not one thread's alone, whoever counted it would be anybody. */
TEST_F(own_counter, of_no_thread)
{
	self->program.slots[THREAD_SLOT].id &= ~COROPROF_ID_THREAD;
	ASSERT_EQ(0, switcher_switch(&self->s, A | COROPROF_SWITCH_FRESH));
	*self->word += 5;
	ASSERT_EQ(0, switcher_switch(&self->s, THREAD_SLOT | COROPROF_SWITCH_FRESH));
	stop_and_settle(_metadata, self);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(EOPNOTSUPP, self->reader.logs[0].counters[OWN].error);
	EXPECT_EQ(COROPROF_STANDING_UNSUPPORTED,
		  COROPROF_STANDING(self->reader.logs[0].sums.standing, OWN));
	EXPECT_EQ(0, counted(self, A));
}

/* The thread counts by itself, and reads what the coroutine that runs has. */
TEST_F(own_counter, read_by_itself)
{
	struct coroprof_totals totals;

	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, switcher_leave(&self->s));
	self->s.channel = join_counting(self->program.process, THREAD_SLOT, &own, 1);
	ASSERT_LE(0, self->s.channel);
	ASSERT_EQ(0, switch_to(self->s.channel, A | COROPROF_SWITCH_FRESH));
	*self->word += 40;
	ASSERT_EQ(0, read_totals(self->s.channel, &totals));
	EXPECT_EQ(40, totals.count[0]);
	*self->word += 2;
	ASSERT_EQ(0, switch_to(self->s.channel, THREAD_SLOT | COROPROF_SWITCH_FRESH));
	EXPECT_EQ(42, self->program.slots[A].count[0]);
	EXPECT_EQ(COROPROF_STANDING_COUNTED, COROPROF_STANDING(self->program.slots[A].standing, 0));
}

TEST_F(own_counter, in_a_session_of_totals)
{
	__u64 count;

	reader_close(&self->reader);
	self->reader = (struct reader){ .fd = -1 };
	ASSERT_EQ(0, session_open(self, COROPROF_SESSION_TOTALS |
				  (variant->from_user ? COROPROF_SESSION_USER : 0)));
	ASSERT_EQ(0, switcher_switch(&self->s, A | COROPROF_SWITCH_FRESH));
	count = self->program.slots[A].count[OWN];
	*self->word += 11;
	ASSERT_EQ(0, switcher_switch(&self->s, THREAD_SLOT));
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(count + 11, self->program.slots[A].count[OWN]);
}

/* ------------------------------------------------------------- what is refused */

static int try_session(int control, const struct coroprof_session_config *wanted)
{
	struct coroprof_session_config config = *wanted;
	int fd = make_session(control, &config);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int try_counter(int control, struct coroprof_counter counter)
{
	const struct coroprof_session_config config = { .nr_counters = 1, .counters = { counter } };

	return try_session(control, &config);
}

static int try_samples(int control)
{
	const struct coroprof_session_config config = {
		.sampling = { .counter = own, .period = 1000 },
	};

	return try_session(control, &config);
}

TEST(nothing_else_is_asked_with_it)
{
	int control = open_control();

	ASSERT_LE(0, control);
	EXPECT_EQ(0, try_counter(control, own));
#define TRY(...) try_counter(control, (struct coroprof_counter){ .type = own.type, __VA_ARGS__ })
	EXPECT_EQ(-EINVAL, TRY(.config = 1));
	EXPECT_EQ(-EINVAL, TRY(.config1 = 1));
	EXPECT_EQ(-EINVAL, TRY(.config2 = 1));
	EXPECT_EQ(-EINVAL, TRY(.flags = COROPROF_COUNTER_KERNEL));
	EXPECT_EQ(-EINVAL, TRY(.flags = COROPROF_COUNTER_PINNED));
#undef TRY
	EXPECT_EQ(-EINVAL, try_samples(control));
	close(control);
}

/* Of an offer: it is that, or says why not; no event of perf's stands for it, nor it for one. */
TEST(in_its_place_in_an_offer)
{
	struct coroprof_user_mode offer = { .nr_counters = 2 };
	FIXTURE_DATA(own_counter) it = { .word = NULL };
	struct coroprof_wanted want;
	int channel;

	ASSERT_EQ(0, program_open(&it.program, NR_SLOTS, 0));
	it.program.slots[THREAD_SLOT].id |= COROPROF_ID_THREAD;
	ASSERT_EQ(0, session_open(&it, COROPROF_SESSION_USER));
	channel = join(it.program.process, THREAD_SLOT);
	ASSERT_LE(0, channel);
	ASSERT_EQ(0, wanted(channel, &want));
	offer.epoch = want.epoch;
	offer.event[0] = event_open(&want.counters[0]);
	ASSERT_LE(0, offer.event[0]);
	offer.event[OWN] = offer.event[0];
	EXPECT_EQ(-EINVAL, offer_user(channel, &offer));
	offer.event[OWN] = 0;
	EXPECT_EQ(-EINVAL, offer_user(channel, &offer));
	offer.event[OWN] = COROPROF_EVENT_PROGRAM;
	EXPECT_EQ(0, offer_user(channel, &offer));
	offer.event[OWN] = -ENOENT;
	EXPECT_EQ(0, offer_user(channel, &offer));
	close(offer.event[0]);
	offer.event[0] = COROPROF_EVENT_PROGRAM;
	EXPECT_EQ(-EBADF, offer_user(channel, &offer));
	close(channel);
	reader_close(&it.reader);
	program_close(&it.program);
}

/* Of perf it needs no permission; samples that clocks would take the place of do. */
static int try_without_rights(void *unused)
{
	int control = open_control();

	(void)unused;
	if (control < 0 || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	if (try_counter(control, own))
		return 2;
	return try_samples(control) == -EINVAL ? 0 : 3;
}

TEST(needs_nothing_of_perf)
{
	long before = number_read(PARANOID);

	if (number_write(PARANOID, 3))
		SKIP(return, "only root may write " PARANOID);
	EXPECT_EQ(0, in_child(try_without_rights, NULL));
	EXPECT_EQ(0, number_write(PARANOID, before));
}

TEST_HARNESS_MAIN
