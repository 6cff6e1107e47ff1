/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_USER_H
#define COROPROF_USER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/uidgid.h>

/**
 * struct coroprof_quota - what one user takes, over all of its processes
 * @ref:      held by each object charged to it
 * @node:     in the list of users; under the list's mutex
 * @uid:      who
 * @bytes:    kernel memory, in bytes
 * @channels: channels
 */
struct coroprof_quota {
	struct kref ref;
	struct list_head node;
	kuid_t uid;
	atomic64_t bytes;
	atomic_t channels;
};

struct coroprof_quota *coroprof_quota_get(kuid_t uid);
void coroprof_quota_put(struct coroprof_quota *quota);

/* Both return -EDQUOT at the limit. Any context. */
int coroprof_quota_charge(struct coroprof_quota *quota, u64 bytes);
void coroprof_quota_uncharge(struct coroprof_quota *quota, u64 bytes);
int coroprof_quota_charge_channel(struct coroprof_quota *quota);
void coroprof_quota_uncharge_channel(struct coroprof_quota *quota);

#endif /* COROPROF_USER_H */
