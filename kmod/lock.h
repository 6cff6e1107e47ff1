/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_LOCK_H
#define COROPROF_LOCK_H

#include <linux/mutex.h>
#include <linux/sched/mm.h>

/*
 * Whoever allocates may have to wait until memory is given back, and all who want the
 * mutex would wait with him. Take it once as if that were done under reclaim: from then on
 * lockdep complains of any allocation under it that may wait, at once and on any machine.
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
