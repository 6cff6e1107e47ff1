// SPDX-License-Identifier: GPL-2.0
/*
 * Makes, merges and frees profiles, and moves a finished one into the model. Sets for each channel
 * what an unchanged slice looks like (slices.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/build.h"
#include "profile/carried.h"
#include "profile/coroutine-merge.h"
#include "profile/coroutines.h"
#include "profile/heat-map.h"
#include "profile/histogram.h"
#include "profile/kept.h"
#include "profile/labels.h"
#include "profile/longest.h"
#include "profile/losses.h"
#include "profile/part.h"
#include "profile/slices.h"
#include "profile/span-tables.h"
#include "profile/spans.h"
#include "profile/steps.h"
#include "profile/sums.h"
#include "profile/timeline-spans.h"
#include "profile/timeline.h"
#include "profile/wakes.h"

/* Of most recordings all channels are: what they count needs no look at counters. */
static bool is_counted(const struct build *b, uint32_t channel)
{
	const struct model_channel *c = &b->model->channels[channel];

	for (uint32_t i = 0; i < c->nr_counters; i++)
		if (c->counters[i] != i)
			return false;
	return c->nr_counters == b->model->nr_counters;
}

/* See is_unchanged(). */
#define UNUSUAL_FLAGS	(COROPROF_SLICE_FRESH | COROPROF_SLICE_SCALED | COROPROF_SLICE_END | \
			 COROPROF_SLICE_FIRST | COROPROF_SLICE_UNREPORTED | RECORD_CUT | \
			 RECORD_OUTSIDE | RECORD_PASSED)

/* See has_no_details(). */
#define DETAIL_FLAGS	(COROPROF_SLICE_OFFCPU | COROPROF_SLICE_WOKEN | LEFT_READY | LEFT_CUT)

static void begin_unchanged(struct profile_channel *c)
{
	const struct record unchanged = {
		.type = COROPROF_RECORD_SLICE, .standing = c->standing,
	};
	struct record mask = {
		.type = UINT16_MAX, .flags = UNUSUAL_FLAGS, .standing = c->standing_mask,
	};

	c->unchanged = record_kind(&unchanged);
	c->unchanged_mask = record_kind(&mask);
	mask.flags |= DETAIL_FLAGS;
	c->no_details_mask = record_kind(&mask);
}

/* Columns that no channel can count. */
static uint32_t absent(const struct model *m)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < m->nr_counters; i++)
		if (m->counters[i].failed && m->counters[i].failed == m->counters[i].channels)
			bits |= 1u << i;
	return bits;
}

static void begin_counted(struct build *b, uint32_t channel, struct profile_channel *c)
{
	c->nr_counters = b->model->nr_counters;
	/* Under a mask of 0 there is nothing but 0. */
	c->standing = 1;
	if (!is_counted(b, channel))
		return;
	c->absent = absent(b->model);
	c->nr_counted = c->absent ? 0 : c->nr_counters;
	c->standing_mask = (uint16_t)((1u << 2 * c->nr_counters) - 1);
	c->standing = c->standing_mask;
	for (uint32_t i = 0; i < c->nr_counters; i++)
		if (c->absent & 1u << i)
			c->standing &= (uint16_t)~(3u << 2 * i);
}

static void begin_steps(struct build *b, struct profile_channel *c, bool begins)
{
	c->tool = b->processes[c->process].tool;
	if (!c->tool)
		return;
	c->steps = calloc(1, sizeof(*c->steps));
	if (c->steps)
		c->steps->open = !begins;
	else
		b->out_of_memory = true;
}

static void begin_channels(struct build *b, struct profile *p)
{
	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		const struct model_channel *c = &b->model->channels[i];

		p->channels[i].process = c->process;
		begin_steps(b, &p->channels[i], p->begins);
		p->channels[i].restarts = b->processes[c->process].nr_restarts;
		begin_counted(b, i, &p->channels[i]);
		begin_unchanged(&p->channels[i]);
		p->channels[i].boundary = p->begins ? PROFILE_CHANNEL_SETTLED :
						  PROFILE_CHANNEL_OPEN;
		memset(p->channels[i].recent, 0xff,
		       sizeof(p->channels[i].recent));
	}
}

struct profile *profile_new(struct build *b, bool begins)
{
	struct profile *p = calloc(1, sizeof(*p)), *other = b->profile;
	const struct model *m = b->model;

