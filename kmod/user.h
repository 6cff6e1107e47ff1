/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_USER_H
#define COROPROF_USER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/uidgid.h>

/**
 * struct coroprof_user - what one user takes, over all of its processes
 * @ref:      held by each object charged to it
 * @node:     in the list of users; under the list's mutex
 * @uid:      who
 * @bytes:    kernel memory, in bytes
 * @channels: channels
 */
struct coroprof_user {
	struct kref ref;
	struct list_head node;
	kuid_t uid;
	atomic64_t bytes;
	atomic_t channels;
};

struct coroprof_user *coroprof_user_get(kuid_t uid);
void coroprof_user_put(struct coroprof_user *user);

/* Both return -EDQUOT at the limit. Any context. */
int coroprof_user_charge(struct coroprof_user *user, u64 bytes);
void coroprof_user_uncharge(struct coroprof_user *user, u64 bytes);
int coroprof_user_charge_channel(struct coroprof_user *user);
void coroprof_user_uncharge_channel(struct coroprof_user *user);

#endif /* COROPROF_USER_H */
