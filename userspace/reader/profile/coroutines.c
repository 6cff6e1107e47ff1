// SPDX-License-Identifier: GPL-2.0
/*
 * The entries of coroutines in a profile: found by a cache and a hash, freed where a coroutine has
 * ended without a row of the table. Their sums come to their labels when they settle.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/sums.h"
#include "profile/times.h"

/* Beside the rows of the table, a quarter as many live coroutines without a row have an entry. */
static uint32_t entries_max(const struct build *b)
{
	uint32_t rows = b->options.coroutines;

	return rows / 4 < UINT32_MAX - 2 - rows ? rows + rows / 4 + 1024 : rows;
}

bool coroutine_is_of_shard(const struct profile *p,
			   const struct model_coroutine *c)
{
	return p->begins || (c && c->flags & MODEL_COROUTINE_BORN &&
			     c->first_ns >= p->begin_ns);
}

/* True of a coroutine without a row in the table: its entry is needed only as long as it lives. */
static bool frees_entry_at_end(const struct build *b, uint32_t entry)
{
	const struct profile *p = b->profile;

	return entry >= b->options.coroutines &&
	       coroutine_is_of_shard(p, &p->coroutines[entry]);
}

uint32_t coroutine_row_at(const struct build *b, uint32_t entry)
{
	return entry != MODEL_NONE && frees_entry_at_end(b, entry) ? MODEL_NONE : entry;
}

uint32_t coroutine_row(const struct build *b, const struct model_coroutine *c)
{
	return c ? coroutine_row_at(b, coroutine_entry(b->profile, c)) : MODEL_NONE;
}

static uint32_t allocate_entry(struct build *b)
{
	struct profile *p = b->profile;
	uint32_t entry = p->free_entry;

	if (entry != MODEL_NONE) {
		p->free_entry = p->beside[entry].next_free;
		return entry;
	}
	entry = p->nr_entries;
	if (entry >= entries_max(b) ||
	    !build_grow(b, &p->coroutines, entry, sizeof(*p->coroutines)) ||
	    !build_grow(b, &p->beside, entry, sizeof(*p->beside)) ||
	    !build_grow(b, &p->coroutine_sums, entry,
			sums_stride(b) * sizeof(*p->coroutine_sums)))
		return MODEL_NONE;
	p->nr_entries++;
	return entry;
}

uint32_t coroutine_take_entry(struct build *b, uint32_t process, uint64_t id)
{
	struct profile *p = b->profile;
	uint32_t entry = allocate_entry(b);

	if (entry == MODEL_NONE)
		return MODEL_NONE;
	if (!index_put(&p->coroutine_index, id, process, entry)) {
		/* As a free one, which is in no sum. */
		p->coroutines[entry].process = MODEL_NONE;
		b->out_of_memory = true;
		return MODEL_NONE;
	}
	return entry;
}

static uint32_t coroutine_add(struct build *b, uint32_t process, uint64_t id)
{
	struct profile *p = b->profile;
	uint32_t entry = coroutine_take_entry(b, process, id);
	bool thread = id & COROPROF_ID_THREAD;

	if (entry == MODEL_NONE)
		return MODEL_NONE;
	p->coroutines[entry] = (struct model_coroutine){
		.id = id,
		.process = process,
		.label = MODEL_NONE,
		.channel = MODEL_NONE,
		.flags = thread ? MODEL_COROUTINE_THREAD : 0,
	};
	p->beside[entry] = (struct profile_coroutine){ .first = MODEL_NONE };
	memset(coroutine_sums(b, p, entry), 0,
	       sums_stride(b) * sizeof(*p->coroutine_sums));
	p->nr_folded += entry >= b->options.coroutines;
	p->nr_coroutines += !thread;
	p->processes[process].coroutines += !thread;
	return entry;
}

uint32_t coroutine_search(struct build *b, uint32_t process, uint64_t id)
{
	struct profile *p = b->profile;
	uint32_t entry = index_get(&p->coroutine_index, id, process);

	if (entry == INDEX_NONE)
		entry = coroutine_add(b, process, id);
	if (entry != MODEL_NONE)
		p->recent_entries[recent_entry(process, id)] = entry;
	return entry;
}

/* So many rows are in a near cache anyway. */
#define FETCH_FROM	2048u
#define CACHE_LINE	64u

/*
 * Prefetches the first two cache lines of an object and its last one. Inline, as are its callers:
 * gcc takes a function that only fetches, or such a loop, for one without effect.
 */
static inline __attribute__((always_inline)) void prefetch_lines(const void *from, size_t size)
{
	const char *first = from;

	__builtin_prefetch(first, 1);
	if (size > CACHE_LINE)
		__builtin_prefetch(first + CACHE_LINE, 1);
	__builtin_prefetch(first + size - 1, 1);
}

static inline __attribute__((always_inline))
void fetch_entry(const struct build *b, uint32_t entry)
{
	const struct profile *p = b->profile;

	if (entry >= p->nr_entries)
		return;
	prefetch_lines(&p->coroutines[entry], offsetof(struct model_coroutine, times.unseen_gaps));
	prefetch_lines(&p->beside[entry], sizeof(*p->beside));
	prefetch_lines(coroutine_sums(b, p, entry), sums_stride(b) * sizeof(*p->coroutine_sums));
}

/* Of a waker nothing is needed but whose it is. */
static inline __attribute__((always_inline))
void fetch_waker(const struct profile *p, uint32_t entry)
{
	if (entry < p->nr_entries)
		prefetch_lines(&p->coroutines[entry], offsetof(struct model_coroutine, flags));
}

