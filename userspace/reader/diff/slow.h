/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --slow: the slices, or the lives, of a label that have more of something than the
 * others, against these: what else of them differs. The recording is read again, with
 * the label made two (profile/split.h), and both are compared as those of two
 * recordings are (diff/diff.h): the rest as the old one, the slow ones as the new.
 *
 * The threshold is a quantile, or a figure. What has more is slow; what has as much is
 * not, nor what is not distinguished from it (profile/histogram.h): above p95 there are 5 %
 * at most. How many they are is counted.
 */
#ifndef COROPROF_SLOW_H
#define COROPROF_SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/model.h"

/**
 * struct slow - "render:by=ready,above=p99"
 * @text:  what it was given as; NULL: nothing is asked for
 * @label: so many bytes of @text
 * @lives: coroutines, not slices
 * @by:    in @text, such as "running"; NULL: from begin to end
 * @by_length: bytes of it
 * @above: likewise, such as "p95" or "2ms"; NULL: p95
 * @above_length: bytes of it
 */
struct slow {
	const char *text;
	size_t label;
	bool lives;
	const char *by;
	size_t by_length;
	const char *above;
	size_t above_length;
};

/* Fails with what it looks like. */
int slow_parse(struct slow *slow, const char *text, struct error *err);

/*
 * Fills in what @model, of the recording at @path, says of slow ones. @options are
 * those it was read with. Fails where there is no such label, counter or threshold, or
 * where all are on one side.
 */
int slow_find(struct model *model, const char *path, const struct slow *slow,
	      const struct model_options *options, struct error *err);

#endif /* COROPROF_SLOW_H */
