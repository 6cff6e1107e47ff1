// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of a model: collects them from session and channels, without duplicates, and names
 * them. sums.c adds up what they counted.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "events/events.h"
#include "explain/reason.h"
#include "profile/build.h"
#include "profile/counters.h"

bool same_counter(const struct coroprof_counter *a,
		  const struct coroprof_counter *b)
{
	return a->type == b->type && a->flags == b->flags &&
	       a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2;
}

static const char *generic_name(const struct coroprof_counter *c)
{
	static const char *const hardware[] = {
		"cycles", "instructions", "cache-references", "cache-misses",
		"branches", "branch-misses", "bus-cycles",
		"stalled-cycles-frontend", "stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock", "task-clock", "page-faults", "context-switches",
		"cpu-migrations", "minor-faults", "major-faults",
		"alignment-faults", "emulation-faults", "dummy", "bpf-output",
		"cgroup-switches",
	};

	if (c->config1 || c->config2)
		return NULL;
	if (c->type == PERF_TYPE_HARDWARE && c->config < ARRAY_SIZE(hardware))
		return hardware[c->config];
	if (c->type == PERF_TYPE_SOFTWARE && c->config < ARRAY_SIZE(software))
		return software[c->config];
	return NULL;
}

static char *make_name(struct build *b, const struct coroprof_counter *c)
{
	const char *name = generic_name(c);
	const char *kernel = c->flags & COROPROF_COUNTER_KERNEL ? ":uk" : "";

	if (name)
		return build_format(b, "%s%s", name, kernel);
	if (c->type == PERF_TYPE_RAW)
		return build_format(b, "raw:0x%" PRIx64 "%s",
				    (uint64_t)c->config, kernel);
	return build_format(b, "type%" PRIu32 ":0x%" PRIx64 "%s", c->type,
			    (uint64_t)c->config, kernel);
}

uint32_t counter_of(struct build *b, const struct coroprof_counter *counter)
{
	struct model *m = b->model;
	uint32_t i;

	for (i = 0; i < m->nr_counters; i++)
		if (same_counter(&m->counters[i].counter, counter))
			return i;
	if (i == MODEL_COUNTERS_MAX) {
		m->dropped_counters++;
		return MODEL_NONE;
	}
	m->counters[i].counter = *counter;
	m->counters[i].name = make_name(b, counter);
	m->nr_counters++;
	return i;
}

void counter_of_session(struct build *b, const struct coroprof_counter *asked,
			const char *name, size_t size)
{
	uint32_t i = counter_of(b, asked);
	struct model_counter *counter;

	if (i == MODEL_NONE)
		return;
	counter = &b->model->counters[i];
	counter->in_session = true;
	if (!size)
		return;
	free(counter->name);
	counter->name = build_text(b, name, size);
}

void counters_of_channel(struct build *b, uint32_t channel,
			 const struct coroprof_counter_state *states, uint32_t nr)
{
	struct model_channel *c = &b->model->channels[channel];

	c->nr_counters = (uint8_t)nr;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = counter_of(b, &states[i].counter);
		struct model_counter *counter;

		/* Asked for twice, it is to be added up once. */
		if (at == MODEL_NONE || memchr(c->counters, (int)at, i)) {
			c->counters[i] = UINT8_MAX;
			continue;
		}
		c->counters[i] = (uint8_t)at;
		counter = &b->model->counters[at];
		counter->channels++;
		if (!states[i].error)
			continue;
		if (!counter->failed++) {
			counter->error = states[i].error;
			counter->error_text = event_is_program(&states[i].counter) ?
					     reason_program(states[i].error) :
					     reason_counter(states[i].error);
		}
	}
}

static bool is_cpu_event(const struct coroprof_counter *c)
{
	return c->type == PERF_TYPE_HARDWARE || c->type == PERF_TYPE_HW_CACHE ||
	       c->type == PERF_TYPE_RAW;
}

/* Where the machine has no PMU, that is the reason why a counter failed, and not its event. */
static void explain_missing_pmu(struct model *m)
{
	if (!m->without_pmu)
		return;
	for (uint32_t i = 0; i < m->nr_counters; i++) {
		struct model_counter *counter = &m->counters[i];

		if (counter->error_text && is_cpu_event(&counter->counter) &&
		    reason_no_such_event(counter->error))
			counter->error_text = reason_no_pmu(m->hypervisor);
	}
}

/*
 * The counter of the hardware event @config, whatever its name, else the first one that is named
 * @name.
 */
static uint32_t find_event(const struct model *m, uint64_t config,
			   const char *name)
{
	size_t len = strlen(name);

	for (uint32_t i = 0; i < m->nr_counters; i++)
		if (m->counters[i].counter.type == PERF_TYPE_HARDWARE &&
		    m->counters[i].counter.config == config)
			return i;
	for (uint32_t i = 0; i < m->nr_counters; i++)
		if (m->counters[i].name && !strncmp(m->counters[i].name, name, len) &&
		    strchr(":", m->counters[i].name[len]))
			return i;
	return MODEL_NONE;
}

void counters_of_ipc(struct model *m)
{
	m->cycles = find_event(m, PERF_COUNT_HW_CPU_CYCLES, "cycles");
	m->instructions = find_event(m, PERF_COUNT_HW_INSTRUCTIONS,
				     "instructions");
}

void counters_finish(struct build *b)
{
	struct model *m = b->model;

	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct model_channel *c = &m->channels[i];
		struct build_channel *bc = &b->channels[i];

		for (uint32_t k = 0; k < m->nr_counters; k++)
			if (!memchr(c->counters, (int)k, c->nr_counters))
				bc->elsewhere[bc->nr_elsewhere++] = (uint8_t)k;
	}
	explain_missing_pmu(m);
	counters_of_ipc(m);
}
