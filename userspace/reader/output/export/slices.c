// SPDX-License-Identifier: GPL-2.0
/* Names, arguments, order and process ids of slices, as all exports that draw slices have them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/printable.h"
#include "output/export/slices.h"

static bool is_single_slice(const struct model_slice *s)
{
	return !(s->flags & MODEL_SLICE_MERGED);
}

const char *slice_name(const struct model *m, const struct model_slice *s,
		       char text[SLICES_NAME])
{
	const char *name = s->label == MODEL_NONE ? "n/a" : m->labels[s->label].name;

	if (s->flags & MODEL_SLICE_LOST)
		return "(lost slices)";
	if (is_single_slice(s))
		return name;
	snprintf(text, SLICES_NAME, "%.*s (%" PRIu32 " slices)",
		 (int)printable_cut(name, SLICES_LABEL), name, s->nr_slices);
	return text;
}

const struct model_coroutine *slice_coroutine(const struct model *m,
					      const struct model_slice *s)
{
	return is_single_slice(s) && s->coroutine != MODEL_NONE ? &m->coroutines[s->coroutine] :
								  NULL;
}

const char *slice_arg_name(const struct model *m, unsigned int of)
{
	static const char *const names[] = {
		[ARG_COROUTINE] = "coroutine", [ARG_TAG] = "tag",
		[ARG_RUNNING] = "running_ns", [ARG_PREEMPTED] = "preempted_ns",
		[ARG_BLOCKED] = "blocked_ns", [ARG_IDLE] = "idle_ns", [ARG_LEFT] = "left",
		[ARG_UNREPORTED] = "unreported", [ARG_SLICES] = "slices", [ARG_THREAD] = "thread",
		[ARG_CUT] = "cut",
		[ARG_GOES_ON] = "goes on",
	};

	return of < ARG_COUNTERS ? names[of] : m->counters[of - ARG_COUNTERS].name;
}

bool slices_count(const struct model *m, uint32_t channel, uint32_t counter)
{
	return standing_has_value(model_value_standing(model_channel_value(m, channel, counter)));
}

/**
 * struct args - a list being made
 */
struct args {
	struct arg *list;
	unsigned int nr;
};

static void add_number(struct args *f, unsigned int of, uint64_t number)
{
	f->list[f->nr++] = (struct arg){ .of = of, .number = number };
}

static void add_text(struct args *f, unsigned int of, const char *text)
{
	f->list[f->nr++] = (struct arg){ .of = of, .text = text };
}

static void add_coroutine_args(struct args *f, const struct model *m, const struct model_slice *s)
{
	const struct model_coroutine *c = slice_coroutine(m, s);

	if (!c || c->flags & MODEL_COROUTINE_THREAD)
		return;
	add_number(f, ARG_COROUTINE, c->id);
	if (c->flags & MODEL_COROUTINE_BORN)
		add_number(f, ARG_TAG, c->tag);
}

static void add_flag_args(struct args *f, uint32_t flags)
{
	if (flags & COROPROF_SLICE_END)
		add_text(f, ARG_LEFT, "ended");
	else if (flags & COROPROF_SLICE_READY)
		add_text(f, ARG_LEFT, "ready");
	if (flags & COROPROF_SLICE_UNREPORTED)
		add_text(f, ARG_UNREPORTED,
			 "switches were not reported: it may be another coroutine's in part");
}

static void add_cut_args(struct args *f, uint32_t flags)
{
	if (flags & MODEL_SLICE_GOES_ON)
		add_text(
			f, ARG_GOES_ON,
			"a piece of the slice before of its coroutine: coroprof itself ran in between");
	if (flags & MODEL_SLICE_PARTED)
		add_text(f, ARG_CUT,
			 "it reaches beyond the part that is shown: its counts, and times off the CPU, are shared by time");
}

