// SPDX-License-Identifier: GPL-2.0
/*
 * The channel of a thread: its life, its place in the scheduler's hooks, and how another task gets
 * something done to its slice. What may touch the slice is in channel-layout.h; this file sees to
 * it.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "args.h"
#include "attachment.h"
#include "channel-layout.h"
#include "channel.h"
#include "compat.h"
#include "context.h"
#include "counters.h"
#include "descriptor.h"
#include "lock.h"
#include "offer.h"
#include "fast.h"
#include "fdinfo.h"
#include "keys.h"
#include "pending.h"
#include "permit.h"
#include "process.h"
#include "recording.h"
#include "session.h"
#include "shared.h"
#include "slice.h"
#include "span.h"
#include "spare.h"
#include "quota.h"

/*
 * So that a kernel that has none of these takes the module as far as its init, which says
 * what is missing. If there is one of them, all are there.
 */
#pragma weak preempt_notifier_register
#pragma weak preempt_notifier_unregister
#pragma weak preempt_notifier_inc
#pragma weak preempt_notifier_dec

/*
 * No code names a weak symbol itself. To compare one takes a table (GOT) that modules of arm64
 * don't have. And where calls go to symbols that the kernel lacks, the loader of 5.10 for arm64 may
 * make two entries of its table (PLT) alike, one at the end of a page, and BUG as it compares them.
 * __used: the compiler takes nothing here for constant.
 */
static struct {
	void (*link)(struct preempt_notifier *notifier);
	void (*unlink)(struct preempt_notifier *notifier);
	void (*inc)(void);
	void (*dec)(void);
} notifiers __used __ro_after_init = {
	.link = preempt_notifier_register,
	.unlink = preempt_notifier_unregister,
	.inc = preempt_notifier_inc,
	.dec = preempt_notifier_dec,
};

/* How often a SWITCH begins anew because meanwhile a START or STOP has come. */
#define SYNC_TRIES 4

static struct workqueue_struct *channels_wq;

/* Give back a recording that was cut. May sleep. */
static void recording_retire(struct coroprof_channel *channel)
{
	struct coroprof_recording *recording;

	mutex_lock(&coroprof_mutex);
	recording = xchg(&channel->retiring, NULL);
	if (recording)
		coroprof_recording_let_go(recording);
	mutex_unlock(&coroprof_mutex);

	if (recording)
		coroprof_recording_retire(recording);
}

/**
 * struct slice_call - something to be done to a channel's slice by another task
 * @channel:   whose
 * @fn:        what; as one who may touch the slice
 * @node:      in channel->calls, until it is done; channel.lock
 * @done:      it was done; channel.lock
 * @session:   cut: only a recording of this one; NULL for any
 * @taken:     cut: only a recording of a session that has the process no longer
 * @force:     cut: whatever is known of the counters
 * @stale:     cut: not done; these have to be refreshed first, and were held
 * @off_nr:    cut: the stay off the CPU in which that has to be, or was, done;
 *             0 for none
 * @recording: status: of this
 * @status:    status: to here
 */
struct slice_call {
	struct coroprof_channel *channel;
	void (*fn)(struct slice_call *call, enum coroprof_thread_is thread);
	struct list_head node;
	bool done;
	const struct coroprof_session *session;
	bool taken;
	bool force;
	struct coroprof_counters *stale;
	u64 off_nr;
	const struct coroprof_recording *recording;
	struct coroprof_channel_status *status;
};

static void slice_call_do(struct slice_call *call, enum coroprof_thread_is thread)
{
	lockdep_assert_held(&call->channel->lock);
	call->fn(call, thread);
	call->done = true;
	list_del_init(&call->node);
}

/* The thread is off the CPU, or has no hooks that would say where it is. */
static void slice_call_do_off(struct slice_call *call)
{
	u64 off_nr = call->off_nr;

	slice_call_do(call, off_nr && off_nr == call->channel->off_nr ?
			    COROPROF_FRESH : COROPROF_STALE);
}

static void slice_call_here(void *data)
{
	struct slice_call *call = data;
	struct coroprof_channel *channel = call->channel;

	raw_spin_lock(&channel->lock);
	if (!call->done && current == channel->task && channel->off == COROPROF_ON &&
	    channel->linked)
		slice_call_do(call, COROPROF_RUNNING);
	raw_spin_unlock(&channel->lock);
}

