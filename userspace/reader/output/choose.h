/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the threads and labels that --thread, --process and --label name, by a first reading. */
#ifndef COROPROF_CHOOSE_H
#define COROPROF_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/chosen.h"

struct error;
struct file;
struct model_options;

/**
 * struct choose - what of a recording is asked for
 * @tid:   of a thread; 0: any
 * @pid:   of a process; 0: any
 * @label: as tables have it; NULL: any
 */
struct choose {
	int32_t tid;
	int32_t pid;
	const char *label;
};

static inline bool choose_asks(const struct choose *c)
{
	return c->tid || c->pid || c->label;
}

/**
 * struct choose_rows - what that is in one recording
 * @chosen:   for model_options, with what follows
 * @text:     of it
 * @channels: rows
 * @labels:   likewise
 */
struct choose_rows {
	struct model_chosen chosen;
	char *text;
	uint32_t *channels;
	struct model_chosen_label *labels;
};

/* Fails if the recording has none. On failure nothing is to be freed. */
int choose_find(struct choose_rows *rows, const struct choose *choose, struct file *file,
		const struct model_options *options, struct error *err);
void choose_free(struct choose_rows *rows);

#endif /* COROPROF_CHOOSE_H */
