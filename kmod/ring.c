// SPDX-License-Identifier: GPL-2.0
/*
 * Memory, mappings and positions of a ring. The producer alone writes; the tail is the reader's
 * number, read once and checked for each record. What finds no room is counted, and reported by a
 * LOST record.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "lock.h"
#include "ring.h"
#include "quota.h"
#include "spare.h"

#define HEAD_PAGES 2UL	/* the consumer page and the producer page */

/* Pages are had, and mapped, up to so many bytes at a time where there is memory in such pieces. */
#define PIECE SZ_256K

static unsigned long data_pages(const struct coroprof_ring *ring)
{
	return ring->size >> PAGE_SHIFT;
}

static struct coroprof_ring_consumer *consumer(struct coroprof_ring *ring)
{
	return ring->base;
}

/* The first page of a piece knows its order. */
static void free_pages_array(struct page **pages, unsigned long nr)
{
	unsigned long i, size;

	for (i = 0; i < nr; i += size) {
		unsigned int order = page_private(pages[i]);

		size = 1UL << order;
		set_page_private(pages[i], 0);
		__free_pages(pages[i], order);
	}
	kvfree(pages);
}

/* Nobody waits until memory is free for a ring that is made ahead. */
static gfp_t gfp_for(gfp_t gfp, bool ahead)
{
	return ahead ? (gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_NOWARN : gfp | COROPROF_GFP_GENTLE;
}

/*
 * In one piece, without waiting for memory to become free; or one page. Returns how many. Nobody
 * takes a reference to a page but the ring: others than the first have no count of their own.
 */
static unsigned long alloc_piece(struct page **pages, unsigned long most, gfp_t gfp)
{
	gfp_t lightly = (COROPROF_GFP_MAPPED & ~__GFP_RECLAIM) | __GFP_NOWARN;
	unsigned int order = min_t(unsigned int, get_order(PIECE), ilog2(most));
	struct page *page = NULL;
	unsigned long i;

	while (order && !(page = alloc_pages(lightly, order)))
		order -= min(order, 2U);
	if (!page)
		page = alloc_page(gfp);
	if (!page)
		return 0;
	set_page_private(page, order);
	for (i = 0; i < 1UL << order; i++)
		pages[i] = page + i;
	return i;
}

/* The array has room for the second mapping of the data pages, for vmap(). */
static struct page **alloc_pages_array(unsigned long nr, unsigned long room, bool ahead)
{
	gfp_t gfp = gfp_for(COROPROF_GFP_MAPPED, ahead);
	struct page **pages;
	unsigned long i, got;

	pages = kvcalloc(room, sizeof(*pages), gfp_for(GFP_KERNEL_ACCOUNT, ahead));
	if (!pages)
		return NULL;

	for (i = 0; i < nr; i += got) {
		got = fatal_signal_pending(current) ? 0 : alloc_piece(pages + i, nr - i, gfp);
		if (!got) {
			free_pages_array(pages, i);
			return NULL;
		}
		cond_resched();
	}
	return pages;
}

/* It may be the last one to hold its struct coroprof_spares. */
u64 coroprof_ring_bytes(u32 size)
{
	u64 data = size >> PAGE_SHIFT;

	return coroprof_bytes(sizeof(struct coroprof_ring)) +
	       coroprof_bytes(sizeof(struct coroprof_spares)) + size +
	       (HEAD_PAGES << PAGE_SHIFT) +
	       (HEAD_PAGES + 2 * data) * sizeof(struct page *);
}

/* Nobody has written to it, nor read from it: what is in the data stays, and is no record. */
static void ring_begin(struct coroprof_ring *ring)
{
	kref_init(&ring->ref);
	consumer(ring)->closed = ~0ULL;
}

/* @ahead: before anybody wants it: nothing is given up for it */
struct coroprof_ring *coroprof_ring_create(struct coroprof_spares *spares, u32 size, bool samples,
					   bool ahead)
{
	struct coroprof_quota *quota = spares->quota;
	unsigned long data = size >> PAGE_SHIFT;
	unsigned long once = HEAD_PAGES + data, twice = once + data;
	struct coroprof_ring *ring;
	int err;

	err = ahead ? coroprof_quota_charge_lightly(quota, coroprof_ring_bytes(size)) :
		      coroprof_quota_charge(quota, coroprof_ring_bytes(size));
	if (err)
		return ERR_PTR(err);

	err = -ENOMEM;
	ring = kzalloc(sizeof(*ring), gfp_for(GFP_KERNEL_ACCOUNT, ahead));
	if (!ring)
		goto err_uncharge;

	ring->pages = alloc_pages_array(once, twice, ahead);
	if (!ring->pages)
		goto err_ring;

	memcpy(ring->pages + once, ring->pages + HEAD_PAGES, data * sizeof(*ring->pages));
	ring->base = vmap(ring->pages, twice, VM_MAP, PAGE_KERNEL);
	if (!ring->base)
		goto err_pages;

	ring->producer = ring->base + PAGE_SIZE;
	ring->data = size ? ring->base + (HEAD_PAGES << PAGE_SHIFT) : ring->unread;
	ring->size = size;
	ring->mask = size ? size - 1 : 0;
	ring->quota = quota;
	kref_get(&quota->ref);
	INIT_LIST_HEAD(&ring->spare);
	ring->samples = samples;
	ring->spares = spares;
	coroprof_spares_get(spares);
	ring_begin(ring);
	return ring;

err_pages:
	free_pages_array(ring->pages, once);
err_ring:
	kfree(ring);
err_uncharge:
	coroprof_quota_uncharge(quota, coroprof_ring_bytes(size));
	return ERR_PTR(err);
}

/* A spare one that is taken is as a new one, but for its data. */
void coroprof_ring_renew(struct coroprof_ring *ring)
{
	ring->head = 0;
	ring->full = 0;
	ring->pending = 0;
	ring->pending_spans = 0;
	ring->pending_trace = false;
	ring->lost_at = 0;
	ring->whole = false;
	ring->spared = true;
	memset(ring->base, 0, HEAD_PAGES << PAGE_SHIFT);
	ring_begin(ring);
}

/* Neither a recording nor a mapping has it, nor is it listed as a spare one. */
void coroprof_ring_free(struct coroprof_ring *ring)
{
	vunmap(ring->base);
	free_pages_array(ring->pages, HEAD_PAGES + data_pages(ring));
	coroprof_quota_uncharge(ring->quota, coroprof_ring_bytes(ring->size));
	coroprof_quota_put(ring->quota);
	coroprof_spares_put(ring->spares);
	kfree(ring);
}

/*
 * Whether nobody has taken a reference to a page, as parts of KVM do to guest memory. Whoever did
 * may write to the page when the mapping has gone.
 */
static bool pages_are_own(const struct coroprof_ring *ring)
{
	unsigned long nr = HEAD_PAGES + data_pages(ring), i;

	for (i = 0; i < nr; i += 1UL << page_private(ring->pages[i])) {
		if (page_count(ring->pages[i]) != 1)
			return false;
	}
	return true;
}

static void ring_release(struct kref *ref)
{
	struct coroprof_ring *ring = container_of(ref, struct coroprof_ring, ref);

	if (!pages_are_own(ring) || !coroprof_spares_keep(ring))
		coroprof_ring_free(ring);
}

void coroprof_ring_get(struct coroprof_ring *ring)
{
	kref_get(&ring->ref);
}

/* May sleep. */
void coroprof_ring_put(struct coroprof_ring *ring)
{
	kref_put(&ring->ref, ring_release);
}

/* Bytes written and not yet read, if the reader can be believed. */
static u64 unread(struct coroprof_ring *ring)
{
	/* Pairs with the reader's release of the bytes it has consumed. */
	u64 tail = smp_load_acquire(&consumer(ring)->tail);

	return READ_ONCE(ring->head) - tail;
}

/* The same, as far as it can be believed. */
u64 coroprof_ring_used(struct coroprof_ring *ring)
{
	return min_t(u64, unread(ring), ring->size);
}

/*
 * As far as the kernel knows: what a thread has written from user mode the reader may
 * have read before.
 */
bool coroprof_ring_is_filled(struct coroprof_ring *ring, u32 watermark)
{
	u64 used = unread(ring);

	return ring->size && used >= watermark && used <= ring->size;
}

/* Room for @size bytes in one piece, or NULL. */
void *coroprof_ring_reserve(struct coroprof_ring *ring, u32 size)
{
	if (ring->size - coroprof_ring_used(ring) < size)
		return NULL;
	return coroprof_ring_at_head(ring);
}

/* So many records found no room, the last of them one of @time. */
void coroprof_ring_dropped(struct coroprof_ring *ring, u32 nr, u64 time)
{
	if (!ring->size)
		return;
	ring->full += nr;
	ring->pending += nr;
	ring->lost_at = time;
	WRITE_ONCE(ring->producer->lost, ring->full);
}

/* A record of @time found no room. */
void coroprof_ring_drop(struct coroprof_ring *ring, u64 time)
{
	coroprof_ring_dropped(ring, 1, time);
}

/* As coroprof_ring_drop(), a span: the time is that of slices if there are any. */
void coroprof_ring_drop_span(struct coroprof_ring *ring, u64 time)
{
	ring->pending_spans++;
	if (!ring->pending)
		ring->lost_at = time;
}

/* The same of a trace, which is not counted: the thread learns of it, and calls again. */
void coroprof_ring_drop_trace(struct coroprof_ring *ring, u64 time)
{
	ring->pending_trace = true;
	if (!ring->pending)
		ring->lost_at = time;
}

/* Put the LOST record for what was dropped since the last one. Returns its size. */
u32 coroprof_ring_take_lost(struct coroprof_ring *ring, void *to)
{
	struct coroprof_record_lost *lost = to;

	lost->type = COROPROF_RECORD_LOST;
	lost->size = sizeof(*lost);
	lost->spans = ring->pending_spans;
	lost->time = ring->lost_at;
	lost->full = ring->pending;
	ring->pending = 0;
	ring->pending_spans = 0;
	ring->pending_trace = false;
	return sizeof(*lost);
}

/* The same to the ring, if it fits. */
void coroprof_ring_tell_lost(struct coroprof_ring *ring)
{
	void *lost = coroprof_ring_reserve(ring, sizeof(struct coroprof_record_lost));

	if (lost)
		coroprof_ring_commit(ring, coroprof_ring_take_lost(ring, lost));
}

/* Nothing more will be written, or what is does not count. */
void coroprof_ring_close(struct coroprof_ring *ring)
{
	/* The reader reads this after the head. See the ABI. */
	WRITE_ONCE(consumer(ring)->closed, ring->head);
}

static void ring_vm_open(struct vm_area_struct *vma)
{
	coroprof_ring_get(vma->vm_private_data);
}

static void ring_vm_close(struct vm_area_struct *vma)
{
	coroprof_ring_put(vma->vm_private_data);
}

/* Wherever a ring is on a descriptor, the offset within it is below this. */
#define RING_SPAN (COROPROF_MMAP_CHANNEL_RING >> PAGE_SHIFT)

static unsigned long all_pages(const struct coroprof_ring *ring)
{
	return HEAD_PAGES + 2 * data_pages(ring);
}

/* So many pages are mapped for each page fault: it may hold up a switch, so there is a bound. */
#define FAULT_LEAST (SZ_64K > PAGE_SIZE ? SZ_64K / PAGE_SIZE : 1UL)
#define FAULT_MOST (SZ_1M / PAGE_SIZE)

/*
 * Without it arm64 processors that don't set dirty bits themselves would take a page fault at the
 * first write to each page that is mapped. Nothing reads the bit: the pages are not swapped.
 */
static pgprot_t protection(const struct vm_area_struct *vma)
{
	if (!IS_ENABLED(CONFIG_ARM64) || !(vma->vm_flags & VM_WRITE))
		return vma->vm_page_prot;
	return __pgprot(pte_val(pte_mkdirty(__pte(pgprot_val(vma->vm_page_prot)))));
}

/*
 * Map a page, and with it as many as lie before it: so each page fault doubles what is mapped of
 * a ring that is written from its beginning. @page: of the ring, as drawn in ring.h
 *
 * No lock is needed. The mapping, which stays during a fault, holds the ring, and what is read
 * here of a ring does not change as long as it is held. Where two threads fault at once, a page
 * that is there already stays.
 */
static vm_fault_t ring_fault(struct vm_fault *vmf, unsigned long page)
{
	struct vm_area_struct *vma = vmf->vma;
	const struct coroprof_ring *ring = vma->vm_private_data;
	unsigned long all = all_pages(ring), at = vmf->address & PAGE_MASK;
	unsigned long nr = clamp(page, FAULT_LEAST, FAULT_MOST), i;
	pgprot_t prot = protection(vma);
	vm_fault_t ret, ahead;

	if (page >= all)
		return VM_FAULT_SIGBUS;
	nr = min3(nr, all - page, (vma->vm_end - at) >> PAGE_SHIFT);
	ret = vmf_insert_pfn_prot(vma, at, page_to_pfn(ring->pages[page]), prot);
	for (i = 1, ahead = ret; i < nr && ahead == VM_FAULT_NOPAGE; i++)
		ahead = vmf_insert_pfn_prot(vma, at + (i << PAGE_SHIFT),
					    page_to_pfn(ring->pages[page + i]), prot);
	return ret;
}

static vm_fault_t ring_vm_fault(struct vm_fault *vmf)
{
	return ring_fault(vmf, vmf->pgoff & (RING_SPAN - 1));
}

static const struct vm_operations_struct ring_vm_ops = {
	.open = ring_vm_open,
	.close = ring_vm_close,
	.fault = ring_vm_fault,
};

/* The thread has no business with the consumer page. */
static vm_fault_t ring_vm_fault_thread(struct vm_fault *vmf)
{
	return ring_fault(vmf, (vmf->pgoff & (RING_SPAN - 1)) + 1);
}

static const struct vm_operations_struct ring_vm_ops_thread = {
	.open = ring_vm_open,
	.close = ring_vm_close,
	.fault = ring_vm_fault_thread,
};

/**
 * coroprof_ring_vma() - what holds for each mapping of a ring
 * @vma: the mapping, before it is mapped by one of the functions below
 *
 * A child does not inherit it, so that a reader's child can't keep its session. To be called
 * before coroprof_mutex is taken: memory is reclaimed inside the lock of a mapping, and that
 * is taken here.
 */
void coroprof_ring_vma(struct vm_area_struct *vma)
{
	coroprof_vm_flags_mod(vma, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | COROPROF_VM_OWN,
			      VM_MAYEXEC);
}

/**
 * coroprof_ring_mmap() - let a reader see a ring
 * @ring:  the ring
 * @vma:   where
 * @first: page of the ring, as drawn above, that @vma starts at
 *
 * Writable is the consumer page alone, and only mapped by itself. What was
 * mapped read-only stays so.
 */
int coroprof_ring_mmap(struct coroprof_ring *ring, struct vm_area_struct *vma,
		       unsigned long first)
{
	unsigned long all = all_pages(ring);
	unsigned long nr = vma_pages(vma);

	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EPERM;
	if (first >= all || nr > all - first)
		return -EINVAL;
	if (first || nr != 1) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		coroprof_vm_flags_mod(vma, 0, VM_MAYWRITE);
	}

	vma->vm_private_data = ring;
	vma->vm_ops = &ring_vm_ops;
	coroprof_ring_get(ring);
	return 0;
}

