/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_CHANNEL_H
#define COROPROF_CHANNEL_H

#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../uapi/coroprof.h"

struct coroprof_counters;
struct coroprof_process;
struct coroprof_recording;
struct coroprof_session;

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
 * Who may touch the members below "the slice": the thread itself with
 * interrupts off; an interrupt on the CPU that runs the thread; or, while the
 * thread is off the CPU (@off), whoever holds @lock. sched_out and sched_in
 * hold @lock to change @off, so that nobody can be surprised by the thread
 * coming back. The switch path therefore takes no lock at all.
 *
 * Lifetime: referenced by its descriptor, unless probes have made it, and by the preempt
 * notifier while that is linked to the thread. Only the thread can unlink it: in LEAVE,
 * when it releases the descriptor itself, or in the notifier's own hooks after somebody
 * else released it (@closed) or when it dies, or, if probes have made it, runs another
 * program. The hooks run under the
 * scheduler's locks, so they pass their reference on through @irq_work to
 * @work, which comes an RCU grace period later: the scheduler still reads the
 * notifier's link after a hook returns. The last reference lets go of the
 * module.
 *
 * @ref:       see above
 * @task:      the thread; compared, and asked for its CPU
 * @tid:       for those who read of it
 * @process:   where it belongs
 * @mm:        process->mm, at hand for the switch path; so are @slots and @nr_slots
 * @exec_id:   task->self_exec_id when it joined
 * @slots:     process->slots
 * @nr_slots:  process->nr_slots
 * @node:      in process->channels; process->channels_lock
 * @notifier:  linked while @linked
 * @linked:    the thread's own
 * @closed:    the descriptor is gone and no recording left, unlink at the next
 *             chance
 * @irq_work:  from the hooks to @work
 * @work:      puts the notifier's reference
 * @lock:      see above; nests inside the run queue's lock
 * @off:       where the thread is; changed under @lock by the hooks only
 * @off_since: when it last left the CPU
 * @off_first: when it first did in this slice, if it did
 * @off_nr:    how often it left the CPU; under @lock
 * @epoch:     process->epoch that the thread has taken note of; its own
 * @own:       counters asked for in THREAD
 * @nr_own:    how many; 0: what the session wants
 * @offered:   counters for the next recording, in user mode, or NULL; its own
 * @given:     counters that the session has opened for it, or NULL; coroprof_mutex
 * @given_epoch: process->epoch that they are for; coroprof_mutex
 * @takes:     it would take such; set by itself
 * @offer_epoch: process->epoch that they are for; its own
 * @reason:    why it is not in user mode; its own
 * @ring_size: what its last WANTED said; its own
 * @clock_offset: what its process page said at its last WANTED; its own
 * @page:      the channel page, or NULL while it was never offered to be in user
 *             mode
 * @open_slices: coroprof_open_slice.slices as of the last load; the slice
 * @open_dropped: coroprof_open_slice.dropped, likewise
 * @news:      the next SWITCH says that something was given
 * @slot_nr:   the slot that is current
 * @slot:      its memory
 * @home:      the slot it began with: of a thread that probes tell of, what it is
 *             outside any coroutine
 * @untold:    the next switch of such a thread says that it has missed some; its own
 * @left:      in a switch, the slot that was current before it; else 0. For the
 *             thread's own interrupts; its own
 * @counters:  what the thread counts with now, or NULL
 * @recording: what a session has of it now, or NULL
 * @fast:      @recording, unless that is in user mode, or there is @news, or the slice
 *             has more to tell than what it counts, or a counter was off the PMU at
 *             its beginning, or slices are traced
 * @retiring:  a recording that has ended and waits for somebody who may sleep;
 *             set where the slice may be touched, taken under coroprof_mutex
 * @began:     when the slice began
 * @base:      when the counters did
 * @flags:     COROPROF_SLICE_* of the slice so far; OFFCPU once a time off the
 *             CPU is in it
 * @wake_time: taken from the slot at the switch-in
 * @waker:     likewise
 * @preempted: in this slice
 * @blocked:   in this slice
 * @nr_preempted: in this slice
 * @nr_blocked: in this slice
 * @off_total: off-CPU time since @base
 */
struct coroprof_channel {
	struct kref ref;
	struct task_struct *task;
	struct pid *tid;
	struct coroprof_process *process;
	struct mm_struct *mm;
	u64 exec_id;
	struct coroprof_slot **slots;
	u32 nr_slots;
	struct list_head node;
	struct preempt_notifier notifier;
	bool linked;
	bool closed;
	struct irq_work irq_work;
	struct rcu_work work;
	raw_spinlock_t lock;
	enum coroprof_off off;
	u64 off_since;
	u64 off_first;
	u64 off_nr;
	u32 epoch;
	u32 nr_own;
	struct coroprof_counter own[COROPROF_COUNTERS_MAX];
	struct coroprof_counters *offered;
	struct coroprof_counters *given;
	u32 given_epoch;
	bool takes;
	u32 offer_epoch;
	u32 reason;
	u32 ring_size;
	s64 clock_offset;
	struct coroprof_channel_page *page;
	u32 home;
	bool untold;

	/* the slice */
	bool news;
	u32 slot_nr;
	struct coroprof_slot *slot;
	u32 left;
	struct coroprof_counters *counters;
	struct coroprof_recording *recording;
	struct coroprof_recording *fast;
	struct coroprof_recording *retiring;
	u64 began;
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
};

long coroprof_channel_open(struct coroprof_process *process, void __user *arg);
struct coroprof_channel *coroprof_channel_join(struct coroprof_process *process, u32 slot);
struct coroprof_channel *coroprof_channel_probed(const struct coroprof_session *session);
long coroprof_channel_switch(struct coroprof_channel *channel, unsigned long arg);
void coroprof_channel_close(struct coroprof_channel *channel);
bool coroprof_channel_get(struct coroprof_channel *channel);
void coroprof_channel_put(struct coroprof_channel *channel);
void coroprof_channel_stop(struct coroprof_channel *channel,
			   const struct coroprof_session *session);
void coroprof_channel_cut(struct coroprof_channel *channel, bool taken);
void coroprof_channel_notify(struct coroprof_channel *channel);
void coroprof_channel_restart(struct coroprof_channel *channel);
void coroprof_channel_status(struct coroprof_channel *channel,
			     struct coroprof_recording *recording,
			     struct coroprof_channel_status *status);
void coroprof_channel_execve(void);
void coroprof_channel_slow(void *unused);
int coroprof_channels_init(void);
void coroprof_channels_exit(void);

#endif /* COROPROF_CHANNEL_H */
