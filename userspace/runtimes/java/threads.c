// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pthread.h>
#include <stdlib.h>

#include "threads.h"

#define BUCKETS 65536
#define LOCKS 64

/* Each lock guards the buckets whose number modulo LOCKS is its own. */
static struct vthread *buckets[BUCKETS];
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

static struct adapter adapter = {
	.name = "Java",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
};

static struct vthread *begin(uint64_t tid)
{
	struct vthread *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->tid = tid;
	new->co = runtime_new(&adapter, 0, coroprof_current(), tid);
	return new;
}

struct vthread *vthread_get(uint64_t tid)
{
	pthread_mutex_t *lock = &locks[tid % LOCKS];
	struct vthread **at, *vthread;

	pthread_mutex_lock(lock);
	at = find(tid);
	if (unlikely(!*at))
		*at = begin(tid);
	vthread = *at;
	pthread_mutex_unlock(lock);
	return vthread;
}

void vthread_forget(struct vthread *vthread)
{
	pthread_mutex_t *lock = &locks[vthread->tid % LOCKS];

	pthread_mutex_lock(lock);
	*find(vthread->tid) = vthread->next;
	pthread_mutex_unlock(lock);
	free(vthread);
}
