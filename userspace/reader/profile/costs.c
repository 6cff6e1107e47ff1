// SPDX-License-Identifier: GPL-2.0
/*
 * Estimates what recording cost the program: multiplies the numbers of slices, spans, births, rings
 * and probes by the cost of one, which the recorder measured.
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

/*
 * The cost that the recorder measured of one @what, in @unit (ns, instructions); -1 if INFO does
 * not have it.
 */
static double measured_cost(const struct model *m, const char *what,
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

/* The cost in ns and in instructions of one @what; -1 for each that is not known. */
static struct model_cost cost_of(const struct model *m, const char *what)
{
	return (struct model_cost){
		measured_cost(m, what, "ns"), measured_cost(m, what, "instructions"),
	};
}

static void add_to_overhead(struct model *m, uint64_t times, struct model_cost cost)
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

/* Instructions that the label counted; -1 if they are not known. */
static double label_instructions(const struct model *m, uint32_t label)
{
	struct model_value value;

	if (m->instructions == MODEL_NONE)
		return -1;
	value = model_label_value(m, label, m->instructions);
	return standing_has_value(model_value_standing(value)) ? (double)value.estimate : -1;
}

/*
 * @ns without the share that @slices of all @switches have in the overhead: it has been added
 * already.
 */
static double without_switch_cost(const struct model *m, double ns, uint64_t slices,
				  uint64_t switches)
{
	double own = 0;

	if (m->overhead_ns > 0 && switches)
		own = m->overhead_ns * (double)slices / (double)switches;
	return ns > own ? ns - own : 0;
}

/*
 * Adds the time of the tool's own slices, in which adapters name code. Called before the cost of
 * spans is added: at that time the overhead is that of switches alone.
 */
static void add_naming_cost(struct model *m, uint64_t switches)
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
		instructions = label_instructions(m, i);
		m->naming.instructions = instructions < 0 || m->naming.instructions < 0 ? -1 :
					 m->naming.instructions + instructions;
	}
	if (m->naming.ns < 0) {
		m->naming.instructions = -1;
		return;
	}
	ns = without_switch_cost(m, m->naming.ns, slices, switches);
	m->overhead_ns = (m->overhead_ns < 0 ? 0 : m->overhead_ns) + ns;
}

/*
 * Births are reported by the library or by probes, at different cost. Coroutines without a row may
 * have been born before the recording, so the sum is then a least one.
 */
static void add_birth_cost(struct model *m)
{
	uint64_t births[2] = { 0 };

	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];

		births[m->processes[c->process].probed] += c->flags & MODEL_COROUTINE_BORN &&
							   !(c->flags & MODEL_COROUTINE_THREAD);
	}
	m->overhead_at_least |= m->nr_folded_coroutines > 0;
	add_to_overhead(m, births[false], m->birth_cost);
	add_to_overhead(m, births[true], m->probe_birth_cost);
}

/* True if switches of the thread are reported by probes. */
static bool is_probed_channel(const struct build *b, uint32_t channel)
{
	return b->channels[channel].reason == COROPROF_REASON_PROBED;
}

/* When a thread of a process began, or ended, to be recorded. */
struct moment {
	uint32_t process;
	int change;
	uint64_t ns;
};

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->change - y->change;
}

/*
 * Adds @cost for as many threads as each process had recorded at once. Returns the sum of these
 * numbers.
 */
static uint32_t add_cost_of_most_at_once(struct model *m, const struct moment *moments, uint32_t nr,
					 struct model_cost cost)
{
	int now = 0, most = 0, all = 0;

	for (uint32_t i = 0; i < nr; i++) {
		now += moments[i].change;
		if (now > most)
			most = now;
		if (i + 1 < nr && moments[i + 1].process == moments[i].process)
			continue;
		add_to_overhead(m, (uint64_t)most, cost);
		all += most;
		now = most = 0;
	}
	return (uint32_t)all;
}

/* False if the thread joined before its records begin, never did, or is recorded by probes. */
static bool has_join_cost(const struct build *b, uint32_t channel)
{
	return !b->model->channels[channel].error && !is_part(b) &&
	       !is_probed_channel(b, channel) && !b->channels[channel].has_base;
}

