// SPDX-License-Identifier: GPL-2.0
/*
 * model_load(): reads what there is, has the rings added up, and fills the model; and frees one.
 * The steps are those of build.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "profile/adapters.h"
#include "profile/build.h"
#include "profile/carried.h"
#include "profile/checks.h"
#include "profile/chosen.h"
#include "profile/costs.h"
#include "profile/counters.h"
#include "profile/damage.h"
#include "profile/info.h"
#include "profile/kept.h"
#include "profile/modes.h"
#include "profile/part.h"
#include "profile/resolve.h"
#include "profile/rings.h"
#include "profile/samples.h"
#include "profile/schema.h"
#include "profile/shards.h"
#include "profile/spans.h"
#include "profile/split.h"
#include "profile/status.h"
#include "profile/steps.h"
#include "profile/streams.h"
#include "profile/sums.h"
#include "profile/ticks.h"
#include "profile/times.h"
#include "profile/totals.h"
#include "profile/used.h"
#include "symbols/symbols.h"

/* ------------------------------------------------------------------------
 * making
 */

/* Segments that say what there is, in the order of the file. */
static void take_segment(struct build *b, const struct file_segment *s,
			 const void *payload)
{
	switch (s->type) {
	case CPROF_SEGMENT_INFO:
		info_add(b, s->offset, payload, s->size);
		break;
	case CPROF_SEGMENT_COUNTERS:
		info_counters(b, s->offset, payload, s->size);
		break;
	case CPROF_SEGMENT_STREAM:
		stream_add(b, s->offset, payload, s->size);
		break;
	case CPROF_SEGMENT_END:
		info_end(b, payload, s->size);
		break;
	}
}

/* Those that are about channels and processes: once all of them are known. */
static void take_status(struct build *b, const struct file_segment *s,
			const void *payload)
{
	switch (s->type) {
	case CPROF_SEGMENT_STATUS:
		status_add(b, s->offset, payload, s->size);
		break;
	case CPROF_SEGMENT_BASE:
		bases_add(b, s->offset, payload, s->size);
		break;
	case CPROF_SEGMENT_COROUTINES:
		carried_add(b, payload, s->size);
		break;
	case CPROF_SEGMENT_CPU:
		used_add(b, payload, s->size);
		break;
	}
}

static void for_segments(struct build *b, unsigned int types,
			 void (*take)(struct build *b,
				      const struct file_segment *s,
				      const void *payload))
{
	struct buffer payload = { 0 };

	for (size_t i = 0; i < b->file->nr_segments; i++) {
		const struct file_segment *s = &b->file->segments[i];
		struct error err = ERROR_NONE;

		if (s->type >= 32 || !(types & 1u << s->type))
			continue;
		payload.size = 0;
		if (buffer_reserve(&payload, s->size, &err))
			b->out_of_memory = true;
		else if (!file_read(b->file, i, payload.data, &err))
			take(b, s, payload.data);
		else
			segment_unread(b, s, MODEL_NONE, "a segment", &err);
	}
	buffer_free(&payload);
}

/* Of each channel the segments of its ring, in order. */
static void list_rings(struct build *b)
{
	for (uint32_t i = 0; i < b->file->nr_segments; i++) {
		const struct file_segment *s = &b->file->segments[i];
		struct build_channel *bc;
		uint32_t row;

		if (s->type != CPROF_SEGMENT_RING)
			continue;
		row = channel_find(b, s->channel_id);
		if (row == MODEL_NONE) {
			damage_add(b, s->offset, MODEL_NONE,
				   "a part of the ring of channel %" PRIu32 ", which no record announces, is skipped",
				   s->channel_id);
			continue;
		}
		b->ring_bytes += s->stored_size;
		bc = &b->channels[row];
		if (build_grow(b, &bc->segments, bc->nr_segments, sizeof(*bc->segments)))
			bc->segments[bc->nr_segments++] = i;
	}
}

static void bounds(struct model *m, uint64_t begin, uint64_t end)
{
	if (begin && (!m->begin_ns || begin < m->begin_ns))
		m->begin_ns = begin;
	if (end > m->end_ns)
		m->end_ns = end;
}

