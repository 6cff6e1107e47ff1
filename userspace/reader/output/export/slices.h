/* SPDX-License-Identifier: GPL-2.0 */
/* Slices one by one, for exports that draw them. */
#ifndef COROPROF_SLICES_H
#define COROPROF_SLICES_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/model.h"

/* What stands at the begin of the recording where only a part of it is shown. */
#define SLICES_BEGIN	"begin of the recording"

/* So many of them are had one by one: some 400 MB of memory. */
#define SLICES_MAX	2000000

/* No pid and no tid is as large, in any Linux. */
#define SLICES_PIDS	(1u << 22)

#define SLICES_LABEL	255
#define SLICES_NAME	(SLICES_LABEL + 32)
#define SLICES_SAID	512

/*
 * The name of a row of the timeline: its label; if several slices had to become one row, the label,
 * of at most SLICES_LABEL bytes, and their number, in @text.
 */
const char *slice_name(const struct model *model, const struct model_slice *slice,
		       char text[SLICES_NAME]);

/*
 * The coroutine of a row; NULL if it has none, it was not kept, or slices of several are in the
 * row.
 */
const struct model_coroutine *slice_coroutine(const struct model *model,
					      const struct model_slice *slice);

/* What is known of a row of the timeline. */
enum slice_arg_of {
	ARG_NONE,
	ARG_COROUTINE,
	ARG_TAG,
	ARG_RUNNING,
	ARG_PREEMPTED,
	ARG_BLOCKED,
	ARG_IDLE,
	ARG_LEFT,
	ARG_UNREPORTED,
	ARG_SLICES,
	ARG_THREAD,
	ARG_CUT,
	ARG_GOES_ON,
	ARG_COUNTERS,	/* and those of the other counters of slices */
};

#define ARGS_MAX	(ARG_COUNTERS + MODEL_SLICE_COUNTERS)

/**
 * struct arg - one of it
 * @of:     enum slice_arg_of
 * @text:   it; NULL: @number is. What has no number has words.
 * @number: it
 */
struct arg {
	unsigned int of;
	const char *text;
	uint64_t number;
};

/* Lists the arguments of a row, except ARG_THREAD, which is for tracks. Returns their number. */
unsigned int slice_args(const struct model *model, const struct model_slice *slice,
			struct arg args[ARGS_MAX]);
const char *slice_arg_name(const struct model *model, unsigned int of);

/*
 * Numbers to add to the pid of each process, and to the tids of its threads, so that no two
 * recordings have one in common, by which viewers distinguish them. They are 0 wherever there is
 * none in common. The caller frees them; NULL with errno.
 */
uint32_t *slices_apart(const struct model *model);

/* True if slices of a channel may have counts of this counter. */
bool slices_count(const struct model *model, uint32_t channel, uint32_t counter);

/* Rows of the timeline in order of their begin, which the caller frees. NULL with errno. */
uint32_t *slices_by_time(const struct model *model);

/* True if some slices are not in rows of their own; writes a sentence of how many. */
bool slices_cut(const struct model *model, char said[SLICES_SAID]);

#endif /* COROPROF_SLICES_H */
