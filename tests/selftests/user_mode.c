// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a thread gets into user mode with the events that the session
 * wants and no others, sees the pages that it needs in no form but the one that
 * is meant, and that all of it goes away in whatever order it ends.
 */
#include "kselftest_harness.h"

#include <limits.h>
#include <sys/eventfd.h>

#include "conserve.h"
#include "parameter.h"
#include "require.h"
#include "user_mode.h"

#define NR_SLOTS	32U
#define RING_SIZE	65536U
#define A		20U
#define B		21U

FIXTURE(user_mode)
{
	struct program program;
	struct reader reader;
	struct switcher s;
};

static const struct coroprof_counter page_faults = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
};
static const struct coroprof_counter instructions = {
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS,
};

static int open_session(FIXTURE_DATA(user_mode) *self, __u32 flags,
			const struct coroprof_counter *first)
{
	struct reader *reader = &self->reader;
	int ret;

	memset(reader, 0, sizeof(*reader));
	reader->config.flags = flags;
	reader->config.ring_size = RING_SIZE;
	reader->config.nr_counters = 2;
	reader->config.counters[0] = *first;
	reader->config.counters[1] = instructions;
	ret = reader_open(reader, self->program.control, NR_SLOTS);
	return ret ?: attach(reader->fd, getpid()) ?: start(reader->fd);
}

FIXTURE_SETUP(user_mode)
{
	allow_user_access();
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	ASSERT_EQ(0, open_session(self, COROPROF_SESSION_USER, &page_faults));
	ASSERT_LE(0, switcher_join(&self->s, &self->program, THREAD_SLOT, true));
}

FIXTURE_TEARDOWN(user_mode)
{
	switcher_close(&self->s);
	reader_close(&self->reader);
	program_close(&self->program);
}

/*
 * As a SESSION_USER session begins: two slices, one of which came from here. As long as the
 * thread is disturbed in each of them, the kernel does them all: it may be for a while, not
 * for ten seconds.
 */
static void into_user_mode(struct __test_metadata *_metadata, FIXTURE_DATA(user_mode) *self)
{
	unsigned long until = self->s.switches + 2;
	__u64 end = wall_ns() + 10000000000ULL;
	unsigned int i = 0;

	while (self->s.switches < until && wall_ns() < end) {
		ASSERT_EQ(0, switcher_switch(&self->s, i++ % 2 ? A : B));
		if (i % 500)
			continue;
		reader_drain(&self->reader);
		usleep(1000);
	}
	ASSERT_LE(until, self->s.switches)
		TH_LOG("after %u switches: attention %d, undisturbed %u, lag %llu and %llu",
		       i, self->s.page ? (int)self->s.page->attention : -1, self->s.undisturbed,
		       self->s.event[0].lag, self->s.event[1].lag);
}

static void settle(struct __test_metadata *_metadata, FIXTURE_DATA(user_mode) *self)
{
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
}

static int offer_fds(FIXTURE_DATA(user_mode) *self, int first, int second)
{
	struct coroprof_user_mode offer = { .nr_counters = 2, .event = { first, second } };
	struct coroprof_wanted want;

	wanted(self->s.channel, &want);
	offer.epoch = want.epoch;
	return offer_user(self->s.channel, &offer);
}

/* ------------------------------------------------------- what is asked for */

TEST_F(user_mode, wanted_is_what_the_session_asks)
{
	struct coroprof_wanted want;
	__u32 epoch;

	ASSERT_EQ(0, wanted(self->s.channel, &want));
	EXPECT_EQ(COROPROF_WANTED_USER | COROPROF_WANTED_UNFILTERED, want.flags);
	EXPECT_EQ(self->program.page->epoch, want.epoch);
	EXPECT_EQ(2, want.nr_counters);
	EXPECT_EQ(RING_SIZE, want.ring_size);
	EXPECT_EQ(0, want.reserved);
	EXPECT_EQ(0, memcmp(&page_faults, &want.counters[0], sizeof(page_faults)));
	EXPECT_EQ(0, memcmp(&instructions, &want.counters[1], sizeof(instructions)));
	epoch = want.epoch;
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(-ENODATA, wanted(self->s.channel, &want));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, wanted(self->s.channel, &want));
	EXPECT_LT(epoch, want.epoch);
}

TEST_F(user_mode, not_in_a_session_that_does_not_let)
{
	struct coroprof_wanted want;

	close(self->reader.fd);
	ASSERT_EQ(0, open_session(self, 0, &page_faults));
	ASSERT_EQ(0, wanted(self->s.channel, &want));
	EXPECT_EQ(0, want.flags);
	EXPECT_EQ(-EOPNOTSUPP, offer_fds(self, -ENOENT, -ENOENT));
	ASSERT_EQ(0, switcher_switch(&self->s, A));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_IOCTL, self->reader.logs[0].record.mode);
	EXPECT_EQ(COROPROF_REASON_SESSION, self->reader.logs[0].record.reason);
}

