/* SPDX-License-Identifier: GPL-2.0 */
/* The lock of all relations between objects, and what nobody does while holding it. */
#ifndef COROPROF_LOCK_H
#define COROPROF_LOCK_H

#include <linux/mutex.h>
#include <linux/sched/mm.h>

/*
 * Protects which processes, channels, sessions and recordings exist, and which of them
 * point to each other. The switch path does not take it.
 *
 * mmap() and munmap() take it inside mmap_lock. So nobody touches user memory, makes a
 * perf event or frees one while holding it. Nobody allocates memory under it either, if
 * the allocation may have to wait: see struct coroprof_prealloc.
 *
 * All users share it. So the holder finds objects by a key, and never walks a list that
 * another user can make long. To do something to each of many objects, take it anew for
 * each, as coroprof_attachments_update() does. Work that belongs to one process or session
 * and may take long is done under a lock of that process or session.
 */
extern struct mutex coroprof_mutex;

/*
 * A task that allocates memory may have to wait until other memory is given back. If it
 * held @mutex meanwhile, all who want the mutex would wait, too. So take @mutex once as if
 * under memory reclaim: from then on lockdep reports every allocation under it that may
 * wait, at its first call and on any machine.
 */
static inline void coroprof_never_allocate_under(struct mutex *mutex)
{
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;
	fs_reclaim_acquire(GFP_KERNEL);
	mutex_lock(mutex);
	mutex_unlock(mutex);
	fs_reclaim_release(GFP_KERNEL);
}

#endif /* COROPROF_LOCK_H */
