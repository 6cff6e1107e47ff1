// SPDX-License-Identifier: GPL-2.0
/*
 * WANTED, USER and DELEGATE: how a thread gets to count in user mode, with events of its own or of
 * the session's. What is offered or delegated belongs to the channel until a recording takes it.
 */
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#include "args.h"
#include "channel-layout.h"
#include "channel.h"
#include "clock.h"
#include "compat.h"
#include "counters.h"
#include "lock.h"
#include "offer.h"
#include "process.h"
#include "recording.h"
#include "session.h"
#include "shared.h"

#define REASON_LAST COROPROF_REASON_PROC

#define USER_FLAGS (COROPROF_USER_LATER | COROPROF_USER_DELEGATED)

/* Whether it may, were it not for the session. */
static bool thread_may(const struct coroprof_channel *channel)
{
	return !channel->nr_own && channel->reason != COROPROF_REASON_NESTED;
}

/* The process may have gone to another time namespace since it was made known. */
static void note_clock(struct coroprof_channel *channel)
{
	struct coroprof_process_page *page = page_address(channel->process->page);

	channel->clock_offset = coroprof_clock_offset();
	WRITE_ONCE(page->clock_offset, channel->clock_offset);
}

/* COROPROF_IOC_WANTED */
long coroprof_offer_wanted(struct coroprof_channel *channel, void __user *arg)
{
	struct coroprof_process *process = channel->process;
	struct coroprof_session *session;
	struct coroprof_wanted wanted;
	u32 size;
	int err;

	err = coroprof_args_in(&wanted, sizeof(wanted), sizeof(wanted), arg);
	if (err)
		return err;

	note_clock(channel);
	size = wanted.size;
	memset(&wanted, 0, sizeof(wanted));
	wanted.size = size;

	mutex_lock(&coroprof_mutex);
	session = process->session;
	if (coroprof_process_is_recorded(process)) {
		if (session->user_mode && thread_may(channel))
			wanted.flags |= COROPROF_WANTED_USER;
		if (wanted.flags && seccomp_mode(&current->seccomp) == SECCOMP_MODE_DISABLED)
			wanted.flags |= COROPROF_WANTED_UNFILTERED;
		wanted.epoch = process->epoch;
		wanted.nr_counters = session->nr_counters;
		channel->ring_size = coroprof_session_ring_size(session, 0);
		wanted.ring_size = channel->ring_size;
		memcpy(wanted.counters, session->counters, sizeof(wanted.counters));
	} else {
		err = -ENODATA;
	}
	mutex_unlock(&coroprof_mutex);
	return err ?: coroprof_args_out(arg, &wanted, sizeof(wanted));
}

/* What the session wants that the offer is for. */
static int wanted_now(struct coroprof_channel *channel, const struct coroprof_user_mode *offer,
		      struct coroprof_counter *counters)
{
	struct coroprof_process *process = channel->process;
	struct coroprof_session *session;
	int err = 0;

	mutex_lock(&coroprof_mutex);
	session = process->session;
	if (!coroprof_process_is_recorded(process) || process->epoch != offer->epoch)
		err = -ESTALE;
	else if (!session->user_mode || !thread_may(channel))
		err = -EOPNOTSUPP;
	else if (session->nr_counters != offer->nr_counters)
		err = -EINVAL;
	else
		memcpy(counters, session->counters, sizeof(session->counters));
	mutex_unlock(&coroprof_mutex);
	return err;
}

/* @epoch: out: what it was delegated for */
static struct coroprof_counters *delegated_take(struct coroprof_channel *channel, u32 *epoch)
{
	struct coroprof_counters *delegated;

	mutex_lock(&coroprof_mutex);
	delegated = channel->delegated;
	*epoch = channel->delegated_epoch;
	channel->delegated = NULL;
	mutex_unlock(&coroprof_mutex);
	return delegated;
}

/* Of this START: what was delegated for one before may be of another session. */
static struct coroprof_counters *delegated_for(struct coroprof_channel *channel, u32 epoch)
{
	u32 delegated_epoch;
	struct coroprof_counters *delegated = delegated_take(channel, &delegated_epoch);

	if (!delegated)
		return ERR_PTR(-ENODATA);
	if (delegated_epoch == epoch)
		return delegated;
	coroprof_counters_put(delegated);
	return ERR_PTR(-ENODATA);
}