/* Whether it was done. If not, it is left for the hook by which the thread leaves its CPU. */
static bool slice_call_off(struct slice_call *call)
{
	struct coroprof_channel *channel = call->channel;
	unsigned long flags;
	bool done;

	raw_spin_lock_irqsave(&channel->lock, flags);
	if (!call->done && (channel->off != COROPROF_ON || !channel->linked))
		slice_call_do_off(call);
	else if (!call->done && list_empty(&call->node))
		list_add_tail(&call->node, &channel->calls);
	done = call->done;
	raw_spin_unlock_irqrestore(&channel->lock, flags);
	return done;
}

/* In the hook: what others have left for it. */
static void slice_calls_left(struct coroprof_channel *channel)
{
	struct slice_call *call, *next;

	list_for_each_entry_safe(call, next, &channel->calls, node)
		slice_call_do_off(call);
}

/*
 * Call call->fn as one who may touch the slice: under the lock if the thread is
 * off the CPU, else on its CPU, where it can't be in the switch path as that
 * has interrupts off. At most two rounds, however the thread moves: if it was not on
 * that CPU any more, it has been through its hook, which has done the call; or it has
 * unlinked the hook, which the second round finds.
 */
static void slice_call(struct slice_call *call)
{
	INIT_LIST_HEAD(&call->node);
	call->done = false;
	for (;;) {
		/* So the hook finds at most one call for each CPU. */
		preempt_disable();
		if (slice_call_off(call))
			break;
		smp_call_function_single(task_cpu(call->channel->task), slice_call_here, call,
					 true);
		preempt_enable();
	}
	preempt_enable();
}

/*
 * The thread has called execve(). Its old address space stays if another process
 * shares it, so that nothing else shows it; a thread that exits has none any more.
 */
static bool has_left_program(const struct coroprof_channel *channel)
{
	const struct mm_struct *mm = READ_ONCE(channel->task->mm);

	return mm ? mm != channel->mm : READ_ONCE(channel->task->self_exec_id) != channel->exec_id;
}

/* As long as execve() goes on, nothing of the other program has run. */
static bool runs_another_program(const struct coroprof_channel *channel)
{
	return has_left_program(channel) && !channel->task->in_execve;
}

/* Ask for fresh times rather than say of a counter what is not known. */
static void call_cut(struct slice_call *call, enum coroprof_thread_is thread)
{
	struct coroprof_channel *channel = call->channel;

	if (unlikely(runs_another_program(channel))) {
		coroprof_slice_drop(channel);
		return;
	}
	if (call->session && channel->recording && channel->recording->session != call->session)
		return;
	/* One that goes on has not been reported whole, so its attachment is there. */
	if (call->taken && channel->recording &&
	    !READ_ONCE(channel->recording->attachment->taken))
		return;
	if (thread == COROPROF_STALE && channel->recording && !call->force) {
		call->off_nr = channel->off_nr;
		call->stale = channel->counters;
		coroprof_counters_get(call->stale);
		return;
	}
	coroprof_slice_cut(channel, thread);
}

/**
 * coroprof_channel_cut() - end what a session records of a thread, at once
 * @channel: its channel
 * @taken:   only if the session has the process no longer
 *
 * Its last slice is written, cut. The counters of a thread that sleeps are
 * believed no further than what is known of them. Somebody who may sleep has
 * to retire the recording later. Under process.channels_lock.
 */
void coroprof_channel_cut(struct coroprof_channel *channel, bool taken)
{
	struct slice_call call = {
		.channel = channel, .fn = call_cut, .taken = taken, .force = true,
	};

	lockdep_assert_held(&channel->process->channels_lock);
	slice_call(&call);
}

/**
 * coroprof_channel_stop() - end what a session records of a thread
 * @channel: its channel, held
 * @session: that records it, or NULL for any: another may have begun to
 *
 * As coroprof_channel_cut(), with the counters of a thread that sleeps brought
 * up to date first, and with all that has to be done after. A thread that goes
 * to sleep anew each time is not waited for forever. May sleep.
 */
void coroprof_channel_stop(struct coroprof_channel *channel,
			   const struct coroprof_session *session)
{
	struct slice_call call = { .channel = channel, .fn = call_cut, .session = session };
	int tries = 8;

	do {
		call.force = !--tries;
		call.stale = NULL;
		slice_call(&call);
		if (call.stale) {
			coroprof_counters_refresh(call.stale);
			coroprof_counters_put(call.stale);
		}
	} while (call.stale);
	recording_retire(channel);
}

static void call_status(struct slice_call *call, enum coroprof_thread_is thread)
{
	coroprof_slice_status(call->channel, call->recording, has_left_program(call->channel),
			      call->status);
}

