/* SPDX-License-Identifier: GPL-2.0 */
/* What a channel is, for those who look into it. What can be done to one is in channel.h. */
#ifndef COROPROF_CHANNEL_LAYOUT_H
#define COROPROF_CHANNEL_LAYOUT_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../uapi/coroprof.h"
#include "process.h"

struct coroprof_counters;
struct coroprof_recording;

/**
 * enum coroprof_off - where a channel's thread is
 * @COROPROF_ON:        on a CPU
 * @COROPROF_PREEMPTED: off the CPU, could run
 * @COROPROF_BLOCKED:   off the CPU, went to sleep
 */
enum coroprof_off {
	COROPROF_ON,
	COROPROF_PREEMPTED,
	COROPROF_BLOCKED,
};

/**
 * struct coroprof_channel - one thread
 *
 * The members below "the slice" describe the slice that goes on. Three may touch them: the
 * thread itself with interrupts off; an interrupt on the CPU that runs the thread; and,
 * while the thread is off the CPU (@off), whoever holds @lock. The hooks sched_out and
 * sched_in hold @lock when they change @off, so the thread cannot come back while somebody
 * else is at its slice. Therefore the switch path takes no lock.
 *
 * Lifetime: a channel is referenced by its descriptor, unless probes have made it, and by
 * the preempt notifier while that is linked to the thread. Only the thread can unlink its
 * notifier: in LEAVE; when it releases the descriptor itself; and in the hooks, after
 * another task has released the descriptor (@closed), when the thread dies, or, if probes
 * have made the channel, when the thread runs another program. The hooks run under the
 * scheduler's locks. So they pass their reference on, through @irq_work to @work. @work
 * runs an RCU grace period later, because the scheduler still reads the notifier's link
 * after a hook has returned. Who puts the last reference lets go of the module.
 *
 * "Thread only" means: the thread reads and writes the member, nobody else does.
 *
 * @ref:       see above
 * @task:      the thread; others compare it, and ask it for its CPU
 * @mm:        a copy of process->mm for the switch path, as are @slots and @nr_slots
 * @tid:       the thread's id, for readers
 * @process:   the process it belongs to
 * @exec_id:   task->self_exec_id when the thread joined
 * @slots:     process->slots
 * @nr_slots:  process->nr_slots
 * @node:      in process->channels; process->channels_lock
 * @notifier:  linked while @linked
 * @linked:    @notifier is linked; thread only
 * @closed:    the descriptor is gone and there is no recording: the hooks unlink the
 *             notifier at the next chance
 * @irq_work:  leads from the hooks to @work
 * @work:      puts the notifier's reference
 * @lock:      see above; nests inside the run queue's lock
 * @calls:     what other tasks want done to the slice. Whoever may touch it does that, at the
 *             latest the hook by which the thread leaves its CPU (slice_call()); @lock
 * @off:       where the thread is; the hooks alone change it, under @lock
 * @off_since: when the thread last left the CPU
 * @off_first: when it first left the CPU in this slice, or 0
 * @off_nr:    how often it left the CPU; @lock
 * @epoch:     process->epoch that the thread has taken note of; thread only
 * @nr_own:    how many; if 0, the thread has the counters that the session wants
 * @offered:   counters that user mode can read, for the next recording, or NULL; thread only
 * @delegated: counters that the session has opened for the thread, or NULL; coroprof_mutex
 * @delegated_epoch: process->epoch for which @delegated was opened; coroprof_mutex
 * @takes:     the thread would take @delegated; the thread sets it
 * @offer_epoch: process->epoch for which @offered was made; thread only
 * @reason:    why the thread is not in user mode; thread only
 * @ring_size: what the thread's last WANTED returned; thread only
 * @clock_offset: what the process page showed at that WANTED; thread only
 * @page:      the channel page, or NULL if the thread has never offered to switch from user
 *             mode
 * @open_slices: coroprof_open_slice.slices at the last load; part of the slice
 * @open_dropped: coroprof_open_slice.dropped at the last load; part of the slice
 * @pending:   the next SWITCH returns that the session has delegated counters
 * @slot_nr:   number of the current slot
 * @left:      during a switch, the slot that was current before it; else 0. Interrupts on
 *             the thread's CPU read it; the thread alone writes it
 * @fast:      @recording if the next switch may be a fast one (fast.h). NULL if the
 *             recording is in user mode, if there is @pending, if it has a counter of the
 *             program's own, if more than counts has to be recorded of the slice, if a
 *             counter was off the PMU when the slice began, and while slices are traced
 * @slot:      memory of the current slot
 * @began:     when the slice began
 * @home:      the slot that the thread began with. If probes have made the channel, the
 *             thread is in it whenever it is outside any coroutine
 * @unreported: probes did not see all switches of the thread: the next one is marked so;
 *             thread only
 * @counters:  what the thread counts with now, or NULL
 * @recording: what a session has of the thread now, or NULL
 * @retiring:  a recording that has ended and waits for a task that may sleep; set where the
 *             slice may be touched, taken under coroprof_mutex
 * @base:      when the counters began
 * @flags:     COROPROF_SLICE_* of the slice so far; OFFCPU once the thread was off the CPU
 *             in it
 * @wake_time: taken from the slot when the slice began
 * @waker:     taken from the slot when the slice began
 * @preempted: nanoseconds in this slice
 * @blocked:   nanoseconds in this slice
 * @nr_preempted: how often in this slice
 * @nr_blocked: how often in this slice
 * @off_total: nanoseconds off the CPU since @base
 * @own:       counters that the thread asked for in THREAD
 */
