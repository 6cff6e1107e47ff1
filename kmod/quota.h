/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_QUOTA_H
#define COROPROF_QUOTA_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

/**
 * struct coroprof_quota - what one user takes, over all of its processes and sessions;
 *                         or, of that, what one session takes
 *
 * A session has a bound of its own, so that whom it records can't use up what its
 * user has left for other sessions. What is charged to it is charged to the user, too.
 *
 * @ref:      held by each object charged to it
 * @node:     of a user's: among them, by @uid; under quotas_mutex (quota.c)
 * @user:     of a session's: its user's, held; of a user's: NULL
 * @uid:      of a user's: who
 * @host:     of a user's: he may exceed limits (CAP_SYS_RESOURCE in the initial
 *            user namespace). Root of a container without a user namespace has the
 *            uid of the host's root, and not that
 * @limit:    of a session's: most bytes
 * @bytes:    kernel memory, in bytes
 * @channels: of a user's: channels
 * @sessions: of a user's: sessions
 */
struct coroprof_quota {
	struct kref ref;
	struct hlist_node node;
	struct coroprof_quota *user;
	kuid_t uid;
	bool host;
	u64 limit;
	atomic64_t bytes;
	atomic_t channels;
	atomic_t sessions;
};

/* What an object of so many bytes takes of the kernel's memory. */
static inline u64 coroprof_bytes(size_t size)
{
	return roundup_pow_of_two(size);
}

/* A place in an xarray: at worst its neighbours are empty, and it alone keeps their node. */
#define COROPROF_INDEX_BYTES sizeof(struct xa_node)

/* And with a descriptor. */
static inline u64 coroprof_bytes_open(size_t size)
{
	return coroprof_bytes(size) + coroprof_bytes(sizeof(struct file)) +
	       coroprof_bytes(sizeof(struct dentry));
}

void coroprof_quotas_init(void);
struct coroprof_quota *coroprof_quota_get(void);
struct coroprof_quota *coroprof_quota_of_session(u32 *memory_mb);
void coroprof_quota_put(struct coroprof_quota *quota);

/* All return -EDQUOT at the limit. Any context. */
int coroprof_quota_charge(struct coroprof_quota *quota, u64 bytes);
void coroprof_quota_uncharge(struct coroprof_quota *quota, u64 bytes);
int coroprof_quota_charge_channel(struct coroprof_quota *quota);
void coroprof_quota_uncharge_channel(struct coroprof_quota *quota);

/* Of a session's: how much it has taken, and how much more it may. */
static inline u64 coroprof_quota_used(const struct coroprof_quota *quota)
{
	return atomic64_read(&quota->bytes);
}

static inline u64 coroprof_quota_left(const struct coroprof_quota *quota)
{
	return quota->limit - min(quota->limit, coroprof_quota_used(quota));
}

/* Memory that is charged; zeroed. May sleep, and kills nobody for it. */
void *coroprof_quota_alloc(struct coroprof_quota *quota, size_t size);
void coroprof_quota_free(struct coroprof_quota *quota, void *memory, size_t size);

#endif /* COROPROF_QUOTA_H */
