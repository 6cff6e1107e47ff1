/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of functions from a list: what a source of names (symbols.h) has answered, kept, to be
 * answered again where the object files are not: on another machine, in a page, in a test.
 */
#ifndef COROPROF_GIVEN_H
#define COROPROF_GIVEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/index.h"
#include "base/util.h"
#include "symbols/symbols.h"

/* Why there is no name of what the list does not have. */
#define GIVEN_LACKS	"the list of names that was made with the recording does not have it"

/**
 * struct symbols_given - answers; all zero is an empty list
 * @bytes: of one behind the other: a question, and what was answered
 * @index: (hash of a question, how many before have the same) to its place
 * @fault: why lines are missing, if they are
 */
struct symbols_given {
	struct buffer bytes;
	struct index index;
	const char *fault;
};

/* Takes a list that given_write() wrote: false if it makes no sense, or when out of memory. */
bool given_read(struct symbols_given *list, const void *bytes, size_t size);
/* Appends it to @to; false when out of memory. */
bool given_write(const struct symbols_given *list, struct buffer *to);
void given_free(struct symbols_given *list);

/* What it has, and nothing else; NULL when out of memory. Reasons stay as long as the list. */
struct symbols *given_names(const struct symbols_given *list);

/*
 * What @names has, which it takes, and frees also when it fails: each answer is added to @list.
 * NULL when out of memory, or without @names.
 */
struct symbols *given_noting(struct symbols_given *list, struct symbols *names);

#endif /* COROPROF_GIVEN_H */