void coroutines_fetch(const struct build *b, uint32_t process, const struct record *s,
		      uint32_t nr)
{
	const struct profile *p = b->profile;

	if (p->nr_entries < FETCH_FROM)
		return;
	for (uint32_t i = 0; i < nr; i++) {
		fetch_entry(b, p->recent_entries[recent_entry(process, s[i].id)]);
		fetch_waker(p, p->recent_entries[recent_entry(process, s[i].woken.waker)]);
	}
}

struct model_coroutine *coroutine_find(const struct profile *p,
				       uint32_t process, uint64_t id)
{
	uint32_t entry = coroutine_recent(p, process, id);

	if (entry == MODEL_NONE)
		entry = index_get(&p->coroutine_index, id, process);
	return entry == INDEX_NONE ? NULL : &p->coroutines[entry];
}

void coroutine_end(struct build *b, struct model_coroutine *c)
{
	struct profile *p = b->profile;
	uint32_t entry = coroutine_entry(p, c);

	c->flags |= MODEL_COROUTINE_ENDED;
	/* Should it have another slice, that one is not unchanged: see is_odd(). */
	p->beside[entry].left &= ~LEFT_COUNTED;
	if (!frees_entry_at_end(b, entry))
		return;
	index_remove(&p->coroutine_index, c->id, c->process);
	c->process = MODEL_NONE;
	p->beside[entry].next_free = p->free_entry;
	p->free_entry = entry;
}

/* ---- sums of labels */

/* Adds counts only: sums_see() has noted how well they were counted. */
static void add_sums(const struct build *b, struct model_sum *to, const struct model_sum *from)
{
	for (uint32_t i = 0; i < sums_stride(b); i++) {
		to[i].count += from[i].count;
		to[i].missing_ns += from[i].missing_ns;
	}
}

static void subtract_sums(const struct build *b, struct model_sum *to,
			  const struct model_sum *from)
{
	for (uint32_t i = 0; i < sums_stride(b); i++) {
		to[i].count -= from[i].count;
		to[i].missing_ns -= from[i].missing_ns;
	}
}

void coroutine_settle(struct build *b, uint32_t entry)
{
	struct profile *p = b->profile;
	const struct model_coroutine *c = &p->coroutines[entry];

	times_sum(&p->labels[c->label].times, &c->times);
	add_sums(b, &p->label_sums[(size_t)c->label * sums_stride(b)], coroutine_sums(b, p, entry));
}

/*
 * The new label will be given all that the coroutine has at last, what is its old one's
 * included: that is taken from it in advance, modulo 2^64 as all sums.
 */
void coroutine_rename(struct build *b, uint32_t entry, uint32_t label)
{
	struct profile *p = b->profile;

	coroutine_settle(b, entry);
	times_subtract(&p->labels[label].times, &p->coroutines[entry].times);
	subtract_sums(b, &p->label_sums[(size_t)label * sums_stride(b)], coroutine_sums(b, p, entry));
}

/* Free entries have no process, and what has not run yet has no label. */
void coroutines_settle(struct build *b)
{
	const struct profile *p = b->profile;

	for (uint32_t i = 0; i < p->nr_entries; i++)
		if (p->coroutines[i].process != MODEL_NONE && p->coroutines[i].label != MODEL_NONE)
			coroutine_settle(b, i);
}

/* ---- all shards are added up */

static bool is_tool_coroutine(const struct model *m, uint32_t coroutine)
{
	return coroutine != MODEL_NONE && m->coroutines[coroutine].flags & MODEL_COROUTINE_TOOL;
}

/* Removes coroprof's own coroutines as wakers: they made nothing of the program ready. */
static void forget_tool_wakes(struct model *m)
{
	for (uint32_t i = 0; i < m->nr_timeline; i++)
		if (is_tool_coroutine(m, m->timeline[i].waker_coroutine)) {
			m->timeline[i].waker_coroutine = MODEL_NONE;
			m->timeline[i].waker = 0;
		}
	for (uint32_t i = 0; i < m->nr_longest; i++)
		if (is_tool_coroutine(m, m->longest[i].waker_coroutine)) {
			m->longest[i].waker_coroutine = MODEL_NONE;
			m->longest[i].waker = 0;
		}
}

/* Coroutines that coroprof itself ran are not counted among those of the program. */
static void hide_tool_coroutines(struct model *m)
{
	bool is_there = false;

	for (uint32_t i = 0; i < m->nr_labels; i++) {
		const struct model_label *l = &m->labels[i];

		if (l->kind != MODEL_LABEL_TOOL)
			continue;
		is_there = true;
		m->nr_coroutines_total -= l->coroutines;
		m->processes[l->process].coroutines -= l->coroutines;
	}
	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		struct model_coroutine *c = &m->coroutines[i];

		if (c->label != MODEL_NONE && m->labels[c->label].kind == MODEL_LABEL_TOOL)
			c->flags |= MODEL_COROUTINE_THREAD | MODEL_COROUTINE_TOOL;
	}
	if (is_there)
		forget_tool_wakes(m);
}

void coroutines_finish(struct build *b)
{
	struct profile *p = b->profile;
	struct model *m = b->model;

	m->coroutines = p->coroutines;
	m->coroutine_sums = p->coroutine_sums;
	m->nr_coroutines = p->nr_entries < b->options.coroutines ?
			   p->nr_entries : b->options.coroutines;
	m->nr_folded_coroutines = p->nr_folded;
	m->nr_coroutines_total = p->nr_coroutines;
	for (uint32_t i = 0; i < m->nr_processes; i++)
		m->processes[i].coroutines = p->processes[i].coroutines;
	hide_tool_coroutines(m);
	p->coroutines = NULL;
	p->coroutine_sums = NULL;
}
