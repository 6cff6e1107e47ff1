// SPDX-License-Identifier: GPL-2.0
/* Judges counts of the same loops on each processor in turn. */
#include <inttypes.h>
#include <stdio.h>

#include "selftest/judge.h"

#define NAMED_MAX	4

/**
 * struct tally - of processors
 * @right, @wrong, @none: how many are so
 * @lowest, @highest: of all that are counted, beside what is known, in percent
 * @named:  the first ones that are not right, with what they counted
 * @why:    of the first of @none
 */
struct tally {
	uint32_t right;
	uint32_t wrong;
	uint32_t none;
	double lowest;
	double highest;
	char named[256];
	size_t used;
	const char *why;
};

static void name_cpu(struct tally *y, uint32_t nth, const char *format, int cpu, uint64_t count,
		     uint64_t known)
{
	if (nth >= NAMED_MAX || y->used >= sizeof(y->named))
		return;
	y->used += (size_t)snprintf(y->named + y->used, sizeof(y->named) - y->used, format,
				    y->used ? ", " : "", cpu, count, known);
}

static void judge_one(struct tally *y, const struct truth_coroutine *t, uint64_t count)
{
	double percent = excess(count, t->instructions);

	if (!(y->right + y->wrong) || percent < y->lowest)
		y->lowest = percent;
	if (!(y->right + y->wrong) || percent > y->highest)
		y->highest = percent;
	if (instructions_fit(count, t->instructions, t->slices)) {
		y->right++;
		return;
	}
	name_cpu(y, y->wrong++, "%sCPU %d: %" PRIu64 " of %" PRIu64, t->cpu, count,
		 t->instructions);
}

static struct tally tally(const struct evidence *e, uint32_t counter)
{
	struct tally y = { 0 };

	for (uint32_t i = 0; i < e->truth->nr; i++) {
		const struct truth_coroutine *t = &e->truth->coroutine[i];
		struct measured m;

		if (t->kind != TRUTH_CPU)
			continue;
		m = measure(e, i, counter);
		if (!m.why) {
			judge_one(&y, t, m.count);
			continue;
		}
		y.why = m.why;
		name_cpu(&y, y.none++, "%sCPU %d", t->cpu, 0, 0);
	}
	return y;
}

/* True if all processors deviate by the same share: then none of them is the reason. */
static bool is_uniform(const struct tally *y)
{
	return !y->right && y->highest - y->lowest < 1 && y->highest > -50 && y->lowest < 50;
}

void judge_cpus(const struct evidence *e, uint32_t counter)
{
	static const char check[] = "instructions, each CPU";
	struct tally y = tally(e, counter);

	if (y.wrong && is_uniform(&y))
		result_add(e->results, e->how, check, VERDICT_WRONG,
			   "every CPU counts %+.2f %% of what it runs: the PMU, or what stands between it and this system, %s events; %s",
			   y.lowest, y.lowest < 0 ? "loses" : "adds", y.named);
	else if (y.wrong)
		result_add(e->results, e->how, check, VERDICT_WRONG,
			   "%" PRIu32 " of %" PRIu32 " CPUs do not count what they run: it is counted on another one, or nowhere; %s",
			   y.wrong, y.wrong + y.right, y.named);
	else if (y.right)
		result_add(e->results, e->how, check, VERDICT_RIGHT,
			   "%" PRIu32 " of them: %+.3f to %+.3f %% of what is known (at most " TOLERANCE_TEXT " and 2000 a slice)",
			   y.right, y.lowest, y.highest);
	if (y.none)
		result_add(e->results, e->how, check, VERDICT_NONE, "%s%s%s%s", y.right || y.wrong ? y.named : "",
			   y.right || y.wrong ? (y.none > NAMED_MAX ? ", ... " : ": ") : "", y.why,
			   y.right || y.wrong ? "; processors of several kinds count with PMUs of their own" : "");
}