static int offer_counting_itself(void *arg)
{
	FIXTURE_DATA(user_mode) *self = arg;
	struct coroprof_user_mode offer = { .nr_counters = 2, .event = { -ENOENT, -ENOENT } };
	int channel = join_counting(self->program.process, 2, &page_faults, 1);
	struct coroprof_wanted want;

	if (wanted(channel, &want) || want.flags)
		return 1;
	offer.epoch = want.epoch;
	if (offer_user(channel, &offer) != -EOPNOTSUPP || switch_to(channel, A))
		return 2;
	return 0;
}

TEST_F(user_mode, not_with_counters_of_its_own)
{
	ASSERT_EQ(0, on_thread(offer_counting_itself, self));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_IOCTL, self->reader.logs[0].record.mode);
	EXPECT_EQ(COROPROF_REASON_OWN, self->reader.logs[0].record.reason);
}

static int offer_anothers(void *arg)
{
	FIXTURE_DATA(user_mode) *self = arg;
	struct coroprof_user_mode offer = { .reason = COROPROF_REASON_DISABLED };
	struct coroprof_wanted want;

	return wanted(self->s.channel, &want) != -EPERM ||
	       offer_user(self->s.channel, &offer) != -EPERM;
}

TEST_F(user_mode, not_by_anybody_else)
{
	EXPECT_EQ(0, on_thread(offer_anothers, self));
	EXPECT_EQ(0, in_child(offer_anothers, self));
}

/* ------------------------------------------------------- what is offered */

TEST_F(user_mode, what_no_offer_may_say)
{
	struct coroprof_wanted want;
	static const struct {
		const char *what;
		int error;
		__u32 epoch, reason, nr, reserved;
		__s32 event;
	} offers[] = {
		{ "an epoch that is to come", -ESTALE, 1, 0, 2, 0, -ENOENT },
		{ "an epoch that is over", -ESTALE, -1U, 0, 2, 0, -ENOENT },
		{ "too few counters", -EINVAL, 0, 0, 1, 0, -ENOENT },
		{ "too many counters", -EINVAL, 0, 0, 3, 0, -ENOENT },
		{ "more counters than there can be", -EINVAL, 0, 0, 9, 0, -ENOENT },
		{ "an unknown reason", -EINVAL, 0, COROPROF_REASON_PROC + 1, 2, 0, -ENOENT },
		{ "reserved", -EINVAL, 0, 0, 2, 1, -ENOENT },
		{ "no errno", -EINVAL, 0, 0, 2, 0, -4096 },
		{ "the least number", -EINVAL, 0, 0, 2, 0, INT_MIN },
		{ "no descriptor", -EBADF, 0, 0, 2, 0, 1000000 },
		{ "the largest descriptor", -EBADF, 0, 0, 2, 0, INT_MAX },
		{ "the largest errno", 0, 0, 0, 2, 0, -4095 },
		{ "the least errno", 0, 0, 0, 2, 0, -1 },
		{ "a reason, and nothing else", 0, 0, COROPROF_REASON_ACCESS, 0, 0, 0 },
		{ "the last reason", 0, 0, COROPROF_REASON_PROC, 0, 0, 0 },
	};
	unsigned int i;

	ASSERT_EQ(0, wanted(self->s.channel, &want));
	for (i = 0; i < sizeof(offers) / sizeof(offers[0]); i++) {
		struct coroprof_user_mode offer = {
			.epoch = want.epoch + offers[i].epoch,
			.reason = offers[i].reason,
			.nr_counters = offers[i].nr,
			.reserved = offers[i].reserved,
			.event = { offers[i].event, -ENOENT },
		};

		EXPECT_EQ(offers[i].error, offer_user(self->s.channel, &offer))
			TH_LOG("%s", offers[i].what);
	}
}

TEST_F(user_mode, not_for_a_start_that_is_over)
{
	struct coroprof_user_mode offer = { .nr_counters = 2, .event = { -ENOENT, -ENOENT } };
	struct coroprof_wanted want;

	ASSERT_EQ(0, wanted(self->s.channel, &want));
	offer.epoch = want.epoch;
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(-ESTALE, offer_user(self->s.channel, &offer));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(-ESTALE, offer_user(self->s.channel, &offer));
	/* Nor is one that was taken good for the next START. */
	ASSERT_EQ(0, offer_fds(self, -ENOENT, -ENOENT));
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->s.channel, A));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_IOCTL, self->reader.logs[0].record.mode);
	EXPECT_EQ(COROPROF_REASON_UNKNOWN, self->reader.logs[0].record.reason);
}