/*
 * The figures of a recording, all of one moment. Both are held. Not under coroprof_mutex, as
 * an interrupt of another CPU is waited for.
 */
void coroprof_channel_status(struct coroprof_channel *channel,
			     struct coroprof_recording *recording,
			     struct coroprof_channel_status *status)
{
	struct slice_call call = {
		.channel = channel,
		.fn = call_status,
		.recording = recording,
		.status = status,
	};

	slice_call(&call);
}

static void call_notify(struct slice_call *call, enum coroprof_thread_is thread)
{
	call->channel->pending = true;
	call->channel->fast = NULL;
}

/* Have a SWITCH of the thread's, soon, say that something was delegated. */
void coroprof_channel_notify(struct coroprof_channel *channel)
{
	struct slice_call call = { .channel = channel, .fn = call_notify };

	slice_call(&call);
}

/* By the thread: what is recorded of it ends here, and begins anew with the next SWITCH. */
void coroprof_channel_restart(struct coroprof_channel *channel)
{
	coroprof_channel_stop(channel, NULL);
	channel->epoch = READ_ONCE(channel->process->epoch) - 1;
}

/* Those asked for in THREAD. Nothing is recorded with them any more. */
static void counters_put(struct coroprof_channel *channel)
{
	if (!channel->nr_own)
		return;
	coroprof_counters_put(channel->counters);
	channel->counters = NULL;
	channel->nr_own = 0;
}

/*
 * With the most counters that it may hold besides those of a recording: its own, or
 * offered ones, or delegated ones. It has one of these at a time: with its own it can't be
 * in user mode, nothing is offered while it is recorded by ioctl, and delegated only then.
 */
static u64 channel_bytes(void)
{
	return coroprof_bytes_open(sizeof(struct coroprof_channel)) +
	       coroprof_counters_bytes(COROPROF_COUNTERS_MAX);
}

static int channel_charge(struct coroprof_quota *quota)
{
	int err;

	err = coroprof_quota_charge_channel(quota);
	if (err)
		return err;
	err = coroprof_quota_charge(quota, channel_bytes());
	if (err)
		coroprof_quota_uncharge_channel(quota);
	return err;
}

static void channel_uncharge(struct coroprof_quota *quota)
{
	coroprof_quota_uncharge(quota, channel_bytes());
	coroprof_quota_uncharge_channel(quota);
}

static void channel_free(struct kref *ref)
{
	struct coroprof_channel *channel = container_of(ref, struct coroprof_channel, ref);
	struct coroprof_process *process = channel->process;
	bool last;

	recording_retire(channel);
	mutex_lock(&process->channels_lock);
	list_del(&channel->node);
	last = list_empty(&process->channels);
	mutex_unlock(&process->channels_lock);
	if (last && process->keys)
		coroprof_process_look(process);

	counters_put(channel);
	coroprof_offer_drop(channel);
	coroprof_shared_free(channel);
	notifiers.dec();
	put_pid(channel->tid);
	put_task_struct(channel->task);
	kfree(channel);
	channel_uncharge(process->quota);
	coroprof_process_put(process);
	module_put(THIS_MODULE);
}

/* Of one that was found under coroprof_mutex; false if it is going away. */
bool coroprof_channel_get(struct coroprof_channel *channel)
{
	return kref_get_unless_zero(&channel->ref);
}

/* May sleep. */
void coroprof_channel_put(struct coroprof_channel *channel)
{
	kref_put(&channel->ref, channel_free);
}

static void channel_work(struct work_struct *work)
{
	coroprof_channel_put(container_of(to_rcu_work(work), struct coroprof_channel, work));
}

static void channel_irq_work(struct irq_work *irq_work)
{
	struct coroprof_channel *channel =
		container_of(irq_work, struct coroprof_channel, irq_work);

	queue_rcu_work(channels_wq, &channel->work);
}

static struct coroprof_channel *of_notifier(struct preempt_notifier *notifier)
{
	return container_of(notifier, struct coroprof_channel, notifier);
}

/*
 * From a hook, in a walk of the thread's notifiers that goes on from our link:
 * so the link keeps its own next pointer, which preempt_notifier_unregister()
 * would poison.
 */
static void unlink_in_hook(struct coroprof_channel *channel)
{
	__hlist_del(&channel->notifier.link);
	channel->linked = false;
	irq_work_queue(&channel->irq_work);
}

/*
 * Interrupts are off, and the run queue is locked: nothing here may wake. perf
 * has taken the thread's events off the PMU already.
 */
