// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of the table "compared": for each thing that is known of both recordings, its text in both
 * and whether it matters for figures.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diff/internal.h"
#include "tables/figure.h"

#define SIZE	1024

static void put(char *to, const char *text)
{
	snprintf(to, SIZE, "%s", text ? text : "");
}

static void put_file(const struct model *m, char *to)
{
	put(to, m->path);
}

static void put_command(const struct model *m, char *to)
{
	put(to, m->command);
}

static void put_note(const struct model *m, char *to)
{
	put(to, m->note);
}

static void put_host(const struct model *m, char *to)
{
	put(to, m->host);
}

static void put_machine(const struct model *m, char *to)
{
	char cpus[FIGURE_SIZE];

	figure_cpus(cpus, m->cpus);
	snprintf(to, SIZE, "%s, %s, PMU %s%s%s", m->arch ? m->arch : "n/a", cpus,
		 m->pmu ? m->pmu : "n/a", m->simulated ? ", SIMULATED by " : "",
		 m->simulated ? m->simulated : "");
}

static void put_kernel(const struct model *m, char *to)
{
	put(to, m->kernel);
}

static void put_events(const struct model *m, char *to)
{
	size_t used = 0;

	for (uint32_t i = 0; i < m->nr_counters && used < SIZE; i++)
		used += (size_t)snprintf(to + used, SIZE - used, "%s%s", i ? ", " : "",
					 m->counters[i].name);
}

static void put_samples(const struct model *m, char *to)
{
	const char *event = m->sample_event ? m->sample_event : "n/a";

	if (!m->sampled)
		put(to, "none");
	else if (m->sample_period)
		snprintf(to, SIZE, "of %s, one each %" PRIu64, event, m->sample_period);
	else if (m->sample_frequency)
		snprintf(to, SIZE, "of %s, %" PRIu64 " a second", event, m->sample_frequency);
	else
		snprintf(to, SIZE, "taken, of %s, how often n/a", event);
}

static void put_way(const struct model *m, char *to)
{
	put(to, m->totals ? "totals" : "slices");
}

static void put_slices(const struct model *m, char *to)
{
	char duration[FIGURE_SIZE];

	figure_ns(duration, m->end_ns - m->from_ns);
	snprintf(to, SIZE, "%" PRIu64 ", lost %" PRIu64 "; in %s", m->times.slices, m->lost,
		 duration);
}

static const struct {
	const char *name;
	void (*put)(const struct model *model, char *to);
	bool matters;
} metadata[] = {
	{ "recording", put_file, false },
	{ "note", put_note, false },
	{ "slices", put_slices, false },
	{ "command", put_command, true },
	{ "host", put_host, true },
	{ "machine", put_machine, true },
	{ "kernel", put_kernel, true },
	{ "events", put_events, true },
	{ "samples", put_samples, true },
	{ "recorded", put_way, true },
};

int diff_metadata(struct model *new, const struct model *old)
{
	const struct model *const models[MODEL_AGES] = { old, new };
	char text[SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(metadata); i++) {
		struct model_metadata *metadatum;

		if (!array_grow(&new->metadata, new->nr_metadata, sizeof(*new->metadata)))
			return -1;
		metadatum = &new->metadata[new->nr_metadata++];
		*metadatum = (struct model_metadata){ .name = metadata[i].name, .matters = metadata[i].matters };
		for (unsigned int age = 0; age < MODEL_AGES; age++) {
			text[0] = 0;
			metadata[i].put(models[age], text);
			metadatum->text[age] = *text ? strdup(text) : NULL;
			if (*text && !metadatum->text[age])
				return -1;
		}
	}
	return 0;
}
