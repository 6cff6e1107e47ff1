// SPDX-License-Identifier: GPL-2.0
/*
 * Spans, as they end: those in a span have come before it, all of one coroutine
 * in order of time, wherever they ended. So each is kept until the one that it
 * was in ends, and goes below that: added up, for a span may have any number of
 * spans in it. What is complete waits for the coroutine's slice to end, which
 * has the coroutine's label, and goes to the call tree of that.
 *
 * In a shard that is not the first, a span of less depth than any of the
 * coroutine before may have spans of the shard before in it. It stays in the
 * left boundary, with those of this shard that are in it.
 *
 * The nodes of all these trees are in one pool. A node is found by its parent,
 * see key_of(), and the name of its spans.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "profile/chosen.h"
#include "profile/coroutines.h"
#include "profile/histogram.h"
#include "profile/labels.h"
#include "profile/losses.h"
#include "profile/span-names.h"
#include "profile/spans.h"
#include "profile/sums.h"
#include "profile/timeline-spans.h"

/* Deeper ones are dropped: no honest program has them. */
#define DEPTH_MAX	1000

/* Of a coroutine of which no span has ended yet. */
#define DEPTH_OPEN	UINT32_MAX

/* A parent that is no node, but what a tree of its own is of: in the number. */
#define PARENT_PENDING	0x80000000u	/* a coroutine's, by row */
#define PARENT_ROOT	0xc0000000u	/* a label's, by row */

static struct model_sum *sums_at(const struct build *b,
				 const struct profile *p, uint32_t node)
{
	return &p->node_sums[(size_t)node * sums_stride(b)];
}

static model_squares *squares_at(const struct build *b, const struct profile *p, uint32_t node)
{
	return &p->node_squares[(size_t)node * squares_stride(b)];
}

static uint64_t key_of(uint32_t parent, uint32_t span)
{
	return (uint64_t)parent << 32 | span;
}

/*
 * Spans that go on pending, of different depths, and before and after a loss,
 * are apart.
 */
static uint32_t tag_of(const struct profile_node *n)
{
	return n->depth ? n->depth << 16 | (n->generation & 0xffff) : 0;
}

static uint32_t new_node(struct build *b, uint32_t span)
{
	struct profile *p = b->profile;
	uint32_t at = p->free_node;

	if (at != MODEL_NONE) {
		p->free_node = p->nodes[at].next;
	} else {
		at = p->nr_nodes;
		if (at >= b->options.span_nodes ||
		    !build_grow(b, &p->nodes, at, sizeof(*p->nodes)) ||
		    !build_grow(b, &p->node_sums, at, sums_stride(b) *
				sizeof(*p->node_sums)) ||
		    (squares_stride(b) &&
		     !build_grow(b, &p->node_squares, at, squares_stride(b) *
				 sizeof(*p->node_squares))))
			return MODEL_NONE;
		p->nr_nodes++;
	}
	p->nodes[at] = (struct profile_node){
		.span = span,
		.children = MODEL_NONE,
		.next = MODEL_NONE,
		.begin_ns = UINT64_MAX,
	};
	memset(sums_at(b, p, at), 0,
	       sums_stride(b) * sizeof(struct model_sum));
	if (squares_stride(b))
		memset(squares_at(b, p, at), 0, squares_stride(b) * sizeof(model_squares));
	return at;
}

static void put_key(struct build *b, uint32_t parent, uint32_t tag,
		    uint32_t node)
{
	struct profile *p = b->profile;

	if (!index_put(&p->node_index, key_of(parent, p->nodes[node].span), tag,
		       node))
		b->out_of_memory = true;
}

static void remove_key(struct profile *p, uint32_t parent, uint32_t tag,
		       uint32_t node)
{
	index_remove(&p->node_index, key_of(parent, p->nodes[node].span), tag);
}

static void free_node(struct profile *p, uint32_t node)
{
	p->nodes[node].next = p->free_node;
	p->free_node = node;
}

static void graft_below(struct build *b, uint32_t parent, uint32_t node);

