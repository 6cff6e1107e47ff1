// SPDX-License-Identifier: GPL-2.0
/*
 * Makes, merges and frees profiles, and moves a finished one into the model. Sets for each channel
 * what an unchanged slice looks like (slices.c).
 */
#include <stdlib.h>
#include <string.h>

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
			 RECORD_OUTSIDE)

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
	bases_begin(b);
	b->profile = other;
	return p;

out_of_memory:
	b->out_of_memory = true;
	profile_free(b, p);
	return NULL;
}

static void free_spans(struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_spans; i++)
		histogram_free(p->span_histograms[i]);
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
	for (uint32_t i = 0; i < p->nr_labels; i++)
		for (unsigned int k = 0; k < MODEL_LATENCY_NR; k++)
			histogram_free(p->labels[i].histograms[k]);
	for (uint32_t i = 0; i < p->nr_labels; i++)
		histogram_free(p->on_cpu_histograms[i]);
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
