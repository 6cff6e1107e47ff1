// SPDX-License-Identifier: GPL-2.0
/*
 * What a thread that switches from user mode wrote is read once, checked, and taken over; what the
 * kernel writes is shown to the thread. Called by whoever may touch the slice; nothing that fails
 * the checks is taken over.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/timekeeping.h>

#include "channel-layout.h"
#include "clock.h"
#include "compat.h"
#include "counters.h"
#include "lock.h"
#include "process.h"
#include "recording.h"
#include "ring.h"
#include "shared.h"
#include "quota.h"
#include "trace.h"

/*
 * The thread computes its times from the clock's last value and a counter of
 * cycles; so far may they be ahead of the clock, but not more.
 */
#define AHEAD_NS NSEC_PER_MSEC

/* So many slices a thread may drop before it has to have the ring looked at. */
#define DROPS 256
/* The same where there is nothing to look at: they must not wrap. */
#define DROPS_TOTALS (1U << 30)

#define OPEN_FLAGS (COROPROF_SLICE_FRESH | COROPROF_SLICE_WOKEN | COROPROF_SLICE_FIRST)

int coroprof_shared_create(struct coroprof_channel *channel)
{
	struct page *page;
	int err;

	if (channel->page)
		return 0;

	err = coroprof_quota_charge(channel->process->quota, PAGE_SIZE);
	if (err)
		return err;

	page = alloc_page(COROPROF_GFP_MAPPED);
	if (!page) {
		coroprof_quota_uncharge(channel->process->quota, PAGE_SIZE);
		return -ENOMEM;
	}
	channel->page = page_address(page);
	channel->page->attention = 1;
	return 0;
}

void coroprof_shared_free(struct coroprof_channel *channel)
{
	if (!channel->page)
		return;
	free_page((unsigned long)channel->page);
	coroprof_quota_uncharge(channel->process->quota, PAGE_SIZE);
}

static int page_mmap(struct coroprof_channel *channel, struct vm_area_struct *vma)
{
	if (!channel->page)
		return -ENODATA;
	if (vma_pages(vma) != 1)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;

	coroprof_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP | COROPROF_VM_OWN,
			      VM_MAYEXEC | VM_MAYWRITE);
	return vm_insert_page(vma, vma->vm_start, virt_to_page(channel->page));
}

/*
 * By the thread itself. A child does not inherit these: it would write, and
 * believe, what is the parent's.
 */
int coroprof_shared_mmap(struct coroprof_channel *channel, struct vm_area_struct *vma)
{
	struct coroprof_recording *recording;
	int err = -ENODATA;

	if (vma->vm_pgoff == COROPROF_MMAP_CHANNEL_PAGE >> PAGE_SHIFT)
		return page_mmap(channel, vma);
	if (vma->vm_pgoff != COROPROF_MMAP_CHANNEL_RING >> PAGE_SHIFT)
		return -EINVAL;

	coroprof_ring_vma(vma);
	/* A recording that is cut now can't be put before the mutex is free. */
	mutex_lock(&coroprof_mutex);
	recording = READ_ONCE(channel->recording);
	if (recording && recording->user_mode)
		err = coroprof_ring_mmap_thread(recording->ring, vma, channel->process->quota);
	mutex_unlock(&coroprof_mutex);
	if (!err)
		coroprof_ring_fill(vma);
	return err;
}

/*
 * The thread's clock was ahead of ours when it began the slice: then the first
 * time off the CPU in it seems to have begun before it did. Cut that off.
 */
static void trim_off(struct coroprof_channel *channel, u64 began)
{
	u64 early, part;

	if (!(channel->nr_preempted | channel->nr_blocked) || began <= channel->off_first)
		return;

	early = began - channel->off_first;
	part = min(early, channel->preempted);
	channel->preempted -= part;
	channel->off_total -= part;
	part = min(early - part, channel->blocked);
	channel->blocked -= part;
	channel->off_total -= part;
	channel->off_first = began;
	channel->off_since = max(channel->off_since, began);
}

/* The thread has ended @slices slices, and begun the one that is open. */
static void take_slice(struct coroprof_channel *channel, const struct coroprof_open_slice *open,
		       struct coroprof_slot *slot, u32 slices)
{
	struct coroprof_recording *recording = channel->recording;
	struct coroprof_counters *counters = channel->counters;
	u32 i;

