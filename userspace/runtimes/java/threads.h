/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of each virtual thread. */
#ifndef JAVA_THREADS_H
#define JAVA_THREADS_H

#include "../runtime.h"

/**
 * struct vthread - a virtual thread
 * @next:     in its bucket, or among those that are free
 * @tid:      Thread.threadId(), which no other has, then or later
 * @co:       its coroutine
 * @labelled: that has a label that stays
 * @heard:    it is to be heard as it waits, for its label
 *
 * There from its birth to its end. Who starts it, wakes it, runs it and ends it does
 * so one after the other: the JVM sees to that. So nothing but the bucket needs a lock.
 * The memory is another thread's later, and nothing else.
 */
struct vthread {
	struct vthread *next;
	uint64_t tid;
	coroprof_co co;
	bool labelled, heard;
};

/*
 * What is known of it. If nothing is, it is born now, by what the calling thread runs. NULL
 * without memory.
 */
struct vthread *vthread_get(uint64_t tid);

/* It ends now, and its coroutine with the next switch. */
void vthread_forget(struct vthread *vthread);

#endif /* JAVA_THREADS_H */
