// SPDX-License-Identifier: GPL-2.0
/*
 * Samples, after all slices: a sample names its coroutine and its label, so that
 * their order plays no part.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cprof/decode.h"
#include "profile/build.h"
#include "profile/chosen.h"
#include "profile/coroutines.h"
#include "profile/damage.h"
#include "profile/frames.h"
#include "profile/labels.h"
#include "profile/samples.h"
#include "profile/split.h"
#include "profile/streams.h"
#include "profile/timeline-samples.h"
#include "symbols/symbols.h"

/* The parent of a root: the label whose tree it is, in the number. */
#define PARENT_ROOT	0x80000000u

/**
 * struct forest - of samples, under way
 * @index: (where the parent is and what this is of, 0) to node
 * @nodes: in the order of their making, parents first
 * @nr:    how many
 */
struct forest {
	struct index index;
	struct model_sample_node *nodes;
	uint32_t nr;
};

/**
 * struct samples - what is made of them
 * @frames:    functions
 * @by_line:   of places: its nodes have these for frames
 * @by_frame:  of functions, made of the other one in the end
 * @node:      for each node of @by_line that of @by_frame
 */
struct samples {
	struct frames *frames;
	struct forest by_line;
	struct forest by_frame;
	uint32_t *node;
};

static uint32_t child_of(struct build *b, struct forest *s, uint32_t parent,
			 uint32_t label, uint32_t frame)
{
	uint32_t above = parent == MODEL_NONE ? PARENT_ROOT | label : parent;
	uint64_t key = (uint64_t)above << 32 | frame;
	uint32_t n = index_get(&s->index, key, 0);

	if (n != INDEX_NONE)
		return n;
	n = s->nr;
	/* A root is made for every label: there are not many of these. */
	if ((n >= b->options.sample_nodes && parent != MODEL_NONE) ||
	    !build_grow(b, &s->nodes, n, sizeof(*s->nodes)))
		return MODEL_NONE;
	if (!index_put(&s->index, key, 0, n)) {
		b->out_of_memory = true;
		return MODEL_NONE;
	}
	s->nodes[n] = (struct model_sample_node){
		.label = label,
		.frame = frame,
		.parent = parent,
		.depth = parent == MODEL_NONE ? 0 : s->nodes[parent].depth + 1,
	};
	s->nr++;
	return n;
}

static void forest_free(struct forest *f)
{
	index_free(&f->index);
	free(f->nodes);
}

/* The node of a call chain, its outermost frame first; or MODEL_NONE. */
static uint32_t node_of(struct build *b, struct samples *s, uint32_t process,
			uint32_t label, const struct coroprof_record_sample *r)
{
	const uint64_t *address = (const uint64_t *)(r + 1);
	struct forest *f = &s->by_line;
	uint32_t node = MODEL_NONE;

	if (r->flags & COROPROF_SAMPLE_CUT)
		node = child_of(b, f, node, label, location_of_kind(s->frames, MODEL_FRAME_CUT));
	for (uint32_t i = r->nr; i-- > 0;) {
		struct location_chain chain = locations_of(s->frames, process, address[i], i > 0);

		for (uint32_t n = 0; n < chain.nr; n++) {
			node = child_of(b, f, node, label, chain.rows[n]);
			if (node == MODEL_NONE)
				return MODEL_NONE;
		}
	}
	if (r->flags & COROPROF_SAMPLE_IN_KERNEL)
		node = child_of(b, f, node, label, location_of_kind(s->frames, MODEL_FRAME_KERNEL));
	return node;
}

static void add_sample(struct build *b, struct samples *s, uint32_t channel,
		       const struct coroprof_record_sample *r)
{
	struct model *m = b->model;
	uint32_t process = m->channels[channel].process, number = r->label, label, node;
	struct model_coroutine *c = coroutine_find(b->profile, process, r->id);

	if (b->chosen && !chosen_has(b, channel, r->label, r->id & COROPROF_ID_THREAD))
		return;
	m->channels[channel].samples++;
	if (c)
		c->samples++;
	if (b->split)
		number = split_sample(b, channel, r->id, r->label, r->time);
	label = label_of(b, process, number, r->id & COROPROF_ID_THREAD);
	/* Those in what coroprof itself ran are its thread's, and none of the program. */
	if (label != MODEL_NONE && b->profile->labels[label].kind == MODEL_LABEL_TOOL) {
		b->profile->labels[label].samples++;
		return;
	}
	m->samples++;
	if (label == MODEL_NONE)
		return;
	b->profile->labels[label].samples++;
	if (!build_wants(b, process, r->id))
		return;
	node = node_of(b, s, process, label, r);
	if (node == MODEL_NONE)
		node = child_of(b, &s->by_line, MODEL_NONE, label,
				location_of_kind(s->frames, MODEL_FRAME_OTHER));
	if (node == MODEL_NONE)
		return;
	s->by_line.nodes[node].own++;
	timeline_samples_add(b, &(struct model_timeline_sample){
		r->time, channel, coroutine_row(b, c), node,
	});
}

