// SPDX-License-Identifier: GPL-2.0
/*
 * A thread group that made itself known: its life and end, its slots and labels, and the page by
 * which it learns of sessions. Which are known, and their sessions, change under coroprof_mutex;
 * the memory goes with the last reference.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "args.h"
#include "attachment.h"
#include "channel-layout.h"
#include "channel.h"
#include "clock.h"
#include "compat.h"
#include "keys.h"
#include "lock.h"
#include "negcache.h"
#include "pending.h"
#include "process.h"
#include "quota.h"
#include "session.h"

/* The known ones. As many as live at all: no more than a few have the same place. */
#define PROCESSES_BITS 12
static DEFINE_HASHTABLE(processes, PROCESSES_BITS);
/* Who adds and takes away holds coroprof_mutex as well: who looks may have the one or the other. */
static DEFINE_RAW_SPINLOCK(processes_lock);
/* The numbers of all that have not been freed, from 1 up, and the last one given. */
static DEFINE_XARRAY_FLAGS(process_ids, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
static u32 last_process_id;

/* What is to be done for those that refuse ioctl() to themselves. */
static struct workqueue_struct *refused_wq;

static struct coroprof_process_page *shown(struct coroprof_process *process)
{
	return page_address(process->page);
}

static void refused_work(struct work_struct *work)
{
	struct coroprof_process *process =
		container_of(work, struct coroprof_process, refused_work);

	coroprof_process_end(process);
	coroprof_process_put(process);
}

/* What a process takes, less labels and slots that were touched. */
static u64 process_bytes(u32 slots)
{
	return coroprof_bytes_open(sizeof(struct coroprof_process)) + PAGE_SIZE +
	       coroprof_slot_pages(slots) * sizeof(void *) + COROPROF_INDEX_BYTES;
}

/**
 * coroprof_process_create() - an object for the calling process, which nobody knows yet
 * @slots: room for so many
 * @quota: taken over; may be NULL, where memory for it could not be had
 * @gfp:   0, or COROPROF_GFP_GENTLE if another than the calling process pays
 */
struct coroprof_process *coroprof_process_create(u32 slots, struct coroprof_quota *quota,
						 gfp_t gfp)
{
	struct coroprof_process *process;
	int err = -ENOMEM;

	if (!quota)
		return ERR_PTR(err);

	process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT | gfp);
	if (!process)
		goto err_quota;

	process->quota = quota;
	process->gfp = gfp;
	err = coroprof_quota_charge(process->quota, process_bytes(slots));
	if (err)
		goto err_process;
	err = -ENOMEM;

	process->page = alloc_page(COROPROF_GFP_MAPPED | gfp);
	if (!process->page)
		goto err_charge;

	shown(process)->clock_offset = coroprof_clock_offset();
	shown(process)->flags = coroprof_has_pairs() ? COROPROF_PROCESS_WAKES : 0;
	process->slots = kvcalloc(coroprof_slot_pages(slots), sizeof(*process->slots),
				  GFP_KERNEL_ACCOUNT | gfp);
	if (!process->slots)
		goto err_page;

	/* 0 is none: who goes through attachments begins after it. */
	err = xa_alloc_cyclic(&process_ids, &process->id, process, XA_LIMIT(1, U32_MAX),
			      &last_process_id, GFP_KERNEL | gfp);
	if (err < 0)
		goto err_slots;

	kref_init(&process->ref);
	INIT_HLIST_NODE(&process->node);
	mutex_init(&process->channels_lock);
	INIT_WORK(&process->refused_work, refused_work);
	INIT_LIST_HEAD(&process->channels);
	xa_init_flags(&process->labels, XA_FLAGS_ACCOUNT);
	process->nr_slots = slots;
	process->tgid = get_task_pid(current, PIDTYPE_TGID);
	process->mm = current->mm;
	mmgrab(process->mm);
	return process;

err_slots:
	kvfree(process->slots);
err_page:
	__free_page(process->page);
err_charge:
	coroprof_quota_uncharge(process->quota, process_bytes(slots));
err_process:
	kfree(process);
err_quota:
	coroprof_quota_put(quota);
	return ERR_PTR(err);
}

