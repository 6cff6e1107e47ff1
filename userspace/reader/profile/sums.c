// SPDX-License-Identifier: GPL-2.0
/*
 * Adds what slices and spans counted to sums of rows, each with how well it was counted.
 */
#include "profile/build.h"
#include "profile/part.h"
#include "profile/sums.h"

/**
 * struct counts - what a slice or a span counted
 * @standing:   word of the record
 * @running_ns: of it
 * @count:      for each counter of the channel
 * @missing_ns: likewise, or NULL
 */
struct counts {
	uint16_t standing;
	uint64_t running_ns;
	const uint64_t *count;
	const uint64_t *missing_ns;
};

/* The time in ns in which counter @n was not on the PMU while it should have counted. */
static uint64_t missing_ns(const struct counts *s, unsigned int standing,
			   uint32_t n)
{
	if (standing == COROPROF_STANDING_COUNTED)
		return 0;
	if (standing != COROPROF_STANDING_SCALED || !s->missing_ns ||
	    s->missing_ns[n] > s->running_ns)
		return s->running_ns;
	return s->missing_ns[n];
}

static void add_to_sum(struct model_sum *to, const struct counts *s, uint32_t n)
{
	unsigned int standing = COROPROF_STANDING(s->standing, n);

	to->count += s->count[n];
	to->missing_ns += missing_ns(s, standing, n);
	to->seen |= 1u << standing;
}

/* As add_to_sum() for all counters of the channel, which are all COUNTED here. */
static inline void add_counted(const struct model_channel *c,
			       const struct sum_rows *to, const uint64_t *count)
{
	for (uint32_t i = 0; i < c->nr_counters; i++) {
		uint64_t n = count[i];
		uint8_t counter = c->counters[i];

		if (counter == UINT8_MAX)
			continue;
		for (uint32_t row = 0; row < to->nr; row++) {
			struct model_sum *sum = &to->row[row][counter];

			sum->count += n;
			sum->seen |= SUM_COUNTED;
		}
	}
}

static void add_with_standings(const struct model_channel *c, struct model_sum *to,
			       const struct counts *s)
{
	for (uint32_t i = 0; i < c->nr_counters; i++)
		if (c->counters[i] != UINT8_MAX)
			add_to_sum(&to[c->counters[i]], s, i);
}

/* Counters that other threads have and this one does not missed all of its running time. */
static void add_uncounted_time(const struct build_channel *bc, struct model_sum *to,
			       const struct counts *s)
{
	for (uint32_t i = 0; i < bc->nr_elsewhere; i++) {
		to[bc->elsewhere[i]].missing_ns += s->running_ns;
		to[bc->elsewhere[i]].seen |= SUM_ELSEWHERE;
	}
}

static void add_counts(const struct build *b, const struct sum_rows *to,
		       uint32_t channel, const struct counts *s)
{
	const struct model_channel *c = &b->model->channels[channel];
	const struct build_channel *bc = &b->channels[channel];
	uint32_t counted = (1u << 2 * c->nr_counters) - 1;
	bool all = (s->standing & counted) == counted;

	if (all)
		add_counted(c, to, s->count);
	if (all && !bc->nr_elsewhere)
		return;
	for (uint32_t row = 0; row < to->nr; row++) {
		if (!all)
			add_with_standings(c, to->row[row], s);
		add_uncounted_time(bc, to->row[row], s);
	}
}

/* Marks all counters of the row as having a part that was shared out by time. */
static void mark_shared(const struct build *b, struct model_sum *to)
{
	for (uint32_t i = 0; i < b->model->nr_counters; i++)
		to[i].seen |= SUM_SHARED;
}

void sums_add(const struct build *b, const struct sum_rows *to,
	      uint32_t channel, const struct record *s)
{
	const struct counts counts = {
		s->standing, s->running_ns, s->count,
		s->flags & COROPROF_SLICE_SCALED ? s->missing_ns : NULL,
	};

	add_counts(b, to, channel, &counts);
	for (uint32_t row = 0; is_cut(b, s) && row < to->nr; row++)
		mark_shared(b, to->row[row]);
}

void sums_add_span(const struct build *b, struct model_sum *to,
		   uint32_t channel, const struct record *s)
{
	const struct counts counts = {
		s->standing, s->running_ns, s->count,
		s->flags & COROPROF_SPAN_SCALED ? s->missing_ns : NULL,
	};
	const struct sum_rows rows = { 1, { to } };

	add_counts(b, &rows, channel, &counts);
}

void sums_see(const struct build *b, struct model_sum *to, uint32_t channel,
	      const struct record *s)
{
	const struct model_channel *c = &b->model->channels[channel];
	const struct build_channel *bc = &b->channels[channel];

	for (uint32_t i = 0; i < c->nr_counters; i++)
		if (c->counters[i] != UINT8_MAX)
			to[c->counters[i]].seen |= 1u << COROPROF_STANDING(s->standing, i);
	for (uint32_t i = 0; i < bc->nr_elsewhere; i++)
		to[bc->elsewhere[i]].seen |= SUM_ELSEWHERE;
	if (is_cut(b, s))
		mark_shared(b, to);
}

void sums_merge(const struct build *b, struct model_sum *to,
		const struct model_sum *from)
{
	for (uint32_t i = 0; i < sums_stride(b); i++) {
		to[i].count += from[i].count;
		to[i].missing_ns += from[i].missing_ns;
		to[i].seen |= from[i].seen;
	}
}
