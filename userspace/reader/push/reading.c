// SPDX-License-Identifier: GPL-2.0
/* Takes what is sent of a label from the model. */
#include "base/standing.h"
#include "profile/histogram.h"
#include "profile/model.h"
#include "profile/schema.h"
#include "push/reading.h"

const struct model_options reading_options = {
	.no_timeline = true, .no_inline = true, .coroutines = 1,
};

static void add(struct reading *r, enum book_metric metric, unsigned int which,
		enum standing standing, uint64_t value)
{
	if (!standing_has_value(standing) || r->nr == READING_POINTS)
		return;
	r->points[r->nr++] = (struct book_point){
		.metric = metric, .which = (uint8_t)which, .standing = standing, .value = value,
	};
}

/*
 * Of a window that begins in the middle of a recording those that began before it are missing, which
 * the model can't know.
 */
static void add_between(struct reading *r, enum book_state state, struct model_ns ns, bool part,
			bool cut)
{
	add(r, BOOK_TIME, state, standing_lacking(model_ns_standing(ns), part || cut), ns.ns);
}

static void add_times(struct reading *r, const struct model *m, const struct model_label *l,
		      bool part, bool cut)
{
	const struct model_times *t = &l->times;
	enum standing standing = model_times_standing(t, part);
	struct model_ns awaiting = model_awaiting(t), ready = model_ready(t);
	uint64_t rest = t->suspended_ns - awaiting.ns - ready.ns;

	add(r, BOOK_SWITCHES, 0, standing_seen(part), t->slices);
	add(r, BOOK_TIME, BOOK_RUNNING, standing, t->running_ns);
	add(r, BOOK_TIME, BOOK_PREEMPTED, standing, t->preempted_ns);
	if (model_label_is_outside(l)) {
		add(r, BOOK_TIME, BOOK_IDLING, standing, t->idle_ns);
		return;
	}
	add(r, BOOK_TIME, BOOK_BLOCKED, standing, t->blocked_ns);
	/* Without slices nothing is known of what is between them. */
	if (m->totals)
		return;
	add_between(r, BOOK_AWAITING, awaiting, part, cut);
	add_between(r, BOOK_READY, ready, part, cut);
	if (rest)
		add_between(r, BOOK_SUSPENDED, model_suspended(t), part, cut);
	if (rest && r->nr && r->points[r->nr - 1].which == BOOK_SUSPENDED)
		r->points[r->nr - 1].value = rest;
}

static void add_lengths(struct reading *r, const struct model_label *l, bool part, bool cut)
{
	static const struct {
		enum model_latency latency;
		bool across;
	} kinds[BOOK_KINDS] = {
		[BOOK_HELD] = { MODEL_LATENCY_HELD, false },
		[BOOK_READIES] = { MODEL_LATENCY_READY, true },
		[BOOK_LIFETIME] = { MODEL_LATENCY_LIFETIME, true },
	};

	if (model_label_is_outside(l))
		return;
	for (unsigned int i = 0; i < BOOK_KINDS; i++) {
		r->lengths[i] = l->histograms[kinds[i].latency];
		r->standing[i] = standing_seen(part || (cut && kinds[i].across));
	}
}

void reading_label(struct reading *r, const struct model *m, const struct model_label *l,
		   const unsigned int *counters, bool cut)
{
	bool part = schema_lacks(m, SCHEMA_LABELS, l, MODEL_PARTIAL_SLICES);

	*r = (struct reading){
		.process = l->process == MODEL_NONE ? BOOK_OTHER : m->processes[l->process].id,
		.name = l->name,
	};
	add_times(r, m, l, part, cut);
	add_lengths(r, l, part, cut);
	for (uint32_t i = 0; i < m->nr_counters; i++) {
		struct model_value value = model_label_value(m, (uint32_t)(l - m->labels), i);

		if (counters[i] < BOOK_COUNTERS)
			add(r, BOOK_COUNTER, counters[i],
			    standing_lacking(model_value_standing(value), part), value.estimate);
	}
}

void reading_process(struct reading *r, const struct model *m, uint32_t process)
{
	uint64_t lost = 0;

	*r = (struct reading){ .process = m->processes[process].id };
	for (uint32_t i = 0; i < m->nr_channels; i++)
		if (m->channels[i].process == process)
			lost += m->channels[i].lost;
	add(r, BOOK_LOST_SLICES, 0,
	    standing_seen(m->processes[process].partial & MODEL_PARTIAL_LOSSES), lost);
}

uint64_t reading_running(const struct reading *r)
{
	for (unsigned int i = 0; i < r->nr; i++)
		if (r->points[i].metric == BOOK_TIME && r->points[i].which == BOOK_RUNNING)
			return r->points[i].value;
	return 0;
}

bool reading_has_any(const struct reading *r)
{
	for (unsigned int i = 0; i < r->nr; i++)
		if (r->points[i].value)
			return true;
	for (unsigned int i = 0; i < BOOK_KINDS; i++)
		if (r->lengths[i] && r->lengths[i]->nr)
			return true;
	return false;
}
