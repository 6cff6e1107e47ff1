// SPDX-License-Identifier: GPL-2.0
/*
 * From a key that a probe sees to a slot of the process: the table, and the labels and slots of
 * what is seen for the first time. Nothing is taken out of the table before the process ends.
 */
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "compat.h"
#include "keys.h"
#include "process.h"
#include "quota.h"

/*
 * A fifth of what the table's own takes. Each bit of the key matters, and which keys clash
 * depends on the seed: else a program could have the table made anew for each of its keys.
 */
static inline u32 hash_of(const void *key, u32 len, u32 seed)
{
	u64 mixed = (*(const u64 *)key ^ seed) * GOLDEN_RATIO_64;

	return (mixed ^ mixed >> 32) * GOLDEN_RATIO_64 >> 32;
}

static inline int is_other(struct rhashtable_compare_arg *arg, const void *key)
{
	return *(const u64 *)arg->key != ((const struct coroprof_key *)key)->key;
}

static const struct rhashtable_params params = {
	.key_len = sizeof_field(struct coroprof_key, key),
	.key_offset = offsetof(struct coroprof_key, key),
	.head_offset = offsetof(struct coroprof_key, node),
	.hashfn = hash_of,
	.obj_cmpfn = is_other,
};

/* And its place in the table, which is doubled when three quarters of it are used. */
#define KEY_BYTES (coroprof_bytes(sizeof(struct coroprof_key)) + 4 * sizeof(void *))

/* @all_new: as in the structure. Returns NULL when out of memory. */
struct coroprof_keys *coroprof_keys_create(const struct coroprof_session *session, bool all_new)
{
	struct coroprof_keys *keys = kzalloc(sizeof(*keys),
					     GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);

	if (!keys)
		return NULL;
	if (rhashtable_init(&keys->slots, &params))
		goto err_keys;
	if (rhashtable_init(&keys->labels, &params))
		goto err_slots;

	keys->session = session;
	mutex_init(&keys->lock);
	keys->nr_slots = 1;
	keys->all_new = all_new;
	return keys;

err_slots:
	rhashtable_destroy(&keys->slots);
err_keys:
	kfree(keys);
	return NULL;
}

static void free_key(void *key, void *quota)
{
	kfree(key);
	coroprof_quota_uncharge(quota, KEY_BYTES);
}

/* @quota: what its keys are charged to. May sleep. */
void coroprof_keys_free(struct coroprof_keys *keys, struct coroprof_quota *quota)
{
	rhashtable_free_and_destroy(&keys->slots, free_key, quota);
	rhashtable_free_and_destroy(&keys->labels, free_key, quota);
	mutex_destroy(&keys->lock);
	kfree(keys);
}

/* What is found stays: RCU is for the table alone. */
static __always_inline struct coroprof_key *find(struct rhashtable *table, u64 key)
{
	return rhashtable_lookup_fast(table, &key, params);
}

struct coroprof_key *coroprof_keys_find(struct coroprof_keys *keys, u64 key)
{
	return find(&keys->slots, key);
}

static struct coroprof_key *new_key(struct coroprof_quota *quota, u64 key, u32 nr)
{
	struct coroprof_key *new;
	int err;

	err = coroprof_quota_charge(quota, KEY_BYTES);
	if (err)
		return ERR_PTR(err);

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);
	if (!new) {
		coroprof_quota_uncharge(quota, KEY_BYTES);
		return ERR_PTR(-ENOMEM);
	}
	new->key = key;
	new->nr = nr;
	new->is = COROPROF_KEY_SEEN;
	return new;
}

static struct coroprof_key *insert(struct rhashtable *table, struct coroprof_quota *quota,
				   u64 key, u32 nr)
{
	struct coroprof_key *new = new_key(quota, key, nr);
	int err;

	if (IS_ERR(new))
		return new;
	err = rhashtable_insert_fast(table, &new->node, params);
	if (err) {
		free_key(new, quota);
		return ERR_PTR(err);
	}
	return new;
}

