// SPDX-License-Identifier: GPL-2.0
/*
 * Proves what a channel is: one to a thread, used by that thread alone, whose
 * READ gives the running coroutine's totals, continuing from slice to slice.
 */
#include "kselftest_harness.h"

#include "call.h"
#include "program.h"
#include "require.h"

#define NR_SLOTS	16U
#define A		2U
#define B		3U

static const struct coroprof_counter page_faults = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
};

FIXTURE(channel)
{
	struct program program;
	int channel;
};

FIXTURE_SETUP(channel)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_LE(0, self->channel);
}

FIXTURE_TEARDOWN(channel)
{
	close(self->channel);
	program_close(&self->program);
}

TEST_F(channel, one_to_a_thread)
{
	EXPECT_EQ(-EEXIST, join(self->program.process, THREAD_SLOT));
	EXPECT_EQ(-EEXIST, join_counting(self->program.process, A, &page_faults, 1));
	EXPECT_EQ(0, leave(self->channel));
	close(self->channel);
	self->channel = join(self->program.process, THREAD_SLOT);
	EXPECT_LE(0, self->channel);
}

TEST_F(channel, closing_is_leaving)
{
	close(self->channel);
	self->channel = join(self->program.process, THREAD_SLOT);
	EXPECT_LE(0, self->channel);
	EXPECT_EQ(0, switch_to(self->channel, A));
}

TEST_F(channel, slot_of_the_thread)
{
	int process = self->program.process;

	ASSERT_EQ(0, leave(self->channel));
	EXPECT_EQ(-EINVAL, join(process, 0));
	EXPECT_EQ(-EINVAL, join(process, NR_SLOTS));
	EXPECT_EQ(-EINVAL, join(process, COROPROF_SLOTS_MAX));
	EXPECT_EQ(-EINVAL, join(process, ~0U));
	close(self->channel);
	self->channel = join(process, NR_SLOTS - 1);
	EXPECT_LE(0, self->channel);
}

TEST_F(channel, switch_arguments)
{
	int channel = self->channel;
	unsigned long bit;

	EXPECT_EQ(0, switch_to(channel, A));
	EXPECT_EQ(0, switch_to(channel, A));
	EXPECT_EQ(0, switch_to(channel, B | COROPROF_SWITCH_FRESH));
	EXPECT_EQ(0, switch_to(channel, A | COROPROF_SWITCH_END));
	EXPECT_EQ(0, switch_to(channel, B | COROPROF_SWITCH_READY));
	EXPECT_EQ(0, switch_to(channel, (NR_SLOTS - 1) | COROPROF_SWITCH_FLAGS));
	EXPECT_EQ(-EINVAL, switch_to(channel, 0));
	EXPECT_EQ(-EINVAL, switch_to(channel, COROPROF_SWITCH_FRESH));
	EXPECT_EQ(-EINVAL, switch_to(channel, NR_SLOTS));
	EXPECT_EQ(-EINVAL, switch_to(channel, COROPROF_SWITCH_SLOT_MASK));
	for (bit = 1UL << 29; bit; bit <<= 1)
		EXPECT_EQ(-EINVAL, switch_to(channel, A | bit)) TH_LOG("bit %#lx", bit);
}

/* A switch that is refused must leave the current slot as it was. */
TEST_F(channel, refused_switch_changes_nothing)
{
	struct coroprof_totals totals;

	ASSERT_EQ(0, switch_to(self->channel, A));
	ASSERT_EQ(-EINVAL, switch_to(self->channel, 0));
	ASSERT_EQ(-EINVAL, switch_to(self->channel, B | (1UL << 29)));
	ASSERT_EQ(0, read_totals(self->channel, &totals));
	EXPECT_EQ(A, totals.slot);
	EXPECT_EQ(ID_OF(A), totals.id);
}

static int use_other_threads_channel(void *arg)
{
	int channel = *(int *)arg;
	struct coroprof_totals totals;

	if (switch_to(channel, A) != -EPERM)
		return 1;
	if (read_totals(channel, &totals) != -EPERM)
		return 2;
	if (leave(channel) != -EPERM)
		return 3;
	return 0;
}

TEST_F(channel, not_for_other_threads)
{
	EXPECT_EQ(0, on_thread(use_other_threads_channel, &self->channel));
	EXPECT_EQ(0, switch_to(self->channel, A));
}

TEST_F(channel, of_no_use_after_leave)
{
	struct coroprof_totals totals;

	ASSERT_EQ(0, leave(self->channel));
	EXPECT_GT(0, switch_to(self->channel, A));
	EXPECT_GT(0, read_totals(self->channel, &totals));
	EXPECT_GT(0, leave(self->channel));
}

