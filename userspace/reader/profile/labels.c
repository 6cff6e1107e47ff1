// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of labels of a profile, found by process and name through a small cache, and merged by
 * name at the boundary of shards. Fills in names when all is added up.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "profile/histogram.h"
#include "profile/labels.h"
#include "profile/names.h"
#include "profile/sums.h"
#include "profile/times.h"

/* In a key: it is the label of threads, not of coroutines. */
#define LABEL_OF_THREAD	(1ULL << 63)
/* It is none. */
#define LABEL_OF_REST	(1ULL << 62)

/* What is known before all sums are. */
static enum model_label_kind kind_of(const struct build *b, uint64_t key)
{
	const struct build_name *name = name_of_key(b, key & ~LABEL_OF_THREAD);
	bool text = name && !(name->flags & COROPROF_LABEL_CODE);

	if (key & LABEL_OF_THREAD)
		return MODEL_LABEL_THREAD;
	if (text && !strcmp(name->text, MODEL_NAMING))
		return MODEL_LABEL_TOOL;
	return key ? MODEL_LABEL_TEXT : MODEL_LABEL_NONE;
}

/* A row with room for its counts; its name follows at the end. */
static uint32_t add_label(struct build *b, uint32_t process, uint64_t key)
{
	struct profile *p = b->profile;
	uint32_t n = p->nr_labels, stride = sums_stride(b);
	struct model_label *l;

	if (!build_grow(b, &p->labels, n, sizeof(*p->labels)) ||
	    !build_grow(b, &p->label_keys, n, sizeof(*p->label_keys)) ||
	    !build_grow(b, &p->on_cpu_histograms, n, sizeof(*p->on_cpu_histograms)) ||
	    !build_grow(b, &p->label_sums, n, stride * sizeof(*p->label_sums)))
		return MODEL_NONE;
	l = &p->labels[n];
	*l = (struct model_label){ .process = process, .kind = kind_of(b, key), .min_ns = UINT64_MAX };
	p->label_keys[n] = (struct profile_key){ process, key };
	p->on_cpu_histograms[n] = NULL;
	memset(&p->label_sums[(size_t)n * stride], 0,
	       stride * sizeof(*p->label_sums));
	l->histograms[MODEL_LATENCY_RUNNING] = histogram_new();
	if (!l->histograms[MODEL_LATENCY_RUNNING]) {
		b->out_of_memory = true;
		return MODEL_NONE;
	}
	return p->nr_labels++;
}

static uint32_t other_label(struct build *b)
{
	struct profile *p = b->profile;

	if (p->other_label == MODEL_NONE)
		p->other_label = add_label(b, MODEL_NONE, 0);
	return p->other_label;
}

/* A side without a row would be other labels: there are at most two more for each name. */
static bool is_side(const struct build *b, uint64_t key)
{
	const struct build_name *name = name_of_key(b, key);

	return name && name->side && !(key & LABEL_OF_THREAD);
}

/* Those that share the last row are not remembered: there is no end. */
static uint32_t row_of(struct build *b, uint32_t process, uint64_t key)
{
	struct profile *p = b->profile;
	uint32_t row = index_get(&p->label_index, key, process);

	if (row != INDEX_NONE)
		return row;
	if (p->nr_labels >= b->options.labels && !is_side(b, key))
		return other_label(b);
	row = add_label(b, process, key);
	if (row != MODEL_NONE && !index_put(&p->label_index, key, process, row))
		b->out_of_memory = true;
	return row;
}

uint32_t label_of(struct build *b, uint32_t process, uint32_t number,
		  bool of_thread)
{
	uint64_t thread = of_thread ? LABEL_OF_THREAD : 0;
	struct profile_label *cached =
		&b->profile->label_cache[(number + 16 * process + of_thread) %
					 PROFILE_LABEL_CACHE];

	if (cached->row_or_0 && cached->number == (number | thread) &&
	    cached->process == process)
		return cached->row_or_0 - 1;
	*cached = (struct profile_label){
		.number = number | thread,
		.process = process,
		.row_or_0 = row_of(b, process, name_key(b, process, number) |
					       thread) + 1,
	};
	return cached->row_or_0 - 1;
}

uint32_t label_of_rest(struct build *b, uint32_t process)
{
	return row_of(b, process, LABEL_OF_REST);
}

static void merge_histogram(struct build *b, struct histogram **to,
			    const struct histogram *from)
{
	if (!from)
		return;
	if (!*to)
		*to = histogram_new();
	if (!*to || !histogram_merge(*to, from))
		b->out_of_memory = true;
}

