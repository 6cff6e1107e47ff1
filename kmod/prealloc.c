// SPDX-License-Identifier: GPL-2.0
/*
 * Fills a preallocation before coroprof_mutex is taken, and gives objects out of it under the
 * mutex, where nothing may allocate (prealloc.h).
 */
#include "attachment.h"
#include "follow.h"
#include "prealloc.h"

void coroprof_prealloc_init(struct coroprof_prealloc *prealloc)
{
	INIT_LIST_HEAD(&prealloc->attachments);
	INIT_LIST_HEAD(&prealloc->follows);
	prealloc->nr = 0;
}

static int add_one(struct coroprof_prealloc *prealloc)
{
	struct coroprof_attachment *attachment = coroprof_attachment_alloc();
	struct coroprof_follow *follow = coroprof_follow_alloc();

	if (!attachment || !follow) {
		coroprof_attachment_free_unused(attachment);
		coroprof_follow_free_unused(follow);
		return -ENOMEM;
	}
	list_add(&attachment->pending, &prealloc->attachments);
	list_add(&follow->node, &prealloc->follows);
	prealloc->nr++;
	return 0;
}

/**
 * coroprof_prealloc_fill() - have enough for @nr attachments and @nr follows
 * @prealloc: of which nothing was taken
 * @nr:        how many
 */
int coroprof_prealloc_fill(struct coroprof_prealloc *prealloc, u32 nr)
{
	int err = 0;

	while (prealloc->nr < nr && !err)
		err = add_one(prealloc);
	return err;
}

void coroprof_prealloc_free(struct coroprof_prealloc *prealloc)
{
	struct coroprof_attachment *attachment;
	struct coroprof_follow *follow;

	while ((attachment = coroprof_prealloc_attachment(prealloc)))
		coroprof_attachment_free_unused(attachment);
	while ((follow = coroprof_prealloc_follow(prealloc)))
		coroprof_follow_free_unused(follow);
}

struct coroprof_attachment *coroprof_prealloc_attachment(struct coroprof_prealloc *prealloc)
{
	struct coroprof_attachment *attachment;

	attachment = list_first_entry_or_null(&prealloc->attachments, struct coroprof_attachment,
					      pending);
	if (attachment)
		list_del_init(&attachment->pending);
	return attachment;
}

struct coroprof_follow *coroprof_prealloc_follow(struct coroprof_prealloc *prealloc)
{
	struct coroprof_follow *follow =
		list_first_entry_or_null(&prealloc->follows, struct coroprof_follow, node);

	if (follow)
		list_del_init(&follow->node);
	return follow;
}
