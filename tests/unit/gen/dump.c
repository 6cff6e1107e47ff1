// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/dump.h"
#include "profile/histogram.h"
#include "profile/sums.h"

static void grow(struct dump *d)
{
	d->room = d->room ? 2 * d->room : 4096;
	d->values = reallocarray(d->values, d->room, sizeof(*d->values));
	d->where = reallocarray(d->where, d->room, sizeof(*d->where));
	if (!d->values || !d->where)
		abort();
}

static void put(struct dump *d, struct dump_at at, uint64_t value)
{
	if (d->nr == d->room)
		grow(d);
	d->values[d->nr] = value;
	d->where[d->nr++] = at;
}

#define PUT(...) do {							\
	const uint64_t values_[] = { __VA_ARGS__ };			\
									\
	for (size_t i_ = 0; i_ < sizeof(values_) / 8; i_++)		\
		put(d, at, values_[i_]);				\
} while (0)

static void put_text(struct dump *d, struct dump_at at, const char *text)
{
	uint64_t hash = 0;

	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	put(d, at, hash);
}

static void put_times(struct dump *d, struct dump_at at,
		      const struct model_times *t)
{
	PUT(t->slices, t->running_ns, t->preempted_ns, t->blocked_ns, t->idle_ns, t->nr_preempted,
	    t->nr_blocked, t->nr_idle, t->gaps, t->unseen_gaps, t->cut_gaps, t->suspended_ns,
	    t->awaiting_ns, t->ready_ns, t->nr_cut, t->nr_shared);
}

static void put_cells(struct dump *d, const char *table,
		      const struct model_sum *sums, size_t nr)
{
	for (size_t i = 0; sums && i < nr; i++) {
		const struct dump_at at = { table, (uint32_t)i };

		PUT(sums[i].count, sums[i].missing_ns, sums[i].seen);
	}
}

static void put_processes(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_processes; i++) {
		const struct dump_at at = { "process", i };
		const struct model_process *p = &m->processes[i];

		PUT(p->id, (uint64_t)p->pid, p->begin_ns, p->end_ns,
		    p->coroutines);
	}
}

static void put_channels(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct dump_at at = { "channel", i };
		const struct model_channel *c = &m->channels[i];

		PUT(c->id, c->process, (uint64_t)c->tid, c->begin_ns, c->end_ns,
		    (uint64_t)c->error, c->damaged, c->mode, c->mode_row, c->lost,
		    c->spans, c->lost_spans, c->samples, c->lost_samples,
		    c->outside_ns, c->check, c->pieces);
		put_text(d, at, c->check_text);
		put_times(d, at, &c->times);
	}
	put_cells(d, "channel counts", m->channel_sums,
		  (size_t)m->nr_channels * m->nr_counters);
}

static void put_histogram(struct dump *d, struct dump_at at,
			  const struct histogram *l)
{
	PUT(l->many, l->nr_few, l->nr, l->sum, l->least, l->most);
	for (uint32_t i = 0; i < l->nr_few; i++)
		put(d, at, l->few[i]);
	for (unsigned int o = 0; o < HISTOGRAM_OCTAVES; o++)
		for (unsigned int i = 0; l->octave[o] && i < HISTOGRAM_STEPS; i++)
			put(d, at, l->octave[o][i]);
}

static void put_labels(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_labels; i++) {
		const struct dump_at at = { "label", i };
		const struct model_label *l = &m->labels[i];

		put_text(d, at, l->name);
		PUT(l->process, l->kind, l->address, l->coroutines, l->renamed,
		    l->unreported, l->unreported_ns, l->samples, l->min_ns, l->max_ns);
		put_times(d, at, &l->times);
		for (uint32_t k = 0; k < MODEL_HELD_DECADES; k++)
			PUT(l->held[k]);
		for (uint32_t k = 0; k < MODEL_LATENCY_NR; k++) {
			PUT(!!l->histograms[k]);
			if (l->histograms[k])
				put_histogram(d, at, l->histograms[k]);
		}
	}
	put_cells(d, "label counts", m->label_sums,
		  (size_t)m->nr_labels * m->nr_counters);
}

