// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a session of totals, which gets no slices, finds in the slots of the
 * process what its threads did, to the count and to the nanosecond; and that it may
 * look there and nothing else.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"

#include "conserve.h"
#include "reader.h"
#include "require.h"
#include "user_mode.h"

/* More than two pages. */
#define NR_SLOTS	64U
#define FIRST		2U
#define LAST		9U
#define ROUNDS		300U

FIXTURE(totals)
{
	struct program program;
	struct reader reader;
	struct switcher switcher;
	struct coroprof_view view;
	int fd;
	const struct coroprof_slot *seen;
};

FIXTURE_VARIANT(totals)
{
	bool from_user;
};

FIXTURE_VARIANT_ADD(totals, ioctl) { .from_user = false };
FIXTURE_VARIANT_ADD(totals, user) { .from_user = true };

static int totals_session(struct reader *reader, int control)
{
	reader->config.flags = COROPROF_SESSION_TOTALS | COROPROF_SESSION_USER;
	reader->config.nr_counters = 2;
	reader->config.counters[0].type = PERF_TYPE_SOFTWARE;
	reader->config.counters[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	reader->config.counters[1].type = PERF_TYPE_SOFTWARE;
	reader->config.counters[1].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	return reader_open(reader, control, NR_SLOTS);
}

static size_t slots_bytes(void)
{
	return page_align(NR_SLOTS * sizeof(struct coroprof_slot));
}

static int see(FIXTURE_DATA(totals) *self)
{
	self->fd = open_view(self->reader.fd, self->reader.process.process_id, &self->view);
	if (self->fd < 0)
		return self->fd;
	self->seen = map_at(self->fd, slots_bytes(), PROT_READ, MAP_SHARED, COROPROF_MMAP_SLOTS);
	return self->seen ? 0 : -errno;
}

FIXTURE_SETUP(totals)
{
	pin_to(0);
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	ASSERT_EQ(0, totals_session(&self->reader, self->program.control));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	reader_stream(&self->reader);
	ASSERT_EQ(0, see(self));
	ASSERT_GE(switcher_join(&self->switcher, &self->program, THREAD_SLOT, variant->from_user),
		  0);
}

FIXTURE_TEARDOWN(totals)
{
	switcher_close(&self->switcher);
	if (self->seen)
		munmap((void *)self->seen, slots_bytes());
	if (self->fd >= 0)
		close(self->fd);
	reader_close(&self->reader);
	program_close(&self->program);
}

/* Slices of all kinds: short ones, with page faults, and asleep. */
static int work_as(struct switcher *s, __u32 own, __u32 first, __u32 last)
{
	unsigned int i, slot;
	int ret = switcher_switch(s, own | COROPROF_SWITCH_FRESH);

	for (slot = first; slot <= last && !ret; slot++)
		ret = switcher_switch(s, slot | COROPROF_SWITCH_FRESH);
	for (i = 0; i < ROUNDS && !ret; i++) {
		slot = first + i % (last - first + 1);
		ret = switcher_switch(s, slot);
		if (!(i % 7))
			fault_pages(i % 5);
		if (!(i % 50))
			sleep_ms(1);
	}
	return ret ? ret : switcher_switch(s, own);
}

static int work(struct switcher *s)
{
	return work_as(s, THREAD_SLOT, FIRST, LAST);
}

/* Of slots that this recording has changed. */
static struct sums sum_slots(const struct coroprof_slot *slots, __u32 epoch)
{
	struct sums sums = { 0 };
	unsigned int nr, i;

	for (nr = 1; nr < NR_SLOTS; nr++) {
		const struct coroprof_slot *slot = &slots[nr];

		if (!slot->slices || (__s32)(slot->since - epoch) < 0)
			continue;
		sums.slices += slot->slices;
		sums.running_ns += slot->running_ns;
		sums.preempted_ns += slot->preempted_ns;
		sums.blocked_ns += slot->blocked_ns;
		for (i = 0; i < 2; i++)
			sums.count[i] += slot->count[i];
	}
	return sums;
}

static struct sums sum_channels(struct reader *reader)
{
	struct coroprof_channel_status status;
	struct sums sums = { 0 };
	unsigned int n, i;

	for (n = 0; n < reader->nr_logs; n++) {
		if (channel_status(reader->fd, reader->logs[n].record.channel_id, &status))
			defect(reader, "no status");
		if (status.lost || status.ring_head || reader->logs[n].record.ring_size)
			defect(reader, "a session of totals has %llu lost, a head of %llu",
			       status.lost, status.ring_head);
		sums.slices += status.slices;
		sums.running_ns += status.running_ns;
		sums.preempted_ns += status.preempted_ns;
		sums.blocked_ns += status.blocked_ns;
		for (i = 0; i < 2; i++)
			sums.count[i] += status.count[i];
	}
	return sums;
}

static void same_sums(struct __test_metadata *_metadata, const struct sums *a,
		      const struct sums *b)
{
	EXPECT_EQ(a->slices, b->slices);
	EXPECT_EQ(a->running_ns, b->running_ns);
	EXPECT_EQ(a->preempted_ns, b->preempted_ns);
	EXPECT_EQ(a->blocked_ns, b->blocked_ns);
	EXPECT_EQ(a->count[0], b->count[0]);
	EXPECT_EQ(a->count[1], b->count[1]);
}

/* STOP, and the law of conservation. Returns what there was. */
static struct sums stop_and_settle(struct __test_metadata *_metadata, FIXTURE_DATA(totals) *self)
{
	struct sums slots, threads;

	EXPECT_EQ(0, stop(self->reader.fd));
	reader_stream(&self->reader);
	threads = sum_channels(&self->reader);
	slots = sum_slots(self->seen, self->view.epoch);
	same_sums(_metadata, &slots, &threads);
	EXPECT_STREQ("", self->reader.defect);
	return slots;
}

TEST_F(totals, coroutines_sum_to_their_thread)
{
	struct sums sums;

	ASSERT_EQ(0, work(&self->switcher));
	sums = stop_and_settle(_metadata, self);
	EXPECT_GE(sums.slices, ROUNDS);
	EXPECT_GT(sums.blocked_ns, 0);
	EXPECT_GT(sums.count[0], 0);
	EXPECT_EQ(variant->from_user ? COROPROF_MODE_USER : COROPROF_MODE_IOCTL,
		  self->reader.logs[0].record.mode);
}

struct worker {
	struct switcher switcher;
	struct program *program;
	__u32 own;
	bool from_user;
	int ret;
};

static void *run_worker(void *arg)
{
	struct worker *w = arg;

	w->ret = switcher_join(&w->switcher, w->program, w->own, w->from_user);
	if (w->ret < 0)
		return NULL;
	/* Coroutines that no other thread runs. */
	w->ret = work_as(&w->switcher, w->own, w->own + 1, w->own + 9);
	switcher_leave(&w->switcher);
	switcher_close(&w->switcher);
	return NULL;
}

TEST_F(totals, coroutines_sum_to_all_threads_that_ended_too)
{
	struct worker workers[4] = { 0 };
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++) {
		workers[i].program = &self->program;
		workers[i].own = 20 + 10 * i;
		workers[i].from_user = variant->from_user;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, run_worker, &workers[i]));
	}
	ASSERT_EQ(0, work(&self->switcher));
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, workers[i].ret);
	}
	stop_and_settle(_metadata, self);
	EXPECT_EQ(5, self->reader.nr_logs);
}

