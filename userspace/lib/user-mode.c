// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Getting into user mode, and out of it: perf events of the thread's own, in
 * place of those the kernel would make, and the mappings. Whatever stands in the
 * way, the kernel is informed, and the thread switches by ioctl.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event.h"
#include "user.h"

/* The clock is looked at again after so long: it may run 500 ppm off. */
#define CLOCK_SPAN_NS 1000000ull

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static ssize_t read_file(const char *path, char *to, size_t size, off_t offset)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -1;
	got = pread(fd, to, size - 1, offset);
	close(fd);
	to[got > 0 ? got : 0] = '\0';
	return got;
}

/*
 * A filter may kill the process for calling perf_event_open(), or prctl(), which
 * would show it. So neither is called where there is a filter, or where it can't be
 * known, as without /proc. An older module does not say, so it is read there. In pieces that
 * overlap: the stack may be that of a coroutine. Returns why none is to be called, or 0.
 */
static uint32_t filter_reason(void)
{
	static const char key[] = "\nSeccomp:\t";
	char part[512];
	const char *line;
	off_t at = 0;

	while (read_file("/proc/thread-self/status", part, sizeof(part), at) >
	       (ssize_t)sizeof(key)) {
		line = strstr(part, key);
		if (line && line[sizeof(key) - 1])
			return line[sizeof(key) - 1] == '0' ? 0 : COROPROF_REASON_SECCOMP;
		at += sizeof(part) - sizeof(key) - 2;
	}
	return COROPROF_REASON_PROC;
}

/* Does the kernel let user mode read counters at all? */
static bool accessible(void)
{
	char text[16];

#if defined(__aarch64__)
	return read_file("/proc/sys/kernel/perf_user_access", text, sizeof(text), 0) > 0 &&
	       text[0] != '0';
#else
	return read_file("/sys/bus/event_source/devices/cpu/rdpmc", text, sizeof(text), 0) <= 0 ||
	       text[0] != '0';
#endif
}

/* struct linux_dirent64: its length is at 16, its name at 19. */
#define ENTRY_NAME 19

static size_t entry_size(const char *entry)
{
	uint16_t size;

	memcpy(&size, entry + 16, sizeof(size));
	return size;
}

static bool is_pmu(const char *name)
{
	return !strncmp(name, "armv", 4) || !strcmp(name, "cpu_core") || !strcmp(name, "cpu_atom");
}

/*
 * Where processors differ, so do their PMUs, and what user mode may read changes
 * as the thread moves: a read would trap.
 */
static bool count_pmus(void)
{
	int dir = open("/sys/bus/event_source/devices", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char entries[1024] __attribute__((aligned(8)));
	unsigned int pmus = 0;
	ssize_t got;

	if (dir < 0)
		return false;
	/* Not readdir(), which allocates. */
	while ((got = syscall(SYS_getdents64, dir, entries, sizeof(entries))) > 0) {
		for (const char *at = entries; at < entries + got; at += entry_size(at))
			pmus += is_pmu(at + ENTRY_NAME);
	}
	close(dir);
	return pmus > 1;
}

/* Of the machine, so it is looked at once. */
static bool several_pmus(void)
{
	static int several = -1;
	int known = __atomic_load_n(&several, __ATOMIC_RELAXED);

	if (known < 0) {
		known = count_pmus();
		__atomic_store_n(&several, known, __ATOMIC_RELAXED);
	}
	return known;
}

static void *event_map(int fd)
{
	void *page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

static uint32_t reason_of(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return COROPROF_REASON_PARANOID;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return COROPROF_REASON_MEMORY;
	default:
		return 0;
	}
}

static uint32_t counter_reason(const struct user_counter *counter,
			       const struct coroprof_counter *wanted)
{
	if (!counter->page->cap_user_rdpmc)
		return wanted->type == PERF_TYPE_SOFTWARE || accessible() ?
		       COROPROF_REASON_EVENT : COROPROF_REASON_ACCESS;
	if (!counter->page->index)
		return accessible() ? COROPROF_REASON_COUNTERS : COROPROF_REASON_ACCESS;
	return counter->page->index - 1 > ARCH_COUNTER_MAX ? COROPROF_REASON_EVENT : 0;
}

/* Of an event that is mapped. Returns why it can't be read in user mode, or 0. */
static uint32_t take_counter(struct user *user, const struct coroprof_counter *wanted)
{
	struct user_counter *counter = &user->counter[user->nr - 1];
	uint32_t width;

	width = counter->page->pmc_width;
	counter->mask = width && width < 64 ? (1ull << width) - 1 : ~0ull;
	user->standing |= COROPROF_STANDING_COUNTED << 2 * (user->nr - 1);
	return counter_reason(counter, wanted);
}

/* The next counter, if that is the program's own. Without a word to count it is UNSUPPORTED. */
static bool take_word(struct user *user, const struct coroprof_counter *wanted)
{
	uint32_t n = user->nr;

	if (wanted->type != COROPROF_TYPE_PROGRAM)
		return false;
	user->nr++;
	user->word = this_thread.word;
	if (!user->word)
		return true;
	user->words |= 1u << n;
	user->counter[n].mask = ~0ull;
	user->standing |= COROPROF_STANDING_COUNTED << 2 * n;
	return true;
}

/* Likewise, of an event that it opens. */
static uint32_t add_counter(struct user *user, const struct coroprof_counter *wanted, int *event)
{
	struct user_counter *counter = &user->counter[user->nr];

	if (take_word(user, wanted)) {
		*event = user->word ? COROPROF_EVENT_PROGRAM : -EOPNOTSUPP;
		return 0;
	}
	user->nr++;
	*event = coroprof_event_open(wanted, 0);
	if (*event < 0)
		return reason_of(-*event);
	counter->page = event_map(*event);
	return counter->page ? take_counter(user, wanted) : COROPROF_REASON_MEMORY;
}

/*
 * Likewise, of one that the session has opened. Where it could not, there is none. That
 * it is not on the PMU says nothing as long as the events of the recording by ioctl are
 * there, too: coroprof_user_go_on() sees to it that it gets there.
 */
static uint32_t add_delegated(struct user *user, const struct coroprof_counter *wanted, uint32_t n)
{
	struct user_counter *counter = &user->counter[user->nr];
	uint32_t reason;
	void *page;

	if (take_word(user, wanted))
		return 0;
	user->nr++;
	page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, this_thread.channel,
		    COROPROF_MMAP_CHANNEL_EVENT(n));
	if (page == MAP_FAILED)
		return errno == ENODATA ? 0 : COROPROF_REASON_MEMORY;
	counter->page = page;
	reason = take_counter(user, wanted);
	return reason == COROPROF_REASON_COUNTERS ? 0 : reason;
}

