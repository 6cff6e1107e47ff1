/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Says plainly why something does not work: what happened, what was found on
 * this machine, and the command that mends it.
 */
#ifndef COROPROF_DIAGNOSE_H
#define COROPROF_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "coroprof.h"
#include "explain/machine.h"
#include "explain/detection.h"

/* Each fills @err from the errno @code of a call that failed; returns -code. */
int diagnose_open(int code, struct error *err);
int diagnose_info(int code, struct error *err);
int diagnose_session(int code, const struct coroprof_info *info,
		     const struct coroprof_session_config *config,
		     struct error *err);
int diagnose_attach(int code, pid_t pid, struct error *err);

/* -EPROTO when this program and the module are too far apart. */
int diagnose_abi(const struct coroprof_info *info, struct error *err);

/*
 * Why an event can't be counted, in a few words, such as "this CPU, or
 * its driver, has no such event"; what is known of this machine included.
 */
const char *diagnose_counter(int code, const struct machine *machine);

/*
 * Why no process of @command, NULL terminated, has been recorded. @preloaded
 * says whether the preload library was put into it, @threads whether that was to
 * record threads without coroutines, @status how it ended, as
 * of wait(2), and @detections what was seen meanwhile.
 */
void diagnose_nothing(char *const *command, bool preloaded, bool threads, int status,
		      struct detections *detections, struct error *err);

/* Processes have been recorded, but no thread of them. @command may be NULL. */
void diagnose_no_switch(char *const *command, struct detections *detections,
			struct error *err);

/*
 * Explains what is not recorded although other programs are. False if nothing is missing, as far as
 * known.
 */
bool diagnose_partly(char *const *command, struct detections *detections,
		     struct error *err);

#endif /* COROPROF_DIAGNOSE_H */
