// SPDX-License-Identifier: GPL-2.0
/*
 * Writes functions and calls in Callgrind's format: builds one tree of the stacks of all weights,
 * and gives a function that calls itself another number at each level.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "output/export/callgrind.h"
#include "output/export/notes.h"
#include "output/export/weights.h"

#define NO_NODE		0
#define NO_FILE		1

/**
 * struct node - a frame, called from that of its parent
 * @frame:    see weights.h; not that of node 0, which is above all
 * @parent:   node
 * @child:    the last one; NO_NODE: none
 * @sibling:  the one before
 * @function: number of the function it is of
 */
struct node {
	uint32_t frame;
	uint32_t parent;
	uint32_t child;
	uint32_t sibling;
	uint32_t function;
};

/**
 * struct callgrind - a file being written
 * @weights, @nr_weights: its events
 * @now:       the one whose stacks are walked
 * @calls:     the one that is of calls, which are no event; @nr_weights: none
 * @nodes, @nr_nodes, @capacity: a tree, parents before children
 * @index:     nodes, by frame and parent
 * @own:       of each node a row of @nr_weights
 * @total:     likewise, with the nodes below
 * @functions: numbers, by function and how often it is in itself
 * @nr_functions: how many
 * @named:     of each function, whether its name has been written
 * @failed:    there was no memory for some of it
 */
struct callgrind {
	const struct model *m;
	FILE *file;
	struct weight weights[WEIGHTS_MAX];
	unsigned int nr_weights;
	unsigned int now;
	unsigned int calls;
	struct node *nodes;
	uint32_t nr_nodes;
	uint32_t capacity;
	struct index index;
	uint64_t *own;
	uint64_t *total;
	struct index functions;
	uint32_t nr_functions;
	bool *named;
	bool failed;
};

/* ------------------------------------------------------------------------
 * the tree
 */

static bool grow_nodes(struct callgrind *c)
{
	uint32_t capacity = c->capacity ? 2 * c->capacity : 64;
	size_t row = c->nr_weights * sizeof(*c->own);
	struct node *nodes = realloc(c->nodes, capacity * sizeof(*nodes));
	uint64_t *own;

	if (!nodes)
		return false;
	c->nodes = nodes;
	own = realloc(c->own, capacity * row);
	if (!own)
		return false;
	c->own = own;
	c->capacity = capacity;
	return true;
}

static uint32_t add_node(struct callgrind *c, uint32_t parent, uint32_t frame)
{
	uint32_t node = c->nr_nodes;

	if ((node == c->capacity && !grow_nodes(c)) ||
	    (node && !index_put(&c->index, frame, parent, node))) {
		c->failed = true;
		return NO_NODE;
	}
	c->nodes[node] = (struct node){ .frame = frame, .parent = parent };
	memset(&c->own[(size_t)node * c->nr_weights], 0, c->nr_weights * sizeof(*c->own));
	if (node) {
		c->nodes[node].sibling = c->nodes[parent].child;
		c->nodes[parent].child = node;
	}
	c->nr_nodes++;
	return node;
}

static void add_stack(void *context, const struct stack *stack)
{
	struct callgrind *c = context;
	uint32_t node = NO_NODE;

	for (uint32_t i = 0; i < stack->nr && !c->failed; i++) {
		uint32_t child = index_get(&c->index, stack->frames[i], node);

		node = child != INDEX_NONE ? child : add_node(c, node, stack->frames[i]);
	}
	if (!c->failed)
		c->own[(size_t)node * c->nr_weights + c->now] += stack->value;
}

static int add_weights(struct callgrind *c)
{
	c->nr_weights = weights_list(c->m, c->weights);
	c->calls = c->nr_weights;
	add_node(c, NO_NODE, 0);
	for (c->now = 0; c->now < c->nr_weights; c->now++) {
		if (c->weights[c->now].of == WEIGHT_CALLS)
			c->calls = c->now;
		if (c->failed || weights_walk_lines(c->m, &c->weights[c->now], add_stack, c))
			return -1;
	}
	return c->failed ? -1 : 0;
}