static long offer(struct coroprof_channel *channel, struct inode *anon,
		  const struct coroprof_user_mode *config)
{
	struct coroprof_counter wanted[COROPROF_COUNTERS_MAX];
	struct coroprof_counters *counters;
	int err;

	err = wanted_now(channel, config, wanted);
	if (err)
		return err;

	err = coroprof_shared_create(channel);
	if (err)
		return err;

	if (config->flags & COROPROF_USER_DELEGATED)
		counters = delegated_for(channel, config->epoch);
	else
		counters = coroprof_counters_adopt(wanted, config->nr_counters,
						   coroprof_channel_word(channel), config->event,
						   anon, current);
	if (IS_ERR(counters))
		return PTR_ERR(counters);

	coroprof_offer_drop(channel);
	channel->offered = counters;
	channel->offer_epoch = config->epoch;
	return 0;
}

/* By ioctl nothing changes, but that it takes, or declines, what was delegated. */
static bool changes(const struct coroprof_channel *channel,
		    const struct coroprof_recording *recording,
		    const struct coroprof_user_mode *config)
{
	if (recording->user_mode)
		return config->reason;
	return config->flags & COROPROF_USER_DELEGATED || (config->reason && channel->delegated);
}

/*
 * Whether the thread may change how it is recorded, while it is. A recording that is
 * cut now can't be put before the mutex is free. @anew: out: another one begins.
 */
static int may_change(struct coroprof_channel *channel, const struct coroprof_user_mode *config,
		      bool *anew)
{
	struct coroprof_recording *recording;
	int err = 0;

	mutex_lock(&coroprof_mutex);
	recording = READ_ONCE(channel->recording);
	*anew = recording && (recording->user_mode || config->flags & COROPROF_USER_DELEGATED);
	if (recording && !changes(channel, recording, config))
		err = -EBUSY;
	mutex_unlock(&coroprof_mutex);
	return err;
}

/* What is recorded of the thread by ioctl ends because it can do better now. */
static void note_delegated(struct coroprof_channel *channel)
{
	struct coroprof_recording *recording;

	mutex_lock(&coroprof_mutex);
	recording = READ_ONCE(channel->recording);
	if (recording && !recording->user_mode)
		recording->reason = COROPROF_REASON_DELEGATED;
	mutex_unlock(&coroprof_mutex);
}

static bool valid(const struct coroprof_user_mode *config)
{
	if (config->flags & ~USER_FLAGS || config->reserved || config->reason > REASON_LAST ||
	    config->nr_counters > COROPROF_COUNTERS_MAX)
		return false;
	return config->flags != USER_FLAGS &&
	       (config->flags & COROPROF_USER_LATER ? config->reason :
		config->flags & COROPROF_USER_DELEGATED ? !config->reason : true);
}

/* COROPROF_IOC_USER */
long coroprof_offer_user(struct coroprof_channel *channel, struct inode *anon, void __user *arg)
{
	struct coroprof_user_mode config;
	bool anew;
	int err;

	err = coroprof_args_in(&config, sizeof(config), sizeof(config), arg);
	if (err)
		return err;
	if (!valid(&config))
		return -EINVAL;
	err = may_change(channel, &config, &anew);
	if (err)
		return err;

	if (config.reason)
		coroprof_offer_drop(channel);
	else
		err = offer(channel, anon, &config);
	if (err)
		return err;

	WRITE_ONCE(channel->takes, config.flags & COROPROF_USER_LATER);
	if (channel->reason != COROPROF_REASON_NESTED)
		channel->reason = config.reason;
	if (config.flags & COROPROF_USER_DELEGATED)
		note_delegated(channel);
	if (anew)
		coroprof_channel_restart(channel);
	return 0;
}

/* For a recording by ioctl that goes on, of a thread that asked for events; held. */
static struct coroprof_channel *channel_to_delegate_to(struct coroprof_session *session, u32 id)
{
	struct coroprof_recording *recording;
	struct coroprof_channel *channel;

	lockdep_assert_held(&coroprof_mutex);
	recording = coroprof_recording_find(session, id);
	if (!recording)
		return ERR_PTR(-ENOENT);
	channel = recording->channel;
	if (!channel || recording->ended)
		return ERR_PTR(-ESRCH);
	if (!session->user_mode || recording->user_mode || !READ_ONCE(channel->takes))
		return ERR_PTR(-EOPNOTSUPP);
	return coroprof_channel_get(channel) ? channel : ERR_PTR(-ESRCH);
}

