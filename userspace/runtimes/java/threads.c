// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Virtual threads by their number, in buckets with locks; whoever runs one finds it without. Memory
 * is used again, never given back.
 */
#include <pthread.h>
#include <stdlib.h>

#include "threads.h"

#define BUCKETS 65536
#define LOCKS 64

/* Each lock guards the buckets whose number modulo LOCKS is its own, and what is unused there. */
static struct vthread *buckets[BUCKETS];
static struct vthread *unused[LOCKS];
static pthread_mutex_t locks[LOCKS] = { [0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER };

/* Numbers are given one after the other. */
static inline uint32_t bucket_of(uint64_t tid)
{
	return tid % BUCKETS;
}

/* Points to the one, or to where one ends. The lock of the bucket is held. */
static inline struct vthread **find(uint64_t tid)
{
	struct vthread **at = &buckets[bucket_of(tid)];

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	return at;
}

#define STEPS 4

/*
 * Without the lock. One that has the number is it, and stays: who asks is about to run it, or to
 * have it run. A step may lead to what was freed, and so astray: then nothing is found.
 */
static inline struct vthread *look(uint64_t tid)
{
	struct vthread *at = __atomic_load_n(&buckets[bucket_of(tid)], __ATOMIC_ACQUIRE);

	for (int i = 0; at && i < STEPS; i++) {
		if (likely(__atomic_load_n(&at->tid, __ATOMIC_ACQUIRE) == tid))
			return at;
		at = __atomic_load_n(&at->next, __ATOMIC_ACQUIRE);
	}
	return NULL;
}

static struct adapter adapter = {
	.name = "Java",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
};

/* The lock is held. */
static struct vthread *begin(uint64_t tid)
{
	struct vthread **from = &unused[tid % LOCKS], *new = *from;

	if (new)
		*from = new->next;
	else
		new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->co = runtime_new(&adapter, 0, coroprof_current(), tid);
	new->labelled = new->heard = false;
	__atomic_store_n(&new->next, NULL, __ATOMIC_RELAXED);
	/* Whoever finds the number finds the rest. */
	__atomic_store_n(&new->tid, tid, __ATOMIC_RELEASE);
	return new;
}

static __attribute__((noinline)) struct vthread *get_locked(uint64_t tid)
{
	pthread_mutex_t *lock = &locks[tid % LOCKS];
	struct vthread **at, *vthread;

	pthread_mutex_lock(lock);
	at = find(tid);
	vthread = *at;
	if (!vthread) {
		vthread = begin(tid);
		__atomic_store_n(at, vthread, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(lock);
	return vthread;
}

struct vthread *vthread_get(uint64_t tid)
{
	struct vthread *vthread = look(tid);

	return likely(vthread != NULL) ? vthread : get_locked(tid);
}

void vthread_forget(struct vthread *vthread)
{
	uint32_t lock = vthread->tid % LOCKS;

	pthread_mutex_lock(&locks[lock]);
	__atomic_store_n(find(vthread->tid), vthread->next, __ATOMIC_RELEASE);
	__atomic_store_n(&vthread->next, unused[lock], __ATOMIC_RELAXED);
	unused[lock] = vthread;
	pthread_mutex_unlock(&locks[lock]);
}
