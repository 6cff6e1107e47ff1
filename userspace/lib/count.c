// SPDX-License-Identifier: LGPL-2.1-or-later
/* The program's own counter: a word in the slot that stands for the thread. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "arch.h"
#include "internal.h"

/*
 * coroprof_generation; but 0, which none is, in a child that was made behind the library's
 * back: until it finds out, the word is the parent's.
 */
static uint16_t *ours = &coroprof_generation;

/* A page that such a child finds zeroed, or NULL. */
static uint16_t *make_page(void)
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

/* There is another generation. The lock is held. */
void coroprof_count_renew(void)
{
	uint16_t *page = ours == &coroprof_generation ? make_page() : ours;

	if (!page)
		return;
	__atomic_store_n(page, coroprof_generation, __ATOMIC_RELAXED);
	__atomic_store_n(&ours, page, __ATOMIC_RELEASE);
}

/*
 * The word may be another process object's by now, with no memory behind it, if the program
 * has closed the library's descriptors.
 */
EXPORT void coroprof_count(uint64_t value)
{
	const struct thread *self = &here;
	uint64_t *word = self->word;

	if (word && self->group == __atomic_load_n(__atomic_load_n(&ours, __ATOMIC_RELAXED),
						   __ATOMIC_RELAXED))
		arch_add(word, value);
}
