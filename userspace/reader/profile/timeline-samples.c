// SPDX-License-Identifier: GPL-2.0
/*
 * Samples one by one, for the timeline: all of them, or none if they are too many. A selection
 * would show another distribution of samples than they have.
 */
#include <stdlib.h>

#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/timeline-samples.h"

void timeline_samples_add(struct build *b, const struct model_timeline_sample *sample)
{
	struct model *m = b->model;

	/* One more than fit, so that it is known that there are. */
	if (b->options.no_timeline || m->nr_timeline_samples > b->options.timeline_samples ||
	    !build_grow(b, &m->timeline_samples, m->nr_timeline_samples,
			sizeof(*m->timeline_samples)))
		return;
	m->timeline_samples[m->nr_timeline_samples++] = *sample;
}

static int compare_samples(const void *a, const void *b)
{
	const struct model_timeline_sample *x = a, *y = b;

	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

void timeline_samples_finish(struct build *b, const uint32_t *moved_to)
{
	struct model *m = b->model;

	if (m->nr_timeline_samples > b->options.timeline_samples)
		m->nr_timeline_samples = 0;
	for (uint32_t i = 0; i < m->nr_timeline_samples; i++) {
		struct model_timeline_sample *s = &m->timeline_samples[i];

		s->node = moved_to[s->node];
		s->coroutine = coroutine_in_table(b, s->coroutine);
	}
	if (m->nr_timeline_samples)
		qsort(m->timeline_samples, m->nr_timeline_samples, sizeof(*m->timeline_samples),
		      compare_samples);
}