/* Also while another channel of the same thread is in use. */
TEST_F(channel, old_descriptor_beside_a_new_one)
{
	int new;

	ASSERT_EQ(0, leave(self->channel));
	new = join(self->program.process, THREAD_SLOT);
	ASSERT_LE(0, new);
	EXPECT_GT(0, switch_to(self->channel, A));
	EXPECT_EQ(0, switch_to(new, A));
	close(self->channel);
	self->channel = new;
	EXPECT_EQ(0, switch_to(new, B));
}

static int join_and_end(void *arg)
{
	struct program *program = arg;
	int channel = join(program->process, A);

	if (channel < 0)
		return channel;
	return switch_to(channel, B) ?: channel;
}

/* The thread ends without LEAVE; its descriptor stays behind. */
TEST_F(channel, thread_ends_without_leave)
{
	int i, channel, last = -1;

	for (i = 0; i < 50; i++) {
		channel = on_thread(join_and_end, &self->program);
		ASSERT_LE(0, channel);
		ASSERT_GT(0, switch_to(channel, A));
		close(last);
		last = channel;
	}
	close(last);
	EXPECT_EQ(0, switch_to(self->channel, A));
}

struct spinner {
	struct program *program;
	int channel;
	unsigned int running;
	bool done;
	int after;	/* what SWITCH said on the closed descriptor */
};

static void *spin_in_channel(void *arg)
{
	struct spinner *spinner = arg;
	unsigned int i;

	spinner->channel = join(spinner->program->process, THREAD_SLOT + 4);
	for (i = 0; !__atomic_load_n(&spinner->done, __ATOMIC_ACQUIRE); i++) {
		spinner->after = switch_to(spinner->channel, i % 2 ? A : B);
		__atomic_store_n(&spinner->running, i + 1, __ATOMIC_RELEASE);
		if (i % 128 == 0)
			sleep_ns(10000);
	}
	/* The closed channel must not keep the thread from a new one. */
	spinner->channel = join(spinner->program->process, THREAD_SLOT + 4);
	if (spinner->channel >= 0)
		spinner->after = switch_to(spinner->channel, A);
	return NULL;
}

/* Another thread closes the descriptor while its owner runs and switches. */
TEST_F(channel, closed_by_another_thread)
{
	struct spinner spinner;
	pthread_t thread;
	int i;

	for (i = 0; i < 20; i++) {
		spinner = (struct spinner){ .program = &self->program };
		thread = run_thread(spin_in_channel, &spinner);
		ASSERT_TRUE(wait_until(&spinner.running, 10 + i));
		close(spinner.channel);
		sleep_ms(2);
		__atomic_store_n(&spinner.done, true, __ATOMIC_RELEASE);
		pthread_join(thread, NULL);
		ASSERT_LE(0, spinner.channel);
		EXPECT_EQ(0, spinner.after);
		close(spinner.channel);
	}
}

/* A channel with counters of its own counts without any session. */
FIXTURE(counting)
{
	struct program program;
	int channel;
	unsigned char *pages;
	unsigned int next;
};

#define PAGES	256

FIXTURE_SETUP(counting)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->channel = join_counting(self->program.process, THREAD_SLOT, &page_faults, 1);
	ASSERT_LE(0, self->channel);
	self->pages = mmap(NULL, PAGES * page_size(), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->pages);
	madvise(self->pages, PAGES * page_size(), MADV_NOHUGEPAGE);
}

FIXTURE_TEARDOWN(counting)
{
	close(self->channel);
	program_close(&self->program);
}

static void touch(FIXTURE_DATA(counting) *self, unsigned int nr)
{
	while (nr--)
		((volatile unsigned char *)self->pages)[self->next++ * page_size()] = 1;
}

TEST_F(counting, totals_continue_across_slices)
{
	struct coroprof_totals totals;
	int channel = self->channel;

	/* What reading itself may fault in, it has. */
	ASSERT_EQ(0, read_totals(channel, &totals));
	ASSERT_EQ(0, switch_to(channel, A | COROPROF_SWITCH_FRESH));
	touch(self, 7);
	ASSERT_EQ(0, read_totals(channel, &totals));
	EXPECT_EQ(A, totals.slot);
	EXPECT_EQ(ID_OF(A), totals.id);
	EXPECT_EQ(1, totals.nr_counters);
	EXPECT_EQ(1, totals.slices);
	EXPECT_EQ(COROPROF_STANDING_COUNTED, COROPROF_STANDING(totals.standing, 0));
	EXPECT_EQ(7, totals.count[0]);

	ASSERT_EQ(0, switch_to(channel, B | COROPROF_SWITCH_FRESH));
	touch(self, 100);
	ASSERT_EQ(0, read_totals(channel, &totals));
	EXPECT_EQ(B, totals.slot);
	EXPECT_EQ(100, totals.count[0]);

	ASSERT_EQ(0, switch_to(channel, A));
	ASSERT_EQ(0, read_totals(channel, &totals));
	EXPECT_EQ(2, totals.slices);
	EXPECT_EQ(7, totals.count[0]);
	touch(self, 4);
	ASSERT_EQ(0, read_totals(channel, &totals));
	EXPECT_EQ(11, totals.count[0]);

	ASSERT_EQ(0, switch_to(channel, B));
	EXPECT_EQ(2, self->program.slots[A].slices);
	EXPECT_EQ(11, self->program.slots[A].count[0]);
	EXPECT_EQ(0, self->program.slots[A].missing_ns[0]);
}