static void channel_sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct coroprof_channel *channel = of_notifier(notifier);
	bool dead = coroprof_task_dead(current), left = has_left_program(channel);

	raw_spin_lock(&channel->lock);
	if (unlikely(runs_another_program(channel)))
		coroprof_slice_drop(channel);
	else if (unlikely(dead || left))
		coroprof_slice_cut(channel, COROPROF_STALE);
	coroprof_slice_off(channel);
	if (unlikely(!list_empty(&channel->calls)))
		slice_calls_left(channel);
	raw_spin_unlock(&channel->lock);

	if (dead || READ_ONCE(channel->closed) || (left && channel->process->keys))
		unlink_in_hook(channel);
}

static void channel_sched_in(struct preempt_notifier *notifier, int cpu)
{
	struct coroprof_channel *channel = of_notifier(notifier);
	unsigned long flags;

	raw_spin_lock_irqsave(&channel->lock, flags);
	coroprof_slice_on(channel);
	raw_spin_unlock_irqrestore(&channel->lock, flags);

	if (READ_ONCE(channel->closed))
		unlink_in_hook(channel);
}

static struct preempt_ops channel_preempt_ops = {
	.sched_in = channel_sched_in,
	.sched_out = channel_sched_out,
};

/*
 * The list of notifiers belongs to the thread, and to the hooks: no hook may
 * come between a change of it and what we note of that.
 */
static void channel_link(struct coroprof_channel *channel)
{
	kref_get(&channel->ref);
	preempt_disable();
	notifiers.link(&channel->notifier);
	channel->linked = true;
	preempt_enable();
}

/*
 * The thread itself gives the channel up. A hook may have done so before, if
 * another task has released the descriptor meanwhile.
 */
static void channel_leave(struct coroprof_channel *channel)
{
	bool linked;

	coroprof_channel_stop(channel, NULL);

	preempt_disable();
	linked = channel->linked;
	if (linked) {
		notifiers.unlink(&channel->notifier);
		channel->linked = false;
	}
	preempt_enable();

	counters_put(channel);
	if (linked)
		coroprof_channel_put(channel);
}

/* What the thread needs to be recorded now, or NULL when nobody records it. */
static struct coroprof_recording *recording_prepare(struct coroprof_channel *channel, u32 *epoch)
{
	struct coroprof_process *process = channel->process;
	struct coroprof_spares *spares = NULL;
	struct coroprof_recording *recording;
	struct coroprof_session *session;

	mutex_lock(&coroprof_mutex);
	*epoch = process->epoch;
	session = process->session;
	if (!coroprof_process_is_recorded(process) || channel->recording) {
		session = NULL;
	} else {
		coroprof_session_get(session);
		spares = coroprof_attachment_of(session, process)->spares;
		coroprof_spares_get(spares);
	}
	mutex_unlock(&coroprof_mutex);

	/* With no recording going on nobody can leave another one to be retired. */
	recording_retire(channel);
	if (!session || channel->offer_epoch != *epoch)
		coroprof_offer_drop(channel);
	if (!session)
		return NULL;
	recording = coroprof_recording_create(session, channel, spares);
	if (IS_ERR(recording))
		coroprof_pending_unrecorded(session);
	coroprof_spares_put(spares);
	coroprof_session_put(session);
	return recording;
}

/*
 * An overflow interrupt that comes as soon as they are on again, or an NMI that
 * comes somewhat late, is of the slot that was left.
 */
static __always_inline void slice_switch(struct coroprof_channel *channel, u32 nr,
					 struct coroprof_slot *slot, unsigned long arg,
					 struct coroprof_recording *recording)
{
	local_irq_disable();
	coroprof_slice_switch(channel, nr, slot, arg, recording);
	local_irq_enable();
	WRITE_ONCE(channel->left, 0);
}

/*
 * What the thread needs to be recorded, for an epoch that goes on; then coroprof_mutex is held, so
 * that a STOP comes before or after all that follows. False, without the mutex, if each time
 * it was ready another epoch had begun: who calls START and STOP all the time, or kills the
 * thread, must not keep it here.
 */
static bool recording_prepare_for(struct coroprof_channel *channel, u32 *epoch,
				  struct coroprof_recording **recording)
{
	int tries = SYNC_TRIES;

	while (tries--) {
		*recording = recording_prepare(channel, epoch);
		mutex_lock(&coroprof_mutex);
		if (*epoch == channel->process->epoch)
			return true;
		mutex_unlock(&coroprof_mutex);
		if (!IS_ERR_OR_NULL(*recording))
			coroprof_recording_put(*recording);
		if (fatal_signal_pending(current))
			break;
	}
	return false;
}