/* How cycles become nanoseconds, if a page of the perf subsystem says so. */
static void take_clock(struct user *user, const volatile struct perf_event_mmap_page *page)
{
	if (!page->cap_user_time || !page->time_mult)
		return;
	user->mult = page->time_shift > 32 ? 0 :
		     (uint64_t)page->time_mult << (32 - page->time_shift);
	user->span = user->mult ? (CLOCK_SPAN_NS << 32) / user->mult : 0;
}

/* From a counter's page, or from that of an event made for this. */
static void find_clock(struct user *user)
{
	static const struct coroprof_counter dummy = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};
	void *page;
	int fd;

	user->span = user->mult = 0;
	for (uint32_t i = 0; i < user->nr; i++) {
		if (user->counter[i].page)
			take_clock(user, user->counter[i].page);
	}
	if (user->mult || user->given)
		return;
	fd = coroprof_event_open(&dummy, 0);
	page = fd < 0 ? NULL : event_map(fd);
	if (page) {
		take_clock(user, page);
		munmap(page, page_size());
	}
	if (fd >= 0)
		close(fd);
}

/* Mappings of a thread that are to go: of its counters, its ring and its channel page. */
struct mappings {
	uint32_t nr;
	struct mapping {
		uintptr_t begin;
		uintptr_t end;
	} at[COROPROF_COUNTERS_MAX + 2];
};

static void add_mapping(struct mappings *m, const volatile void *begin, size_t bytes)
{
	if (begin)
		m->at[m->nr++] = (struct mapping){ (uintptr_t)begin, (uintptr_t)begin + bytes };
}

/* The kernel puts one beside the other where it can: then it takes one call for all of them. */
static void unmap_all(struct mappings *m)
{
	while (m->nr) {
		struct mapping one = m->at[--m->nr];

		for (uint32_t i = 0; i < m->nr; i++) {
			if (m->at[i].end == one.begin)
				one.begin = m->at[i].begin;
			else if (m->at[i].begin == one.end)
				one.end = m->at[i].end;
			else
				continue;
			m->at[i] = m->at[--m->nr];
			i = -1;
		}
		munmap((void *)one.begin, one.end - one.begin);
	}
}

static void take_counters(struct user *user, struct mappings *m)
{
	for (uint32_t i = 0; i < user->nr; i++)
		add_mapping(m, user->counter[i].page, page_size());
	memset(user->counter, 0, sizeof(user->counter));
	user->nr = 0;
	user->words = 0;
	user->standing = 0;
}

static void unmap_counters(struct user *user)
{
	struct mappings m = { .nr = 0 };

	take_counters(user, &m);
	unmap_all(&m);
}

static void close_events(const struct coroprof_user_mode *mode)
{
	for (uint32_t i = 0; i < mode->nr_counters; i++) {
		if (mode->event[i] >= 0 && mode->event[i] != COROPROF_EVENT_PROGRAM)
			close(mode->event[i]);
	}
}