static void add_figures(struct build *b, uint32_t to, uint32_t from)
{
	struct profile *p = b->profile;
	struct profile_node *t = &p->nodes[to];
	const struct profile_node *f = &p->nodes[from];

	t->calls += f->calls;
	t->wall_ns += f->wall_ns;
	t->running_ns += f->running_ns;
	t->at_most |= f->at_most;
	for (uint32_t i = 0; i < squares_stride(b); i++)
		squares_at(b, p, to)[i] += squares_at(b, p, from)[i];
	if (f->begin_ns < t->begin_ns)
		t->begin_ns = f->begin_ns;
	sums_merge(b, sums_at(b, p, to), sums_at(b, p, from));
}

/*
 * Puts a node, which is in no list and has no key, below @parent, whose list is
 * @head: beside those of other names, or into the one of its own.
 */
static void graft(struct build *b, uint32_t parent, uint32_t tag, uint32_t *head,
		  uint32_t node)
{
	struct profile *p = b->profile;
	struct profile_node *n = &p->nodes[node];
	uint32_t there = index_get(&p->node_index, key_of(parent, n->span), tag);
	uint32_t child, next;

	if (there == INDEX_NONE) {
		n->next = *head;
		*head = node;
		put_key(b, parent, tag, node);
		return;
	}
	add_figures(b, there, node);
	for (child = n->children; child != MODEL_NONE; child = next) {
		next = p->nodes[child].next;
		remove_key(p, node, 0, child);
		graft_below(b, there, child);
	}
	free_node(p, node);
}

static void graft_below(struct build *b, uint32_t parent, uint32_t node)
{
	graft(b, parent, 0, &b->profile->nodes[parent].children, node);
}

static void drop_span(struct build *b, uint32_t process, uint64_t time)
{
	b->profile->dropped_spans++;
	process_spans_lost(b, process, time);
}

/* ---- what a coroutine has pending */

static uint32_t pending_find(const struct profile *p, uint32_t process,
			     uint64_t id)
{
	return index_get(&p->pending_index, id, process);
}

static uint32_t new_pending(struct build *b)
{
	struct profile *p = b->profile;
	uint32_t at = p->free_pending;

	if (at != MODEL_NONE) {
		p->free_pending = p->pending[at].inner;
		return at;
	}
	at = p->nr_pending;
	if (at >= b->options.span_nodes ||
	    !build_grow(b, &p->pending, at, sizeof(*p->pending)))
		return MODEL_NONE;
	p->nr_pending++;
	return at;
}

static uint32_t pending_of(struct build *b, uint32_t process, uint64_t id)
{
	struct profile *p = b->profile;
	const struct model_coroutine *c;
	uint32_t at = pending_find(p, process, id);

	if (at != INDEX_NONE)
		return at;
	at = new_pending(b);
	if (at == MODEL_NONE)
		return at;
	c = p->begins ? NULL : coroutine_find(p, process, id);
	p->pending[at] = (struct profile_pending){
		.id = id,
		.process = process,
		.inner = MODEL_NONE,
		.outer = MODEL_NONE,
		.unseen = MODEL_NONE,
		.used = true,
		.after_slice = c != NULL,
		.least_depth = coroutine_is_of_shard(p, c) ? 0 : DEPTH_OPEN,
		.first_op = MODEL_NONE,
		.last_op = MODEL_NONE,
	};
	if (!index_put(&p->pending_index, id, process, at))
		b->out_of_memory = true;
	p->nr_pending_used++;
	return at;
}

static void free_pending(struct profile *p, uint32_t at)
{
	struct profile_pending *e = &p->pending[at];

	index_remove(&p->pending_index, e->id, e->process);
	e->used = false;
	e->inner = p->free_pending;
	p->free_pending = at;
	p->nr_pending_used--;
}

static void free_empty_pending(struct profile *p, uint32_t at)
{
	const struct profile_pending *e = &p->pending[at];

	if (e->inner == MODEL_NONE && e->outer == MODEL_NONE &&
	    e->unseen == MODEL_NONE && e->first_op == MODEL_NONE)
		free_pending(p, at);
}