/*
 * A switch that also takes note of what changed in the session that records the
 * thread's process; or does not yet, and the next one does.
 */
static noinline int switch_and_sync(struct coroprof_channel *channel, u32 nr,
				    struct coroprof_slot *slot, unsigned long arg)
{
	struct coroprof_recording *recording;
	int err = 0;
	u32 epoch;

	if (!recording_prepare_for(channel, &epoch, &recording)) {
		slice_switch(channel, nr, slot, arg, NULL);
		return 0;
	}

	channel->epoch = epoch;
	if (IS_ERR(recording)) {
		err = PTR_ERR(recording);
		recording = NULL;
	} else if (recording) {
		coroprof_recording_add(recording, channel);
		err = -recording->error;
	}

	slice_switch(channel, nr, slot, arg, err ? NULL : recording);
	if (recording)
		coroprof_pending_begin(recording);
	mutex_unlock(&coroprof_mutex);

	if (err && recording)
		coroprof_recording_put(recording);
	/* Who may record it is between it and the sessions. */
	return err == -EACCES ? 0 : err;
}

/*
 * Have what is recorded of the thread end here, and begin anew: once, as the channel
 * stays in kernel mode, and each recording costs the session a ring.
 */
static noinline void leave_user_mode(struct coroprof_channel *channel)
{
	channel->reason = COROPROF_REASON_NESTED;
	coroprof_offer_drop(channel);
	coroprof_channel_restart(channel);
}

static bool channel_is_current(const struct coroprof_channel *channel)
{
	return channel->task == current && channel->linked && channel->mm == current->mm;
}

static bool valid_switch(const struct coroprof_channel *channel, unsigned long arg)
{
	u32 nr = arg & COROPROF_SWITCH_SLOT_MASK;

	return !(arg & ~(COROPROF_SWITCH_SLOT_MASK | COROPROF_SWITCH_FLAGS)) &&
	       nr && nr < channel->nr_slots;
}

/* Any switch: to a slot that nobody has touched, of a channel that was left, ... */
static noinline long channel_switch_any(struct coroprof_channel *channel, unsigned long arg)
{
	struct coroprof_slot *slot;
	u32 nr;

	if (!channel_is_current(channel))
		return -EPERM;
	if (!valid_switch(channel, arg))
		return -EINVAL;

	nr = array_index_nospec(arg & COROPROF_SWITCH_SLOT_MASK, channel->nr_slots);
	slot = coroprof_slot_of(channel->slots, nr);
	if (!slot) {
		slot = coroprof_process_slot_alloc(channel->process, nr);
		if (IS_ERR(slot))
			return PTR_ERR(slot);
	}
	if (arg & COROPROF_SWITCH_KERNEL && channel->reason != COROPROF_REASON_NESTED)
		leave_user_mode(channel);
	if (READ_ONCE(channel->process->epoch) != channel->epoch)
		return switch_and_sync(channel, nr, slot, arg);

	slice_switch(channel, nr, slot, arg, NULL);
	if (likely(!READ_ONCE(channel->pending)))
		return 0;
	WRITE_ONCE(channel->pending, false);
	return 1;
}

/*
 * A channel that was left, or whose recording was stopped, has no fast slice:
 * so that need not be looked at for a fast switch. @nr: of @arg, a slot of the process
 */
static __always_inline long channel_switch_to(struct coroprof_channel *channel, unsigned long nr,
					      unsigned long arg)
{
	struct coroprof_slot *page;

	page = READ_ONCE(channel->slots[nr / COROPROF_SLOTS_PER_PAGE]);
	if (unlikely(!page))
		return channel_switch_any(channel, arg);

	local_irq_disable();
	if (unlikely(!coroprof_fast_switch(channel, &page[nr % COROPROF_SLOTS_PER_PAGE], arg))) {
		local_irq_enable();
		return channel_switch_any(channel, arg);
	}
	local_irq_enable();
	WRITE_ONCE(channel->left, 0);
	return 0;
}

static_assert(COROPROF_SLOTS_MAX <= COROPROF_SWITCH_SLOT_MASK + 1);

static __always_inline long channel_switch(struct coroprof_channel *channel, unsigned long arg)
{
	unsigned long nr = arg & ~COROPROF_FAST_FLAGS, nr_slots = channel->nr_slots;
	bool other = channel->task != current;

	/* Without a short circuit: one branch. */
	other |= channel->mm != current->mm;
	if (unlikely(other))
		return channel_switch_any(channel, arg);
	/* With a flag that is not for a fast switch it is more than any slot. */
	if (unlikely(!nr || nr >= nr_slots))
		return channel_switch_any(channel, arg);
	return channel_switch_to(channel, array_index_nospec(nr, nr_slots), arg);
}

