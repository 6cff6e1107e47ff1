// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <unistd.h>

#include "../lib/event.h"
#include "record/give.h"

static bool is_wanted(const struct session *s, const struct coroprof_record_channel *record)
{
	if (!(s->config.flags & COROPROF_SESSION_USER) || record->error ||
	    record->mode != COROPROF_MODE_IOCTL)
		return false;
	return record->reason == COROPROF_REASON_PARANOID ||
	       record->reason == COROPROF_REASON_SECCOMP ||
	       record->reason == COROPROF_REASON_PROC;
}

/* Not for want of such an event. */
static bool is_refused(int error)
{
	return error == EACCES || error == EPERM || error == ESRCH || error == EMFILE ||
	       error == ENFILE || error == ENOMEM;
}

/* Returns false if one can't be had, though the machine may have it. */
static bool open_all(struct coroprof_give *give, const struct session *s, pid_t tid)
{
	for (__u32 i = 0; i < s->config.nr_counters; i++) {
		int fd = coroprof_event_open(&s->config.counters[i], tid);

		if (is_refused(-fd))
			return false;
		give->event[give->nr_counters++] = fd;
	}
	return true;
}

static void close_all(const struct coroprof_give *give)
{
	for (__u32 i = 0; i < give->nr_counters; i++)
		if (give->event[i] >= 0 && give->event[i] != COROPROF_USER_PROGRAM)
			close(give->event[i]);
}

void give_events(struct session *s, const struct coroprof_record_channel *record)
{
	struct coroprof_give give = {
		.size = sizeof(give),
		.channel_id = record->channel_id,
	};

	if (!is_wanted(s, record))
		return;
	if (open_all(&give, s, record->tid))
		session_give(s, &give);
	close_all(&give);
}