TEST_F(user_mode, not_while_it_is_recorded)
{
	ASSERT_EQ(0, switch_to(self->s.channel, A));
	EXPECT_EQ(-EBUSY, offer_fds(self, -ENOENT, -ENOENT));
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, start(self->reader.fd));
	into_user_mode(_metadata, self);
	EXPECT_EQ(-EBUSY, offer_fds(self, -ENOENT, -ENOENT));
	into_user_mode(_metadata, self);
}

/* The last offer is the one that counts. */
TEST_F(user_mode, offered_twice)
{
	int fd = event_open(&page_faults);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, offer_fds(self, -ENOENT, -ENOENT));
	ASSERT_EQ(0, offer_fds(self, fd, -ENODEV));
	close(fd);
	ASSERT_EQ(0, switch_to(self->s.channel, A));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_USER, self->reader.logs[0].record.mode);
	EXPECT_EQ(0, self->reader.logs[0].counters[0].error);
	EXPECT_EQ(ENODEV, self->reader.logs[0].counters[1].error);
}

TEST_F(user_mode, why_not)
{
	__u32 reason;

	for (reason = COROPROF_REASON_SESSION; reason < COROPROF_REASON_NESTED; reason++) {
		struct coroprof_user_mode offer = { .reason = reason };

		ASSERT_EQ(0, offer_user(self->s.channel, &offer));
		ASSERT_EQ(0, switch_to(self->s.channel, A));
		reader_drain(&self->reader);
		ASSERT_EQ(reason, self->reader.nr_logs);
		EXPECT_EQ(COROPROF_MODE_IOCTL, self->reader.logs[reason - 1].record.mode);
		EXPECT_EQ(reason, self->reader.logs[reason - 1].record.reason);
		ASSERT_EQ(0, stop(self->reader.fd));
		ASSERT_EQ(0, start(self->reader.fd));
	}
}

/* ------------------------------------------------- what is not such an event */

TEST_F(user_mode, what_is_no_event)
{
	int files[6], pipes[2];
	unsigned int i;

	ASSERT_EQ(0, pipe(pipes));
	files[0] = pipes[0];
	files[1] = open("/proc/self/exe", O_RDONLY);
	files[2] = open("/dev/null", O_RDWR);
	files[3] = eventfd(0, 0);
	files[4] = self->reader.fd;
	files[5] = self->s.channel;
	for (i = 0; i < 6; i++) {
		ASSERT_LE(0, files[i]);
		EXPECT_EQ(-EINVAL, offer_fds(self, files[i], -ENOENT)) TH_LOG("file %u", i);
	}
}

/* One thing after the other that makes an event another one than is wanted. */
#define BENDS	12

static const char *bend(struct perf_event_attr *attr, unsigned int how)
{
	switch (how) {
	case 0:
		attr->config = PERF_COUNT_SW_TASK_CLOCK;
		return "another event";
	case 1:
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = PERF_COUNT_HW_CPU_CYCLES;
		return "a hardware event";
	case 2:
		attr->config2 = 1;
		return "another config2";
	case 3:
		attr->config1 = 1ULL << 40;
		return "another config1";
	case 4:
		attr->inherit = 1;
		return "inherited";
	case 5:
		attr->sample_period = 1000000;
		return "sampling";
	case 6:
		attr->freq = 1;
		attr->sample_freq = 10;
		return "sampling by frequency";
	case 7:
		attr->exclude_user = 1;
		return "not of user mode";
	case 8:
		attr->exclude_kernel = 0;
		return "of kernel mode as well";
	case 9:
		attr->exclude_guest = 0;
		return "of guests as well";
	case 10:
		attr->exclude_idle = 1;
		return "not of the idle task";
	default:
		attr->pinned = 1;
		return "pinned";
	}
}

TEST_F(user_mode, what_counts_something_else)
{
	struct perf_event_attr attr;
	unsigned int how;
	const char *what;
	int fd;

	for (how = 0; how < BENDS; how++) {
		event_attr(&attr, &page_faults);
		what = bend(&attr, how);
		fd = event_open_for(&attr, 0, -1, -1);
		if (fd < 0) {
			TH_LOG("there is no such event: %s", what);
			continue;
		}
		EXPECT_EQ(-EINVAL, offer_fds(self, fd, -ENOENT)) TH_LOG("%s", what);
		close(fd);
	}
	fd = event_open(&page_faults);
	EXPECT_EQ(-EINVAL, offer_fds(self, -ENOENT, fd)) TH_LOG("in the wrong place");
	EXPECT_EQ(0, offer_fds(self, fd, -ENOENT));
	close(fd);
}

