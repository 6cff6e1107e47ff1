/* SPDX-License-Identifier: GPL-2.0 */
/* Which programs a command runs, as far as its words and scripts say. */
#ifndef COROPROF_COMMAND_H
#define COROPROF_COMMAND_H

#include "explain/detection.h"

/*
 * Looks at the programs that @command, NULL terminated, names: itself; what
 * interprets it, if it is a script; what it hands on to, as env(1) does; and
 * what the text of a shell names as commands.
 */
void command_look(struct detections *detections, char *const *command);

#endif /* COROPROF_COMMAND_H */