static void free_slots(struct coroprof_process *process)
{
	unsigned long i, nr = coroprof_slot_pages(process->nr_slots);

	for (i = 0; i < nr; i++) {
		if (!process->slots[i])
			continue;
		free_page((unsigned long)process->slots[i]);
		coroprof_quota_uncharge(process->quota, PAGE_SIZE);
		cond_resched();
	}
	kvfree(process->slots);
}

/* Its text, and its place among the others, none of which is free. */
static u64 label_bytes(const struct coroprof_label_text *text)
{
	return coroprof_bytes(struct_size(text, text, text->len)) + 2 * sizeof(text);
}

static void free_labels(struct coroprof_process *process)
{
	struct coroprof_label_text *text;
	unsigned long label;

	xa_for_each(&process->labels, label, text) {
		coroprof_quota_uncharge(process->quota, label_bytes(text));
		kfree(text);
		cond_resched();
	}
	xa_destroy(&process->labels);
}

static void process_free(struct kref *ref)
{
	struct coroprof_process *process = container_of(ref, struct coroprof_process, ref);

	xa_erase(&process_ids, process->id);
	free_labels(process);
	if (process->keys)
		coroprof_keys_free(process->keys, process->quota);
	free_slots(process);
	coroprof_quota_uncharge(process->quota, process_bytes(process->nr_slots));
	__free_page(process->page);
	mmdrop(process->mm);
	put_pid(process->tgid);
	coroprof_quota_put(process->quota);
	kfree(process);
}

/* May sleep. */
void coroprof_process_put(struct coroprof_process *process)
{
	kref_put(&process->ref, process_free);
}

static struct coroprof_process *find(struct pid *tgid)
{
	struct coroprof_process *process;

	hash_for_each_possible(processes, process, node, (unsigned long)tgid) {
		if (process->tgid == tgid)
			return process;
	}
	return NULL;
}

/* The known process of a thread group, or NULL. */
struct coroprof_process *coroprof_process_find(struct pid *tgid)
{
	lockdep_assert_held(&coroprof_mutex);
	return find(tgid);
}

/* What of @active the process does not refuse itself. */
static u32 not_refused(const struct coroprof_process *process, u32 active)
{
	if (READ_ONCE(process->refused))
		return 0;
	return READ_ONCE(process->refused_traces) ? active & ~COROPROF_ACTIVE_TRACES : active;
}

static void hide_refused(struct coroprof_process *process)
{
	u32 active;

	/* Of show_active() and refuse*() the later one sees what the other has written. */
	smp_mb();
	do {
		active = READ_ONCE(shown(process)->active);
	} while (cmpxchg(&shown(process)->active, active, not_refused(process, active)) != active);
}

static void show_active(struct coroprof_process *process, u32 active)
{
	WRITE_ONCE(shown(process)->epoch, process->epoch);
	/*
	 * Pairs with nothing in user space but a plain read: see the ABI. Not for a moment may a
	 * process be shown what its filter refuses.
	 */
	smp_store_release(&shown(process)->active, not_refused(process, active));
	hide_refused(process);
}

/* From here on no thread of it calls ioctl(). */
static void refuse(struct coroprof_process *process)
{
	WRITE_ONCE(process->refused, true);
	WRITE_ONCE(shown(process)->flags, shown(process)->flags | COROPROF_PROCESS_REFUSES);
	hide_refused(process);
	kref_get(&process->ref);
	queue_work(refused_wq, &process->refused_work);
}

/* From here on no thread of it calls TRACE. */
static void refuse_traces(struct coroprof_process *process)
{
	WRITE_ONCE(process->refused_traces, true);
	hide_refused(process);
}

/* The calling process, if it is known and needs ioctl(): one that probes have made does not. */
static struct coroprof_process *find_caller(void)
{
	struct coroprof_process *process = find(task_tgid(current));

	return process && process->mm == current->mm && !process->keys ? process : NULL;
}

/*
 * Whether it matters that the calling process refuses itself ioctl(). Any context: what a probe
 * raises may count as NMI. So nobody is waited for, and in doubt it does.
 */
