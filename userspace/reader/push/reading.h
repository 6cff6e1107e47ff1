/* SPDX-License-Identifier: GPL-2.0 */
/* What a window says of one label: each figure with its standing. */
#ifndef COROPROF_PUSH_READING_H
#define COROPROF_PUSH_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "push/book.h"

struct histogram;
struct model_label;
struct model_options;

/* Times, switches, losses, and counters. */
#define READING_POINTS	(BOOK_STATES + 2 + BOOK_COUNTERS)

/**
 * struct reading - of one label, or of what a process has beside labels
 * @process:  process_id, or BOOK_OTHER
 * @before:   row of what the book knows of it, of totals
 * @name:     of the label, as the model has it; NULL: of the process
 * @points:   those that are known
 * @standing: of a length, by enum book_kind
 * @lengths:  likewise: NULL: there are none
 */
struct reading {
	uint32_t process;
	uint32_t before;
	const char *name;
	struct book_point points[READING_POINTS];
	unsigned int nr;
	uint8_t standing[BOOK_KINDS];
	const struct histogram *lengths[BOOK_KINDS];
};

/* For models that are read: figures of labels need no rows of coroutines, which would be a million. */
extern const struct model_options reading_options;

/* @counters: where book.counters has those of the model; BOOK_COUNTERS: there is no room. */
void reading_label(struct reading *reading, const struct model *model,
		   const struct model_label *label, const unsigned int *counters, bool cut);

/* Slices of the process that were lost. */
void reading_process(struct reading *reading, const struct model *model, uint32_t process);

/* Running time, by which labels are ordered. */
uint64_t reading_running(const struct reading *reading);
/* It has anything that is not 0. */
bool reading_has_any(const struct reading *reading);

#endif /* COROPROF_PUSH_READING_H */
