// SPDX-License-Identifier: GPL-2.0
/* The rows of spans by process and name, and their names and histograms when all is added up. */
#include <inttypes.h>
#include <stdlib.h>

#include "profile/build.h"
#include "profile/histogram.h"
#include "profile/names.h"
#include "profile/span-names.h"

uint32_t span_row(struct build *b, const struct profile_key *key)
{
	struct profile *p = b->profile;
	struct histogram *histogram;
	uint32_t row = index_get(&p->span_index, key->key, key->process);

	if (row != INDEX_NONE)
		return row;
	row = p->nr_spans;
	if (row == BUILD_SPANS_MAX ||
	    !build_grow(b, &p->spans, row, sizeof(*p->spans)) ||
	    !build_grow(b, &p->span_histograms, row, sizeof(*p->span_histograms)))
		return MODEL_NONE;
	histogram = histogram_new();
	if (!histogram || !index_put(&p->span_index, key->key, key->process, row)) {
		b->out_of_memory = true;
		histogram_free(histogram);
		return MODEL_NONE;
	}
	p->spans[row] = *key;
	p->span_histograms[row] = histogram;
	p->nr_spans++;
	return row;
}

uint32_t span_of(struct build *b, uint32_t process, uint32_t number)
{
	const struct profile_key key = {
		process, name_key(b, process, number),
	};

	return span_row(b, &key);
}

static void name_span(struct build *b, struct model_span *s, uint64_t key)
{
	const struct build_name *name = name_of_key(b, key);

	if (!key)
		s->name = build_format(b, "(no name)");
	else if (!name)
		s->name = build_format(b, "(label %" PRIu64 ", its name is not in the file)",
				       key);
	else
		name_fill(b, name, &s->name, &s->object, &s->address,
			  &s->unresolved);
}

void span_names_finish(struct build *b)
{
	struct profile *p = b->profile;
	struct model *m = b->model;

	m->spans = calloc((size_t)p->nr_spans + 1, sizeof(*m->spans));
	if (!m->spans) {
		b->out_of_memory = true;
		return;
	}
	m->nr_spans = p->nr_spans;
	for (uint32_t i = 0; i < p->nr_spans; i++) {
		m->spans[i].process = p->spans[i].process;
		m->spans[i].histogram = p->span_histograms[i];
		p->span_histograms[i] = NULL;
		histogram_finish(m->spans[i].histogram);
		name_span(b, &m->spans[i], p->spans[i].key);
	}
}
