/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_PROVISION_H
#define COROPROF_PROVISION_H

#include <linux/list.h>
#include <linux/types.h>

struct coroprof_attachment;
struct coroprof_follow;

/**
 * struct coroprof_provision - memory for attachments and follows, to be had in advance
 *
 * To have memory may take long: in a full cgroup the kernel looks for what can be given
 * back. Everybody would wait for a task that does so under coroprof_mutex, so nobody
 * does: it fills a provision before, takes from it under the mutex, and frees what is left
 * when the mutex is free. coroprof_init() has lockdep know that rule.
 *
 * It is the calling task's, on its stack: no lock. What was taken is charged to the
 * session that takes it.
 *
 * @attachments: not taken yet, by @news
 * @follows:     not taken yet, by @node
 * @nr:          so many of each it was filled with
 */
struct coroprof_provision {
	struct list_head attachments;
	struct list_head follows;
	u32 nr;
};

void coroprof_provision_init(struct coroprof_provision *provision);
/* May sleep; kills nobody for memory. Both in the cgroup of the calling task. */
int coroprof_provision_fill(struct coroprof_provision *provision, u32 nr);
void coroprof_provision_free(struct coroprof_provision *provision);

/* Zeroed, their list heads empty; NULL if there is none left. Any context. */
struct coroprof_attachment *coroprof_provision_attachment(struct coroprof_provision *provision);
struct coroprof_follow *coroprof_provision_follow(struct coroprof_provision *provision);

#endif /* COROPROF_PROVISION_H */
