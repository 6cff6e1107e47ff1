// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"

#define LABEL_OF_THREAD	(1ULL << 63)

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 0x100000001b3ULL;
	return hash;
}

/* Finds the same text again; equal hashes are compared as shown as well. */
static uint64_t hash_name(const struct coroprof_record_label *r)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	hash = hash_bytes(hash, &r->flags, sizeof(r->flags));
	hash = hash_bytes(hash, &r->value, sizeof(r->value));
	return hash_bytes(hash, r + 1, r->text_len) & ~LABEL_OF_THREAD;
}

void label_define(struct build *b, uint32_t process,
		  const struct coroprof_record_label *r)
{
	uint32_t n = b->nr_names;
	char *text;

	if (n == BUILD_NAMES_MAX ||
	    !build_grow(b, &b->names, n, sizeof(*b->names)))
		return;
	text = build_text(b, (const char *)(r + 1), r->text_len);
	if (!text)
		return;
	b->names[n] = (struct build_name){
		text, r->flags, r->value, hash_name(r),
	};
	b->nr_names++;
	if (!index_put(&b->name_index, r->label, process, n))
		b->out_of_memory = true;
}

const struct build_name *name_of(const struct build *b, uint32_t process,
				 uint32_t number)
{
	uint32_t n = index_get(&b->name_index, number, process);

	return n == INDEX_NONE ? NULL : &b->names[n];
}

/* A row with room for its counts, not yet filled in. */
static struct model_label *add_label(struct build *b)
{
	struct model *m = b->model;
	uint32_t n = m->nr_labels, stride = cells_stride(b);
	struct model_label *l;

	if (!build_grow(b, &m->labels, n, sizeof(*m->labels)) ||
	    !build_grow(b, &m->label_cells, n,
			stride * sizeof(*m->label_cells)))
		return NULL;
	l = &m->labels[n];
	*l = (struct model_label){ .min_ns = UINT64_MAX };
	memset(&m->label_cells[(size_t)n * stride], 0,
	       stride * sizeof(*m->label_cells));
	l->histogram = calloc(MODEL_HISTOGRAM_BUCKETS, sizeof(*l->histogram));
	if (!l->histogram) {
		b->out_of_memory = true;
		return NULL;
	}
	m->nr_labels++;
	return l;
}

static uint32_t other_label(struct build *b)
{
	struct model_label *l;

	if (b->other_label != MODEL_NONE)
		return b->other_label;
	l = add_label(b);
	if (!l)
		return MODEL_NONE;
	l->process = MODEL_NONE;
	l->kind = MODEL_LABEL_OTHER;
	l->name = build_format(b, "(other labels)");
	b->other_label = b->model->nr_labels - 1;
	return b->other_label;
}

static void fill_code(struct build *b, struct model_label *l,
		      const struct build_name *name)
{
	const char *base = strrchr(name->text, '/');

	l->object = build_format(b, "%s", name->text);
	l->address = name->value;
	l->name = build_format(b, "%s+0x%" PRIx64,
			       base ? base + 1 : name->text, name->value);
	l->unresolved = "symbols were not looked up";
}

static void fill(struct build *b, struct model_label *l, uint32_t number,
		 const struct build_name *name, bool thread)
{
	l->kind = thread ? MODEL_LABEL_THREAD :
		  !number ? MODEL_LABEL_NONE : MODEL_LABEL_TEXT;
	if (!number)
		l->name = build_format(b, thread ? "(outside coroutines)" :
				       "(no label)");
	else if (!name)
		l->name = build_format(b, "(label %" PRIu32 ", its name is not in the file)",
				       number);
	else if (!(name->flags & COROPROF_LABEL_CODE))
		l->name = build_format(b, "%s", name->text);
	else
		fill_code(b, l, name);
	if (l->object && !thread)
		l->kind = MODEL_LABEL_CODE;
}

static bool same_label(const struct model_label *l,
		       const struct build_name *name)
{
	if (name->flags & COROPROF_LABEL_CODE)
		return l->object && l->address == name->value &&
		       !strcmp(l->object, name->text);
	return !l->object && !strcmp(l->name, name->text);
}

