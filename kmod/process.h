/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_PROCESS_H
#define COROPROF_PROCESS_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/xarray.h>

#include "../uapi/coroprof.h"

struct coroprof_keys;
struct coroprof_session;
struct coroprof_quota;
struct file;

/*
 * Orders everything but the switch path: which processes, channels, sessions
 * and recordings there are, and who points to whom. Taken inside mmap_lock (by
 * mmap() and munmap()), so never held while user memory is touched, nor while
 * perf events are made or freed. Nothing is allocated under it that may have to wait for
 * memory: see struct coroprof_provision.
 *
 * It is everybody's: who holds it looks things up by a key, and goes through no
 * list that others make long. What has to be done to each of many takes it anew
 * for each, as coroprof_attachments_tell() does. What belongs to one process or
 * session, and may take long, is under a lock of that.
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
 * One that a session's probes have made is known while the session has it attached and
 * it has not ended (probe.h); what follows is of the others.
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
 * @node:     among the known ones, by @tgid, while known; coroprof_mutex
 * @id:       unique while the module is loaded
 * @tgid:     who it is
 * @mm:       its address space, only ever compared; held by mm_count, so that
 *            the address is not given to another one
 * @quota:    who is charged
 * @gfp:      how more memory is asked for: COROPROF_GFP_GENTLE, as a session pays for one
 *            that probes have made; else 0. Never changes
 * @page:     struct coroprof_process_page, seen by the process
 * @epoch:    raised whenever channels have to look at @session again; written
 *            under coroprof_mutex, read by the switch path
 * @keys:     of one that probes have made: its coroutines; else NULL
 * @session:  who records it, or NULL; NULL once it has ended; coroprof_mutex
 * @taken:    a session took it over from another, of which recordings may still go
 *            on; coroprof_mutex
 * @ended:    when it ended, 0 while it has not; coroprof_mutex
 * @own_maps: mappings of the process page in @mm; coroprof_mutex
 * @channels_lock: taken inside mmap_lock, and not with coroprof_mutex
 * @channels: its channels; @channels_lock
 * @nr_slots: room for slots
 * @slots:    pages of slots, by address, each allocated when first touched, and never
 *            replaced: set once by cmpxchg
 * @labels:   by their numbers, from 1 up without a gap; each stays as long as the process
 */
struct coroprof_process {
	struct kref ref;
	struct hlist_node node;
	u32 id;
	struct pid *tgid;
	struct mm_struct *mm;
	struct coroprof_quota *quota;
	gfp_t gfp;
	struct page *page;
	u32 epoch;
	struct coroprof_keys *keys;
	struct coroprof_session *session;
	bool taken;
	u64 ended;
	u32 own_maps;
	struct mutex channels_lock; /* the list */
	struct list_head channels;
	u32 nr_slots;
	struct coroprof_slot **slots;
	struct xarray labels;
};

long coroprof_process_open(void __user *arg);
struct coroprof_process *coroprof_process_probed(struct coroprof_session *session,
						 struct coroprof_keys *keys, u32 slots);
void coroprof_process_end(struct coroprof_process *process);
int coroprof_process_add_label(struct coroprof_process *process, u32 flags, u64 value,
			       const char *words, u32 len);
void coroprof_process_put(struct coroprof_process *process);
struct coroprof_process *coroprof_process_find(struct pid *tgid);
void coroprof_process_set_session(struct coroprof_process *process,
				  struct coroprof_session *session, bool active);
bool coroprof_process_is_recorded(struct coroprof_process *process);
void coroprof_process_stir(struct coroprof_process *process);
void coroprof_process_cut(struct coroprof_process *process, bool taken);
const struct coroprof_label_text *coroprof_process_label(struct coroprof_process *process,
							 u32 label);
struct coroprof_slot *coroprof_process_slot_alloc(struct coroprof_process *process,
						  u32 slot);

/* Whether the caller is the process it was made for. */
static inline bool coroprof_process_is_current(const struct coroprof_process *process)
{
	return process->mm == current->mm && process->tgid == task_tgid(current);
}

#define COROPROF_SLOTS_PER_PAGE	(PAGE_SIZE / sizeof(struct coroprof_slot))

static inline unsigned long coroprof_slot_pages(u32 slots)
{
	return DIV_ROUND_UP(slots, COROPROF_SLOTS_PER_PAGE);
}

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
