/* SPDX-License-Identifier: GPL-2.0 */
/* A part of a recording: what was in a window of its time, or of what is chosen. */
#ifndef COROPROF_PROFILE_PART_H
#define COROPROF_PROFILE_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/build.h"

struct error;

/* It is not all of the recording that is added up. */
static inline bool is_part(const struct build *b)
{
	return b->from || b->to != UINT64_MAX || b->chosen;
}

/*
 * Of a slice, in record.flags, where part_clip() was: a part of it was taken away; all of it
 * was; it is not of what is chosen. Elsewhere a file may have these bits without a meaning.
 */
#define RECORD_CUT	(1u << 15)
#define RECORD_OUTSIDE	(1u << 14)
#define RECORD_PASSED	(1u << 13)

static inline bool is_cut(const struct build *b, const struct record *s)
{
	return s->flags & RECORD_CUT && is_part(b);
}

static inline bool is_outside(const struct build *b, const struct record *s)
{
	return s->flags & RECORD_OUTSIDE && is_part(b);
}

static inline bool is_passed(const struct build *b, const struct record *s)
{
	return s->flags & RECORD_PASSED && b->chosen;
}

/*
 * Takes away what of the slices from @s up to @end, of a channel with so many counters, is not
 * between build.from and build.to, and marks those that are not chosen. Of a part only.
 */
void part_clip(const struct build *b, uint32_t channel, struct record *s,
	       const struct record *end, uint32_t nr_counters);
/* Sets build.from and build.to as the options ask for. */
int part_begin(struct build *b, struct error *err);
/* Once the model is made. */
void part_finish(struct build *b);

#endif /* COROPROF_PROFILE_PART_H */
