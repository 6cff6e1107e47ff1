// SPDX-License-Identifier: GPL-2.0
/*
 * Writes profile.proto, gzipped. Strings, functions and locations are numbered in order of
 * appearance; sample types follow enum type. put_...() encodes into the profile, or into the sample
 * at hand.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "output/export/pprof.h"
#include "output/export/proto.h"
#include "output/export/notes.h"
#include "output/export/weights.h"
#include "output/gzip.h"
#include "profile/schema.h"

/* Numbers of the fields in profile.proto. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};

/* It has that of a recording's file in it, if there are several. */
#define PROCESS_NAME	320

enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum location_field { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum line_field { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum function_field {
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};

/* What values are of, beside the counters, which follow their kind. */
enum type {
	TYPE_SLICES,
	TYPE_RUNNING,
	TYPE_PREEMPTED,
	TYPE_BLOCKED,
	TYPE_IDLE,
	TYPE_SUSPENDED,
	TYPE_AWAITING,
	TYPE_READY,
	TYPE_SAMPLES,
	TYPE_SPAN_CALLS,
	TYPE_SPAN_WALL,
	TYPE_SPAN_RUNNING,
	TYPE_COUNTERS,
	TYPE_SPAN_COUNTERS = TYPE_COUNTERS + MODEL_COUNTERS_MAX,
	NR_TYPES = TYPE_SPAN_COUNTERS + MODEL_COUNTERS_MAX,
};

/* Where a figure is no plain number. */
enum mark {
	MARK_SCALED,
	MARK_AT_LEAST,
	MARK_AT_MOST,
	MARK_NOT_SCHEDULED,
	MARK_UNSUPPORTED,
	MARK_NA,
	NR_MARKS,
};

static const char *const mark_names[NR_MARKS] = {
	"scaled", "at_least", "at_most", "not_scheduled", "unsupported", "na",
};

/* Of each standing, those that are said: bit n: enum mark n. */
static const unsigned int marks_of[STANDING_NR] = {
	[STANDING_AT_LEAST] = 1u << MARK_AT_LEAST, [STANDING_AT_MOST] = 1u << MARK_AT_MOST,
	[STANDING_SCALED] = 1u << MARK_SCALED, [STANDING_APPROXIMATE] = 1u << MARK_SCALED,
	[STANDING_AT_MOST_SCALED] = 1u << MARK_AT_MOST | 1u << MARK_SCALED,
	[STANDING_NA] = 1u << MARK_NA, [STANDING_NONE] = 1u << MARK_NA,
	[STANDING_NOT_SCHEDULED] = 1u << MARK_NOT_SCHEDULED,
	[STANDING_UNSUPPORTED] = 1u << MARK_UNSUPPORTED,
};

/**
 * struct sample_value - a value of a sample
 * @value:    it
 * @standing: how far it can be relied on
 */
struct sample_value {
	uint64_t value;
	enum standing standing;
};

/**
 * struct pprof - a profile being made
 * @m:          what of
 * @out:        message Profile
 * @part:       a message in it,
 * @inner:      and one in that
 * @nr_strings: strings written
 * @types:      string that names each type; 0: nothing is known of it, so that it
 *              is not in the profile
 * @marks:      string of each enum mark
 * @keys:       strings of the keys of labels
 * @labels, @processes, @channels: string of each one's name
 * @locations:  of each node of the forest by line
 * @nr_locations: the last one's number
 * @chains:     see location_of()
 * @figures:    of the sample being made
 */
struct pprof {
	const struct model *m;
	struct proto out;
	struct proto part;
	struct proto inner;
	uint64_t nr_strings;
	uint64_t types[NR_TYPES];
	uint64_t marks[NR_MARKS];
	struct { uint64_t coroutine, label, thread, process; } keys;
	uint64_t *labels;
	uint64_t *processes;
	uint64_t *channels;
	uint64_t *locations;
	uint32_t nr_locations;
	struct index chains;
	struct sample_value figures[NR_TYPES];
};

static uint64_t string_number(struct pprof *p, const char *text)
{
	proto_text(&p->out, PROFILE_STRING, text);
	return p->nr_strings++;
}

/* ------------------------------------------------------------------------
 * functions: labels, then frames, then spans, then what stands for spans that
 * were not seen to end. Each has one location, of the same number; those of lines
 * follow.
 */

static uint64_t function_of_label(uint32_t label)
{
	return 1 + (uint64_t)label;
}

static uint64_t function_of_frame(const struct model *m, uint32_t frame)
{
	return 1 + (uint64_t)m->nr_labels + frame;
}

static uint64_t function_of_span(const struct model *m, uint32_t span)
{
	return 1 + (uint64_t)m->nr_labels + m->nr_frames +
	       (span == MODEL_NONE ? m->nr_spans : span);
}

static void put_function(struct pprof *p, uint64_t id, uint64_t name, const char *path,
			 uint32_t line)
{
	uint64_t file = path ? string_number(p, path) : 0;

	proto_uint(&p->part, FUNCTION_ID, id);
	proto_uint(&p->part, FUNCTION_NAME, name);
	proto_uint(&p->part, FUNCTION_SYSTEM_NAME, name);
	proto_uint(&p->part, FUNCTION_FILE, file);
	if (line)
		proto_uint(&p->part, FUNCTION_LINE, line);
	proto_message(&p->out, PROFILE_FUNCTION, &p->part);
	proto_uint(&p->inner, LINE_FUNCTION, id);
	proto_uint(&p->part, LOCATION_ID, id);
	proto_message(&p->part, LOCATION_LINE, &p->inner);
	proto_message(&p->out, PROFILE_LOCATION, &p->part);
}

static void put_functions(struct pprof *p)
{
	const struct model *m = p->m;

	for (uint32_t i = 0; i < m->nr_labels; i++)
		put_function(p, function_of_label(i), p->labels[i], m->labels[i].object, 0);
	for (uint32_t i = 0; i < m->nr_frames; i++) {
		const struct model_frame *f = &m->frames[i];

		put_function(p, function_of_frame(m, i), string_number(p, f->name),
			     f->file ? f->file : f->object, f->line);
	}
	for (uint32_t i = 0; i < m->nr_spans; i++)
		put_function(p, function_of_span(m, i), string_number(p, m->spans[i].name),
			     m->spans[i].object, 0);
	if (m->nr_spans)
		put_function(p, function_of_span(m, MODEL_NONE),
			     string_number(p, "(spans not seen to end)"), NULL, 0);
}

/*
 * The number of the location of a line node, which is encoded the first time. pprof has the lines
 * of inlined functions in one location with that into which they are inlined. pprof.chains: finds a
 * location by its line and by the location around it, 0 if there is none.
 */
static uint64_t location_of(struct pprof *p, uint32_t node)
{
	const struct model_line_node *lines = p->m->line_nodes, *n = &lines[node];
	const struct model_location *source = &p->m->locations[n->location];
	uint32_t outer = 0, location;

	if (source->inlined && n->parent != MODEL_NONE)
		outer = (uint32_t)p->locations[n->parent];
	location = index_get(&p->chains, n->location, outer);
	if (location != INDEX_NONE)
		return location;
	location = ++p->nr_locations;
	p->out.failed |= !index_put(&p->chains, n->location, outer, location);
	for (uint32_t i = node; i != MODEL_NONE; i = lines[i].parent) {
		source = &p->m->locations[lines[i].location];
		proto_uint(&p->inner, LINE_FUNCTION, function_of_frame(p->m, source->frame));
		proto_uint(&p->inner, LINE_LINE, source->line);
		proto_message(&p->part, LOCATION_LINE, &p->inner);
		if (!source->inlined)
			break;
	}
	proto_uint(&p->part, LOCATION_ID, location);
	proto_message(&p->out, PROFILE_LOCATION, &p->part);
	return location;
}

/* In the order of nodes, in which callers come first. */
static void put_locations(struct pprof *p)
{
	p->nr_locations = (uint32_t)function_of_span(p->m, MODEL_NONE);
	for (uint32_t i = 0; i < p->m->nr_line_nodes && !p->out.failed; i++)
		p->locations[i] = location_of(p, i);
}

/* ------------------------------------------------------------------------
 * sample types
 */

struct type_text {
	const char *name;
	const char *unit;
};

static const struct type_text type_texts[] = {
	[TYPE_SLICES] = { "slices", "count" },
	[TYPE_RUNNING] = { "running", "nanoseconds" },
	[TYPE_PREEMPTED] = { "preempted", "nanoseconds" },
	[TYPE_BLOCKED] = { "blocked", "nanoseconds" },
	[TYPE_IDLE] = { "idle", "nanoseconds" },
	[TYPE_SUSPENDED] = { "suspended", "nanoseconds" },
	[TYPE_AWAITING] = { "awaiting", "nanoseconds" },
	[TYPE_READY] = { "ready", "nanoseconds" },
	[TYPE_SAMPLES] = { "samples", "count" },
	[TYPE_SPAN_CALLS] = { "span_calls", "count" },
	[TYPE_SPAN_WALL] = { "span_wall", "nanoseconds" },
	[TYPE_SPAN_RUNNING] = { "span_running", "nanoseconds" },
};

static void put_type(struct pprof *p, enum type type, const char *name, const char *unit)
{
	p->types[type] = string_number(p, name);
	proto_uint(&p->part, VALUE_TYPE_TYPE, p->types[type]);
	proto_uint(&p->part, VALUE_TYPE_UNIT, string_number(p, unit));
	proto_message(&p->out, PROFILE_SAMPLE_TYPE, &p->part);
}

static bool has_type(const struct model *m, enum type type)
{
	switch (type) {
	case TYPE_IDLE:
		return m->times.idle_ns;
	case TYPE_SUSPENDED:
		return model_suspended(&m->times).known != MODEL_NA;
	case TYPE_AWAITING:
		return model_awaiting(&m->times).known != MODEL_NA;
	case TYPE_READY:
		return model_ready(&m->times).known != MODEL_NA;
	case TYPE_SAMPLES:
		return m->sampled && m->unsampled < m->nr_channels;
	case TYPE_SPAN_CALLS:
	case TYPE_SPAN_WALL:
	case TYPE_SPAN_RUNNING:
		return m->nr_spans;
	default:
		return true;
	}
}

static void put_counter(struct pprof *p, uint32_t counter)
{
	const struct model_counter *c = &p->m->counters[counter];
	const char *unit = model_counter_is_time(c) ? "nanoseconds" : "count";
	char name[256];

	if (!standing_has_value(model_value_standing(model_total_value(p->m, counter))))
		return;
	put_type(p, TYPE_COUNTERS + counter, c->name, unit);
	if (!p->m->nr_spans)
		return;
	snprintf(name, sizeof(name), "span_%s", c->name);
	put_type(p, TYPE_SPAN_COUNTERS + counter, name, unit);
}

/* Encodes the types in the order of enum type, as values are; counters of spans come last. */
static void put_types(struct pprof *p)
{
	for (unsigned int i = 0; i < TYPE_COUNTERS; i++)
		if (has_type(p->m, i))
			put_type(p, i, type_texts[i].name, type_texts[i].unit);
	for (uint32_t i = 0; i < p->m->nr_counters; i++)
		put_counter(p, i);
}

/* The type at a position of the order in which put_types() encodes them. */
static unsigned int type_at(unsigned int position)
{
	unsigned int counter;

	if (position < TYPE_COUNTERS)
		return position;
	counter = (position - TYPE_COUNTERS) / 2;
	return (position - TYPE_COUNTERS) % 2 ? TYPE_SPAN_COUNTERS + counter :
					     TYPE_COUNTERS + counter;
}

/* ------------------------------------------------------------------------
 * samples
 */

static void put_label(struct pprof *p, uint64_t name, uint64_t text)
{
	proto_uint(&p->inner, LABEL_KEY, name);
	proto_uint(&p->inner, LABEL_TEXT, text);
	proto_message(&p->part, SAMPLE_LABEL, &p->inner);
}

static void put_label_names(struct pprof *p, uint32_t label)
{
	uint32_t process = p->m->labels[label].process;

	put_label(p, p->keys.label, p->labels[label]);
	if (process != MODEL_NONE)
		put_label(p, p->keys.process, p->processes[process]);
}

static void put_marks(struct pprof *p, unsigned int marks, uint64_t type)
{
	for (unsigned int i = 0; i < NR_MARKS; i++)
		if (marks & 1u << i)
			put_label(p, p->marks[i], type);
}

/* Encodes the values and their marks, and ends the sample. */
static void put_sample(struct pprof *p)
{
	for (unsigned int i = 0; i < NR_TYPES; i++)
		if (p->types[type_at(i)])
			proto_packed(&p->inner, p->figures[type_at(i)].value);
	proto_message(&p->part, SAMPLE_VALUE, &p->inner);
	for (unsigned int i = 0; i < NR_TYPES; i++)
		if (p->types[i])
			put_marks(p, marks_of[p->figures[i].standing], p->types[i]);
	proto_message(&p->out, PROFILE_SAMPLE, &p->part);
	memset(p->figures, 0, sizeof(p->figures));
}

static struct sample_value figure_of(struct model_value v)
{
	enum standing standing = model_value_standing(v);

	return (struct sample_value){ standing_has_value(standing) ? v.estimate : 0, standing };
}

static struct sample_value figure_of_ns(struct model_ns ns)
{
	return (struct sample_value){ ns.ns, model_ns_standing(ns) };
}

/* @less: a part of the figure is missing; @more: it may contain what belongs to another row. */
static void lower_standing(struct sample_value *f, bool less, bool more)
{
	if (more)
		f->standing = standing_alone(ALONE_EXCEEDS, f->standing);
	f->standing = standing_lacking(f->standing, less);
}

/* Marks all times and counters of slices as lower bounds. */
static void mark_slices_missing(struct pprof *p)
{
	for (unsigned int i = TYPE_SLICES; i <= TYPE_READY; i++)
		lower_standing(&p->figures[i], true, false);
	for (unsigned int i = TYPE_COUNTERS; i < TYPE_SPAN_COUNTERS; i++)
		lower_standing(&p->figures[i], true, false);
}

static void mark_span(struct pprof *p, const struct model_span_node *n)
{
	bool part = schema_lacks(p->m, SCHEMA_SPAN_NODES, n, MODEL_PARTIAL_SPANS);

	lower_standing(&p->figures[TYPE_SPAN_CALLS], part, false);
	lower_standing(&p->figures[TYPE_SPAN_WALL], part, n->sums.at_most);
	lower_standing(&p->figures[TYPE_SPAN_RUNNING], part, n->sums.at_most);
	for (unsigned int i = TYPE_SPAN_COUNTERS; i < NR_TYPES; i++)
		lower_standing(&p->figures[i], part, n->sums.at_most);
}

/* @thread: the gaps between its slices are those in which coroutines ran, so they are no waits. */
static void set_times(struct pprof *p, const struct model_times *t, bool thread)
{
	static const struct model_ns none;
	enum standing standing = model_times_standing(t, false);
	struct sample_value *f = p->figures;

	f[TYPE_SLICES].value = t->slices;
	f[TYPE_RUNNING] = (struct sample_value){ t->running_ns, standing };
	f[TYPE_PREEMPTED] = (struct sample_value){ t->preempted_ns, standing };
	f[TYPE_BLOCKED] = (struct sample_value){ t->blocked_ns, standing };
	f[TYPE_IDLE] = (struct sample_value){ t->idle_ns, standing };
	f[TYPE_SUSPENDED] = figure_of_ns(thread ? none : model_suspended(t));
	f[TYPE_AWAITING] = figure_of_ns(thread ? none : model_awaiting(t));
	f[TYPE_READY] = figure_of_ns(thread ? none : model_ready(t));
}

static void put_one_location(struct pprof *p, uint64_t location)
{
	proto_packed(&p->inner, location);
	proto_message(&p->part, SAMPLE_LOCATION, &p->inner);
}

/* Encodes the thread of a coroutine, if it ran on only one. */
static void put_thread(struct pprof *p, const struct model_coroutine *c)
{
	if (c->channel != MODEL_NONE && !c->migrations &&
	    model_coroutine_threads(c) == 1)
		put_label(p, p->keys.thread, p->channels[c->channel]);
}

static void put_coroutine(struct pprof *p, uint32_t row)
{
	const struct model_coroutine *c = &p->m->coroutines[row];
	bool thread = c->flags & MODEL_COROUTINE_THREAD;
	char id[24];

	put_one_location(p, function_of_label(c->label));
	put_label_names(p, c->label);
	put_thread(p, c);
	snprintf(id, sizeof(id), "%" PRIu64, c->id);
	if (!thread)
		put_label(p, p->keys.coroutine, string_number(p, id));
	set_times(p, &c->times, thread);
	for (uint32_t i = 0; i < p->m->nr_counters; i++)
		p->figures[TYPE_COUNTERS + i] = figure_of(model_coroutine_value(p->m, row, i));
	if (schema_lacks(p->m, SCHEMA_COROUTINES, c, MODEL_PARTIAL_SLICES))
		mark_slices_missing(p);
	put_sample(p);
}

static void put_whole_label(struct pprof *p, uint32_t row)
{
	const struct model_label *l = &p->m->labels[row];

	put_one_location(p, function_of_label(row));
	put_label_names(p, row);
	set_times(p, &l->times, l->kind == MODEL_LABEL_THREAD);
	for (uint32_t i = 0; i < p->m->nr_counters; i++)
		p->figures[TYPE_COUNTERS + i] = figure_of(model_label_value(p->m, row, i));
	if (schema_lacks(p->m, SCHEMA_LABELS, l, MODEL_PARTIAL_SLICES))
		mark_slices_missing(p);
	put_sample(p);
}

/*
 * Encodes what a label's counters have beyond those of its coroutines, @sums. A coroutine that ran
 * only while a scaled counter was not on the PMU has no estimate of its own, and the label's
 * includes one. The rest may be negative.
 */
static void put_rest_of_label(struct pprof *p, uint32_t label, const uint64_t *sums)
{
	bool any = false;

	for (uint32_t i = 0; i < p->m->nr_counters; i++) {
		struct sample_value f = figure_of(model_label_value(p->m, label, i));

		f.value -= sums[i];
		any |= f.value;
		p->figures[TYPE_COUNTERS + i] = f.value ? f : (struct sample_value){ 0 };
	}
	if (!any)
		return;
	put_one_location(p, function_of_label(label));
	put_label_names(p, label);
	put_sample(p);
}

static void put_rests(struct pprof *p)
{
	const struct model *m = p->m;
	uint32_t nr = m->nr_counters;
	uint64_t *sums = calloc((size_t)m->nr_labels * nr + 1, sizeof(*sums));

	if (!sums) {
		p->out.failed = true;
		return;
	}
	for (uint32_t i = 0; i < m->nr_coroutines; i++)
		for (uint32_t k = 0; k < nr; k++)
			sums[m->coroutines[i].label * nr + k] +=
				figure_of(model_coroutine_value(m, i, k)).value;
	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (m->labels[i].kind != MODEL_LABEL_TOOL)
			put_rest_of_label(p, i, &sums[(size_t)i * nr]);
	free(sums);
}

/*
 * Encodes coroutines, or labels alone if some coroutines were not kept: then only labels have the
 * whole sum.
 */
static void put_coroutines(struct pprof *p)
{
	if (p->m->nr_folded_coroutines) {
		for (uint32_t i = 0; i < p->m->nr_labels; i++)
			if (p->m->labels[i].kind != MODEL_LABEL_TOOL)
				put_whole_label(p, i);
		return;
	}
	for (uint32_t i = 0; i < p->m->nr_coroutines; i++)
		if (!(p->m->coroutines[i].flags & MODEL_COROUTINE_TOOL))
			put_coroutine(p, i);
	put_rests(p);
}

static void put_span_node(struct pprof *p, uint32_t row)
{
	const struct model_span_node *n = &p->m->span_nodes[row];
	struct sample_value *f = p->figures;

	for (uint32_t i = row; i != MODEL_NONE; i = p->m->span_nodes[i].parent)
		proto_packed(&p->inner, function_of_span(p->m, p->m->span_nodes[i].span));
	put_one_location(p, function_of_label(n->label));
	put_label_names(p, n->label);
	f[TYPE_SPAN_CALLS].value = n->sums.calls;
	f[TYPE_SPAN_WALL].value = n->sums.own_wall_ns;
	f[TYPE_SPAN_RUNNING].value = n->sums.own_running_ns;
	for (uint32_t i = 0; i < p->m->nr_counters; i++)
		f[TYPE_SPAN_COUNTERS + i] = figure_of(model_span_node_value(p->m, row, i, true));
	mark_span(p, n);
	put_sample(p);
}

static void put_sample_node(struct pprof *p, uint32_t row)
{
	const struct model_sample_node *n = &p->m->sample_nodes[row];

	for (uint32_t i = row; i != MODEL_NONE; i = p->m->sample_nodes[i].parent)
		proto_packed(&p->inner, function_of_frame(p->m, p->m->sample_nodes[i].frame));
	put_one_location(p, function_of_label(n->label));
	put_label_names(p, n->label);
	p->figures[TYPE_SAMPLES].value = n->own;
	lower_standing(&p->figures[TYPE_SAMPLES],
		       schema_lacks(p->m, SCHEMA_SAMPLE_NODES, n, MODEL_PARTIAL_SAMPLES), false);
	put_sample(p);
}

/* Inlined functions are in the location of the function around them. */
static void put_line_node(struct pprof *p, uint32_t row)
{
	const struct model_line_node *lines = p->m->line_nodes;
	uint32_t label = p->m->sample_nodes[lines[row].node].label;
	bool inlined = false;

	for (uint32_t i = row; i != MODEL_NONE; i = lines[i].parent) {
		if (!inlined)
			proto_packed(&p->inner, p->locations[i]);
		inlined = p->m->locations[lines[i].location].inlined;
	}
	put_one_location(p, function_of_label(label));
	put_label_names(p, label);
	p->figures[TYPE_SAMPLES].value = lines[row].own;
	lower_standing(&p->figures[TYPE_SAMPLES],
		       schema_lacks(p->m, SCHEMA_LINE_NODES, &lines[row], MODEL_PARTIAL_SAMPLES),
		       false);
	put_sample(p);
}

static void put_samples(struct pprof *p)
{
	put_coroutines(p);
	for (uint32_t i = 0; i < p->m->nr_span_nodes; i++)
		if (p->m->span_nodes[i].span != MODEL_NONE)
			put_span_node(p, i);
	for (uint32_t i = 0; i < p->m->nr_line_nodes; i++)
		if (p->m->line_nodes[i].own)
			put_line_node(p, i);
	if (p->m->nr_line_nodes)
		return;
	for (uint32_t i = 0; i < p->m->nr_sample_nodes; i++)
		if (p->m->sample_nodes[i].own)
			put_sample_node(p, i);
}

/* ------------------------------------------------------------------------
 * all of it
 */

static void put_comment(struct pprof *p, const char *text)
{
	proto_uint(&p->out, PROFILE_COMMENT, string_number(p, text));
}

static int put_comments(struct pprof *p)
{
	struct notes notes;
	char text[4096];

	if (notes_make(&notes, p->m))
		return -1;
	for (uint32_t i = 0; i < notes.nr; i++) {
		snprintf(text, sizeof(text), "%s: %s", notes.list[i].title,
			 notes.list[i].text);
		put_comment(p, text);
	}
	notes_free(&notes);
	for (uint32_t i = 0; i < p->m->nr_counters; i++)
		if (weight_sum_differs(p->m, i, text, sizeof(text)))
			put_comment(p, text);
	for (unsigned int i = 0; i < TYPE_COUNTERS; i++)
		if (!p->types[i]) {
			snprintf(text, sizeof(text), "n/a: %s", type_texts[i].name);
			put_comment(p, text);
		}
	if (p->m->nr_folded_coroutines) {
		snprintf(text, sizeof(text),
			 "coroutines: %" PRIu64 " of %" PRIu64 " are in no row of their own; samples are of labels, and have no label \"coroutine\"",
			 p->m->nr_folded_coroutines, p->m->nr_coroutines_total);
		put_comment(p, text);
	}
	return 0;
}

static void put_period(struct pprof *p)
{
	const struct model *m = p->m;

	if (!m->sampled || !m->sample_event || !m->sample_period)
		return;
	proto_uint(&p->part, VALUE_TYPE_TYPE, string_number(p, m->sample_event));
	proto_uint(&p->part, VALUE_TYPE_UNIT, string_number(p, "count"));
	proto_message(&p->out, PROFILE_PERIOD_TYPE, &p->part);
	proto_uint(&p->out, PROFILE_PERIOD, m->sample_period);
}

static void put_time(struct pprof *p)
{
	const struct model *m = p->m;

	if (m->realtime_known && m->begin_ns)
		proto_uint(&p->out, PROFILE_TIME_NS,
			   m->from_ns + (uint64_t)m->realtime_offset_ns);
	proto_uint(&p->out, PROFILE_DURATION_NS, m->end_ns - m->from_ns);
}

static void put_strings(struct pprof *p)
{
	const struct model *m = p->m;
	char text[PROCESS_NAME];

	string_number(p, "");
	p->keys.coroutine = string_number(p, "coroutine");
	p->keys.label = string_number(p, "label");
	p->keys.thread = string_number(p, "thread");
	p->keys.process = string_number(p, "process");
	for (unsigned int i = 0; i < NR_MARKS; i++)
		p->marks[i] = string_number(p, mark_names[i]);
	for (uint32_t i = 0; i < m->nr_labels; i++)
		p->labels[i] = string_number(p, m->labels[i].name);
	for (uint32_t i = 0; i < m->nr_processes; i++) {
		snprintf(text, sizeof(text), "%s %" PRId32,
			 m->processes[i].comm, m->processes[i].pid);
		p->processes[i] = string_number(p, text);
	}
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		snprintf(text, sizeof(text), "%s %" PRId32,
			 m->channels[i].comm, m->channels[i].tid);
		p->channels[i] = string_number(p, text);
	}
}

static int put_profile(struct pprof *p)
{
	put_strings(p);
	put_types(p);
	put_functions(p);
	put_locations(p);
	put_samples(p);
	put_time(p);
	put_period(p);
	proto_uint(&p->out, PROFILE_DEFAULT_TYPE, p->types[TYPE_RUNNING]);
	return put_comments(p);
}

static bool allocate_numbers(struct pprof *p)
{
	const struct model *m = p->m;

	p->labels = calloc((size_t)m->nr_labels + 1, sizeof(*p->labels));
	p->processes = calloc((size_t)m->nr_processes + 1, sizeof(*p->processes));
	p->channels = calloc((size_t)m->nr_channels + 1, sizeof(*p->channels));
	p->locations = calloc((size_t)m->nr_line_nodes + 1, sizeof(*p->locations));
	return p->labels && p->processes && p->channels && p->locations;
}

static void free_profile(struct pprof *p)
{
	proto_free(&p->out);
	proto_free(&p->part);
	proto_free(&p->inner);
	free(p->labels);
	free(p->processes);
	free(p->channels);
	free(p->locations);
	index_free(&p->chains);
}

static int write_packed(const struct proto *out, FILE *file)
{
	FILE *packed = gzip_open(file);
	bool sound;

	if (!packed)
		return -1;
	sound = fwrite(out->bytes.data, 1, out->bytes.size, packed) == out->bytes.size;
	return fclose(packed) || !sound ? -1 : 0;
}

int pprof_write(const struct model *m, FILE *file)
{
	struct pprof p = { .m = m };
	int ret = allocate_numbers(&p) ? put_profile(&p) : -1;

	if (!ret && p.out.failed) {
		errno = ENOMEM;
		ret = -1;
	}
	if (!ret)
		ret = write_packed(&p.out, file);
	free_profile(&p);
	return ret;
}