	if (!p)
		goto out_of_memory;
	p->begins = begins;
	p->other_label = MODEL_NONE;
	longest_begin(p);
	p->free_entry = p->free_node = MODEL_NONE;
	p->free_pending = p->free_op = MODEL_NONE;
	p->free_open_wake = MODEL_NONE;
	p->processes = calloc((size_t)m->nr_processes + 1,
			      sizeof(*p->processes));
	p->channels = calloc((size_t)m->nr_channels + 1, sizeof(*p->channels));
	p->channel_sums = calloc(((size_t)m->nr_channels + 1) * sums_stride(b),
				 sizeof(*p->channel_sums));
	if (!p->processes || !p->channels || !p->channel_sums)
		goto out_of_memory;
	begin_channels(b, p);
	if (b->out_of_memory)
		goto out_of_memory;
	b->profile = p;
	for (uint32_t i = 0; i < m->nr_processes; i++)
		if (b->processes[i].unseen) {
			process_lost(b, i, UINT64_MAX);
			process_spans_lost(b, i, UINT64_MAX);
		}
	/* What is merged with one that begins has it from there. */
	if (begins || !b->in_ticks)
		bases_begin(b);
	b->profile = other;
	return p;

out_of_memory:
	b->out_of_memory = true;
	profile_free(b, p);
	return NULL;
}

static void free_histograms(struct profile *p)
{
	if (p->borrows)
		return;
	for (uint32_t i = 0; i < p->nr_spans; i++)
		histogram_free(p->span_histograms[i]);
	for (uint32_t i = 0; i < p->nr_labels; i++)
		for (unsigned int k = 0; k < MODEL_LATENCY_NR; k++)
			histogram_free(p->labels[i].histograms[k]);
	for (uint32_t i = 0; i < p->nr_labels; i++)
		histogram_free(p->on_cpu_histograms[i]);
}

static void free_spans(struct profile *p)
{
	free(p->spans);
	free(p->span_histograms);
	index_free(&p->span_index);
	free(p->nodes);
	free(p->node_sums);
	free(p->node_squares);
	index_free(&p->node_index);
	free(p->roots);
	free(p->pending);
	index_free(&p->pending_index);
	free(p->ops);
	index_free(&p->losses);
	index_free(&p->calls);
	free(p->timeline_spans);
}

void profile_free(const struct build *b, struct profile *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; p->channels && i < b->model->nr_channels; i++) {
		free(p->channels[i].slices);
		free(p->channels[i].steps);
	}
	free_histograms(p);
	free(p->on_cpu_histograms);
	free(p->processes);
	free(p->channels);
	free(p->channel_sums);
	free(p->labels);
	free(p->label_keys);
	free(p->label_sums);
	index_free(&p->label_index);
	free(p->coroutines);
	free(p->coroutine_sums);
	free(p->beside);
	index_free(&p->coroutine_index);
	free(p->firsts);
	free(p->wakes);
	index_free(&p->wake_index);
	free(p->open_wakes);
	index_free(&p->open_wake_index);
	index_free(&p->open_waker_index);
	free_spans(p);
	longest_free(p);
	heat_map_free(p);
	free(p);
}

/* ---- of one that is merged more than once */

static void *copied(struct build *b, const void *array, size_t nr, size_t size)
{
	void *copy = NULL;

	if (array && nr) {
		copy = malloc(nr * size);
		if (copy)
			memcpy(copy, array, nr * size);
		else
			b->out_of_memory = true;
	}
	return copy;
}

static struct index index_copied(struct build *b, const struct index *from)
{
	struct index copy = *from;

	copy.entries = copied(b, from->entries, (size_t)from->mask + 1, sizeof(*from->entries));
	return copy;
}

static void copy_channels(struct build *b, struct profile *to, const struct profile *from,
			  const uint32_t *rows, uint32_t nr)
{
	size_t stride = sums_stride(b);

	for (uint32_t i = 0; i < nr; i++) {
		struct profile_channel *c = rows[i] == MODEL_NONE ? NULL : &to->channels[rows[i]];

		if (!c)
			continue;
		free(c->steps);
		*c = from->channels[i];
		c->steps = copied(b, from->channels[i].steps, 1, sizeof(*c->steps));
		memcpy(&to->channel_sums[rows[i] * stride], &from->channel_sums[i * stride],
		       stride * sizeof(*to->channel_sums));
	}
}

