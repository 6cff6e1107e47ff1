/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spans and samples by the tags of coroutines. No row of theirs has a tag: they are added up
 * anew, of the coroutines alone that fit. Which these are, the recording is read for first: then
 * a shard of it needs to know nothing of what came before to leave out what is not wanted.
 */
#ifndef COROPROF_OUTPUT_TAGGED_H
#define COROPROF_OUTPUT_TAGGED_H

#include <stdbool.h>

#include "base/error.h"
#include "base/index.h"
#include "cprof/file.h"
#include "output/view-options.h"
#include "profile/model.h"

/* True if a condition is about tags. */
bool tagged_asked(const struct view_options *view);

/* The coroutines that fit those conditions, for model_options.only. Frees nothing in @ids. */
int tagged_find(struct index *ids, struct file *file, const struct model_options *options,
		const struct view_options *view, struct error *err);

/* Warns of those of which @model, a part of the recording, does not know that they fit. */
void tagged_report_unknown(const struct index *ids, const struct model *model,
			   const struct view_options *view);

#endif /* COROPROF_OUTPUT_TAGGED_H */
