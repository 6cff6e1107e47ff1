// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the coroutines of known work in a recording, and what it has counted of them, and says
 * whether counts of instructions are near enough to the known number.
 */
#include <linux/perf_event.h>
#include <string.h>

#include "selftest/evidence.h"

/*
 * Processors count some instructions too many or too few at interrupts, which a second
 * has thousands of, among the 10^9 that they run: parts per million. One in 500 is far
 * above that, and far below what a counter that is wrong is wrong by.
 */
#define TOLERANCE	500

uint32_t evidence_find(const struct evidence *e, enum truth_kind kind)
{
	for (uint32_t i = 0; i < e->truth->nr; i++) {
		if (e->truth->coroutine[i].kind == kind)
			return i;
	}
	return MODEL_NONE;
}

uint32_t evidence_counter(const struct evidence *e, const char *name)
{
	const struct model *m = e->model;

	for (uint32_t i = 0; i < m->nr_counters; i++) {
		if (!strcmp(m->counters[i].name, name))
			return i;
	}
	return MODEL_NONE;
}

static const char *why_not_counted(const struct model *m, uint32_t counter, struct model_value v)
{
	const char *error = m->counters[counter].error_text;

	if (!v.present)
		return "no slice has this counter";
	if (v.standing == COROPROF_STANDING_SCALED || v.standing == COROPROF_STANDING_NOT_SCHEDULED)
		return "it was not on the PMU all the time: others use its counters (see kernel.nmi_watchdog), or not all processors have it";
	if (m->without_pmu && m->counters[counter].counter.type != PERF_TYPE_SOFTWARE)
		return COUNTER_NONE;
	return error ? error : standing_name(model_value_standing(v));
}

struct measured measure(const struct evidence *e, uint32_t i, uint32_t counter)
{
	struct model_value v = model_coroutine_value(e->model, e->row[i], counter);

	if (v.present && v.standing == COROPROF_STANDING_COUNTED)
		return (struct measured){ v.count, NULL };
	return (struct measured){ 0, why_not_counted(e->model, counter, v) };
}

bool instructions_fit(uint64_t measured, uint64_t known, uint64_t slices)
{
	return measured >= known - known / TOLERANCE &&
	       measured <= known + known / TOLERANCE + slices * SLICE_EXTRA;
}

double excess(uint64_t measured, uint64_t known)
{
	return 100 * ((double)measured - (double)known) / (double)known;
}