/* Nobody will say what this one was in. */
static void orphan(struct build *b, uint32_t pending, uint32_t node)
{
	struct profile *p = b->profile;
	uint32_t unseen = p->pending[pending].unseen;

	if (unseen == MODEL_NONE)
		unseen = new_node(b, MODEL_NONE);
	if (unseen == MODEL_NONE) {
		/* Without room for that, it stands for itself. */
		graft(b, PARENT_PENDING | pending, 0, &p->pending[pending].outer,
		      node);
		return;
	}
	p->pending[pending].unseen = unseen;
	graft_below(b, unseen, node);
}

/*
 * A span that began at @begin_ns has ended: what is pending and deeper was in
 * it, unless it began before it did. @parent is MODEL_NONE if there is none.
 */
static void adopt(struct build *b, uint32_t pending, uint32_t parent,
		  uint32_t depth, uint64_t begin_ns)
{
	struct profile *p = b->profile;
	struct profile_pending *e = &p->pending[pending];

	/* The deepest are first. */
	while (e->inner != MODEL_NONE && p->nodes[e->inner].depth > depth) {
		uint32_t child = e->inner;
		struct profile_node *n = &p->nodes[child];

		e->inner = n->next;
		remove_key(p, PARENT_PENDING | pending, tag_of(n), child);
		if (parent != MODEL_NONE && n->begin_ns >= begin_ns)
			graft_below(b, parent, child);
		else
			orphan(b, pending, child);
	}
}

/* A span with all that was in it: what it was in itself is reported later. */
static void put_pending(struct build *b, uint32_t pending, uint32_t node,
			uint32_t depth, uint64_t lost_until)
{
	struct profile_pending *e = &b->profile->pending[pending];
	struct profile_node *nodes = b->profile->nodes, *n = &nodes[node];
	uint32_t *list = depth ? &e->inner : &e->outer;

	n->depth = depth;
	n->lost_until = lost_until;
	n->generation = spans_lost_number(b, lost_until);
	/* Only those of the boundary may come after deeper ones. */
	while (*list != MODEL_NONE && nodes[*list].depth > depth)
		list = &nodes[*list].next;
	graft(b, PARENT_PENDING | pending, tag_of(n), list, node);
}

/* ---- the left boundary */

/*
 * The shard can't place the span, as it began in the one before: it is kept, in order, until they
 * are merged.
 */
static void queue_op(struct build *b, uint32_t pending,
		     const struct profile_span_op *op)
{
	struct profile *p = b->profile;
	struct profile_pending *e = &p->pending[pending];
	uint32_t at = p->free_op;

	if (at != MODEL_NONE) {
		p->free_op = p->ops[at].next;
	} else {
		at = p->nr_ops;
		if (!build_grow(b, &p->ops, at, sizeof(*p->ops)))
			return;
		p->nr_ops++;
	}
	p->ops[at] = *op;
	p->ops[at].next = MODEL_NONE;
	if (e->last_op == MODEL_NONE)
		e->first_op = at;
	else
		p->ops[e->last_op].next = at;
	e->last_op = at;
}

static bool last_op_is_span(const struct profile *p, uint32_t pending)
{
	uint32_t last = p->pending[pending].last_op;

	return last != MODEL_NONE && p->ops[last].kind == PROFILE_SPAN_ENDED;
}

/* ---- spans */

/*
 * Since when this coroutine's spans are reported; 0 if only the shard before knows.
 */
static uint64_t seen_since(const struct build *b, uint32_t channel,
			   uint32_t process, uint64_t id)
{
	const struct model_coroutine *c = coroutine_find(b->profile, process,
							 id);
	const struct profile_channel *pc = &b->profile->channels[channel];

	if (c && c->channel != MODEL_NONE)
		return c->first_ns;
	/* Its first slice is the one that goes on here. */
	if (pc->last_ns)
		return pc->last_ns;
	return pc->boundary == PROFILE_CHANNEL_OPEN && !pc->interrupted ? 0 :
	       b->model->channels[channel].begin_ns;
}

