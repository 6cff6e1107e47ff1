// SPDX-License-Identifier: GPL-2.0
/*
 * Moves the call trees of spans from the profile to the model, with siblings in order, and sums
 * them by span and by label.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "profile/span-names.h"
#include "profile/span-tables.h"
#include "profile/sums.h"

#define TOTAL	0
#define OWN	1

/*
 * The sums of a row; each row has those of the whole call (TOTAL) and those without the calls in it
 * (OWN).
 */
static struct model_sum *row_sums(const struct build *b,
				  struct model_sum *sums, uint32_t row,
				  unsigned int which)
{
	return &sums[(2 * (size_t)row + which) * sums_stride(b)];
}

static void subtract_child(struct build *b, struct model_sum *own,
			   const struct model_sum *child)
{
	for (uint32_t i = 0; i < sums_stride(b); i++) {
		own[i].count = less_within(own[i].count, child[i].count);
		own[i].missing_ns = less_within(own[i].missing_ns,
					 child[i].missing_ns);
		own[i].seen |= child[i].seen;
	}
}

/* Sets a node's sums, total and own: own is without the children. */
static void fill_node(struct build *b, struct model_span_node *n,
		      const struct profile_node *from, uint32_t row,
		      uint32_t pool)
{
	struct model *m = b->model;
	size_t bytes = sums_stride(b) * sizeof(struct model_sum);
	const struct model_sum *sums =
		&b->profile->node_sums[(size_t)pool * sums_stride(b)];
	struct model_sum *own = row_sums(b, m->span_node_sums, row, OWN);

	n->sums = (struct model_span_sums){
		.calls = from->calls, .outermost = from->calls,
		.wall_ns = from->wall_ns, .own_wall_ns = from->wall_ns,
		.running_ns = from->running_ns, .own_running_ns = from->running_ns,
		.at_most = from->at_most,
	};
	memcpy(row_sums(b, m->span_node_sums, row, TOTAL), sums, bytes);
	memcpy(own, sums, bytes);
	for (uint32_t i = from->children; i != MODEL_NONE;
	     i = b->profile->nodes[i].next) {
		const struct profile_node *child = &b->profile->nodes[i];

		n->sums.own_wall_ns = less_within(n->sums.own_wall_ns, child->wall_ns);
		n->sums.own_running_ns = less_within(n->sums.own_running_ns,
					      child->running_ns);
		subtract_child(b, own, &b->profile->node_sums[(size_t)i *
						      sums_stride(b)]);
	}
}

/* A node for a span that was not recorded has the sums of its children, and nothing of its own. */
static void fill_unseen_node(struct build *b, struct model_span_node *n,
			     const struct profile_node *from, uint32_t row)
{
	struct model_sum *total = row_sums(b, b->model->span_node_sums, row,
					   TOTAL);

	for (uint32_t i = from->children; i != MODEL_NONE;
	     i = b->profile->nodes[i].next) {
		n->sums.wall_ns += b->profile->nodes[i].wall_ns;
		n->sums.running_ns += b->profile->nodes[i].running_ns;
		sums_merge(b, total, &b->profile->node_sums[(size_t)i *
							sums_stride(b)]);
	}
}

/*
 * Appends the tree at node @pool of the profile to the model's nodes, depth first. @pools:
 * receives, of each row of these, its node in the pool.
 */
static void add_tree(struct build *b, uint32_t *pools, uint32_t label, uint32_t pool,
		     uint32_t parent, uint32_t depth)
{
	const struct profile_node *from = &b->profile->nodes[pool];
	uint32_t row = b->model->nr_span_nodes++;
	struct model_span_node *n = &b->model->span_nodes[row];

	pools[row] = pool;
	*n = (struct model_span_node){
		.label = label,
		.span = from->span,
		.parent = parent,
		.depth = depth,
	};
	if (from->span == MODEL_NONE)
		fill_unseen_node(b, n, from, row);
	else
		fill_node(b, n, from, row, pool);
	for (uint32_t i = from->children; i != MODEL_NONE;
	     i = b->profile->nodes[i].next)
		add_tree(b, pools, label, i, row, depth + 1);
}

/* Merges two sorted lists of siblings into one. */
static uint32_t merge_lists(struct profile_node *nodes, uint32_t a, uint32_t b)
{
	uint32_t head = MODEL_NONE, *end = &head;

	while (a != MODEL_NONE && b != MODEL_NONE) {
		uint32_t *first = nodes[b].span < nodes[a].span ? &b : &a;

		*end = *first;
		end = &nodes[*end].next;
		*first = *end;
	}
	*end = a != MODEL_NONE ? a : b;
	return head;
}

