// SPDX-License-Identifier: GPL-2.0
/*
 * Answers of the model: what a counter says of a row, with its standing, and times that are known
 * in part. Everything is computed from sums when it is asked for.
 */
#include <linux/perf_event.h>

#include "base/standing.h"
#include "base/util.h"
#include "profile/histogram.h"
#include "profile/model.h"
#include "profile/sums.h"

static uint8_t standing_of(uint64_t seen)
{
	uint64_t own = seen & ~(uint64_t)(SUM_ELSEWHERE | SUM_SHARED);

	if (own == SUM_COUNTED && !(seen & SUM_ELSEWHERE))
		return COROPROF_STANDING_COUNTED;
	if (own == 1u << COROPROF_STANDING_UNSUPPORTED)
		return COROPROF_STANDING_UNSUPPORTED;
	if (own & (SUM_COUNTED | SUM_SCALED))
		return COROPROF_STANDING_SCALED;
	return COROPROF_STANDING_NOT_SCHEDULED;
}

static uint64_t scale(uint64_t count, uint64_t running, uint64_t on_pmu)
{
	unsigned __int128 whole = (unsigned __int128)count * running / on_pmu;

	return whole > UINT64_MAX ? UINT64_MAX : (uint64_t)whole;
}

/* Of whole slices. */
static struct model_value whole_value(const struct model_sum *sum, uint64_t running)
{
	struct model_value v = { .standing = standing_of(sum->seen) };
	uint64_t on_pmu = running - sum->missing_ns;

	if (!(sum->seen & ~(uint64_t)(SUM_ELSEWHERE | SUM_SHARED)))
		return (struct model_value){ 0 };
	v.present = true;
	if (v.standing < COROPROF_STANDING_SCALED)
		return v;
	v.count = v.estimate = sum->count;
	v.share = 1;
	if (v.standing == COROPROF_STANDING_COUNTED)
		return v;
	/*
	 * There is ground to estimate what the counter missed, none for where there is no such one.
	 */
	v.at_least = sum->seen & (SUM_ELSEWHERE | 1u << COROPROF_STANDING_UNSUPPORTED);
	/* On the PMU for too short a time to be seen: no ground to scale on. */
	if (sum->missing_ns >= running) {
		if (sum->count)
			v.share = 0;
		else
			v = (struct model_value){
				.standing = COROPROF_STANDING_NOT_SCHEDULED,
				.present = true,
			};
		return v;
	}
	if (!v.at_least)
		v.estimate = scale(sum->count, running, on_pmu);
	v.share = (double)on_pmu / (double)running;
	return v;
}

static struct model_value value_of(const struct model *m, const struct model_sum *sum,
				   uint64_t running)
{
	struct model_value v = whole_value(sum, running);

	v.shared = sum->seen & SUM_SHARED;
	if (v.shared && m->exact)
		return (struct model_value){ .shared = true };
	if (v.shared && v.standing == COROPROF_STANDING_COUNTED)
		v.standing = COROPROF_STANDING_SCALED;
	return v;
}

struct model_value model_coroutine_value(const struct model *m, uint32_t row,
					 uint32_t counter)
{
	return value_of(m, &m->coroutine_sums[(size_t)row * m->nr_counters + counter],
			m->coroutines[row].times.running_ns);
}

struct model_value model_label_value(const struct model *m, uint32_t row,
				     uint32_t counter)
{
	return value_of(m, &m->label_sums[(size_t)row * m->nr_counters + counter],
			m->labels[row].times.running_ns);
}

struct model_value model_channel_value(const struct model *m, uint32_t row,
				       uint32_t counter)
{
	return value_of(m, &m->channel_sums[(size_t)row * m->nr_counters + counter],
			m->channels[row].times.running_ns);
}

struct model_value model_longest_value(const struct model *m, uint32_t row,
				       uint32_t counter)
{
	return value_of(m, &m->longest_sums[(size_t)row * m->nr_counters + counter],
			m->longest[row].times.running_ns);
}

struct model_value model_total_value(const struct model *m, uint32_t counter)
{
	return value_of(m, &m->total_sums[counter], m->times.running_ns);
}

static struct model_value span_value(const struct model *m,
				     const struct model_span_sums *sums,
				     const struct model_sum *counted,
				     uint32_t row, uint32_t counter, bool own)
{
	size_t at = (2 * (size_t)row + own) * m->nr_counters + counter;

	return value_of(m, &counted[at],
			own ? sums->own_running_ns : sums->running_ns);
}

struct model_value model_span_value(const struct model *m, uint32_t span,
				    uint32_t counter, bool own)
{
	return span_value(m, &m->spans[span].sums, m->span_sums, span, counter,
			  own);
}