bool coroprof_process_may_refuse(void)
{
	unsigned long flags;
	bool known;

	if (!raw_spin_trylock_irqsave(&processes_lock, flags))
		return true;
	known = find_caller();
	raw_spin_unlock_irqrestore(&processes_lock, flags);
	return known;
}

/**
 * coroprof_process_refuse() - the calling process is about to refuse itself ioctl(), for ever
 * @only_traces: no other command than TRACE
 *
 * Any context but NMI. The process ends soon, as coroprof_process_end() may sleep; if it refuses
 * itself only TRACE, it goes on without.
 */
void coroprof_process_refuse(bool only_traces)
{
	struct coroprof_process *process;
	unsigned long flags;

	raw_spin_lock_irqsave(&processes_lock, flags);
	process = find_caller();
	if (process && only_traces)
		refuse_traces(process);
	else if (process && !process->refused)
		refuse(process);
	raw_spin_unlock_irqrestore(&processes_lock, flags);
}

static bool is_active(struct coroprof_process *process)
{
	return shown(process)->active;
}

static void set_session(struct coroprof_process *process, struct coroprof_session *session,
			bool active)
{
	lockdep_assert_held(&coroprof_mutex);

	process->session = session;
	WRITE_ONCE(process->epoch, process->epoch + 1);
	show_active(process, !active ? 0 :
		      COROPROF_ACTIVE | (session->totals ? COROPROF_ACTIVE_TOTALS : 0) |
		      (session->traces ? COROPROF_ACTIVE_TRACES : 0));
}

/*
 * By a session that is started, and the process's page says so: both change at once with
 * the epoch. START and STOP come to one process after the other.
 */
bool coroprof_process_is_recorded(struct coroprof_process *process)
{
	lockdep_assert_held(&coroprof_mutex);
	return process->session && is_active(process);
}

/**
 * coroprof_process_set_session() - say who records a process
 * @process: the process
 * @session: who, or NULL
 * @active:  it is recording now
 *
 * The epoch makes each thread look again at its next switch. The
 * process's page changes last, so that a thread it sends here finds the new state. A process that
 * knows is left alone.
 */
void coroprof_process_set_session(struct coroprof_process *process,
				  struct coroprof_session *session, bool active)
{
	if (process->session != session || is_active(process) != active)
		set_session(process, session, active);
}

/* Have each thread look at its next switch who records it. */
void coroprof_process_kick(struct coroprof_process *process)
{
	set_session(process, process->session, is_active(process));
}

/**
 * coroprof_process_cut() - end what is recorded of all threads of a process
 * @process: of which no recording begins, or none that is to be cut
 * @taken:   only those of a session that has the process no longer
 *
 * Not under coroprof_mutex, as there may be many.
 */
void coroprof_process_cut(struct coroprof_process *process, bool taken)
{
	struct coroprof_channel *channel;

	mutex_lock(&process->channels_lock);
	list_for_each_entry(channel, &process->channels, node) {
		coroprof_channel_cut(channel, taken);
		cond_resched();
	}
	mutex_unlock(&process->channels_lock);
}

static void known_add(struct coroprof_process *process)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&processes_lock, flags);
	hash_add(processes, &process->node, (unsigned long)process->tgid);
	raw_spin_unlock_irqrestore(&processes_lock, flags);
}

static void known_del(struct coroprof_process *process)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&processes_lock, flags);
	hash_del(&process->node);
	raw_spin_unlock_irqrestore(&processes_lock, flags);
}

/*
 * The process is no longer known. The epoch has its threads look again, and find
 * that they can't be recorded any more. True if coroprof_process_cut() is to follow,
 * once the mutex is free.
 */
bool coroprof_process_end_locked(struct coroprof_process *process)
{
	struct coroprof_session *session = process->session;

	lockdep_assert_held(&coroprof_mutex);

	if (process->ended)
		return false;
	process->ended = ktime_get_mono_fast_ns();
	set_session(process, NULL, false);
	known_del(process);
	/* The probes of other sessions may take it now. */
	if (process->keys)
		coroprof_negcache_forget();
	if (session)
		coroprof_pending_over(session, coroprof_attachment_of(session, process),
				      process->ended, false);
	return true;
}