/*
 * A thread has a ring that was there, or it has waited for a new one. Where that is not known,
 * there are as many new ones as threads of a process were recorded at once, at least. Before the
 * recorder has emptied a ring no other thread gets it; how often that was, nothing says. Recordings
 * that do not report this have the new ring in what each thread takes.
 */
static void add_ring_cost(const struct build *b)
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

		if (!has_join_cost(b, i))
			continue;
		/* Modules before level 5 do not say it. */
		if (bc->has_status && bc->status.size > COROPROF_CHANNEL_STATUS_SIZE_LEVEL2) {
			add_to_overhead(m, !!bc->status.ring_made, m->ring_cost);
			continue;
		}
		moments[nr++] = (struct moment){ c->process, 1, c->begin_ns };
		moments[nr++] = (struct moment){ c->process, -1, c->end_ns };
	}
	qsort(moments, nr, sizeof(*moments), compare_moments);
	m->overhead_at_least |= add_cost_of_most_at_once(m, moments, nr, m->ring_cost) < nr / 2;
	free(moments);
}

static struct model_cost cost_of_switch(const struct build *b, uint32_t channel)
{
	if (is_probed_channel(b, channel))
		return b->model->probe_cost;
	return b->model->switch_cost[b->model->channels[channel].mode == COROPROF_MODE_USER];
}

/*
 * Returns the overhead as a share of the time on a CPU of all threads; where that is not known, of
 * the time in slices. What a thread takes to begin being recorded comes before its first slice.
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

static void add_probe_time(struct model_label *label, uint64_t times, struct model_cost cost)
{
	double ns = (double)label->probes_ns + cost.ns * (double)times;
	uint64_t most = label->times.running_ns;

	label->probes_ns = ns < (double)most ? (uint64_t)ns : most;
}

/*
 * Of each slice a label is charged the second half of the probe with which it begins, and the first
 * half of that with which it ends; a waker is charged the probe that reports the wake. Probes that
 * report nothing new, or meet something for the first time, come on top, so the sum is a least one.
 * It is an estimate, too: a probe's cost depends on the caches and on the program, not only on what
 * was measured when the recording began.
 */
static void add_probe_cost(struct model *m)
{
	bool measured = m->probe_cost.ns >= 0;

	for (uint32_t i = 0; i < m->nr_processes; i++) {
		m->overhead_at_least |= m->processes[i].probed;
		m->overhead_estimated |= m->processes[i].probed && measured;
	}
	for (uint32_t i = 0; measured && i < m->nr_labels; i++)
		if (model_label_probed(m, &m->labels[i]))
			add_probe_time(&m->labels[i], m->labels[i].times.slices, m->probe_cost);
	for (uint32_t i = 0; i < m->nr_wakes; i++) {
		const struct model_wake *wake = &m->wakes[i];

		if (!model_label_probed(m, &m->labels[wake->woken]))
			continue;
		add_to_overhead(m, wake->count, m->probe_cost);
		if (measured && wake->waker != MODEL_NONE)
			add_probe_time(&m->labels[wake->waker], wake->count, m->probe_cost);
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
		m->processes[m->channels[i].process].probed |= is_probed_channel(b, i);
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct model_channel *c = &m->channels[i];

		switches += c->times.slices + c->pieces;
		add_to_overhead(m, c->times.slices + c->pieces, cost_of_switch(b, i));
	}
	add_naming_cost(m, switches);
	add_probe_cost(m);
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct model_channel *c = &m->channels[i];
		unsigned int mode = c->mode == COROPROF_MODE_USER;

		add_to_overhead(m, c->spans, m->span_cost[mode]);
		add_to_overhead(m, has_join_cost(b, i), m->join_cost[mode]);
	}
	add_ring_cost(b);
	add_birth_cost(m);
	/* What a sample costs is not measured. */
	m->overhead_at_least |= m->overhead_ns >= 0 && m->samples;
	m->overhead_share = costs_share(m);
}
