// SPDX-License-Identifier: GPL-2.0
/*
 * Spans, as they end: those in a span have come before it, all of one coroutine
 * in order of time, wherever they ended. So each is kept until the one that it
 * was in ends, and goes below that: added up, for a span may have any number of
 * spans in it. What is complete waits for the coroutine's slice to end, which
 * tells the coroutine's label, and goes to the call tree of that.
 *
 * The nodes of all these trees are in one pool. A node is found by its place,
 * see key_of(), and the name of its spans.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"

/* Deeper ones are dropped: no honest program has them. */
#define DEPTH_MAX	1000

/* In the place of a node, above its number: it is a tree of its own. */
#define PLACE_PENDING	0x80000000u	/* a coroutine's, by row */
#define PLACE_ROOT	0xc0000000u	/* a label's, by row */

static struct model_cell *cells_at(struct build *b, uint32_t node)
{
	return &b->span_node_cells[(size_t)node * cells_stride(b)];
}

static uint64_t key_of(uint32_t place, uint32_t span)
{
	return (uint64_t)place << 32 | span;
}

/*
 * Spans that go on pending, of different depths, and before and after a loss,
 * are apart.
 */
static uint32_t tag_of(const struct build_span_node *n)
{
	return n->depth ? n->depth << 16 | (n->generation & 0xffff) : 0;
}

static uint32_t new_node(struct build *b, uint32_t span)
{
	uint32_t at = b->free_span_node;

	if (at != MODEL_NONE) {
		b->free_span_node = b->span_nodes[at].next;
	} else {
		at = b->nr_span_nodes;
		if (at >= b->options.span_nodes ||
		    !build_grow(b, &b->span_nodes, at, sizeof(*b->span_nodes)) ||
		    !build_grow(b, &b->span_node_cells, at, cells_stride(b) *
				sizeof(*b->span_node_cells)))
			return MODEL_NONE;
		b->nr_span_nodes++;
	}
	b->span_nodes[at] = (struct build_span_node){
		.span = span,
		.children = MODEL_NONE,
		.next = MODEL_NONE,
		.begin_ns = UINT64_MAX,
	};
	memset(cells_at(b, at), 0, cells_stride(b) * sizeof(struct model_cell));
	return at;
}

static void put_key(struct build *b, uint32_t place, uint32_t tag,
		    uint32_t node)
{
	if (!index_put(&b->span_node_index,
		       key_of(place, b->span_nodes[node].span), tag, node))
		b->out_of_memory = true;
}

static void remove_key(struct build *b, uint32_t place, uint32_t tag,
		       uint32_t node)
{
	index_remove(&b->span_node_index,
		     key_of(place, b->span_nodes[node].span), tag);
}

static void free_node(struct build *b, uint32_t node)
{
	b->span_nodes[node].next = b->free_span_node;
	b->free_span_node = node;
}

static void graft_below(struct build *b, uint32_t parent, uint32_t node);

static void add_figures(struct build *b, uint32_t to, uint32_t from)
{
	struct build_span_node *t = &b->span_nodes[to];
	const struct build_span_node *f = &b->span_nodes[from];

	t->calls += f->calls;
	t->wall_ns += f->wall_ns;
	t->running_ns += f->running_ns;
	t->at_most |= f->at_most;
	if (f->begin_ns < t->begin_ns)
		t->begin_ns = f->begin_ns;
	cells_sum(b, cells_at(b, to), cells_at(b, from));
}

/*
 * Puts a node, which is in no list and has no key, below @place, whose list is
 * @head: beside those of other names, or into the one of its own.
 */
static void graft(struct build *b, uint32_t place, uint32_t tag, uint32_t *head,
		  uint32_t node)
{
	struct build_span_node *n = &b->span_nodes[node];
	uint32_t there = index_get(&b->span_node_index, key_of(place, n->span),
				   tag);
	uint32_t child, next;

	if (there == INDEX_NONE) {
		n->next = *head;
		*head = node;
		put_key(b, place, tag, node);
		return;
	}
	add_figures(b, there, node);
	for (child = n->children; child != MODEL_NONE; child = next) {
		next = b->span_nodes[child].next;
		remove_key(b, node, 0, child);
		graft_below(b, there, child);
	}
	free_node(b, node);
}

