/* SPDX-License-Identifier: GPL-2.0 */
/* A thread group that made itself known, with its slots and labels. */
#ifndef COROPROF_PROCESS_H
#define COROPROF_PROCESS_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "../uapi/coroprof.h"

struct coroprof_keys;
struct coroprof_session;
struct coroprof_quota;
struct file;

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
 * A process that a session's probes have made is known while it is attached to that session
 * and has not ended (probe.h). The rest of this comment is about the others.
 *
 * A process is known from PROCESS on. It ends, which @ended says, with the first of these:
 * its last descriptor is released; its last mapping of the process page goes from its own address
 * space, as happens at exit and at exec; it closes its descriptor in exec, or makes itself
 * known after exec, where another process still has the old address space. From then on
 * nobody records it. The memory stays until the last channel, mapping and session have let
 * go. A child may have inherited a mapping: its page and its slots are its parent's until it
 * makes itself known.
 *
 * @ref:      held by the descriptor, by channels and by attachments
 * @node:     among the known processes, by @tgid, while known; coroprof_mutex
 * @id:       no other process that has not been freed has it; given out in turn, so that it comes
 *            again after 2^32 others at the soonest. Never changes
 * @tgid:     the thread group
 * @mm:       its address space, only ever compared. mm_count is held, so that no other
 *            address space gets the same address
 * @quota:    who is charged
 * @gfp:      flags for further memory: COROPROF_GFP_GENTLE for a process that probes have
 *            made, because a session pays for it; else 0. Never changes
 * @page:     struct coroprof_process_page, which the process maps
 * @epoch:    raised whenever channels have to look at @session again; written under
 *            coroprof_mutex, read by the switch path
 * @keys:     the coroutines of a process that probes have made; else NULL
 * @session:  the session that records it, or NULL; NULL once it has ended; coroprof_mutex
 * @taken:    a session has taken the process over from another one, whose recordings may
 *            still go on; coroprof_mutex
 * @ended:    when it ended, or 0; coroprof_mutex
 * @files:    number of files of it that are open: descriptors, and mappings of those that were
 *            closed; coroprof_mutex
 * @own_maps: number of mappings of the process page in @mm; coroprof_mutex
 * @channels_lock: protects @channels. Taken inside mmap_lock, never together with
 *            coroprof_mutex
 * @channels: its channels
 * @nr_slots: number of slots there is room for
 * @slots:    pages of slots, by address. Each is allocated when it is first touched, set
 *            once by cmpxchg, and never replaced
 * @labels:   by their numbers, from 1 up without a gap; a label stays as long as the process
 * @nr_labels: how many, or fewer while one is being added
 * @refused:  it has put a filter of system calls in place that refuses ioctl(): it ends; set
 *            once
 * @refused_work: ends it then
 * @refused_traces: it has put one in place that refuses TRACE: it is not shown that a session wants
 *            traces; set once
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
	u32 files;
	u32 own_maps;
	struct mutex channels_lock; /* the list */
	struct list_head channels;
	u32 nr_slots;
	struct coroprof_slot **slots;
	struct xarray labels;
	atomic_t nr_labels;
	bool refused;
	struct work_struct refused_work;
	bool refused_traces;
};

struct coroprof_process *coroprof_process_create(u32 slots, struct coroprof_quota *quota,
						 gfp_t gfp);
int coroprof_process_admit(struct coroprof_process *process, struct coroprof_process **before);
void coroprof_process_end(struct coroprof_process *process);
bool coroprof_process_end_locked(struct coroprof_process *process);
void coroprof_process_look(struct coroprof_process *process);
bool coroprof_process_may_refuse(void);
void coroprof_process_refuse(bool only_traces);
int coroprof_processes_init(void);
void coroprof_processes_exit(void);
void coroprof_process_leave(struct coroprof_process *process);
long coroprof_process_new_label(struct coroprof_process *process, void __user *arg);
int coroprof_process_add_label(struct coroprof_process *process, u32 flags, u64 value,
			       const char *words, u32 len);
void coroprof_process_put(struct coroprof_process *process);
struct coroprof_process *coroprof_process_find(struct pid *tgid);
void coroprof_process_set_session(struct coroprof_process *process,
				  struct coroprof_session *session, bool active);
bool coroprof_process_is_recorded(struct coroprof_process *process);
void coroprof_process_kick(struct coroprof_process *process);
void coroprof_process_cut(struct coroprof_process *process, bool taken);
const struct coroprof_label_text *coroprof_process_label(struct coroprof_process *process,
							 u32 label);
struct coroprof_slot *coroprof_process_slot_alloc(struct coroprof_process *process,
						  u32 slot);

/* Whether the calling task belongs to this process. */
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
 * Returns the slot's memory, or NULL as long as nobody has touched its page.
 * @slot: less than nr_slots
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
