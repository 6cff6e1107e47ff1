// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "user.h"

static unsigned int user_memory_mb = 1024;
module_param(user_memory_mb, uint, 0644);
MODULE_PARM_DESC(user_memory_mb, "Most memory for rings and slots of one user, in MiB");

static unsigned int user_channels = 4096;
module_param(user_channels, uint, 0644);
MODULE_PARM_DESC(user_channels, "Most channels (recorded threads) of one user");

static DEFINE_MUTEX(users_mutex);
static LIST_HEAD(users);

struct coroprof_user *coroprof_user_get(kuid_t uid)
{
	struct coroprof_user *user;

	mutex_lock(&users_mutex);
	list_for_each_entry(user, &users, node) {
		if (uid_eq(user->uid, uid)) {
			kref_get(&user->ref);
			goto out;
		}
	}

	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (user) {
		kref_init(&user->ref);
		user->uid = uid;
		list_add(&user->node, &users);
	}
out:
	mutex_unlock(&users_mutex);
	return user;
}

static void user_free(struct kref *ref)
{
	struct coroprof_user *user = container_of(ref, struct coroprof_user, ref);

	lockdep_assert_held(&users_mutex);
	list_del(&user->node);
	mutex_unlock(&users_mutex);
	kfree(user);
}

void coroprof_user_put(struct coroprof_user *user)
{
	kref_put_mutex(&user->ref, user_free, &users_mutex);
}

int coroprof_user_charge(struct coroprof_user *user, u64 bytes)
{
	u64 limit = (u64)READ_ONCE(user_memory_mb) << 20;

	if (bytes > limit ||
	    atomic64_add_return(bytes, &user->bytes) > (s64)limit) {
		if (bytes <= limit)
			atomic64_sub(bytes, &user->bytes);
		return -EDQUOT;
	}
	return 0;
}

void coroprof_user_uncharge(struct coroprof_user *user, u64 bytes)
{
	atomic64_sub(bytes, &user->bytes);
}

int coroprof_user_charge_channel(struct coroprof_user *user)
{
	unsigned int limit = min_t(unsigned int, READ_ONCE(user_channels), INT_MAX);

	if (atomic_inc_return(&user->channels) > (int)limit) {
		atomic_dec(&user->channels);
		return -EDQUOT;
	}
	return 0;
}

void coroprof_user_uncharge_channel(struct coroprof_user *user)
{
	atomic_dec(&user->channels);
}