/* A thread that goes on while nobody looks: nothing but the slots is written. */
TEST_F(totals, user_mode_needs_no_kernel)
{
	unsigned int i;

	if (!variant->from_user)
		SKIP(return, "it is about switches from user mode");
	ASSERT_EQ(0, work(&self->switcher));
	self->switcher.switches = self->switcher.dropped = 0;
	for (i = 0; i < 10 * ROUNDS; i++)
		ASSERT_EQ(0, switcher_switch(&self->switcher, FIRST + i % 2));
	/* But where the thread was off the CPU. */
	EXPECT_GT(self->switcher.switches, 5 * ROUNDS);
	EXPECT_EQ(self->switcher.switches, self->switcher.dropped);
	stop_and_settle(_metadata, self);
}

TEST_F(totals, each_recording_is_told_by_its_epoch)
{
	struct sums first, second;
	__u32 before = self->view.epoch;

	ASSERT_EQ(0, work(&self->switcher));
	first = stop_and_settle(_metadata, self);
	EXPECT_GT(first.slices, 0);
	ASSERT_EQ(0, start(self->reader.fd));
	close(self->fd);
	self->fd = open_view(self->reader.fd, self->reader.process.process_id, &self->view);
	ASSERT_GE(self->fd, 0);
	EXPECT_GT((__s32)(self->view.epoch - before), 0);
	second = sum_slots(self->seen, self->view.epoch);
	EXPECT_EQ(0, second.slices);
	ASSERT_EQ(0, switcher_switch(&self->switcher, 10 | COROPROF_SWITCH_FRESH));
	ASSERT_EQ(0, switcher_switch(&self->switcher, THREAD_SLOT));
	EXPECT_EQ(self->view.epoch, self->seen[10].since);
	EXPECT_EQ(1, self->seen[10].slices);
}

