/* SPDX-License-Identifier: GPL-2.0 */
/* Coroutines that probes report: each is known by a number of the program's own, its key. */
#ifndef COROPROF_KEYS_H
#define COROPROF_KEYS_H

#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>

struct coroprof_process;
struct coroprof_quota;
struct coroprof_session;

/**
 * enum coroprof_key_is - what has to be done before a thread switches to the key's slot
 * @COROPROF_KEY_KNOWN: nothing
 * @COROPROF_KEY_SEEN:  give its coroutine an id and a label; the coroutine may be older than
 *                      the recording
 * @COROPROF_KEY_ENDED: the same, and the coroutine is certainly new
 */
enum coroprof_key_is {
	COROPROF_KEY_KNOWN,
	COROPROF_KEY_SEEN,
	COROPROF_KEY_ENDED,
};

/**
 * struct coroprof_key - a key of a coroutine; or an address that is a label
 *
 * Made when a probe sees it for the first time, and kept until its process is freed. So the
 * switch path looks it up without a lock, and may keep the pointer.
 *
 * @node: in the table
 * @key:  the number that the program uses
 * @nr:   number of its slot, or of its label
 * @is:   enum coroprof_key_is, set by handlers of probes
 */
struct coroprof_key {
	struct rhash_head node;
	u64 key;
	u32 nr;
	u32 is;
};

/**
 * struct coroprof_keys - all keys of a process
 *
 * Belongs to its process and is freed with it. The process holds the quota that is charged.
 *
 * @session:   the session whose probes have made it; only ever compared
 * @slots:     struct coroprof_key by the key, of coroutines
 * @labels:    struct coroprof_key by the address, of labels
 * @lock:      held while a key is added; taken outside coroprof_mutex
 * @nr_slots:  number of slots in use, slot 0 included; @lock
 * @last_id:   the id given to the last coroutine or thread
 * @all_new:   the program began under the probes, so each coroutine seen first is new
 * @comm:      name of the thread that was last seen for the first time; @lock
 * @comm_label: label of threads with that name; @lock
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
/* Returns the key, which stays as long as @keys, or NULL. Takes no lock. */
struct coroprof_key *coroprof_keys_find(struct coroprof_keys *keys, u64 key);

/* These may sleep. */
struct coroprof_key *coroprof_keys_add(struct coroprof_process *process, u64 key);
u32 coroprof_keys_label(struct coroprof_process *process, u64 address, const char *object,
			u32 len);
int coroprof_keys_thread(struct coroprof_process *process);

/* @keys: NULL of a process that has made itself known */
static inline bool coroprof_keys_are_of(const struct coroprof_keys *keys,
					const struct coroprof_session *session)
{
	return keys && keys->session == session;
}

#endif /* COROPROF_KEYS_H */