/* From now on @quota is charged. */
int coroprof_ring_charge_to(struct coroprof_ring *ring, struct coroprof_quota *quota)
{
	int err;

	if (ring->quota == quota)
		return 0;
	err = coroprof_quota_move(ring->quota, quota, coroprof_ring_bytes(ring->size));
	if (err)
		return err;
	coroprof_quota_put(ring->quota);
	ring->quota = quota;
	kref_get(&quota->ref);
	return 0;
}

/*
 * Let the thread write what it is the producer of: all but the consumer page. Its
 * process may keep the ring longer than the session does, so it is charged.
 */
int coroprof_ring_mmap_thread(struct coroprof_ring *ring, struct vm_area_struct *vma,
			      struct coroprof_quota *quota)
{
	int err;

	if (vma_pages(vma) != HEAD_PAGES - 1 + 2 * data_pages(ring))
		return -EINVAL;
	err = coroprof_ring_charge_to(ring, quota);
	if (err)
		return err;

	vma->vm_private_data = ring;
	vma->vm_ops = &ring_vm_ops_thread;
	coroprof_ring_get(ring);
	return 0;
}

/* How many of the pages follow each other in memory. */
static unsigned long in_one_piece(struct page **pages, unsigned long nr)
{
	unsigned long n = 1;

	while (n < nr && page_to_pfn(pages[n]) == page_to_pfn(pages[0]) + n)
		n++;
	return n;
}

