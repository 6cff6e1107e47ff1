/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tokio has a table of functions for each type of future that a program spawns, which each
 * task of that type points to. Functions of ours are put into these tables.
 */
#ifndef TOKIO_KINDS_H
#define TOKIO_KINDS_H

#include "../preload/table.h"
#include "../runtime.h"
#include "name.h"
#include "span.h"

typedef void tokio_fn(void **task);

/* One for each function of the table that is replaced; each knows the same of the task. */
struct kind_hooks {
	tokio_fn *poll, *schedule, *dealloc, *shutdown;
};

/**
 * struct kind - the tasks of one type
 * @node: by the address of its table
 * @next: what the hooks stand for; schedule is NULL in a tokio before 1.23, whose table has none
 * @name: its label
 * @span: where each task has its span; NULL: none has one
 *
 * Made before main(), and never freed or changed, but for what @span says.
 */
struct kind {
	struct table_node node;
	struct kind_hooks next;
	char name[NAME_ROOM];
	struct span_place *span;
};

/* Finds all kinds that the program has, and puts the hooks into their tables. */
void kinds_begin(const struct kind_hooks *hooks);

/* That of a task, which has it: somebody has just called a hook by it. */
struct kind *kind_of(void *const *task);

#endif /* TOKIO_KINDS_H */