struct model_value model_label_span_value(const struct model *m,
					  uint32_t label_span, uint32_t counter,
					  bool own)
{
	return span_value(m, &m->label_spans[label_span].sums,
			  m->label_span_sums, label_span, counter, own);
}

struct model_value model_span_node_value(const struct model *m, uint32_t node,
					 uint32_t counter, bool own)
{
	return span_value(m, &m->span_nodes[node].sums, m->span_node_sums,
			  node, counter, own);
}

enum standing model_value_standing(struct model_value value)
{
	static const enum standing standings[] = {
		[COROPROF_STANDING_UNSUPPORTED] = STANDING_UNSUPPORTED,
		[COROPROF_STANDING_NOT_SCHEDULED] = STANDING_NOT_SCHEDULED,
		[COROPROF_STANDING_SCALED] = STANDING_SCALED,
		[COROPROF_STANDING_COUNTED] = STANDING_COUNTED,
	};
	enum standing standing = value.at_least ? STANDING_AT_LEAST : standings[value.standing];

	if (!value.present)
		return STANDING_NA;
	return value.shared && standing_has_value(standing) ?
	       standing_combined(COMBINE_SUM, standing, STANDING_SCALED) : standing;
}

double model_ipc(struct model_value instructions, struct model_value cycles, bool part,
		 enum standing *standing)
{
	*standing = standing_combined(COMBINE_QUOTIENT,
				      standing_lacking(model_value_standing(instructions), part),
				      standing_lacking(model_value_standing(cycles), part));
	if (!standing_has_value(*standing))
		return -1;
	if (!cycles.estimate ||
	    (instructions.standing == COROPROF_STANDING_SCALED && !instructions.estimate)) {
		*standing = STANDING_NA;
		return -1;
	}
	return (double)instructions.estimate / (double)cycles.estimate;
}

static struct model_ns known(uint64_t ns, bool all)
{
	if (all)
		return (struct model_ns){ MODEL_EXACT, ns };
	if (ns)
		return (struct model_ns){ MODEL_AT_LEAST, ns };
	return (struct model_ns){ MODEL_NA, 0 };
}

static bool all_known(const struct model_times *t)
{
	return !t->unseen_gaps &&
	       t->awaiting_ns + t->ready_ns == t->suspended_ns;
}

struct model_ns model_suspended(const struct model_times *t)
{
	return known(t->suspended_ns, !t->unseen_gaps);
}

struct model_ns model_awaiting(const struct model_times *t)
{
	return known(t->awaiting_ns, all_known(t));
}

struct model_ns model_ready(const struct model_times *t)
{
	return known(t->ready_ns, all_known(t));
}

bool model_cut(const struct model *m)
{
	return !m->ended && !m->truncated;
}

struct model_ns model_lifetime(const struct model_coroutine *c)
{
	bool born = c->flags & MODEL_COROUTINE_BORN, ended = c->flags & MODEL_COROUTINE_ENDED;

	if (!born && !ended)
		return (struct model_ns){ MODEL_NA, 0 };
	return known(c->last_ns - (born ? c->born_ns : c->first_ns), born && ended);
}

bool model_counter_is_time(const struct model_counter *counter)
{
	const struct coroprof_counter *c = &counter->counter;

	return c->type == PERF_TYPE_SOFTWARE &&
	       (c->config == PERF_COUNT_SW_CPU_CLOCK ||
		c->config == PERF_COUNT_SW_TASK_CLOCK);
}

unsigned int model_coroutine_threads(const struct model_coroutine *c)
{
	return (unsigned int)__builtin_popcountll(c->threads);
}

bool model_label_probed(const struct model *m, const struct model_label *l)
{
	if (l->process != MODEL_NONE)
		return m->processes[l->process].probed;
	for (uint32_t i = 0; i < m->nr_processes; i++)
		if (!m->processes[i].probed)
			return false;
	return m->nr_processes;
}

uint64_t model_bucket_ns(unsigned int bucket)
{
	if (bucket < 4)
		return bucket;
	return (4ULL + bucket % 4) << (bucket / 4 - 1);
}

uint64_t model_bucket_count(const struct histogram *l, unsigned int bucket)
{
	bool last = bucket == MODEL_HISTOGRAM_BUCKETS - 1;

	return l ? histogram_between(l, model_bucket_ns(bucket),
				     last ? 0 : model_bucket_ns(bucket + 1)) : 0;
}

/* Below 0: @x comes first. Only what is the same gives 0. */
int model_longest_order(const struct model_longest *x, const struct model_longest *y)
{
	const uint64_t a[] = { x->what, y->ns, x->end_ns, x->process, x->id, x->channel };
	const uint64_t b[] = { y->what, x->ns, y->end_ns, y->process, y->id, y->channel };

	for (size_t i = 0; i < ARRAY_SIZE(a); i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}
