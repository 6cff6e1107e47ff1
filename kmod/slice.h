/* SPDX-License-Identifier: GPL-2.0 */
/* The slice of a thread: how it ends and begins. */
#ifndef COROPROF_SLICE_H
#define COROPROF_SLICE_H

#include <linux/types.h>

#include "counters.h"

struct coroprof_channel;
struct coroprof_channel_status;
struct coroprof_recording;
struct coroprof_slot;
struct coroprof_totals;

/*
 * One stay of a coroutine on a thread. Only who may touch the channel's slice (channel-layout.h)
 * calls these functions. They take no lock and never wait.
 */
void coroprof_slice_count(struct coroprof_channel *channel,
			  struct coroprof_counters *counters);
void coroprof_slice_switch(struct coroprof_channel *channel, u32 nr,
			   struct coroprof_slot *slot, unsigned long arg,
			   struct coroprof_recording *recording);
void coroprof_slice_cut(struct coroprof_channel *channel, enum coroprof_thread_is thread);
void coroprof_slice_drop(struct coroprof_channel *channel);
void coroprof_slice_slow(struct coroprof_channel *channel);
void coroprof_slice_off(struct coroprof_channel *channel);
void coroprof_slice_on(struct coroprof_channel *channel);
u64 coroprof_slice_clock(const struct coroprof_channel *channel);
int coroprof_slice_insert(struct coroprof_channel *channel, u64 *head);
void coroprof_slice_inserted(struct coroprof_channel *channel, u64 head);
void coroprof_slice_totals(struct coroprof_channel *channel, struct coroprof_totals *totals);
void coroprof_slice_status(struct coroprof_channel *channel,
			   const struct coroprof_recording *recording, bool left,
			   struct coroprof_channel_status *status);

#endif /* COROPROF_SLICE_H */
