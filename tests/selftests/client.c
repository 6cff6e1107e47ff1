// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that <coroprof.h> says enough: a program and its reader in one, written from
 * that header alone, by ioctl and from user mode, without the library and without
 * what the other tests share. What the reader adds up is what the program did.
 */
#include "kselftest_harness.h"

#include <coroprof.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* As in require.h, which is not included here. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 300

#define SLOTS		8U
#define THREAD		1U
#define RING		65536U
#define SWITCHES	400U

struct client {
	int control, process, channel, session;
	const volatile struct coroprof_process_page *process_page;
	struct coroprof_slot *slots;
	/* from user mode */
	int event;
	const volatile struct perf_event_mmap_page *event_page;
	__u32 lock;
	bool steady;
	const volatile struct coroprof_channel_page *page;
	struct coroprof_ring_producer *producer;
	unsigned int from_user;
	/* the reader */
	__u32 id, mode;
	struct coroprof_ring_consumer *consumer;
	const struct coroprof_ring_producer *shown;
	__u64 slices, duration, off_ns, count, cut;
};

static size_t page_size;

static void *map(int fd, size_t size, int prot, __u64 offset)
{
	void *at = mmap(NULL, size, prot, MAP_SHARED | MAP_POPULATE, fd, offset);

	return at == MAP_FAILED ? NULL : at;
}

/* ---------------------------------------------------------------- the program */

static bool open_program(struct client *c)
{
	struct coroprof_process_config process = { .size = sizeof(process), .slots = SLOTS };
	struct coroprof_thread_config thread = { .size = sizeof(thread), .slot = THREAD };
	__u32 slot;

	page_size = sysconf(_SC_PAGESIZE);
	c->control = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);
	c->process = ioctl(c->control, COROPROF_IOC_PROCESS, &process);
	if (c->process < 0)
		return false;
	c->process_page = map(c->process, page_size, PROT_READ, COROPROF_MMAP_PROCESS_PAGE);
	c->slots = map(c->process, page_size, PROT_READ | PROT_WRITE, COROPROF_MMAP_SLOTS);
	if (!c->process_page || !c->slots)
		return false;
	for (slot = 1; slot < SLOTS; slot++)
		c->slots[slot].id = 100 + slot;
	c->channel = ioctl(c->process, COROPROF_IOC_THREAD, &thread);
	return c->channel >= 0;
}

static bool open_session(struct client *c, __u32 flags)
{
	struct coroprof_session_config config = {
		.size = sizeof(config), .flags = flags, .ring_size = RING, .nr_counters = 1,
		.counters[0] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	};
	struct coroprof_attach attach = { .size = sizeof(attach), .pid = getpid() };

	c->session = ioctl(c->control, COROPROF_IOC_SESSION, &config);
	return c->session >= 0 && !fcntl(c->session, F_SETFL, O_RDWR | O_NONBLOCK) &&
	       !ioctl(c->session, COROPROF_IOC_ATTACH, &attach) &&
	       !ioctl(c->session, COROPROF_IOC_START);
}

/* As "The events count what WANTED said" describes. */
static bool offer(struct client *c)
{
	struct coroprof_wanted wanted = { .size = sizeof(wanted) };
	struct coroprof_user_mode user = { .size = sizeof(user) };
	struct perf_event_attr attr = { .size = sizeof(attr) };

	if (ioctl(c->channel, COROPROF_IOC_WANTED, &wanted) ||
	    !(wanted.flags & COROPROF_WANTED_USER) || wanted.nr_counters != 1)
		return false;
	attr.type = wanted.counters[0].type;
	attr.config = wanted.counters[0].config;
	attr.config1 = wanted.counters[0].config1;
	attr.config2 = wanted.counters[0].config2;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.exclude_guest = 1;
	c->event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (c->event < 0)
		return false;
	c->event_page = map(c->event, page_size, PROT_READ, 0);
	user.epoch = wanted.epoch;
	user.nr_counters = 1;
	user.event[0] = c->event;
	return c->event_page && !ioctl(c->channel, COROPROF_IOC_USER, &user);
}

static bool switch_by_ioctl(struct client *c, unsigned long arg)
{
	__u32 before = c->event_page ? c->event_page->lock : 0;
	bool done = ioctl(c->channel, COROPROF_IOC_SWITCH, arg) == 0;

	if (c->event_page) {
		c->lock = c->event_page->lock;
		c->steady = c->lock == before && !(before & 1);
	}
	return done;
}