/* What the spans directly in this one have, with those it is about to get. */
static bool is_impossible(const struct profile *p, uint32_t pending,
			  const struct profile_span_op *op)
{
	uint64_t wall = 0, running = 0;
	uint32_t i = op->node == MODEL_NONE ? MODEL_NONE :
					      p->nodes[op->node].children;

	for (; i != MODEL_NONE; i = p->nodes[i].next) {
		wall += p->nodes[i].wall_ns;
		running += p->nodes[i].running_ns;
	}
	i = p->pending[pending].inner;
	for (; i != MODEL_NONE && p->nodes[i].depth > op->depth;
	     i = p->nodes[i].next) {
		if (p->nodes[i].begin_ns < op->begin_ns)
			continue;
		wall += p->nodes[i].wall_ns;
		running += p->nodes[i].running_ns;
	}
	return wall > op->wall_ns || running > op->running_ns;
}

/*
 * It began before its coroutine was seen, as far as this shard knows: its slices
 * may have been lost.
 */
static bool is_early(const struct profile *p, const struct profile_span_op *op)
{
	return !p->begins && op->begin_ns < op->since;
}

static model_squares square(uint64_t figure)
{
	return (model_squares)figure * figure;
}

/* Of one call, once all that was in it is below it. */
static void square_own(struct build *b, uint32_t node)
{
	const struct profile *p = b->profile;
	const struct profile_node *n = &p->nodes[node];
	const struct model_sum *sums = sums_at(b, p, node);
	uint64_t wall = 0, running = 0, count[MODEL_COUNTERS_MAX] = { 0 };
	uint32_t counters = b->model->nr_counters;
	model_squares *to = squares_at(b, p, node);

	for (uint32_t i = n->children; i != MODEL_NONE; i = p->nodes[i].next) {
		wall += p->nodes[i].wall_ns;
		running += p->nodes[i].running_ns;
		for (uint32_t c = 0; c < counters; c++)
			count[c] += sums_at(b, p, i)[c].count;
	}
	to[MODEL_SQUARE_OWN_WALL] = square(less_within(n->wall_ns, wall));
	to[MODEL_SQUARE_OWN_RUNNING] = square(less_within(n->running_ns, running));
	for (uint32_t c = 0; c < counters; c++)
		to[MODEL_SQUARE_COUNTERS + 2 * c + 1] =
			square(less_within(sums[c].count, count[c]));
}

static void end_span(struct build *b, uint32_t pending,
		     const struct profile_span_op *op)
{
	struct profile *p = b->profile;
	struct profile_pending *e = &p->pending[pending];
	bool of_boundary = op->depth < e->least_depth || is_early(p, op);

	/* It began before one that ended before it did, and was not in it. */
	if (!of_boundary && !p->begins && op->begin_ns < p->begin_ns)
		p->unordered = true;
	if (!of_boundary)
		p->impossible_spans += is_impossible(p, pending, op);
	adopt(b, pending, op->node, op->depth, op->begin_ns);
	if (op->node == MODEL_NONE)
		return;
	if (of_boundary) {
		e->least_depth = op->depth;
		queue_op(b, pending, op);
		return;
	}
	/* What ended in it before the part that is read is missing, too. */
	p->nodes[op->node].at_most |= op->begin_ns < op->lost_until ||
				      op->begin_ns < op->since || op->begin_ns < b->from;
	if (squares_stride(b))
		square_own(b, op->node);
	put_pending(b, pending, op->node, op->depth, op->lost_until);
}

static void square_all(struct build *b, uint32_t node)
{
	const struct profile_node *n = &b->profile->nodes[node];
	const struct model_sum *sums = sums_at(b, b->profile, node);
	model_squares *to = squares_at(b, b->profile, node);

	to[MODEL_SQUARE_WALL] = square(n->wall_ns);
	to[MODEL_SQUARE_RUNNING] = square(n->running_ns);
	for (uint32_t c = 0; c < b->model->nr_counters; c++)
		to[MODEL_SQUARE_COUNTERS + 2 * c] = square(sums[c].count);
}

