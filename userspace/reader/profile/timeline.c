// SPDX-License-Identifier: GPL-2.0
/*
 * The timeline is exact until it holds twice as many slices as it may. Then a
 * resolution is chosen, and neighbours that are together no longer than it
 * become one; it doubles until few enough are left. From then on slices are
 * merged as they come.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"

#define FIRST_RESOLUTION_NS	64

static uint64_t end_of(const struct model_slice *s)
{
	return s->begin_ns + s->duration_ns;
}

static bool mergeable(const struct model_slice *a, const struct model_slice *b,
		      uint64_t resolution)
{
	return b->begin_ns >= end_of(a) &&
	       end_of(b) - a->begin_ns <= resolution;
}

static void merge(struct model_slice *a, const struct model_slice *b)
{
	/* What ran for longest gives the name; lost slices have none. */
	if (a->label == MODEL_NONE ||
	    (b->label != MODEL_NONE && b->longest_ns > a->longest_ns)) {
		a->coroutine = b->coroutine;
		a->label = b->label;
		a->longest_ns = b->longest_ns;
	}
	a->duration_ns = end_of(b) - a->begin_ns;
	a->preempted_ns += b->preempted_ns;
	a->blocked_ns += b->blocked_ns;
	a->nr_slices += b->nr_slices;
	a->flags |= b->flags | MODEL_SLICE_MERGED;
	a->valid &= b->valid;
	for (unsigned int i = 0; i < MODEL_SLICE_COLUMNS; i++)
		a->count[i] += b->count[i];
}

static void coarsen_channel(struct build *b, struct build_channel *bc)
{
	uint64_t resolution = b->model->timeline_resolution_ns;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < bc->nr_slices; i++) {
		if (kept && mergeable(&bc->slices[kept - 1], &bc->slices[i],
				      resolution))
			merge(&bc->slices[kept - 1], &bc->slices[i]);
		else if (kept++ < i)
			bc->slices[kept - 1] = bc->slices[i];
	}
	b->nr_slices -= bc->nr_slices - kept;
	bc->nr_slices = kept;
}

/*
 * Where to begin: not so fine that many rounds are wasted, and well below what
 * is needed where slices are of very different lengths.
 */
static uint64_t least_resolution(const struct build *b)
{
	uint64_t sum = 0, resolution = FIRST_RESOLUTION_NS;

	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		const struct build_channel *bc = &b->channels[i];

		if (bc->nr_slices)
			sum += (end_of(&bc->slices[bc->nr_slices - 1]) -
				bc->slices[0].begin_ns) /
			       b->options.timeline_slices;
	}
	while (resolution < sum / 8)
		resolution *= 2;
	return resolution;
}

static void coarsen(struct build *b)
{
	struct model *m = b->model;
	uint64_t *resolution = &m->timeline_resolution_ns;

	while (b->nr_slices > b->options.timeline_slices &&
	       *resolution < UINT64_MAX / 2) {
		*resolution = *resolution ? 2 * *resolution :
					    least_resolution(b);
		for (uint32_t i = 0; i < m->nr_channels; i++)
			coarsen_channel(b, &b->channels[i]);
	}
}

/* A damaged ring may go back in time: its channel's line does not. */
static void clip(struct model_slice *slice, uint64_t from)
{
	uint64_t end = end_of(slice);

	if (slice->begin_ns >= from)
		return;
	slice->begin_ns = from;
	slice->duration_ns = end > from ? end - from : 0;
}

static void add(struct build *b, uint32_t channel, struct model_slice *slice)
{
	struct build_channel *bc = &b->channels[channel];
	struct model_slice *last = bc->nr_slices ?
				   &bc->slices[bc->nr_slices - 1] : NULL;
	uint64_t resolution = b->model->timeline_resolution_ns;

	if (last)
		clip(slice, end_of(last));
	if (resolution && last && mergeable(last, slice, resolution)) {
		merge(last, slice);
		return;
	}
	if (!build_grow(b, &bc->slices, bc->nr_slices, sizeof(*bc->slices)))
		return;
	bc->slices[bc->nr_slices++] = *slice;
	b->nr_slices++;
	if (b->nr_slices / 2 >= b->options.timeline_slices)
		coarsen(b);
}

static void set_counts(const struct build *b, struct model_slice *to,
		       const struct record *s)
{
	const struct model_channel *c = &b->model->channels[to->channel];

	for (uint32_t i = 0; i < c->nr_columns; i++) {
		uint8_t column = c->columns[i];

		if (column >= MODEL_SLICE_COLUMNS)
			continue;
		to->count[column] = s->count[i];
		if (COROPROF_STANDING(s->standing, i) ==
		    COROPROF_STANDING_COUNTED)
			to->valid |= 1u << column;
	}
}

void timeline_add(struct build *b, uint32_t channel, uint32_t coroutine,
		  uint32_t label, const struct record *s)
{
	struct model_slice slice = {
		.begin_ns = s->time - s->duration,
		.duration_ns = s->duration,
		.longest_ns = s->running_ns,
		.channel = channel,
		.coroutine = coroutine,
		.label = label,
		.nr_slices = 1,
		.flags = s->flags & 0xff,
	};

	if (s->flags & COROPROF_SLICE_OFFCPU) {
		slice.preempted_ns = s->offcpu.preempted_ns;
		slice.blocked_ns = s->offcpu.blocked_ns;
	}
	set_counts(b, &slice, s);
	add(b, channel, &slice);
}

void timeline_lost(struct build *b, uint32_t channel, uint64_t begin,
		   uint64_t end)
{
	struct model_slice slice = {
		.begin_ns = begin,
		.duration_ns = end - begin,
		.channel = channel,
		.coroutine = MODEL_NONE,
		.label = MODEL_NONE,
		.flags = MODEL_SLICE_LOST,
	};

	if (begin < end && !b->options.no_timeline)
		add(b, channel, &slice);
}

void timeline_finish(struct build *b)
{
	struct model *m = b->model;
	uint32_t at = 0;

	coarsen(b);
	m->timeline = calloc(b->nr_slices + 1, sizeof(*m->timeline));
	m->timeline_first = calloc((size_t)m->nr_channels + 1,
				   sizeof(*m->timeline_first));
	if (!m->timeline || !m->timeline_first) {
		b->out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct build_channel *bc = &b->channels[i];

		m->timeline_first[i] = at;
		if (bc->nr_slices)
			memcpy(&m->timeline[at], bc->slices,
			       bc->nr_slices * sizeof(*m->timeline));
		at += bc->nr_slices;
	}
	m->timeline_first[m->nr_channels] = at;
	m->nr_timeline = at;
}