TEST_F(totals, the_process_is_told)
{
	EXPECT_EQ(COROPROF_ACTIVE | COROPROF_ACTIVE_TOTALS, self->program.page->active);
	EXPECT_EQ(self->program.page->epoch, self->view.epoch);
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(0, self->program.page->active);
}

TEST_F(totals, has_no_spans)
{
	struct coroprof_span span;

	ASSERT_EQ(0, switcher_switch(&self->switcher, THREAD_SLOT | COROPROF_SWITCH_FRESH));
	ASSERT_EQ(0, switcher_switch(&self->switcher, FIRST | COROPROF_SWITCH_FRESH));
	EXPECT_EQ(0, begin_span(self->switcher.channel, &span));
	EXPECT_EQ(-ENODATA, end_span(self->switcher.channel, &span));
	stop_and_settle(_metadata, self);
}

TEST_F(totals, there_is_no_ring_and_nobody_is_woken)
{
	struct pollfd fd = { .fd = self->reader.fd, .events = POLLIN };
	__u64 ring = COROPROF_MMAP_RING(1);
	unsigned int i;

	ASSERT_EQ(0, work(&self->switcher));
	reader_stream(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(0, self->reader.config.ring_size);
	EXPECT_EQ(NULL, map_at(self->reader.fd, page_size(), PROT_READ, MAP_SHARED, ring));
	EXPECT_EQ(NULL, map_at(self->reader.fd, page_size(), PROT_READ, MAP_SHARED,
			       ring + page_size()));
	EXPECT_EQ(0, poll(&fd, 1, 0));
	for (i = 0; i < 100000; i++)
		ASSERT_EQ(0, switcher_switch(&self->switcher, FIRST + i % 2));
	EXPECT_EQ(0, poll(&fd, 1, 0));
	stop_and_settle(_metadata, self);
}

/* Whatever it writes, it lies of itself alone: the threads' sums are the kernel's. */
TEST_F(totals, a_process_that_writes_its_slots_lies_of_itself)
{
	struct sums before, after;

	ASSERT_EQ(0, work(&self->switcher));
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_stream(&self->reader);
	before = sum_channels(&self->reader);
	memset(&self->program.slots[FIRST].slices, 0xff, 100);
	EXPECT_EQ(~0ULL, self->seen[FIRST].slices);
	after = sum_channels(&self->reader);
	same_sums(_metadata, &before, &after);
	EXPECT_STREQ("", self->reader.defect);
}

/* ----------------------------------------------------------------- rights */

static bool mappable(int fd, size_t len, int prot, int flags, __u64 offset)
{
	void *at = map_at(fd, len, prot, flags, offset);

	if (at)
		munmap(at, len);
	return at;
}

TEST_F(totals, a_view_maps_as_it_is_meant)
{
	size_t all = slots_bytes(), page = page_size();
	__u64 at = COROPROF_MMAP_SLOTS;

	EXPECT_TRUE(mappable(self->fd, all, PROT_READ, MAP_SHARED, at));
	EXPECT_TRUE(mappable(self->fd, page, PROT_READ, MAP_SHARED, at + all - page));
	EXPECT_FALSE(mappable(self->fd, all, PROT_READ | PROT_WRITE, MAP_SHARED, at));
	EXPECT_FALSE(mappable(self->fd, all, PROT_WRITE, MAP_SHARED, at));
	EXPECT_FALSE(mappable(self->fd, all, PROT_READ | PROT_EXEC, MAP_SHARED, at));
	EXPECT_FALSE(mappable(self->fd, all, PROT_READ, MAP_PRIVATE, at));
	EXPECT_FALSE(mappable(self->fd, all + page, PROT_READ, MAP_SHARED, at));
	EXPECT_FALSE(mappable(self->fd, page, PROT_READ, MAP_SHARED, at + all));
	EXPECT_FALSE(mappable(self->fd, page, PROT_READ, MAP_SHARED, 0));
	EXPECT_FALSE(mappable(self->fd, page, PROT_READ, MAP_SHARED, 1ULL << 62));
}

TEST_F(totals, a_view_stays_read_only)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	void *at = (void *)self->seen;
	__u64 word = 1;

	EXPECT_NE(0, mprotect(at, slots_bytes(), PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_NE(0, mprotect(at, slots_bytes(), PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mremap(at, slots_bytes(), 2 * slots_bytes(), MREMAP_MAYMOVE));
	/* As a debugger would. */
	ASSERT_GE(mem, 0);
	EXPECT_EQ(-1, pwrite(mem, &word, sizeof(word), (uintptr_t)self->seen));
	close(mem);
}

/* Without a signal: whether an access would be answered with SIGBUS. */
static bool is_there(const void *at)
{
	int pipes[2], ret;

	if (pipe(pipes))
		return false;
	ret = write(pipes[1], at, sizeof(__u64));
	close(pipes[0]);
	close(pipes[1]);
	return ret == sizeof(__u64);
}

TEST_F(totals, what_nobody_touched_takes_no_memory)
{
	struct program other;
	struct coroprof_view view;
	__u32 slot = 0, nr, last = page_size() / sizeof(struct coroprof_slot) * 5;
	const struct coroprof_slot *seen;
	int process, fd;

	program_close(&self->program);
	process = make_process(open_control(), 10000, self->reader.config.token);
	ASSERT_GE(process, 0);
	other.slots = map_slots(process, 10000);
	ASSERT_NE(NULL, other.slots);
	reader_stream(&self->reader);
	fd = open_view(self->reader.fd, self->reader.process.process_id, &view);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(10000, view.nr_slots);
	seen = map_at(fd, page_align(10000 * sizeof(*seen)), PROT_READ, MAP_SHARED,
		      COROPROF_MMAP_SLOTS);
	ASSERT_NE(NULL, seen);

	EXPECT_EQ(0, find_touched(fd, &slot, &nr));
	EXPECT_EQ(0, nr);
	EXPECT_FALSE(is_there(&seen[last]));
	slot = 0;
	EXPECT_EQ(0, find_touched(fd, &slot, &nr));
	EXPECT_EQ(0, nr);

	other.slots[last + 1].id = 7;
	EXPECT_TRUE(is_there(&seen[last]));
	EXPECT_EQ(7, seen[last + 1].id);
	slot = 0;
	EXPECT_EQ(0, find_touched(fd, &slot, &nr));
	EXPECT_EQ(last, slot);
	EXPECT_EQ(page_size() / sizeof(*seen), nr);
	slot = last + 3;
	EXPECT_EQ(0, find_touched(fd, &slot, &nr));
	EXPECT_EQ(last + 3, slot);
	EXPECT_EQ(page_size() / sizeof(*seen) - 3, nr);
	slot = ~0U;
	EXPECT_EQ(0, find_touched(fd, &slot, &nr));
	EXPECT_EQ(0, nr);
	close(fd);
	close(process);
}

TEST_F(totals, the_last_page_has_no_slot_too_many)
{
	__u32 slot = NR_SLOTS - 1, nr;

	self->program.slots[NR_SLOTS - 1].tag = 1;
	EXPECT_EQ(0, find_touched(self->fd, &slot, &nr));
	EXPECT_EQ(NR_SLOTS - 1, slot);
	EXPECT_EQ(1, nr);
}

TEST_F(totals, a_child_inherits_no_view)
{
	int status;
	pid_t pid;

	self->program.slots[FIRST].tag = 3;
	ASSERT_TRUE(is_there(&self->seen[FIRST]));
	EXPECT_EQ(-1, madvise((void *)self->seen, page_size(), MADV_DOFORK));
	EXPECT_EQ(EINVAL, errno);
	pid = fork();
	if (!pid)
		_exit(is_there(&self->seen[FIRST]));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(totals, a_view_lasts_longer_than_its_session)
{
	ASSERT_EQ(0, work(&self->switcher));
	close(self->reader.fd);
	self->reader.fd = -1;
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(ID_OF(FIRST), self->seen[FIRST].id);
	EXPECT_GT(self->seen[FIRST].slices, 0);
	/* And the process goes on, unrecorded. */
	EXPECT_EQ(0, self->program.page->active);
	EXPECT_EQ(0, switcher_switch(&self->switcher, FIRST));
}

TEST_F(totals, a_view_lasts_longer_than_its_process)
{
	struct sums slots, threads;

	ASSERT_EQ(0, work(&self->switcher));
	switcher_close(&self->switcher);
	program_close(&self->program);
	memset(&self->program, 0, sizeof(self->program));
	self->program.process = self->program.control = -1;
	self->switcher.channel = -1;
	reader_stream(&self->reader);
	EXPECT_EQ(1, self->reader.nr_process_ends);
	threads = sum_channels(&self->reader);
	slots = sum_slots(self->seen, self->view.epoch);
	same_sums(_metadata, &slots, &threads);
	EXPECT_GE(slots.slices, ROUNDS);
	/* There is no process to see any more. */
	EXPECT_EQ(-ENOENT, open_view(self->reader.fd, self->reader.process.process_id,
				     &self->view));
}

TEST_F(totals, only_what_is_attached_is_seen)
{
	struct reader other = { 0 };
	struct coroprof_view view;

	EXPECT_EQ(-ENOENT, open_view(self->reader.fd, self->reader.process.process_id + 1, &view));
	EXPECT_EQ(-ENOENT, open_view(self->reader.fd, 0, &view));
	ASSERT_EQ(0, totals_session(&other, self->program.control));
	EXPECT_EQ(-ENOENT, open_view(other.fd, self->reader.process.process_id, &view));
	reader_close(&other);

	memset(&other, 0, sizeof(other));
	ASSERT_EQ(0, reader_open(&other, self->program.control, NR_SLOTS));
	EXPECT_EQ(-ENOENT, open_view(other.fd, self->reader.process.process_id, &view));
	reader_close(&other);
}

TEST_F(totals, a_session_of_totals_has_nothing_of_rings)
{
	struct coroprof_session_config config = { .flags = COROPROF_SESSION_TOTALS };
	int fd = make_session(self->program.control, &config);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, config.ring_size);
	EXPECT_EQ(0, config.watermark);
	close(fd);
	config.ring_size = page_size();
	EXPECT_EQ(-EINVAL, make_session(self->program.control, &config));
	config.ring_size = 0;
	config.watermark = 1;
	EXPECT_EQ(-EINVAL, make_session(self->program.control, &config));
	config.watermark = 0;
	config.sampling.frequency = 1;
	EXPECT_EQ(-EINVAL, make_session(self->program.control, &config));
}

TEST(the_feature_is_told)
{
	struct coroprof_info info = { .size = sizeof(info) };
	int control = open_control();

	ASSERT_EQ(0, call(control, COROPROF_IOC_INFO, &info));
	EXPECT_TRUE(info.features & COROPROF_FEATURE_TOTALS);
	close(control);
}

/* ------------------------------------------------ with slices in rings as well */

FIXTURE(beside_slices)
{
	struct program program;
	struct reader reader;
	struct switcher switcher;
};

FIXTURE_VARIANT(beside_slices)
{
	bool from_user;
};

FIXTURE_VARIANT_ADD(beside_slices, ioctl) { .from_user = false };
FIXTURE_VARIANT_ADD(beside_slices, user) { .from_user = true };

FIXTURE_SETUP(beside_slices)
{
	allow_user_access();
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->reader.config.flags = COROPROF_SESSION_USER;
	self->reader.config.ring_size = 1U << 20;
	count_faults_and_cycles(&self->reader.config);
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_GE(switcher_join(&self->switcher, &self->program, THREAD_SLOT, variant->from_user),
		  0);
}

FIXTURE_TEARDOWN(beside_slices)
{
	switcher_close(&self->switcher);
	reader_close(&self->reader);
	program_close(&self->program);
}

/* What the view shows of a slot is what the records of its slices sum to. */
TEST_F(beside_slices, all_coroutines_are_seen)
{
	const __u32 never = LAST + 1;
	const struct coroprof_slot *seen;
	struct coroprof_view view;
	__u32 slot;
	int fd;

	self->program.slots[never].label = 77;
	self->program.slots[never].parent = ID_OF(FIRST);
	ASSERT_EQ(0, work(&self->switcher));
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));

	fd = open_view(self->reader.fd, self->reader.process.process_id, &view);
	ASSERT_LE(0, fd);
	seen = map_at(fd, slots_bytes(), PROT_READ, MAP_SHARED, COROPROF_MMAP_SLOTS);
	ASSERT_NE(NULL, seen);
	for (slot = FIRST; slot <= LAST; slot++) {
		const struct sums *sums = &self->reader.slots[slot];

		EXPECT_LT(0, seen[slot].slices);
		EXPECT_EQ(sums->slices, seen[slot].slices);
		EXPECT_EQ(sums->running_ns, seen[slot].running_ns);
		EXPECT_EQ(sums->blocked_ns, seen[slot].blocked_ns);
		EXPECT_EQ(sums->count[0], seen[slot].count[0]);
	}
	/* One that has never run has no record. */
	EXPECT_EQ(ID_OF(never), seen[never].id);
	EXPECT_EQ(ID_OF(FIRST), seen[never].parent);
	EXPECT_EQ(77, seen[never].label);
	EXPECT_EQ(0, seen[never].slices);
	munmap((void *)seen, slots_bytes());
	close(fd);
}

TEST_HARNESS_MAIN
