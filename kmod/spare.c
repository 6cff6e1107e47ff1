// SPDX-License-Identifier: GPL-2.0
/*
 * Rings without a user, kept for a later thread of the same process and session (spare.h). The
 * lists are under quota->top->spares_lock; a ring that is taken off is the taker's alone.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "compat.h"
#include "quota.h"
#include "ring.h"
#include "spare.h"

struct coroprof_spares *coroprof_spares_alloc(void)
{
	struct coroprof_spares *spares =
		kzalloc(sizeof(*spares), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);

	if (spares)
		kref_init(&spares->ref);
	return spares;
}

/* @quota: of the session */
void coroprof_spares_open(struct coroprof_spares *spares, struct coroprof_quota *quota)
{
	spares->quota = quota;
	kref_get(&quota->ref);
}

void coroprof_spares_get(struct coroprof_spares *spares)
{
	kref_get(&spares->ref);
}

static void spares_free(struct kref *ref)
{
	struct coroprof_spares *spares = container_of(ref, struct coroprof_spares, ref);

	if (spares->quota)
		coroprof_quota_put(spares->quota);
	kfree(spares);
}

void coroprof_spares_put(struct coroprof_spares *spares)
{
	if (spares)
		kref_put(&spares->ref, spares_free);
}

static void list_ring(struct coroprof_quota *top, struct coroprof_ring *ring)
{
	lockdep_assert_held(&top->spares_lock);
	list_add_tail(&ring->spare, &top->spares);
	top->nr_spares++;
	atomic64_add(coroprof_ring_bytes(ring->size), &ring->quota->spare);
}

static void unlist_ring(struct coroprof_quota *top, struct coroprof_ring *ring)
{
	lockdep_assert_held(&top->spares_lock);
	list_del_init(&ring->spare);
	top->nr_spares--;
	atomic64_sub(coroprof_ring_bytes(ring->size), &ring->quota->spare);
}

/* The oldest one that is charged to @quota, a user's or a session's, no longer listed; or NULL. */
static struct coroprof_ring *take_oldest(struct coroprof_quota *quota)
{
	struct coroprof_quota *top = quota->top;
	struct coroprof_ring *ring;

	lockdep_assert_held(&top->spares_lock);
	list_for_each_entry(ring, &top->spares, spare) {
		if (coroprof_quota_is_in(ring->quota, quota)) {
			unlist_ring(top, ring);
			return ring;
		}
	}
	return NULL;
}

/* At most half of what a session may take is spare rings. */
static bool may_be_spare(const struct coroprof_quota *quota, u64 bytes)
{
	return atomic64_read(&quota->spare) + bytes <= quota->limit / 2;
}

/**
 * coroprof_spares_keep() - keep a ring to which no reference is left
 * @ring: the ring
 *
 * The oldest one of the session, or of the user, may have to go for it. Returns false if the
 * caller has to free it.
 */
bool coroprof_spares_keep(struct coroprof_ring *ring)
{
	struct coroprof_spares *spares = ring->spares;
	struct coroprof_quota *top = spares->quota->top;
	struct coroprof_ring *old = NULL;
	u64 bytes = coroprof_ring_bytes(ring->size);
	bool kept;

	if (READ_ONCE(spares->closed) || coroprof_ring_charge_to(ring, spares->quota))
		return false;

	spin_lock(&top->spares_lock);
	if (!spares->closed && !may_be_spare(spares->quota, bytes))
		old = take_oldest(spares->quota);
	else if (!spares->closed && top->nr_spares == COROPROF_SPARES_MOST)
		old = take_oldest(top);
	kept = !spares->closed && may_be_spare(spares->quota, bytes);
	if (kept)
		list_ring(top, ring);
	spin_unlock(&top->spares_lock);
	if (old)
		coroprof_ring_free(old);
	return kept;
}

/**
 * coroprof_spares_give_up() - free a spare ring, for something else to be charged
 * @quota: of a user or a session, that is at its limit
 *
 * Returns false if there is none.
 */
bool coroprof_spares_give_up(struct coroprof_quota *quota)
{
	struct coroprof_quota *top = quota->top;
	struct coroprof_ring *ring;

	spin_lock(&top->spares_lock);
	ring = take_oldest(quota);
	spin_unlock(&top->spares_lock);
	if (ring)
		coroprof_ring_free(ring);
	return ring;
}

