// SPDX-License-Identifier: GPL-2.0
/*
 * Walks the model for one weight, and calls back with each stack and its value. Frames of all kinds
 * are numbered in one series: processes, labels, functions, spans, lines; first_label() and the
 * like are where each kind begins.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "output/export/weights.h"

static const struct weight named[] = {
	{ WEIGHT_SAMPLES, 0, "samples", false },
	{ WEIGHT_RUNNING, 0, "running", true },
	{ WEIGHT_PREEMPTED, 0, "preempted", true },
	{ WEIGHT_BLOCKED, 0, "blocked", true },
	{ WEIGHT_IDLE, 0, "idle", true },
	{ WEIGHT_SUSPENDED, 0, "suspended", true },
	{ WEIGHT_AWAITING, 0, "awaiting", true },
	{ WEIGHT_READY, 0, "ready", true },
	{ WEIGHT_SLICES, 0, "slices", false },
	{ WEIGHT_WALL, 0, "wall", true },
	{ WEIGHT_CALLS, 0, "calls", false },
};

static uint64_t estimate_or_zero(struct model_value v)
{
	return standing_has_value(model_value_standing(v)) ? v.estimate : 0;
}

static struct model_ns gap_time(const struct model_times *t, enum weight_of of)
{
	return of == WEIGHT_SUSPENDED ? model_suspended(t) :
	       of == WEIGHT_AWAITING ? model_awaiting(t) : model_ready(t);
}

static bool has_weight(const struct model *m, enum weight_of of)
{
	switch (of) {
	case WEIGHT_SAMPLES:
		return m->samples;
	case WEIGHT_IDLE:
		return m->times.idle_ns;
	case WEIGHT_SUSPENDED:
	case WEIGHT_AWAITING:
	case WEIGHT_READY:
		return gap_time(&m->times, of).known != MODEL_NA;
	case WEIGHT_WALL:
	case WEIGHT_CALLS:
		return m->nr_spans;
	default:
		return true;
	}
}

unsigned int weights_list(const struct model *m, struct weight list[WEIGHTS_MAX])
{
	unsigned int nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (has_weight(m, named[i].of))
			list[nr++] = named[i];
	for (uint32_t i = 0; i < m->nr_counters; i++)
		if (standing_has_value(model_value_standing(model_total_value(m, i))))
			list[nr++] = (struct weight){
				WEIGHT_COUNTER, i, m->counters[i].name,
				model_counter_is_time(&m->counters[i]),
			};
	return nr;
}

int weight_named(struct weight *weight, const struct model *m, const char *name,
		 struct error *err)
{
	struct weight list[WEIGHTS_MAX];
	unsigned int nr = weights_list(m, list);
	char names[1024] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (!strcmp(list[i].name, name)) {
			*weight = list[i];
			return 0;
		}
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", list[i].name);
	}
	return error_set(err, ENODATA, "--weight %s: the recording has no such figure. It has: %s",
			 name, names);
}

static enum standing weight_sum_standing(const struct model *m, const struct weight *w)
{
	switch (w->of) {
	case WEIGHT_SUSPENDED:
	case WEIGHT_AWAITING:
	case WEIGHT_READY:
		return standing_lacking(model_ns_standing(gap_time(&m->times, w->of)),
					model_lacks_slices(m));
	case WEIGHT_COUNTER:
		return standing_lacking(model_value_standing(model_total_value(m, w->counter)),
					model_lacks_slices(m));
	case WEIGHT_SAMPLES:
		return standing_seen(m->partial & MODEL_PARTIAL_SAMPLES);
	case WEIGHT_WALL:
	case WEIGHT_CALLS:
		return standing_seen(m->partial & MODEL_PARTIAL_SPANS);
	case WEIGHT_SLICES:
		return standing_seen(model_lacks_slices(m));
	default:
		return model_times_standing(&m->times, model_lacks_slices(m));
	}
}

const char *weight_standing(const struct model *m, const struct weight *w)
{
	enum standing standing = weight_sum_standing(m, w);

	return standing == STANDING_COUNTED ? NULL : standing_name(standing);
}

bool weight_sum_differs(const struct model *m, uint32_t counter, char *to, size_t capacity)
{
	uint64_t sum = 0, all = estimate_or_zero(model_total_value(m, counter));

	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (m->labels[i].kind != MODEL_LABEL_TOOL)
			sum += estimate_or_zero(model_label_value(m, i, counter));
	snprintf(to, capacity,
		 "%s: estimates of labels, which sum to %" PRIu64
		 "; of all together it is %" PRIu64,
		 m->counters[counter].name, sum, all);
	return sum != all;
}

/* ------------------------------------------------------------------------
 * frames: processes, labels, functions, spans, spans that were not seen to end, lines
 */

static uint32_t first_label(const struct model *m)
{
	return m->nr_processes;
}

static uint32_t first_frame(const struct model *m)
{
	return first_label(m) + m->nr_labels;
}

static uint32_t first_span(const struct model *m)
{
	return first_frame(m) + m->nr_frames;
}