/* It is no longer known, and recorded no more. Takes coroprof_mutex. */
void coroprof_process_end(struct coroprof_process *process)
{
	bool ends;

	mutex_lock(&coroprof_mutex);
	ends = coroprof_process_end_locked(process);
	mutex_unlock(&coroprof_mutex);
	if (ends)
		coroprof_process_cut(process, false);
}

/*
 * Nothing of the thread group runs in the address space any more, or soon: nobody reports
 * when threads that never joined are killed later than the last one that had.
 */
static bool has_gone(const struct coroprof_process *process)
{
	const struct mm_struct *mm;
	struct task_struct *task;
	bool gone = true;

	rcu_read_lock();
	task = pid_task(process->tgid, PIDTYPE_TGID);
	if (task) {
		mm = READ_ONCE(task->mm);
		gone = !atomic_read(&task->signal->live) ||
		       READ_ONCE(task->signal->flags) & SIGNAL_GROUP_EXIT ||
		       (mm && mm != process->mm);
	}
	rcu_read_unlock();
	return gone;
}

/* The last thread that had joined has gone: the process ends, if it has no others. */
void coroprof_process_look(struct coroprof_process *process)
{
	if (has_gone(process))
		coroprof_process_end(process);
}

/*
 * The session whose probes have made a process is released; all that it records has been
 * stopped. Nobody else reports the process.
 */
void coroprof_process_leave(struct coroprof_process *process)
{
	struct coroprof_channel *channel;

	coroprof_process_end(process);
	mutex_lock(&process->channels_lock);
	list_for_each_entry(channel, &process->channels, node)
		coroprof_channel_close(channel);
	mutex_unlock(&process->channels_lock);
}

/**
 * coroprof_process_slot_alloc() - memory for a slot that nobody has touched
 * @process: the process
 * @slot:    below nr_slots
 *
 * May sleep. Several may try at once; one wins, and all return its memory.
 */
struct coroprof_slot *coroprof_process_slot_alloc(struct coroprof_process *process, u32 slot)
{
	struct coroprof_slot **where = &process->slots[slot / COROPROF_SLOTS_PER_PAGE];
	struct page *page;
	int err;

	if (!READ_ONCE(*where)) {
		err = coroprof_quota_charge(process->quota, PAGE_SIZE);
		if (err)
			return ERR_PTR(err);

		page = alloc_page(COROPROF_GFP_MAPPED | process->gfp);
		if (!page || cmpxchg(where, NULL, page_address(page))) {
			coroprof_quota_uncharge(process->quota, PAGE_SIZE);
			if (!page)
				return ERR_PTR(-ENOMEM);
			__free_page(page);
		}
	}
	return coroprof_process_slot(process, slot);
}

/* A label was added. */
static void update_session(struct coroprof_process *process)
{
	struct coroprof_session *session;

	mutex_lock(&coroprof_mutex);
	session = process->session;
	if (session)
		coroprof_pending_of(session, coroprof_attachment_of(session, process));
	mutex_unlock(&coroprof_mutex);
}

/**
 * coroprof_process_label() - the text of a label, or NULL
 * @process: whose
 * @label:   whatever the process says
 *
 * Any context. The text stays as long as the process.
 */
const struct coroprof_label_text *coroprof_process_label(struct coroprof_process *process,
							 u32 label)
{
	return xa_load(&process->labels, label);
}

/* Say which number a label gets. @arg: NULL if nobody asked */
static int report_label(struct coroprof_label *label, u32 number, void __user *arg)
{
	if (!arg)
		return 0;
	label->label = number;
	return coroprof_args_out(arg, label, sizeof(*label));
}

/*
 * Returns the number of the label. Takes @text over when that is no error.
 *
 * A label can't be taken back, as the reader may have seen it. So its number is reported first. If
 * another thread takes that number meanwhile, the next one is reported.
 */
