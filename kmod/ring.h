/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_RING_H
#define COROPROF_RING_H

#include <linux/kref.h>
#include <linux/mm_types.h>

#include "../uapi/coroprof.h"

struct coroprof_quota;

/**
 * struct coroprof_ring - records on their way from one thread to one reader
 *
 * One producer context at a time: the thread, or whoever ends its recording
 * (see channel.h). One consumer, in user space. In memory, here as in user
 * space:
 *
 *   consumer page | producer page | data | the same data again
 *
 * The reader may write the consumer page, and nothing else. Its tail is read
 * once for each record, checked, and never followed as an address. The head
 * that counts is @head; the producer page only shows it. A thread that switches
 * from user mode may write all but the consumer page; @head then is the position
 * up to which the kernel has taken note of what it wrote (shared.h).
 *
 * @ref:     held by the recording and by each mapping
 * @head:    bytes ever written; the producer's
 * @full:    records that found no room; the producer's
 * @pending: of those, the ones no LOST record has told of; the producer's
 * @pending_spans: spans that found no room, and no LOST record has told of; the
 *           producer's
 * @lost_at: when the last slice, or sample, of those was, or of spans alone the
 *           last of them; the producer's
 * @size:    bytes of data, a power of two; or 0 in a session of totals: the ring is
 *           always full, and nothing that finds it so is lost
 * @mask:    of a position, its place in the data
 * @pages:   consumer, producer, then data
 * @base:    all of it, as drawn above
 * @producer: in it
 * @data:    in it; or @unread
 * @unread:  without data, where coroprof_fast_switch() leaves its record: so that it
 *           need not ask. Nobody else sees that
 * @quota:   who is charged: the session's, or who may keep it alive, once the
 *           thread has mapped it; changed under coroprof_mutex
 */
struct coroprof_ring {
	struct kref ref;
	u64 head;
	u64 full;
	u64 pending;
	u32 pending_spans;
	u64 lost_at;
	u32 size;
	u64 mask;
	struct page **pages;
	void *base;
	struct coroprof_ring_producer *producer;
	void *data;
	u64 unread[sizeof(struct coroprof_record_slice) / sizeof(u64) + COROPROF_COUNTERS_MAX];
	struct coroprof_quota *quota;
};

struct coroprof_ring *coroprof_ring_create(struct coroprof_quota *quota, u32 size);
void coroprof_ring_get(struct coroprof_ring *ring);
void coroprof_ring_put(struct coroprof_ring *ring);
void coroprof_ring_vma(struct vm_area_struct *vma);
int coroprof_ring_mmap(struct coroprof_ring *ring, struct vm_area_struct *vma,
		       unsigned long first);
int coroprof_ring_mmap_thread(struct coroprof_ring *ring, struct vm_area_struct *vma,
			      struct coroprof_quota *quota);

/* Producer side: any context, no locks, no waiting. */
void *coroprof_ring_reserve(struct coroprof_ring *ring, u32 size);
void coroprof_ring_drop(struct coroprof_ring *ring, u64 time);
void coroprof_ring_dropped(struct coroprof_ring *ring, u32 nr, u64 time);
void coroprof_ring_drop_span(struct coroprof_ring *ring, u64 time);
u32 coroprof_ring_take_lost(struct coroprof_ring *ring, void *to);
void coroprof_ring_tell_lost(struct coroprof_ring *ring);
void coroprof_ring_close(struct coroprof_ring *ring);
u64 coroprof_ring_used(struct coroprof_ring *ring);
bool coroprof_ring_is_filled(struct coroprof_ring *ring, u32 watermark);

/* A LOST record has to come before anything else. */
static inline bool coroprof_ring_loss_pending(const struct coroprof_ring *ring)
{
	return ring->pending || ring->pending_spans;
}

/* Where the next record goes. Whether it fits is another matter. */
static inline void *coroprof_ring_at_head(const struct coroprof_ring *ring)
{
	return ring->data + (ring->head & ring->mask);
}

static inline void coroprof_ring_commit(struct coroprof_ring *ring, u32 size)
{
	WRITE_ONCE(ring->head, ring->head + size);
	/* Pairs with the reader's acquire of head. */
	smp_store_release(&ring->producer->head, ring->head);
}

#endif /* COROPROF_RING_H */
