/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_LOCK_H
#define COROPROF_LOCK_H

#include <linux/mutex.h>
#include <linux/sched/mm.h>

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