uint32_t stack_frames_nr(const struct model *m)
{
	return first_span(m) + m->nr_spans + 1;
}

static uint32_t first_line(const struct model *m)
{
	return stack_frames_nr(m);
}

uint32_t stack_frames_nr_lines(const struct model *m)
{
	return first_line(m) + m->nr_locations;
}

uint32_t stack_frame_function(const struct model *m, uint32_t frame)
{
	return frame < first_line(m) ? frame :
	       first_frame(m) + m->locations[frame - first_line(m)].frame;
}

bool stack_frame_is_inlined(const struct model *m, uint32_t frame)
{
	return frame >= first_line(m) && m->locations[frame - first_line(m)].inlined;
}

const char *stack_frame_source(const struct model *m, uint32_t frame, uint32_t *line)
{
	*line = 0;
	if (frame >= first_line(m)) {
		*line = m->locations[frame - first_line(m)].line;
		return m->locations[frame - first_line(m)].file;
	}
	if (frame < first_frame(m) || frame >= first_span(m))
		return NULL;
	*line = m->frames[frame - first_frame(m)].line;
	return m->frames[frame - first_frame(m)].file;
}

const char *stack_frame_name(const struct model *m, uint32_t frame, char text[FRAME_NAME_SIZE])
{
	frame = stack_frame_function(m, frame);
	if (frame >= first_span(m) + m->nr_spans)
		return "(spans not seen to end)";
	if (frame >= first_span(m))
		return m->spans[frame - first_span(m)].name;
	if (frame >= first_frame(m))
		return m->frames[frame - first_frame(m)].name;
	if (frame >= first_label(m))
		return m->labels[frame - first_label(m)].name;
	snprintf(text, FRAME_NAME_SIZE, "%s %" PRId32, m->processes[frame].comm,
		 m->processes[frame].pid);
	return text;
}

const char *stack_frame_object(const struct model *m, uint32_t frame)
{
	frame = stack_frame_function(m, frame);
	if (frame >= first_span(m) + m->nr_spans)
		return NULL;
	if (frame >= first_span(m))
		return m->spans[frame - first_span(m)].object;
	if (frame >= first_frame(m))
		return m->frames[frame - first_frame(m)].object;
	return frame >= first_label(m) ? m->labels[frame - first_label(m)].object : NULL;
}

/* ------------------------------------------------------------------------
 * stacks
 */

/**
 * struct stack_walk - a walk over all stacks
 * @m, @w:  what of
 * @frames: of the stack
 * @capacity: how many fit; a tree may be as deep as it has nodes
 * @lines:  of samples, by line
 */
struct stack_walk {
	const struct model *m;
	const struct weight *w;
	void (*use)(void *context, const struct stack *stack);
	void *context;
	uint32_t *frames;
	uint32_t capacity;
	bool lines;
};

static int pass_stack(struct stack_walk *k, uint32_t nr, uint64_t value)
{
	const struct stack stack = { k->frames, nr, value };

	if (value)
		k->use(k->context, &stack);
	return 0;
}

static bool reserve_frames(struct stack_walk *k, uint32_t nr)
{
	uint32_t *frames;

	if (nr <= k->capacity)
		return true;
	frames = realloc(k->frames, 2 * (size_t)nr * sizeof(*frames));
	if (!frames)
		return false;
	k->frames = frames;
	k->capacity = 2 * nr;
	return true;
}

/*
 * Begins a stack with process and label; returns how many frames these are. The process is left out
 * if there is only one.
 */
static uint32_t begin_stack(struct stack_walk *k, uint32_t label)
{
	uint32_t process = k->m->labels[label].process, nr = 0;

	if (k->m->nr_processes > 1 && process != MODEL_NONE)
		k->frames[nr++] = process;
	k->frames[nr++] = first_label(k->m) + label;
	return nr;
}

/* Passes the stack of a node with the samples that were taken in it itself. */
static int use_sample_node(struct stack_walk *k, uint32_t node)
{
	const struct model_sample_node *n = &k->m->sample_nodes[node];
	uint32_t at, depth = n->depth + 1;

	if (!n->own)
		return 0;
	if (!reserve_frames(k, depth + 2))
		return -1;
	at = begin_stack(k, n->label) + depth;
	for (uint32_t i = node, to = at; i != MODEL_NONE; i = k->m->sample_nodes[i].parent)
		k->frames[--to] = first_frame(k->m) + k->m->sample_nodes[i].frame;
	return pass_stack(k, at, n->own);
}

/* As deep as the sample node of which the line is a part. */
static int use_line_node(struct stack_walk *k, uint32_t node)
{
	const struct model_line_node *lines = k->m->line_nodes, *n = &lines[node];
	const struct model_sample_node *of = &k->m->sample_nodes[n->node];
	uint32_t at, depth = of->depth + 1;

	if (!n->own)
		return 0;
	if (!reserve_frames(k, depth + 2))
		return -1;
	at = begin_stack(k, of->label) + depth;
	for (uint32_t i = node, to = at; i != MODEL_NONE; i = lines[i].parent)
		k->frames[--to] = first_line(k->m) + lines[i].location;
	return pass_stack(k, at, n->own);
}

