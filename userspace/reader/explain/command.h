/* SPDX-License-Identifier: GPL-2.0 */
/* Which programs a command runs, as far as its words and scripts say. */
#ifndef COROPROF_COMMAND_H
#define COROPROF_COMMAND_H

#include "explain/detection.h"

/*
 * Looks at the programs that @command, NULL terminated, will run: itself, its interpreter if it is
 * a script, the command that it runs in turn, as env(1) does, and commands in the text of a shell.
 */
void command_look(struct detections *detections, char *const *command);

#endif /* COROPROF_COMMAND_H */
