/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_PROCESS_H
#define COROPROF_PROCESS_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>

#include "../uapi/coroprof.h"

struct coroprof_session;
struct coroprof_quota;
struct file;

/*
 * Orders everything but the switch path: which processes, channels, sessions
 * and recordings there are, and who points to whom. Taken inside mmap_lock (by
 * mmap() and munmap()), so never held while user memory is touched, nor while
 * perf events are made or freed.
 */
extern struct mutex coroprof_mutex;

/* One interned name. Lives as long as its process. */
struct coroprof_label_text {
	u32 flags;
	u32 len;
	u64 value;
	char text[];
};

/**
 * struct coroprof_process - one thread group that has made itself known
 *
 * Known from PROCESS until its descriptor is released, or until its last
 * mapping of the process page goes from its own address space, as happens at
 * exit and exec, or until it closes its descriptor in exec or makes itself known
 * after it, where another process keeps the old address space; @ended from then
 * on, and recorded no more. The memory stays
 * until the last channel, mapping (a child may have inherited one: its page and
 * its slots are the parent's until it makes itself known) and session has let
 * go.
 *
 * @ref:      descriptor, channels, attachments
 * @node:     in the registry, while known; coroprof_mutex
 * @id:       unique while the module is loaded
 * @tgid:     who it is
 * @mm:       its address space, only ever compared; held by mm_count, so that
 *            the address is not given to another one
 * @quota:    who is charged
 * @page:     struct coroprof_process_page, seen by the process
 * @epoch:    raised whenever channels have to look at @session again; written
 *            under coroprof_mutex, read by the switch path
 * @session:  who records it, or NULL; coroprof_mutex
 * @ended:    when it ended, 0 while it has not; coroprof_mutex
 * @own_maps: mappings of the process page in @mm; coroprof_mutex
 * @channels: its channels; coroprof_mutex
 * @nr_slots: room for slots
 * @slots:    pages of slots, by address, each allocated when first touched, and never
 *            replaced: set once by cmpxchg
 * @labels:   label n is at n - 1; coroprof_mutex
 * @nr_labels: how many; coroprof_mutex
 * @room_labels: for how many there is room; coroprof_mutex
 */
struct coroprof_process {
	struct kref ref;
	struct list_head node;
	u32 id;
	struct pid *tgid;
	struct mm_struct *mm;
	struct coroprof_quota *quota;
	struct page *page;
	u32 epoch;
	struct coroprof_session *session;
	u64 ended;
	u32 own_maps;
	struct list_head channels;
	u32 nr_slots;
	struct coroprof_slot **slots;
	struct coroprof_label_text **labels;
	u32 nr_labels;
	u32 room_labels;
};

long coroprof_process_open(void __user *arg);
void coroprof_process_put(struct coroprof_process *process);
struct coroprof_process *coroprof_process_find(struct pid *tgid);
void coroprof_process_set_session(struct coroprof_process *process,
				  struct coroprof_session *session, bool active);
struct coroprof_slot *coroprof_process_slot_alloc(struct coroprof_process *process,
						  u32 slot);

/* Whether the caller is the process it was made for. */
static inline bool coroprof_process_is_current(const struct coroprof_process *process)
{
	return process->mm == current->mm && process->tgid == task_tgid(current);
}

#define COROPROF_SLOTS_PER_PAGE	(PAGE_SIZE / sizeof(struct coroprof_slot))

/*
 * The slot's memory, or NULL while nobody has touched its page.
 * @slot: below nr_slots
 */
static inline struct coroprof_slot *coroprof_slot_of(struct coroprof_slot **slots, u32 slot)
{
	struct coroprof_slot *page = READ_ONCE(slots[slot / COROPROF_SLOTS_PER_PAGE]);

	return likely(page) ? &page[slot % COROPROF_SLOTS_PER_PAGE] : NULL;
}

static inline struct coroprof_slot *
coroprof_process_slot(struct coroprof_process *process, u32 slot)
{
	return coroprof_slot_of(process->slots, slot);
}

#endif /* COROPROF_PROCESS_H */