static void add_counter_args(struct args *f, const struct model *m, const struct model_slice *s)
{
	const struct model_channel *c = &m->channels[s->channel];

	for (uint32_t i = 0; i < c->nr_counters; i++) {
		uint8_t counter = c->counters[i];

		if (counter >= MODEL_SLICE_COUNTERS)
			continue;
		if (s->valid & 1u << counter)
			add_number(f, ARG_COUNTERS + counter, s->count[counter]);
		else
			add_text(f, ARG_COUNTERS + counter, slices_count(m, s->channel, counter) ?
				 "n/a: not counted all of the time" : "n/a");
	}
}

unsigned int slice_args(const struct model *m, const struct model_slice *s,
			struct arg list[ARGS_MAX])
{
	struct args f = { .list = list };

	if (s->flags & MODEL_SLICE_LOST)
		return 0;
	add_coroutine_args(&f, m, s);
	add_number(&f, ARG_PREEMPTED, s->preempted_ns);
	add_number(&f, ARG_BLOCKED, s->blocked_ns);
	if (s->idle_ns)
		add_number(&f, ARG_IDLE, s->idle_ns);
	add_cut_args(&f, s->flags);
	if (!is_single_slice(s)) {
		add_number(&f, ARG_SLICES, s->nr_slices);
		return f.nr;
	}
	add_number(&f, ARG_RUNNING, s->longest_ns);
	add_counter_args(&f, m, s);
	add_flag_args(&f, s->flags);
	return f.nr;
}

static int compare_begin_times(const void *left, const void *right, void *context)
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
		qsort_r(rows, m->nr_timeline, sizeof(*rows), compare_begin_times, m->timeline);
	return rows;
}

bool slices_cut(const struct model *m, char said[SLICES_SAID])
{
	uint64_t there = 0, all = 0;

	for (uint32_t i = 0; i < m->nr_timeline; i++) {
		there += is_single_slice(&m->timeline[i]) ? m->timeline[i].nr_slices : 0;
		all += m->timeline[i].nr_slices;
	}
	if (there == all)
		return false;
	snprintf(said, SLICES_SAID,
		 "%" PRIu64 " of %" PRIu64 " slices are there one by one; the others are short ones, of which several are drawn as one, named \"LABEL (N slices)\"; all are in a part of it that is short enough: add --from SECONDS --to SECONDS",
		 there, all);
	return true;
}

/**
 * struct apart - recordings under way, whose numbers are held against those before
 * @seen:   which recording is the first that has a pid or tid
 * @clash:  of each recording: one of its numbers is of another one, too
 * @failed: out of memory
 */
struct apart {
	struct index seen;
	bool *clash;
	bool failed;
};

static void note_id(struct apart *a, int32_t number, uint32_t recording)
{
	uint32_t first = index_get(&a->seen, (uint32_t)number, 0);

	if (first == INDEX_NONE)
		a->failed |= !index_put(&a->seen, (uint32_t)number, 0, recording);
	else
		a->clash[recording] |= first != recording;
}

static void note_ids_of_recording(struct apart *a, const struct model *m, uint32_t recording)
{
	for (uint32_t i = 0; i < m->nr_processes; i++)
		if (m->processes[i].recording == recording)
			note_id(a, m->processes[i].pid, recording);
	for (uint32_t i = 0; i < m->nr_channels; i++)
		if (m->processes[m->channels[i].process].recording == recording)
			note_id(a, m->channels[i].tid, recording);
}

uint32_t *slices_apart(const struct model *m)
{
	uint32_t *apart = calloc((size_t)m->nr_processes + 1, sizeof(*apart));
	struct apart a = { .clash = calloc((size_t)m->recordings + 1, sizeof(*a.clash)) };

	a.failed = !apart || !a.clash;
	for (uint32_t i = 0; i < m->recordings && !a.failed; i++)
		note_ids_of_recording(&a, m, i);
	for (uint32_t i = 0; i < m->nr_processes && !a.failed; i++)
		if (a.clash[m->processes[i].recording])
			apart[i] = m->processes[i].recording * SLICES_PIDS;
	index_free(&a.seen);
	free(a.clash);
	if (!a.failed)
		return apart;
	free(apart);
	errno = ENOMEM;
	return NULL;
}