static void put_coroutines(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct dump_at at = { "coroutine", i };
		const struct model_coroutine *c = &m->coroutines[i];

		PUT(c->id, c->parent, c->tag, c->process, c->label, c->flags,
		    c->migrations, c->threads, c->born_ns, c->first_ns,
		    c->last_ns, c->max_ns, c->samples, c->calls, c->channel);
		put_times(d, at, &c->times);
	}
	put_cells(d, "coroutine counts", m->coroutine_sums,
		  (size_t)m->nr_coroutines * m->nr_counters);
}

static void put_timeline(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_timeline; i++) {
		const struct dump_at at = { "timeline", i };
		const struct model_slice *s = &m->timeline[i];

		PUT(s->begin_ns, s->duration_ns, s->preempted_ns, s->blocked_ns,
		    s->idle_ns, s->longest_ns, s->channel, s->coroutine, s->label,
		    s->nr_slices, s->flags, s->valid, s->count[0], s->count[1],
		    s->count[2], s->count[3], s->waker_coroutine);
	}
	for (uint32_t i = 0; i < m->nr_timeline_spans; i++) {
		const struct dump_at at = { "timeline span", i };
		const struct model_timeline_span *s = &m->timeline_spans[i];

		PUT(s->coroutine, s->span, s->depth, s->end_ns, s->duration_ns,
		    s->running_ns, s->channel);
	}
	for (uint32_t i = 0; i < m->nr_timeline_samples; i++) {
		const struct dump_at at = { "timeline sample", i };
		const struct model_timeline_sample *s = &m->timeline_samples[i];

		PUT(s->channel, s->time_ns, s->coroutine, s->node);
	}
}

static void put_wakes(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_wakes; i++) {
		const struct dump_at at = { "wake", i };
		const struct model_wake *w = &m->wakes[i];

		PUT(w->waker, w->woken, w->count, w->ready_ns, w->ready);
	}
}

static void put_heat_map(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_heat_map; i++) {
		const struct dump_at at = { "heat", i };
		const struct model_heat_bucket *h = &m->heat_map[i];

		PUT(h->label, h->begin_ns, h->end_ns, h->from_ns, h->below_ns, h->slices);
	}
}

static void put_longest(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_longest; i++) {
		const struct dump_at at = { "worst", i };
		const struct model_longest *w = &m->longest[i];

		PUT(w->what, w->ns, w->begin_ns, w->end_ns, w->id, w->waker, w->process,
		    w->label, w->channel, w->coroutine, w->waker_coroutine);
		put_times(d, at, &w->times);
	}
	put_cells(d, "worst counts", m->longest_sums, (size_t)m->nr_longest * m->nr_counters);
}

static void put_sums(struct dump *d, struct dump_at at,
		     const struct model_span_sums *s)
{
	PUT(s->calls, s->outermost, s->wall_ns, s->own_wall_ns, s->running_ns,
	    s->own_running_ns, s->at_most);
}

static void put_spans(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_spans; i++) {
		const struct dump_at at = { "span", i };

		put_text(d, at, m->spans[i].name);
		PUT(m->spans[i].process);
		put_sums(d, at, &m->spans[i].sums);
		put_histogram(d, at, m->spans[i].histogram);
	}
	for (uint32_t i = 0; i < m->nr_label_spans; i++) {
		const struct dump_at at = { "label span", i };

		PUT(m->label_spans[i].label, m->label_spans[i].span);
		put_sums(d, at, &m->label_spans[i].sums);
		for (uint32_t k = 0; k < m->nr_squares; k++) {
			model_squares sum = m->label_span_squares[i * m->nr_squares + k];

			PUT((uint64_t)(sum >> 64), (uint64_t)sum);
		}
	}
	for (uint32_t i = 0; i < m->nr_span_nodes; i++) {
		const struct dump_at at = { "span node", i };
		const struct model_span_node *n = &m->span_nodes[i];

		PUT(n->label, n->span, n->parent, n->depth);
		put_sums(d, at, &n->sums);
	}
	put_cells(d, "span node counts", m->span_node_sums,
		  2 * (size_t)m->nr_span_nodes * m->nr_counters);
}

