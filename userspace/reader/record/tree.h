/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that descend from one. */
#ifndef COROPROF_TREE_H
#define COROPROF_TREE_H

#include <stdbool.h>
#include <sys/types.h>

/* At most so many are looked at. */
#define TREE_MAX	256

/* Calls @fn for each living process that descends from @pid. False if there may be more. */
bool tree_each(pid_t pid, void (*fn)(void *context, pid_t pid), void *context);

#endif /* COROPROF_TREE_H */
