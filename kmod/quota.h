/* SPDX-License-Identifier: GPL-2.0 */
/* How much a user, or one session, may take. */
#ifndef COROPROF_QUOTA_H
#define COROPROF_QUOTA_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

/**
 * struct coroprof_quota - how much a user may take, over all processes and sessions; or, as
 *                         a part of that, how much one session may take
 *
 * A session has a limit of its own, so that the processes it records cannot use up what its
 * user has left for other sessions. A user of a user namespace takes a part of what its owner may
 * take, as the owner may have many ids there, and so on up to the initial one. So the quotas are
 * trees: whatever is charged to one is charged to all on the way up from it. An owner's ids in
 * his namespaces have one quota each, and his own id there has none but his. The root of the
 * initial namespace is left out as an owner: it has all ids anyway.
 *
 * @ref:      held by each object that is charged to it, and by each quota below it
 * @node:     of a user's quota: among these, by @uid; quotas_mutex (quota.c)
 * @up:       of a session's quota: its user's; of a user's in a user namespace: that of the
 *            namespace's owner; of another user's: NULL. Held; never changes, as all up to @limit
 * @top:      the last one on the way up, which may be this one itself
 * @uid:      of a user's quota: the user
 * @host:     of a user's quota: the user may exceed limits, because he has CAP_SYS_RESOURCE in
 *            the initial user namespace. Root of a container without a user namespace has the
 *            same uid as root of the host, but not this right
 * @is_session: a session's quota
 * @limit:    of a session's quota: most bytes
 * @bytes:    bytes of kernel memory charged
 * @channels: number of channels
 * @sessions: of a user's quota: number of sessions
 * @spare:    of a session's quota: bytes of @bytes that are spare rings (spare.h)
 * @spares_lock: of a top one: protects the next two
 * @spares:   of a top one: spare rings of all sessions below it, the oldest one first
 * @nr_spares: how many
 */
struct coroprof_quota {
	struct kref ref;
	struct hlist_node node;
	struct coroprof_quota *up;
	struct coroprof_quota *top;
	kuid_t uid;
	bool host;
	bool is_session;
	u64 limit;
	atomic64_t bytes;
	atomic_t channels;
	atomic_t sessions;
	atomic64_t spare;
	spinlock_t spares_lock; /* see above */
	struct list_head spares;
	u32 nr_spares;
};

/* How much kernel memory an object of @size bytes takes, in bytes. */
static inline u64 coroprof_bytes(size_t size)
{
	return roundup_pow_of_two(size);
}

/* Bytes for an entry of an xarray: at worst a node of the xarray exists for this entry alone. */
#define COROPROF_INDEX_BYTES sizeof(struct xa_node)

/* The same for an object that has a descriptor. */
static inline u64 coroprof_bytes_open(size_t size)
{
	return coroprof_bytes(size) + coroprof_bytes(sizeof(struct file)) +
	       coroprof_bytes(sizeof(struct dentry));
}

/* Whether what is charged to @quota is charged to @above, which may be @quota itself. */
static inline bool coroprof_quota_is_in(const struct coroprof_quota *quota,
					const struct coroprof_quota *above)
{
	while (quota && quota != above)
		quota = quota->up;
	return quota;
}

void coroprof_quotas_init(void);
struct coroprof_quota *coroprof_quota_get(void);
struct coroprof_quota *coroprof_quota_of_session(u32 *memory_mb);
void coroprof_quota_put(struct coroprof_quota *quota);

/*
 * Return 0, or -EDQUOT at the limit. To charge bytes may sleep, because at the limit spare rings
 * are freed first; it takes no lock of this module but spares_lock, and allocates nothing. The
 * others: any context.
 */
int coroprof_quota_charge(struct coroprof_quota *quota, u64 bytes);
/* The same, but no spare ring goes for it. Any context. */
int coroprof_quota_charge_lightly(struct coroprof_quota *quota, u64 bytes);
void coroprof_quota_uncharge(struct coroprof_quota *quota, u64 bytes);
/* What is charged to @from, to @to. Nothing changes where both are charged, as with their user. */
int coroprof_quota_move(struct coroprof_quota *from, struct coroprof_quota *to, u64 bytes);
int coroprof_quota_charge_channel(struct coroprof_quota *quota);
void coroprof_quota_uncharge_channel(struct coroprof_quota *quota);

/*
 * Of a session's quota: how many bytes it has taken, and how many more it may take. What is spare
 * can be had at any time. The two figures are not of one moment.
 */
static inline u64 coroprof_quota_used(const struct coroprof_quota *quota)
{
	u64 bytes = atomic64_read(&quota->bytes), spare = atomic64_read(&quota->spare);

	return bytes - min(bytes, spare);
}

static inline u64 coroprof_quota_left(const struct coroprof_quota *quota)
{
	return quota->limit - min(quota->limit, coroprof_quota_used(quota));
}

/*
 * Returns zeroed memory that is charged to @quota, or an error as a pointer. May sleep; no task
 * is killed for this memory.
 */
void *coroprof_quota_alloc(struct coroprof_quota *quota, size_t size);
void coroprof_quota_free(struct coroprof_quota *quota, void *memory, size_t size);

#endif /* COROPROF_QUOTA_H */