static void add_segment(struct build *b, struct samples *s,
			const struct file_segment *segment, uint32_t channel,
			const void *payload)
{
	const struct coroprof_record *r;
	struct decode d;
	uint32_t read;

	decode_init(&d, payload, segment->size);
	for (read = 0; (r = decode_samples(&d)) && !b->out_of_memory; read++) {
		const struct coroprof_record_lost *lost = (const void *)r;
		const struct coroprof_record_sample *sample = (const void *)r;

		if (r->type == COROPROF_RECORD_SAMPLE) {
			if (sample->time >= b->from && sample->time < b->to)
				add_sample(b, s, channel, sample);
		} else if (lost->time >= b->from && lost->time < b->to) {
			b->channels[channel].announced_samples += lost->full;
		}
	}
	if (!d.fault)
		return;
	segment_cut(b, segment, read);
	damage_add(b, segment->offset, channel,
		   "a sample of channel %" PRIu32 ", at byte %zu of its segment, is malformed: %s; the rest of the segment is skipped",
		   segment->channel_id, d.position, d.fault);
}

static void read_segment(struct build *b, struct samples *s, uint32_t n)
{
	const struct file_segment *segment = &b->file->segments[n];
	uint32_t channel = channel_find(b, segment->channel_id);
	struct error err = ERROR_NONE;
	void *payload;

	if (channel == MODEL_NONE) {
		segment_cut(b, segment, 0);
		damage_add(b, segment->offset, MODEL_NONE,
			   "samples of channel %" PRIu32 ", which no record announces, are skipped",
			   segment->channel_id);
		return;
	}
	payload = malloc(segment->size);
	if (!payload)
		b->out_of_memory = true;
	else if (!file_read(b->file, n, payload, &err))
		add_segment(b, s, segment, channel, payload);
	else
		segment_unread(b, segment, channel, "a part of the samples",
			       &err);
	free(payload);
}

/* Children come behind their parents. */
static void sum_totals(struct forest *s)
{
	for (uint32_t i = s->nr; i-- > 0;) {
		s->nodes[i].total += s->nodes[i].own;
		if (s->nodes[i].parent != MODEL_NONE)
			s->nodes[s->nodes[i].parent].total += s->nodes[i].total;
	}
}

/* Lines of one function that have the same callers are one node of it. */
static void join_lines(struct build *b, struct samples *s)
{
	const struct model_location *locations = b->model->locations;

	s->node = calloc((size_t)s->by_line.nr + 1, sizeof(*s->node));
	if (!s->node)
		b->out_of_memory = true;
	for (uint32_t i = 0; i < s->by_line.nr && !b->out_of_memory; i++) {
		const struct model_sample_node *n = &s->by_line.nodes[i];
		uint32_t parent = n->parent == MODEL_NONE ? MODEL_NONE : s->node[n->parent];

		/* There are no more than there are by line: so there is room. */
		s->node[i] = child_of(b, &s->by_frame, parent, n->label, locations[n->frame].frame);
		if (s->node[i] == MODEL_NONE)
			return;
		s->by_frame.nodes[s->node[i]].own += n->own;
	}
}

/* All nodes of a label together, and still parents first. */
static void order_nodes(struct build *b, struct samples *samples)
{
	const struct forest *s = &samples->by_frame;
	struct model *m = b->model;
	uint32_t *first = calloc((size_t)b->profile->nr_labels + 2, sizeof(*first));
	uint32_t *moved_to = calloc((size_t)s->nr + 1, sizeof(*moved_to));

	m->sample_nodes = calloc((size_t)s->nr + 1, sizeof(*m->sample_nodes));
	if (!first || !moved_to || !m->sample_nodes) {
		b->out_of_memory = true;
		goto out;
	}
	for (uint32_t i = 0; i < s->nr; i++)
		first[s->nodes[i].label + 1]++;
	for (uint32_t i = 0; i < b->profile->nr_labels; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i < s->nr; i++) {
		struct model_sample_node *to;

		moved_to[i] = first[s->nodes[i].label]++;
		to = &m->sample_nodes[moved_to[i]];
		*to = s->nodes[i];
		if (to->parent != MODEL_NONE)
			to->parent = moved_to[to->parent];
	}
	m->nr_sample_nodes = s->nr;
	for (uint32_t i = 0; i < samples->by_line.nr; i++)
		samples->node[i] = moved_to[samples->node[i]];
	timeline_samples_finish(b, samples->node);
out:
	free(first);
	free(moved_to);
}

