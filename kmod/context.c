// SPDX-License-Identifier: GPL-2.0
/*
 * COROPROF_IOC_TRACE: checks the trace context that a program sets, and writes it into the thread's
 * ring in the middle of the open slice. By the thread itself, interrupts off while it writes.
 */
#include <linux/irqflags.h>
#include <linux/string.h>

#include "args.h"
#include "channel-layout.h"
#include "context.h"
#include "process.h"
#include "recording.h"
#include "ring.h"
#include "session.h"
#include "slice.h"

static bool context_is_sane(const struct coroprof_trace *trace)
{
	if (trace->flags || trace->trace_flags > U8_MAX || trace->reserved)
		return false;
	return memchr_inv(trace->trace_id, 0, sizeof(trace->trace_id)) ||
	       (!memchr_inv(trace->span_id, 0, sizeof(trace->span_id)) && !trace->trace_flags);
}

static int context_write(const struct coroprof_channel *channel,
			 const struct coroprof_trace *trace)
{
	struct coroprof_recording *recording = channel->recording;
	struct coroprof_record_trace *record;
	u64 now = coroprof_slice_clock(channel);

	record = coroprof_recording_reserve(recording, sizeof(*record));
	if (!record) {
		coroprof_ring_drop_trace(recording->ring, now);
		return -ENOSPC;
	}
	record->type = COROPROF_RECORD_TRACE;
	record->size = sizeof(*record);
	record->slot = channel->slot_nr;
	record->time = now;
	record->id = READ_ONCE(channel->slot->id);
	memcpy(record->trace_id, trace->trace_id, sizeof(record->trace_id));
	memcpy(record->span_id, trace->span_id, sizeof(record->span_id));
	record->trace_flags = trace->trace_flags;
	record->flags = 0;
	coroprof_ring_commit(recording->ring, sizeof(*record));
	return 0;
}

/* As one who may touch the slice. */
static int context_set(struct coroprof_channel *channel, const struct coroprof_trace *trace)
{
	u64 head;
	int err;

	/* The next switch begins another recording: what the thread says is for that one. */
	if (READ_ONCE(channel->process->epoch) != channel->epoch)
		return -ENODATA;
	if (!channel->recording || !channel->recording->session->traces)
		return -ENODATA;
	err = coroprof_slice_insert(channel, &head);
	if (err)
		return err;
	err = context_write(channel, trace);
	coroprof_slice_inserted(channel, head);
	return err;
}

/* By the thread itself. */
long coroprof_context(struct coroprof_channel *channel, void __user *arg)
{
	struct coroprof_trace trace;
	int err;

	err = coroprof_args_in(&trace, sizeof(trace), sizeof(trace), arg);
	if (err)
		return err;
	if (!context_is_sane(&trace))
		return -EINVAL;

	local_irq_disable();
	err = context_set(channel, &trace);
	local_irq_enable();
	return err;
}