static int open_a_threads(void *arg)
{
	struct perf_event_attr attr;

	event_attr(&attr, &page_faults);
	*(int *)arg = event_open_for(&attr, 0, -1, -1);
	return 0;
}

TEST_F(user_mode, what_counts_somebody_else)
{
	struct perf_event_attr attr;
	int fd, leader;
	pid_t pid;

	event_attr(&attr, &page_faults);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	fd = event_open_for(&attr, pid, -1, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, offer_fds(self, fd, -ENOENT)) TH_LOG("a process");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(-EINVAL, offer_fds(self, fd, -ENOENT)) TH_LOG("a process that is gone");
	close(fd);

	on_thread(open_a_threads, &fd);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, offer_fds(self, fd, -ENOENT)) TH_LOG("a thread that is gone");
	close(fd);

	fd = event_open_for(&attr, -1, 0, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, offer_fds(self, fd, -ENOENT)) TH_LOG("a CPU");
	close(fd);
	fd = event_open_for(&attr, 0, 0, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, offer_fds(self, fd, -ENOENT)) TH_LOG("the thread on one CPU");
	close(fd);

	leader = event_open_for(&attr, 0, -1, -1);
	fd = event_open_for(&attr, 0, -1, leader);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, offer_fds(self, fd, -ENOENT)) TH_LOG("one of a group");
	close(fd);
	close(leader);
}

/* These happen in the kernel: without kernel mode they would count as none. */
TEST_F(user_mode, what_would_count_nothing)
{
	static const struct coroprof_counter switches = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	struct perf_event_attr attr;
	int fd;

	close(self->reader.fd);
	ASSERT_EQ(0, open_session(self, COROPROF_SESSION_USER, &switches));
	event_attr(&attr, &switches);
	attr.exclude_kernel = 1;
	fd = event_open_for(&attr, 0, -1, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, offer_fds(self, fd, -ENOENT));
	close(fd);
	attr.exclude_kernel = 0;
	fd = event_open_for(&attr, 0, -1, -1);
	EXPECT_EQ(0, offer_fds(self, fd, -ENOENT));
	close(fd);
}

/* The kernel holds on to the events. */
TEST_F(user_mode, events_closed_afterwards)
{
	int fd = event_open(&page_faults);
	struct log *log;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, offer_fds(self, fd, -ENOENT));
	close(fd);
	ASSERT_EQ(0, switch_to(self->s.channel, A));
	fault_pages(10);
	ASSERT_EQ(0, switch_to(self->s.channel, B));
	ASSERT_EQ(0, stop(self->reader.fd));
	settle(_metadata, self);
	log = &self->reader.logs[0];
	EXPECT_EQ(COROPROF_MODE_USER, log->record.mode);
	EXPECT_EQ(COROPROF_STANDING_COUNTED, COROPROF_STANDING(log->sums.standing, 0));
	EXPECT_LE(10, log->sums.count[0]);
	EXPECT_EQ(COROPROF_STANDING_UNSUPPORTED, COROPROF_STANDING(log->sums.standing, 1));
}

/* ------------------------------------------------ what the session gives */

/* As a thread that may not open events: it asks, and is recorded by ioctl. */
static void ask_for_events(struct __test_metadata *_metadata, FIXTURE_DATA(user_mode) *self)
{
	struct coroprof_user_mode ask = {
		.reason = COROPROF_REASON_PARANOID, .flags = COROPROF_USER_LATER,
	};

	ASSERT_EQ(0, offer_user(self->s.channel, &ask));
	ASSERT_EQ(0, switch_to(self->s.channel, A));
	ASSERT_EQ(0, switch_to(self->s.channel, B));
	reader_drain(&self->reader);
	ASSERT_LT(0, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_IOCTL,
		  self->reader.logs[self->reader.nr_logs - 1].record.mode);
}

/* As the session does it: its descriptors are not the thread's. */
static void open_for(FIXTURE_DATA(user_mode) *self, pid_t tid, int *fds)
{
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		event_attr(&attr, i ? &instructions : &page_faults);
		attr.config1 |= i ? CONFIG1_USER : 0;
		fds[i] = event_open_for(&attr, tid, -1, -1);
		attr.config1 = 0;
		if (i && fds[i] < 0)
			fds[i] = event_open_for(&attr, tid, -1, -1);
		self->s.event[i].fd = fds[i];
	}
	self->s.nr = 2;
}