/* Where no line is known, they would say what functions say. */
static void keep_lines(struct build *b, struct samples *s)
{
	const struct model_sample_node *from = s->by_line.nodes;
	struct model *m = b->model;

	if (!frames_have_lines(s->frames)) {
		free(m->locations);
		m->locations = NULL;
		m->nr_locations = 0;
		return;
	}
	m->line_nodes = calloc((size_t)s->by_line.nr + 1, sizeof(*m->line_nodes));
	if (!m->line_nodes) {
		b->out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < s->by_line.nr; i++)
		m->line_nodes[i] = (struct model_line_node){
			s->node[i], from[i].frame, from[i].parent, from[i].own, from[i].total,
		};
	m->nr_line_nodes = s->by_line.nr;
}

static struct model_label_frame *label_frame_of(struct build *b,
						struct index *index,
						const struct model_sample_node *n)
{
	struct model *m = b->model;
	uint32_t row = index_get(index, n->label, n->frame);

	if (row != INDEX_NONE)
		return &m->label_frames[row];
	row = m->nr_label_frames;
	if (!build_grow(b, &m->label_frames, row, sizeof(*m->label_frames)))
		return NULL;
	if (!index_put(index, n->label, n->frame, row)) {
		b->out_of_memory = true;
		return NULL;
	}
	m->label_frames[row] = (struct model_label_frame){
		.label = n->label, .frame = n->frame,
	};
	m->nr_label_frames++;
	return &m->label_frames[row];
}

/* No caller of it is the same function: its samples are not counted twice. */
static bool is_outermost(const struct model *m,
			 const struct model_sample_node *n)
{
	for (uint32_t i = n->parent; i != MODEL_NONE;
	     i = m->sample_nodes[i].parent)
		if (m->sample_nodes[i].frame == n->frame)
			return false;
	return true;
}

static int by_own(const void *a, const void *b)
{
	const struct model_label_frame *x = a, *y = b;

	if (x->label != y->label)
		return x->label > y->label ? 1 : -1;
	if (x->own != y->own)
		return x->own < y->own ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static void add_up_labels(struct build *b)
{
	struct model *m = b->model;
	struct index index = { 0 };

	for (uint32_t i = 0; i < m->nr_sample_nodes; i++) {
		const struct model_sample_node *n = &m->sample_nodes[i];
		struct model_label_frame *l = label_frame_of(b, &index, n);
		uint64_t total = is_outermost(m, n) ? n->total : 0;

		if (!l)
			break;
		l->own += n->own;
		l->total += total;
		m->frames[n->frame].own += n->own;
		m->frames[n->frame].total += total;
	}
	index_free(&index);
	if (m->nr_label_frames)
		qsort(m->label_frames, m->nr_label_frames,
		      sizeof(*m->label_frames), by_own);
}

static bool is_outermost_line(const struct model *m, const struct model_line_node *n)
{
	for (uint32_t i = n->parent; i != MODEL_NONE; i = m->line_nodes[i].parent)
		if (m->line_nodes[i].location == n->location)
			return false;
	return true;
}

static void add_up_lines(struct model *m)
{
	for (uint32_t i = 0; i < m->nr_line_nodes; i++) {
		const struct model_line_node *n = &m->line_nodes[i];

		m->locations[n->location].own += n->own;
		m->locations[n->location].total += is_outermost_line(m, n) ? n->total : 0;
	}
}

void samples_add(struct build *b)
{
	const struct file *file = b->file;
	struct samples s = { 0 };
	uint32_t first = 0;

	while (first < file->nr_segments && file->segments[first].type != CPROF_SEGMENT_SAMPLES)
		first++;
	if (first == file->nr_segments)
		return;
	b->model->sampled = true;
	b->model->lines_sought = !b->options.no_inline && !b->options.no_symbols;
	s.frames = frames_new(b);
	for (uint32_t i = first; i < file->nr_segments && !b->out_of_memory; i++)
		if (file->segments[i].type == CPROF_SEGMENT_SAMPLES)
			read_segment(b, &s, i);
	if (!b->out_of_memory)
		join_lines(b, &s);
	if (!b->out_of_memory) {
		sum_totals(&s.by_line);
		sum_totals(&s.by_frame);
		order_nodes(b, &s);
	}
	if (!b->out_of_memory) {
		add_up_labels(b);
		keep_lines(b, &s);
		add_up_lines(b->model);
	}
	if (b->symbols)
		b->model->lines_fault = symbols_lines_fault(b->symbols);
	frames_free(s.frames);
	forest_free(&s.by_line);
	forest_free(&s.by_frame);
	free(s.node);
}