static void add_span(struct build *b, uint32_t node, uint32_t channel,
		     const struct record *s)
{
	struct profile_node *n = &b->profile->nodes[node];

	n->calls = 1;
	n->wall_ns = s->duration;
	n->running_ns = s->running_ns;
	n->begin_ns = s->time - s->duration;
	sums_add_span(b, sums_at(b, b->profile, node), channel, s);
	if (squares_stride(b))
		square_all(b, node);
}

/* Of each coroutine, where somebody compares: its row may not be there before its slice ends. */
static void add_calls(struct build *b, uint64_t id, uint32_t process, uint32_t calls)
{
	struct index *all = &b->profile->calls;
	uint32_t before = index_get(all, id, process);

	if (before != INDEX_NONE)
		calls = before < INDEX_NONE - 1 - calls ? before + calls : INDEX_NONE - 1;
	if (!index_put(all, id, process, calls))
		b->out_of_memory = true;
}

void span_add(struct build *b, uint32_t channel, const struct record *r)
{
	uint32_t process = b->model->channels[channel].process;
	struct profile *p = b->profile;
	struct profile_span_op op = {
		.kind = PROFILE_SPAN_ENDED,
		.depth = r->depth,
		.channel = channel,
		.begin_ns = r->time - r->duration,
		.wall_ns = r->duration,
		.running_ns = r->running_ns,
		.since = seen_since(b, channel, process, r->id),
	};
	uint32_t pending, span;

	profile_reach(p, r->time);
	if (b->chosen && !chosen_has_span(b, channel))
		return;
	p->nr_span_calls++;
	p->channels[channel].spans++;
	process_pass_restarts(b, process, r->time);
	if (!build_wants(b, process, r->id))
		return;
	op.lost_until = p->processes[process].spans_lost_until;
	span = span_of(b, process, r->label);
	pending = pending_of(b, process, r->id);
	if (r->depth > DEPTH_MAX || span == MODEL_NONE || pending == MODEL_NONE) {
		drop_span(b, process, r->time);
		return;
	}
	if (!histogram_count(p->span_histograms[span], r->duration))
		b->out_of_memory = true;
	timeline_spans_add(b, &(struct model_timeline_span){
		r->time, r->duration, r->running_ns, r->id, process, MODEL_NONE, span, channel,
		r->depth,
	});
	op.node = new_node(b, span);
	if (op.node != MODEL_NONE)
		add_span(b, op.node, channel, r);
	end_span(b, pending, &op);
	if (squares_stride(b))
		add_calls(b, r->id, process, 1);
	if (op.node == MODEL_NONE)
		drop_span(b, process, r->time);
}

static uint32_t *root_of(struct build *b, uint32_t label)
{
	struct profile *p = b->profile;

	while (p->nr_roots <= label) {
		if (!build_grow(b, &p->roots, p->nr_roots, sizeof(*p->roots)))
			return NULL;
		p->roots[p->nr_roots++] = MODEL_NONE;
	}
	return &p->roots[label];
}

/* The coroutine's label is known now: spans that have ended go from it to the tree of the label. */
static void pending_to_root(struct build *b, uint32_t pending, uint32_t label)
{
	struct profile *p = b->profile;
	struct profile_pending *e = &p->pending[pending];
	uint32_t *root, node, next;

	if (e->outer == MODEL_NONE && e->unseen == MODEL_NONE)
		return;
	root = root_of(b, label);
	if (!root)
		return;
	for (node = e->outer; node != MODEL_NONE; node = next) {
		next = p->nodes[node].next;
		remove_key(p, PARENT_PENDING | pending, 0, node);
		graft(b, PARENT_ROOT | label, 0, root, node);
	}
	if (e->unseen != MODEL_NONE)
		graft(b, PARENT_ROOT | label, 0, root, e->unseen);
	e->outer = e->unseen = MODEL_NONE;
}

