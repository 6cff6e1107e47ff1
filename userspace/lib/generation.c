// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A number of this process that a fork makes another: what was found under another number is to be
 * found again.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

uint32_t coroprof_generation;
uint32_t *coroprof_generation_ours = &coroprof_generation;

/* A page that a child finds zeroed, or NULL. */
static uint32_t *make_page(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (!madvise(page, size, MADV_WIPEONFORK))
		return page;
	munmap(page, size);
	return NULL;
}

void coroprof_generation_raise(void)
{
	uint32_t *page = coroprof_generation_ours == &coroprof_generation ?
				 make_page() :
				 coroprof_generation_ours;
	uint32_t next = coroprof_generation + 1;

	/* 0 is none; and what was seen under a number used before was not seen by this process. */
	if (!(uint16_t)next) {
		next++;
		coroprof_entries_unseen();
		coroprof_slots_unseen();
	}
	__atomic_store_n(&coroprof_generation, next, __ATOMIC_RELAXED);
	if (!page)
		return;
	__atomic_store_n(page, coroprof_generation, __ATOMIC_RELAXED);
	__atomic_store_n(&coroprof_generation_ours, page, __ATOMIC_RELEASE);
}
