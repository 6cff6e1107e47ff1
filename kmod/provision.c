// SPDX-License-Identifier: GPL-2.0
#include "attachment.h"
#include "follow.h"
#include "provision.h"

void coroprof_provision_init(struct coroprof_provision *provision)
{
	INIT_LIST_HEAD(&provision->attachments);
	INIT_LIST_HEAD(&provision->follows);
	provision->nr = 0;
}

static int add_one(struct coroprof_provision *provision)
{
	struct coroprof_attachment *attachment = coroprof_attachment_alloc();
	struct coroprof_follow *follow = coroprof_follow_alloc();

	if (!attachment || !follow) {
		coroprof_attachment_free_unused(attachment);
		coroprof_follow_free_unused(follow);
		return -ENOMEM;
	}
	list_add(&attachment->news, &provision->attachments);
	list_add(&follow->node, &provision->follows);
	provision->nr++;
	return 0;
}

/**
 * coroprof_provision_fill() - have enough for @nr attachments and @nr follows
 * @provision: of which nothing was taken
 * @nr:        how many
 */
int coroprof_provision_fill(struct coroprof_provision *provision, u32 nr)
{
	int err = 0;

	while (provision->nr < nr && !err)
		err = add_one(provision);
	return err;
}

void coroprof_provision_free(struct coroprof_provision *provision)
{
	struct coroprof_attachment *attachment;
	struct coroprof_follow *follow;

	while ((attachment = coroprof_provision_attachment(provision)))
		coroprof_attachment_free_unused(attachment);
	while ((follow = coroprof_provision_follow(provision)))
		coroprof_follow_free_unused(follow);
}

struct coroprof_attachment *coroprof_provision_attachment(struct coroprof_provision *provision)
{
	struct coroprof_attachment *attachment =
		list_first_entry_or_null(&provision->attachments, struct coroprof_attachment, news);

	if (attachment)
		list_del_init(&attachment->news);
	return attachment;
}

struct coroprof_follow *coroprof_provision_follow(struct coroprof_provision *provision)
{
	struct coroprof_follow *follow =
		list_first_entry_or_null(&provision->follows, struct coroprof_follow, node);

	if (follow)
		list_del_init(&follow->node);
	return follow;
}
