/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that switches, by ioctl or from user mode: the thread's side of the
 * protocol as the ABI describes it, and nothing of the library. It is made to be
 * plain, and to be held up in the middle, not to be fast: a counter that can't be
 * read from user mode is read with read(), which gives the same values, so that
 * every counter of every machine can be had in user mode.
 */
#ifndef _USER_MODE_H
#define _USER_MODE_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "program.h"
#include "wake.h"

/* In config1 of arm64's PMU: user mode may read the counter. */
#if defined(__aarch64__)
#define CONFIG1_USER	2ULL
#else
#define CONFIG1_USER	0ULL
#endif

/* Between the thread and its own signal handlers, and the kernel's interrupts. */
#define user_fence()	__atomic_signal_fence(__ATOMIC_SEQ_CST)

/**
 * struct user_event - a counter of a thread in user mode
 * @fd:   its perf event, or an errno, negative; or COROPROF_EVENT_PROGRAM
 * @word: what that counts
 * @page: of the event
 * @lock: page->lock when it was last seen to be undisturbed
 * @lag:  time enabled less time running, likewise
 */
struct user_event {
	int fd;
	const volatile __u64 *word;
	const volatile struct perf_event_mmap_page *page;
	__u32 lock;
	__u64 lag;
};

/* Where a switch from user mode can be held up. */
enum held_up {
	BEFORE_HEAD,	/* all is written but the head */
	AFTER_HEAD,	/* the head is stored, the slot's totals are not added */
};

/**
 * struct switcher - one thread that switches
 * @program:     of its process
 * @channel:     its channel
 * @home:        the slot that it joined with
 * @from_user:   it switches from user mode where that is possible
 * @offered:     the kernel has taken its events, and the next SWITCH begins with
 *               them
 * @epoch:       of the process page, as of which it has made its offer
 * @page:        the channel page, NULL when nothing is mapped
 * @producer:    of its ring
 * @ring_size:   bytes of data there
 * @nr:          how many counters
 * @event:       these
 * @undisturbed: all counters were on the PMU when the kernel began the slice, and
 *               can be followed from there
 * @busy:        in a switch, so that a signal handler must not be in another
 * @ahead:       how far its clock is ahead of the kernel's, in ns
 * @switches:    how many were done from user mode
 * @by_register: how many counters were read by user mode itself
 * @dropped:     of these, how many without a record
 * @late:        how many were too late: the recording had ended
 * @held_up:     called in the middle of each switch from user mode, if set
 * @arg:         for whoever wants it there
 */
struct switcher {
	struct program *program;
	int channel;
	__u32 home;
	bool from_user;
	bool offered;
	__u32 epoch;
	const volatile struct coroprof_channel_page *page;
	struct coroprof_ring_producer *producer;
	__u32 ring_size;
	unsigned int nr;
	struct user_event event[COROPROF_COUNTERS_MAX];
	bool undisturbed;
	volatile bool busy;
	__u64 ahead;
	unsigned long switches;
	unsigned long dropped;
	unsigned long by_register;
	unsigned long late;
	void (*held_up)(struct switcher *s, enum held_up where);
	void *arg;
};

/* ------------------------------------------------------------- counters */

#if defined(__aarch64__)
static inline __u64 read_register(__u32 index)
{
	__u64 value;

	if (index == 32)
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
	else
		__asm__ volatile("msr pmselr_el0, %x1\n\tisb\n\tmrs %0, pmxevcntr_el0"
				 : "=r"(value) : "r"(index - 1));
	return value;
}
#elif defined(__x86_64__)
static inline __u64 read_register(__u32 index)
{
	__u32 low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
	return (__u64)high << 32 | low;
}
#else
static inline __u64 read_register(__u32 index)
{
	(void)index;
	return 0;
}
#endif

static inline bool by_register(const struct user_event *event)
{
	return event->page && event->page->cap_user_rdpmc && event->page->index;
}

/* As <linux/perf_event.h> says, but for the loop: who calls looks at the lock. */
static inline __u64 event_register(const struct user_event *event)
{
	unsigned int unused = event->page->pmc_width ? 64 - event->page->pmc_width : 0;
	__u64 raw = read_register(event->page->index);

	return event->page->offset + (__u64)((__s64)(raw << unused) >> unused);
}