static int sum_totals(struct callgrind *c)
{
	size_t nr = c->nr_weights;

	c->total = calloc(c->nr_nodes, nr * sizeof(*c->total));
	if (!c->total)
		return -1;
	memcpy(c->total, c->own, c->nr_nodes * nr * sizeof(*c->total));
	for (uint32_t i = c->nr_nodes - 1; i > 0; i--)
		for (size_t w = 0; w < nr; w++)
			c->total[c->nodes[i].parent * nr + w] += c->total[i * nr + w];
	return 0;
}

/* How often the function of a node is on the stack at it, 1 or more. */
static uint32_t level_of(const struct callgrind *c, uint32_t node)
{
	uint32_t level = 1, function = stack_frame_function(c->m, c->nodes[node].frame);

	for (uint32_t i = c->nodes[node].parent; i != NO_NODE; i = c->nodes[i].parent)
		level += stack_frame_function(c->m, c->nodes[i].frame) == function;
	return level;
}

static int number_functions(struct callgrind *c)
{
	for (uint32_t i = 1; i < c->nr_nodes; i++) {
		uint32_t level = level_of(c, i);
		uint32_t frame = stack_frame_function(c->m, c->nodes[i].frame);
		uint32_t function = index_get(&c->functions, frame, level);

		if (function == INDEX_NONE) {
			function = c->nr_functions++;
			if (!index_put(&c->functions, frame, level, function))
				return -1;
		}
		c->nodes[i].function = function;
	}
	c->named = calloc((size_t)c->nr_functions + 1, sizeof(*c->named));
	return c->named ? 0 : -1;
}

/* ------------------------------------------------------------------------
 * the file
 */

/* Writes a name as the one word that the format asks for. */
static void write_event_name(const char *name, FILE *file)
{
	fputc(' ', file);
	for (; *name; name++)
		fputc(strchr("-: \t/,=", *name) ? '_' : *name, file);
}

static void write_costs(const struct callgrind *c, const uint64_t *row)
{
	for (unsigned int i = 0; i < c->nr_weights; i++)
		if (i != c->calls)
			fprintf(c->file, " %" PRIu64, row[i]);
	fputc('\n', c->file);
}

static int write_descriptions(const struct callgrind *c)
{
	struct notes notes;

	if (notes_make(&notes, c->m))
		return -1;
	for (uint32_t i = 0; i < notes.nr; i++)
		fprintf(c->file, "desc: %s: %s\n", notes.list[i].title, notes.list[i].text);
	notes_free(&notes);
	fputs("desc: calls: 0 where they were not counted, as those of functions in samples\n",
	      c->file);
	return 0;
}

static void write_standings(const struct callgrind *c)
{
	char text[256];

	for (unsigned int w = 0; w < c->nr_weights; w++) {
		const char *standing = weight_standing(c->m, &c->weights[w]);

		if (standing)
			fprintf(c->file, "desc: %s: %s\n", c->weights[w].name, standing);
		if (c->weights[w].of == WEIGHT_COUNTER &&
		    weight_sum_differs(c->m, c->weights[w].counter, text, sizeof(text)))
			fprintf(c->file, "desc: %s\n", text);
	}
}

/*
 * Writes for which labels a counter is not known: the format has nothing to distinguish these from
 * a cost of 0.
 */
static void write_unknown(const struct callgrind *c)
{
	for (unsigned int w = 0; w < c->nr_weights; w++) {
		const struct weight *weight = &c->weights[w];

		for (uint32_t i = 0; weight->of == WEIGHT_COUNTER && i < c->m->nr_labels; i++) {
			struct model_value v = model_label_value(c->m, i, weight->counter);
			enum standing standing = model_value_standing(v);

			if (standing_has_value(standing))
				continue;
			fprintf(c->file, "desc: no cost: %s of %s is %s\n", weight->name,
				c->m->labels[i].name,
				standing_name(standing));
		}
	}
}

static int write_head(const struct callgrind *c)
{
	fputs("# callgrind format\nversion: 1\ncreator: coroprof-read " COROPROF_VERSION "\n",
	      c->file);
	fprintf(c->file, "cmd: %s\n", c->m->command ? c->m->command : "n/a");
	if (write_descriptions(c))
		return -1;
	write_standings(c);
	write_unknown(c);
	fputs("positions: line\nevents:", c->file);
	for (unsigned int i = 0; i < c->nr_weights; i++)
		if (i != c->calls)
			write_event_name(c->weights[i].name, c->file);
	fputs("\nsummary:", c->file);
	write_costs(c, c->total);
	fputs("\nfl=(1) ???\n", c->file);
	return 0;
}