static int take_given(FIXTURE_DATA(user_mode) *self)
{
	struct coroprof_user_mode take = { .nr_counters = 2, .flags = COROPROF_USER_DELEGATED };
	struct coroprof_wanted want = { 0 };
	unsigned int i;

	wanted(self->s.channel, &want);
	take.epoch = want.epoch;
	self->s.epoch = want.epoch;
	self->s.ring_size = want.ring_size;
	for (i = 0; i < 2; i++)
		self->s.event[i].page = map_at(self->s.channel, page_size(), PROT_READ, MAP_SHARED,
					       COROPROF_MMAP_CHANNEL_EVENT(i));
	return offer_user(self->s.channel, &take);
}

TEST_F(user_mode, given)
{
	__u64 at = COROPROF_MMAP_CHANNEL_EVENT(0);
	struct log *log;
	int fds[2];

	ask_for_events(_metadata, self);
	EXPECT_EQ(NULL, map_at(self->s.channel, page_size(), PROT_READ, MAP_SHARED, at));
	EXPECT_EQ(ENODATA, errno);
	open_for(self, 0, fds);
	ASSERT_EQ(0, delegate_events(self->reader.fd, 1, fds, 2));
	EXPECT_EQ(NULL, map_at(self->s.channel, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
			       at));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(NULL, map_at(self->s.channel, 2 * page_size(), PROT_READ, MAP_SHARED, at));
	EXPECT_EQ(EINVAL, errno);
	/* Once, by a SWITCH that is one like any other. */
	EXPECT_EQ(1, switch_to(self->s.channel, A));
	EXPECT_EQ(0, switch_to(self->s.channel, B));
	ASSERT_EQ(0, take_given(self));
	ASSERT_NE(NULL, self->s.event[0].page);
	EXPECT_EQ(-1, mprotect((void *)self->s.event[0].page, page_size(), PROT_READ | PROT_WRITE));
	self->s.offered = true;
	into_user_mode(_metadata, self);
	ASSERT_EQ(0, stop(self->reader.fd));
	settle(_metadata, self);
	ASSERT_EQ(2, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_REASON_PARANOID, self->reader.logs[0].record.reason);
	EXPECT_EQ(COROPROF_REASON_DELEGATED, self->reader.logs[0].end_reason);
	EXPECT_EQ(COROPROF_MODE_USER, self->reader.logs[1].record.mode);
	log = &self->reader.logs[1];
	EXPECT_EQ(COROPROF_STANDING_COUNTED, COROPROF_STANDING(log->sums.standing, 0));
}

/* What the thread can't use takes no counters from what is recorded by ioctl. */
TEST_F(user_mode, given_and_declined)
{
	struct coroprof_user_mode decline = { .reason = COROPROF_REASON_ACCESS };
	int fds[2];

	ask_for_events(_metadata, self);
	EXPECT_EQ(-EBUSY, offer_user(self->s.channel, &decline)) TH_LOG("nothing was given");
	open_for(self, 0, fds);
	ASSERT_EQ(0, delegate_events(self->reader.fd, 1, fds, 2));
	EXPECT_EQ(0, offer_user(self->s.channel, &decline));
	EXPECT_EQ(-ENODATA, take_given(self));
	EXPECT_EQ(-EBUSY, offer_user(self->s.channel, &decline)) TH_LOG("it was declined");
	EXPECT_EQ(-EOPNOTSUPP, delegate_events(self->reader.fd, 1, fds, 2));
	ASSERT_EQ(0, switch_to(self->s.channel, A) >> 1);
	ASSERT_EQ(0, stop(self->reader.fd));
	settle(_metadata, self);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_IOCTL, self->reader.logs[0].record.mode);
	EXPECT_EQ(0, self->reader.logs[0].end_error);
}

/* The pages of the events outlive the descriptors, the recording and the channel. */
TEST_F(user_mode, given_pages_stay)
{
	const volatile struct perf_event_mmap_page *page;
	int fds[2];

	ask_for_events(_metadata, self);
	open_for(self, 0, fds);
	ASSERT_EQ(0, delegate_events(self->reader.fd, 1, fds, 2));
	page = map_at(self->s.channel, page_size(), PROT_READ, MAP_SHARED,
		      COROPROF_MMAP_CHANNEL_EVENT(0));
	ASSERT_NE(NULL, page);
	switcher_close(&self->s);
	reader_close(&self->reader);
	self->reader = (struct reader){ .fd = -1 };
	(void)page->lock;
	munmap((void *)page, page_size());
}

#define SIMPMU_USERS	"/sys/module/coroprof_simpmu/refcnt"

/* How many events of the simulated PMU there are, with whoever else uses it. */
static long simulated_events(void)
{
	return number_read(SIMPMU_USERS);
}

