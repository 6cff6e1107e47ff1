/* SPDX-License-Identifier: GPL-2.0 */
/* How a thread gets to count in user mode. */
#ifndef COROPROF_OFFER_H
#define COROPROF_OFFER_H

#include <linux/types.h>

struct coroprof_channel;
struct coroprof_session;
struct inode;
struct vm_area_struct;

/*
 * WANTED and USER: before a thread is recorded, it may offer to count with perf events that
 * it has opened itself, because it can read those in user mode. The offer waits in
 * channel->offered for the recording that it is meant for. The thread itself makes both
 * calls.
 *
 * DELEGATE: to a thread that may open no perf events the session may delegate events that it has
 * opened. They wait in channel->delegated until the thread takes them.
 */
long coroprof_offer_wanted(struct coroprof_channel *channel, void __user *arg);
long coroprof_offer_user(struct coroprof_channel *channel, struct inode *anon,
			 void __user *arg);
long coroprof_offer_delegate(struct coroprof_session *session, const struct inode *anon,
			     void __user *arg);
int coroprof_offer_mmap(struct coroprof_channel *channel, struct vm_area_struct *vma, u64 i);
void coroprof_offer_take_back(struct coroprof_channel *channel);
void coroprof_offer_drop(struct coroprof_channel *channel);

#endif /* COROPROF_OFFER_H */
