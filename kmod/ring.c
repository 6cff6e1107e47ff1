// SPDX-License-Identifier: GPL-2.0
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

/*
 * In one piece, without waiting for memory to become free; or one page. Returns how many. Nobody
 * takes a reference to a page but the ring: others than the first have no count of their own.
 */
static unsigned long alloc_piece(struct page **pages, unsigned long most)
{
	gfp_t lightly = (COROPROF_GFP_MAPPED & ~__GFP_RECLAIM) | __GFP_NOWARN;
	unsigned int order = min_t(unsigned int, get_order(PIECE), ilog2(most));
	struct page *page = NULL;
	unsigned long i;

	while (order && !(page = alloc_pages(lightly, order)))
		order -= min(order, 2U);
	if (!page)
		page = alloc_page(COROPROF_GFP_MAPPED | COROPROF_GFP_GENTLE);
	if (!page)
		return 0;
	set_page_private(page, order);
	for (i = 0; i < 1UL << order; i++)
		pages[i] = page + i;
	return i;
}

/* The array has room for the second mapping of the data pages, for vmap(). */
static struct page **alloc_pages_array(unsigned long nr, unsigned long room)
{
	struct page **pages;
	unsigned long i, got;

	pages = kvcalloc(room, sizeof(*pages), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);
	if (!pages)
		return NULL;

	for (i = 0; i < nr; i += got) {
		got = fatal_signal_pending(current) ? 0 : alloc_piece(pages + i, nr - i);
		if (!got) {
			free_pages_array(pages, i);
			return NULL;
		}
		cond_resched();
	}
	return pages;
}

static u64 ring_charge(u32 size)
{
	u64 data = size >> PAGE_SHIFT;

	return coroprof_bytes(sizeof(struct coroprof_ring)) + size +
	       (HEAD_PAGES << PAGE_SHIFT) +
	       (HEAD_PAGES + 2 * data) * sizeof(struct page *);
}

struct coroprof_ring *coroprof_ring_create(struct coroprof_quota *quota, u32 size)
{
	unsigned long data = size >> PAGE_SHIFT;
	unsigned long once = HEAD_PAGES + data, twice = once + data;
	struct coroprof_ring *ring;
	int err;

	err = coroprof_quota_charge(quota, ring_charge(size));
	if (err)
		return ERR_PTR(err);

	err = -ENOMEM;
	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);
	if (!ring)
		goto err_uncharge;

	ring->pages = alloc_pages_array(once, twice);
	if (!ring->pages)
		goto err_ring;

	memcpy(ring->pages + once, ring->pages + HEAD_PAGES, data * sizeof(*ring->pages));
	ring->base = vmap(ring->pages, twice, VM_MAP, PAGE_KERNEL);
	if (!ring->base)
		goto err_pages;

	kref_init(&ring->ref);
	ring->producer = ring->base + PAGE_SIZE;
	consumer(ring)->closed = ~0ULL;
	ring->data = size ? ring->base + (HEAD_PAGES << PAGE_SHIFT) : ring->unread;
	ring->size = size;
	ring->mask = size ? size - 1 : 0;
	ring->quota = quota;
	kref_get(&quota->ref);
	return ring;

err_pages:
	free_pages_array(ring->pages, once);
err_ring:
	kfree(ring);
err_uncharge:
	coroprof_quota_uncharge(quota, ring_charge(size));
	return ERR_PTR(err);
}

static void ring_free(struct kref *ref)
{
	struct coroprof_ring *ring = container_of(ref, struct coroprof_ring, ref);

	vunmap(ring->base);
	free_pages_array(ring->pages, HEAD_PAGES + data_pages(ring));
	coroprof_quota_uncharge(ring->quota, ring_charge(ring->size));
	coroprof_quota_put(ring->quota);
	kfree(ring);
}

void coroprof_ring_get(struct coroprof_ring *ring)
{
	kref_get(&ring->ref);
}

/* May sleep. */
void coroprof_ring_put(struct coroprof_ring *ring)
{
	kref_put(&ring->ref, ring_free);
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

/* A page that there was no memory to map at once, see coroprof_ring_fill(). */
static vm_fault_t ring_fault(struct vm_fault *vmf, unsigned long page)
{
	const struct coroprof_ring *ring = vmf->vma->vm_private_data;

	if (page >= all_pages(ring))
		return VM_FAULT_SIGBUS;
	return vmf_insert_pfn(vmf->vma, vmf->address, page_to_pfn(ring->pages[page]));
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
	coroprof_vm_flags_mod(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY,
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
static int ring_charge_to(struct coroprof_ring *ring, struct coroprof_quota *quota)
{
	int err;

	if (ring->quota == quota)
		return 0;
	err = coroprof_quota_charge(quota, ring_charge(ring->size));
	if (err)
		return err;
	coroprof_quota_uncharge(ring->quota, ring_charge(ring->size));
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
	err = ring_charge_to(ring, quota);
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

/**
 * coroprof_ring_fill() - map all pages of a ring, so that no switch takes a fault
 * @vma: after one of the two functions above, without coroprof_mutex: it allocates
 *
 * By their numbers: the mapping holds the ring, and with it each page, so that none needs a
 * reference of its own. That would take ten times as long, for each thread that begins.
 */
void coroprof_ring_fill(struct vm_area_struct *vma)
{
	const struct coroprof_ring *ring = vma->vm_private_data;
	unsigned long left = vma_pages(vma), at = vma->vm_start, nr;
	unsigned long first = vma->vm_pgoff & (RING_SPAN - 1);
	struct page **pages;

	if (vma->vm_ops == &ring_vm_ops_thread)
		first++;
	for (pages = ring->pages + first; left; left -= nr, pages += nr, at += nr << PAGE_SHIFT) {
		nr = in_one_piece(pages, left);
		if (remap_pfn_range(vma, at, page_to_pfn(*pages), nr << PAGE_SHIFT,
				    vma->vm_page_prot))
			return;
	}
}