/* They take no counters of the PMU any longer, whether the thread does anything or not. */
TEST_F(user_mode, given_events_go_at_stop)
{
	int fds[2], i;
	long before;

	if (simulated_events() < 0)
		SKIP(return, "no " SIMPMU_USERS ", which would tell: run 'insmod coroprof_simpmu.ko'");
	ask_for_events(_metadata, self);
	open_for(self, 0, fds);
	ASSERT_LE(0, fds[1]);
	ASSERT_EQ(0, delegate_events(self->reader.fd, 1, fds, 2));
	for (i = 0; i < 2; i++) {
		close(fds[i]);
		self->s.event[i].fd = -1;
	}
	before = simulated_events();
	ASSERT_EQ(0, stop(self->reader.fd));
	/* That of the recording, and the one that was given. */
	EXPECT_EQ(before - 2, simulated_events());
	settle(_metadata, self);
}

TEST_F(user_mode, not_given)
{
	struct perf_event_attr attr;
	int fds[2], other[2];
	pid_t pid;

	open_for(self, 0, fds);
	EXPECT_EQ(-ENODATA, take_given(self)) TH_LOG("before anything");
	/* Recorded without asking. */
	ASSERT_EQ(0, switch_to(self->s.channel, A));
	EXPECT_EQ(-EOPNOTSUPP, delegate_events(self->reader.fd, 1, fds, 2));
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, start(self->reader.fd));
	ask_for_events(_metadata, self);
	EXPECT_EQ(-ESRCH, delegate_events(self->reader.fd, 1, fds, 2));
	EXPECT_EQ(-ENOENT, delegate_events(self->reader.fd, 7, fds, 2));
	EXPECT_EQ(-EINVAL, delegate_events(self->reader.fd, 2, fds, 1));
	EXPECT_EQ(-ENOTTY, delegate_events(self->s.channel, 2, fds, 2));
	other[0] = other[1] = 1000000;
	EXPECT_EQ(-EBADF, delegate_events(self->reader.fd, 2, other, 2));
	/* Of somebody else. */
	event_attr(&attr, &page_faults);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	other[0] = event_open_for(&attr, pid, -1, -1);
	other[1] = -ENOENT;
	ASSERT_LE(0, other[0]);
	EXPECT_EQ(-EINVAL, delegate_events(self->reader.fd, 2, other, 2));
	close(other[0]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(-ENODATA, take_given(self)) TH_LOG("nothing came of these");
	/* What is given for one START is not for the next. */
	ASSERT_EQ(0, delegate_events(self->reader.fd, 2, fds, 2));
	ASSERT_EQ(0, stop(self->reader.fd));
	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(-ENODATA, take_given(self)) TH_LOG("after a START");
	ask_for_events(_metadata, self);
	EXPECT_EQ(0, switch_to(self->s.channel, A) >> 1);
	ASSERT_EQ(0, stop(self->reader.fd));
	settle(_metadata, self);
}

/* Out of user mode while it is recorded: the next SWITCH begins anew, by ioctl. */
TEST_F(user_mode, gives_up)
{
	struct coroprof_user_mode offer = { .reason = COROPROF_REASON_ACCESS };

	into_user_mode(_metadata, self);
	ASSERT_EQ(0, offer_user(self->s.channel, &offer));
	EXPECT_EQ(1, self->s.page->attention);
	ASSERT_EQ(0, switch_to(self->s.channel, A));
	ASSERT_EQ(0, switch_to(self->s.channel, B));
	ASSERT_EQ(0, stop(self->reader.fd));
	settle(_metadata, self);
	ASSERT_EQ(2, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_MODE_USER, self->reader.logs[0].record.mode);
	EXPECT_EQ(COROPROF_MODE_IOCTL, self->reader.logs[1].record.mode);
	EXPECT_EQ(COROPROF_REASON_ACCESS, self->reader.logs[1].record.reason);
	/* By ioctl nothing changes in the middle. */
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->s.channel, A));
	EXPECT_EQ(-EBUSY, offer_user(self->s.channel, &offer));
}

/* ------------------------------------------------------------- mappings */

struct region {
	const char *name;
	__u64 offset;
	size_t len;
	int prot;
};

static void regions(struct region *region)
{
	region[0] = (struct region){ "channel page", COROPROF_MMAP_CHANNEL_PAGE, page_size(),
				     PROT_READ };
	region[1] = (struct region){ "ring", COROPROF_MMAP_CHANNEL_RING,
				     page_size() + 2 * RING_SIZE, PROT_READ | PROT_WRITE };
}

