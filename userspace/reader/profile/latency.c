// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of how long slices, waits and lives took: the first duration of a histogram, and the
 * lives of coroutines. latency.h has the common cases.
 */
#include "profile/build.h"
#include "profile/histogram.h"
#include "profile/latency.h"
#include "profile/longest.h"
#include "profile/sums.h"

/*
 * Counts a duration for which the histogram has no bucket yet, or which is the first: makes the
 * histogram if need be.
 */
static void count_in_new_histogram(struct build *b, struct histogram **l, uint64_t ns)
{
	if (!*l && (*l = histogram_new()) && histogram_count(*l, ns))
		return;
	b->out_of_memory = true;
}

void latency_add_new(struct build *b, struct model_label *label, enum model_latency what,
		     uint64_t ns)
{
	count_in_new_histogram(b, &label->histograms[what], ns);
}

void latency_on_cpu_new(struct build *b, uint32_t label, uint64_t ns)
{
	count_in_new_histogram(b, &b->profile->on_cpu_histograms[label], ns);
}

void latency_life(struct build *b, const struct model_coroutine *c,
		  const struct model_sum *sums)
{
	uint64_t ns = c->last_ns - c->born_ns;

	if (model_label_is_outside(&b->profile->labels[c->label]))
		return;
	latency_add(b, &b->profile->labels[c->label], MODEL_LATENCY_LIFETIME, ns);
	if (longest_wanted(b->profile, MODEL_LATENCY_LIFETIME, ns))
		longest_add(b, &(struct model_longest){
			.what = MODEL_LATENCY_LIFETIME,
			.ns = ns,
			.begin_ns = c->born_ns,
			.end_ns = c->last_ns,
			.id = c->id,
			.process = c->process,
			.label = c->label,
			.channel = c->channel,
			.times = c->times,
		}, sums);
}
