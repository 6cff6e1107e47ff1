// SPDX-License-Identifier: GPL-2.0
/*
 * What recording cost the program: multiplies slices, spans, births, rings and probes by what the
 * recorder measured of each.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "profile/costs.h"
#include "profile/info.h"
#include "profile/part.h"
#include "profile/wakes.h"

static double measured(const struct model *m, const char *what,
		       const char *unit)
{
	const char *text;
	char key[64], *end;
	double value;

	snprintf(key, sizeof(key), "%s_%s", what, unit);
	text = info_value(m, key);
	if (!text)
		return -1;
	value = strtod(text, &end);
	return end != text && !*end && value >= 0 && value < 1e9 ? value : -1;
}

static struct model_cost cost_of(const struct model *m, const char *what)
{
	return (struct model_cost){
		measured(m, what, "ns"), measured(m, what, "instructions"),
	};
}

static void charge(struct model *m, uint64_t times, struct model_cost cost)
{
	if (!times)
		return;
	if (cost.ns < 0) {
		m->overhead_at_least = true;
		return;
	}
	if (m->overhead_ns < 0)
		m->overhead_ns = 0;
	m->overhead_ns += cost.ns * (double)times;
}

static double instructions_of(const struct model *m, uint32_t label)
{
	struct model_value value;

	if (m->instructions == MODEL_NONE)
		return -1;
	value = model_label_value(m, label, m->instructions);
	return standing_has_value(model_value_standing(value)) ? (double)value.estimate : -1;
}

/* Its slices have been charged for their share of all switches, which are in what it ran. */
static double less_switch_cost(const struct model *m, double ns, uint64_t slices,
			       uint64_t switches)
{
	double own = 0;

	if (m->overhead_ns > 0 && switches)
		own = m->overhead_ns * (double)slices / (double)switches;
	return ns > own ? ns - own : 0;
}

/* Spans are not in the sum yet. */
static void add_naming(struct model *m, uint64_t switches)
{
	double ns, instructions;
	uint64_t slices = 0;

	m->naming = (struct model_cost){ -1, 0 };
	for (uint32_t i = 0; i < m->nr_labels; i++) {
		const struct model_label *label = &m->labels[i];

		if (label->kind != MODEL_LABEL_TOOL)
			continue;
		if (m->naming.ns < 0)
			m->naming.ns = 0;
		m->naming.ns += (double)label->times.running_ns;
		slices += label->times.slices;
		instructions = instructions_of(m, i);
		m->naming.instructions = instructions < 0 || m->naming.instructions < 0 ? -1 :
					 m->naming.instructions + instructions;
	}
	if (m->naming.ns < 0) {
		m->naming.instructions = -1;
		return;
	}
	ns = less_switch_cost(m, m->naming.ns, slices, switches);
	m->overhead_ns = (m->overhead_ns < 0 ? 0 : m->overhead_ns) + ns;
}

/*
 * By the library, or by probes. Those that are only in their label's sums may have been born
 * before.
 */
static void add_births(struct model *m)
{
	uint64_t births[2] = { 0 };

	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];

		births[m->processes[c->process].probed] += c->flags & MODEL_COROUTINE_BORN &&
							   !(c->flags & MODEL_COROUTINE_THREAD);
	}
	m->overhead_at_least |= m->nr_folded_coroutines > 0;
	charge(m, births[false], m->birth_cost);
	charge(m, births[true], m->probe_birth_cost);
}

static bool is_probed(const struct build *b, uint32_t channel)
{
	return b->channels[channel].reason == COROPROF_REASON_PROBED;
}

/* When a thread of a process began, or ended, to be recorded. */
struct moment {
	uint32_t process;
	int change;
	uint64_t ns;
};

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->change - y->change;
}

/* Returns the sum of all processes. */
static uint32_t add_most_at_once(struct model *m, const struct moment *moments, uint32_t nr,
				 struct model_cost cost)
{
	int now = 0, most = 0, all = 0;

	for (uint32_t i = 0; i < nr; i++) {
		now += moments[i].change;
		if (now > most)
			most = now;
		if (i + 1 < nr && moments[i + 1].process == moments[i].process)
			continue;
		charge(m, (uint64_t)most, cost);
		all += most;
		now = most = 0;
	}
	return (uint32_t)all;
}

static bool has_joined(const struct build *b, uint32_t channel)
{
	return !b->model->channels[channel].error && !is_part(b) && !is_probed(b, channel) &&
	       !b->channels[channel].has_base;
}

/*
 * A thread has a ring that was there, or it has waited for a new one. Where that is not known,
 * there are as many new ones as threads of a process were recorded at once, at least. Before the
 * recorder has emptied a ring no other thread gets it; how often that was, nothing says. Recordings
 * that do not report this have the new ring in what each thread takes.
 */
