// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "lock.h"
#include "quota.h"
#include "spare.h"

/* No more than that, and than one sixteenth of the machine's memory, is the default. */
#define MEMORY_MB_MOST	1024UL
#define MEMORY_PART	16
#define MEMORY_DEFAULT	UINT_MAX

static unsigned int user_memory_mb = MEMORY_DEFAULT;
module_param(user_memory_mb, uint, 0644);
MODULE_PARM_DESC(user_memory_mb,
		 "Most kernel memory of one user, in MiB (default: 1/16 of RAM, at most 1024)");

static unsigned int user_channels = 4096;
module_param(user_channels, uint, 0644);
MODULE_PARM_DESC(user_channels, "Most channels (threads that have joined) of one user");

static unsigned int user_sessions = 64;
module_param(user_sessions, uint, 0644);
MODULE_PARM_DESC(user_sessions, "Most sessions of one user");

static DEFINE_MUTEX(quotas_mutex);
/* One user may have many ids, in a namespace of his own. */
#define QUOTAS_BITS 10
static DEFINE_HASHTABLE(quotas, QUOTAS_BITS);

void coroprof_quotas_init(void)
{
	unsigned long part = (totalram_pages() >> (20 - PAGE_SHIFT)) / MEMORY_PART;

	if (user_memory_mb == MEMORY_DEFAULT)
		user_memory_mb = clamp(part, 1UL, MEMORY_MB_MOST);
	coroprof_never_allocate_under(&quotas_mutex);
}

static struct coroprof_quota *find(kuid_t uid, bool host)
{
	struct coroprof_quota *quota;

	lockdep_assert_held(&quotas_mutex);
	hash_for_each_possible(quotas, quota, node, __kuid_val(uid)) {
		if (uid_eq(quota->uid, uid) && quota->host == host)
			return quota;
	}
	return NULL;
}

/* One of the calling task's user, not among the others. */
static struct coroprof_quota *create(bool host)
{
	struct coroprof_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);

	if (quota) {
		kref_init(&quota->ref);
		quota->uid = current_uid();
		quota->host = host;
		spin_lock_init(&quota->spares_lock);
		INIT_LIST_HEAD(&quota->spares);
	}
	return quota;
}

/* @new is put among the others, unless there is one of the same user. */
static struct coroprof_quota *find_or_add(struct coroprof_quota *new)
{
	struct coroprof_quota *quota;

	mutex_lock(&quotas_mutex);
	quota = find(new->uid, new->host);
	if (quota) {
		kref_get(&quota->ref);
	} else {
		hash_add(quotas, &new->node, __kuid_val(new->uid));
		quota = new;
	}
	mutex_unlock(&quotas_mutex);
	return quota;
}

/*
 * That of the calling task's user; NULL when out of memory. Memory for one is had before
 * it is known to be needed: nobody allocates under quotas_mutex, as in a full cgroup
 * that may take long.
 */
struct coroprof_quota *coroprof_quota_get(void)
{
	bool host = ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
	struct coroprof_quota *new = create(host), *quota;

	if (!new)
		return NULL;
	quota = find_or_add(new);
	if (quota != new)
		kfree(new);
	return quota;
}

static int charge_one(atomic_t *count, unsigned int limit)
{
	if (atomic_inc_return(count) > (int)min_t(unsigned int, limit, INT_MAX)) {
		atomic_dec(count);
		return -EDQUOT;
	}
	return 0;
}

/**
 * coroprof_quota_of_session() - one session of the calling task's user
 * @memory_mb: what it may take, 0 for half of what the user may; out: what it is
 */
struct coroprof_quota *coroprof_quota_of_session(u32 *memory_mb)
{
	u32 most = READ_ONCE(user_memory_mb);
	struct coroprof_quota *quota;
	int err = -ENOMEM;

	quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);
	if (!quota)
		return ERR_PTR(err);

	quota->user = coroprof_quota_get();
	if (!quota->user)
		goto err_quota;

	err = charge_one(&quota->user->sessions, READ_ONCE(user_sessions));
	if (err)
		goto err_user;

	if (!*memory_mb)
		*memory_mb = most - most / 2;
	*memory_mb = min(*memory_mb, most);
	quota->limit = (u64)*memory_mb << 20;
	kref_init(&quota->ref);
	INIT_HLIST_NODE(&quota->node);
	return quota;

err_user:
	coroprof_quota_put(quota->user);
err_quota:
	kfree(quota);
	return ERR_PTR(err);
}

static void quota_free(struct kref *ref)
{
	struct coroprof_quota *quota = container_of(ref, struct coroprof_quota, ref);
	struct coroprof_quota *user = quota->user;

	lockdep_assert_held(&quotas_mutex);
	hash_del(&quota->node);
	mutex_unlock(&quotas_mutex);
	kfree(quota);
	if (!user)
		return;
	atomic_dec(&user->sessions);
	coroprof_quota_put(user);
}

void coroprof_quota_put(struct coroprof_quota *quota)
{
	kref_put_mutex(&quota->ref, quota_free, &quotas_mutex);
}

static int charge(struct coroprof_quota *quota, u64 bytes, u64 limit)
{
	if (bytes > limit || atomic64_add_return(bytes, &quota->bytes) > (s64)limit) {
		if (bytes <= limit)
			atomic64_sub(bytes, &quota->bytes);
		return -EDQUOT;
	}
	return 0;
}

/* Returns the quota that is at its limit: a user's or a session's; or NULL when it is charged. */
static struct coroprof_quota *charge_or_tell(struct coroprof_quota *quota, u64 bytes)
{
	struct coroprof_quota *user = coroprof_quota_user(quota);

	if (charge(user, bytes, (u64)READ_ONCE(user_memory_mb) << 20))
		return user;
	if (quota == user || !charge(quota, bytes, quota->limit))
		return NULL;
	atomic64_sub(bytes, &user->bytes);
	return quota;
}

int coroprof_quota_charge(struct coroprof_quota *quota, u64 bytes)
{
	struct coroprof_quota *full;

	while ((full = charge_or_tell(quota, bytes))) {
		if (!coroprof_spares_give_up(full))
			return -EDQUOT;
	}
	return 0;
}

int coroprof_quota_move(struct coroprof_quota *from, struct coroprof_quota *to, u64 bytes)
{
	struct coroprof_quota *user = coroprof_quota_user(to);
	int err;

	if (coroprof_quota_user(from) != user) {
		err = coroprof_quota_charge(to, bytes);
		if (!err)
			coroprof_quota_uncharge(from, bytes);
		return err;
	}
	err = to == user ? 0 : charge(to, bytes, to->limit);
	if (!err && from != user)
		atomic64_sub(bytes, &from->bytes);
	return err;
}

void coroprof_quota_uncharge(struct coroprof_quota *quota, u64 bytes)
{
	atomic64_sub(bytes, &quota->bytes);
	if (quota->user)
		atomic64_sub(bytes, &quota->user->bytes);
}

int coroprof_quota_charge_channel(struct coroprof_quota *quota)
{
	return charge_one(&quota->channels, READ_ONCE(user_channels));
}

void coroprof_quota_uncharge_channel(struct coroprof_quota *quota)
{
	atomic_dec(&quota->channels);
}

void *coroprof_quota_alloc(struct coroprof_quota *quota, size_t size)
{
	void *memory;
	int err;

	err = coroprof_quota_charge(quota, coroprof_bytes(size));
	if (err)
		return ERR_PTR(err);

	memory = kzalloc(size, GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);
	if (!memory) {
		coroprof_quota_uncharge(quota, coroprof_bytes(size));
		return ERR_PTR(-ENOMEM);
	}
	return memory;
}

void coroprof_quota_free(struct coroprof_quota *quota, void *memory, size_t size)
{
	kfree(memory);
	coroprof_quota_uncharge(quota, coroprof_bytes(size));
}