TEST_F(counting, fresh_forgets)
{
	struct coroprof_slot *a = &self->program.slots[A];
	struct coroprof_totals totals;
	int channel = self->channel;

	a->parent = 77;
	a->tag = 78;
	a->label = 5;
	/* The first write to a page of the stack would be counted, too. */
	ASSERT_EQ(0, read_totals(channel, &totals));
	ASSERT_EQ(0, switch_to(channel, A | COROPROF_SWITCH_FRESH));
	touch(self, 3);
	ASSERT_EQ(0, switch_to(channel, B | COROPROF_SWITCH_END));
	ASSERT_EQ(3, a->count[0]);
	a->id = ID_OF(A) + 1000;
	ASSERT_EQ(0, switch_to(channel, A | COROPROF_SWITCH_FRESH));
	ASSERT_EQ(0, read_totals(channel, &totals));
	EXPECT_EQ(ID_OF(A) + 1000, totals.id);
	EXPECT_EQ(1, totals.slices);
	EXPECT_EQ(0, totals.count[0]);
	/* The half that the process writes is left alone. */
	EXPECT_EQ(77, a->parent);
	EXPECT_EQ(78, a->tag);
	EXPECT_EQ(5, a->label);
}

/* READ's times account for all of the wall time, and for each where it went. */
TEST_F(counting, times_of_read)
{
	struct coroprof_totals before, after;
	__u64 outer, inner, sum;

	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	outer = wall_ns();
	ASSERT_EQ(0, read_totals(self->channel, &before));
	inner = wall_ns();
	spin_wall(20000000);
	sleep_ms(20);
	inner = wall_ns() - inner;
	ASSERT_EQ(0, read_totals(self->channel, &after));
	outer = wall_ns() - outer;
	sum = after.running_ns + after.preempted_ns + after.blocked_ns -
	      before.running_ns - before.preempted_ns - before.blocked_ns;
	EXPECT_LE(inner, sum);
	EXPECT_GE(outer, sum);
	/* Half of each, as a timer may fire before the thread sleeps. */
	EXPECT_LE(before.blocked_ns + 10000000, after.blocked_ns);
	EXPECT_LE(before.running_ns + 10000000,
		  after.running_ns + after.preempted_ns - before.preempted_ns);
}

/* Without a session and without own counters nothing is counted, and READ says so. */
TEST_F(channel, read_when_nothing_counts)
{
	struct coroprof_totals totals;

	ASSERT_EQ(0, switch_to(self->channel, A));
	ASSERT_EQ(0, read_totals(self->channel, &totals));
	EXPECT_EQ(0, totals.nr_counters);
	EXPECT_EQ(A, totals.slot);
	EXPECT_EQ(0, totals.running_ns);
}

TEST_F(counting, unsupported_counter_is_no_error)
{
	struct coroprof_counter counters[2] = {
		{ .type = PERF_TYPE_HARDWARE, .config = 0x7777 }, page_faults,
	};
	struct coroprof_totals totals;

	ASSERT_EQ(0, leave(self->channel));
	close(self->channel);
	self->channel = join_counting(self->program.process, THREAD_SLOT, counters, 2);
	ASSERT_LE(0, self->channel);
	ASSERT_EQ(0, switch_to(self->channel, A | COROPROF_SWITCH_FRESH));
	touch(self, 5);
	ASSERT_EQ(0, read_totals(self->channel, &totals));
	EXPECT_EQ(2, totals.nr_counters);
	EXPECT_EQ(COROPROF_STANDING_UNSUPPORTED, COROPROF_STANDING(totals.standing, 0));
	EXPECT_EQ(0, totals.count[0]);
	EXPECT_EQ(COROPROF_STANDING_COUNTED, COROPROF_STANDING(totals.standing, 1));
	EXPECT_EQ(5, totals.count[1]);
}

TEST_HARNESS_MAIN
