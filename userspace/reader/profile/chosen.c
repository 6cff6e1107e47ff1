// SPDX-License-Identifier: GPL-2.0
/* Knows which slices are of the chosen threads and labels, and takes out rows that have none. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "profile/build.h"
#include "profile/chosen.h"
#include "profile/names.h"
#include "profile/schema.h"

/* In the key of a label: it is of threads. */
#define OF_THREAD	(1ULL << 63)

/**
 * struct chosen - what is chosen, to be asked for each slice
 * @channels:  by row; NULL: all are
 * @labels:    (key of the name, row of the process) of those that are
 * @by_label:  else all are
 * @spans:     spans of chosen channels are
 * @left_out:  there were some, and they are not
 */
struct chosen {
	bool *channels;
	struct index labels;
	bool by_label;
	bool spans;
	bool left_out;
};

static bool take_channels(struct chosen *c, const struct build *b)
{
	const struct model_chosen *of = b->options.chosen;

	if (!of->nr_channels)
		return true;
	c->channels = calloc((size_t)b->model->nr_channels + 1, sizeof(*c->channels));
	for (uint32_t i = 0; c->channels && i < of->nr_channels; i++)
		if (of->channels[i] < b->model->nr_channels)
			c->channels[of->channels[i]] = true;
	return c->channels;
}

static uint64_t label_key(const struct build *b, uint32_t process, uint32_t number, bool of_thread)
{
	return name_key(b, process, number) | (of_thread ? OF_THREAD : 0);
}

static bool take_labels(struct chosen *c, const struct build *b)
{
	const struct model_chosen *of = b->options.chosen;

	c->by_label = of->nr_labels;
	for (uint32_t i = 0; i < of->nr_labels; i++) {
		const struct model_chosen_label *l = &of->labels[i];

		if (!index_put(&c->labels, label_key(b, l->process, l->number, l->of_thread),
			       l->process, 0))
			return false;
	}
	return true;
}

static bool has_channel(const struct chosen *c, uint32_t channel)
{
	return !c->channels || c->channels[channel];
}

static bool *new_list(struct build *b, uint32_t nr)
{
	bool *list = calloc((size_t)nr + 1, sizeof(*list));

	if (!list)
		b->out_of_memory = true;
	return list;
}

/* Of each process all threads are, or none. */
static bool is_of_processes(struct build *b)
{
	const struct model *m = b->model;
	bool *some = new_list(b, m->nr_processes), all = true;

	for (uint32_t i = 0; some && i < m->nr_channels; i++)
		some[m->channels[i].process] |= has_channel(b->chosen, i);
	for (uint32_t i = 0; some && i < m->nr_channels; i++)
		all &= !some[m->channels[i].process] || has_channel(b->chosen, i);
	free(some);
	return all;
}

char *chosen_text(const char *label, int32_t tid, int32_t pid)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	if (label)
		fprintf(to, "label %s", label);
	if (tid)
		fprintf(to, "%sthread %" PRId32, label ? ", " : "", tid);
	if (pid)
		fprintf(to, "%sprocess %" PRId32, label || tid ? ", " : "", pid);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

void chosen_begin(struct build *b)
{
	if (!b->options.chosen)
		return;
	b->options.shards = 1;
	b->chosen = calloc(1, sizeof(*b->chosen));
	if (!b->chosen || !take_channels(b->chosen, b) || !take_labels(b->chosen, b))
		b->out_of_memory = true;
	else
		b->chosen->spans = !b->chosen->by_label && is_of_processes(b);
}

void chosen_free(struct build *b)
{
	if (!b->chosen)
		return;
	free(b->chosen->channels);
	index_free(&b->chosen->labels);
	free(b->chosen);
	b->chosen = NULL;
}