/* Writes the file of a frame. It may have several numbers, each of which always stands for it. */
static void write_file(const struct callgrind *c, const char *key, uint32_t frame)
{
	uint32_t line;
	const char *file = stack_frame_source(c->m, frame, &line);

	fprintf(c->file, "%s=(%" PRIu32 ") %s\n", key, file ? frame + 2 : NO_FILE,
		file ? file : "???");
}

/*
 * The frame whose file is that of a node's function: in which the function begins, or, if that is
 * not known, the file of the line.
 */
static uint32_t frame_with_file(const struct callgrind *c, uint32_t node)
{
	uint32_t line, frame = c->nodes[node].frame, function = stack_frame_function(c->m, frame);

	return stack_frame_source(c->m, function, &line) ? function : frame;
}

/*
 * Writes the file of a node's line, if it is another one than its function's: included, or of an
 * inlined function.
 */
static void write_own_file(const struct callgrind *c, uint32_t node)
{
	uint32_t line, frame = c->nodes[node].frame;
	const char *file = stack_frame_source(c->m, frame, &line);

	if (file && strcmp(file, stack_frame_source(c->m, frame_with_file(c, node), &line)))
		write_file(c, "fi", frame);
}

static uint32_t line_of(const struct callgrind *c, uint32_t node)
{
	uint32_t line, frame = c->nodes[node].frame;

	stack_frame_source(c->m, frame, &line);
	return frame == stack_frame_function(c->m, frame) ? 0 : line;
}

/*
 * Writes a function's number, and the first time its name, too: a name alone could begin like a
 * number. @callee: "c" if it is what a line calls, else "".
 */
static void write_function(struct callgrind *c, const char *callee, uint32_t node)
{
	const struct node *n = &c->nodes[node];
	uint32_t function = stack_frame_function(c->m, n->frame);
	const char *object = stack_frame_object(c->m, function);
	char text[FRAME_NAME_SIZE];
	uint32_t level;

	write_file(c, *callee ? "cfi" : "fl", frame_with_file(c, node));
	fprintf(c->file, "%sob=(%" PRIu32 ") %s\n", callee, object ? function + 2 : 1,
		object ? object : "???");
	fprintf(c->file, "%sfn=(%" PRIu32 ")", callee, n->function + 1);
	if (!c->named[n->function]) {
		level = level_of(c, node);
		fprintf(c->file, " %s", stack_frame_name(c->m, n->frame, text));
		if (level > 1)
			fprintf(c->file, "'%" PRIu32, level);
		c->named[n->function] = true;
	}
	fputc('\n', c->file);
}

static uint64_t calls_of(const struct callgrind *c, uint32_t node)
{
	return c->calls == c->nr_weights ? 0 : c->own[(size_t)node * c->nr_weights + c->calls];
}

static void write_node(struct callgrind *c, uint32_t node)
{
	uint32_t line, own = line_of(c, node);

	fputc('\n', c->file);
	write_function(c, "", node);
	write_own_file(c, node);
	fprintf(c->file, "%" PRIu32, own);
	write_costs(c, &c->own[(size_t)node * c->nr_weights]);
	for (uint32_t i = c->nodes[node].child; i != NO_NODE; i = c->nodes[i].sibling) {
		write_function(c, "c", i);
		stack_frame_source(c->m, stack_frame_function(c->m, c->nodes[i].frame), &line);
		fprintf(c->file, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32, calls_of(c, i), line,
			own);
		write_costs(c, &c->total[(size_t)i * c->nr_weights]);
	}
}

static int write_all_nodes(struct callgrind *c)
{
	if (add_weights(c) || sum_totals(c) || number_functions(c)) {
		errno = ENOMEM;
		return -1;
	}
	if (write_head(c))
		return -1;
	for (uint32_t i = 1; i < c->nr_nodes; i++)
		write_node(c, i);
	return ferror(c->file) ? -1 : 0;
}

int callgrind_write(const struct model *m, FILE *file)
{
	struct callgrind c = { .m = m, .file = file };
	int ret = write_all_nodes(&c);

	free(c.nodes);
	free(c.own);
	free(c.total);
	free(c.named);
	index_free(&c.index);
	index_free(&c.functions);
	return ret;
}