static void find_bounds(struct build *b)
{
	struct model *m = b->model;

	for (uint32_t i = 0; i < m->nr_channels; i++) {
		struct model_channel *c = &m->channels[i];

		if (!c->end_ns)
			c->end_ns = b->profile->channels[i].last_ns;
		bounds(m, c->begin_ns, c->begin_ns);
		bounds(m, 0, c->end_ns);
		bounds(m, 0, b->profile->channels[i].last_ns);
	}
	m->from_ns = m->begin_ns;
}

static void find_totals(struct build *b)
{
	struct model *m = b->model;
	uint32_t stride = sums_stride(b);

	m->total_sums = calloc(stride, sizeof(*m->total_sums));
	if (!m->total_sums)
		b->out_of_memory = true;
	for (uint32_t i = 0; i < m->nr_labels && m->total_sums; i++) {
		const struct model_sum *sums =
			&m->label_sums[(size_t)i * stride];

		if (m->labels[i].kind == MODEL_LABEL_TOOL)
			continue;
		times_sum(&m->times, &m->labels[i].times);
		for (uint32_t k = 0; k < m->nr_counters; k++) {
			m->total_sums[k].count += sums[k].count;
			m->total_sums[k].missing_ns += sums[k].missing_ns;
			m->total_sums[k].seen |= sums[k].seen;
		}
	}
}

/* One that goes to the end is a tear: what was there may have been more. */
static void take_corrupt_ranges(struct build *b)
{
	struct model *m = b->model;

	for (size_t i = 0; i < b->file->nr_corrupt_ranges; i++) {
		const struct file_corrupt_range *h = &b->file->corrupt_ranges[i];

		m->unread_bytes += h->end - h->offset;
		if (h->end == m->file_size) {
			m->truncated = build_format(b, "%s", h->why);
			m->truncated_offset = h->offset;
		} else {
			damage_add(b, h->offset, MODEL_NONE,
				   "%s; the %" PRIu64 " bytes up to the next segment are skipped",
				   h->why, h->end - h->offset);
		}
	}
}

/* What there is, whatever the rings hold. */
static void read_context(struct build *b)
{
	take_corrupt_ranges(b);
	for_segments(b, 1u << CPROF_SEGMENT_INFO | 1u << CPROF_SEGMENT_COUNTERS |
		     1u << CPROF_SEGMENT_STREAM | 1u << CPROF_SEGMENT_END,
		     take_segment);
	info_finish(b);
	kept_begin(b);
	counters_finish(b);
	streams_finish(b);
	for_segments(b, 1u << CPROF_SEGMENT_STATUS | 1u << CPROF_SEGMENT_CPU |
		     1u << CPROF_SEGMENT_BASE | 1u << CPROF_SEGMENT_COROUTINES, take_status);
	bases_finish(b);
	list_rings(b);
}

static bool may_have_steps(const struct build *b)
{
	for (uint32_t i = 0; i < b->model->nr_processes; i++)
		if (b->processes[i].tool)
			return true;
	return false;
}

/* What is added up for that is thrown away; of damage the other reading says. */
static void find_steps(struct build *b)
{
	struct build selected = *b;

	selected.of_shard = true;
	selected.options.progress = NULL;
	selected.profile = NULL;
	selected.profile = profile_new(&selected, true);
	selected.split->finds_steps = true;
	if (!selected.out_of_memory) {
		merge_rings(&selected, selected.from, selected.to);
		steps_finish(&selected);
	}
	selected.split->finds_steps = false;
	profile_free(&selected, selected.profile);
	b->out_of_memory = selected.out_of_memory;
}

