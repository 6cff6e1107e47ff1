// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The page by which a thread knows whether anybody records: the kernel's, or one that hides it. Its
 * address never changes, as threads read it without a lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

union page_area coroprof_page_area;
const struct coroprof_process_page *coroprof_page_kernel = &coroprof_page_area.page;

/* Threads that count by themselves. */
static unsigned int forcing;

static void *map_kernel(void *where, int process)
{
	return mmap(where, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED | (where ? MAP_FIXED : 0),
		    process, COROPROF_MMAP_PROCESS_PAGE);
}

static void *map_private(void *where)
{
	return mmap(where, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/*
 * The kernel's page comes twice: over the area, where it may be hidden, and
 * somewhere else, where it stays.
 */
int coroprof_page_map(int process)
{
	bool first = coroprof_page_kernel == &coroprof_page_area.page;
	void *second;

	second = map_kernel(first ? NULL : (void *)coroprof_page_kernel, process);
	if (second == MAP_FAILED)
		return -errno;
	__atomic_store_n(&coroprof_page_kernel, second, __ATOMIC_RELEASE);
	if (map_kernel(&coroprof_page_area, process) == MAP_FAILED)
		return -errno;
	return 0;
}

/* Nothing is active any more, whatever the kernel's page says. A filter stays, in a child too. */
void coroprof_page_hide(void)
{
	uint32_t flags = coroprof_page_kernel->flags;
	struct coroprof_process_page *page;

	if (coroprof_page_kernel == &coroprof_page_area.page)
		return;
	page = map_private((void *)coroprof_page_kernel);
	if (page != MAP_FAILED)
		page->flags = flags;
	if (page == MAP_FAILED || map_private(&coroprof_page_area) == MAP_FAILED)
		coroprof_debug("can't let go of the process page: errno %d", errno);
}

/*
 * A thread wants to report all its switches, recorded or not: so the area shows
 * a page that says "active" at all times.
 */
int coroprof_page_force(void)
{
	struct coroprof_process_page *page;
	int ret = 0;

	coroprof_lock();
	if (!forcing) {
		page = map_private(&coroprof_page_area);
		if (page == MAP_FAILED)
			ret = -errno;
		else
			__atomic_store_n(&page->active, 1, __ATOMIC_RELEASE);
	}
	if (!ret)
		forcing++;
	coroprof_unlock();
	return ret;
}

void coroprof_page_release(int process)
{
	coroprof_lock();
	if (forcing && !--forcing && map_kernel(&coroprof_page_area, process) == MAP_FAILED)
		coroprof_debug("can't map the process page again: errno %d", errno);
	coroprof_unlock();
}

/* After a fork(): those threads are the parent's. */
void coroprof_page_child(void)
{
	forcing = 0;
}
