/* SPDX-License-Identifier: GPL-2.0 */
/* Starts the command, and follows it and what it leaves behind. */
#ifndef COROPROF_LAUNCH_H
#define COROPROF_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/**
 * struct launch - a started command
 * @pid:     its process, 0 once that has ended
 * @status:  its wait status, -1 until then
 * @orphans: it has ended, but descendants of it live
 */
struct launch {
	pid_t pid;
	int status;
	bool orphans;
};

/**
 * struct launch_environment - what the command gets to see
 * @token:    of the session, for COROPROF_SESSION
 * @preload:  value for LD_PRELOAD, or NULL to leave it
 * @asan:     value for ASAN_OPTIONS, or NULL to leave it
 * @runtimes: adapters of the preload library to use, or NULL: all
 * @functions: functions of Python to say as spans, or NULL: none
 * @threads:  threads are recorded from their begin
 * @mask:     signals to block
 * @output:   what would go to the terminal goes here, and nothing is read from there; -1: it does
 */
struct launch_environment {
	uint64_t token;
	const char *preload;
	const char *asan;
	const char *runtimes;
	const char *functions;
	bool threads;
	sigset_t mask;
	int output;
};

/* Starts the command. Returns -ENOENT, -EACCES and the like if it can't be executed. */
int launch_start(struct launch *launch, char *const *command,
		 const struct launch_environment *environment,
		 struct error *err);

/* Takes the statuses of children that have ended. To be called at SIGCHLD. */
void launch_reap(struct launch *launch);

/* The exit status that a shell would make of a wait status. */
int launch_exit_status(int status);

#endif /* COROPROF_LAUNCH_H */
