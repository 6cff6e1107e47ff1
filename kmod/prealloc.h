/* SPDX-License-Identifier: GPL-2.0 */
/* Objects that are allocated before a lock is taken. */
#ifndef COROPROF_PREALLOC_H
#define COROPROF_PREALLOC_H

#include <linux/list.h>
#include <linux/types.h>

struct coroprof_attachment;
struct coroprof_follow;

/**
 * struct coroprof_prealloc - attachments and follows, allocated in advance
 *
 * An allocation may take long: in a full cgroup the kernel first looks for memory that can
 * be given back. If a task allocated under coroprof_mutex, all others would wait. So a task
 * fills a preallocation before it takes the mutex, takes objects from the preallocation under the
 * mutex, and frees the rest after it has released the mutex. coroprof_init() teaches lockdep
 * this rule.
 *
 * A preallocation is on the stack of the task that uses it, so it has no lock. An object is
 * charged to the session that takes it.
 *
 * @attachments: those not taken yet, linked by @pending
 * @follows:     those not taken yet, linked by @node
 * @nr:          how many of each it was filled with
 */
struct coroprof_prealloc {
	struct list_head attachments;
	struct list_head follows;
	u32 nr;
};

void coroprof_prealloc_init(struct coroprof_prealloc *prealloc);
/* May sleep. */
int coroprof_prealloc_fill(struct coroprof_prealloc *prealloc, u32 nr);
void coroprof_prealloc_free(struct coroprof_prealloc *prealloc);

/* Return an object, zeroed, its list heads empty; NULL if none is left. Any context. */
struct coroprof_attachment *coroprof_prealloc_attachment(struct coroprof_prealloc *prealloc);
struct coroprof_follow *coroprof_prealloc_follow(struct coroprof_prealloc *prealloc);

#endif /* COROPROF_PREALLOC_H */
