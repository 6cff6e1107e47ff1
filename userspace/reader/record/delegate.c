// SPDX-License-Identifier: GPL-2.0
/*
 * Opens perf events for a thread that may not open them itself, and hands them to the kernel in one
 * command. Relies on the rights of whoever records.
 */
#include <errno.h>
#include <unistd.h>

#include "../lib/event.h"
#include "record/delegate.h"

/* True of a thread that switches by ioctl for lack of the right, or the means, to open events. */
static bool needs_delegation(const struct session *s, const struct coroprof_record_channel *record)
{
	if (!(s->config.flags & COROPROF_SESSION_USER) || record->error ||
	    record->mode != COROPROF_MODE_IOCTL)
		return false;
	return record->reason == COROPROF_REASON_PARANOID ||
	       record->reason == COROPROF_REASON_SECCOMP ||
	       record->reason == COROPROF_REASON_PROC;
}

/* True if an event could not be opened, though the machine may have it. */
static bool is_refused(int error)
{
	return error == EACCES || error == EPERM || error == ESRCH || error == EMFILE ||
	       error == ENFILE || error == ENOMEM;
}

/* Returns false if one can't be opened, though the machine may have it. */
static bool open_events(struct coroprof_delegate *delegate, const struct session *s, pid_t tid)
{
	for (__u32 i = 0; i < s->config.nr_counters; i++) {
		int fd = coroprof_event_open(&s->config.counters[i], tid);

		if (is_refused(-fd))
			return false;
		delegate->event[delegate->nr_counters++] = fd;
	}
	return true;
}

static void close_events(const struct coroprof_delegate *delegate)
{
	for (__u32 i = 0; i < delegate->nr_counters; i++)
		if (delegate->event[i] >= 0 && delegate->event[i] != COROPROF_EVENT_PROGRAM)
			close(delegate->event[i]);
}

void delegate_events(struct session *s, const struct coroprof_record_channel *record)
{
	struct coroprof_delegate delegate = {
		.size = sizeof(delegate),
		.channel_id = record->channel_id,
	};

	if (!needs_delegation(s, record))
		return;
	if (open_events(&delegate, s, record->tid))
		session_delegate(s, &delegate);
	close_events(&delegate);
}