static int add_label(struct coroprof_process *process, struct coroprof_label_text *text,
		     struct coroprof_label *label, void __user *arg)
{
	u32 number = atomic_read(&process->nr_labels);
	int err;

	err = coroprof_quota_charge(process->quota, label_bytes(text));
	if (err)
		return err;

	do {
		if (++number == COROPROF_LABELS_MAX) {
			err = -ENOSPC;
			break;
		}
		err = report_label(label, number, arg) ?:
		      xa_insert(&process->labels, number, text, GFP_KERNEL | process->gfp);
	} while (err == -EBUSY);
	if (err) {
		coroprof_quota_uncharge(process->quota, label_bytes(text));
		return err;
	}
	atomic_inc(&process->nr_labels);
	update_session(process);
	return number;
}

/**
 * coroprof_process_add_label() - a label that the kernel gives
 * @process: gets it
 * @flags:   COROPROF_LABEL_*
 * @value:   coroprof_label.value
 * @words:   its text
 * @len:     of that; at most COROPROF_LABEL_TEXT_MAX
 *
 * Returns its number. May sleep.
 */
int coroprof_process_add_label(struct coroprof_process *process, u32 flags, u64 value,
			       const char *words, u32 len)
{
	struct coroprof_label_text *text;
	int ret;

	text = kzalloc(struct_size(text, text, len), GFP_KERNEL_ACCOUNT | process->gfp);
	if (!text)
		return -ENOMEM;

	text->flags = flags;
	text->value = value;
	text->len = len;
	memcpy(text->text, words, len);
	ret = add_label(process, text, NULL, NULL);
	if (ret < 0)
		kfree(text);
	return ret;
}

static struct coroprof_label_text *label_copy(const struct coroprof_label *label)
{
	struct coroprof_label_text *text;

	text = kzalloc(struct_size(text, text, label->text_len), GFP_KERNEL_ACCOUNT);
	if (!text)
		return ERR_PTR(-ENOMEM);

	text->flags = label->flags;
	text->value = label->value;
	text->len = label->text_len;
	if (copy_from_user(text->text, u64_to_user_ptr(label->text), label->text_len)) {
		kfree(text);
		return ERR_PTR(-EFAULT);
	}
	return text;
}

#define LABEL_FLAGS (COROPROF_LABEL_CODE | COROPROF_LABEL_ADAPTER)

/* COROPROF_IOC_LABEL */
long coroprof_process_new_label(struct coroprof_process *process, void __user *arg)
{
	struct coroprof_label_text *text;
	struct coroprof_label label;
	int ret;

	ret = coroprof_args_in(&label, sizeof(label), sizeof(label), arg);
	if (ret)
		return ret;
	if (label.flags & ~LABEL_FLAGS || label.flags == LABEL_FLAGS)
		return -EINVAL;
	if (label.text_len > COROPROF_LABEL_TEXT_MAX)
		return -EINVAL;
	if (!label.flags && label.value)
		return -EINVAL;

	text = label_copy(&label);
	if (IS_ERR(text))
		return PTR_ERR(text);

	ret = add_label(process, text, &label, arg);
	if (ret < 0)
		kfree(text);
	return min(ret, 0);
}

/* Make it known. @before: out: held, of before execve(), if that is to be cut. */
int coroprof_process_admit(struct coroprof_process *process, struct coroprof_process **before)
{
	struct coroprof_process *known = coroprof_process_find(process->tgid);

	lockdep_assert_held(&coroprof_mutex);
	/* What was before execve() may live on where another process shares it. */
	if (known && known->mm != process->mm && coroprof_process_end_locked(known)) {
		*before = known;
		kref_get(&known->ref);
		known = NULL;
	}
	if (known)
		return -EEXIST;
	known_add(process);
	return 0;
}

int coroprof_processes_init(void)
{
	refused_wq = alloc_workqueue("coroprof-refused", WQ_UNBOUND, 0);
	return refused_wq ? 0 : -ENOMEM;
}

/* No process is left, but the work that let go of the last one may be returning. */
void coroprof_processes_exit(void)
{
	destroy_workqueue(refused_wq);
}
