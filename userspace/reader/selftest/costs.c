// SPDX-License-Identifier: GPL-2.0
/*
 * Times other ways to read two counters on this machine, for comparison: ioctl(), read() of a
 * group, the mapped page.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../lib/arch.h"
#include "base/util.h"
#include "selftest/costs.h"

/* The cheapest batch is the one that nothing else got into. */
#define BATCHES	16
#define BATCH	1000
#define EVENTS	2

/**
 * struct event_group - two events that are read together
 * @fd:   of each, the first one leads
 * @page: of each, to be read in user mode, or NULL
 */
struct event_group {
	int fd[EVENTS];
	const volatile struct perf_event_mmap_page *page[EVENTS];
};

static int open_event(uint64_t config, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = config,
		.config1 = ARCH_CONFIG1_USER, .exclude_kernel = 1, .exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static bool group_open(struct event_group *g)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	*g = (struct event_group){ .fd = { -1, -1 } };
	g->fd[0] = open_event(PERF_COUNT_HW_CPU_CYCLES, -1);
	if (g->fd[0] < 0)
		return false;
	g->fd[1] = open_event(PERF_COUNT_HW_INSTRUCTIONS, g->fd[0]);
	if (g->fd[1] < 0)
		return false;
	for (unsigned int i = 0; i < EVENTS; i++) {
		void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, g->fd[i], 0);

		g->page[i] = page == MAP_FAILED ? NULL : page;
	}
	return true;
}

static void group_close(const struct event_group *g)
{
	for (unsigned int i = 0; i < EVENTS; i++) {
		if (g->page[i])
			munmap((void *)g->page[i], (size_t)sysconf(_SC_PAGESIZE));
		if (g->fd[i] >= 0)
			close(g->fd[i]);
	}
}

static void do_nothing(const struct event_group *g)
{
	(void)g;
	syscall(SYS_getppid);
}

static void read_group(const struct event_group *g)
{
	uint64_t values[3 + EVENTS];

	if (read(g->fd[0], values, sizeof(values)) < 0)
		errno = 0;
}

static uint64_t sink;

/*
 * Reads as PAPI_read() does where it may: by the protocol of the page, one event after the other.
 */
static void read_page(const volatile struct perf_event_mmap_page *page, bool first)
{
	uint64_t count, enabled, running;
	uint32_t sequence, index;

	do {
		sequence = page->lock;
		__asm__ volatile("" : : : "memory");
		enabled = page->time_enabled;
		running = page->time_running;
		index = page->index;
		count = (uint64_t)page->offset;
		if (index)
			count += arch_counter(index - 1, first);
		__asm__ volatile("" : : : "memory");
	} while (page->lock != sequence);
	sink += count + (enabled != running);
}

static void read_pages(const struct event_group *g)
{
	for (unsigned int i = 0; i < EVENTS; i++)
		read_page(g->page[i], !i);
}

static bool is_readable(const struct event_group *g)
{
	for (unsigned int i = 0; i < EVENTS; i++) {
		if (!g->page[i] || !g->page[i]->cap_user_rdpmc || !g->page[i]->index)
			return false;
	}
	return true;
}

static double best_time_ns(void (*operation)(const struct event_group *g),
			   const struct event_group *g)
{
	double best = -1;

	for (unsigned int i = 0; i < BATCHES; i++) {
		uint64_t begin = monotonic_ns();
		double each;

		for (unsigned int j = 0; j < BATCH; j++)
			operation(g);
		each = (double)(monotonic_ns() - begin) / BATCH;
		if (best < 0 || each < best)
			best = each;
	}
	return best;
}

static void report_time(struct results *results, const char *what, double ns)
{
	result_add(results, "beside", what, VERDICT_FIGURE, "%.0f ns", ns);
}

void costs_measure(struct results *results)
{
	struct event_group g;
	bool there = group_open(&g);
	int why = errno;

	report_time(results, "cost of getppid()", best_time_ns(do_nothing, &g));
	if (there)
		report_time(results, "cost of read(), two counters", best_time_ns(read_group, &g));
	else
		result_add(results, "beside", "cost of read(), two counters", VERDICT_FIGURE,
			   "n/a: perf_event_open(): %s", strerror(why));
	if (there && is_readable(&g))
		report_time(results, "cost of reads as of PAPI, two", best_time_ns(read_pages, &g));
	else
		result_add(results, "beside", "cost of reads as of PAPI, two", VERDICT_FIGURE,
			   "n/a: user mode can't read counters that it opened");
	group_close(&g);
}