struct event_read {
	__u64 count;
	__u64 enabled;
	__u64 running;
};

static inline bool event_read(const struct user_event *event, struct event_read *now)
{
	return read(event->fd, now, sizeof(*now)) == sizeof(*now);
}

static inline void event_note(struct user_event *event)
{
	struct event_read now = { 0 };

	if (event->fd < 0 || event->word)
		return;
	event_read(event, &now);
	event->lag = now.enabled - now.running;
	event->lock = event->page ? event->page->lock : 0;
}

/* Returns false if it was disturbed since it was noted. */
static inline bool event_count(struct switcher *s, const struct user_event *event, __u64 *count)
{
	struct event_read now;

	*count = event->word ? *event->word : 0;
	if (event->fd < 0 || event->word)
		return true;
	if (by_register(event)) {
		user_fence();
		*count = event_register(event);
		user_fence();
		s->by_register++;
		return event->page->lock == event->lock && !(event->lock & 1);
	}
	if (!event_read(event, &now) || now.enabled - now.running != event->lag)
		return false;
	*count = now.count;
	return true;
}

static inline void note_counters(struct switcher *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		event_note(&s->event[i]);
}

static inline bool read_counters(struct switcher *s, __u64 *count)
{
	bool undisturbed = true;
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		undisturbed &= event_count(s, &s->event[i], &count[i]);
	return undisturbed;
}

/* COROPROF_STANDING of a slice in which all of them counted. */
static inline __u32 full_standing(const struct switcher *s)
{
	__u32 full = 0;
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->event[i].fd >= 0)
			full |= COROPROF_STANDING_COUNTED << 2 * i;
	return full;
}

/* -------------------------------------------------------- into user mode */