/* COROPROF_IOC_SWITCH of the calling thread, whose channel this is, to a slot that exists. */
long coroprof_channel_switch(struct coroprof_channel *channel, unsigned long arg)
{
	if (unlikely(arg & ~COROPROF_FAST_ARG))
		return channel_switch_any(channel, arg);
	return channel_switch_to(channel, arg & COROPROF_SWITCH_SLOT_MASK, arg);
}

static long channel_read(struct coroprof_channel *channel, void __user *arg)
{
	struct coroprof_totals totals;
	int err;

	err = coroprof_args_in(&totals, sizeof(totals), COROPROF_TOTALS_SIZE_LEVEL1, arg);
	if (err)
		return err;
	if (totals.flags || totals.reserved)
		return -EINVAL;
	if (!channel_is_current(channel))
		return -EPERM;

	totals.nr_counters = 0;
	local_irq_disable();
	coroprof_slice_totals(channel, &totals);
	local_irq_enable();
	return coroprof_args_out(arg, &totals, sizeof(totals));
}

static noinline __noclone long channel_ioctl_other(struct file *file, unsigned int cmd,
						   unsigned long arg)
{
	struct coroprof_channel *channel = file->private_data;

	switch (_IOC_NR(cmd)) {
	case _IOC_NR(COROPROF_IOC_READ):
		return channel_read(channel, (void __user *)arg);
	case _IOC_NR(COROPROF_IOC_SPAN):
		if (!channel_is_current(channel))
			return -EPERM;
		return coroprof_span(channel, (void __user *)arg);
	case _IOC_NR(COROPROF_IOC_TRACE):
		if (!channel_is_current(channel))
			return -EPERM;
		return coroprof_context(channel, (void __user *)arg);
	case _IOC_NR(COROPROF_IOC_LEAVE):
		if (!channel_is_current(channel))
			return -EPERM;
		channel_leave(channel);
		return 0;
	case _IOC_NR(COROPROF_IOC_WANTED):
		if (!channel_is_current(channel))
			return -EPERM;
		return coroprof_offer_wanted(channel, (void __user *)arg);
	case _IOC_NR(COROPROF_IOC_USER):
		if (!channel_is_current(channel))
			return -EPERM;
		return coroprof_offer_user(channel, file_inode(file), (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

/*
 * SWITCH has no argument in memory, so its number is whole. The other function gets the arguments
 * as they came (__noclone), so that they need not be moved out of the way before the comparison.
 */
static long channel_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct coroprof_channel *channel = file->private_data;

	if (likely(cmd == COROPROF_IOC_SWITCH))
		return channel_switch(channel, arg);
	if (_IOC_TYPE(cmd) != COROPROF_IOC_MAGIC)
		return -ENOTTY;
	return channel_ioctl_other(file, cmd, arg);
}

static int channel_mmap(struct file *file, struct vm_area_struct *vma)
{
	u64 first = COROPROF_MMAP_CHANNEL_EVENT(0) >> PAGE_SHIFT;
	u64 each = (COROPROF_MMAP_CHANNEL_EVENT(1) >> PAGE_SHIFT) - first;
	struct coroprof_channel *channel = file->private_data;
	int err = coroprof_permit_call();

	if (err)
		return err;
	if (!channel_is_current(channel))
		return -EPERM;
	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EPERM;
	if (vma->vm_pgoff >= first && !((vma->vm_pgoff - first) % each))
		return coroprof_offer_mmap(channel, vma, (vma->vm_pgoff - first) / each);
	return coroprof_shared_mmap(channel, vma);
}

static int channel_release(struct inode *inode, struct file *file)
{
	struct coroprof_channel *channel = file->private_data;

	/* Cut before the hooks may go: without them nobody knows where it is. */
	if (channel->task != current) {
		coroprof_channel_stop(channel, NULL);
		WRITE_ONCE(channel->closed, true);
	} else if (channel->linked) {
		channel_leave(channel);
	}
	coroprof_channel_put(channel);
	return 0;
}

/* The calling thread's, of whatever process it was when it joined; held. */
static struct coroprof_channel *thread_channel(void)
{
	struct coroprof_channel *channel = NULL;
	struct preempt_notifier *notifier;

	preempt_disable();
	hlist_for_each_entry(notifier, &current->preempt_notifiers, link) {
		if (notifier->ops != &channel_preempt_ops ||
		    READ_ONCE(of_notifier(notifier)->closed))
			continue;
		channel = of_notifier(notifier);
		coroprof_channel_get(channel);
		break;
	}
	preempt_enable();
	return channel;
}

/*
 * On each CPU, with interrupts off: the thread that runs there ends its slice by
 * coroprof_slice_switch(). Whoever is not back from off the CPU does so anyway.
 */
void coroprof_channel_slow(void *unused)
{
	struct coroprof_channel *channel;
	struct preempt_notifier *notifier;

	hlist_for_each_entry(notifier, &current->preempt_notifiers, link) {
		channel = of_notifier(notifier);
		if (notifier->ops == &channel_preempt_ops && channel->off == COROPROF_ON)
			coroprof_slice_slow(channel);
	}
}

/**
 * coroprof_channel_probed() - the calling thread's channel, if probes have made it
 * @session: whose probes
 *
 * Not held: in the handler of a probe only the thread itself could let go of it, as who
 * releases the session waits for the handler first.
 */
struct coroprof_channel *coroprof_channel_probed(const struct coroprof_session *session)
{
	struct coroprof_channel *channel = NULL;
	struct preempt_notifier *notifier;

	preempt_disable();
	hlist_for_each_entry(notifier, &current->preempt_notifiers, link) {
		if (notifier->ops != &channel_preempt_ops)
			continue;
		channel = of_notifier(notifier);
		/* One that is closed may be of another session that was at this address. */
		if (channel->mm == current->mm && !READ_ONCE(channel->closed) &&
		    coroprof_keys_are_of(channel->process->keys, session))
			break;
		channel = NULL;
	}
	preempt_enable();
	return channel;
}

/* The thread takes no more notice of it, soon. Its recording has been stopped. */
void coroprof_channel_close(struct coroprof_channel *channel)
{
	WRITE_ONCE(channel->closed, true);
}

/*
 * The calling thread is about to run another program: what is recorded of it ends
 * here. Its address space is the new one already, or not yet.
 */
void coroprof_channel_execve(void)
{
	struct coroprof_channel *channel = thread_channel();

	if (!channel)
		return;
	local_irq_disable();
	coroprof_slice_cut(channel, COROPROF_RUNNING);
	local_irq_enable();
	channel_leave(channel);
	coroprof_channel_put(channel);
}

/*
 * A descriptor is closed. If execve() does that, another process may have one, too.
 * Where none is closed then, the next time the thread is scheduled has to show it.
 */
static int channel_flush(struct file *file, fl_owner_t id)
{
	struct coroprof_channel *channel = file->private_data;

	if (current->in_execve && channel->task == current)
		coroprof_channel_execve();
	return 0;
}

static const struct file_operations channel_fops = {
	.owner = THIS_MODULE,
	.flush = channel_flush,
	.release = channel_release,
	.unlocked_ioctl = channel_ioctl,
	.mmap = channel_mmap,
	.show_fdinfo = coroprof_fdinfo_channel,
};

static struct coroprof_channel *channel_create(struct coroprof_process *process)
{
	struct coroprof_channel *channel;
	int err;

	err = channel_charge(process->quota);
	if (err)
		return ERR_PTR(err);

	channel = kzalloc(sizeof(*channel), GFP_KERNEL_ACCOUNT | process->gfp);
	if (!channel) {
		channel_uncharge(process->quota);
		return ERR_PTR(-ENOMEM);
	}

	__module_get(THIS_MODULE);
	kref_init(&channel->ref);
	INIT_LIST_HEAD(&channel->node);
	raw_spin_lock_init(&channel->lock);
	INIT_LIST_HEAD(&channel->calls);
	coroprof_init_irq_work_hard(&channel->irq_work, channel_irq_work);
	INIT_RCU_WORK(&channel->work, channel_work);
	preempt_notifier_init(&channel->notifier, &channel_preempt_ops);
	notifiers.inc();
	channel->task = current;
	get_task_struct(channel->task);
	channel->tid = get_task_pid(current, PIDTYPE_PID);
	channel->process = process;
	channel->mm = process->mm;
	channel->exec_id = current->self_exec_id;
	channel->slots = process->slots;
	channel->nr_slots = process->nr_slots;
	kref_get(&process->ref);
	channel->epoch = READ_ONCE(process->epoch) - 1;
	return channel;
}

/* A thread has one channel. What it had before execve() it has no longer. */
static int channel_replace(void)
{
	struct coroprof_channel *other = thread_channel();
	int err = 0;

	if (!other)
		return 0;
	if (other->process->mm == current->mm)
		err = -EEXIST;
	else
		channel_leave(other);
	coroprof_channel_put(other);
	return err;
}

static int channel_register(struct coroprof_channel *channel)
{
	struct coroprof_process *process = channel->process;
	int err;

	err = channel_replace();
	if (err)
		return err;

	mutex_lock(&process->channels_lock);
	list_add(&channel->node, &process->channels);
	mutex_unlock(&process->channels_lock);

	/* After that: whoever ends the process from here on finds it. */
	mutex_lock(&coroprof_mutex);
	if (process->ended)
		err = -EPERM;
	mutex_unlock(&coroprof_mutex);
	return err;
}

/* The slot to begin with, and counters of the thread's own if it wants any. */
static int channel_setup(struct coroprof_channel *channel,
			 const struct coroprof_thread_config *config)
{
	struct coroprof_counters *counters;

	channel->slot_nr = array_index_nospec(config->slot, channel->process->nr_slots);
	channel->home = channel->slot_nr;
	channel->slot = coroprof_process_slot_alloc(channel->process, channel->slot_nr);
	if (IS_ERR(channel->slot))
		return PTR_ERR(channel->slot);
	if (!config->nr_counters)
		return 0;

	counters = coroprof_counters_create(config->counters, config->nr_counters,
					    coroprof_channel_word(channel), current_cred());
	if (!counters)
		return -ENOMEM;

	channel->nr_own = config->nr_counters;
	local_irq_disable();
	coroprof_slice_count(channel, counters);
	local_irq_enable();
	return 0;
}

static int thread_config_in(struct coroprof_thread_config *config,
			    const struct coroprof_process *process, void __user *arg)
{
	int err;

	err = coroprof_args_in(config, sizeof(*config), sizeof(*config), arg);
	if (err)
		return err;
	if (config->flags || config->reserved)
		return -EINVAL;
	if (!config->slot || config->slot >= process->nr_slots)
		return -EINVAL;
	return coroprof_counters_check(config->counters, config->nr_counters);
}

/* COROPROF_IOC_THREAD, by the thread itself. Returns a descriptor. */
long coroprof_channel_open(struct coroprof_process *process, void __user *arg)
{
	struct coroprof_thread_config config;
	struct coroprof_channel *channel;
	struct file *file;
	int fd, err;

	err = thread_config_in(&config, process, arg);
	if (err)
		return err;

	channel = channel_create(process);
	if (IS_ERR(channel))
		return PTR_ERR(channel);

	fd = coroprof_descriptor_reserve("[coroprof-channel]", &channel_fops, channel, &file);
	if (fd < 0) {
		coroprof_channel_put(channel);
		return fd;
	}

	err = channel_register(channel);
	if (err)
		goto err_descriptor;

	channel_link(channel);
	err = channel_setup(channel, &config);
	if (err)
		goto err_descriptor;

	fd_install(fd, file);
	return fd;

err_descriptor:
	coroprof_descriptor_drop(fd, file);
	return err;
}

/**
 * coroprof_channel_join() - a channel for the calling thread, without its doing
 * @process: that probes have made
 * @slot:    to begin with
 *
 * It lasts as long as its notifier is linked: nobody else holds it. May sleep.
 */
struct coroprof_channel *coroprof_channel_join(struct coroprof_process *process, u32 slot)
{
	const struct coroprof_thread_config config = { .slot = slot };
	struct coroprof_channel *channel;
	int err;

	channel = channel_create(process);
	if (IS_ERR(channel))
		return channel;

	channel->reason = COROPROF_REASON_PROBED;
	err = channel_setup(channel, &config) ?: channel_register(channel);
	if (!err)
		channel_link(channel);
	coroprof_channel_put(channel);
	return err ? ERR_PTR(err) : channel;
}

int coroprof_channels_init(void)
{
	if (!notifiers.link) {
		pr_err("coroprof: this kernel is built without CONFIG_PREEMPT_NOTIFIERS, which the module needs. Boot one that has it, such as a distribution's own with KVM: grep PREEMPT_NOTIFIERS /boot/config-*\n");
		return -EOPNOTSUPP;
	}
	channels_wq = alloc_workqueue("coroprof", WQ_UNBOUND, 0);
	return channels_wq ? 0 : -ENOMEM;
}

/* No channel is left, but the work that freed the last one may be returning. */
void coroprof_channels_exit(void)
{
	rcu_barrier();
	destroy_workqueue(channels_wq);
}
