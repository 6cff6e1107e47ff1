// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that wakes keep together what belongs together, however many threads wake a coroutine
 * while another one switches to it: each wake is in one slice, with its own time and its own
 * waker, or a later one stands for it, which who wakes is told by the exchange.
 */
#include "kselftest_harness.h"

#include <sched.h>

#include "conserve.h"
#include "require.h"
#include "user_mode.h"
#include "wake.h"

#define NR_SLOTS	32U
#define A		20U
#define B		21U
#define NR_WAKERS	3
#define WAKES		4000
/* So often a waker waits until a switch has come: else, on one CPU, all wakes may stand for each other. */
#define WAITS_EVERY	16
/* Of a waker, and of its wake: the time says both. */
#define WAKER_ID(n)	(1000 + (n))
#define TIME(n, i)	((__u64)((n) + 1) << 32 | ((i) + 1))

/* How often each wake was found in a slice, or was stood for. */
static unsigned int found[NR_WAKERS][WAKES];
static unsigned int strange, in_slices, nr_done, nr_switches;

static void find(struct coroprof_wake wake)
{
	__u64 n = (wake.time >> 32) - 1, i = (__u32)wake.time - 1ULL;

	if (n >= NR_WAKERS || i >= WAKES || wake.waker != WAKER_ID(n))
		__atomic_fetch_add(&strange, 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&found[n][i], 1, __ATOMIC_RELAXED);
}

static void each(struct reader *reader, const struct slice *slice)
{
	(void)reader;
	if (!slice->woken)
		return;
	in_slices++;
	find((struct coroprof_wake){ slice->woken->wake_time, slice->woken->waker });
}

FIXTURE(wakes)
{
	struct program program;
	struct reader reader;
	struct switcher s;
};

FIXTURE_VARIANT(wakes)
{
	bool from_user;
};

FIXTURE_VARIANT_ADD(wakes, by_ioctl)
{
	.from_user = false,
};

FIXTURE_VARIANT_ADD(wakes, from_user_mode)
{
	.from_user = true,
};

FIXTURE_SETUP(wakes)
{
	memset(found, 0, sizeof(found));
	strange = in_slices = nr_done = nr_switches = 0;
	allow_user_access();
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->reader.config.flags = variant->from_user ? COROPROF_SESSION_USER : 0;
	self->reader.config.ring_size = 1 << 20;
	count_faults_and_cycles(&self->reader.config);
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	self->reader.each = each;
	ASSERT_LE(0, switcher_join(&self->s, &self->program, THREAD_SLOT, variant->from_user));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switcher_switch(&self->s, B));
}

FIXTURE_TEARDOWN(wakes)
{
	switcher_close(&self->s);
	reader_close(&self->reader);
	program_close(&self->program);
}

#define WAKES_ARE_WHOLE() do { \
	if (!(self->program.page->flags & COROPROF_PROCESS_WAKES)) \
		SKIP(return, "this machine can't exchange 16 bytes"); \
} while (0)

#define SWITCH_TO_AND_FROM(arg) do { \
	ASSERT_EQ(0, switcher_switch(&self->s, arg)); \
	ASSERT_EQ(0, switcher_switch(&self->s, B)); \
} while (0)

static void settle(struct __test_metadata *_metadata, FIXTURE_DATA(wakes) *self)
{
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(0, self->reader.logs[0].lost);
}

struct waker {
	struct coroprof_slot *slot;
	unsigned int n;
};

static void *wake_often(void *arg)
{
	const struct waker *waker = arg;
	struct coroprof_wake was;
	unsigned int before, i;

	for (i = 0; i < WAKES; i++) {
		before = __atomic_load_n(&nr_switches, __ATOMIC_RELAXED);
		was = wake_put(waker->slot, (struct coroprof_wake){
			.time = TIME(waker->n, i), .waker = WAKER_ID(waker->n),
		});
		if (was.time)
			find(was);
		while (i % WAITS_EVERY == waker->n &&
		       __atomic_load_n(&waker->slot->wake_time, __ATOMIC_RELAXED) &&
		       __atomic_load_n(&nr_switches, __ATOMIC_RELAXED) == before)
			sched_yield();
	}
	__atomic_fetch_add(&nr_done, 1, __ATOMIC_RELEASE);
	return NULL;
}

TEST_F(wakes, each_is_in_one_slice_with_its_own_waker)
{
	volatile struct coroprof_slot *slot = &self->program.slots[A];
	struct waker wakers[NR_WAKERS];
	pthread_t threads[NR_WAKERS];
	unsigned int n, i;

	WAKES_ARE_WHOLE();
	for (n = 0; n < NR_WAKERS; n++) {
		wakers[n] = (struct waker){ &self->program.slots[A], n };
		threads[n] = run_thread(wake_often, &wakers[n]);
	}
	/* Each time round takes a wake, or lets one come: the wakers have so many. */
	for (i = 0; __atomic_load_n(&nr_done, __ATOMIC_ACQUIRE) < NR_WAKERS || slot->wake_time; ) {
		if (!slot->wake_time) {
			sched_yield();
			continue;
		}
		SWITCH_TO_AND_FROM(A);
		__atomic_fetch_add(&nr_switches, 1, __ATOMIC_RELAXED);
		if (!(++i % 64))
			reader_drain(&self->reader);
	}
	for (n = 0; n < NR_WAKERS; n++)
		pthread_join(threads[n], NULL);
	settle(_metadata, self);
	EXPECT_EQ(0, slot->wake.time);
	EXPECT_EQ(0, strange);
	EXPECT_LE(WAKES / WAITS_EVERY / 2, in_slices);
	for (n = 0; n < NR_WAKERS; n++)
		for (i = 0; i < WAKES; i++)
			ASSERT_EQ(1, found[n][i]) TH_LOG("wake %u of waker %u", i, n);
}

TEST_F(wakes, comes_before_the_first_slice)
{
	WAKES_ARE_WHOLE();
	wake_put(&self->program.slots[A], (struct coroprof_wake){ TIME(0, 0), WAKER_ID(0) });
	SWITCH_TO_AND_FROM(A | COROPROF_SWITCH_FRESH);
	settle(_metadata, self);
	EXPECT_EQ(1, in_slices);
	EXPECT_EQ(1, found[0][0]);
}

/* By a waker whose wake was taken already. */
TEST_F(wakes, announced_without_one_is_none)
{
	WAKES_ARE_WHOLE();
	self->program.slots[A].wake_time = COROPROF_WAKE_WHOLE;
	SWITCH_TO_AND_FROM(A);
	EXPECT_EQ(0, self->program.slots[A].wake_time);
	settle(_metadata, self);
	EXPECT_EQ(0, in_slices);
}

/* By a program that was built before there were such wakes. */
TEST_F(wakes, in_two_pieces_is_taken_as_well)
{
	self->program.slots[A].waker = WAKER_ID(1);
	self->program.slots[A].wake_time = TIME(1, 5);
	SWITCH_TO_AND_FROM(A);
	SWITCH_TO_AND_FROM(A);
	settle(_metadata, self);
	EXPECT_EQ(1, in_slices);
	EXPECT_EQ(1, found[1][5]);
}

TEST_HARNESS_MAIN