static uint64_t move_threads(uint64_t threads, const uint32_t *rows, uint32_t nr)
{
	uint64_t moved = 0;

	for (uint32_t i = 0; i < nr && i < 64; i++)
		if (threads & UINT64_C(1) << i && rows[i] != MODEL_NONE)
			moved |= UINT64_C(1) << rows[i] % 64;
	return moved;
}

/* What is there says of rows of channels what these are now. */
static void move_channels(struct profile *p, const uint32_t *rows, uint32_t nr)
{
	for (uint32_t i = 0; i < p->nr_entries; i++) {
		p->coroutines[i].channel = row_to(rows, p->coroutines[i].channel);
		p->coroutines[i].threads = move_threads(p->coroutines[i].threads, rows, nr);
	}
	for (uint32_t i = 0; i < p->nr_firsts; i++)
		p->firsts[i].channel = row_to(rows, p->firsts[i].channel);
	for (unsigned int what = 0; what < MODEL_LATENCY_NR; what++)
		for (uint32_t i = 0; i < p->longest[what].nr; i++)
			p->longest[what].rows[i].channel =
				row_to(rows, p->longest[what].rows[i].channel);
	for (uint32_t i = 0; i < p->nr_timeline_spans; i++)
		p->timeline_spans[i].channel = row_to(rows, p->timeline_spans[i].channel);
	for (uint32_t i = 0; i < p->nr_ops; i++)
		if (p->ops[i].kind == PROFILE_SPAN_ENDED)
			p->ops[i].channel = row_to(rows, p->ops[i].channel);
}

static bool are_moved(const uint32_t *rows, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (rows[i] != i)
			return true;
	return false;
}

static void copy_labels(struct build *b, struct profile *to, const struct profile *from)
{
	uint32_t nr = from->nr_labels;

	to->labels = copied(b, from->labels, nr, sizeof(*to->labels));
	to->label_keys = copied(b, from->label_keys, nr, sizeof(*to->label_keys));
	to->label_sums = copied(b, from->label_sums, nr, sums_stride(b) * sizeof(*to->label_sums));
	to->on_cpu_histograms = copied(b, from->on_cpu_histograms, nr,
				       sizeof(*to->on_cpu_histograms));
	to->other_label = from->other_label;
	to->nr_labels = b->out_of_memory ? 0 : nr;
}

static void copy_coroutines(struct build *b, struct profile *to, const struct profile *from)
{
	uint32_t nr = from->nr_entries;

	to->coroutines = copied(b, from->coroutines, nr, sizeof(*to->coroutines));
	to->coroutine_sums = copied(b, from->coroutine_sums, nr,
				    sums_stride(b) * sizeof(*to->coroutine_sums));
	to->beside = copied(b, from->beside, nr, sizeof(*to->beside));
	to->coroutine_index = index_copied(b, &from->coroutine_index);
	to->nr_entries = nr;
	to->free_entry = from->free_entry;
	to->nr_folded = from->nr_folded;
	to->nr_coroutines = from->nr_coroutines;
	to->firsts = copied(b, from->firsts, from->nr_firsts, sizeof(*to->firsts));
	to->nr_firsts = from->nr_firsts;
	to->wakes = copied(b, from->wakes, from->nr_wakes, sizeof(*to->wakes));
	to->nr_wakes = from->nr_wakes;
	to->nr_dropped_wakes = from->nr_dropped_wakes;
	to->open_wakes = copied(b, from->open_wakes, from->nr_open_wakes, sizeof(*to->open_wakes));
	to->nr_open_wakes = from->nr_open_wakes;
	to->free_open_wake = from->free_open_wake;
}

static void copy_longest(struct build *b, struct profile *to, const struct profile *from)
{
	for (unsigned int what = 0; what < MODEL_LATENCY_NR; what++) {
		const struct longest *w = &from->longest[what];

		to->longest[what] = *w;
		to->longest[what].rows = copied(b, w->rows, w->nr, sizeof(*w->rows));
		to->longest[what].sums = copied(b, w->sums, w->nr,
						sums_stride(b) * sizeof(*w->sums));
	}
	to->heat_map = from->heat_map;
	to->heat_map.index = (struct index){ 0 };
	to->heat_map.rows = copied(b, from->heat_map.rows, from->heat_map.nr,
				   sizeof(*from->heat_map.rows));
}

