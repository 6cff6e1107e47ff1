/* SPDX-License-Identifier: GPL-2.0 */
/* The running processes that were named, with -p, and those that descend from them. */
#ifndef COROPROF_TARGETS_H
#define COROPROF_TARGETS_H

#include <stdbool.h>

#include "record/options.h"
#include "record/session.h"
#include "record/tree.h"

#define TARGETS_MAX	(PIDS_MAX + TREE_MAX)

/**
 * struct target - one of them
 * @pid:   of it
 * @pidfd: readable once it has ended, or -1
 * @code:  why it is not recorded, an errno, or 0
 */
struct target {
	pid_t pid;
	int pidfd;
	int code;
};

/**
 * struct targets - all
 * @nr:    how many
 * @named: so many of them, the first, were named
 * @all:   in the order in which they were named, then found
 */
struct targets {
	unsigned int nr;
	unsigned int named;
	struct target all[TARGETS_MAX];
};

/*
 * Attaches @session to them, and, unless the options say that children are not recorded, to those
 * that descend from them; @probed: they need not make themselves known. Those that can't be
 * recorded are reported; it fails if none can.
 */
int targets_attach(struct targets *targets, struct session *session,
		   const struct record_options *options, bool probed, struct error *err);

/* True if any process that is recorded, or may yet be, has not ended. */
bool targets_alive(const struct targets *targets);

void targets_close(struct targets *targets);

#endif /* COROPROF_TARGETS_H */
