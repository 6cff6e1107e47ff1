/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page of a window, as 'coroprof report -o page.html' would write it. Several requests may have
 * the same bytes.
 */
#ifndef COROPROF_PAGES_H
#define COROPROF_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


struct model;

/**
 * struct pages_key - which window is wanted
 * @ns:      so long, or CHOICES_ALL
 * @end:     the tick behind it
 * @against: the tick behind another one, as long, whose changes to this one are wanted; 0: none
 */
struct pages_key {
	uint64_t ns;
	uint64_t end;
	uint64_t against;
};

/* True if both keys stand for the same page. */
static inline bool pages_same(const struct pages_key *a, const struct pages_key *b)
{
	return a->ns == b->ns && a->end == b->end && a->against == b->against;
}

/**
 * struct page_bytes - an answer
 * @users: who have it; it goes with the last
 * @key:   what it answers
 * @data:  gzip
 * @size:  of that
 */
struct page_bytes {
	atomic_uint users;
	struct pages_key key;
	char *data;
	size_t size;
};

/* Makes the page of a window; NULL without memory. */
struct page_bytes *pages_make(const struct pages_key *key, const struct model *model);
/* Makes a page with the reason why there is none. */
struct page_bytes *pages_refuse(const struct pages_key *key, const char *why);
struct page_bytes *pages_use(struct page_bytes *bytes);
void pages_leave(struct page_bytes *bytes);

#endif /* COROPROF_PAGES_H */
