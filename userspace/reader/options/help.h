/* SPDX-License-Identifier: GPL-2.0 */
/* What --help prints. */
#ifndef COROPROF_OPTIONS_HELP_H
#define COROPROF_OPTIONS_HELP_H

#include <stdio.h>

#include "options/options.h"

/* Of the terminal, within bounds; of a file what any terminal has. */
int options_help_width(FILE *out);

/*
 * What --help prints, of a command, of coroprof, or of coroprof-read, in lines of @width; commands
 * to copy may be longer.
 */
void options_help(const struct options *options, int width, FILE *out);

#endif /* COROPROF_OPTIONS_HELP_H */