bool chosen_has(const struct build *b, uint32_t channel, uint32_t label, bool of_thread)
{
	uint32_t process = b->model->channels[channel].process;
	const struct chosen *c = b->chosen;

	return has_channel(c, channel) &&
	       (!c->by_label || index_get(&c->labels, label_key(b, process, label, of_thread),
					  process) != INDEX_NONE);
}

bool chosen_has_span(struct build *b, uint32_t channel)
{
	struct chosen *c = b->chosen;

	if (!has_channel(c, channel))
		return false;
	c->left_out |= !c->spans;
	return c->spans;
}

/* ---- rows without anything */

static void drop_coroutines(struct build *b)
{
	struct model *m = b->model;
	bool *keep = new_list(b, m->nr_coroutines);

	for (uint32_t i = 0; keep && i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];

		keep[i] = c->times.slices || c->samples;
		if (keep[i] || c->label == MODEL_NONE)
			continue;
		m->labels[c->label].coroutines--;
		if (c->flags & MODEL_COROUTINE_THREAD)
			continue;
		m->nr_coroutines_total--;
		m->processes[c->process].coroutines--;
	}
	if (keep && !schema_keep(m, SCHEMA_COROUTINES, keep))
		b->out_of_memory = true;
	free(keep);
}

/* A label that woke another one is named, whatever is chosen. */
static void drop_labels(struct build *b)
{
	struct model *m = b->model;
	bool *keep = new_list(b, m->nr_labels);

	if (!keep)
		return;
	schema_mark(m, SCHEMA_LABELS, keep);
	for (uint32_t i = 0; i < m->nr_labels; i++)
		keep[i] |= m->labels[i].times.slices || m->labels[i].samples;
	if (!schema_keep(m, SCHEMA_LABELS, keep))
		b->out_of_memory = true;
	free(keep);
}

void chosen_finish(struct build *b)
{
	struct model *m = b->model;

	if (!b->chosen)
		return;
	m->some_labels = b->chosen->by_label;
	drop_coroutines(b);
	if (!b->out_of_memory)
		drop_labels(b);
	if (!b->chosen->left_out)
		return;
	m->partial |= MODEL_PARTIAL_SPANS;
	for (uint32_t i = 0; i < m->nr_processes; i++)
		m->processes[i].partial |= MODEL_PARTIAL_SPANS;
	for (uint32_t i = 0; i < m->nr_channels; i++)
		m->channels[i].partial |= MODEL_PARTIAL_SPANS;
}

bool chosen_lacks_spans(const struct build *b)
{
	return b->chosen && b->chosen->left_out;
}

static void drop_channels(struct build *b)
{
	struct model *m = b->model;
	bool *keep = new_list(b, m->nr_channels);

	for (uint32_t i = 0; keep && i < m->nr_channels; i++)
		keep[i] = has_channel(b->chosen, i);
	if (keep && !schema_keep(m, SCHEMA_CHANNELS, keep))
		b->out_of_memory = true;
	free(keep);
}

static void drop_processes(struct build *b)
{
	struct model *m = b->model;
	bool *keep = new_list(b, m->nr_processes);

	if (!keep)
		return;
	schema_mark(m, SCHEMA_PROCESSES, keep);
	if (!schema_keep(m, SCHEMA_PROCESSES, keep))
		b->out_of_memory = true;
	free(keep);
}

void chosen_end(struct build *b)
{
	if (!b->chosen)
		return;
	b->model->overhead_ns = b->model->overhead_share = -1;
	/* Where all threads are, so are all processes, with or without one. */
	if (!b->chosen->channels)
		return;
	drop_channels(b);
	if (!b->out_of_memory)
		drop_processes(b);
}

int chosen_check(const struct build *b, struct error *err)
{
	if (!b->chosen || !b->model->nr_folded_coroutines)
		return 0;
	return error_set(err, ENOTSUP, "%s has %" PRIu64 " coroutines, more than can be followed from thread to thread: read all of it, without --thread, --process and --label",
			 b->file->input.name, b->model->nr_coroutines_total);
}
