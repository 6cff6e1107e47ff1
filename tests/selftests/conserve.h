/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The law of conservation: what the slices of a channel say, taken together,
 * is what the thread's own sums say, to the count and to the nanosecond.
 */
#ifndef _CONSERVE_H
#define _CONSERVE_H

#include "reader.h"

static inline void same(struct reader *reader, __u32 channel, const char *what,
			__u64 slices, __u64 thread)
{
	if (slices != thread)
		defect(reader, "channel %u: %s: %llu in its slices, %llu in the thread's sums",
		       channel, what, slices, thread);
}

static inline void conserve_counts(struct reader *reader, const struct log *log,
				   const struct coroprof_channel_status *status)
{
	char what[32];
	unsigned int i;

	for (i = 0; i < status->nr_counters; i++) {
		snprintf(what, sizeof(what), "count of counter %u", i);
		same(reader, status->channel_id, what, log->sums.count[i], status->count[i]);
		snprintf(what, sizeof(what), "missing_ns of counter %u", i);
		same(reader, status->channel_id, what, log->sums.missing_ns[i],
		     status->missing_ns[i]);
	}
}

static inline void conserve_channel(struct reader *reader, const struct log *log)
{
	__u32 id = log->record.channel_id;
	const struct sums *sums = &log->sums;
	struct coroprof_channel_status status;
	int ret = channel_status(reader->fd, id, &status);

	if (ret) {
		defect(reader, "channel %u: CHANNEL: %s", id, strerror(-ret));
		return;
	}
	same(reader, id, "begin", log->record.time, status.begin);
	same(reader, id, "counters", log->record.nr_counters, status.nr_counters);
	same(reader, id, "slices", sums->slices + status.lost, status.slices);
	same(reader, id, "bytes", log->tail, status.ring_head);
	/* A ring that was full to the end had no room for the last LOST. */
	if (log->lost != status.lost) {
		if (log->lost > status.lost || !log->ended)
			same(reader, id, "lost", log->lost, status.lost);
		return;
	}
	same(reader, id, "wall time", log->last_time - status.begin,
	     status.running_ns + status.preempted_ns + status.blocked_ns);
	if (log->ended)
		same(reader, id, "end", log->last_time, status.end);
	if (log->lost)
		return;
	same(reader, id, "duration", sums->duration, log->last_time - status.begin);
	same(reader, id, "running", sums->running_ns, status.running_ns);
	same(reader, id, "preempted", sums->preempted_ns, status.preempted_ns);
	same(reader, id, "blocked", sums->blocked_ns, status.blocked_ns);
	conserve_counts(reader, log, &status);
}

/*
 * The other books: the slots, which the coroutines' totals are kept in. Only
 * for coroutines that were FRESH within the recording.
 */
static inline void conserve_slot(struct reader *reader, __u32 nr,
				 const struct coroprof_slot *slot, unsigned int nr_counters)
{
	const struct sums *sums = &reader->slots[nr];
	unsigned int i;

	if (slot->slices != sums->slices || slot->running_ns != sums->running_ns ||
	    slot->preempted_ns != sums->preempted_ns ||
	    slot->blocked_ns != sums->blocked_ns ||
	    slot->nr_preempted != (__u32)sums->nr_preempted ||
	    slot->nr_blocked != (__u32)sums->nr_blocked)
		defect(reader, "slot %u: slices and times %llu %llu %llu %llu %u %u in the slot, %llu %llu %llu %llu %llu %llu in its slices",
		       nr, slot->slices, slot->running_ns, slot->preempted_ns,
		       slot->blocked_ns, slot->nr_preempted, slot->nr_blocked,
		       sums->slices, sums->running_ns, sums->preempted_ns,
		       sums->blocked_ns, sums->nr_preempted, sums->nr_blocked);
	for (i = 0; i < nr_counters; i++)
		if (slot->count[i] != sums->count[i] ||
		    slot->missing_ns[i] != sums->missing_ns[i])
			defect(reader, "slot %u: counter %u is %llu, missing %llu ns; in its slices %llu, missing %llu ns",
			       nr, i, slot->count[i], slot->missing_ns[i],
			       sums->count[i], sums->missing_ns[i]);
}

/* Returns "" when all channels obey it, and what does not otherwise. */
static inline const char *conservation(struct reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_logs; i++)
		conserve_channel(reader, &reader->logs[i]);
	return reader->defect;
}

#endif /* _CONSERVE_H */
