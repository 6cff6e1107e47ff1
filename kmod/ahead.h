/* SPDX-License-Identifier: GPL-2.0 */
/* Rings that are made before threads want them. */
#ifndef COROPROF_AHEAD_H
#define COROPROF_AHEAD_H

#include <linux/types.h>

struct coroprof_session;

struct coroprof_coming;

/*
 * Rings made ahead. A thread that has to make its ring waits for that in its first switch. So the
 * task of the session's reader makes rings before threads want them, and leaves them among the
 * spare rings of their process (spare.h), where the threads find them. It does so
 *
 * - in START, for each process that is attached: one ring for each of its threads;
 * - when it has read that a process was attached or that a thread is recorded: for that process,
 *   one ring for each thread that is not recorded. One ring is always there, for a thread that
 *   begins later. So that a read() is never long, it makes rings for COROPROF_AHEAD_MOST threads.
 *
 * Of samples, the same if the session takes samples. Most of these threads may never switch. So no
 * ring is made when COROPROF_AHEAD_MOST rings of its kind wait for that process, when the list of
 * spare rings is full, when half of what the session may take is spare rings, or when memory is
 * short: nothing is given up for it, and nobody waits for memory. A ring that nobody takes goes as
 * any spare ring does: as soon as anything else needs the room, at the latest with its
 * attachment. STOP leaves it for the next START.
 *
 * Nothing depends on it: a thread that finds no ring makes one. So no error is returned. Both may
 * sleep; the caller holds neither coroprof_mutex nor a lock that a program's thread needs.
 */
#define COROPROF_AHEAD_MOST 8

/* The session is about to start. */
void coroprof_ahead_of_start(struct coroprof_session *session);
/* @coming: attached processes; those that are not any more are no error */
void coroprof_ahead_of_threads(struct coroprof_session *session,
			       const struct coroprof_coming *coming);

/* The reader learns now of the process, or of a thread of it. Any context. */
void coroprof_ahead_note(struct coroprof_coming *coming, u32 process_id);

#endif /* COROPROF_AHEAD_H */
