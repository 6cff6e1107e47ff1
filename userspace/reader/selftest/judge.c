// SPDX-License-Identifier: GPL-2.0
/*
 * Finds each known coroutine in the recording by its tag, and runs the judges: mode, slices,
 * conservation, then counts and times, or samples.
 */
#include <inttypes.h>

#include "selftest/judge.h"

/* Tags are known of coroutines whose birth was seen, and only the worker's have any here. */
static void find_rows(struct evidence *e)
{
	for (uint32_t i = 0; i < TRUTH_COROUTINES; i++)
		e->row[i] = MODEL_NONE;
	for (uint32_t i = 0; i < e->model->nr_coroutines; i++) {
		const struct model_coroutine *c = &e->model->coroutines[i];

		if (c->flags & MODEL_COROUTINE_BORN && c->tag && c->tag <= e->truth->nr)
			e->row[c->tag - 1] = i;
	}
}

/* Compares the number of slices of each coroutine: none may be lost, none belong to another. */
static bool judge_slices(const struct evidence *e)
{
	for (uint32_t i = 0; i < e->truth->nr; i++) {
		const struct truth_coroutine *t = &e->truth->coroutine[i];
		uint64_t slices = e->row[i] == MODEL_NONE ? 0 :
				  e->model->coroutines[e->row[i]].times.slices;

		if (slices == t->slices)
			continue;
		result_add(e->results, e->how, "slices", VERDICT_WRONG,
			   "'%s' has %" PRIu64 " slices of %" PRIu64, t->label, slices, t->slices);
		return false;
	}
	result_add(e->results, e->how, "slices", VERDICT_RIGHT,
		   "each of %" PRIu32 " coroutines has those that it was given", e->truth->nr);
	return true;
}

/*
 * A channel that switched in another mode than it was to. Its thread may have changed the mode
 * while it ran.
 */
static const struct model_channel *find_channel_in_other_mode(const struct evidence *e)
{
	uint16_t wanted = e->user ? COROPROF_MODE_USER : COROPROF_MODE_IOCTL;

	for (uint32_t i = 0; i < e->truth->nr; i++) {
		const struct model_channel *c;

		if (e->row[i] == MODEL_NONE)
			continue;
		c = &e->model->channels[e->model->coroutines[e->row[i]].channel];
		if (c->mode != wanted)
			return c;
	}
	return NULL;
}

/* Returns false if there is nothing to judge of this mode. */
static bool judge_mode(const struct evidence *e)
{
	const struct model_channel *c = find_channel_in_other_mode(e);
	const struct model_mode_row *mode;

	if (!c)
		return true;
	mode = c->mode_row == MODEL_NONE ? NULL : &e->model->modes[c->mode_row];
	result_add(e->results, e->how, "all", VERDICT_NONE,
		   "the program switches by ioctl: %s%s%s%s%s", mode && mode->why ? mode->why : "",
		   mode && mode->found ? ": " : "", mode && mode->found ? mode->found : "",
		   mode && mode->fix ? "; " : "", mode && mode->fix ? mode->fix : "");
	return false;
}

/* The first channel whose sums had this result in the check against the kernel's totals. */
static const struct model_channel *find_channel_with_check(const struct evidence *e,
							   enum model_check check)
{
	for (uint32_t i = 0; i < e->model->nr_channels; i++) {
		if (e->model->channels[i].check == check)
			return &e->model->channels[i];
	}
	return NULL;
}

static void judge_conservation(const struct evidence *e)
{
	static const char check[] = "conservation";
	const struct model_channel *failed = find_channel_with_check(e, MODEL_FAILED);
	const struct model_channel *open = find_channel_with_check(e, MODEL_NOT_CHECKED);

	if (failed)
		result_add(e->results, e->how, check, VERDICT_WRONG, "%s", failed->check_text);
	else if (open)
		result_add(e->results, e->how, check, VERDICT_NONE, "%s", open->check_text);
	else
		result_add(e->results, e->how, check, VERDICT_RIGHT,
			   "slices sum to the thread's own totals, to the count and the nanosecond");
}

void judge(struct evidence *e)
{
	find_rows(e);
	if (!judge_mode(e))
		return;
	if (!judge_slices(e))
		return;
	judge_conservation(e);
	if (e->truth->plan.sampled) {
		judge_samples(e);
		return;
	}
	judge_counts(e);
	judge_times(e);
}
