/* SPDX-License-Identifier: GPL-2.0 */
/* The coroutines of a process that probes tell of: known by a number that is the program's. */
#ifndef COROPROF_KEYS_H
#define COROPROF_KEYS_H

#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>

struct coroprof_process;
struct coroprof_quota;
struct coroprof_session;

/**
 * enum coroprof_key_is - what has to be done before the key's slot is switched to
 * @COROPROF_KEY_KNOWN: nothing
 * @COROPROF_KEY_SEEN:  its coroutine gets an id and a label; maybe it is older than the
 *                      recording
 * @COROPROF_KEY_ENDED: likewise, and it is certainly new
 */
enum coroprof_key_is {
	COROPROF_KEY_KNOWN,
	COROPROF_KEY_SEEN,
	COROPROF_KEY_ENDED,
};

/**
 * struct coroprof_key - a key, or an address that is a label
 *
 * Made when it is seen first; from then on it stays until its process is freed. So the
 * switch path looks it up without a lock, and keeps it.
 *
 * @node: in the table
 * @key:  of the program's
 * @nr:   its slot; or its label
 * @is:   enum coroprof_key_is, set by those who are in a probe
 */
struct coroprof_key {
	struct rhash_head node;
	u64 key;
	u32 nr;
	u32 is;
};

/**
 * struct coroprof_keys - all of a process
 *
 * Belongs to its process, and is freed with it. The process holds what all of it is charged to.
 *
 * @session:   whose probes have made it; only ever compared
 * @slots:     struct coroprof_key, by the key
 * @labels:    the same, by the address
 * @lock:      one is added at a time; nests outside coroprof_mutex
 * @nr_slots:  slots given so far, and slot 0; @lock
 * @last_id:   number given to a coroutine, or thread
 * @all_new:   the program began under the probes: who is seen first is new
 * @comm:      name of the thread that was last seen first; @lock
 * @comm_label: label of such threads; @lock
 */
struct coroprof_keys {
	const struct coroprof_session *session;
	struct rhashtable slots;
	struct rhashtable labels;
	struct mutex lock; /* see above */
	u32 nr_slots;
	atomic64_t last_id;
	bool all_new;
	char comm[TASK_COMM_LEN];
	u32 comm_label;
};

struct coroprof_keys *coroprof_keys_create(const struct coroprof_session *session, bool all_new);
void coroprof_keys_free(struct coroprof_keys *keys, struct coroprof_quota *quota);
/* No lock; the key stays as long as @keys. */
struct coroprof_key *coroprof_keys_find(struct coroprof_keys *keys, u64 key);

/* All may sleep. */
struct coroprof_key *coroprof_keys_add(struct coroprof_process *process, u64 key);
u32 coroprof_keys_label(struct coroprof_process *process, u64 address, const char *object,
			u32 len);
int coroprof_keys_thread(struct coroprof_process *process);

/* Takes coroprof_mutex. */
void coroprof_keys_look(struct coroprof_process *process);

/* @keys: NULL of a process that has made itself known */
static inline bool coroprof_keys_are_of(const struct coroprof_keys *keys,
					const struct coroprof_session *session)
{
	return keys && keys->session == session;
}

#endif /* COROPROF_KEYS_H */
