/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_OPTIONS_HELP_H
#define COROPROF_OPTIONS_HELP_H

#include <stdio.h>

#include "options/options.h"

/* What --help prints: of a command, of coroprof, or of coroprof-read. */
void options_help(const struct options *options, FILE *out);

#endif /* COROPROF_OPTIONS_HELP_H */
