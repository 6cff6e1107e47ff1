// SPDX-License-Identifier: GPL-2.0
/*
 * Judges samples: whether their number fits the count of the event, and whether they are in the
 * functions that ran.
 */
#include <inttypes.h>
#include <string.h>

#include "selftest/judge.h"
#include "selftest/work.h"

static const char *const functions[] = { "selftest_one", "selftest_other" };
static const enum truth_kind kinds[] = { TRUTH_ONE, TRUTH_OTHER };

static const struct model_label *truth_label(const struct evidence *e, unsigned int which)
{
	uint32_t i = evidence_find(e, kinds[which]);

	return &e->model->labels[e->model->coroutines[e->row[i]].label];
}

/*
 * There is a sample each period of events. Each slice may be off by the part of a period that was
 * over at its begin.
 */
static void judge_sample_number(const struct evidence *e, unsigned int which)
{
	uint32_t i = evidence_find(e, kinds[which]);
	const struct truth_coroutine *t = &e->truth->coroutine[i];
	uint64_t known = t->instructions / SAMPLED_PERIOD;
	uint64_t samples = truth_label(e, which)->samples;
	uint64_t slack = t->slices + known / 50;
	bool fits = samples + slack >= known && samples <= known + slack;
	const char *check = which ? "samples, three times as many" : "samples";
	/* What samples them is an event as the one that counts them: it is not there, either. */
	const char *why = measure(e, i, evidence_counter(e, "instructions")).why;

	if (why && samples <= known + slack) {
		result_add(e->results, e->how, check, VERDICT_NONE, "%s", why);
		return;
	}
	result_add(e->results, e->how, check, fits ? VERDICT_RIGHT : VERDICT_WRONG,
		   "%" PRIu64 " of %" PRIu64 ", one each %d instructions (at most one a slice and 2 %%)%s",
		   samples, known, SAMPLED_PERIOD, fits ? "" : samples < known ?
		   ": the PMU does not report all overflows" : ": samples are of another coroutine");
}

static void judge_sample_numbers(const struct evidence *e)
{
	const struct model *m = e->model;

	if (m->throttled || m->lost_samples) {
		result_add(e->results, e->how, "samples", VERDICT_NONE,
			   "the kernel took none for a while, %" PRIu64 " times; %" PRIu64 " were lost: see kernel.perf_event_max_sample_rate",
			   m->throttled, m->lost_samples);
	} else if (m->sample_period != SAMPLED_PERIOD || !WORK_TURN) {
		result_add(e->results, e->how, "samples", VERDICT_NONE,
			   "%s", m->sample_note ? m->sample_note : "instructions can't be sampled by their number");
	} else {
		judge_sample_number(e, 0);
		judge_sample_number(e, 1);
	}
}

/**
 * struct found - samples in the two functions
 * @own:   in coroutines that call it
 * @other: in others
 */
struct found {
	uint64_t own;
	uint64_t other;
};

static void count_frame(struct found *found, const struct evidence *e,
			const struct model_label_frame *frame)
{
	const char *function = e->model->frames[frame->frame].name;

	for (unsigned int i = 0; i < 2; i++) {
		if (strcmp(function, functions[i]))
			continue;
		if (&e->model->labels[frame->label] == truth_label(e, i))
			found->own += frame->own;
		else
			found->other += frame->own;
	}
}

/* A sample has coroutine and instruction of one moment, so not a single one may be wrong. */
static void judge_functions(const struct evidence *e)
{
	static const char check[] = "samples, by function";
	struct found found = { 0 };

	for (uint32_t i = 0; i < e->model->nr_label_frames; i++)
		count_frame(&found, e, &e->model->label_frames[i]);
	if (!found.own && !found.other) {
		result_add(e->results, e->how, check, VERDICT_NONE,
			   "no sample of %" PRIu64 " is in a function that is known: this program has no symbols, or nothing was sampled",
			   e->model->samples);
		return;
	}
	result_add(e->results, e->how, check, found.other ? VERDICT_WRONG : VERDICT_RIGHT,
		   "%" PRIu64 " in the function of their coroutine, %" PRIu64 " in that of another",
		   found.own, found.other);
}

void judge_samples(const struct evidence *e)
{
	judge_sample_numbers(e);
	judge_functions(e);
}
