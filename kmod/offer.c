// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include "args.h"
#include "channel.h"
#include "clock.h"
#include "counters.h"
#include "offer.h"
#include "process.h"
#include "session.h"
#include "shared.h"

#define REASON_LAST COROPROF_REASON_PROC

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
	if (session && session->started) {
		if (session->user_mode && thread_may(channel))
			wanted.flags |= COROPROF_WANTED_USER;
		wanted.epoch = process->epoch;
		wanted.nr_counters = session->nr_counters;
		wanted.ring_size = session->ring_size;
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
	if (!session || !session->started || process->epoch != offer->epoch)
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

	counters = coroprof_counters_adopt(wanted, config->nr_counters, config->event, anon);
	if (IS_ERR(counters))
		return PTR_ERR(counters);

	channel->offered = counters;
	channel->offer_epoch = config->epoch;
	return 0;
}

/* COROPROF_IOC_USER */
long coroprof_offer_user(struct coroprof_channel *channel, struct inode *anon, void __user *arg)
{
	struct coroprof_user_mode config;
	int err;

	err = coroprof_args_in(&config, sizeof(config), sizeof(config), arg);
	if (err)
		return err;
	if (config.flags || config.reserved || config.reason > REASON_LAST ||
	    config.nr_counters > COROPROF_COUNTERS_MAX)
		return -EINVAL;
	/* It may be cut at any time, but not begin. */
	if (READ_ONCE(channel->recording))
		return -EBUSY;

	coroprof_offer_drop(channel);
	if (channel->reason != COROPROF_REASON_NESTED)
		channel->reason = config.reason;
	return config.reason ? 0 : offer(channel, anon, &config);
}

/* May sleep. */
void coroprof_offer_drop(struct coroprof_channel *channel)
{
	struct coroprof_counters *counters = channel->offered;

	channel->offered = NULL;
	if (counters)
		coroprof_counters_put(counters);
}

/* Why it is not in user mode, if it is not. */
u16 coroprof_offer_reason(const struct coroprof_channel *channel,
			  const struct coroprof_session *session)
{
	if (!session->user_mode)
		return COROPROF_REASON_SESSION;
	if (channel->nr_own)
		return COROPROF_REASON_OWN;
	return channel->reason;
}
