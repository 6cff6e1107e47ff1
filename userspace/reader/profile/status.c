// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own totals of each thread, from STATUS segments, and from BASE segments where only
 * the last seconds were kept: then what they have grown by since its records begin.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "profile/build.h"
#include "profile/damage.h"
#include "profile/part.h"
#include "profile/status.h"
#include "profile/streams.h"

static void set_status(struct build *b, uint32_t row, const struct coroprof_channel_status *status)
{
	struct build_channel *bc = &b->channels[row];
	struct model_channel *c = &b->model->channels[row];

	bc->status = *status;
	bc->has_status = true;
	if (status->error && !c->error) {
		c->error = status->error;
		c->error_text = status->error == EBADMSG ?
				"its program wrote nonsense into its ring" :
				strerrordesc_np(status->error);
		b->processes[c->process].unseen = true;
	}
}

/* Sets the totals of the thread at its first kept record: its sums count from these. */
static void set_base(struct build *b, uint32_t row, const struct coroprof_channel_status *status)
{
	b->channels[row].base = *status;
	b->channels[row].has_base = true;
}

/*
 * Reads one status of @size bytes at most. Members that an older kernel did not write are 0, those
 * of a newer one are skipped. Returns how many bytes it has in @from; 0 if its size is impossible.
 */
static uint32_t status_read(struct coroprof_channel_status *to, const char *from,
			    size_t size)
{
	uint32_t own;

	if (size < COROPROF_CHANNEL_STATUS_SIZE_LEVEL1)
		return 0;
	memcpy(&own, from, sizeof(own));
	if (own < COROPROF_CHANNEL_STATUS_SIZE_LEVEL1 || own > size || own % 8)
		return 0;
	*to = (struct coroprof_channel_status){ 0 };
	memcpy(to, from, own < sizeof(*to) ? own : sizeof(*to));
	return own;
}

static void for_each_status(struct build *b, uint64_t offset, const void *payload, size_t size,
			    void (*take)(struct build *b, uint32_t channel,
					 const struct coroprof_channel_status *status))
{
	const char *p = payload;
	struct coroprof_channel_status status;
	uint32_t used;

	while ((used = status_read(&status, p, size))) {
		uint32_t channel = channel_find(b, status.channel_id);

		if (channel == MODEL_NONE)
			damage_add(b, offset, MODEL_NONE,
				   "totals of channel %" PRIu32 ", which no record announces, are ignored",
				   status.channel_id);
		else
			take(b, channel, &status);
		p += used;
		size -= used;
	}
	if (size)
		damage_add(b, offset, MODEL_NONE,
			   "the totals of a channel have an impossible size; the rest of their segment is skipped");
}

void status_add(struct build *b, uint64_t offset, const void *payload, size_t size)
{
	for_each_status(b, offset, payload, size, set_status);
}

void bases_add(struct build *b, uint64_t offset, const void *payload, size_t size)
{
	for_each_status(b, offset, payload, size, set_base);
}

static uint64_t base_time(const struct coroprof_channel_status *base)
{
	return base->begin + base->running_ns + base->preempted_ns + base->blocked_ns;
}

static void subtract_base(struct coroprof_channel_status *from,
			  const struct coroprof_channel_status *base)
{
	from->begin = base_time(base);
	from->slices -= base->slices;
	from->lost -= base->lost;
	from->running_ns -= base->running_ns;
	from->preempted_ns -= base->preempted_ns;
	from->blocked_ns -= base->blocked_ns;
	from->samples -= base->samples;
	from->samples_lost -= base->samples_lost;
	from->throttled -= base->throttled;
	for (uint32_t i = 0; i < COROPROF_COUNTERS_MAX; i++) {
		from->count[i] -= base->count[i];
		from->missing_ns[i] -= base->missing_ns[i];
	}
}

void bases_finish(struct build *b)
{
	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		struct build_channel *bc = &b->channels[i];

		if (!bc->has_base)
			continue;
		if (bc->has_status)
			subtract_base(&bc->status, &bc->base);
		b->model->channels[i].begin_ns = base_time(&bc->base);
	}
}

bool channel_is_finished(const struct build *b, uint32_t channel)
{
	const struct build_channel *bc = &b->channels[channel];

	return bc->has_status && (bc->status.flags & COROPROF_CHANNEL_ENDED || b->model->kept);
}

bool channel_is_ended(const struct build *b, uint32_t channel)
{
	const struct model_channel *c = &b->model->channels[channel];

	return channel_is_finished(b, channel) && !c->error && !c->damaged;
}

bool channel_complete(const struct build *b, uint32_t channel)
{
	const struct profile_channel *c = &b->profile->channels[channel];

	return channel_is_ended(b, channel) &&
	       (b->of_shard || is_part(b) || c->times.slices + c->lost ==
					       b->channels[channel].status.slices);
}