/* The row of another label of the process with the same text. */
static uint32_t find_text(const struct build *b, uint32_t process,
			  const struct build_name *name, uint64_t thread)
{
	uint32_t row = name ? index_get(&b->text_index, name->hash | thread,
					process) : INDEX_NONE;

	if (row != INDEX_NONE && same_label(&b->model->labels[row], name))
		return row;
	return MODEL_NONE;
}

static uint32_t make_row(struct build *b, uint32_t process, uint32_t number,
			 const struct build_name *name, uint64_t thread)
{
	struct model_label *l;
	uint32_t row = b->model->nr_labels;

	if (row >= b->options.labels)
		return other_label(b);
	l = add_label(b);
	if (!l)
		return MODEL_NONE;
	l->process = process;
	fill(b, l, number, name, thread);
	if (!l->name)
		return MODEL_NONE;
	if (name && !index_put(&b->text_index, name->hash | thread, process,
			       row))
		b->out_of_memory = true;
	return row;
}

static uint32_t look_up(struct build *b, uint32_t process, uint32_t number,
			uint64_t thread)
{
	uint32_t row = index_get(&b->label_index, number | thread, process);
	const struct build_name *name;

	if (row != INDEX_NONE)
		return row;
	name = name_of(b, process, number);
	row = find_text(b, process, name, thread);
	if (row == MODEL_NONE)
		row = make_row(b, process, number, name, thread);
	/* Those that share the last row are not remembered: there is no end. */
	if (row != MODEL_NONE && row != b->other_label &&
	    !index_put(&b->label_index, number | thread, process, row))
		b->out_of_memory = true;
	return row;
}

uint32_t label_of(struct build *b, uint32_t process, uint32_t number,
		  bool of_thread)
{
	uint64_t thread = of_thread ? LABEL_OF_THREAD : 0;
	struct build_label *cached =
		&b->label_cache[(number + 16 * process + of_thread) %
				BUILD_LABEL_CACHE];

	if (cached->row_or_0 && cached->key == (number | thread) &&
	    cached->process == process)
		return cached->row_or_0 - 1;
	*cached = (struct build_label){
		.key = number | thread,
		.process = process,
		.row_or_0 = look_up(b, process, number, thread) + 1,
	};
	return cached->row_or_0 - 1;
}

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int octave, bucket;

	if (ns < 4)
		return (unsigned int)ns;
	octave = 63 - (unsigned int)__builtin_clzll(ns);
	bucket = 4 * (octave - 1) + ((ns >> (octave - 2)) & 3);
	return bucket < MODEL_HISTOGRAM_BUCKETS ? bucket :
						  MODEL_HISTOGRAM_BUCKETS - 1;
}

void label_slice(struct build *b, uint32_t label, const struct record *s)
{
	struct model_label *l = &b->model->labels[label];

	if (s->running_ns < l->min_ns)
		l->min_ns = s->running_ns;
	if (s->running_ns > l->max_ns)
		l->max_ns = s->running_ns;
	l->histogram[bucket_of(s->running_ns)]++;
	if (s->flags & COROPROF_SLICE_MISSED) {
		l->missed++;
		l->missed_ns += s->running_ns;
		b->model->missed++;
		b->model->missed_ns += s->running_ns;
	}
}

uint64_t model_histogram_ns(unsigned int bucket)
{
	if (bucket < 4)
		return bucket;
	return (4ULL + bucket % 4) << (bucket / 4 - 1);
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

uint64_t model_label_quantile_ns(const struct model_label *l, double quantile)
{
	double rank = quantile * (double)l->times.slices, below = 0;
	unsigned int i;

	if (!l->times.slices)
		return 0;
	for (i = 0; i < MODEL_HISTOGRAM_BUCKETS - 1; i++) {
		double here = (double)l->histogram[i];

		if (here > 0 && below + here >= rank) {
			uint64_t low = model_histogram_ns(i);
			uint64_t high = model_histogram_ns(i + 1);
			double share = (rank - below) / here;

			return within(low + (uint64_t)(share *
						       (double)(high - low)),
				      l->min_ns, l->max_ns);
		}
		below += here;
	}
	return l->max_ns;
}
