/* SPDX-License-Identifier: GPL-2.0 */
/* The running processes that were named, with -p. */
#ifndef COROPROF_TARGETS_H
#define COROPROF_TARGETS_H

#include <stdbool.h>

#include "record/options.h"
#include "record/session.h"

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
 * @nr:  how many
 * @all: in the order in which they were named
 */
struct targets {
	unsigned int nr;
	struct target all[PIDS_MAX];
};

/*
 * Attaches @session to them; @probed: they need not make themselves known. Those that can't be recorded are told; it fails if
 * none can.
 */
int targets_attach(struct targets *targets, struct session *session,
		   const struct record_options *options, bool probed, struct error *err);

/* Whether any that is recorded, or may yet be, has not ended. */
bool targets_alive(const struct targets *targets);

void targets_close(struct targets *targets);

#endif /* COROPROF_TARGETS_H */
