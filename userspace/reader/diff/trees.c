// SPDX-License-Identifier: GPL-2.0
/* One tree of the calls of both recordings: calls of one name within one call are one. */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/util.h"
#include "diff/internal.h"
#include "profile/schema.h"

/**
 * struct trees - under way
 * @model: what the nodes are put into
 * @sides: by enum model_age: of labels on these sides alone; NULL: of all
 * @names: all names there are, in order, each once
 * @nr:    how many
 * @nodes: by parent, name and what they are of
 * @slices: of each name that is a label's, by enum model_age
 * @least: likewise: slices are missing
 * @lost:  spans, and samples, are missing, by enum model_age
 * @failed: out of memory
 */
struct trees {
	struct model *model;
	const uint8_t *sides;
	const char **names;
	uint32_t nr;
	struct index nodes;
	uint64_t (*slices)[MODEL_AGES];
	bool (*least)[MODEL_AGES];
	bool lost[2][MODEL_AGES];
	bool failed;
};

/* ------------------------------------------------------------------------
 * names
 */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *span_name(const struct model *m, uint32_t span)
{
	return span == MODEL_NONE ? "(not seen to end)" : m->spans[span].name;
}

static void add_names(struct trees *t, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_labels; i++)
		t->names[t->nr++] = m->labels[i].name;
	for (uint32_t i = 0; i < m->nr_frames; i++)
		t->names[t->nr++] = m->frames[i].name;
	for (uint32_t i = 0; i < m->nr_spans; i++)
		t->names[t->nr++] = m->spans[i].name;
	t->names[t->nr++] = span_name(m, MODEL_NONE);
}

static void sort_names(struct trees *t)
{
	uint32_t nr = 0;

	qsort(t->names, t->nr, sizeof(*t->names), by_name);
	for (uint32_t i = 0; i < t->nr; i++)
		if (!nr || strcmp(t->names[nr - 1], t->names[i]))
			t->names[nr++] = t->names[i];
	t->nr = nr;
}

static uint32_t number_of(const struct trees *t, const char *name)
{
	const char **found = bsearch(&name, t->names, t->nr, sizeof(*t->names), by_name);

	return (uint32_t)(found - t->names);
}

static size_t count_names(const struct model *m)
{
	return (size_t)m->nr_labels + m->nr_frames + m->nr_spans + 1;
}

/* ------------------------------------------------------------------------
 * nodes
 */

static struct model_change_node *new_node(struct trees *t)
{
	struct model *m = t->model;

	if (!array_grow(&m->change_nodes, m->nr_change_nodes, sizeof(*m->change_nodes)))
		return NULL;
	return &m->change_nodes[m->nr_change_nodes++];
}

static uint32_t make_node(struct trees *t, bool samples, uint32_t parent, const char *name)
{
	struct model_change_node *node = new_node(t);

	if (!node)
		return MODEL_NONE;
	*node = (struct model_change_node){
		.samples = samples, .name = strdup(name), .parent = parent,
	};
	return node->name ? t->model->nr_change_nodes - 1 : MODEL_NONE;
}

/* The node of this name there, which is made if need be; MODEL_NONE: no memory. */
static uint32_t node_of(struct trees *t, bool samples, uint32_t parent, const char *name)
{
	uint64_t key = (uint64_t)parent << 32 | number_of(t, name);
	uint32_t node = index_get(&t->nodes, key, samples);

	if (node != INDEX_NONE)
		return node;
	node = make_node(t, samples, parent, name);
	if (node == MODEL_NONE || !index_put(&t->nodes, key, samples, node)) {
		t->failed = true;
		return MODEL_NONE;
	}
	return node;
}

/**
 * struct call - a node of one recording's tree
 * @label:  of the coroutines
 * @parent: its row there
 */
struct call {
	const char *name;
	const struct model_label *label;
	uint32_t parent;
	uint64_t own;
	uint64_t total;
};

static struct call call_of(const struct model *m, bool samples, uint32_t row)
{
	if (samples) {
		const struct model_sample_node *node = &m->sample_nodes[row];

		return (struct call){ m->frames[node->frame].name, &m->labels[node->label],
				      node->parent, node->own, node->total };
	} else {
		const struct model_span_node *node = &m->span_nodes[row];

		return (struct call){ span_name(m, node->span), &m->labels[node->label],
				      node->parent, node->sums.own_running_ns,
				      node->sums.running_ns };
	}
}

