// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "quota.h"

static unsigned int user_memory_mb = 1024;
module_param(user_memory_mb, uint, 0644);
MODULE_PARM_DESC(user_memory_mb, "Most memory for rings and slots of one user, in MiB");

static unsigned int user_channels = 4096;
module_param(user_channels, uint, 0644);
MODULE_PARM_DESC(user_channels, "Most channels (recorded threads) of one user");

static DEFINE_MUTEX(quotas_mutex);
static LIST_HEAD(quotas);

struct coroprof_quota *coroprof_quota_get(kuid_t uid)
{
	struct coroprof_quota *quota;

	mutex_lock(&quotas_mutex);
	list_for_each_entry(quota, &quotas, node) {
		if (uid_eq(quota->uid, uid)) {
			kref_get(&quota->ref);
			goto out;
		}
	}

	quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);
	if (quota) {
		kref_init(&quota->ref);
		quota->uid = uid;
		list_add(&quota->node, &quotas);
	}
out:
	mutex_unlock(&quotas_mutex);
	return quota;
}

static void quota_free(struct kref *ref)
{
	struct coroprof_quota *quota = container_of(ref, struct coroprof_quota, ref);

	lockdep_assert_held(&quotas_mutex);
	list_del(&quota->node);
	mutex_unlock(&quotas_mutex);
	kfree(quota);
}

void coroprof_quota_put(struct coroprof_quota *quota)
{
	kref_put_mutex(&quota->ref, quota_free, &quotas_mutex);
}

int coroprof_quota_charge(struct coroprof_quota *quota, u64 bytes)
{
	u64 limit = (u64)READ_ONCE(user_memory_mb) << 20;

	if (bytes > limit ||
	    atomic64_add_return(bytes, &quota->bytes) > (s64)limit) {
		if (bytes <= limit)
			atomic64_sub(bytes, &quota->bytes);
		return -EDQUOT;
	}
	return 0;
}

void coroprof_quota_uncharge(struct coroprof_quota *quota, u64 bytes)
{
	atomic64_sub(bytes, &quota->bytes);
}

int coroprof_quota_charge_channel(struct coroprof_quota *quota)
{
	unsigned int limit = min_t(unsigned int, READ_ONCE(user_channels), INT_MAX);

	if (atomic_inc_return(&quota->channels) > (int)limit) {
		atomic_dec(&quota->channels);
		return -EDQUOT;
	}
	return 0;
}

void coroprof_quota_uncharge_channel(struct coroprof_quota *quota)
{
	atomic_dec(&quota->channels);
}