/* Returns 0 or the errno of the refusal. */
static int mapping_error(int fd, size_t len, int prot, int flags, __u64 offset)
{
	void *at = map_at(fd, len, prot, flags, offset);

	if (!at)
		return errno;
	munmap(at, len);
	return 0;
}

TEST_F(user_mode, mapped_while_there_is_something)
{
	struct region region[2], *r;

	regions(region);
	for (r = region; r < region + 2; r++)
		EXPECT_EQ(ENODATA, mapping_error(self->s.channel, r->len, r->prot, MAP_SHARED,
						 r->offset)) TH_LOG("%s, before", r->name);
	into_user_mode(_metadata, self);
	for (r = region; r < region + 2; r++)
		EXPECT_EQ(0, mapping_error(self->s.channel, r->len, r->prot, MAP_SHARED,
					   r->offset)) TH_LOG("%s", r->name);
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(ENODATA, mapping_error(self->s.channel, region[1].len, region[1].prot,
					 MAP_SHARED, region[1].offset));
	ASSERT_EQ(0, switcher_leave(&self->s));
	for (r = region; r < region + 2; r++)
		EXPECT_EQ(EPERM, mapping_error(self->s.channel, r->len, r->prot, MAP_SHARED,
					       r->offset)) TH_LOG("%s, after", r->name);
}

TEST_F(user_mode, not_mapped_in_other_forms)
{
	struct region region[2], *r;
	size_t page = page_size();
	int fd = self->s.channel;
	void *at;

	into_user_mode(_metadata, self);
	regions(region);
	for (r = region; r < region + 2; r++) {
		EXPECT_EQ(EPERM, mapping_error(fd, r->len, r->prot, MAP_PRIVATE, r->offset))
			TH_LOG("%s, private", r->name);
		EXPECT_EQ(EPERM, mapping_error(fd, r->len, r->prot | PROT_EXEC, MAP_SHARED,
					       r->offset)) TH_LOG("%s, executable", r->name);
		EXPECT_EQ(EINVAL, mapping_error(fd, r->len + page, r->prot, MAP_SHARED,
						r->offset)) TH_LOG("%s, longer", r->name);
		EXPECT_EQ(EINVAL, mapping_error(fd, page, r->prot, MAP_SHARED,
						r->offset + page)) TH_LOG("%s, later", r->name);
		at = map_at(fd, r->len, r->prot, MAP_SHARED, r->offset);
		ASSERT_NE(NULL, at);
		EXPECT_EQ(-1, mprotect(at, r->len, PROT_READ | PROT_EXEC)) TH_LOG("%s", r->name);
		EXPECT_EQ(MAP_FAILED, mremap(at, r->len, r->len + page, MREMAP_MAYMOVE))
			TH_LOG("%s", r->name);
		EXPECT_EQ(MAP_FAILED, mremap(at, 0, r->len + page, MREMAP_MAYMOVE))
			TH_LOG("%s", r->name);
	}
	EXPECT_EQ(EINVAL, mapping_error(fd, region[1].len - page, region[1].prot, MAP_SHARED,
					region[1].offset)) TH_LOG("shorter");
	EXPECT_EQ(EINVAL, mapping_error(fd, page, PROT_READ, MAP_SHARED,
					2 * COROPROF_MMAP_CHANNEL_RING)) TH_LOG("elsewhere");
}

