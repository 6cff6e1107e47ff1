// SPDX-License-Identifier: GPL-2.0
/*
 * A part of a recording: what was in a window of its time. Slices are clipped at its edges: what
 * of their time is in it is exact, what they counted is shared by time, and so is what they
 * were off the CPU. Shares of parts that follow each other add up to the whole. Sums can't be
 * compared with the totals of threads then, and each output says that it is a part, as a note.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "profile/build.h"
#include "profile/chosen.h"
#include "profile/part.h"

/* ---- what of a slice is in it */

/**
 * struct piece - of a slice, since its begin
 * @from: the piece begins
 * @to:   it ends
 * @all:  so does the slice
 */
struct piece {
	uint64_t from;
	uint64_t to;
	uint64_t all;
};

static uint64_t until(uint64_t sum, uint64_t at, uint64_t all)
{
	return all ? (uint64_t)((unsigned __int128)sum * at / all) : 0;
}

/* Of a sum over the slice. */
static uint64_t share(uint64_t sum, const struct piece *p)
{
	return until(sum, p->to, p->all) - until(sum, p->from, p->all);
}

/* Of pieces that follow each other each nanosecond is in one state, and in one piece. */
static void clip_times(struct record *s, const struct piece *p)
{
	uint64_t off = s->duration - s->running_ns;
	const struct piece of = {
		until(off, p->from, p->all), until(off, p->to, p->all), off,
	};
	uint64_t blocked = share(s->offcpu.blocked_ns, &of);

	s->running_ns = p->to - p->from - (of.to - of.from);
	s->offcpu.blocked_ns = blocked;
	s->offcpu.preempted_ns = of.to - of.from - blocked;
	s->offcpu.nr_preempted = (uint32_t)share(s->offcpu.nr_preempted, p);
	s->offcpu.nr_blocked = (uint32_t)share(s->offcpu.nr_blocked, p);
}

/* A counter was missing while the thread ran: never for longer than that. */
static void clip_missing(struct record *s, const struct piece *p, uint32_t nr_counters)
{
	uint64_t off = s->duration - s->running_ns;
	const struct piece ran = {
		p->from - until(off, p->from, p->all), p->to - until(off, p->to, p->all),
		s->running_ns,
	};

	for (uint32_t i = 0; i < nr_counters; i++)
		if (s->missing_ns[i] <= s->running_ns)
			s->missing_ns[i] = share(s->missing_ns[i], &ran);
}

/* How it began, or ended, is of the part where it did. */
static void clip_ends(struct record *s, const struct piece *p)
{
	if (p->from) {
		s->flags &= (uint16_t)~(COROPROF_SLICE_FRESH | COROPROF_SLICE_WOKEN);
		s->woken = (struct coroprof_slice_woken){ 0 };
	}
	if (p->to < p->all)
		s->flags &= (uint16_t)~(COROPROF_SLICE_END | COROPROF_SLICE_READY);
}

static void clip_slice(const struct build *b, struct record *s, uint32_t nr_counters)
{
	uint64_t begin = s->time - s->duration;
	uint64_t from = begin < b->from ? b->from : begin;
	uint64_t to = s->time > b->to ? b->to : s->time;
	const struct piece p = { from - begin, to - begin, s->duration };

	if (to < from || begin >= b->to || (to == from && s->duration)) {
		s->flags |= RECORD_OUTSIDE;
		return;
	}
	if (to - from == s->duration)
		return;
	for (uint32_t i = 0; i < nr_counters; i++)
		s->count[i] = share(s->count[i], &p);
	if (s->flags & COROPROF_SLICE_SCALED)
		clip_missing(s, &p, nr_counters);
	if (s->flags & COROPROF_SLICE_OFFCPU)
		clip_times(s, &p);
	else
		s->running_ns = to - from;
	clip_ends(s, &p);
	s->flags |= RECORD_CUT;
	s->time = to;
	s->duration = to - from;
}

void part_clip(const struct build *b, uint32_t channel, struct record *s,
	       const struct record *end, uint32_t nr_counters)
{
	for (; s < end; s++) {
		if (s->type != COROPROF_RECORD_SLICE)
			continue;
		s->flags &= (uint16_t)~(RECORD_CUT | RECORD_OUTSIDE | RECORD_PASSED);
		clip_slice(b, s, nr_counters);
		if (b->chosen && !chosen_has(b, channel, s->label, s->id & COROPROF_ID_THREAD))
			s->flags |= RECORD_PASSED;
	}
}

/* ---- when it is */

static void note_time(uint64_t *begin, uint64_t *end, uint64_t first, uint64_t last)
{
	if (first && (!*begin || first < *begin))
		*begin = first;
	if (last > *end)
		*end = last;
}

/* It begins when the whole recording does: see find_bounds(). */
static void whole(const struct build *b, uint64_t *begin, uint64_t *end)
{
	*begin = *end = 0;
	for (uint32_t i = 0; i < b->model->nr_channels; i++)
		note_time(begin, end, b->model->channels[i].begin_ns,
			  b->model->channels[i].end_ns);
	for (size_t i = 0; i < b->file->nr_segments; i++)
		if (b->file->segments[i].type == CPROF_SEGMENT_RING)
			note_time(begin, end, 0, b->file->segments[i].last_time);
}

static bool has_times(const struct build *b)
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
	if (!has_times(b))
		return error_set(err, ENOTSUP, "%s can't be read in part: it is of version %" PRIu32 ", whose segments have no times; read all of it, without --from and --to",
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

static void clip(uint64_t *begin, uint64_t *end, const struct model *m)
{
	if (*begin && *begin < m->from_ns)
		*begin = m->from_ns;
	if (*end > m->end_ns)
		*end = m->end_ns;
	if (*end && *end < *begin)
		*end = *begin;
}

static void clip_all(struct build *b)
{
	struct model *m = b->model;

	if (b->from > m->from_ns)
		m->from_ns = b->from;
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
	char to[64] = "its end", *before = m->own_note;

	if (!is_part(b))
		return;
	m->part = true;
	m->exact = b->options.exact;
	whole(b, &begin, &end);
	if (b->to != UINT64_MAX)
		snprintf(to, sizeof(to), "%.15g s", (double)(b->to - begin) / 1e9);
	m->own_note = build_format(b, "Only a part of the recording is shown: %s%sfrom %.15g s to %s, of %.15g s.%s%s%s",
				   b->chosen ? b->options.chosen->text : "",
				   b->chosen ? ", " : "",
				   b->from ? (double)(b->from - begin) / 1e9 : 0.0,
				   to, (double)(end - begin) / 1e9,
				   chosen_lacks_spans(b) ?
				   " Spans are left out: they are shown of whole processes." : "",
				   m->note ? " " : "", m->note ? m->note : "");
	m->note = m->own_note;
	free(before);
	clip_all(b);
}
