/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_SAMPLE_H
#define COROPROF_SAMPLE_H

#include <linux/types.h>

#include "../uapi/coroprof.h"

struct coroprof_channel;
struct coroprof_channel_status;
struct coroprof_ring;
struct coroprof_session;
struct irq_work;
struct perf_event;

/**
 * struct coroprof_sampler - the samples of one recording
 *
 * Part of a recording, whose memory goes no sooner than an RCU grace period
 * after the event was released: by then nobody is in the handler.
 *
 * The handler is an interrupt, which may be an NMI, or comes from the thread
 * itself when the event is one of software. In each case it is on the thread's
 * CPU with interrupts off and the thread current, so that it is one producer of
 * the ring at a time. It lives while @channel is set and the thread is
 * on the CPU, as the hooks see it (channel.h); so whoever may touch the
 * channel's slice ends it for good by clearing @channel.
 *
 * @event:     what overflows; NULL if it can't be had, or was released
 * @ring:      NULL when there are no samples
 * @channel:   the thread's, while samples are taken
 * @wake:      tells the session that the watermark was passed
 * @error:     why @event is not what the session wants, an errno
 * @stack_max: at most so many return addresses
 * @watermark: wake the session when so many bytes are in the ring
 * @wake_at:   head at which to look whether they are
 * @taken:     samples, lost ones included
 * @throttled: how often perf has stopped the event for a while
 */
struct coroprof_sampler {
	struct perf_event *event;
	struct coroprof_ring *ring;
	struct coroprof_channel *channel;
	struct irq_work *wake;
	int error;
	u32 stack_max;
	u32 watermark;
	u64 wake_at;
	u64 taken;
	u64 throttled;
};

int coroprof_sampling_check(const struct coroprof_sampling *sampling);
void coroprof_sampler_create(struct coroprof_sampler *sampler,
			     const struct coroprof_session *session,
			     struct irq_work *wake);
void coroprof_sampler_release(struct coroprof_sampler *sampler);
void coroprof_sampler_destroy(struct coroprof_sampler *sampler);

/* As the channel's slice: no locks, no waiting. */
void coroprof_sampler_begin(struct coroprof_sampler *sampler,
			    struct coroprof_channel *channel);
void coroprof_sampler_end(struct coroprof_sampler *sampler);
void coroprof_sampler_status(const struct coroprof_sampler *sampler,
			     struct coroprof_channel_status *status);

#endif /* COROPROF_SAMPLE_H */