static void copy_spans(struct build *b, struct profile *to, const struct profile *from)
{
	to->timeline_spans = copied(b, from->timeline_spans, from->nr_timeline_spans,
				    sizeof(*to->timeline_spans));
	to->nr_timeline_spans = from->nr_timeline_spans;
	to->timeline_spans_least_ns = from->timeline_spans_least_ns;
	to->spans = copied(b, from->spans, from->nr_spans, sizeof(*to->spans));
	to->span_histograms = copied(b, from->span_histograms, from->nr_spans,
				     sizeof(*to->span_histograms));
	to->nr_spans = from->nr_spans;
	to->nodes = copied(b, from->nodes, from->nr_nodes, sizeof(*to->nodes));
	to->node_sums = copied(b, from->node_sums, from->nr_nodes,
			       sums_stride(b) * sizeof(*to->node_sums));
	to->node_squares = copied(b, from->node_squares, from->nr_nodes,
				  squares_stride(b) * sizeof(*to->node_squares));
	to->nr_nodes = from->nr_nodes;
	to->free_node = from->free_node;
	to->roots = copied(b, from->roots, from->nr_roots, sizeof(*to->roots));
	to->nr_roots = from->nr_roots;
	to->pending = copied(b, from->pending, from->nr_pending, sizeof(*to->pending));
	to->nr_pending = from->nr_pending;
	to->free_pending = from->free_pending;
	to->nr_pending_used = from->nr_pending_used;
	to->pending_index = index_copied(b, &from->pending_index);
	to->ops = copied(b, from->ops, from->nr_ops, sizeof(*to->ops));
	to->nr_ops = from->nr_ops;
	to->free_op = from->free_op;
	to->calls = index_copied(b, &from->calls);
	to->nr_span_calls = from->nr_span_calls;
	to->lost_spans = from->lost_spans;
	to->dropped_spans = from->dropped_spans;
	to->impossible_spans = from->impossible_spans;
}

struct profile *profile_copy(struct build *b, const struct profile *from, uint32_t nr_processes,
			     const uint32_t *rows, uint32_t nr_channels)
{
	struct profile *to = profile_new(b, false);

	if (!to)
		return NULL;
	to->borrows = true;
	to->unordered = from->unordered;
	to->begin_ns = from->begin_ns;
	memcpy(to->processes, from->processes, nr_processes * sizeof(*to->processes));
	copy_channels(b, to, from, rows, nr_channels);
	copy_labels(b, to, from);
	copy_coroutines(b, to, from);
	copy_longest(b, to, from);
	copy_spans(b, to, from);
	if (b->out_of_memory) {
		profile_free(b, to);
		return NULL;
	}
	if (are_moved(rows, nr_channels))
		move_channels(to, rows, nr_channels);
	return to;
}

static bool pack(struct histogram **histogram)
{
	struct histogram *packed = *histogram ? histogram_pack(*histogram) : NULL;

	if (*histogram && !packed)
		return false;
	histogram_free(*histogram);
	*histogram = packed;
	return true;
}

bool profile_trim(struct profile *p)
{
	bool done = true;

	for (uint32_t i = 0; i < p->nr_labels; i++)
		for (unsigned int k = 0; k < MODEL_LATENCY_NR; k++)
			done &= pack(&p->labels[i].histograms[k]);
	for (uint32_t i = 0; i < p->nr_spans; i++)
		done &= pack(&p->span_histograms[i]);
	array_forget(p->recent_entries, sizeof(p->recent_entries));
	index_free(&p->label_index);
	index_free(&p->wake_index);
	index_free(&p->open_wake_index);
	index_free(&p->open_waker_index);
	index_free(&p->heat_map.index);
	index_free(&p->span_index);
	index_free(&p->node_index);
	index_free(&p->losses);
	return done;
}

static size_t histograms_bytes(const struct profile *p)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < p->nr_labels; i++)
		for (unsigned int k = 0; k < MODEL_LATENCY_NR; k++)
			bytes += histogram_bytes(p->labels[i].histograms[k]);
	for (uint32_t i = 0; i < p->nr_spans; i++)
		bytes += histogram_bytes(p->span_histograms[i]);
	return bytes;
}