/* The channel page is the kernel's alone to write. */
TEST_F(user_mode, channel_page_is_read_only)
{
	void *at;

	into_user_mode(_metadata, self);
	EXPECT_EQ(EPERM, mapping_error(self->s.channel, page_size(), PROT_READ | PROT_WRITE,
				       MAP_SHARED, COROPROF_MMAP_CHANNEL_PAGE));
	EXPECT_EQ(EPERM, mapping_error(self->s.channel, page_size(), PROT_WRITE, MAP_SHARED,
				       COROPROF_MMAP_CHANNEL_PAGE));
	at = map_at(self->s.channel, page_size(), PROT_READ, MAP_SHARED,
		    COROPROF_MMAP_CHANNEL_PAGE);
	ASSERT_NE(NULL, at);
	EXPECT_EQ(-1, mprotect(at, page_size(), PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
}

/* What was never written is zero: no page tells what it held before. */
TEST_F(user_mode, nothing_of_the_kernels_in_it)
{
	const unsigned char *page, *data;
	__u64 begin;
	size_t i;

	into_user_mode(_metadata, self);
	page = (const void *)self->s.page;
	for (i = sizeof(struct coroprof_channel_page); i < page_size(); i++)
		ASSERT_EQ(0, page[i]);
	page = (const void *)self->s.producer;
	for (i = sizeof(struct coroprof_ring_producer); i < page_size(); i++)
		ASSERT_EQ(0, page[i]);
	data = page + page_size();
	begin = self->s.producer->head & ~1ULL;
	ASSERT_LT(begin, RING_SIZE);
	for (i = begin; i < RING_SIZE; i++)
		ASSERT_EQ(0, data[i]);
	EXPECT_EQ(0, memcmp(data, data + RING_SIZE, RING_SIZE));
}

static int map_anothers(void *arg)
{
	FIXTURE_DATA(user_mode) *self = arg;
	struct region region[2], *r;

	regions(region);
	for (r = region; r < region + 2; r++)
		if (mapping_error(self->s.channel, r->len, r->prot, MAP_SHARED, r->offset) != EPERM)
			return 1;
	return 0;
}

static int inherits_nothing(void *arg)
{
	FIXTURE_DATA(user_mode) *self = arg;
	unsigned char resident;

	if (!mincore((void *)self->s.page, page_size(), &resident) || errno != ENOMEM)
		return 2;
	if (!mincore(self->s.producer, page_size(), &resident) || errno != ENOMEM)
		return 3;
	return map_anothers(arg);
}

TEST_F(user_mode, mapped_by_nobody_else)
{
	into_user_mode(_metadata, self);
	EXPECT_EQ(0, on_thread(map_anothers, self));
	EXPECT_EQ(0, in_child(inherits_nothing, self));
	into_user_mode(_metadata, self);
	ASSERT_EQ(0, stop(self->reader.fd));
	settle(_metadata, self);
}

TEST_F(user_mode, not_even_inherited_on_purpose)
{
	size_t len = page_size() + 2 * RING_SIZE;

	into_user_mode(_metadata, self);
	EXPECT_EQ(-1, madvise(self->s.producer, len, MADV_DOFORK));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, madvise((void *)self->s.page, page_size(), MADV_DOFORK));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, in_child(inherits_nothing, self));
}

/* It goes on at its new place. */
TEST_F(user_mode, moved)
{
	size_t len = page_size() + 2 * RING_SIZE;
	void *to = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at;

	into_user_mode(_metadata, self);
	at = mremap(self->s.producer, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	ASSERT_EQ(to, at);
	self->s.producer = at;
	into_user_mode(_metadata, self);
	ASSERT_EQ(0, stop(self->reader.fd));
	settle(_metadata, self);
}

static void read_and_write(const struct switcher *s)
{
	volatile __u64 *at = (void *)s->producer;
	size_t i;

	for (i = 0; i < (page_size() + 2 * RING_SIZE) / sizeof(*at); i += 64)
		at[i] = at[i] + 1;
	(void)s->page->attention;
}

/* What is mapped stays memory, and means nothing any more. */
TEST_F(user_mode, mapped_after_the_end)
{
	into_user_mode(_metadata, self);
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(1, self->s.page->attention);
	EXPECT_EQ(self->s.producer->head & ~1ULL, self->s.page->closed);
	settle(_metadata, self);
	read_and_write(&self->s);
	ASSERT_EQ(0, start(self->reader.fd));
	into_user_mode(_metadata, self);
	ASSERT_EQ(0, leave(self->s.channel));
	EXPECT_EQ(1, self->s.page->attention);
	settle(_metadata, self);
	read_and_write(&self->s);
	/* A channel that was left has no page to begin with anew. */
	EXPECT_EQ(-EPERM, switch_to(self->s.channel, A));
	EXPECT_EQ(2, self->reader.nr_logs);
}

/* A mapping holds the channel: the thread goes on with no descriptor at all. */
TEST_F(user_mode, mapped_after_close)
{
	unsigned int i;

	into_user_mode(_metadata, self);
	close(self->s.channel);
	self->s.channel = -1;
	for (i = 0; i < 10; i++)
		if (!switch_from_user(&self->s, i % 2 ? A : B))
			break;
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_FALSE(self->reader.logs[0].ended);
	switcher_unmap(&self->s);
	settle(_metadata, self);
	EXPECT_TRUE(self->reader.logs[0].ended);
	EXPECT_TRUE(self->reader.logs[0].last.flags & COROPROF_SLICE_CUT);
}

/* The last thing there is of the module is a page of it. */
TEST_F(user_mode, mapped_while_the_module_should_go)
{
	into_user_mode(_metadata, self);
	close(self->s.channel);
	self->s.channel = -1;
	reader_close(&self->reader);
	self->reader = (struct reader){ .fd = -1 };
	program_close(&self->program);
	self->program = (struct program){ .control = -1, .process = -1 };
	EXPECT_EQ(-1, syscall(SYS_delete_module, "coroprof", O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(1, self->s.page->attention);
	read_and_write(&self->s);
}

TEST_HARNESS_MAIN