static void end_slice(struct build *b, uint32_t pending, uint32_t label,
		      bool last)
{
	struct profile *p = b->profile;
	struct profile_pending *e = &p->pending[pending];

	if (e->least_depth && last) {
		queue_op(b, pending, &(struct profile_span_op){
			.kind = PROFILE_SPAN_LAST, .label = label,
		});
		e->least_depth = 0;
	} else if (last_op_is_span(p, pending)) {
		queue_op(b, pending, &(struct profile_span_op){
			.kind = PROFILE_SPAN_SLICE, .label = label,
		});
	}
	if (last)
		adopt(b, pending, MODEL_NONE, 0, 0);
	pending_to_root(b, pending, label);
}

/* All of its spans are of this shard, and known to be. */
static bool is_known(const struct profile *p, uint32_t pending)
{
	for (uint32_t i = p->pending[pending].first_op; i != MODEL_NONE;
	     i = p->ops[i].next)
		if (p->ops[i].kind == PROFILE_SPAN_ENDED &&
		    (!p->ops[i].since || is_early(p, &p->ops[i]) ||
		     p->ops[i].begin_ns < p->begin_ns))
			return false;
	return true;
}

static void settle_boundary(struct build *b, uint32_t pending);

void span_slice(struct build *b, uint32_t process, uint64_t id, uint32_t label,
		bool last)
{
	struct profile *p = b->profile;
	uint32_t pending = pending_find(p, process, id);

	if (pending == INDEX_NONE)
		return;
	if (p->pending[pending].first_op != MODEL_NONE &&
	    coroutine_is_of_shard(p, coroutine_find(p, process, id)) &&
	    is_known(p, pending))
		settle_boundary(b, pending);
	end_slice(b, pending, label, last);
	free_empty_pending(p, pending);
}

/* Those of coroutines whose last slice is not in the file. */
void spans_end(struct build *b)
{
	struct profile *p = b->profile;

	for (uint32_t i = 0; i < p->nr_pending; i++) {
		const struct profile_pending *e = &p->pending[i];
		const struct model_coroutine *c;
		uint32_t label;

		if (!e->used)
			continue;
		c = coroutine_find(p, e->process, e->id);
		label = c ? c->label : label_of(b, e->process, 0,
						e->id & COROPROF_ID_THREAD);
		if (label != MODEL_NONE)
			span_slice(b, e->process, e->id, label, true);
	}
}

/* ---- another shard follows */

/* A tree of @from as one of build.profile; MODEL_NONE without room for it. */
static uint32_t take(struct build *b, const struct profile *from, uint32_t node,
		     const struct rows *rows)
{
	const struct profile_node *n = &from->nodes[node];
	struct profile *p = b->profile;
	uint32_t to, next;

	if (p == from)
		return node;
	to = new_node(b, row_to(rows->spans, n->span));
	if (to == MODEL_NONE) {
		p->dropped_spans += n->calls;
		return to;
	}
	next = p->nodes[to].next;
	p->nodes[to] = *n;
	p->nodes[to].span = row_to(rows->spans, n->span);
	p->nodes[to].next = next;
	p->nodes[to].children = MODEL_NONE;
	memcpy(sums_at(b, p, to), sums_at(b, from, node),
	       sums_stride(b) * sizeof(*p->node_sums));
	if (squares_stride(b))
		memcpy(squares_at(b, p, to), squares_at(b, from, node),
		       squares_stride(b) * sizeof(model_squares));
	for (uint32_t i = n->children; i != MODEL_NONE; i = from->nodes[i].next) {
		uint32_t child = take(b, from, i, rows);

		if (child != MODEL_NONE)
			graft_below(b, to, child);
	}
	return to;
}

/* Since when the spans of a coroutine were reported, as far as is known now. */
static uint64_t since_of(const struct build *b, const struct profile_pending *e,
			 const struct profile_span_op *op)
{
	const struct model_coroutine *c = coroutine_find(b->profile, e->process,
							 e->id);

	if (op->since && !c)
		return op->since;
	return seen_since(b, op->channel, e->process, e->id);
}