static void make_model(struct build *b)
{
	info_truncated(b);
	if (b->split && !b->split->lives && may_have_steps(b))
		find_steps(b);
	if (b->out_of_memory)
		return;
	if (!b->options.ticks || !ticks_add(b))
		shards_add(b);
	if (b->out_of_memory)
		return;
	if (b->model->totals)
		totals_add(b);
	spans_end(b);
	samples_add(b);
	if (!b->out_of_memory)
		profile_finish(b);
	if (b->out_of_memory)
		return;
	checks_finish(b);
	find_bounds(b);
	kept_finish(b);
	chosen_finish(b);
	if (b->out_of_memory)
		return;
	part_finish(b);
	find_totals(b);
	used_finish(b);
	costs_finish(b);
	modes_finish(b);
	adapters_finish(b);
	names_resolve(b);
}

static struct model_options with_defaults(const struct model_options *given)
{
	struct model_options o = given ? *given : (struct model_options){ 0 };

	if (!o.coroutines)
		o.coroutines = 1000000;
	if (!o.timeline_slices)
		o.timeline_slices = MODEL_TIMELINE_SLICES;
	if (!o.timeline_spans)
		o.timeline_spans = MODEL_TIMELINE_SPANS;
	if (!o.timeline_samples)
		o.timeline_samples = MODEL_TIMELINE_SAMPLES;
	if (!o.labels)
		o.labels = 65536;
	if (!o.frames)
		o.frames = 65536;
	if (!o.sample_nodes)
		o.sample_nodes = 1000000;
	if (!o.span_nodes)
		o.span_nodes = 1000000;
	if (!o.memory)
		o.memory = 1ULL << 30;
	return o;
}

void build_end(struct build *b)
{
	if (!b->model)
		return;
	for (uint32_t i = 0; i < b->model->nr_channels; i++)
		free(b->channels[i].segments);
	for (uint32_t i = 0; i < b->model->nr_processes; i++)
		free(b->processes[i].restarts);
	for (uint32_t i = 0; i < b->nr_names; i++)
		free(b->names[i].text);
	profile_free(b, b->profile);
	free(b->channels);
	free(b->processes);
	free(b->names);
	index_free(&b->process_index);
	index_free(&b->channel_index);
	index_free(&b->thread_index);
	index_free(&b->name_index);
	index_free(&b->text_index);
	free(b->carried);
	index_free(&b->carried_index);
	for (uint32_t i = 0; i < b->nr_truncated; i++)
		free(b->truncated[i].text);
	free(b->truncated);
	symbols_free(b->symbols);
	/* What is beside the rows of the model is freed: there may be fewer. */
	if (!b->out_of_memory)
		chosen_end(b);
	chosen_free(b);
}

static struct model *new_model(struct build *b, const struct file *file)
{
	struct model *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->recordings = 1;
	m->exit_status = -1;
	m->some = b->options.selected;
	m->overhead_ns = m->overhead_share = -1;
	m->file_size = file->input.size;
	m->path = build_text(b, file->input.name, strlen(file->input.name));
	return m;
}

void build_begin(struct build *b, struct file *file,
		 const struct model_options *options)
{
	*b = (struct build){
		.file = file,
		.options = with_defaults(options),
		.to = UINT64_MAX,
		.split = options ? options->split : NULL,
	};
	b->model = new_model(b, file);
	if (!b->model)
		b->out_of_memory = true;
	if (!b->out_of_memory)
		read_context(b);
	if (b->split && !b->out_of_memory)
		split_begin(b);
	if (!b->out_of_memory)
		chosen_begin(b);
}

int model_load(struct model **model, struct file *file,
	       const struct model_options *options, struct error *err)
{
	struct build b;
	int ret = 0;

	build_begin(&b, file, options);
	if (!b.out_of_memory)
		ret = part_begin(&b, err);
	if (!b.out_of_memory && !ret)
		make_model(&b);
	if (!b.out_of_memory && !ret)
		ret = chosen_check(&b, err);
	build_end(&b);
	if (ret) {
		model_free(b.model);
		return ret;
	}
	if (b.out_of_memory) {
		model_free(b.model);
		return error_set(err, ENOMEM, "out of memory while reading %s",
				 file->input.name);
	}
	*model = b.model;
	return 0;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->nr_texts; i++)
		free(m->texts[i]);
	free(m->texts);
	schema_free(m);
	free(m);
}