static inline void event_attr(struct perf_event_attr *attr, const struct coroprof_counter *counter)
{
	bool kernel = counter->flags & COROPROF_COUNTER_KERNEL;

	/* Without kernel mode these would count nothing. */
	if (counter->type == PERF_TYPE_SOFTWARE &&
	    (counter->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
	     counter->config == PERF_COUNT_SW_CPU_MIGRATIONS))
		kernel = true;
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = counter->type;
	attr->config = counter->config;
	attr->config1 = counter->config1;
	attr->config2 = counter->config2;
	attr->exclude_kernel = !kernel;
	attr->exclude_hv = 1;
	attr->exclude_guest = 1;
	attr->pinned = !!(counter->flags & COROPROF_COUNTER_PINNED);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

static inline int event_open_for(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Of the calling thread, readable by user mode if it can be. */
static inline int event_open(const struct coroprof_counter *counter)
{
	struct perf_event_attr attr;
	int fd = -EOPNOTSUPP;

	event_attr(&attr, counter);
	if (CONFIG1_USER && counter->type == PERF_TYPE_HARDWARE) {
		attr.config1 |= CONFIG1_USER;
		fd = event_open_for(&attr, 0, -1, -1);
		attr.config1 = counter->config1;
	}
	return fd >= 0 ? fd : event_open_for(&attr, 0, -1, -1);
}

static inline void switcher_unmap(struct switcher *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		if (s->event[i].page)
			munmap((void *)s->event[i].page, page_size());
		if (s->event[i].fd >= 0 && !s->event[i].word)
			close(s->event[i].fd);
	}
	if (s->producer)
		munmap(s->producer, page_size() + 2 * (size_t)s->ring_size);
	if (s->page)
		munmap((void *)s->page, page_size());
	memset(s->event, 0, sizeof(s->event));
	s->nr = 0;
	s->producer = NULL;
	s->page = NULL;
	s->offered = false;
}

static inline int wanted(int channel, struct coroprof_wanted *wanted)
{
	memset(wanted, 0, sizeof(*wanted));
	wanted->size = sizeof(*wanted);
	return call(channel, COROPROF_IOC_WANTED, wanted);
}

static inline int offer_user(int channel, struct coroprof_user_mode *offer)
{
	offer->size = sizeof(*offer);
	return call(channel, COROPROF_IOC_USER, offer);
}

static inline int delegate_events(int session, __u32 channel_id, const int *fds, __u32 nr)
{
	struct coroprof_delegate give = {
		.size = sizeof(give), .channel_id = channel_id, .nr_counters = nr,
	};
	__u32 i;

	for (i = 0; i < nr && i < COROPROF_COUNTERS_MAX; i++)
		give.event[i] = fds[i];
	return call(session, COROPROF_IOC_DELEGATE, &give);
}

/* The program's own counter, unless others may count there, too. */
static inline void switcher_open_word(struct switcher *s, struct user_event *event)
{
	struct coroprof_slot *slot = &s->program->slots[s->home];

	event->fd = slot->id & COROPROF_ID_THREAD ? COROPROF_EVENT_PROGRAM : -EOPNOTSUPP;
	event->word = event->fd < 0 ? NULL : &slot->mark[1];
}

static inline void switcher_open_events(struct switcher *s, const struct coroprof_wanted *wanted)
{
	unsigned int i;

	s->nr = wanted->nr_counters;
	for (i = 0; i < s->nr; i++) {
		if (wanted->counters[i].type == COROPROF_TYPE_PROGRAM) {
			switcher_open_word(s, &s->event[i]);
			continue;
		}
		s->event[i].fd = event_open(&wanted->counters[i]);
		if (s->event[i].fd >= 0)
			s->event[i].page = map_at(s->event[i].fd, page_size(), PROT_READ,
						  MAP_SHARED | MAP_POPULATE, 0);
	}
}

/* Asks what is wanted, and offers that. Returns 0 or a negative errno. */
static inline int switcher_offer(struct switcher *s)
{
	struct coroprof_user_mode offer = { 0 };
	struct coroprof_wanted want;
	unsigned int i;
	int ret;

	switcher_unmap(s);
	s->epoch = s->program->page->epoch;
	ret = wanted(s->channel, &want);
	if (ret)
		return ret;
	s->epoch = want.epoch;
	s->ring_size = want.ring_size;
	switcher_open_events(s, &want);
	offer.epoch = want.epoch;
	offer.nr_counters = want.nr_counters;
	for (i = 0; i < s->nr; i++)
		offer.event[i] = s->event[i].fd;
	ret = offer_user(s->channel, &offer);
	s->offered = !ret;
	return ret;
}

/* Populated, so that page faults are those of the test. */
static inline void switcher_map(struct switcher *s)
{
	s->offered = false;
	s->page = map_at(s->channel, page_size(), PROT_READ, MAP_SHARED | MAP_POPULATE,
			 COROPROF_MMAP_CHANNEL_PAGE);
	s->producer = map_at(s->channel, page_size() + 2 * (size_t)s->ring_size,
			     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			     COROPROF_MMAP_CHANNEL_RING);
}

/* --------------------------------------------------------------- switching */

/* What a switch from user mode is made of. */
struct user_switch {
	struct coroprof_open_slice *open;
	struct coroprof_open_slice *next;
	__u64 position;		/* where the record begins */
	__u64 head;		/* to be stored */
	__u64 now;
	__u32 size;
	bool drop;		/* there is no record: the ring is full */
	__u32 flags;		/* of the slice that ends */
	__u64 count[COROPROF_COUNTERS_MAX];
	struct coroprof_wake wake;
};

static inline bool in_user_mode(const struct switcher *s)
{
	return s->page && s->producer;
}

static inline struct coroprof_open_slice *open_slice(const struct switcher *s)
{
	return &s->producer->open[s->producer->head & 1];
}

/* Counters, clock, attention, in this order. Returns false if it is the kernel's. */
static inline bool user_switch_begin(struct switcher *s, struct user_switch *to, unsigned long arg)
{
	__u64 head = s->producer->head;
	bool undisturbed;

	to->open = &s->producer->open[head & 1];
	to->next = &s->producer->open[~head & 1];
	to->position = head & ~1ULL;
	to->flags = to->open->flags | (arg & COROPROF_SWITCH_END ? COROPROF_SLICE_END : 0) |
		    (arg & COROPROF_SWITCH_READY ? COROPROF_SLICE_READY : 0) |
		    (arg & COROPROF_SWITCH_UNREPORTED ? COROPROF_SLICE_UNREPORTED : 0);
	to->size = coroprof_slice_size(to->flags, s->nr);
	undisturbed = read_counters(s, to->count);
	to->now = wall_ns() + s->program->page->clock_offset + s->ahead;
	if (to->now < to->open->began)
		to->now = to->open->began;
	user_fence();
	if (s->page->attention || !undisturbed)
		return false;
	to->drop = to->position + to->size > s->page->until;
	if (to->drop)
		to->size = 0;
	to->head = (head + to->size) ^ 1;
	return !to->drop || s->page->drop_until != to->open->dropped;
}

static inline void user_put_record(struct switcher *s, const struct user_switch *to)
{
	const struct coroprof_open_slice *open = to->open;
	const struct coroprof_slot *slot = &s->program->slots[open->slot];
	struct coroprof_record_slice *record = (void *)s->producer + page_size() +
					       to->position % s->ring_size;
	__u64 *at = (__u64 *)(record + 1);
	unsigned int i;

	record->type = COROPROF_RECORD_SLICE;
	record->size = to->size;
	record->slot = open->slot;
	record->time = to->now;
	record->duration = to->now - open->began;
	record->id = slot->id;
	record->label = slot->label;
	record->flags = to->flags;
	record->standing = full_standing(s);
	for (i = 0; i < s->nr; i++)
		*at++ = to->count[i] - open->count[i];
	if (to->flags & COROPROF_SLICE_FRESH) {
		*at++ = slot->parent;
		*at++ = slot->tag;
	}
	if (to->flags & COROPROF_SLICE_WOKEN) {
		*at++ = open->wake_time;
		*at++ = open->waker;
	}
}

static inline void user_put_open(struct switcher *s, struct user_switch *to,
				 unsigned long arg)
{
	struct coroprof_slot *slot = &s->program->slots[arg & COROPROF_SWITCH_SLOT_MASK];
	struct coroprof_open_slice *next = to->next;

	to->wake = slot->wake_time ? wake_take(slot) : (struct coroprof_wake){ 0 };
	next->began = to->now;
	next->slot = arg & COROPROF_SWITCH_SLOT_MASK;
	next->slices = to->open->slices + 1;
	next->dropped = to->open->dropped + to->drop;
	next->flags = (arg & COROPROF_SWITCH_FRESH ? COROPROF_SLICE_FRESH : 0) |
		      (to->wake.time ? COROPROF_SLICE_WOKEN : 0);
	next->wake_time = to->wake.time;
	next->waker = to->wake.waker;
	memcpy(next->count, to->count, sizeof(next->count));
	/* Before the slice counts: from then on the kernel may end it. */
	if (arg & COROPROF_SWITCH_FRESH) {
		memset(&slot->slices, 0, offsetof(struct coroprof_slot, wake) -
					 offsetof(struct coroprof_slot, slices));
		memset(slot->count, 0, sizeof(slot->count));
		memset(slot->missing_ns, 0, sizeof(slot->missing_ns));
		slot->since = s->epoch;
	}
}

static inline __u32 user_merge_standing(__u32 a, __u32 b)
{
	__u32 merged = 0;
	unsigned int i;

	for (i = 0; i < COROPROF_COUNTERS_MAX; i++) {
		__u32 x = COROPROF_STANDING(a, i), y = COROPROF_STANDING(b, i);

		if (x == y)
			merged |= x << 2 * i;
		else if (x != COROPROF_STANDING_UNSUPPORTED && y != COROPROF_STANDING_UNSUPPORTED)
			merged |= COROPROF_STANDING_SCALED << 2 * i;
	}
	return merged;
}

static inline void user_add_totals(struct switcher *s, const struct user_switch *to)
{
	struct coroprof_slot *slot = &s->program->slots[to->open->slot];
	unsigned int i;

	slot->standing = slot->slices ? user_merge_standing(slot->standing, full_standing(s)) :
					full_standing(s);
	slot->slices++;
	slot->running_ns += to->now - to->open->began;
	for (i = 0; i < s->nr; i++)
		slot->count[i] += to->count[i] - to->open->count[i];
}

/* Returns false if the kernel has to be called. */
static inline bool switch_from_user(struct switcher *s, unsigned long arg)
{
	__u32 nr = arg & COROPROF_SWITCH_SLOT_MASK;
	struct user_switch to;

	if (!s->undisturbed || arg & COROPROF_SWITCH_KERNEL || !nr ||
	    nr >= s->program->nr_slots || nr == open_slice(s)->slot ||
	    !user_switch_begin(s, &to, arg))
		return false;

	if (!to.drop)
		user_put_record(s, &to);
	user_put_open(s, &to, arg);
	if (s->held_up)
		s->held_up(s, BEFORE_HEAD);
	__atomic_store_n(&s->producer->head, to.head, __ATOMIC_RELEASE);
	user_fence();
	if (s->held_up)
		s->held_up(s, AFTER_HEAD);
	if (s->page->attention && s->page->closed != ~0ULL &&
	    (to.drop ? s->page->closed_slices != to.next->slices :
		       s->page->closed < to.position + to.size)) {
		s->late++;
		/* For the kernel to take. */
		if (to.wake.time)
			wake_put(&s->program->slots[nr], to.wake);
		return false;
	}
	user_add_totals(s, &to);
	s->switches++;
	s->dropped += to.drop;
	return true;
}

/* The kernel begins a slice; whether it can be followed is seen around that. */
static inline int switch_by_ioctl(struct switcher *s, unsigned long arg)
{
	struct user_event before[COROPROF_COUNTERS_MAX];
	unsigned int i;
	int ret;

	note_counters(s);
	memcpy(before, s->event, sizeof(before));
	ret = switch_to(s->channel, arg);
	if (s->offered)
		switcher_map(s);
	if (!in_user_mode(s))
		return ret;
	note_counters(s);
	s->undisturbed = true;
	for (i = 0; i < s->nr; i++)
		s->undisturbed &= before[i].lock == s->event[i].lock &&
				  before[i].lag == s->event[i].lag;
	return ret;
}

/* Returns 0 or a negative errno. Also for a signal handler within another switch. */
static inline int switcher_switch(struct switcher *s, unsigned long arg)
{
	int ret = 0;

	if (s->busy)
		return switch_to(s->channel, arg | COROPROF_SWITCH_KERNEL);
	s->busy = true;
	user_fence();
	if (!in_user_mode(s) || !switch_from_user(s, arg)) {
		if (s->from_user && s->epoch != s->program->page->epoch)
			switcher_offer(s);
		ret = switch_by_ioctl(s, arg);
	}
	user_fence();
	s->busy = false;
	return ret;
}

/* Returns the channel or a negative errno. */
static inline int switcher_join(struct switcher *s, struct program *program, __u32 slot,
				bool from_user)
{
	memset(s, 0, sizeof(*s));
	s->program = program;
	s->home = slot;
	s->from_user = from_user;
	s->epoch = program->page->epoch - 1;
	s->channel = join(program->process, slot);
	return s->channel;
}

static inline int switcher_leave(struct switcher *s)
{
	int ret = leave(s->channel);

	switcher_unmap(s);
	return ret;
}

static inline void switcher_close(struct switcher *s)
{
	switcher_unmap(s);
	if (s->channel >= 0)
		close(s->channel);
	s->channel = -1;
}

/* Page faults, and cycles: one that is always there, and one that may be read in user mode. */
static inline void count_faults_and_cycles(struct coroprof_session_config *config)
{
	config->nr_counters = 2;
	config->counters[0].type = PERF_TYPE_SOFTWARE;
	config->counters[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	config->counters[1].type = PERF_TYPE_HARDWARE;
	config->counters[1].config = PERF_COUNT_HW_CPU_CYCLES;
}

/* ------------------------------------------------------------ the machine */

/* Lets user mode read counters where the kernel has a switch for that. */
static inline void allow_user_access(void)
{
	int fd = open("/proc/sys/kernel/perf_user_access", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1", 1) != 1)
		perror("perf_user_access");
	close(fd);
}

#endif /* _USER_MODE_H */