static void replay(struct build *b, const struct profile *from,
		   const struct profile_pending *e, uint32_t pending,
		   const struct rows *rows)
{
	struct profile *p = b->profile;
	uint64_t lost_until = p->processes[e->process].spans_lost_until;

	for (uint32_t i = e->first_op; i != MODEL_NONE; i = from->ops[i].next) {
		struct profile_span_op op = from->ops[i];

		if (op.kind != PROFILE_SPAN_ENDED) {
			end_slice(b, pending, row_to(rows->labels, op.label),
				  op.kind == PROFILE_SPAN_LAST);
			continue;
		}
		op.node = take(b, from, op.node, rows);
		if (p != from) {
			op.since = since_of(b, e, &op);
			if (lost_until > op.lost_until)
				op.lost_until = lost_until;
		}
		end_span(b, pending, &op);
	}
}

static void take_one(struct build *b, const struct profile *from, uint32_t node,
		     uint32_t pending, const struct rows *rows)
{
	struct profile *p = b->profile;
	uint64_t least = p->processes[p->pending[pending].process].spans_lost_until;
	uint64_t lost_until = from->nodes[node].lost_until;
	uint32_t depth = from->nodes[node].depth;

	if (p != from && lost_until < least)
		lost_until = least;
	node = take(b, from, node, rows);
	if (node != MODEL_NONE)
		put_pending(b, pending, node, depth, lost_until);
}

/* The shallowest first, so that they are the last in their list again. */
static void take_inner(struct build *b, const struct profile *from,
		       uint32_t list, uint32_t pending, const struct rows *rows)
{
	uint32_t *nodes = NULL, nr = 0;

	for (uint32_t i = list; i != MODEL_NONE; i = from->nodes[i].next)
		if (build_grow(b, &nodes, nr, sizeof(*nodes)))
			nodes[nr++] = i;
	while (nr)
		take_one(b, from, nodes[--nr], pending, rows);
	free(nodes);
}

static void take_unseen(struct build *b, const struct profile *from,
			uint32_t unseen, uint32_t pending,
			const struct rows *rows)
{
	for (uint32_t i = from->nodes[unseen].children, next; i != MODEL_NONE;
	     i = next) {
		uint32_t child;

		next = from->nodes[i].next;
		if (from == b->profile)
			remove_key(b->profile, unseen, 0, i);
		child = take(b, from, i, rows);
		if (child != MODEL_NONE)
			orphan(b, pending, child);
	}
	if (from == b->profile)
		free_node(b->profile, unseen);
}

static void take_pending(struct build *b, const struct profile *from,
			 const struct profile_pending *e, uint32_t pending,
			 const struct rows *rows)
{
	uint32_t next;

	take_inner(b, from, e->inner, pending, rows);
	for (uint32_t i = e->outer; i != MODEL_NONE; i = next) {
		next = from->nodes[i].next;
		take_one(b, from, i, pending, rows);
	}
	if (e->unseen != MODEL_NONE)
		take_unseen(b, from, e->unseen, pending, rows);
}

static void forget_keys(struct profile *p, uint32_t pending)
{
	const struct profile_pending *e = &p->pending[pending];

	for (uint32_t i = e->inner; i != MODEL_NONE; i = p->nodes[i].next)
		remove_key(p, PARENT_PENDING | pending, tag_of(&p->nodes[i]), i);
	for (uint32_t i = e->outer; i != MODEL_NONE; i = p->nodes[i].next)
		remove_key(p, PARENT_PENDING | pending, 0, i);
}

/*
 * The coroutine was born in this shard, as it turns out, so that nothing of the
 * shard before can be in its spans.
 */
static void settle_boundary(struct build *b, uint32_t pending)
{
	struct profile *p = b->profile;
	const struct profile_pending all = p->pending[pending];
	const struct rows same = { 0 };
	struct profile_pending *e = &p->pending[pending];

	forget_keys(p, pending);
	e->inner = e->outer = e->unseen = MODEL_NONE;
	e->first_op = e->last_op = MODEL_NONE;
	e->least_depth = 0;
	replay(b, p, &all, pending, &same);
	take_pending(b, p, &all, pending, &same);
	p->ops[all.last_op].next = p->free_op;
	p->free_op = all.first_op;
}

