// SPDX-License-Identifier: GPL-2.0
/*
 * The conservation law: the sums over the slices of a channel equal the totals that the kernel has
 * of its thread. These are counted in two ways, so equality shows that nothing was left out or
 * charged twice.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "profile/build.h"
#include "profile/checks.h"
#include "profile/part.h"
#include "profile/status.h"
#include "profile/sums.h"
#include "profile/totals.h"

/*
 * The first reason, as a new text, why the sums of the channel can't be compared with the thread's
 * totals, or NULL.
 */
static char *why_not_comparable(struct build *b, uint32_t channel)
{
	const struct model_channel *c = &b->model->channels[channel];
	const struct build_channel *bc = &b->channels[channel];

	if (c->error)
		return build_format(b, "the thread could not be recorded");
	if (is_part(b))
		return build_format(b, "only a part of the recording is shown");
	if (c->damaged)
		return build_format(b, "a part of its ring can't be read");
	if (!bc->has_status)
		return build_format(b, "the file does not have the thread's totals");
	if (!channel_is_finished(b, channel))
		return build_format(b, "its recording was not ended in order");
	if (c->lost)
		return build_format(b, "%" PRIu64 " %s lost", c->lost,
				    c->lost == 1 ? "slice was" : "slices were");
	if (b->file->nr_corrupt_ranges && c->times.slices + c->pieces < bc->status.slices)
		return build_format(b, b->model->truncated ? "the file is torn" :
						       "the file is damaged");
	return NULL;
}

static char *describe_difference(struct build *b, const char *what, uint64_t slices,
				 uint64_t thread)
{
	return build_format(b,
			    "%s: its slices sum to %" PRIu64 ", the thread's totals say %" PRIu64
			    " (%+" PRId64 ")",
			    what, slices, thread, (int64_t)(slices - thread));
}

/* Describes the first time in which slices and totals differ, or returns NULL. */
static char *compare_times(struct build *b, const struct model_channel *c,
			   const struct coroprof_channel_status *s)
{
	const struct model_times *t = &c->times;
	uint64_t slices = t->slices + c->pieces;
	uint64_t asleep = t->blocked_ns + t->idle_ns;
	uint64_t sum = t->running_ns + t->preempted_ns + asleep;

	if (slices != s->slices)
		return describe_difference(b, "number of slices", slices, s->slices);
	if (t->running_ns != s->running_ns)
		return describe_difference(b, "running ns", t->running_ns, s->running_ns);
	if (t->preempted_ns != s->preempted_ns)
		return describe_difference(b, "preempted ns", t->preempted_ns,
					   s->preempted_ns);
	if (asleep != s->blocked_ns)
		return describe_difference(b, "blocked and idle ns", asleep, s->blocked_ns);
	if (t->slices && s->end && sum != s->end - s->begin)
		return describe_difference(b, "running, preempted, blocked and idle ns", sum,
					   s->end - s->begin);
	return NULL;
}

/* Likewise for counters, and for the time that each was not on the PMU. */
static char *compare_counts(struct build *b, uint32_t channel)
{
	const struct model_channel *c = &b->model->channels[channel];
	const struct coroprof_channel_status *s = &b->channels[channel].status;
	const struct model_sum *sums =
		&b->model->channel_sums[(size_t)channel * sums_stride(b)];

	for (uint32_t i = 0; i < c->nr_counters && i < s->nr_counters; i++) {
		const struct model_sum *sum;

		if (c->counters[i] == UINT8_MAX)
			continue;
		sum = &sums[c->counters[i]];
		if (sum->count != s->count[i])
			return describe_difference(b, b->model->counters[c->counters[i]].name,
						   sum->count, s->count[i]);
		if (sum->seen & ~SUM_COUNTED & ~SUM_SCALED)
			continue;
		if (sum->missing_ns != s->missing_ns[i])
			return describe_difference(b, "ns a counter was not on the PMU",
						   sum->missing_ns, s->missing_ns[i]);
	}
	return NULL;
}

