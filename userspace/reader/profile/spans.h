/* SPDX-License-Identifier: GPL-2.0 */
/* Spans, and how they nest. */
#ifndef COROPROF_PROFILE_SPANS_H
#define COROPROF_PROFILE_SPANS_H

#include <stdbool.h>
#include <stdint.h>

struct build;
struct profile;
struct record;
struct rows;

/* A span has ended. */
void span_add(struct build *b, uint32_t channel, const struct record *s);
/* A slice of the coroutine has ended, with this label: its last one? */
void span_slice(struct build *b, uint32_t process, uint64_t id, uint32_t label,
		bool last);
/* Settles spans that cross the seam, and merges trees; sets rows.spans. */
void spans_merge(struct build *b, struct profile *from, struct rows *rows);
/* Nothing follows. */
void spans_end(struct build *b);

#endif /* COROPROF_PROFILE_SPANS_H */
