// SPDX-License-Identifier: GPL-2.0
/*
 * A part of a recording: the slices that ended in a window of its time. What is
 * not in it is as if it had not been recorded; sums can't be compared with the
 * totals of threads then, and each output says that it is a part, as a note.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "profile/build.h"

static void note_time(uint64_t *begin, uint64_t *end, uint64_t first, uint64_t last)
{
	if (first && (!*begin || first < *begin))
		*begin = first;
	if (last > *end)
		*end = last;
}

static void whole(const struct build *b, uint64_t *begin, uint64_t *end)
{
	*begin = *end = 0;
	for (uint32_t i = 0; i < b->model->nr_channels; i++)
		note_time(begin, end, b->model->channels[i].begin_ns,
			  b->model->channels[i].end_ns);
	for (size_t i = 0; i < b->file->nr_segments; i++)
		if (b->file->segments[i].type == CPROF_SEGMENT_RING)
			note_time(begin, end, b->file->segments[i].first_time,
				  b->file->segments[i].last_time);
}

static bool tells_times(const struct build *b)
{
	for (size_t i = 0; i < b->file->nr_segments; i++)
		if (b->file->segments[i].type == CPROF_SEGMENT_RING &&
		    !b->file->segments[i].last_time)
			return false;
	return true;
}

int part_begin(struct build *b, struct error *err)
{
	const struct model_options *o = &b->options;
	const char *name = b->file->input.name;
	uint64_t begin, end;

	if (!o->from_ns && !o->to_ns)
		return 0;
	if (!tells_times(b))
		return error_set(err, ENOTSUP, "%s can't be read in part: it is of version %" PRIu32 ", whose segments do not tell their times; read all of it, without --from and --to",
				 name, b->file->version);
	whole(b, &begin, &end);
	if (o->from_ns >= end - begin)
		return error_set(err, ERANGE, "%s has nothing from %.9g s on: it is %.9g s long",
				 name, (double)o->from_ns / 1e9,
				 (double)(end - begin) / 1e9);
	b->from = o->from_ns ? begin + o->from_ns : 0;
	b->to = o->to_ns && o->to_ns < end - begin ? begin + o->to_ns : UINT64_MAX;
	return 0;
}

/* The first thing that is shown: slices end in the part, but may begin before. */
static uint64_t first_time(const struct model *m, uint64_t from)
{
	uint64_t first = from;

	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];

		if (c->first_ns < first)
			first = c->first_ns;
		if (c->born_ns && c->born_ns < first)
			first = c->born_ns;
	}
	for (uint32_t i = 0; i < m->nr_timeline; i++)
		if (m->timeline[i].begin_ns < first)
			first = m->timeline[i].begin_ns;
	return first;
}

static void clip(uint64_t *begin, uint64_t *end, const struct model *m)
{
	if (*begin && *begin < m->begin_ns)
		*begin = m->begin_ns;
	if (*end > m->end_ns)
		*end = m->end_ns;
	if (*end && *end < *begin)
		*end = *begin;
}

static void clip_all(struct build *b)
{
	struct model *m = b->model;

	if (b->from)
		m->begin_ns = first_time(m, b->from);
	if (b->to < m->end_ns)
		m->end_ns = b->to;
	for (uint32_t i = 0; i < m->nr_channels; i++)
		clip(&m->channels[i].begin_ns, &m->channels[i].end_ns, m);
	for (uint32_t i = 0; i < m->nr_processes; i++)
		clip(&m->processes[i].begin_ns, &m->processes[i].end_ns, m);
}

void part_finish(struct build *b)
{
	struct model *m = b->model;
	uint64_t begin, end;
	char to[64] = "its end";

	if (!is_part(b))
		return;
	m->part = true;
	whole(b, &begin, &end);
	if (b->to != UINT64_MAX)
		snprintf(to, sizeof(to), "%.9g s", (double)(b->to - begin) / 1e9);
	m->own_note = build_format(b, "Only a part of the recording is shown: from %.9g s to %s, of %.9g s.%s%s",
				   b->from ? (double)(b->from - begin) / 1e9 : 0.0,
				   to, (double)(end - begin) / 1e9,
				   m->note ? " " : "", m->note ? m->note : "");
	m->note = m->own_note;
	clip_all(b);
	m->part_ns = m->begin_ns > begin ? m->begin_ns - begin : 0;
}