/* One of these, no longer listed; or NULL. */
static struct coroprof_ring *take_any(struct coroprof_spares *spares)
{
	struct coroprof_ring *ring;

	list_for_each_entry(ring, &spares->quota->top->spares, spare) {
		if (ring->spares == spares) {
			unlist_ring(spares->quota->top, ring);
			return ring;
		}
	}
	return NULL;
}

/* Keep no other ring: the session is being released. */
void coroprof_spares_shut(struct coroprof_spares *spares)
{
	struct coroprof_quota *top = spares->quota->top;

	spin_lock(&top->spares_lock);
	WRITE_ONCE(spares->closed, true);
	spin_unlock(&top->spares_lock);
}

/* The attachment goes: free the spare rings, and keep no other. */
void coroprof_spares_close(struct coroprof_spares *spares)
{
	struct coroprof_quota *top = spares->quota->top;
	struct coroprof_ring *ring;

	coroprof_spares_shut(spares);
	do {
		spin_lock(&top->spares_lock);
		ring = take_any(spares);
		spin_unlock(&top->spares_lock);
		if (ring)
			coroprof_ring_free(ring);
	} while (ring);
}

/* The newest that fits: its memory is the likeliest to be in a cache. */
static struct coroprof_ring *take(struct coroprof_spares *spares, u32 size, bool samples)
{
	struct coroprof_quota *top = spares->quota->top;
	struct coroprof_ring *ring, *found = NULL;

	spin_lock(&top->spares_lock);
	list_for_each_entry_reverse(ring, &top->spares, spare) {
		if (ring->spares == spares && ring->size == size && ring->samples == samples) {
			found = ring;
			unlist_ring(top, ring);
			break;
		}
	}
	spin_unlock(&top->spares_lock);
	return found;
}

/**
 * coroprof_spares_ring() - a ring for a thread: a spare one, or a new one
 * @spares:  of its process
 * @size:    bytes of data
 * @samples: it is for samples. No thread is ever shown these, as it may be its ring of slices
 */
struct coroprof_ring *coroprof_spares_ring(struct coroprof_spares *spares, u32 size, bool samples)
{
	struct coroprof_ring *ring = take(spares, size, samples);

	if (ring) {
		coroprof_ring_renew(ring);
		return ring;
	}
	do {
		ring = coroprof_ring_create(spares, size, samples, false);
	} while (ring == ERR_PTR(-ENOMEM) && !fatal_signal_pending(current) &&
		 coroprof_spares_give_up(spares->quota));
	return ring;
}

static u32 count(const struct coroprof_spares *spares, u32 size, bool samples)
{
	struct coroprof_ring *ring;
	u32 nr = 0;

	lockdep_assert_held(&spares->quota->top->spares_lock);
	list_for_each_entry(ring, &spares->quota->top->spares, spare)
		nr += ring->spares == spares && ring->size == size && ring->samples == samples;
	return nr;
}

/* How many are missing; -1 if these can't be kept unless others go for them. */
static int missing(const struct coroprof_spares *spares, u32 size, bool samples, u32 nr)
{
	struct coroprof_quota *quota = spares->quota;
	bool room;

	spin_lock(&quota->top->spares_lock);
	nr = spares->closed ? 0 : nr - min(nr, count(spares, size, samples));
	room = may_be_spare(quota, nr * coroprof_ring_bytes(size)) &&
	       nr + quota->top->nr_spares <= COROPROF_SPARES_MOST;
	spin_unlock(&quota->top->spares_lock);
	return !nr || room ? nr : -1;
}

/**
 * coroprof_spares_make() - make spare rings that no thread has had
 * @spares:  of a process
 * @size:    bytes of data
 * @samples: they are for samples
 * @nr:      how many of that kind have to be there
 *
 * Nothing else is given up for them. Returns false if there can't be so many. Where that is for
 * want of memory one ring is freed, so that a memory cgroup at its limit is not full to the brim.
 */
bool coroprof_spares_make(struct coroprof_spares *spares, u32 size, bool samples, u32 nr)
{
	int left = missing(spares, size, samples, nr);
	struct coroprof_ring *ring;

	/* However fast threads take them, these are all. */
	for (; left > 0; left--) {
		ring = coroprof_ring_create(spares, size, samples, true);
		if (ring == ERR_PTR(-ENOMEM))
			coroprof_spares_give_up(spares->quota);
		if (IS_ERR(ring))
			return false;
		coroprof_ring_put(ring);
	}
	return !left;
}
