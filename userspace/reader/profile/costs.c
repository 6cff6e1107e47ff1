// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile/build.h"

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

static void add(struct model *m, uint64_t times, struct model_cost cost)
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

void costs_finish(struct build *b)
{
	struct model *m = b->model;

	m->switch_cost[COROPROF_MODE_IOCTL] = cost_of(m, "switch");
	m->switch_cost[COROPROF_MODE_USER] = cost_of(m, "switch_user");
	m->span_cost[COROPROF_MODE_IOCTL] = cost_of(m, "span");
	m->span_cost[COROPROF_MODE_USER] = cost_of(m, "span_user");
	m->switch_ns = m->switch_cost[COROPROF_MODE_IOCTL].ns;
	m->switch_instructions =
		m->switch_cost[COROPROF_MODE_IOCTL].instructions;
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct model_channel *c = &m->channels[i];
		unsigned int mode = c->mode == COROPROF_MODE_USER;

		add(m, c->times.slices, m->switch_cost[mode]);
		add(m, c->spans, m->span_cost[mode]);
	}
	if (m->overhead_ns >= 0 && m->times.running_ns)
		m->overhead_share = m->overhead_ns /
				    (double)m->times.running_ns;
}
