// SPDX-License-Identifier: GPL-2.0
/*
 * Charges memory, channels and sessions to a user and to all above him, and gives up spare rings
 * before it refuses. Counts change without a lock; quotas_mutex is for which quotas there are.
 */
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

static struct coroprof_quota *find(const struct coroprof_quota *like)
{
	struct coroprof_quota *quota;

	lockdep_assert_held(&quotas_mutex);
	hash_for_each_possible(quotas, quota, node, __kuid_val(like->uid)) {
		if (uid_eq(quota->uid, like->uid) && quota->host == like->host &&
		    quota->up == like->up)
			return quota;
	}
	return NULL;
}

/* @new is put among the others, unless there is one of the same user below the same one. */
static struct coroprof_quota *find_or_add(struct coroprof_quota *new)
{
	struct coroprof_quota *quota;

	mutex_lock(&quotas_mutex);
	quota = find(new);
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
 * A user's, below @up, which is taken over, or at the top; NULL when out of memory. Memory for
 * one is had before it is known to be needed: nobody allocates under quotas_mutex, as in a full
 * cgroup that may take long.
 */
static struct coroprof_quota *get_below(struct coroprof_quota *up, kuid_t uid, bool host)
{
	struct coroprof_quota *new, *quota;

	if (up && uid_eq(up->uid, uid))
		return up;
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new) {
		coroprof_quota_put(up);
		return NULL;
	}
	kref_init(&new->ref);
	new->up = up;
	new->top = up ? up->top : new;
	new->uid = uid;
	new->host = host;
	spin_lock_init(&new->spares_lock);
	INIT_LIST_HEAD(&new->spares);
	quota = find_or_add(new);
	if (quota != new) {
		coroprof_quota_put(up);
		kfree(new);
	}
	return quota;
}

/* Of that user namespace of the calling task's that is nested so deep. */
static kuid_t owner_at(int level)
{
	const struct user_namespace *ns = current_user_ns();

	while (ns->level > level)
		ns = ns->parent;
	return ns->owner;
}

/* That of the calling task's user; NULL when out of memory. */
struct coroprof_quota *coroprof_quota_get(void)
{
	bool host = ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
	struct coroprof_quota *up = NULL;
	int level;

	for (level = 1; level <= current_user_ns()->level; level++) {
		/* Root gains nothing by more ids, and its containers are not to share one quota. */
		if (uid_eq(owner_at(level), GLOBAL_ROOT_UID))
			continue;
		up = get_below(up, owner_at(level), false);
		if (!up)
			return NULL;
	}
	return get_below(up, current_uid(), host);
}

/* @offset: of a number in struct coroprof_quota, of which @quota and all above it have one more */
static void uncharge_ones(struct coroprof_quota *quota, const struct coroprof_quota *end,
			  size_t offset)
{
	for (; quota != end; quota = quota->up)
		atomic_dec((atomic_t *)((char *)quota + offset));
}

static int charge_ones(struct coroprof_quota *quota, size_t offset, unsigned int limit)
{
	const int most = min_t(unsigned int, limit, INT_MAX);
	struct coroprof_quota *at;

	for (at = quota; at; at = at->up) {
		if (atomic_inc_return((atomic_t *)((char *)at + offset)) > most) {
			uncharge_ones(quota, at->up, offset);
			return -EDQUOT;
		}
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

	quota->up = coroprof_quota_get();
	if (!quota->up)
		goto err_quota;

	err = charge_ones(quota->up, offsetof(struct coroprof_quota, sessions),
			  READ_ONCE(user_sessions));
	if (err)
		goto err_user;

	if (!*memory_mb)
		*memory_mb = most - most / 2;
	*memory_mb = min(*memory_mb, most);
	quota->top = quota->up->top;
	quota->is_session = true;
	quota->limit = (u64)*memory_mb << 20;
	kref_init(&quota->ref);
	INIT_HLIST_NODE(&quota->node);
	return quota;

err_user:
	coroprof_quota_put(quota->up);
err_quota:
	kfree(quota);
	return ERR_PTR(err);
}

static void quota_free(struct kref *ref)
{
	struct coroprof_quota *quota = container_of(ref, struct coroprof_quota, ref);

	lockdep_assert_held(&quotas_mutex);
	hash_del(&quota->node);
	mutex_unlock(&quotas_mutex);
	if (quota->is_session)
		uncharge_ones(quota->up, NULL, offsetof(struct coroprof_quota, sessions));
	kfree(quota);
}

/* @quota: may be NULL */
void coroprof_quota_put(struct coroprof_quota *quota)
{
	struct coroprof_quota *up;

	/* What is freed has held the next. */
	for (; quota; quota = up) {
		up = quota->up;
		if (!kref_put_mutex(&quota->ref, quota_free, &quotas_mutex))
			return;
	}
}

static u64 limit_of(const struct coroprof_quota *quota)
{
	return quota->is_session ? quota->limit : (u64)READ_ONCE(user_memory_mb) << 20;
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

/* From @quota up to @end, without that. */
static void uncharge_up_to(struct coroprof_quota *quota, const struct coroprof_quota *end,
			   u64 bytes)
{
	for (; quota != end; quota = quota->up)
		atomic64_sub(bytes, &quota->bytes);
}

/* Likewise. Returns the one that is at its limit, or NULL when all are charged. */
static struct coroprof_quota *try_charge_up_to(struct coroprof_quota *quota,
					       const struct coroprof_quota *end, u64 bytes)
{
	struct coroprof_quota *at;

	for (at = quota; at != end; at = at->up) {
		if (charge(at, bytes, limit_of(at))) {
			uncharge_up_to(quota, at, bytes);
			return at;
		}
	}
	return NULL;
}

static int charge_up_to(struct coroprof_quota *quota, const struct coroprof_quota *end, u64 bytes)
{
	struct coroprof_quota *full;

	while ((full = try_charge_up_to(quota, end, bytes))) {
		if (!coroprof_spares_give_up(full))
			return -EDQUOT;
	}
	return 0;
}

int coroprof_quota_charge(struct coroprof_quota *quota, u64 bytes)
{
	return charge_up_to(quota, NULL, bytes);
}

int coroprof_quota_charge_lightly(struct coroprof_quota *quota, u64 bytes)
{
	return try_charge_up_to(quota, NULL, bytes) ? -EDQUOT : 0;
}

int coroprof_quota_move(struct coroprof_quota *from, struct coroprof_quota *to, u64 bytes)
{
	const struct coroprof_quota *both = from;
	int err;

	while (both && !coroprof_quota_is_in(to, both))
		both = both->up;
	err = charge_up_to(to, both, bytes);
	if (!err)
		uncharge_up_to(from, both, bytes);
	return err;
}

void coroprof_quota_uncharge(struct coroprof_quota *quota, u64 bytes)
{
	uncharge_up_to(quota, NULL, bytes);
}

int coroprof_quota_charge_channel(struct coroprof_quota *quota)
{
	return charge_ones(quota, offsetof(struct coroprof_quota, channels),
			   READ_ONCE(user_channels));
}

void coroprof_quota_uncharge_channel(struct coroprof_quota *quota)
{
	uncharge_ones(quota, NULL, offsetof(struct coroprof_quota, channels));
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