size_t profile_bytes(const struct build *b, const struct profile *p)
{
	const struct model *m = b->model;
	size_t sum = sums_stride(b) * sizeof(struct model_sum), bytes = histograms_bytes(p);

	bytes += sizeof(*p) - sizeof(p->recent_entries);
	bytes += m->nr_processes * sizeof(*p->processes);
	bytes += m->nr_channels * (sizeof(*p->channels) + sum);
	bytes += p->nr_labels * (sizeof(*p->labels) + sizeof(*p->label_keys) + sum);
	bytes += p->nr_entries * (sizeof(*p->coroutines) + sizeof(*p->beside) + sum);
	bytes += index_bytes(&p->coroutine_index) + index_bytes(&p->pending_index);
	bytes += p->nr_firsts * sizeof(*p->firsts);
	bytes += p->nr_wakes * sizeof(*p->wakes) + p->nr_open_wakes * sizeof(*p->open_wakes);
	for (unsigned int what = 0; what < MODEL_LATENCY_NR; what++)
		bytes += p->longest[what].nr * (sizeof(*p->longest[what].rows) + sum);
	bytes += p->heat_map.nr * sizeof(*p->heat_map.rows);
	bytes += p->nr_spans * sizeof(*p->spans) + p->nr_pending * sizeof(*p->pending);
	bytes += p->nr_nodes * (sizeof(*p->nodes) + sum) + p->nr_ops * sizeof(*p->ops);
	return bytes + p->nr_timeline_spans * sizeof(*p->timeline_spans);
}

static void merge_processes(struct build *b, const struct profile *from)
{
	for (uint32_t i = 0; i < b->model->nr_processes; i++) {
		process_lost(b, i, from->processes[i].missing_until);
		process_cut(b, i, from->processes[i].lost_until);
		process_spans_lost(b, i, from->processes[i].spans_lost_until);
		if (from->processes[i].next_restart >
		    b->profile->processes[i].next_restart)
			b->profile->processes[i].next_restart =
				from->processes[i].next_restart;
	}
}

/*
 * What is settled at the seam is settled with what was known before it: until then
 * no coroutine, channel or process is changed.
 */
void profile_merge(struct build *b, struct profile *next)
{
	struct profile *p = b->profile;
	struct rows rows = { 0 };

	p->unordered |= next->unordered;
	if (!p->begin_ns)
		p->begin_ns = next->begin_ns;
	steps_align(b, next);
	rows.labels = labels_merge(b, next);
	if (!b->out_of_memory)
		firsts_merge(b, next, &rows);
	if (!b->out_of_memory)
		wakes_merge(b, next, &rows);
	if (!b->out_of_memory)
		spans_merge(b, next, &rows);
	if (!b->out_of_memory)
		coroutines_merge(b, next, &rows);
	timeline_align(b, next);
	if (!b->out_of_memory)
		channels_merge(b, next, &rows);
	if (!b->out_of_memory)
		longest_merge(b, next, &rows);
	if (!b->out_of_memory)
		heat_map_merge(b, next, &rows);
	labels_settle(b);
	merge_processes(b, next);
	timeline_settle(b, p->resolution);
	free(rows.labels);
	free(rows.spans);
	free(rows.entries);
	profile_free(b, next);
}

static void finish_channels(struct build *b)
{
	struct profile *p = b->profile;
	struct model *m = b->model;

	for (uint32_t i = 0; i < m->nr_channels; i++) {
		struct model_channel *c = &m->channels[i];

		c->times = p->channels[i].times;
		c->pieces = p->channels[i].pieces;
		c->times.slices -= c->pieces;
		c->outside_ns = p->channels[i].outside_ns;
		c->tool_ns = p->channels[i].tool_ns;
		c->lost = p->channels[i].lost;
		c->lost_spans = p->channels[i].lost_spans;
		c->spans = p->channels[i].spans;
	}
	m->channel_sums = p->channel_sums;
	p->channel_sums = NULL;
}

void profile_finish(struct build *b)
{
	steps_finish(b);
	carried_finish(b);
	labels_settle(b);
	finish_channels(b);
	timeline_finish(b);
	timeline_spans_finish(b);
	labels_finish(b);
	longest_finish(b);
	heat_map_finish(b);
	coroutines_finish(b);
	wakes_finish(b);
	spans_finish(b);
}