static __u64 now(const struct client *c)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec + c->process_page->clock_offset;
}

/* Returns false if the kernel has to do it. */
static bool by_itself(struct client *c, __u32 to)
{
	__u64 head = c->producer->head, at = head & ~1ULL, count = 0, end;
	struct coroprof_open_slice *open = &c->producer->open[head & 1];
	struct coroprof_open_slice *next = &c->producer->open[~head & 1];
	struct coroprof_slot *slot = &c->slots[open->slot];
	__u32 size = coroprof_slice_size(open->flags, 1);
	struct coroprof_record_slice *record = (void *)c->producer + page_size + at % RING;
	bool drop;

	if (!c->steady || to == open->slot || open->flags ||
	    read(c->event, &count, sizeof(count)) != sizeof(count))
		return false;
	end = now(c);
	if (end < open->began)
		end = open->began;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	drop = at + size > c->page->until;
	if (c->page->attention || c->event_page->lock != c->lock ||
	    (drop && c->page->drop_until == open->dropped))
		return false;
	if (!drop) {
		*record = (struct coroprof_record_slice){
			.type = COROPROF_RECORD_SLICE, .size = size, .slot = open->slot,
			.time = end, .duration = end - open->began, .id = slot->id,
			.label = slot->label, .standing = COROPROF_STANDING_COUNTED,
		};
		*(__u64 *)(record + 1) = count - open->count[0];
	}
	next->began = end;
	next->slot = to;
	next->slices = open->slices + 1;
	next->dropped = open->dropped + drop;
	next->flags = 0;
	next->count[0] = count;
	head = (head + (drop ? 0 : size)) ^ 1;
	__atomic_store_n(&c->producer->head, head, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (c->page->attention && c->page->closed != ~0ULL &&
	    (drop ? c->page->closed_slices != next->slices : c->page->closed < (head & ~1ULL)))
		return false;
	slot->standing = COROPROF_STANDING_COUNTED;
	slot->slices++;
	slot->running_ns += end - open->began;
	slot->count[0] += count - open->count[0];
	c->from_user++;
	return true;
}

static bool switch_to(struct client *c, __u32 to)
{
	return (c->producer && by_itself(c, to)) || switch_by_ioctl(c, to);
}

/* The first begins the recording; what of it can be mapped is mapped then. */
static bool begin(struct client *c, bool user)
{
	if (user && !offer(c))
		return false;
	if (!switch_by_ioctl(c, 2 | COROPROF_SWITCH_FRESH) || !switch_by_ioctl(c, 3 | COROPROF_SWITCH_FRESH))
		return false;
	if (!user)
		return true;
	c->page = map(c->channel, page_size, PROT_READ, COROPROF_MMAP_CHANNEL_PAGE);
	c->producer = map(c->channel, page_size + 2 * RING, PROT_READ | PROT_WRITE,
			  COROPROF_MMAP_CHANNEL_RING);
	return c->page && c->producer && switch_by_ioctl(c, 2);
}

/* ----------------------------------------------------------------- the reader */

static void take_slice(struct client *c, const struct coroprof_record_slice *slice)
{
	const __u64 *count = (const void *)(slice + 1);
	const struct coroprof_slice_offcpu *off = (const void *)(count + 1);

	c->slices++;
	c->duration += slice->duration;
	c->count += *count;
	if (slice->flags & COROPROF_SLICE_OFFCPU)
		c->off_ns += off->preempted_ns + off->blocked_ns;
	c->cut += !!(slice->flags & COROPROF_SLICE_CUT);
}

static void take(struct client *c, const void *records, size_t size)
{
	const struct coroprof_record *record;
	size_t at;

	for (at = 0; at < size; at += record->size) {
		record = records + at;
		if (record->type == COROPROF_RECORD_SLICE)
			take_slice(c, (const void *)record);
		else if (record->type == COROPROF_RECORD_LOST)
			c->slices += ((const struct coroprof_record_lost *)record)->full;
	}
}

static void drain(struct client *c)
{
	__u64 head = __atomic_load_n(&c->shown->head, __ATOMIC_ACQUIRE) & ~1ULL;
	__u64 closed = c->consumer->closed, tail = c->consumer->tail;

	if (closed < head)
		head = closed;
	take(c, (const char *)c->shown + page_size + tail % RING, head - tail);
	__atomic_store_n(&c->consumer->tail, head, __ATOMIC_RELEASE);
}

static void follow(struct client *c, const struct coroprof_record *record)
{
	const struct coroprof_record_channel *channel = (const void *)record;
	__u64 offset;

	if (record->type == COROPROF_RECORD_CHANNEL) {
		c->id = channel->channel_id;
		c->mode = channel->mode;
		offset = COROPROF_MMAP_RING(c->id);
		c->consumer = map(c->session, page_size, PROT_READ | PROT_WRITE, offset);
		c->shown = map(c->session, page_size + 2 * RING, PROT_READ, offset + page_size);
	} else if (record->type == COROPROF_RECORD_CHANNEL_LAST) {
		drain(c);
		take(c, record + 1, record->size - sizeof(*record));
	} else if (record->type == COROPROF_RECORD_CHANNEL_END) {
		drain(c);
	}
}

static void read_all(struct client *c)
{
	__u64 buffer[4096 / sizeof(__u64)];
	const struct coroprof_record *record;
	ssize_t got, at;

	while ((got = read(c->session, buffer, sizeof(buffer))) > 0)
		for (at = 0; at < got; at += record->size) {
			record = (const void *)buffer + at;
			follow(c, record);
		}
	if (c->shown)
		drain(c);
}

/* ------------------------------------------------------------------ the tests */

static void fault(void)
{
	volatile char *page = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*page = 1;
	munmap((void *)page, page_size);
}

static void run(struct __test_metadata *_metadata, bool user, bool drained)
{
	struct coroprof_channel_status status = { .size = sizeof(status) };
	struct client c = { .event = -1 };
	__u64 slot_slices = 0, slot_count = 0;
	unsigned int i, rounds = drained ? 1 : 10;

	ASSERT_TRUE(open_program(&c));
	ASSERT_TRUE(open_session(&c, user ? COROPROF_SESSION_USER : 0));
	ASSERT_TRUE(begin(&c, user));
	for (i = 0; i < SWITCHES * rounds; i++) {
		if (!(i % 8))
			fault();
		ASSERT_TRUE(switch_to(&c, 2 + i % 2));
		if (drained && !(i % 64))
			read_all(&c);
	}
	ASSERT_EQ(0, ioctl(c.session, COROPROF_IOC_STOP));
	read_all(&c);
	ASSERT_NE(0, c.id);
	status.channel_id = c.id;
	ASSERT_EQ(0, ioctl(c.session, COROPROF_IOC_CHANNEL, &status));
	EXPECT_EQ(COROPROF_CHANNEL_ENDED, status.flags);
	EXPECT_EQ(0, status.error);
	EXPECT_EQ(user ? COROPROF_MODE_USER : COROPROF_MODE_IOCTL, c.mode);
	for (i = 1; i < SLOTS; i++) {
		slot_slices += c.slots[i].slices;
		slot_count += c.slots[i].count[0];
	}
	/* THREAD's slice was not recorded; its slot has none. */
	EXPECT_EQ(status.slices, slot_slices);
	EXPECT_EQ(status.count[0], slot_count);
	EXPECT_LE(SWITCHES / 8, status.count[0]);
	if (user)
		EXPECT_LT(0, c.from_user);
	EXPECT_EQ(drained, !status.lost);
	if (!drained)
		return;
	EXPECT_EQ(1, c.cut);
	EXPECT_EQ(status.slices, c.slices);
	EXPECT_EQ(status.count[0], c.count);
	EXPECT_EQ(status.end - status.begin, c.duration);
	EXPECT_EQ(status.running_ns, c.duration - c.off_ns);
}

TEST(by_ioctl)
{
	run(_metadata, false, true);
}

TEST(from_user_mode)
{
	run(_metadata, true, true);
}

TEST(by_ioctl_without_a_reader)
{
	run(_metadata, false, false);
}

TEST(from_user_mode_without_a_reader)
{
	run(_metadata, true, false);
}

__attribute__((constructor))
static void need_the_device(void)
{
	if (!access(COROPROF_DEVICE, R_OK | W_OK))
		return;
	ksft_print_header();
	ksft_exit_skip("%s can't be opened: run 'modprobe coroprof', as root\n", COROPROF_DEVICE);
}

TEST_HARNESS_MAIN
