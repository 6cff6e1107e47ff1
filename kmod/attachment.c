// SPDX-License-Identifier: GPL-2.0
/* The processes of a session: its index of attachments. */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "attachment.h"
#include "compat.h"
#include "lock.h"
#include "process.h"
#include "quota.h"
#include "session.h"
#include "spare.h"

struct coroprof_attachment *coroprof_attachment_alloc(void)
{
	struct coroprof_attachment *attachment =
		kzalloc(sizeof(*attachment), GFP_KERNEL_ACCOUNT | COROPROF_GFP_GENTLE);

	if (!attachment)
		return NULL;
	INIT_LIST_HEAD(&attachment->pending);
	attachment->spares = coroprof_spares_alloc();
	if (!attachment->spares) {
		kfree(attachment);
		return NULL;
	}
	return attachment;
}

void coroprof_attachment_free_unused(struct coroprof_attachment *attachment)
{
	if (attachment)
		coroprof_spares_put(attachment->spares);
	kfree(attachment);
}

static u64 attachment_bytes(void)
{
	return coroprof_bytes(sizeof(struct coroprof_attachment)) +
	       coroprof_bytes(sizeof(struct coroprof_spares));
}

static struct coroprof_attachment *of_node(struct rb_node *node)
{
	return rb_entry(node, struct coroprof_attachment, node);
}

struct coroprof_attachment *coroprof_attachment_find(struct coroprof_session *session, u32 id)
{
	struct rb_node *node = session->attachments.rb_node;

	lockdep_assert_held(&coroprof_mutex);
	while (node && of_node(node)->process->id != id)
		node = id < of_node(node)->process->id ? node->rb_left : node->rb_right;
	return node ? of_node(node) : NULL;
}

/* Also of a process that was taken over, until the reader has read so. */
struct coroprof_attachment *coroprof_attachment_of(struct coroprof_session *session,
						   const struct coroprof_process *process)
{
	return coroprof_attachment_find(session, process->id);
}

/* The one with the lowest number above @id, or NULL. */
static struct coroprof_attachment *find_after(struct coroprof_session *session, u32 id)
{
	struct rb_node *node = session->attachments.rb_node;
	struct coroprof_attachment *found = NULL;

	lockdep_assert_held(&coroprof_mutex);
	while (node) {
		if (of_node(node)->process->id > id) {
			found = of_node(node);
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found;
}

/* There is none of its process. */
static void insert(struct coroprof_session *session, struct coroprof_attachment *attachment)
{
	struct rb_node **link = &session->attachments.rb_node, *parent = NULL;

	lockdep_assert_held(&coroprof_mutex);
	while (*link) {
		parent = *link;
		link = attachment->process->id < of_node(parent)->process->id ?
			&parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&attachment->node, parent, link);
	rb_insert_color(&attachment->node, &session->attachments);
}

/**
 * coroprof_attachment_create() - put a process into a session
 * @session: that has none of it
 * @process: whom
 * @task:    a task of it, for its name
 * @unused:  taken over, also on error; NULL if there was no memory for it
 */
struct coroprof_attachment *
coroprof_attachment_create(struct coroprof_session *session, struct coroprof_process *process,
			   struct task_struct *task, struct coroprof_attachment *unused)
{
	struct coroprof_attachment *attachment = unused;
	int err;

	if (!attachment)
		return ERR_PTR(-ENOMEM);
	err = coroprof_quota_charge(session->quota, attachment_bytes());
	if (err) {
		coroprof_attachment_free_unused(attachment);
		return ERR_PTR(err);
	}

	coroprof_spares_open(attachment->spares, session->quota);
	attachment->process = process;
	kref_get(&process->ref);
	attachment->since = ktime_get_mono_fast_ns();
	get_task_comm(attachment->comm, task);
	insert(session, attachment);
	return attachment;
}

static void attachment_free(struct coroprof_session *session,
			    struct coroprof_attachment *attachment)
{
	coroprof_spares_close(attachment->spares);
	coroprof_process_put(attachment->process);
	coroprof_attachment_free_unused(attachment);
	coroprof_quota_uncharge(session->quota, attachment_bytes());
}

/* Of which nothing more is to be read: of those PROCESS_END was read. */
void coroprof_attachments_free(struct coroprof_session *session, struct list_head *done)
{
	struct coroprof_attachment *attachment, *next;

	list_for_each_entry_safe(attachment, next, done, pending) {
		mutex_lock(&coroprof_mutex);
		rb_erase(&attachment->node, &session->attachments);
		mutex_unlock(&coroprof_mutex);
		attachment_free(session, attachment);
	}
}

/* After coroprof_attachments_end(), and the end of all recordings: nobody looks there now. */
void coroprof_attachments_free_all(struct coroprof_session *session)
{
	struct coroprof_attachment *attachment, *next;

	rbtree_postorder_for_each_entry_safe(attachment, next, &session->attachments, node) {
		if (attachment->process->keys)
			coroprof_process_leave(attachment->process);
		attachment_free(session, attachment);
		cond_resched();
	}
	session->attachments = RB_ROOT;
}

/**
 * coroprof_attachments_each() - do something to each attachment, one after the other
 * @session: of this session
 * @fn:      what; under coroprof_mutex, which is taken for each, as others wait for it
 * @data:    for @fn
 *
 * May sleep.
 */
void coroprof_attachments_each(struct coroprof_session *session,
			       void (*fn)(struct coroprof_session *session,
					  struct coroprof_attachment *attachment, void *data),
			       void *data)
{
	struct coroprof_attachment *attachment;
	u32 id = 0;

	do {
		mutex_lock(&coroprof_mutex);
		attachment = find_after(session, id);
		if (attachment) {
			id = attachment->process->id;
			fn(session, attachment, data);
		}
		mutex_unlock(&coroprof_mutex);
		cond_resched();
	} while (attachment);
}
