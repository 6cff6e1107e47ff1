/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of one recording. */
#ifndef COROPROF_SAMPLE_H
#define COROPROF_SAMPLE_H

#include <linux/types.h>

#include "../uapi/coroprof.h"

struct coroprof_channel;
struct coroprof_channel_status;
struct coroprof_ring;
struct coroprof_session;
struct coroprof_spares;
struct irq_work;
struct perf_event;

/**
 * struct coroprof_sampler - the samples of one recording
 *
 * Part of a recording. The recording's memory is freed an RCU grace period after the event
 * was released: then nobody is in the handler any more.
 *
 * The handler runs in an interrupt, which may be an NMI, or, for a software event, in the
 * thread itself. In either case it is on the thread's CPU, interrupts are off and the thread
 * is current. So the ring has one producer at a time. The handler does its work only while
 * @channel is set and the thread is on the CPU, as the hooks see it (channel-layout.h). So whoever
 * may touch the channel's slice ends it for good by clearing @channel.
 *
 * @event:     the event that overflows; NULL if there is none, or it was released
 * @ring:      NULL if there are no samples
 * @channel:   the thread's channel, while samples are taken; else NULL
 * @wake:      wakes the reader when the ring has passed its watermark
 * @error:     why @event is not what the session wants, an errno
 * @stack_max: most return addresses of a sample
 * @watermark: wake the reader when the ring holds so many bytes
 * @wake_at:   head at which to look whether it does
 * @taken:     number of samples, lost ones included
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
			     struct coroprof_spares *spares, struct irq_work *wake);
void coroprof_sampler_release(struct coroprof_sampler *sampler);
void coroprof_sampler_destroy(struct coroprof_sampler *sampler);

/* Only who may touch the channel's slice calls these. They take no lock and never wait. */
void coroprof_sampler_begin(struct coroprof_sampler *sampler,
			    struct coroprof_channel *channel);
void coroprof_sampler_end(struct coroprof_sampler *sampler);
void coroprof_sampler_status(const struct coroprof_sampler *sampler,
			     struct coroprof_channel_status *status);

#endif /* COROPROF_SAMPLE_H */