static void add_rings(const struct build *b)
{
	struct model *m = b->model;
	struct moment *moments;
	uint32_t nr = 0;

	if (m->ring_cost.ns < 0 || !m->nr_channels)
		return;
	moments = calloc(2 * (size_t)m->nr_channels, sizeof(*moments));
	if (!moments) {
		m->overhead_at_least = true;
		return;
	}
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct build_channel *bc = &b->channels[i];
		const struct model_channel *c = &m->channels[i];

		if (!has_joined(b, i))
			continue;
		/* Modules before level 5 do not say it. */
		if (bc->has_status && bc->status.size > COROPROF_CHANNEL_STATUS_SIZE_LEVEL2) {
			charge(m, !!bc->status.ring_made, m->ring_cost);
			continue;
		}
		moments[nr++] = (struct moment){ c->process, 1, c->begin_ns };
		moments[nr++] = (struct moment){ c->process, -1, c->end_ns };
	}
	qsort(moments, nr, sizeof(*moments), by_time);
	m->overhead_at_least |= add_most_at_once(m, moments, nr, m->ring_cost) < nr / 2;
	free(moments);
}

static struct model_cost cost_of_switch(const struct build *b, uint32_t channel)
{
	if (is_probed(b, channel))
		return b->model->probe_cost;
	return b->model->switch_cost[b->model->channels[channel].mode == COROPROF_MODE_USER];
}

/*
 * Of the time on a CPU of all threads where that is known: what a thread takes to begin being
 * recorded comes before its first slice.
 */
double costs_share(const struct model *m)
{
	uint64_t cpu = 0;

	for (uint32_t i = 0; i < m->nr_processes; i++)
		cpu += m->processes[i].cpu.ns;
	if (cpu < m->times.running_ns)
		cpu = m->times.running_ns;
	return m->overhead_ns >= 0 && cpu ? m->overhead_ns / (double)cpu : -1;
}

static void charge_probes(struct model_label *label, uint64_t times, struct model_cost cost)
{
	double ns = (double)label->probes_ns + cost.ns * (double)times;
	uint64_t most = label->times.running_ns;

	label->probes_ns = ns < (double)most ? (uint64_t)ns : most;
}

/*
 * Of each slice the second half of the probe with which it begins, and the first half of that
 * with which it ends; and the probes that say whom it makes ready. Others, which say nothing
 * new, or of what is met for the first time, come on top. Each costs what it finds in the
 * caches and what its program does, not what one did when the recording began.
 */
static void add_probes(struct model *m)
{
	bool measured = m->probe_cost.ns >= 0;

	for (uint32_t i = 0; i < m->nr_processes; i++) {
		m->overhead_at_least |= m->processes[i].probed;
		m->overhead_estimated |= m->processes[i].probed && measured;
	}
	for (uint32_t i = 0; measured && i < m->nr_labels; i++)
		if (model_label_probed(m, &m->labels[i]))
			charge_probes(&m->labels[i], m->labels[i].times.slices, m->probe_cost);
	for (uint32_t i = 0; i < m->nr_wakes; i++) {
		const struct model_wake *wake = &m->wakes[i];

		if (!model_label_probed(m, &m->labels[wake->woken]))
			continue;
		charge(m, wake->count, m->probe_cost);
		if (measured && wake->waker != MODEL_NONE)
			charge_probes(&m->labels[wake->waker], wake->count, m->probe_cost);
	}
}

void costs_finish(struct build *b)
{
	struct model *m = b->model;
	uint64_t switches = 0;

	m->switch_cost[COROPROF_MODE_IOCTL] = cost_of(m, "switch");
	m->switch_cost[COROPROF_MODE_USER] = cost_of(m, "switch_user");
	m->span_cost[COROPROF_MODE_IOCTL] = cost_of(m, "span");
	m->span_cost[COROPROF_MODE_USER] = cost_of(m, "span_user");
	m->join_cost[COROPROF_MODE_IOCTL] = cost_of(m, "join");
	m->join_cost[COROPROF_MODE_USER] = cost_of(m, "join_user");
	m->ring_cost = cost_of(m, "ring");
	m->birth_cost = cost_of(m, "birth");
	m->probe_cost = cost_of(m, "probe");
	m->probe_birth_cost = cost_of(m, "probe_birth");
	for (uint32_t i = 0; i < m->nr_channels; i++)
		m->processes[m->channels[i].process].probed |= is_probed(b, i);
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct model_channel *c = &m->channels[i];

		switches += c->times.slices + c->pieces;
		charge(m, c->times.slices + c->pieces, cost_of_switch(b, i));
	}
	add_naming(m, switches);
	add_probes(m);
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct model_channel *c = &m->channels[i];
		unsigned int mode = c->mode == COROPROF_MODE_USER;

		charge(m, c->spans, m->span_cost[mode]);
		charge(m, has_joined(b, i), m->join_cost[mode]);
	}
	add_rings(b);
	add_births(m);
	/* What a sample costs is not measured. */
	m->overhead_at_least |= m->overhead_ns >= 0 && m->samples;
	m->overhead_share = costs_share(m);
}
