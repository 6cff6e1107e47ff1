// SPDX-License-Identifier: GPL-2.0
/*
 * What a reader opened: its creation, its token, and the sizes of the rings that it leaves to the
 * module. Who may find it changes under coroprof_mutex; the last reference frees it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/memcontrol.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "compat.h"
#include "lock.h"
#include "pending.h"
#include "quota.h"
#include "negcache.h"
#include "session.h"

#define RING_SIZE_LEAST max_t(u32, SZ_16K, PAGE_SIZE)

/* Of a size that is left to the module: rings are as large as may be until so much is taken ... */
#define RINGS_WHOLE (64ULL << 20)
/* ... then of half of it until so much more is, then of half of that ... */
#define RINGS_EACH (32ULL << 20)

/* One part of so many of what the session may take is for the least rings: hundreds fit in. */
#define RINGS_LEAST_PART 4

/* By their tokens, which are random: nobody can have many in one place. */
#define SESSIONS_BITS 8
static DEFINE_HASHTABLE(sessions, SESSIONS_BITS);

void coroprof_session_get(struct coroprof_session *session)
{
	kref_get(&session->ref);
}

static u64 session_bytes(void)
{
	return coroprof_bytes_open(sizeof(struct coroprof_session));
}

static void session_free(struct kref *ref)
{
	struct coroprof_session *session = container_of(ref, struct coroprof_session, ref);

	put_pid_ns(session->pid_ns);
	put_cred(session->cred);
	mem_cgroup_put(session->memcg);
	coroprof_quota_uncharge(session->quota, session_bytes());
	coroprof_quota_put(session->quota);
	kfree_rcu(session, rcu);
}

void coroprof_session_put(struct coroprof_session *session)
{
	kref_put(&session->ref, session_free);
}

int coroprof_session_number(struct coroprof_session *session, u32 *id)
{
	int last = atomic_fetch_add_unless(&session->last_id, 1, INT_MAX);

	/* One that comes again would take the place of another. */
	if (last == INT_MAX)
		return -EOVERFLOW;
	*id = last + 1;
	return xa_reserve(&session->recordings, *id, GFP_KERNEL | COROPROF_GFP_GENTLE);
}

/* The one that has this token, or NULL. */
struct coroprof_session *coroprof_session_find(u64 token)
{
	struct coroprof_session *session;

	lockdep_assert_held(&coroprof_mutex);
	hash_for_each_possible(sessions, session, node, token) {
		if (token && session->token == token)
			return session;
	}
	return NULL;
}

/* @large: bytes that may go to rings larger than the least; @used: those that are taken */
static u32 ring_size_at(u32 most, u64 large, u64 used)
{
	u64 enough = RINGS_WHOLE;
	u32 size = most;

	while (size > RING_SIZE_LEAST && (used >= enough || size > large / 8)) {
		enough += RINGS_EACH;
		size /= 2;
	}
	return size;
}

static u32 ring_size(const struct coroprof_session *session, u32 most, u64 more)
{
	u64 left = coroprof_quota_left(session->quota), used = coroprof_quota_used(session->quota);
	u64 kept = (left + used) / RINGS_LEAST_PART;

	left -= min(left, more);
	used += more;
	return ring_size_at(most, left > kept ? left - kept : 0, used);
}

u32 coroprof_session_ring_size(const struct coroprof_session *session, u64 more)
{
	return session->ring_shrinks ? ring_size(session, session->ring_size, more) :
				       session->ring_size;
}

u32 coroprof_session_samples_size(const struct coroprof_session *session, u64 more)
{
	return session->samples_shrink ? ring_size(session, session->sampling.ring_size, more) :
					 session->sampling.ring_size;
}

/* As large a part of a ring of samples as @config->watermark is of a ring of slices. */
static u32 sample_watermark(const struct coroprof_session_config *config)
{
	u32 size = config->sampling.ring_size;
	u64 share = (u64)config->watermark * size / config->ring_size;

	return max(1U, coroprof_watermark_in(share, size));
}

/**
 * coroprof_session_create() - a session of the calling task, which nobody can find yet
 * @config: checked; gets the bound of the session's memory
 * @left:   COROPROF_..._LEFT: sizes that the opener leaves to the module
 */
struct coroprof_session *coroprof_session_create(struct coroprof_session_config *config, u32 left)
{
	struct coroprof_session *session;
	struct coroprof_quota *quota;
	int err;

	quota = coroprof_quota_of_session(&config->memory_mb);
	if (IS_ERR(quota))
		return ERR_CAST(quota);

	err = coroprof_quota_charge(quota, session_bytes());
	if (err)
		goto err_quota;

	err = -ENOMEM;
	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		goto err_charge;

	session->quota = quota;
	kref_init(&session->ref);
	INIT_HLIST_NODE(&session->node);
	session->attachments = RB_ROOT;
	coroprof_negcache_init(&session->negcache);
	INIT_LIST_HEAD(&session->follows);
	INIT_LIST_HEAD(&session->probes);
	xa_init_flags(&session->recordings, XA_FLAGS_ACCOUNT);
	coroprof_pending_init(&session->pending);
	mutex_init(&session->control_lock);
	mutex_init(&session->read_lock);
	session->memcg = get_mem_cgroup_from_mm(current->mm);
	session->cred = get_current_cred();
	session->capable = perfmon_capable();
	session->pid_ns = get_pid_ns(task_active_pid_ns(current));
	session->user_mode = config->flags & COROPROF_SESSION_USER;
	session->totals = config->flags & COROPROF_SESSION_TOTALS;
	session->traces = config->flags & COROPROF_SESSION_TRACES;
	session->ring_size = config->ring_size;
	session->ring_shrinks = left & COROPROF_RING_LEFT;
	session->samples_shrink = left & COROPROF_SAMPLES_LEFT;
	session->watermark = config->watermark;
	session->nr_counters = config->nr_counters;
	memcpy(session->counters, config->counters, sizeof(session->counters));
	session->sampling = config->sampling;
	if (coroprof_session_samples(session))
		session->sample_watermark = sample_watermark(config);
	session->token = get_random_u64() | 1;
	return session;

err_charge:
	coroprof_quota_uncharge(quota, session_bytes());
err_quota:
	coroprof_quota_put(quota);
	return ERR_PTR(err);
}

/* From now on a process that shows its token finds it. */
void coroprof_session_publish(struct coroprof_session *session)
{
	mutex_lock(&coroprof_mutex);
	hash_add(sessions, &session->node, session->token);
	mutex_unlock(&coroprof_mutex);
}

void coroprof_session_unpublish(struct coroprof_session *session)
{
	mutex_lock(&coroprof_mutex);
	hash_del(&session->node);
	mutex_unlock(&coroprof_mutex);
}