/* Slots that coroutines leave to threads: each that joins takes one, for ever. */
#define SLOTS_OF_THREADS(process) ((process)->nr_slots / 16)

/* The next slot that nobody has, with its memory. @left: so many are left to others. */
static int take_slot(struct coroprof_process *process, u32 left)
{
	struct coroprof_keys *keys = process->keys;
	struct coroprof_slot *slot;

	lockdep_assert_held(&keys->lock);
	if (keys->nr_slots + left >= process->nr_slots)
		return -ENOSPC;
	slot = coroprof_process_slot_alloc(process, keys->nr_slots);
	return IS_ERR(slot) ? PTR_ERR(slot) : (int)keys->nr_slots++;
}

static struct coroprof_key *add(struct coroprof_process *process, u64 key)
{
	struct coroprof_keys *keys = process->keys;
	int nr = take_slot(process, SLOTS_OF_THREADS(process));
	struct coroprof_key *new;

	if (nr < 0)
		return ERR_PTR(nr);
	new = insert(&keys->slots, process->quota, key, nr);
	if (IS_ERR(new))
		keys->nr_slots--;
	return new;
}

/* A key that is seen for the first time; another thread may have been faster. */
struct coroprof_key *coroprof_keys_add(struct coroprof_process *process, u64 key)
{
	struct coroprof_keys *keys = process->keys;
	struct coroprof_key *found;

	mutex_lock(&keys->lock);
	found = coroprof_keys_find(keys, key);
	if (!found)
		found = add(process, key);
	mutex_unlock(&keys->lock);
	return found;
}

static u32 add_label(struct coroprof_process *process, u64 address, const char *object, u32 len)
{
	struct coroprof_keys *keys = process->keys;
	struct coroprof_key *found;
	int label;

	lockdep_assert_held(&keys->lock);
	found = find(&keys->labels, address);
	if (found)
		return found->nr;
	label = coroprof_process_add_label(process, COROPROF_LABEL_CODE, address, object, len);
	if (label < 0)
		return 0;
	insert(&keys->labels, process->quota, address, label);
	return label;
}

/* The label that is an address in an object; 0 when no more can be had. */
u32 coroprof_keys_label(struct coroprof_process *process, u64 address, const char *object,
			u32 len)
{
	struct coroprof_keys *keys = process->keys;
	const struct coroprof_key *found = find(&keys->labels, address);
	u32 label;

	if (found)
		return found->nr;

	mutex_lock(&keys->lock);
	label = add_label(process, address, object, len);
	mutex_unlock(&keys->lock);
	return label;
}

/* As the library names a thread. Threads mostly have one name. */
static u32 thread_label(struct coroprof_process *process)
{
	struct coroprof_keys *keys = process->keys;
	char text[TASK_COMM_LEN + sizeof("(thread )")];
	char comm[TASK_COMM_LEN];
	int label, len;

	lockdep_assert_held(&keys->lock);
	get_task_comm(comm, current);
	if (keys->comm_label && !strcmp(comm, keys->comm))
		return keys->comm_label;

	len = scnprintf(text, sizeof(text), "(thread %s)", comm);
	label = coroprof_process_add_label(process, 0, 0, text, len);
	if (label < 0)
		return 0;
	memcpy(keys->comm, comm, sizeof(comm));
	keys->comm_label = label;
	return label;
}

/* A slot for the calling thread, outside any coroutine. Returns its number. */
int coroprof_keys_thread(struct coroprof_process *process)
{
	struct coroprof_keys *keys = process->keys;
	struct coroprof_slot *slot;
	int nr;

	mutex_lock(&keys->lock);
	nr = take_slot(process, 0);
	if (nr > 0) {
		slot = coroprof_process_slot(process, nr);
		slot->id = atomic64_inc_return(&keys->last_id) | COROPROF_ID_THREAD;
		slot->tag = task_pid_vnr(current);
		slot->label = thread_label(process);
	}
	mutex_unlock(&keys->lock);
	return nr;
}
