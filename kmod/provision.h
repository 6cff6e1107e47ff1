/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_PROVISION_H
#define COROPROF_PROVISION_H

#include <linux/list.h>
#include <linux/types.h>

struct coroprof_attachment;
struct coroprof_follow;

/**
 * struct coroprof_provision - attachments and follows, allocated in advance
 *
 * An allocation may take long: in a full cgroup the kernel first looks for memory that can
 * be given back. If a task allocated under coroprof_mutex, all others would wait. So a task
 * fills a provision before it takes the mutex, takes objects from the provision under the
 * mutex, and frees the rest after it has released the mutex. coroprof_init() tells lockdep
 * of this rule.
 *
 * A provision is on the stack of the task that uses it, so it has no lock. An object is
 * charged to the session that takes it.
 *
 * @attachments: those not taken yet, linked by @news
 * @follows:     those not taken yet, linked by @node
 * @nr:          how many of each it was filled with
 */
struct coroprof_provision {
	struct list_head attachments;
	struct list_head follows;
	u32 nr;
};

void coroprof_provision_init(struct coroprof_provision *provision);
/* May sleep. */
int coroprof_provision_fill(struct coroprof_provision *provision, u32 nr);
void coroprof_provision_free(struct coroprof_provision *provision);

/* Return an object, zeroed, its list heads empty; NULL if none is left. Any context. */
struct coroprof_attachment *coroprof_provision_attachment(struct coroprof_provision *provision);
struct coroprof_follow *coroprof_provision_follow(struct coroprof_provision *provision);

#endif /* COROPROF_PROVISION_H */
