// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "profile/build.h"

/* So many live coroutines without a row are followed as well. */
static uint32_t places_max(const struct build *b)
{
	uint32_t rows = b->options.coroutines;

	return rows / 4 < UINT32_MAX - 2 - rows ? rows + rows / 4 + 1024 : rows;
}

uint32_t coroutine_row(const struct build *b, const struct model_coroutine *c)
{
	size_t place = c ? (size_t)(c - b->model->coroutines) : MODEL_NONE;

	return place < b->options.coroutines ? (uint32_t)place : MODEL_NONE;
}

static uint32_t take_place(struct build *b)
{
	struct model *m = b->model;
	uint32_t place = b->free_place;

	if (place != MODEL_NONE) {
		b->free_place = m->coroutines[place].reserved;
		return place;
	}
	place = b->nr_places;
	if (place >= places_max(b) ||
	    !build_grow(b, &m->coroutines, place, sizeof(*m->coroutines)) ||
	    !build_grow(b, &m->coroutine_cells, place,
			cells_stride(b) * sizeof(*m->coroutine_cells)))
		return MODEL_NONE;
	b->nr_places++;
	return place;
}

static struct model_coroutine *add_coroutine(struct build *b, uint32_t process,
					     uint64_t id)
{
	struct model *m = b->model;
	uint32_t place = take_place(b);
	struct model_coroutine *c;

	if (place == MODEL_NONE)
		return NULL;
	if (!index_put(&b->coroutine_index, id, process, place)) {
		b->out_of_memory = true;
		return NULL;
	}
	c = &m->coroutines[place];
	*c = (struct model_coroutine){
		.id = id,
		.process = process,
		.label = MODEL_NONE,
		.channel = MODEL_NONE,
		.flags = id & COROPROF_ID_THREAD ? MODEL_COROUTINE_THREAD : 0,
	};
	memset(coroutine_cells(b, c), 0,
	       cells_stride(b) * sizeof(*m->coroutine_cells));
	if (place >= b->options.coroutines)
		m->nr_folded_coroutines++;
	return c;
}

struct model_coroutine *coroutine_find(struct build *b, uint32_t process,
				       uint64_t id)
{
	uint32_t place = index_get(&b->coroutine_index, id, process);

	return place == INDEX_NONE ? NULL : &b->model->coroutines[place];
}

struct model_coroutine *coroutine_of(struct build *b, uint32_t process,
				     uint64_t id)
{
	struct model_coroutine *c = coroutine_find(b, process, id);

	if (c)
		return c;
	c = add_coroutine(b, process, id);
	if (c && !(c->flags & MODEL_COROUTINE_THREAD)) {
		b->model->nr_coroutines_total++;
		b->model->processes[process].coroutines++;
	}
	return c;
}

void coroutine_label(struct build *b, struct model_coroutine *c, uint32_t label)
{
	struct model_label *labels = b->model->labels;

	if (c->label == label)
		return;
	if (c->label != MODEL_NONE) {
		labels[c->label].coroutines--;
		labels[c->label].renamed++;
	}
	c->label = label;
	labels[label].coroutines++;
}

static void first_slice(struct model_coroutine *c, const struct record *s,
			uint64_t begin)
{
	uint64_t wake = s->woken.wake_time;

	c->first_ns = begin;
	if (!(s->flags & COROPROF_SLICE_FRESH))
		return;
	c->flags |= MODEL_COROUTINE_BORN;
	c->parent = s->fresh.parent;
	c->user = s->fresh.tag;
	c->born_ns = wake && wake < begin ? wake : begin;
}

void coroutine_slice(struct build *b, struct model_coroutine *c,
		     uint32_t channel, const struct record *s)
{
	uint64_t begin = s->time - s->duration;
	const struct model_channel *channels = b->model->channels;

	if (c->channel == MODEL_NONE)
		first_slice(c, s, begin);
	else if (begin < c->last_ns)
		c->flags |= MODEL_COROUTINE_OVERLAP;
	if (c->channel != MODEL_NONE &&
	    channels[c->channel].tid != channels[channel].tid)
		c->migrations++;
	c->channel = channel;
	c->threads |= 1ULL << (channel % 64);
	if (s->time > c->last_ns)
		c->last_ns = s->time;
	if (s->running_ns > c->max_ns)
		c->max_ns = s->running_ns;
	c->reserved = (s->flags & COROPROF_SLICE_READY ? LEFT_READY : 0) |
		      (s->flags & COROPROF_SLICE_CUT ? LEFT_CUT : 0);
}

void coroutine_end(struct build *b, struct model_coroutine *c)
{
	uint32_t place = (uint32_t)(c - b->model->coroutines);

	c->flags |= MODEL_COROUTINE_ENDED;
	if (place < b->options.coroutines)
		return;
	index_remove(&b->coroutine_index, c->id, c->process);
	c->reserved = b->free_place;
	b->free_place = place;
}

void coroutines_finish(struct build *b)
{
	b->model->nr_coroutines = b->nr_places < b->options.coroutines ?
				  b->nr_places : b->options.coroutines;
}

unsigned int model_coroutine_threads(const struct model_coroutine *c)
{
	return (unsigned int)__builtin_popcountll(c->threads);
}