/* Whether page faults in this mapping would harm. */
static bool maps_whole(const struct vm_area_struct *vma, const struct coroprof_ring *ring)
{
	return vma->vm_flags & VM_LOCKED || vma->vm_mm->locked_vm ||
	       (ring->whole && vma->vm_ops == &ring_vm_ops_thread);
}

/**
 * coroprof_ring_fill() - map all pages of a ring where page faults would harm
 * @vma: after one of the two functions above, without coroprof_mutex: it allocates
 *
 * Else pages are mapped as they are touched: most threads end long before they have filled a
 * ring. That would harm where the session counts or samples page faults, or the kernel's work in
 * them, as these are in the program's slices; and a process that has locked memory wants none. One
 * that locks its memory later has page faults all the same: mlock() passes by such mappings.
 *
 * By their numbers, here as in a fault: the mapping holds the ring, and with it each page, so that
 * none needs a reference of its own. That would take ten times as long.
 */
void coroprof_ring_fill(struct vm_area_struct *vma)
{
	const struct coroprof_ring *ring = vma->vm_private_data;
	unsigned long left = vma_pages(vma), at = vma->vm_start, nr;
	unsigned long first = vma->vm_pgoff & (RING_SPAN - 1);
	struct page **pages;

	if (!maps_whole(vma, ring))
		return;
	if (vma->vm_ops == &ring_vm_ops_thread)
		first++;
	for (pages = ring->pages + first; left; left -= nr, pages += nr, at += nr << PAGE_SHIFT) {
		nr = in_one_piece(pages, left);
		if (remap_pfn_range(vma, at, page_to_pfn(*pages), nr << PAGE_SHIFT,
				    protection(vma)))
			return;
	}
}