static int delegate(struct coroprof_session *session, struct coroprof_channel *channel,
		    const struct coroprof_delegate *config, const struct inode *anon)
{
	struct coroprof_process *process = channel->process;
	struct coroprof_counters *counters, *old;
	int err = -ESRCH;

	counters = coroprof_counters_adopt(session->counters, config->nr_counters,
					   coroprof_channel_word(channel), config->event, anon,
					   channel->task);
	if (IS_ERR(counters))
		return PTR_ERR(counters);

	mutex_lock(&coroprof_mutex);
	old = counters;
	if (process->session == session && coroprof_process_is_recorded(process)) {
		old = channel->delegated;
		channel->delegated = counters;
		channel->delegated_epoch = process->epoch;
		err = 0;
	}
	mutex_unlock(&coroprof_mutex);
	if (old)
		coroprof_counters_put(old);
	if (!err)
		coroprof_channel_notify(channel);
	return err;
}

/* COROPROF_IOC_DELEGATE */
long coroprof_offer_delegate(struct coroprof_session *session, const struct inode *anon,
			     void __user *arg)
{
	struct coroprof_channel *channel;
	struct coroprof_delegate config;
	int err;

	err = coroprof_args_in(&config, sizeof(config), sizeof(config), arg);
	if (err)
		return err;
	if (config.flags || config.nr_counters != session->nr_counters)
		return -EINVAL;

	mutex_lock(&coroprof_mutex);
	channel = channel_to_delegate_to(session, config.channel_id);
	mutex_unlock(&coroprof_mutex);
	if (IS_ERR(channel))
		return PTR_ERR(channel);

	err = delegate(session, channel, &config, anon);
	coroprof_channel_put(channel);
	return err;
}

/* Event @i of those that were delegated for this START, or NULL; held. */
static struct file *delegated_file(struct coroprof_channel *channel, u64 i)
{
	struct file *file = NULL;

	mutex_lock(&coroprof_mutex);
	if (channel->delegated && channel->delegated_epoch == READ_ONCE(channel->process->epoch) &&
	    i < channel->delegated->nr)
		file = channel->delegated->at[array_index_nospec(i, COROPROF_COUNTERS_MAX)].file;
	if (file)
		get_file(file);
	mutex_unlock(&coroprof_mutex);
	return file;
}

/*
 * As perf shows its event to whoever has a descriptor of it. From here on the mapping
 * is of that file, unless perf refuses.
 */
int coroprof_offer_mmap(struct coroprof_channel *channel, struct vm_area_struct *vma, u64 i)
{
	struct file *own = vma->vm_file, *event;
	int err;

	if (vma_pages(vma) != 1)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	event = delegated_file(channel, i);
	if (!event)
		return -ENODATA;

	coroprof_vm_flags_mod(vma, 0, VM_MAYEXEC | VM_MAYWRITE);
	vma->vm_pgoff = 0;
	coroprof_vma_set_file(vma, event);
	err = event->f_op->mmap ? event->f_op->mmap(event, vma) : -ENODEV;
	if (err)
		coroprof_vma_set_file(vma, own);
	fput(event);
	return err;
}

/* The session has stopped: what was delegated for that START counts no longer. May sleep. */
void coroprof_offer_take_back(struct coroprof_channel *channel)
{
	struct coroprof_counters *delegated = NULL;

	mutex_lock(&coroprof_mutex);
	if (channel->delegated_epoch != channel->process->epoch)
		delegated = xchg(&channel->delegated, NULL);
	mutex_unlock(&coroprof_mutex);
	if (delegated)
		coroprof_counters_put(delegated);
}

/* Forget what was offered, or delegated. May sleep. */
void coroprof_offer_drop(struct coroprof_channel *channel)
{
	struct coroprof_counters *counters = channel->offered;
	u32 epoch;
	struct coroprof_counters *delegated = delegated_take(channel, &epoch);

	channel->offered = NULL;
	if (counters)
		coroprof_counters_put(counters);
	if (delegated)
		coroprof_counters_put(delegated);
}
