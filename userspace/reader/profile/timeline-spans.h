/* SPDX-License-Identifier: GPL-2.0 */
/* Spans one by one, for the timeline. */
#ifndef COROPROF_PROFILE_TIMELINE_SPANS_H
#define COROPROF_PROFILE_TIMELINE_SPANS_H

struct build;
struct model_timeline_span;
struct profile;
struct rows;

/*
 * Keeps a span, if it is long enough. Its coroutine is known by id only, until
 * timeline_spans_finish().
 */
void timeline_spans_add(struct build *b, const struct model_timeline_span *span);
/* Keeps the longest spans of both shards, if not all fit. */
void timeline_spans_merge(struct build *b, const struct profile *from,
			  const struct rows *rows);
/* Moves as many of the longest spans as fit to the model, sorted by coroutine. */
void timeline_spans_finish(struct build *b);

#endif /* COROPROF_PROFILE_TIMELINE_SPANS_H */