/* Memory that ended threads have left to others; zeroed. */
static struct user *kept[16];

static struct user *take_kept(void)
{
	struct user *user = NULL;

	for (unsigned int i = 0; i < sizeof(kept) / sizeof(kept[0]) && !user; i++) {
		if (__atomic_load_n(&kept[i], __ATOMIC_RELAXED))
			user = __atomic_exchange_n(&kept[i], NULL, __ATOMIC_ACQUIRE);
	}
	return user;
}

/* False if there is enough of it. */
static bool keep(struct user *user)
{
	struct user *none;

	memset(user, 0, sizeof(*user));
	for (unsigned int i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		none = NULL;
		if (__atomic_compare_exchange_n(&kept[i], &none, user, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return true;
	}
	return false;
}

/* A forked child finds it zeroed, that of ended threads too. */
static struct user *memory(void)
{
	void *memory;

	if (!this_thread.own)
		this_thread.own = take_kept();
	if (this_thread.own)
		return this_thread.own;
	memory = mmap(NULL, sizeof(struct user), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	if (madvise(memory, sizeof(struct user), MADV_WIPEONFORK)) {
		munmap(memory, sizeof(struct user));
		return NULL;
	}
	this_thread.own = memory;
	return memory;
}

static uint32_t add_counters(struct user *user, const struct coroprof_wanted *wanted,
			     struct coroprof_user_mode *mode)
{
	uint32_t reason = 0;

	for (uint32_t i = 0; i < wanted->nr_counters && !reason; i++) {
		reason = add_counter(user, &wanted->counters[i], &mode->event[i]);
		mode->nr_counters++;
	}
	return reason;
}

static void take_ring(struct user *user, const struct coroprof_wanted *wanted)
{
	user->ring_size = wanted->ring_size;
	user->mask = wanted->ring_size ? wanted->ring_size - 1 : 0;
}

static uint32_t prepare(const struct coroprof_wanted *wanted, struct coroprof_user_mode *mode)
{
	struct user *user;
	uint32_t reason;

	if (coroprof_settings()->switch_ioctl)
		return COROPROF_REASON_DISABLED;
	if (several_pmus())
		return COROPROF_REASON_ACCESS;
	reason = wanted->flags & COROPROF_WANTED_UNFILTERED ? 0 : filter_reason();
	if (reason)
		return reason;
	user = memory();
	if (!user)
		return COROPROF_REASON_MEMORY;
	take_ring(user, wanted);
	user->given = false;
	return add_counters(user, wanted, mode);
}

static void map_delegated(struct user *user, const struct coroprof_wanted *wanted,
			  struct coroprof_user_mode *mode)
{
	for (uint32_t i = 0; i < wanted->nr_counters && !mode->reason; i++)
		mode->reason = add_delegated(user, &wanted->counters[i], i);
	mode->nr_counters = wanted->nr_counters;
}

/* Else they would take counters of the PMU from what is recorded by ioctl. */
static void decline(struct coroprof_user_mode *mode)
{
	mode->flags = 0;
	if (!mode->reason)
		mode->reason = COROPROF_REASON_MEMORY;
	ioctl(this_thread.channel, COROPROF_IOC_USER, mode);
}

/*
 * Events that the session has opened, for a thread that is recorded by ioctl because
 * it may not. If it can't read them either, it stays with that. Returns whether it took
 * them.
 */
static bool take_delegated(const struct coroprof_wanted *wanted)
{
	struct coroprof_user_mode mode = {
		.size = sizeof(mode), .epoch = wanted->epoch, .flags = COROPROF_USER_DELEGATED,
	};
	struct user *user = memory();

	if (!user) {
		decline(&mode);
		return false;
	}
	take_ring(user, wanted);
	map_delegated(user, wanted, &mode);
	user->given = true;
	if (!mode.reason && !ioctl(this_thread.channel, COROPROF_IOC_USER, &mode))
		return true;
	coroprof_debug("thread %ld can't use the session's events: reason %u, errno %d",
		       (long)syscall(SYS_gettid), mode.reason, errno);
	unmap_counters(user);
	decline(&mode);
	return false;
}

/* Whether the session may be able to do what the thread may not. */
static bool is_right(uint32_t reason)
{
	return reason == COROPROF_REASON_PARANOID || reason == COROPROF_REASON_SECCOMP ||
	       reason == COROPROF_REASON_PROC;
}

/* A module before level 3 knows no flags. */
static int report_mode(struct coroprof_user_mode *mode)
{
	int err;

	mode->flags = is_right(mode->reason) ? COROPROF_USER_LATER : 0;
	err = ioctl(this_thread.channel, COROPROF_IOC_USER, mode);
	if (!err || !mode->flags)
		return err;
	mode->flags = 0;
	return ioctl(this_thread.channel, COROPROF_IOC_USER, mode);
}

/*
 * Before the thread is recorded, says what it can; while it is, takes what was given for
 * that. Returns false if what is recorded of it just goes on. @taken: out: a recording that
 * begins now is in user mode
 */
bool coroprof_user_delegate(bool *taken)
{
	struct coroprof_wanted wanted = { .size = sizeof(wanted) };
	struct coroprof_user_mode mode = { .size = sizeof(mode) };
	bool given = this_thread.given && this_thread.given == this_thread.synced;

	*taken = false;
	this_thread.given = 0;
	if (this_thread.own && !this_thread.interrupted)
		unmap_counters(this_thread.own);
	if (this_thread.interrupted || ioctl(this_thread.channel, COROPROF_IOC_WANTED, &wanted) ||
	    !(wanted.flags & COROPROF_WANTED_USER) ||
	    wanted.epoch != (uint32_t)this_thread.synced ||
	    wanted.nr_counters > COROPROF_COUNTERS_MAX)
		return true;
	if (given)
		return *taken = take_delegated(&wanted);
	mode.epoch = wanted.epoch;
	mode.reason = prepare(&wanted, &mode);
	*taken = !report_mode(&mode) && !mode.reason;
	if (!*taken) {
		coroprof_debug("thread %ld switches by ioctl: reason %u",
			       (long)syscall(SYS_gettid), mode.reason);
		if (this_thread.own)
			unmap_counters(this_thread.own);
	}
	close_events(&mode);
	return true;
}

/* The kernel maps its pages as they are touched, unless what is counted would show that. */
static bool map_ring(struct user *user)
{
	size_t bytes = page_size() + 2 * user->ring_size;
	void *producer;

	producer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, this_thread.channel,
			COROPROF_MMAP_CHANNEL_RING);
	if (producer == MAP_FAILED)
		return false;
	user->producer = producer;
	user->ring_bytes = bytes;
	user->data = (char *)producer + page_size();
	return true;
}

static bool map_page(struct user *user)
{
	void *page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, this_thread.channel,
			  COROPROF_MMAP_CHANNEL_PAGE);

	if (page == MAP_FAILED)
		return false;
	user->page = page;
	return true;
}

/* A signal handler that came meanwhile would unmap the same, or join again and lose that. */
static void unmap(struct user *user)
{
	struct mappings m = { .nr = 0 };
	sigset_t before = coroprof_signals_block();

	add_mapping(&m, user->producer, user->ring_bytes);
	add_mapping(&m, user->page, page_size());
	user->producer = NULL;
	user->page = NULL;
	user->slots = 0;
	user->current = NULL;
	user->fast = user->stamp = STAMP_NONE;
	user->fast_frame = 0;
	take_counters(user, &m);
	unmap_all(&m);
	coroprof_signals_restore(&before);
}

/* The recording has begun. Enters user mode if it was begun so. */
void coroprof_user_enter(void)
{
	struct user *user = this_thread.own;

	if (!user || this_thread.interrupted)
		return;
	if (!map_page(user) || !map_ring(user)) {
		unmap(user);
		return;
	}
	find_clock(user);
	user->kind = coroprof_user_kind(user);
	coroprof_user_span_paths(user->kind);
	user->first = COROPROF_RECORD_SLICE |
		      (sizeof(struct coroprof_record_slice) + user->nr * sizeof(uint64_t)) << 16;
	user->last = (uint64_t)user->standing << 48;
	user->span_first = COROPROF_RECORD_SPAN |
			   (sizeof(struct coroprof_record_span) + user->nr * sizeof(uint64_t))
				   << 16;
	user->cycles = 0;
	user->denied = 0;
	user->entered = 0;
	coroprof_trap_catch();
	user->slot = coroprof_slots();
	user->slots = coroprof_process_slots();
	this_thread.user_mode = true;
	coroprof_user_go_on(false, 0);
}

/* Unless somebody whom a signal handler has interrupted is still at it. */
void coroprof_user_leave(void)
{
	this_thread.user_mode = false;
	this_thread.user = NULL;
	if (!this_thread.own || this_thread.interrupted)
		return;
	this_thread.reporting = false;
	unmap(this_thread.own);
}

/* By a thread that exits. */
void coroprof_user_free(void)
{
	struct user *own = this_thread.own;

	this_thread.user_mode = false;
	this_thread.user = NULL;
	this_thread.own = NULL;
	if (!own)
		return;
	unmap(own);
	if (!keep(own))
		munmap(own, sizeof(*own));
}

/* In a forked child the mappings are gone, and the memory is zero. */
void coroprof_user_child(void)
{
	this_thread.user_mode = false;
	this_thread.user = NULL;
	this_thread.reporting = false;
	this_thread.interrupted = false;
	coroprof_trap_child();
}