struct coroprof_channel {
	struct kref ref;
	struct task_struct *task;
	struct mm_struct *mm;
	struct pid *tid;
	struct coroprof_process *process;
	u64 exec_id;
	struct coroprof_slot **slots;
	unsigned long nr_slots;
	struct list_head node;
	struct preempt_notifier notifier;
	bool linked;
	bool closed;
	struct irq_work irq_work;
	struct rcu_work work;
	raw_spinlock_t lock;
	struct list_head calls;
	enum coroprof_off off;
	u64 off_since;
	u64 off_first;
	u64 off_nr;
	u32 epoch;
	u32 nr_own;
	struct coroprof_counters *offered;
	struct coroprof_counters *delegated;
	u32 delegated_epoch;
	bool takes;
	u32 offer_epoch;
	u32 reason;
	u32 ring_size;
	s64 clock_offset;
	struct coroprof_channel_page *page;
	u32 home;
	bool unreported;

	/* the slice */
	bool pending;
	u32 slot_nr;
	u32 left;
	struct coroprof_recording *fast;
	struct coroprof_slot *slot;
	u64 began;
	struct coroprof_counters *counters;
	struct coroprof_recording *recording;
	struct coroprof_recording *retiring;
	u64 base;
	u16 flags;
	u64 wake_time;
	u64 waker;
	u64 preempted;
	u64 blocked;
	u32 nr_preempted;
	u32 nr_blocked;
	u64 off_total;
	u32 open_slices;
	u32 open_dropped;

	/* Large, so it comes last: the switch path reaches two neighbours at a time up to here. */
	struct coroprof_counter own[COROPROF_COUNTERS_MAX];
};

/**
 * coroprof_channel_word() - where the thread counts what is the program's own
 * @channel: its channel, held
 *
 * In memory of the process, which stays as long as the process object. NULL if nobody can
 * count there, or several threads may: the slot with which it began is not its alone.
 */
static inline const u64 *coroprof_channel_word(const struct coroprof_channel *channel)
{
	const struct coroprof_slot *slot = coroprof_process_slot(channel->process, channel->home);

	if (channel->process->keys || !(READ_ONCE(slot->id) & COROPROF_ID_THREAD))
		return NULL;
	return &slot->mark[1];
}

#endif /* COROPROF_CHANNEL_LAYOUT_H */
