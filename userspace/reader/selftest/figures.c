// SPDX-License-Identifier: GPL-2.0
/* Writes, for each coroutine, its known work and what was measured. */
#include <inttypes.h>

#include "selftest/figures.h"

static void write_known(const struct truth_coroutine *t, FILE *out)
{
	fprintf(out, "  known:    slices %" PRIu64 " instructions %" PRIu64 " accesses %" PRIu64 " pages %" PRIu64 "\n",
		t->slices, t->instructions, t->accesses, t->pages);
	if (t->wall_max_ns)
		fprintf(out, "            wall_ns %" PRIu64 "..%" PRIu64 " cpu_ns %" PRIu64 "..%" PRIu64 " slept_ns >=%" PRIu64 " preempted >=%" PRIu64 "\n",
			t->wall_min_ns, t->wall_max_ns, t->cpu_min_ns, t->cpu_max_ns,
			t->slept_ns, t->preempted_min);
}

static void write_counts(const struct model *m, uint32_t row, FILE *out)
{
	for (uint32_t i = 0; i < m->nr_counters; i++) {
		struct model_value v = model_coroutine_value(m, row, i);

		if (!v.present)
			fprintf(out, " %s n/a", m->counters[i].name);
		else if (v.standing == COROPROF_STANDING_COUNTED ||
			 v.standing == COROPROF_STANDING_SCALED)
			fprintf(out, " %s %" PRIu64 "%s", m->counters[i].name, v.count,
				v.standing == COROPROF_STANDING_SCALED ? " (a part of the time)" : "");
		else
			fprintf(out, " %s %s", m->counters[i].name,
				standing_name(model_value_standing(v)));
	}
}

static void write_measured(const struct model *m, uint32_t row, FILE *out)
{
	const struct model_coroutine *c = &m->coroutines[row];

	fprintf(out, "  recorded: slices %" PRIu64, c->times.slices);
	write_counts(m, row, out);
	fprintf(out, "\n            running_ns %" PRIu64 " preempted_ns %" PRIu64 " (%" PRIu64 ") blocked_ns %" PRIu64 " (%" PRIu64 ")",
		c->times.running_ns, c->times.preempted_ns, c->times.nr_preempted,
		c->times.blocked_ns, c->times.nr_blocked);
	if (m->sampled)
		fprintf(out, " samples %" PRIu64, c->samples);
	fputc('\n', out);
}

void figures_write(const struct evidence *e, FILE *out)
{
	fprintf(out, "\n%s\n", e->how);
	for (uint32_t i = 0; i < e->truth->nr; i++) {
		fprintf(out, "%s\n", e->truth->coroutine[i].label);
		write_known(&e->truth->coroutine[i], out);
		if (e->row[i] == MODEL_NONE)
			fprintf(out, "  recorded: not at all\n");
		else
			write_measured(e->model, e->row[i], out);
	}
}
