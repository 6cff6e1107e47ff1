// SPDX-License-Identifier: GPL-2.0
/* What read() on a session says: which processes, labels and channels there are. */
#include <linux/pid.h>
#include <linux/slab.h>

#include "attach.h"
#include "follow.h"
#include "process.h"
#include "recording.h"
#include "ring.h"
#include "session.h"
#include "quota.h"

static u32 put_process(const struct coroprof_session *session,
		       const struct coroprof_attachment *attachment, char *to, bool end)
{
	const struct coroprof_process *process = attachment->process;
	struct coroprof_record_process *record = (void *)to;

	record->type = end ? COROPROF_RECORD_PROCESS_END : COROPROF_RECORD_PROCESS;
	record->size = sizeof(*record);
	record->process_id = process->id;
	record->time = !end ? attachment->since : attachment->taken ?: process->ended;
	record->error = end && attachment->taken ? EBUSY : 0;
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

static u32 put_label(const struct coroprof_process *process, u32 label, char *to)
{
	const struct coroprof_label_text *text = process->labels[label - 1];
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

static u32 next_of_unrecorded(struct coroprof_session *session, char *to)
{
	struct coroprof_record_unrecorded *record = (void *)to;

	if (session->unrecorded == session->unrecorded_written)
		return 0;
	session->unrecorded_written = session->unrecorded;
	record->type = COROPROF_RECORD_UNRECORDED;
	record->size = sizeof(*record);
	record->time = session->unrecorded_at;
	record->nr = session->unrecorded;
	return record->size;
}

static bool has_ended(const struct coroprof_recording *recording)
{
	/* Pairs with the release in coroprof_recording_end(). */
	return smp_load_acquire(&recording->ended);
}

/* No recording of the process goes on, or has an end that was not written. */
static bool all_written(const struct coroprof_session *session,
			const struct coroprof_process *process)
{
	const struct coroprof_recording *recording;

	list_for_each_entry(recording, &session->recordings, node) {
		if (recording->process == process && !recording->end_written)
			return false;
	}
	return true;
}

static bool is_over(const struct coroprof_session *session,
		    const struct coroprof_attachment *attachment)
{
	return (attachment->taken || attachment->process->ended) &&
	       all_written(session, attachment->process);
}

/* Nothing more of it will follow. */
static void give_up(const struct coroprof_session *session,
		    struct coroprof_attachment *attachment, struct list_head *done)
{
	if (attachment->process->session == session)
		coroprof_process_set_session(attachment->process, NULL, false);
	list_move(&attachment->node, done);
}

static u32 next_of_attachment(const struct coroprof_session *session,
			      struct coroprof_attachment *attachment, char *to)
{
	if (!attachment->written) {
		attachment->written = true;
		return put_process(session, attachment, to, false);
	}
	if (attachment->labels < attachment->process->nr_labels)
		return put_label(attachment->process, ++attachment->labels, to);
	return 0;
}

/* One that was refused, if there is any: these come first. */
static struct coroprof_follow *first_refused(struct coroprof_session *session)
{
	struct coroprof_follow *follow;

	follow = list_first_entry_or_null(&session->follows, struct coroprof_follow, node);
	return follow && follow->error ? follow : NULL;
}

static u32 next_of_follows(struct coroprof_session *session, char *to)
{
	struct coroprof_follow *follow = first_refused(session);
	u32 size;

	if (!follow)
		return 0;
	size = put_refused(follow, to);
	follow->error = 0;
	list_move_tail(&follow->node, &session->follows);
	return size;
}

static u32 next_of_recording(const struct coroprof_session *session,
			     struct coroprof_recording *recording, char *to)
{
	if (!recording->written) {
		recording->written = true;
		return put_channel(session, recording, to, false);
	}
	if (recording->end_written || !has_ended(recording))
		return 0;
	if (recording->last_size && !recording->last_written) {
		recording->last_written = true;
		return put_last(recording, to);
	}
	recording->end_written = true;
	return put_channel(session, recording, to, true);
}

/* Make the next record there is; 0 for none. */
static u32 next_record(struct coroprof_session *session, char *to, struct list_head *done)
{
	struct coroprof_attachment *attachment;
	struct coroprof_recording *recording;
	u32 size;

	list_for_each_entry(attachment, &session->attachments, node) {
		size = next_of_attachment(session, attachment, to);
		if (size)
			return size;
	}
	size = next_of_follows(session, to) ?: next_of_unrecorded(session, to);
	if (size)
		return size;
	list_for_each_entry(recording, &session->recordings, node) {
		size = next_of_recording(session, recording, to);
		if (size)
			return size;
	}
	list_for_each_entry(attachment, &session->attachments, node) {
		if (is_over(session, attachment)) {
			give_up(session, attachment, done);
			return put_process(session, attachment, to, true);
		}
	}
	return 0;
}

/**
 * coroprof_stream_fill() - make as many records as there are and fit
 * @session: of it
 * @to:      where
 * @room:    bytes there
 * @done:    gets the attachments that are over, to be freed without the mutex
 *
 * Returns the number of bytes made.
 */
u32 coroprof_stream_fill(struct coroprof_session *session, char *to, u32 room,
			 struct list_head *done)
{
	u32 have = 0, size;

	lockdep_assert_held(&coroprof_mutex);
	while (room - have >= COROPROF_RECORD_MAX) {
		memset(to + have, 0, COROPROF_RECORD_MAX);
		size = next_record(session, to + have, done);
		if (!size)
			break;
		have += size;
	}
	return have;
}

/* Would coroprof_stream_fill() make any? */
bool coroprof_stream_pending(struct coroprof_session *session)
{
	struct coroprof_attachment *attachment;
	struct coroprof_recording *recording;

	lockdep_assert_held(&coroprof_mutex);
	list_for_each_entry(attachment, &session->attachments, node) {
		if (!attachment->written || attachment->labels < attachment->process->nr_labels ||
		    is_over(session, attachment))
			return true;
	}
	if (first_refused(session) || session->unrecorded != session->unrecorded_written)
		return true;
	list_for_each_entry(recording, &session->recordings, node) {
		if (!recording->written || (!recording->end_written && has_ended(recording)))
			return true;
	}
	return false;
}