static void graft_below(struct build *b, uint32_t parent, uint32_t node)
{
	graft(b, parent, 0, &b->span_nodes[parent].children, node);
}

/* ---- what a coroutine has pending */

static uint32_t pending_find(const struct build *b, uint32_t process,
			     uint64_t id)
{
	return index_get(&b->pending_index, id, process);
}

static uint32_t pending_of(struct build *b, uint32_t process, uint64_t id)
{
	uint32_t at = pending_find(b, process, id);

	if (at != INDEX_NONE)
		return at;
	at = b->free_pending;
	if (at != MODEL_NONE) {
		b->free_pending = b->pending[at].inner;
	} else {
		at = b->nr_pending;
		if (at >= b->options.span_nodes ||
		    !build_grow(b, &b->pending, at, sizeof(*b->pending)))
			return MODEL_NONE;
		b->nr_pending++;
	}
	b->pending[at] = (struct build_pending){
		.id = id,
		.process = process,
		.inner = MODEL_NONE,
		.outer = MODEL_NONE,
		.unseen = MODEL_NONE,
		.used = true,
	};
	if (!index_put(&b->pending_index, id, process, at))
		b->out_of_memory = true;
	b->nr_pending_used++;
	return at;
}

static void pending_free(struct build *b, uint32_t at)
{
	struct build_pending *p = &b->pending[at];

	index_remove(&b->pending_index, p->id, p->process);
	p->used = false;
	p->inner = b->free_pending;
	b->free_pending = at;
	b->nr_pending_used--;
}

/* Nobody will tell what this one was in. */
static void orphan(struct build *b, uint32_t pending, uint32_t node)
{
	uint32_t unseen = b->pending[pending].unseen;

	if (unseen == MODEL_NONE)
		unseen = new_node(b, MODEL_NONE);
	if (unseen == MODEL_NONE) {
		/* Without room for that, it stands for itself. */
		graft(b, PLACE_PENDING | pending, 0, &b->pending[pending].outer,
		      node);
		return;
	}
	b->pending[pending].unseen = unseen;
	graft_below(b, unseen, node);
}

/*
 * A span that began at @begin_ns has ended: what is pending and deeper was in
 * it, unless it began before it did. @parent is MODEL_NONE if there is none.
 */
static void adopt(struct build *b, uint32_t pending, uint32_t parent,
		  uint32_t depth, uint64_t begin_ns)
{
	struct build_pending *p = &b->pending[pending];

	/* The deepest are first. */
	while (p->inner != MODEL_NONE &&
	       b->span_nodes[p->inner].depth > depth) {
		uint32_t child = p->inner;
		struct build_span_node *n = &b->span_nodes[child];

		p->inner = n->next;
		remove_key(b, PLACE_PENDING | pending, tag_of(n), child);
		if (parent != MODEL_NONE && n->begin_ns >= begin_ns)
			graft_below(b, parent, child);
		else
			orphan(b, pending, child);
		p = &b->pending[pending];
	}
}

/* What the spans directly in this one have, before it gets more of them. */
static void sum_children(const struct build *b, uint32_t pending,
			 uint32_t depth, uint64_t begin_ns, uint64_t *wall_ns,
			 uint64_t *running_ns)
{
	uint32_t i = b->pending[pending].inner;

	*wall_ns = *running_ns = 0;
	for (; i != MODEL_NONE && b->span_nodes[i].depth > depth;
	     i = b->span_nodes[i].next) {
		const struct build_span_node *n = &b->span_nodes[i];

		if (n->begin_ns < begin_ns)
			continue;
		*wall_ns += n->wall_ns;
		*running_ns += n->running_ns;
	}
}

/* A span with all that was in it: what it was in itself is told later. */
static void join(struct build *b, uint32_t pending, uint32_t node,
		 uint32_t depth, uint32_t generation)
{
	struct build_pending *p = &b->pending[pending];
	struct build_span_node *n = &b->span_nodes[node];

	n->depth = depth;
	n->generation = generation;
	graft(b, PLACE_PENDING | pending, tag_of(n),
	      depth ? &p->inner : &p->outer, node);
}

/* ---- spans */