static uint32_t span_frame(const struct model *m, uint32_t span)
{
	return first_span(m) + (span == MODEL_NONE ? m->nr_spans : span);
}

/* Passes the stack of spans at a node, with @value. */
static int use_span_node(struct stack_walk *k, uint32_t node, uint64_t value)
{
	const struct model_span_node *n = &k->m->span_nodes[node];
	uint32_t at, depth = n->depth + 1;

	if (!reserve_frames(k, depth + 2))
		return -1;
	at = begin_stack(k, n->label) + depth;
	for (uint32_t i = node, to = at; i != MODEL_NONE; i = k->m->span_nodes[i].parent)
		k->frames[--to] = span_frame(k->m, k->m->span_nodes[i].span);
	return pass_stack(k, at, value);
}

/* @own: without the spans inside. */
static uint64_t node_value(const struct stack_walk *k, uint32_t node, bool own)
{
	const struct model_span_node *n = &k->m->span_nodes[node];

	switch (k->w->of) {
	case WEIGHT_RUNNING:
		return own ? n->sums.own_running_ns : n->sums.running_ns;
	case WEIGHT_WALL:
		return own ? n->sums.own_wall_ns : n->sums.wall_ns;
	case WEIGHT_CALLS:
		return n->sums.calls;
	case WEIGHT_COUNTER:
		return estimate_or_zero(model_span_node_value(k->m, node, k->w->counter, own));
	default:
		return 0;
	}
}

static uint64_t label_value(const struct stack_walk *k, uint32_t label)
{
	const struct model_label *l = &k->m->labels[label];

	switch (k->w->of) {
	case WEIGHT_RUNNING:
		return l->times.running_ns;
	case WEIGHT_PREEMPTED:
		return l->times.preempted_ns;
	case WEIGHT_BLOCKED:
		return l->times.blocked_ns;
	case WEIGHT_IDLE:
		return l->times.idle_ns;
	case WEIGHT_SLICES:
		return l->times.slices;
	case WEIGHT_COUNTER:
		return estimate_or_zero(model_label_value(k->m, label, k->w->counter));
	default:
		return model_label_is_outside(l) ? 0 : gap_time(&l->times, k->w->of).ns;
	}
}

static int walk_samples(struct stack_walk *k)
{
	bool lines = k->lines && k->m->nr_line_nodes;
	uint32_t nr = lines ? k->m->nr_line_nodes : k->m->nr_sample_nodes;

	for (uint32_t i = 0; i < nr; i++)
		if (lines ? use_line_node(k, i) : use_sample_node(k, i))
			return -1;
	return 0;
}

static int walk_spans(struct stack_walk *k)
{
	for (uint32_t i = 0; i < k->m->nr_span_nodes; i++)
		if (k->m->span_nodes[i].span != MODEL_NONE &&
		    use_span_node(k, i, node_value(k, i, true)))
			return -1;
	return 0;
}

/*
 * For a label by itself, the value is what it has beyond its spans. That holds for scaled counters
 * as well, whose estimate for a span differs from the sum of the estimates within it.
 */
static int walk_labels(struct stack_walk *k)
{
	uint64_t *inside = calloc((size_t)k->m->nr_labels + 1, sizeof(*inside));

	if (!inside)
		return -1;
	for (uint32_t i = 0; i < k->m->nr_span_nodes; i++)
		if (k->m->span_nodes[i].span != MODEL_NONE)
			inside[k->m->span_nodes[i].label] += node_value(k, i, true);
	for (uint32_t i = 0; i < k->m->nr_labels; i++) {
		uint64_t value = label_value(k, i);

		if (k->m->labels[i].kind == MODEL_LABEL_TOOL)
			continue;
		pass_stack(k, begin_stack(k, i), value > inside[i] ? value - inside[i] : 0);
	}
	free(inside);
	return 0;
}

static int walk_weight(struct stack_walk *k)
{
	if (!reserve_frames(k, 2))
		return -1;
	switch (k->w->of) {
	case WEIGHT_SAMPLES:
		return walk_samples(k);
	case WEIGHT_WALL:
	case WEIGHT_CALLS:
		return walk_spans(k);
	case WEIGHT_RUNNING:
	case WEIGHT_COUNTER:
		return walk_labels(k) || walk_spans(k) ? -1 : 0;
	default:
		return walk_labels(k);
	}
}

int weights_walk(const struct model *m, const struct weight *w,
		 void (*use_stack)(void *context, const struct stack *stack), void *context)
{
	struct stack_walk k = { .m = m, .w = w, .use = use_stack, .context = context };
	int ret = walk_weight(&k);

	free(k.frames);
	return ret;
}

int weights_walk_lines(const struct model *m, const struct weight *w,
		       void (*use_stack)(void *context, const struct stack *stack), void *context)
{
	struct stack_walk k = {
		.m = m, .w = w, .use = use_stack, .context = context, .lines = true
	};
	int ret = walk_weight(&k);

	free(k.frames);
	return ret;
}
