// SPDX-License-Identifier: GPL-2.0
/*
 * Judges counts of coroutines against the instructions, cache misses and page faults that the
 * worker is known to cause.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "selftest/judge.h"

/* Near memory is missed almost never, far memory almost always. */
#define CACHE_TIMES	10
#define CACHE_SHARE	20
/* Nobody else touches pages in that slice, but the kernel may move some (NUMA). */
#define PAGES_SHARE	10

static void report_not_judged(const struct evidence *e, const char *check, const char *why)
{
	result_add(e->results, e->how, check, VERDICT_NONE, "%s", why);
}

static const char *explain_deviation(double percent)
{
	return percent < 0 ? ": events are lost, or charged to another coroutine" :
			     ": events are counted that this coroutine did not cause";
}

static void judge_instructions(const struct evidence *e, uint32_t counter, const char *check,
			       enum truth_kind kind)
{
	uint64_t count = 0, known = 0, slices = 0;
	bool fits;

	for (uint32_t i = 0; i < e->truth->nr; i++) {
		const struct truth_coroutine *t = &e->truth->coroutine[i];
		struct measured m;

		if (t->kind != kind)
			continue;
		m = measure(e, i, counter);
		if (m.why) {
			report_not_judged(e, check, m.why);
			return;
		}
		count += m.count;
		known += t->instructions;
		slices += t->slices;
	}
	fits = instructions_fit(count, known, slices);
	result_add(e->results, e->how, check, fits ? VERDICT_RIGHT : VERDICT_WRONG,
		   "%" PRIu64 " of %" PRIu64 " (%+.3f %%, at most " TOLERANCE_TEXT " and %d a slice)%s",
		   count, known, excess(count, known), SLICE_EXTRA, fits ? "" :
		   explain_deviation(excess(count, known)));
}

/*
 * Judges the difference between coroutines with short and with longer slices. The cost of a switch
 * is the same in both, so it is not in the difference. Slices are many, so that a wrong boundary
 * between them shows.
 */
static void judge_short_slices(const struct evidence *e, uint32_t counter)
{
	static const char check[] = "instructions, short slices";
	uint32_t s = evidence_find(e, TRUTH_SHORT), l = evidence_find(e, TRUTH_LONGER);
	struct measured shorter = measure(e, s, counter), longer = measure(e, l, counter);
	uint64_t known = e->truth->coroutine[l].instructions - e->truth->coroutine[s].instructions;
	uint64_t count = longer.count > shorter.count ? longer.count - shorter.count : 0;
	bool fits = instructions_fit(count, known, 0);

	if (shorter.why) {
		report_not_judged(e, check, shorter.why);
		return;
	}
	result_add(e->results, e->how, check, fits ? VERDICT_RIGHT : VERDICT_WRONG,
		   "%" PRIu64 " more in 1000 slices twice as long, of %" PRIu64 " (%+.3f %%, at most " TOLERANCE_TEXT "); %+" PRId64 " a slice to switch%s",
		   count, known, excess(count, known),
		   ((int64_t)shorter.count - (int64_t)e->truth->coroutine[s].instructions) /
		   (int64_t)e->truth->coroutine[s].slices,
		   fits ? "" : explain_deviation(excess(count, known)));
}

static void judge_cache(const struct evidence *e)
{
	static const char check[] = "cache misses";
	uint32_t counter = evidence_counter(e, "cache-misses");
	uint32_t n = evidence_find(e, TRUTH_NEAR), f = evidence_find(e, TRUTH_FAR);
	struct measured near, far;
	uint64_t accesses;
	bool fits;

	if (n == MODEL_NONE) {
		near = measure(e, 0, counter);
		report_not_judged(e, check, near.why ? near.why : e->near_far);
		return;
	}
	near = measure(e, n, counter);
	far = measure(e, f, counter);
	if (near.why || far.why) {
		report_not_judged(e, check, near.why ? near.why : far.why);
		return;
	}
	accesses = e->truth->coroutine[f].accesses;
	fits = far.count > CACHE_TIMES * near.count && far.count > accesses / CACHE_SHARE;
	if (!fits && e->model->hypervisor && near.count < accesses / CACHE_SHARE) {
		report_not_judged(e, check,
				  "far memory is missed seldom: the cache is larger than this virtual machine says, or misses are not counted");
		return;
	}
	result_add(e->results, e->how, check, fits ? VERDICT_RIGHT : VERDICT_WRONG,
		   "%" PRIu64 " in %" PRIu64 " accesses to %" PRIu64 " MiB, %" PRIu64 " in as many to 16 KiB (more than %d times as many, and than 1 in %d)",
		   far.count, accesses, e->truth->plan.far_bytes >> 20, near.count, CACHE_TIMES,
		   CACHE_SHARE);
}

static void judge_pages(const struct evidence *e)
{
	static const char check[] = "page faults";
	uint32_t counter = evidence_counter(e, "page-faults");
	uint32_t i = evidence_find(e, TRUTH_PAGES);
	uint64_t known = e->truth->coroutine[i].pages;
	struct measured m;
	bool fits;

	if (counter == MODEL_NONE)
		return;
	m = measure(e, i, counter);
	if (m.why) {
		report_not_judged(e, check, m.why);
		return;
	}
	fits = m.count >= known && m.count <= known + known / PAGES_SHARE;
	result_add(e->results, e->how, check, fits ? VERDICT_RIGHT : VERDICT_WRONG,
		   "%" PRIu64 " for %" PRIu64 " new pages (at most 1 in %d more)", m.count, known,
		   PAGES_SHARE);
}

void judge_counts(const struct evidence *e)
{
	uint32_t counter = evidence_counter(e, "instructions");

	if (e->truth->coroutine[0].instructions) {
		judge_short_slices(e, counter);
		judge_cpus(e, counter);
		judge_instructions(e, counter, "instructions, migrated", TRUTH_MOVES);
		judge_instructions(e, counter, "instructions, preempted", TRUTH_PREEMPTED);
	} else {
		report_not_judged(e, "instructions",
				  "it is not known how many a loop has on this processor");
	}
	judge_cache(e);
	judge_pages(e);
}
