/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of a session, as functions. Errors explain themselves, see
 * diagnose.h.
 */
#ifndef COROPROF_SESSION_H
#define COROPROF_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "coroprof.h"
#include "record/ring.h"

/**
 * struct session - an open session
 * @fd:   its descriptor, non-blocking; readable when there is something to read
 *        or a ring has reached the watermark
 * @info: what the module is
 * @config: what was asked for, and what is used
 */
struct session {
	int fd;
	struct coroprof_info info;
	struct coroprof_session_config config;
};

/* Opens the device, checks its ABI, and opens the session @config describes. */
int session_open(struct session *session,
		 const struct coroprof_session_config *config,
		 struct error *err);
void session_close(struct session *session);

/*
 * A negative errno, for diagnose_attach(). @known: it is attached already; else
 * it will be, with COROPROF_ATTACH_LATER, when it makes itself known.
 */
int session_attach(struct session *session, pid_t pid, __u32 flags, bool *known);
int session_start(struct session *session, struct error *err);
int session_stop(struct session *session, struct error *err);

/* Reads whole records, and returns their bytes; 0 if there are none at this time. */
ssize_t session_read(struct session *session, void *records, size_t capacity,
		     struct error *err);

int session_map_ring(struct session *session, struct ring *ring, __u32 channel,
		     size_t size, struct error *err);
int session_map_samples(struct session *session, struct ring *ring,
			__u32 channel, size_t size, struct error *err);
int session_channel(struct session *session, __u32 channel,
		    struct coroprof_channel_status *status, struct error *err);
/*
 * Hands events to the kernel for the thread of a channel. The channel's next record has the result.
 */
void session_delegate(struct session *session, const struct coroprof_delegate *delegate);
/*
 * Maps the slots of an attached process. Returns a descriptor, or a negative errno. @epoch: of the
 * last START, or of when the process was attached if that was later.
 */
int session_view(struct session *session, __u32 process_id, __u32 *epoch,
		 const struct coroprof_slot **slots, size_t *bytes, struct error *err);
void session_unmap_view(int view, const struct coroprof_slot *slots, size_t bytes);
/* Sets @epoch to the present one, if the process is still attached. */
void session_epoch(struct session *session, __u32 process_id, __u32 *epoch);
/* Sets @slot to the first slot in use from @slot on, and @nr to how many follow; 0: no more. */
int session_touched(int view, __u32 *slot, __u32 *nr, struct error *err);
/* Frees the ring of a channel that has ended. */
void session_forget(struct session *session, __u32 channel);

#endif /* COROPROF_SESSION_H */