static char *compare_samples(struct build *b, uint32_t channel)
{
	const struct build_channel *bc = &b->channels[channel];
	uint64_t seen = b->model->channels[channel].samples +
			bc->status.samples_lost;

	if (seen == bc->status.samples)
		return NULL;
	return build_format(b,
			    "number of samples: %" PRIu64
			    " are in the file or lost, the thread's totals say %" PRIu64,
			    seen, (uint64_t)bc->status.samples);
}

static void set_check_result(struct build *b, struct model_channel *c)
{
	c->check = c->check_text ? MODEL_FAILED : MODEL_CHECKED;
	b->model->failed_checks += c->check == MODEL_FAILED;
}

static void check_channel(struct build *b, uint32_t channel)
{
	struct model_channel *c = &b->model->channels[channel];
	const struct build_channel *bc = &b->channels[channel];
	uint64_t broken = b->profile->channels[channel].broken;

	c->lost_samples = bc->announced_samples;
	if (!is_part(b)) {
		/* What was lost without a record that says so. */
		if (bc->has_status && bc->status.lost > c->lost)
			c->lost = bc->status.lost;
		if (bc->has_status && bc->status.samples_lost > c->lost_samples)
			c->lost_samples = bc->status.samples_lost;
		c->throttled = bc->status.throttled;
	}
	c->check_text = why_not_comparable(b, channel);
	if (c->check_text)
		return;
	if (b->model->totals) {
		c->check_text = totals_differ(b, channel);
		set_check_result(b, c);
		return;
	}
	c->check_text = compare_times(b, c, &bc->status);
	if (!c->check_text)
		c->check_text = compare_counts(b, channel);
	if (!c->check_text)
		c->check_text = compare_samples(b, channel);
	if (!c->check_text && broken)
		c->check_text = build_format(b, "%" PRIu64 " slices do not begin where the one before ended",
					     broken);
	set_check_result(b, c);
}

static bool has_records_behind_part(const struct build *b, uint32_t channel)
{
	const struct build_channel *bc = &b->channels[channel];

	return bc->nr_segments &&
	       b->file->segments[bc->segments[bc->nr_segments - 1]].last_time >= b->to;
}

/* True if some of the thread's records could not be read. */
static bool is_truncated(const struct build *b, uint32_t channel)
{
	const struct model_channel *c = &b->model->channels[channel];

	if (c->damaged)
		return true;
	if (b->model->totals || c->error)
		return false;
	return is_part(b) ?
		       !channel_is_finished(b, channel) && !has_records_behind_part(b, channel) :
		       !channel_complete(b, channel);
}

/* A ring that stayed full has not reported its last losses, which may be spans as well. */
static bool lost_spans(const struct build *b, uint32_t channel)
{
	const struct model_channel *c = &b->model->channels[channel];

	return c->lost_spans || c->lost > b->profile->channels[channel].lost;
}

/*
 * What is missing of a thread is missing from its process and from the recording as a whole, and
 * marks them partial.
 */
static void mark_partial_processes(struct build *b)
{
	struct model *m = b->model;

	/* Whose those without room are, nobody knows. */
	m->partial = (m->dropped_spans ? MODEL_PARTIAL_SPANS : 0) |
		     (m->nr_dropped_wakes ? MODEL_PARTIAL_WAKES : 0);
	for (uint32_t i = 0; i < m->nr_processes; i++)
		m->processes[i].partial = m->partial;
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		struct model_channel *c = &m->channels[i];
		bool truncated = is_truncated(b, i), missing = truncated || c->error;

		c->partial = (missing || c->lost ? MODEL_PARTIAL_SLICES : 0) |
			     (missing || lost_spans(b, i) ? MODEL_PARTIAL_SPANS : 0) |
			     (m->sampled && (missing || c->lost_samples) ? MODEL_PARTIAL_SAMPLES : 0) |
			     (truncated ? MODEL_PARTIAL_LOSSES : 0);
		m->processes[c->process].partial |= c->partial;
		m->partial |= c->partial;
	}
}

void checks_finish(struct build *b)
{
	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		check_channel(b, i);
		b->model->lost += b->model->channels[i].lost;
		b->model->lost_samples += b->model->channels[i].lost_samples;
		b->model->throttled += b->model->channels[i].throttled;
	}
	mark_partial_processes(b);
}