/* Cuts the first @nr nodes off @list, and returns them sorted by span. */
static uint32_t sort_list(struct profile_node *nodes, uint32_t *list, uint32_t nr)
{
	uint32_t head = *list, first;

	if (nr == 1) {
		*list = nodes[head].next;
		nodes[head].next = MODEL_NONE;
		return head;
	}
	first = sort_list(nodes, list, nr / 2);
	return merge_lists(nodes, first, sort_list(nodes, list, nr - nr / 2));
}

/*
 * Sorts siblings, in all levels, by the row of their span, which is in order of first appearance;
 * that does not depend on how the recording was cut into shards.
 */
static void sort_siblings(struct profile_node *nodes, uint32_t *list)
{
	uint32_t nr = 0;

	for (uint32_t i = *list; i != MODEL_NONE; i = nodes[i].next)
		nr++;
	if (nr)
		*list = sort_list(nodes, &(uint32_t){ *list }, nr);
	for (uint32_t i = *list; i != MODEL_NONE; i = nodes[i].next)
		sort_siblings(nodes, &nodes[i].children);
}

/*
 * Moves the trees of all labels to the model. @pools: receives, of each row of model.span_nodes,
 * its node in the profile.
 */
static void make_trees(struct build *b, uint32_t *pools)
{
	struct model *m = b->model;
	size_t stride = sums_stride(b);

	m->span_nodes = calloc((size_t)b->profile->nr_nodes + 1,
			       sizeof(*m->span_nodes));
	m->span_node_sums = calloc(2 * ((size_t)b->profile->nr_nodes + 1) * stride,
				   sizeof(*m->span_node_sums));
	if (!m->span_nodes || !m->span_node_sums) {
		b->out_of_memory = true;
		return;
	}
	for (uint32_t label = 0; label < b->profile->nr_roots; label++) {
		sort_siblings(b->profile->nodes, &b->profile->roots[label]);
		for (uint32_t i = b->profile->roots[label]; i != MODEL_NONE;
		     i = b->profile->nodes[i].next)
			add_tree(b, pools, label, i, MODEL_NONE, 0);
	}
}

/*
 * True if no caller of the node is a call of the same span: only such calls count in the span's
 * total.
 */
static bool is_outermost(const struct model *m, const struct model_span_node *n)
{
	for (uint32_t i = n->parent; i != MODEL_NONE; i = m->span_nodes[i].parent)
		if (m->span_nodes[i].span == n->span)
			return false;
	return true;
}

static void add_node_sums(struct build *b, struct model_span_sums *to,
			  struct model_sum *sums, uint32_t to_row, uint32_t node,
			  bool outermost)
{
	const struct model *m = b->model;
	const struct model_span_sums *s = &m->span_nodes[node].sums;

	to->calls += s->calls;
	to->own_wall_ns += s->own_wall_ns;
	to->own_running_ns += s->own_running_ns;
	to->at_most |= s->at_most;
	sums_merge(b, row_sums(b, sums, to_row, OWN),
		   row_sums(b, m->span_node_sums, node, OWN));
	if (!outermost)
		return;
	to->outermost += s->calls;
	to->wall_ns += s->wall_ns;
	to->running_ns += s->running_ns;
	sums_merge(b, row_sums(b, sums, to_row, TOTAL),
		   row_sums(b, m->span_node_sums, node, TOTAL));
}

static void add_node_squares(struct build *b, uint32_t to_row, uint32_t pool, bool outermost)
{
	uint32_t stride = squares_stride(b);
	const model_squares *from = &b->profile->node_squares[(size_t)pool * stride];
	model_squares *to = &b->model->label_span_squares[(size_t)to_row * stride];

	/* Every other one is of own figures. */
	for (uint32_t i = 0; i < stride; i++)
		if (outermost || i % 2)
			to[i] += from[i];
}

static bool add_squares_row(struct build *b, uint32_t row)
{
	struct model *m = b->model;
	size_t size = squares_stride(b) * sizeof(model_squares);

	if (!size)
		return true;
	if (!build_grow(b, &m->label_span_squares, row, size))
		return false;
	memset(&m->label_span_squares[(size_t)row * squares_stride(b)], 0, size);
	return true;
}

/* The row of a span in a label, a new one at the end if need be. */
static uint32_t label_span_of(struct build *b, struct index *index,
			      uint32_t label, uint32_t span)
{
	struct model *m = b->model;
	uint32_t row = index_get(index, label, span);
	size_t sums = 2 * sums_stride(b) * sizeof(struct model_sum);

	if (row != INDEX_NONE)
		return row;
	row = m->nr_label_spans;
	if (!build_grow(b, &m->label_spans, row, sizeof(*m->label_spans)) ||
	    !build_grow(b, &m->label_span_sums, row, sums) || !add_squares_row(b, row))
		return MODEL_NONE;
	if (!index_put(index, label, span, row)) {
		b->out_of_memory = true;
		return MODEL_NONE;
	}
	m->label_spans[row] = (struct model_label_span){ label, span, { 0 } };
	memset(row_sums(b, m->label_span_sums, row, TOTAL), 0, sums);
	m->nr_label_spans++;
	return row;
}

