/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of spans, made of the call trees of labels. */
#ifndef COROPROF_PROFILE_SPAN_TABLES_H
#define COROPROF_PROFILE_SPAN_TABLES_H

struct build;

/* Fills model.spans, label_spans and span_nodes. */
void spans_finish(struct build *b);

#endif /* COROPROF_PROFILE_SPAN_TABLES_H */
