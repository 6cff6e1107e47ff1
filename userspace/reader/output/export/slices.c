// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/export/slices.h"

static bool single(const struct model_slice *s)
{
	return !(s->flags & MODEL_SLICE_MERGED);
}

const char *slice_name(const struct model *m, const struct model_slice *s,
		       char room[SLICES_NAME])
{
	if (!s->nr_slices)
		return "(lost slices)";
	if (single(s))
		return s->label == MODEL_NONE ? "n/a" : m->labels[s->label].name;
	snprintf(room, SLICES_NAME, "(%" PRIu32 " slices)", s->nr_slices);
	return room;
}

const struct model_coroutine *slice_coroutine(const struct model *m,
					      const struct model_slice *s)
{
	return single(s) && s->coroutine != MODEL_NONE ? &m->coroutines[s->coroutine] : NULL;
}

static int by_time(const void *left, const void *right, void *context)
{
	const struct model_slice *timeline = context;
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	const struct model_slice *a = &timeline[x], *b = &timeline[y];

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return x < y ? -1 : 1;
}

uint32_t *slices_by_time(const struct model *m)
{
	uint32_t *rows = calloc((size_t)m->nr_timeline + 1, sizeof(*rows));

	for (uint32_t i = 0; rows && i < m->nr_timeline; i++)
		rows[i] = i;
	if (rows)
		qsort_r(rows, m->nr_timeline, sizeof(*rows), by_time, m->timeline);
	return rows;
}

bool slices_cut(const struct model *m, char said[SLICES_SAID])
{
	uint64_t there = 0, all = 0;

	for (uint32_t i = 0; i < m->nr_timeline; i++) {
		there += single(&m->timeline[i]) ? m->timeline[i].nr_slices : 0;
		all += m->timeline[i].nr_slices;
	}
	if (there == all)
		return false;
	snprintf(said, SLICES_SAID,
		 "%" PRIu64 " of %" PRIu64 " slices are there one by one; the others are short ones, of which several are drawn as one, named \"(N slices)\"; all are in a shorter recording: coroprof-read -d SECONDS",
		 there, all);
	return true;
}