static void merge_roots(struct build *b, const struct profile *from,
			const struct rows *rows)
{
	for (uint32_t i = 0; i < from->nr_roots; i++) {
		uint32_t label = row_to(rows->labels, i), node = from->roots[i];

		for (; node != MODEL_NONE; node = from->nodes[node].next) {
			uint32_t to = take(b, from, node, rows);
			uint32_t *root = root_of(b, label);

			if (to != MODEL_NONE && root)
				graft(b, PARENT_ROOT | label, 0, root, to);
		}
	}
}

/* The slices of @from of a coroutine that has no spans there. */
static void merge_slices(struct build *b, const struct profile *from,
			 uint32_t pending, const struct rows *rows)
{
	const struct profile_pending *e = &b->profile->pending[pending];
	uint32_t entry = index_get(&from->coroutine_index, e->id, e->process);
	const struct model_coroutine *c;

	if (entry == INDEX_NONE ||
	    pending_find(from, e->process, e->id) != INDEX_NONE)
		return;
	c = &from->coroutines[entry];
	end_slice(b, pending, row_to(rows->labels,
				     from->beside[entry].first_label), false);
	if (c->flags & MODEL_COROUTINE_ENDED)
		end_slice(b, pending, row_to(rows->labels, c->label), true);
	free_empty_pending(b->profile, pending);
}

static void merge_pending(struct build *b, const struct profile *from,
			  const struct profile_pending *e,
			  const struct rows *rows)
{
	struct profile *p = b->profile;
	bool known = coroutine_find(p, e->process, e->id) != NULL;
	uint32_t entry = index_get(&from->coroutine_index, e->id, e->process);
	uint32_t pending = pending_of(b, e->process, e->id);
	struct profile_pending *to;

	if (pending == MODEL_NONE) {
		p->dropped_spans++;
		return;
	}
	to = &p->pending[pending];
	if (e->after_slice && entry != INDEX_NONE) {
		end_slice(b, pending,
			  row_to(rows->labels, from->beside[entry].first_label),
			  false);
		to->after_slice |= to->first_op == MODEL_NONE;
	}
	replay(b, from, e, pending, rows);
	take_pending(b, from, e, pending, rows);
	if (!known && e->least_depth < to->least_depth)
		to->least_depth = e->least_depth;
	free_empty_pending(p, pending);
}

static bool map_names(struct build *b, const struct profile *from,
		      struct rows *rows)
{
	rows->spans = calloc((size_t)from->nr_spans + 1, sizeof(*rows->spans));
	if (!rows->spans) {
		b->out_of_memory = true;
		return false;
	}
	for (uint32_t i = 0; i < from->nr_spans; i++) {
		uint32_t row = span_row(b, &from->spans[i]);

		rows->spans[i] = row;
		if (row != MODEL_NONE &&
		    !histogram_merge(b->profile->span_histograms[row], from->span_histograms[i]))
			b->out_of_memory = true;
	}
	return true;
}

void spans_merge(struct build *b, struct profile *from, struct rows *rows)
{
	struct profile *p = b->profile;
	uint32_t nr_pending = p->nr_pending;

	p->nr_span_calls += from->nr_span_calls;
	p->lost_spans += from->lost_spans;
	p->dropped_spans += from->dropped_spans;
	p->impossible_spans += from->impossible_spans;
	if (!map_names(b, from, rows))
		return;
	timeline_spans_merge(b, from, rows);
	for (uint32_t i = 0; from->calls.entries && i <= from->calls.mask; i++)
		if (from->calls.entries[i].value != INDEX_NONE)
			add_calls(b, from->calls.entries[i].key, from->calls.entries[i].tag,
				  from->calls.entries[i].value);
	merge_roots(b, from, rows);
	for (uint32_t i = 0; i < nr_pending; i++)
		if (p->pending[i].used)
			merge_slices(b, from, i, rows);
	for (uint32_t i = 0; i < from->nr_pending; i++)
		if (from->pending[i].used)
			merge_pending(b, from, &from->pending[i], rows);
}