static void sum_by_span_and_label(struct build *b, const uint32_t *pools)
{
	struct model *m = b->model;
	struct index index = { 0 };

	m->span_sums = calloc(2 * ((size_t)m->nr_spans + 1) * sums_stride(b),
			      sizeof(*m->span_sums));
	if (!m->span_sums)
		b->out_of_memory = true;
	for (uint32_t i = 0; i < m->nr_span_nodes && !b->out_of_memory; i++) {
		const struct model_span_node *n = &m->span_nodes[i];
		bool outermost = is_outermost(m, n);
		uint32_t row;

		if (n->span == MODEL_NONE)
			continue;
		add_node_sums(b, &m->spans[n->span].sums, m->span_sums, n->span, i,
			      outermost);
		row = label_span_of(b, &index, n->label, n->span);
		if (row == MODEL_NONE)
			continue;
		add_node_sums(b, &m->label_spans[row].sums, m->label_span_sums, row, i, outermost);
		if (squares_stride(b))
			add_node_squares(b, row, pools[i], outermost);
	}
	index_free(&index);
}

struct row_order {
	uint32_t label;
	uint32_t row;
	uint64_t own_running_ns;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row_order *x = a, *y = b;

	if (x->label != y->label)
		return x->label > y->label ? 1 : -1;
	if (x->own_running_ns != y->own_running_ns)
		return x->own_running_ns < y->own_running_ns ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Brings the sums of squares into the order of their rows, in a new array. */
static void sort_squares(struct build *b, const struct row_order *order, size_t nr)
{
	struct model *m = b->model;
	size_t stride = squares_stride(b);
	model_squares *all = calloc(nr * stride + 1, sizeof(*all));

	if (!all) {
		b->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < nr; i++)
		memcpy(&all[i * stride], &m->label_span_squares[order[i].row * stride],
		       stride * sizeof(*all));
	free(m->label_span_squares);
	m->label_span_squares = all;
	m->nr_squares = (uint32_t)stride;
}

static void sort_label_spans(struct build *b)
{
	struct model *m = b->model;
	size_t nr = m->nr_label_spans, stride = 2 * sums_stride(b);
	struct row_order *order = calloc(nr + 1, sizeof(*order));
	struct model_label_span *rows = calloc(nr + 1, sizeof(*rows));
	struct model_sum *sums = calloc((nr + 1) * stride, sizeof(*sums));

	if (!order || !rows || !sums) {
		b->out_of_memory = true;
		goto out;
	}
	for (uint32_t i = 0; i < nr; i++)
		order[i] = (struct row_order){ m->label_spans[i].label, i,
					   m->label_spans[i].sums.own_running_ns };
	qsort(order, nr, sizeof(*order), compare_rows);
	for (uint32_t i = 0; i < nr; i++) {
		rows[i] = m->label_spans[order[i].row];
		memcpy(&sums[i * stride],
		       &m->label_span_sums[order[i].row * stride],
		       stride * sizeof(*sums));
	}
	if (squares_stride(b))
		sort_squares(b, order, nr);
	free(m->label_spans);
	free(m->label_span_sums);
	m->label_spans = rows;
	m->label_span_sums = sums;
	rows = NULL;
	sums = NULL;
out:
	free(order);
	free(rows);
	free(sums);
}

/* Calls of coroutines, and of labels by what their spans were in. */
static void set_call_counts(struct build *b)
{
	struct model *m = b->model;

	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		struct model_coroutine *c = &m->coroutines[i];
		uint32_t calls = index_get(&b->profile->calls, c->id, c->process);

		c->calls = calls == INDEX_NONE ? 0 : calls;
	}
	for (uint32_t i = 0; i < m->nr_label_spans; i++)
		m->labels[m->label_spans[i].label].calls += m->label_spans[i].sums.calls;
	m->calls_counted = squares_stride(b) && m->nr_label_spans;
}

void spans_finish(struct build *b)
{
	const struct profile *p = b->profile;
	struct model *m = b->model;
	uint32_t *pools;

	m->nr_span_calls = p->nr_span_calls;
	m->lost_spans = p->lost_spans;
	m->dropped_spans = p->dropped_spans;
	m->impossible_spans = p->impossible_spans;
	span_names_finish(b);
	if (!m->nr_span_calls || b->out_of_memory)
		return;
	pools = calloc((size_t)p->nr_nodes + 1, sizeof(*pools));
	if (pools)
		make_trees(b, pools);
	else
		b->out_of_memory = true;
	if (!b->out_of_memory)
		sum_by_span_and_label(b, pools);
	free(pools);
	if (!b->out_of_memory)
		sort_label_spans(b);
	set_call_counts(b);
}