	recording->standing = recording->slices ?
		coroprof_standing_merge(recording->standing, counters->full) : counters->full;
	recording->slices += slices;
	recording->end = open->began;
	if (open->dropped != channel->open_dropped)
		coroprof_ring_dropped(recording->ring, open->dropped - channel->open_dropped,
				      open->began);
	for (i = 0; i < counters->nr; i++)
		counters->at[i].count = open->count[i];

	trim_off(channel, open->began);
	channel->began = open->began;
	channel->slot_nr = open->slot;
	channel->slot = slot;
	channel->flags = open->flags | (channel->flags & COROPROF_SLICE_OFFCPU);
	channel->wake_time = open->wake_time;
	channel->waker = open->waker;
	channel->open_slices = open->slices;
	channel->open_dropped = open->dropped;
}

/* Of @slices slices. As many as it was let, and nothing was written in between. */
static bool sane_drops(const struct coroprof_channel *channel, u32 dropped, u64 written,
		       u32 slices)
{
	u32 let = channel->page->drop_until - channel->open_dropped;

	return !dropped || (dropped <= slices && dropped <= let && !written);
}

/* Counters only go up, but for the program's own. */
static bool sane_counts(const struct coroprof_counters *counters,
			const struct coroprof_open_slice *open)
{
	u32 i;

	for (i = 0; i < counters->nr; i++) {
		if (!(counters->words & BIT(i)) &&
		    (s64)(open->count[i] - counters->at[i].count) < 0)
			return false;
	}
	return true;
}

static bool sane(const struct coroprof_channel *channel, const struct coroprof_open_slice *open,
		 u64 written, u32 slices)
{
	u32 dropped = open->dropped - channel->open_dropped;

	return !(open->flags & ~OPEN_FLAGS) &&
	       open->slot && open->slot < channel->process->nr_slots &&
	       sane_drops(channel, dropped, written, slices) &&
	       slices - dropped <= written / sizeof(struct coroprof_record_slice) &&
	       (s64)(open->began - channel->began) >= 0 &&
	       (s64)(open->began - ktime_get_mono_fast_ns()) <= (s64)AHEAD_NS &&
	       sane_counts(channel->counters, open);
}

/*
 * The slot that is current as the thread has it, 0 if that makes no sense. Any
 * context, NMI included, on the thread's CPU: one load shows which of the open
 * slices goes on, another its slot.
 */
u32 coroprof_shared_slot(const struct coroprof_recording *recording)
{
	const struct coroprof_ring_producer *producer = recording->ring->producer;
	u32 nr = READ_ONCE(producer->open[READ_ONCE(producer->head) & 1].slot);

	if (nr >= recording->process->nr_slots)
		return 0;
	return array_index_nospec(nr, recording->process->nr_slots);
}

/* Times of another time namespace than the one it was in are no times of ours. */
static bool clock_moved(const struct coroprof_channel *channel)
{
	return current == channel->task && current->nsproxy &&
	       coroprof_clock_offset() != channel->clock_offset;
}

/**
 * coroprof_shared_load() - see what the thread has done from user mode
 * @channel: its recording is in user mode
 *
 * Returns false when that makes no sense; then nothing was taken over.
 */
bool coroprof_shared_load(struct coroprof_channel *channel)
{
	struct coroprof_recording *recording = channel->recording;
	struct coroprof_ring *ring = recording->ring;
	u64 head = READ_ONCE(ring->producer->head);
	u64 position = head & ~1ULL, written = position - ring->head;
	struct coroprof_open_slice *shown = &ring->producer->open[head & 1], open;
	struct coroprof_slot *slot;
	u32 slices;

	if (!written && READ_ONCE(shown->slices) == channel->open_slices)
		return true;
	if (clock_moved(channel))
		return false;
	if (position % 8 || written > recording->until - ring->head)
		return false;

	memcpy(&open, shown, sizeof(open));
	/* The copy is what is checked and used, whatever the process writes meanwhile. */
	barrier_data(&open);
	slices = open.slices - channel->open_slices;
	if (slices) {
		if (!sane(channel, &open, written, slices))
			return false;
		open.slot = array_index_nospec(open.slot, channel->process->nr_slots);
		slot = coroprof_process_slot(channel->process, open.slot);
		if (!slot)
			return false;
		take_slice(channel, &open, slot, slices);
	}
	ring->head = position;
	return true;
}