static void put_samples(struct dump *d, const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_sample_nodes; i++) {
		const struct dump_at at = { "sample node", i };
		const struct model_sample_node *n = &m->sample_nodes[i];

		PUT(n->label, n->frame, n->parent, n->depth, n->own, n->total);
	}
}

struct dump dump_model(const struct model *m)
{
	const struct dump_at at = { "recording", 0 };
	struct dump dump = { 0 }, *d = &dump;

	PUT(m->begin_ns, m->end_ns, m->ended, m->unread_bytes, m->unread_records, m->nr_damage_total,
	    m->nr_counters, m->nr_processes, m->nr_channels, m->nr_labels,
	    m->nr_coroutines, m->nr_folded_coroutines, m->nr_coroutines_total,
	    m->nr_timeline, m->timeline_resolution_ns, m->nr_timeline_spans,
	    m->timeline_spans_least_ns, m->nr_timeline_samples, m->nr_wakes,
	    m->nr_dropped_wakes, m->samples, m->lost_samples, m->nr_spans,
	    m->nr_span_nodes, m->nr_span_calls, m->lost_spans, m->dropped_spans,
	    m->impossible_spans, m->lost, m->unreported, m->unreported_ns,
	    m->failed_checks);
	put_times(d, at, &m->times);
	put_cells(d, "total", m->total_sums, m->nr_counters);
	put_processes(d, m);
	put_channels(d, m);
	put_labels(d, m);
	put_coroutines(d, m);
	put_timeline(d, m);
	put_wakes(d, m);
	put_longest(d, m);
	put_heat_map(d, m);
	put_spans(d, m);
	put_samples(d, m);
	return dump;
}

void dump_profile(struct dump *d, const struct build *b)
{
	const struct profile *p = b->profile;

	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		const struct dump_at at = { "end of channel", i };

		PUT(p->channels[i].broken, p->channels[i].last_ns);
	}
	for (uint32_t i = 0; i < b->model->nr_processes; i++) {
		const struct dump_at at = { "end of process", i };

		PUT(p->processes[i].lost_until, p->processes[i].missing_until,
		    p->processes[i].spans_lost_until);
	}
}

bool dump_same(const struct dump *a, const struct dump *b)
{
	return a->nr == b->nr &&
	       !memcmp(a->values, b->values, a->nr * sizeof(*a->values));
}

const char *dump_difference(const struct dump *a, const struct dump *b)
{
	static char text[256];
	uint32_t i = 0;

	while (i < a->nr && i < b->nr && a->values[i] == b->values[i])
		i++;
	if (i == a->nr || i == b->nr)
		snprintf(text, sizeof(text), "%u values, not %u", b->nr, a->nr);
	else
		snprintf(text, sizeof(text), "%s %u, value %u: %lu, not %lu",
			 a->where[i].table, a->where[i].row, i,
			 (unsigned long)b->values[i],
			 (unsigned long)a->values[i]);
	return text;
}

void dump_free(struct dump *d)
{
	free(d->values);
	free(d->where);
	*d = (struct dump){ 0 };
}

static void *copy(const void *from, size_t size)
{
	void *to = malloc(size + 1);

	if (!to)
		abort();
	memcpy(to, from, size);
	return to;
}

struct model *dump_copy_context(const struct model *m)
{
	struct model *to = calloc(1, sizeof(*to));

	if (!to)
		abort();
	to->nr_counters = m->nr_counters;
	to->nr_processes = m->nr_processes;
	to->nr_channels = m->nr_channels;
	to->processes = copy(m->processes,
			     m->nr_processes * sizeof(*m->processes));
	to->channels = copy(m->channels, m->nr_channels * sizeof(*m->channels));
	for (uint32_t i = 0; i < to->nr_processes; i++)
		to->processes[i].comm = to->processes[i].root = NULL;
	for (uint32_t i = 0; i < to->nr_channels; i++)
		to->channels[i].comm = to->channels[i].check_text = NULL;
	return to;
}
