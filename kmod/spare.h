/* SPDX-License-Identifier: GPL-2.0 */
/* Rings without a user, kept for later threads. */
#ifndef COROPROF_SPARE_H
#define COROPROF_SPARE_H

#include <linux/kref.h>
#include <linux/types.h>

struct coroprof_quota;
struct coroprof_ring;

/*
 * Of all sessions of a user, and of user namespaces below him. Who has coroprof_mutex may have to
 * free as many: see lock.h.
 */
#define COROPROF_SPARES_MOST 32

/**
 * struct coroprof_spares - the spare rings of a process in a session
 *
 * To allocate a ring, to zero it and to map it for the kernel takes longer than all the rest of
 * the first switch of a thread. So a ring that nobody uses any more is kept for a later thread
 * of the same process in the same session: the recording was forgotten (FORGET), and the last
 * mapping has gone. The data of a spare ring stays as it is: whoever gets the ring may see it
 * anyway, because it is of the same process, in the same session, and of the same kind. Other spare
 * rings were made as such, for threads that will want one: see ahead.h.
 *
 * A spare ring has no reference (coroprof_ring.ref is 0): no recording and no mapping has it, in
 * whatever address space. A mapping that was split, moved or passed on has a reference for each
 * part, so no count but this one is needed. A ring is not kept if somebody holds one of its pages
 * past the mapping, as KVM of some kernels can.
 *
 * A spare ring is charged to the session, never to the user of the process. All spare rings of
 * sessions below a top quota are in one list, the oldest one first (coroprof_quota.spares). The
 * list has a bound. What a user or the session wants for anything else takes from it first: see
 * coroprof_quota_charge(). coroprof_quota.spares_lock protects the list.
 *
 * @ref:    held by the attachment, by each ring, by a thread that is making a recording, and by a
 *          task that makes rings ahead
 * @quota:  the session's; held
 * @closed: no ring is kept any more: the session is being released, or the attachment has gone;
 *          quota->top->spares_lock
 */
struct coroprof_spares {
	struct kref ref;
	struct coroprof_quota *quota;
	bool closed;
};

/* Without a quota yet; or NULL. May sleep; no task is killed for this memory. */
struct coroprof_spares *coroprof_spares_alloc(void);
void coroprof_spares_open(struct coroprof_spares *spares, struct coroprof_quota *quota);
void coroprof_spares_get(struct coroprof_spares *spares);
/* @spares: may be NULL */
void coroprof_spares_put(struct coroprof_spares *spares);
void coroprof_spares_shut(struct coroprof_spares *spares);

/* These may sleep. */
void coroprof_spares_close(struct coroprof_spares *spares);
struct coroprof_ring *coroprof_spares_ring(struct coroprof_spares *spares, u32 size, bool samples);
bool coroprof_spares_make(struct coroprof_spares *spares, u32 size, bool samples, u32 nr);
bool coroprof_spares_keep(struct coroprof_ring *ring);
bool coroprof_spares_give_up(struct coroprof_quota *quota);

#endif /* COROPROF_SPARE_H */