/*
 * The thread has called the kernel, which is about to write to the ring and thereby
 * names the first open slice: what is open goes there first, for an NMI to find. Not in
 * the middle of a switch of the thread's, which may be writing there.
 */
void coroprof_shared_take(struct coroprof_channel *channel)
{
	struct coroprof_ring_producer *producer = channel->recording->ring->producer;
	u64 head = READ_ONCE(producer->head);

	if (!(head & 1))
		return;
	producer->open[0] = producer->open[1];
	barrier();
	WRITE_ONCE(producer->head, head & ~1ULL);
}

static void draw_attention(struct coroprof_channel_page *page)
{
	WRITE_ONCE(page->attention, 1);
	WRITE_ONCE(page->until, 0);
}

/* While a loss is yet to be reported nothing may come before that: then slices are lost, too. */
static void let_drop(const struct coroprof_channel *channel)
{
	const struct coroprof_ring *ring = channel->recording->ring;
	u32 drops = !ring->size ? DROPS_TOTALS : ring->pending | ring->pending_spans ? DROPS : 0;

	WRITE_ONCE(channel->page->drop_until, channel->open_dropped + drops);
}

/* The slice that goes on is the kernel's work: hand it to the thread. */
void coroprof_shared_store(struct coroprof_channel *channel)
{
	struct coroprof_recording *recording = channel->recording;
	const struct coroprof_counters *counters = channel->counters;
	struct coroprof_channel_page *page = channel->page;
	struct coroprof_ring *ring = recording->ring;
	struct coroprof_open_slice *open = &ring->producer->open[0];
	u32 i;

	open->began = channel->began;
	open->slot = channel->slot_nr;
	open->slices = channel->open_slices;
	open->flags = channel->flags;
	open->dropped = channel->open_dropped;
	open->wake_time = channel->wake_time;
	open->waker = channel->waker;
	for (i = 0; i < counters->nr; i++)
		open->count[i] = counters->at[i].count;
	/* The one that is not open has no flags, ever, and as many drops. */
	ring->producer->open[1].flags = 0;
	ring->producer->open[1].dropped = channel->open_dropped;
	WRITE_ONCE(ring->producer->head, ring->head);

	recording->until = max(recording->fast_until, ring->head);
	let_drop(channel);
	WRITE_ONCE(page->closed, ~0ULL);
	WRITE_ONCE(page->off_ns, 0);
	if (counters->exact == counters->present && !READ_ONCE(coroprof_traced)) {
		WRITE_ONCE(page->until, recording->until);
		WRITE_ONCE(page->attention, 0);
	} else {
		draw_attention(page);
	}
}

/*
 * The kernel has written to the ring, in the middle of a slice that stays where
 * it is: where @head, as it was before, says.
 */
void coroprof_shared_move(struct coroprof_channel *channel, u64 head)
{
	struct coroprof_recording *recording = channel->recording;
	struct coroprof_ring *ring = recording->ring;

	/* What was dropped has been reported, or goes on to be dropped. */
	ring->producer->open[~head & 1].dropped = channel->open_dropped;
	/* Pairs with the reader's acquire of head. */
	smp_store_release(&ring->producer->head, ring->head | (head & 1));
	recording->until = max(recording->fast_until, ring->head);
	let_drop(channel);
	if (!channel->page->attention)
		WRITE_ONCE(channel->page->until, recording->until);
}

/* The thread leaves the CPU: what it did so far, it did before. */
void coroprof_shared_off(struct coroprof_channel *channel)
{
	draw_attention(channel->page);
}

void coroprof_shared_on(struct coroprof_channel *channel)
{
	WRITE_ONCE(channel->page->off_ns, channel->preempted + channel->blocked);
}

/*
 * The recording has ended at @position. Where the thread is in the middle of a
 * switch, it writes what comes of that after this, as it does not run now.
 */
void coroprof_shared_close(struct coroprof_channel *channel, u64 position)
{
	WRITE_ONCE(channel->page->closed_slices, channel->open_slices);
	WRITE_ONCE(channel->page->closed, position);
	draw_attention(channel->page);
}
