// SPDX-License-Identifier: GPL-2.0
/*
 * One counter from user mode, as the mapped page of a perf event says; the
 * protocol is in <linux/perf_event.h>.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counters.h"
#include "event.h"
#include "meter.h"

#define CONFIG1_USER_ACCESS 2u	/* armv8_pmuv3: format/rdpmc */
#define CYCLE_COUNTER 31u

static const volatile struct perf_event_mmap_page *page;
static uint64_t last;

#ifdef __aarch64__
static inline uint64_t read_pmu(uint32_t counter)
{
	uint64_t value;

	if (counter == CYCLE_COUNTER) {
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
	} else {
		__asm__ volatile("msr pmselr_el0, %1\n\tisb\n\tmrs %0, pmxevcntr_el0"
				 : "=r"(value) : "r"((uint64_t)counter));
	}
	return value;
}
#else
#error "the counter's registers of this architecture are not known here"
#endif

static void read_page(uint32_t turn)
{
	uint32_t lock, index;
	uint64_t count, value;
	unsigned int unused;

	(void)turn;
	do {
		lock = page->lock;
		__asm__ volatile("" : : : "memory");
		index = page->index;
		count = page->offset;
		if (index) {
			unused = 64 - page->pmc_width;
			value = read_pmu(index - 1);
			count += (uint64_t)((int64_t)(value << unused) >> unused);
		}
		__asm__ volatile("" : : : "memory");
	} while (page->lock != lock);
	last = count;
}

static int open_page(int *fd)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_HW_INSTRUCTIONS);
	void *at;

	attr.config1 = CONFIG1_USER_ACCESS;
	*fd = event_open(&attr, -1);
	if (*fd < 0)
		return *fd;
	at = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, *fd, 0);
	page = at;
	return at == MAP_FAILED ? -errno : 0;
}

/* What user mode read lies between what the kernel reads before and after. */
static int plausible(int fd)
{
	uint64_t before, after;

	if (read(fd, &before, sizeof(before)) != sizeof(before))
		return 0;
	read_page(0);
	if (read(fd, &after, sizeof(after)) != sizeof(after))
		return 0;
	return before < last && last < after;
}

void measure_mmap_read(int variant, struct result *result)
{
	double least;
	int fd;

	(void)variant;
	if (result_failed(result, open_page(&fd), "perf_event_open or mmap with user access"))
		return;
	if (!page->cap_user_rdpmc || !page->index)
		result_none(result, "the kernel allows no reads from user mode (kernel.perf_user_access)");
	else if (!plausible(fd))
		result_none(result, "the counter reads differently from user mode and by read()");
	else if (!result_failed(result, meter_least(read_page, &least), "read of the meter"))
		result_set(result, least);
}
