/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of each task of tokio. */
#ifndef TOKIO_TASKS_H
#define TOKIO_TASKS_H

#include "kinds.h"

/**
 * struct task - a task of tokio's
 * @node:     by its address. Never freed: another task may have the address later
 * @co:       its coroutine, 0: none yet, or none any more. Changed by the thread that
 *            has @taken it, or that frees the task
 * @taken:    a thread runs it; no other one may switch to its coroutine
 * @labelled: that has its label
 */
struct task {
	struct table_node node;
	coroprof_co co;
	bool taken;
	bool labelled;
};

/* What is known of it, or NULL. */
struct task *tokio_find(void **task);
/* The same, and there is something from now on. NULL without memory. */
struct task *tokio_get(void **task);

/* This thread may run it, once no other one does. False: one goes on and on. */
bool tokio_take(struct task *task);
/* The same, without waiting. */
bool tokio_try(struct task *task);
void tokio_give_back(struct task *task);

/* Its coroutine runs from now on. Returns what had run. It is taken. */
coroprof_co tokio_enter(struct task *task, const struct kind *kind);
enum task_state { TASK_WAITS, TASK_READY, TASK_ENDED };
/* The same runs again. */
void tokio_leave(struct task *task, coroprof_co before, enum task_state state);

/* It can be run. */
void tokio_wake(struct task *task, const struct kind *kind);

/* It is about to be freed. */
void tokio_forget(struct task *task);

#endif /* TOKIO_TASKS_H */