static void add_call(struct trees *t, enum model_age age, bool samples, const struct call *call,
		     uint32_t *at, uint32_t row)
{
	bool outermost = call->parent == MODEL_NONE;
	uint32_t root = outermost ? node_of(t, samples, MODEL_NONE, call->label->name) : MODEL_NONE;
	struct model_change_node *node;

	if (t->failed)
		return;
	at[row] = node_of(t, samples, outermost ? root : at[call->parent], call->name);
	if (t->failed)
		return;
	node = &t->model->change_nodes[at[row]];
	node->own[age] += call->own;
	node->total[age] += call->total;
	if (outermost)
		t->model->change_nodes[root].total[age] += call->total;
}

static bool is_wanted(const struct trees *t, const struct model_label *label, enum model_age age)
{
	return !t->sides || label->side == t->sides[age];
}

/* Parents come before children. */
static void add_tree(struct trees *t, const struct model *m, enum model_age age, bool samples)
{
	uint32_t nr = samples ? m->nr_sample_nodes : m->nr_span_nodes;
	uint32_t *at = calloc((size_t)nr + 1, sizeof(*at));

	t->failed |= !at;
	for (uint32_t row = 0; !t->failed && row < nr; row++) {
		struct call call = call_of(m, samples, row);

		/* All of a tree are of one label. */
		if (is_wanted(t, call.label, age))
			add_call(t, age, samples, &call, at, row);
	}
	free(at);
}

/* ------------------------------------------------------------------------
 * slices
 */

static void add_slices(struct trees *t, const struct model *m, enum model_age age)
{
	t->lost[true][age] = m->lost_samples;
	t->lost[false][age] = m->partial & MODEL_PARTIAL_SPANS;
	for (uint32_t i = 0; i < m->nr_labels; i++) {
		const struct model_label *l = &m->labels[i];

		if (!is_wanted(t, l, age))
			continue;
		t->slices[number_of(t, l->name)][age] += l->times.slices;
		if (schema_lacks(m, SCHEMA_LABELS, l, MODEL_PARTIAL_SLICES))
			t->least[number_of(t, l->name)][age] = true;
	}
}

/* All of a tree are of one label. */
static void set_slices(struct trees *t)
{
	struct model_change_node *nodes = t->model->change_nodes;

	for (uint32_t i = 0; i < t->model->nr_change_nodes; i++) {
		struct model_change_node *n = &nodes[i];
		uint32_t label;

		if (n->parent != MODEL_NONE) {
			memcpy(n->slices, nodes[n->parent].slices, sizeof(n->slices));
			memcpy(n->at_least, nodes[n->parent].at_least, sizeof(n->at_least));
			continue;
		}
		label = number_of(t, n->name);
		for (unsigned int age = 0; age < MODEL_AGES; age++) {
			n->slices[age] = t->slices[label][age];
			n->at_least[age] = t->least[label][age] || t->lost[n->samples][age];
		}
	}
}

static void add_all(struct trees *t, const struct model *m, enum model_age age)
{
	add_slices(t, m, age);
	add_tree(t, m, age, true);
	add_tree(t, m, age, false);
}

int diff_trees(struct model *to, const struct model *const models[MODEL_AGES],
	       const uint8_t *sides)
{
	const struct model *old = models[MODEL_OLD], *new = models[MODEL_NEW];
	struct trees t = { .model = to, .sides = sides };

	t.names = calloc(count_names(new) + count_names(old), sizeof(*t.names));
	t.slices = calloc(count_names(new) + count_names(old), sizeof(*t.slices));
	t.least = calloc(count_names(new) + count_names(old), sizeof(*t.least));
	t.failed = !t.names || !t.slices || !t.least;
	if (!t.failed) {
		add_names(&t, old);
		add_names(&t, new);
		sort_names(&t);
		add_all(&t, new, MODEL_NEW);
		add_all(&t, old, MODEL_OLD);
		set_slices(&t);
	}
	index_free(&t.nodes);
	free(t.names);
	free(t.slices);
	free(t.least);
	return t.failed ? -1 : 0;
}