/* Since when this coroutine's spans are told. */
static uint64_t seen_since(struct build *b, uint32_t channel, uint32_t process,
			   uint64_t id)
{
	const struct model_coroutine *c = coroutine_find(b, process, id);
	const struct build_channel *bc = &b->channels[channel];

	if (c && c->channel != MODEL_NONE)
		return c->first_ns;
	/* Its first slice is the one that goes on here. */
	return bc->last_ns ? bc->last_ns : b->model->channels[channel].begin_ns;
}

static void drop(struct build *b, uint32_t process, uint64_t time)
{
	b->model->dropped_spans++;
	process_spans_lost(b, process, time);
}

static void add_span(struct build *b, uint32_t node, uint32_t channel,
		     const struct record *s, bool at_most)
{
	struct build_span_node *n = &b->span_nodes[node];
	uint64_t begin = s->time - s->duration;

	n->calls++;
	n->wall_ns += s->duration;
	n->running_ns += s->running_ns;
	n->at_most |= at_most;
	if (begin < n->begin_ns)
		n->begin_ns = begin;
	cells_add_span(b, cells_at(b, node), channel, s);
}

void span_add(struct build *b, uint32_t channel, const struct record *r)
{
	uint32_t process = b->model->channels[channel].process;
	uint64_t begin = r->time - r->duration, wall, running;
	uint32_t pending, node, span;
	bool at_most;

	b->model->nr_span_calls++;
	b->model->channels[channel].spans++;
	process_pass_restarts(b, process, r->time);
	at_most = begin < b->processes[process].spans_lost_until ||
		  begin < seen_since(b, channel, process, r->id);
	span = span_of(b, process, r->label);
	pending = pending_of(b, process, r->id);
	if (r->depth > DEPTH_MAX || span == MODEL_NONE || pending == MODEL_NONE) {
		drop(b, process, r->time);
		return;
	}
	sum_children(b, pending, r->depth, begin, &wall, &running);
	b->model->impossible_spans += wall > r->duration ||
				      running > r->running_ns;
	node = new_node(b, span);
	adopt(b, pending, node, r->depth, begin);
	if (node == MODEL_NONE) {
		drop(b, process, r->time);
		return;
	}
	add_span(b, node, channel, r, at_most);
	join(b, pending, node, r->depth, b->processes[process].span_losses);
}

static uint32_t *root_of(struct build *b, uint32_t label)
{
	while (b->nr_span_roots <= label) {
		if (!build_grow(b, &b->span_roots, b->nr_span_roots,
				sizeof(*b->span_roots)))
			return NULL;
		b->span_roots[b->nr_span_roots++] = MODEL_NONE;
	}
	return &b->span_roots[label];
}

static void flush(struct build *b, uint32_t pending, uint32_t label)
{
	struct build_pending *p = &b->pending[pending];
	uint32_t *root, node, next;

	if (p->outer == MODEL_NONE && p->unseen == MODEL_NONE)
		return;
	root = root_of(b, label);
	if (!root)
		return;
	for (node = p->outer; node != MODEL_NONE; node = next) {
		next = b->span_nodes[node].next;
		remove_key(b, PLACE_PENDING | pending, 0, node);
		graft(b, PLACE_ROOT | label, 0, root, node);
	}
	if (p->unseen != MODEL_NONE)
		graft(b, PLACE_ROOT | label, 0, root, p->unseen);
	p->outer = p->unseen = MODEL_NONE;
}

void span_slice(struct build *b, uint32_t process, uint64_t id, uint32_t label,
		bool ended)
{
	uint32_t pending = pending_find(b, process, id);

	if (pending == INDEX_NONE)
		return;
	if (ended)
		adopt(b, pending, MODEL_NONE, 0, 0);
	flush(b, pending, label);
	if (b->pending[pending].inner == MODEL_NONE)
		pending_free(b, pending);
}

/* Those of coroutines whose last slice is not in the file. */
void spans_end(struct build *b)
{
	for (uint32_t i = 0; i < b->nr_pending; i++) {
		const struct build_pending *p = &b->pending[i];
		const struct model_coroutine *c;
		uint32_t label;

		if (!p->used)
			continue;
		c = coroutine_find(b, p->process, p->id);
		label = c ? c->label : label_of(b, p->process, 0,
						p->id & COROPROF_ID_THREAD);
		if (label != MODEL_NONE)
			span_slice(b, p->process, p->id, label, true);
	}
}