void labels_settle(struct build *b)
{
	struct profile *p = b->profile;

	for (uint32_t i = 0; i < p->nr_labels; i++) {
		struct model_label *l = &p->labels[i];

		merge_histogram(b, &l->histograms[MODEL_LATENCY_RUNNING], p->on_cpu_histograms[i]);
		merge_histogram(b, &l->histograms[MODEL_LATENCY_HELD], p->on_cpu_histograms[i]);
		l->min_ns = l->histograms[MODEL_LATENCY_RUNNING]->least;
		l->max_ns = l->histograms[MODEL_LATENCY_RUNNING]->most;
		histogram_free(p->on_cpu_histograms[i]);
		p->on_cpu_histograms[i] = NULL;
	}
}

static void sum_label(struct build *b, uint32_t row, const struct profile *from,
		      uint32_t from_row)
{
	struct model_label *to = &b->profile->labels[row];
	const struct model_label *l = &from->labels[from_row];
	size_t stride = sums_stride(b);

	times_sum(&to->times, &l->times);
	to->coroutines += l->coroutines;
	to->renamed += l->renamed;
	to->unreported += l->unreported;
	to->unreported_ns += l->unreported_ns;
	if (l->min_ns < to->min_ns)
		to->min_ns = l->min_ns;
	if (l->max_ns > to->max_ns)
		to->max_ns = l->max_ns;
	for (unsigned int i = 0; i < MODEL_HELD_DECADES; i++)
		to->held[i] += l->held[i];
	for (unsigned int i = 0; i < MODEL_LATENCY_NR; i++)
		merge_histogram(b, &to->histograms[i], l->histograms[i]);
	sums_merge(b, &b->profile->label_sums[row * stride],
		   &from->label_sums[from_row * stride]);
}

uint32_t *labels_merge(struct build *b, const struct profile *from)
{
	uint32_t *rows = calloc((size_t)from->nr_labels + 1, sizeof(*rows));

	if (!rows)
		b->out_of_memory = true;
	for (uint32_t i = 0; rows && i < from->nr_labels; i++) {
		const struct profile_key *key = &from->label_keys[i];

		rows[i] = i == from->other_label ? other_label(b) :
			  row_of(b, key->process, key->key);
		if (rows[i] == MODEL_NONE)
			break;
		sum_label(b, rows[i], from, i);
	}
	return rows;
}

uint32_t label_number(const struct build *b, uint64_t key)
{
	return name_number(b, key & ~(LABEL_OF_THREAD | LABEL_OF_REST));
}

bool label_rekey(const struct build *b, struct profile_key *key, uint32_t number)
{
	uint64_t kind = key->key & (LABEL_OF_THREAD | LABEL_OF_REST), name = key->key & ~kind;
	bool same = name_rekey(b, key->process, number, &name);

	key->key = kind | name;
	return same;
}

static void name_label(struct build *b, struct model_label *l, uint64_t key)
{
	bool thread = key & LABEL_OF_THREAD;
	const struct build_name *name;

	key &= ~LABEL_OF_THREAD;
	name = name_of_key(b, key);
	if (!key)
		l->name = build_format(b, thread ? "(outside coroutines)" :
				       "(no label)");
	else if (!name)
		l->name = build_format(b, "(label %" PRIu64 ", its name is not in the file)",
				       key);
	else
		name_fill(b, name, &l->name, &l->object, &l->address,
			  &l->unresolved);
	if (l->object && !thread)
		l->kind = MODEL_LABEL_CODE;
	if (name && !thread)
		l->side = name->side;
}

void labels_finish(struct build *b)
{
	struct profile *p = b->profile;
	struct model *m = b->model;

	for (uint32_t i = 0; i < p->nr_labels; i++) {
		struct model_label *l = &p->labels[i];
		struct histogram *running = l->histograms[MODEL_LATENCY_RUNNING];

		/* What labels say themselves is not reported with each slice once more. */
		running->sum = l->times.running_ns;
		running->least = l->min_ns;
		running->most = l->max_ns;
		for (unsigned int k = 0; k < MODEL_LATENCY_NR; k++)
			if (l->histograms[k])
				histogram_finish(l->histograms[k]);
		l->number = label_number(b, p->label_keys[i].key);
		m->unreported += l->unreported;
		m->unreported_ns += l->unreported_ns;
		if (i == p->other_label) {
			l->kind = MODEL_LABEL_OTHER;
			l->name = build_format(b, "(other labels)");
		} else if (p->label_keys[i].key == LABEL_OF_REST) {
			l->kind = MODEL_LABEL_REST;
			l->name = build_format(b, "(in no slot)");
		} else {
			name_label(b, l, p->label_keys[i].key);
		}
	}
	m->labels = p->labels;
	m->nr_labels = p->nr_labels;
	m->label_sums = p->label_sums;
	p->labels = NULL;
	p->nr_labels = 0;
	p->label_sums = NULL;
}

uint64_t model_label_quantile_ns(const struct model_label *l, double quantile, bool *exact)
{
	const struct histogram *histogram = l->histograms[MODEL_LATENCY_RUNNING];

	*exact = true;
	return histogram ? histogram_quantile(histogram, quantile, exact) : 0;
}
