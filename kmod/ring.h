/* SPDX-License-Identifier: GPL-2.0 */
/* A ring: records on their way from one thread to one reader. */
#ifndef COROPROF_RING_H
#define COROPROF_RING_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm_types.h>

#include "../uapi/coroprof.h"

struct coroprof_quota;
struct coroprof_spares;

/**
 * struct coroprof_ring - records on their way from one thread to one reader
 *
 * There is one producer at a time, the thread or whoever ends its recording (channel-layout.h), and
 * one consumer, in user space. The layout in memory, here as in user space:
 *
 *   consumer page | producer page | data | the same data again
 *
 * The reader may write the consumer page and nothing else. The kernel reads the tail there
 * once for each record, checks it, and never uses it as an address. @head is what counts; the
 * producer page only shows it. A thread that switches from user mode may write everything
 * except the consumer page. Then @head is the position up to which the kernel has taken note
 * of what the thread wrote (shared.h).
 *
 * "Producer only" means: the producer alone reads and writes the member.
 *
 * @ref:     held by the recording and by each mapping. With the last one the ring becomes a spare
 *           one (spare.h), or goes
 * @spares:  where it becomes that; held
 * @spare:   in coroprof_quota.spares while it is that
 * @samples: it is one of samples, and becomes no other
 * @whole:   no access of the thread's is to take a page fault: see coroprof_ring_fill()
 * @spared:  the thread that has it found it among the spare rings, and did not wait for it to be
 *           made
 * @head:    number of bytes ever written; producer only
 * @mask:    makes a position an offset in the data
 * @full:    number of records that found no room; producer only
 * @pending: number of these that no LOST record has reported; producer only
 * @pending_spans: number of spans that found no room and that no LOST record has reported;
 *           producer only
 * @pending_trace: a trace found no room, and no LOST record was written since; producer only
 * @lost_at: time of the last slice or sample among these; if there are only spans and traces, of
 *           the last of them; producer only
 * @size:    bytes of data, a power of two. 0 in a session of totals: the ring is always full,
 *           and what finds it full is not lost
 * @pages:   the consumer page, the producer page, then the data
 * @base:    address of all that, as drawn above
 * @producer: the producer page
 * @data:    the data; or @unread
 * @unread:  in place of data: coroprof_fast_switch() leaves its record here, so that it need
 *           not ask whether there is data. Nobody reads it
 * @quota:   who is charged: the session's quota; or, once the thread has mapped the ring, the
 *           quota of the process that may keep it alive; changed under coroprof_mutex, or
 *           without a reference left
 */
struct coroprof_ring {
	struct kref ref;
	struct coroprof_spares *spares;
	struct list_head spare;
	bool samples;
	bool whole;
	bool spared;
	u64 head;
	u64 mask;
	u64 full;
	u64 pending;
	u32 pending_spans;
	bool pending_trace;
	u64 lost_at;
	u32 size;
	struct page **pages;
	void *base;
	struct coroprof_ring_producer *producer;
	void *data;
	u64 unread[sizeof(struct coroprof_record_slice) / sizeof(u64) + COROPROF_COUNTERS_MAX];
	struct coroprof_quota *quota;
};

/* For spare.c alone; others call coroprof_spares_ring(). These may sleep. */
struct coroprof_ring *coroprof_ring_create(struct coroprof_spares *spares, u32 size, bool samples,
					   bool ahead);
void coroprof_ring_renew(struct coroprof_ring *ring);
void coroprof_ring_free(struct coroprof_ring *ring);
int coroprof_ring_charge_to(struct coroprof_ring *ring, struct coroprof_quota *quota);
/* What a ring with so many bytes of data is charged. */
u64 coroprof_ring_bytes(u32 size);

void coroprof_ring_get(struct coroprof_ring *ring);
void coroprof_ring_put(struct coroprof_ring *ring);
void coroprof_ring_vma(struct vm_area_struct *vma);
int coroprof_ring_mmap(struct coroprof_ring *ring, struct vm_area_struct *vma,
		       unsigned long first);
int coroprof_ring_mmap_thread(struct coroprof_ring *ring, struct vm_area_struct *vma,
			      struct coroprof_quota *quota);
void coroprof_ring_fill(struct vm_area_struct *vma);

/* For the producer: any context; they take no lock and never wait. */
void *coroprof_ring_reserve(struct coroprof_ring *ring, u32 size);
void coroprof_ring_drop(struct coroprof_ring *ring, u64 time);
void coroprof_ring_dropped(struct coroprof_ring *ring, u32 nr, u64 time);
void coroprof_ring_drop_span(struct coroprof_ring *ring, u64 time);
void coroprof_ring_drop_trace(struct coroprof_ring *ring, u64 time);
u32 coroprof_ring_take_lost(struct coroprof_ring *ring, void *to);
void coroprof_ring_tell_lost(struct coroprof_ring *ring);
void coroprof_ring_close(struct coroprof_ring *ring);
u64 coroprof_ring_used(struct coroprof_ring *ring);
bool coroprof_ring_is_filled(struct coroprof_ring *ring, u32 watermark);

/* Whether a LOST record has to be written before any other. */
static inline bool coroprof_ring_loss_pending(const struct coroprof_ring *ring)
{
	return ring->pending || ring->pending_spans || ring->pending_trace;
}

/* Where the next record goes. The caller has to know that it fits. */
static inline void *coroprof_ring_at_head(const struct coroprof_ring *ring)
{
	return ring->data + (ring->head & ring->mask);
}

/* The records up to @head are whole. */
static inline void coroprof_ring_commit_to(struct coroprof_ring *ring,
					   struct coroprof_ring_producer *producer, u64 head)
{
	WRITE_ONCE(ring->head, head);
	/* Pairs with the acquire by which the reader loads head. */
	smp_store_release(&producer->head, head);
}

static inline void coroprof_ring_commit(struct coroprof_ring *ring, u32 size)
{
	coroprof_ring_commit_to(ring, ring->producer, ring->head + size);
}

#endif /* COROPROF_RING_H */
