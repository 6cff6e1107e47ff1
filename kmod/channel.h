/* SPDX-License-Identifier: GPL-2.0 */
/* What other files do with a channel as a whole; its members are in channel-layout.h. */
#ifndef COROPROF_CHANNEL_H
#define COROPROF_CHANNEL_H

#include <linux/types.h>

struct coroprof_channel;
struct coroprof_channel_status;
struct coroprof_process;
struct coroprof_recording;
struct coroprof_session;

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
