// SPDX-License-Identifier: GPL-2.0
/* What read() on a session says: which processes, labels and channels there are. */
#include <linux/pid.h>
#include <linux/slab.h>

#include "ahead.h"
#include "attachment.h"
#include "follow.h"
#include "pending.h"
#include "process.h"
#include "recording.h"
#include "ring.h"
#include "session.h"
#include "stream.h"
#include "quota.h"

static u32 put_process(const struct coroprof_session *session,
		       const struct coroprof_attachment *attachment, char *to, bool end)
{
	const struct coroprof_process *process = attachment->process;
	struct coroprof_record_process *record = (void *)to;
	bool refuses = READ_ONCE(process->refused);

	record->type = end ? COROPROF_RECORD_PROCESS_END : COROPROF_RECORD_PROCESS;
	record->size = sizeof(*record);
	record->process_id = process->id;
	record->time = end ? attachment->ended : attachment->since;
	/* Why it is recorded no longer, if it may go on. */
	if (end)
		record->error = attachment->taken ? EBUSY : refuses ? EPERM : 0;
	record->pid = pid_nr_ns(process->tgid, session->pid_ns);
	memcpy(record->comm, attachment->comm, sizeof(record->comm));
	return record->size;
}

static u32 put_refused(const struct coroprof_follow *follow, char *to)
{
	struct coroprof_record_process *record = (void *)to;

	record->type = COROPROF_RECORD_PROCESS_REFUSED;
	record->size = sizeof(*record);
	record->process_id = follow->process_id;
	record->time = follow->time;
	record->pid = pid_nr_ns(follow->tgid, follow->session->pid_ns);
	record->error = follow->error;
	memcpy(record->comm, follow->comm, sizeof(record->comm));
	return record->size;
}

static u32 put_label(const struct coroprof_process *process, u32 label,
		     const struct coroprof_label_text *text, char *to)
{
	struct coroprof_record_label *record = (void *)to;

	record->type = COROPROF_RECORD_LABEL;
	record->size = sizeof(*record) + ALIGN(text->len, 8);
	record->process_id = process->id;
	record->label = label;
	record->flags = text->flags;
	record->value = text->value;
	record->text_len = text->len;
	memcpy(record + 1, text->text, text->len);
	return record->size;
}

static u32 put_channel(const struct coroprof_session *session,
		       const struct coroprof_recording *recording, char *to, bool end)
{
	struct coroprof_record_channel *record = (void *)to;
	u32 states = recording->nr * sizeof(recording->state[0]);

	record->type = end ? COROPROF_RECORD_CHANNEL_END : COROPROF_RECORD_CHANNEL;
	record->size = sizeof(*record) + states;
	record->channel_id = recording->id;
	record->time = end ? recording->end : recording->begin;
	record->process_id = recording->process->id;
	record->tid = pid_nr_ns(recording->tid, session->pid_ns);
	record->nr_counters = recording->nr;
	record->ring_size = recording->ring ? recording->ring->size : 0;
	record->error = recording->error;
	record->mode = recording->user_mode ? COROPROF_MODE_USER : COROPROF_MODE_IOCTL;
	record->reason = recording->reason;
	record->sample_error = recording->sampler.error;
	record->sample_ring_size = recording->sampler.ring ? recording->sampler.ring->size : 0;
	memcpy(record->comm, recording->comm, sizeof(record->comm));
	memcpy(record + 1, recording->state, states);
	return record->size;
}

static u32 put_last(const struct coroprof_recording *recording, char *to)
{
	struct coroprof_record_channel_last *record = (void *)to;

	record->type = COROPROF_RECORD_CHANNEL_LAST;
	record->size = sizeof(*record) + recording->last_size;
	record->channel_id = recording->id;
	memcpy(record + 1, recording->last, recording->last_size);
	return record->size;
}

static bool has_ended(const struct coroprof_recording *recording)
{
	/* Pairs with the release in coroprof_pending_end(). */
	return smp_load_acquire(&recording->ended);
}

/* @done: gets one of which nothing more will follow. */
static u32 next_of_attachments(struct coroprof_session *session, char *to,
			       struct list_head *done)
{
	struct coroprof_attachment *attachment;
	const struct coroprof_label_text *text;
	u32 size;

	attachment = list_first_entry_or_null(&session->pending.attachments,
					      struct coroprof_attachment, pending);
	if (!attachment)
		return 0;
	text = coroprof_process_label(attachment->process, attachment->labels + 1);
	if (!attachment->written) {
		attachment->written = true;
		coroprof_ahead_note(&session->coming, attachment->process->id);
		size = put_process(session, attachment, to, false);
	} else if (text) {
		size = put_label(attachment->process, ++attachment->labels, text, to);
	} else {
		list_move(&attachment->pending, done);
		return put_process(session, attachment, to, true);
	}
	if (!coroprof_pending_has(attachment))
		list_del_init(&attachment->pending);
	return size;
}

static u32 next_of_refused(struct coroprof_session *session, char *to)
{
	struct coroprof_follow *follow;

	follow = list_first_entry_or_null(&session->pending.refused, struct coroprof_follow,
					  refused);
	if (!follow)
		return 0;
	list_del_init(&follow->refused);
	return put_refused(follow, to);
}

static u32 next_of_unrecorded(struct coroprof_pending *pending, char *to)
{
	struct coroprof_record_unrecorded *record = (void *)to;

	if (pending->unrecorded == pending->unrecorded_written)
		return 0;
	pending->unrecorded_written = pending->unrecorded;
	record->type = COROPROF_RECORD_UNRECORDED;
	record->size = sizeof(*record);
	record->time = pending->unrecorded_at;
	record->nr = pending->unrecorded;
	return record->size;
}

static u32 next_of_recordings(struct coroprof_session *session, char *to)
{
	struct coroprof_recording *recording;

	recording = list_first_entry_or_null(&session->pending.recordings,
					     struct coroprof_recording, pending);
	if (!recording)
		return 0;
	if (!recording->written) {
		recording->written = true;
		coroprof_ahead_note(&session->coming, recording->process->id);
		if (!has_ended(recording))
			list_del_init(&recording->pending);
		return put_channel(session, recording, to, false);
	}
	if (recording->last_size && !recording->last_written) {
		recording->last_written = true;
		return put_last(recording, to);
	}
	coroprof_pending_written(session, recording);
	return put_channel(session, recording, to, true);
}

/*
 * Make the next record there is; 0 for none. A process comes before its recordings, and its
 * labels before the slices that have them.
 */
static u32 next_record(struct coroprof_session *session, char *to, struct list_head *done)
{
	u32 size;

	raw_spin_lock_irq(&session->pending.lock);
	size = next_of_attachments(session, to, done) ?: next_of_refused(session, to) ?:
	       next_of_unrecorded(&session->pending, to) ?: next_of_recordings(session, to);
	raw_spin_unlock_irq(&session->pending.lock);
	return size;
}

/**
 * coroprof_stream_fill() - make as many records as there are and fit
 * @session: of it
 * @to:      where
 * @room:    bytes there
 * @done:    gets the attachments that are over, to be freed
 *
 * Returns the number of bytes made.
 */
u32 coroprof_stream_fill(struct coroprof_session *session, char *to, u32 room,
			 struct list_head *done)
{
	u32 have = 0, size;

	lockdep_assert_held(&session->read_lock);
	while (room - have >= COROPROF_RECORD_MAX) {
		memset(to + have, 0, COROPROF_RECORD_MAX);
		size = next_record(session, to + have, done);
		if (!size)
			break;
		have += size;
	}
	return have;
}
