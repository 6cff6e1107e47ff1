/* SPDX-License-Identifier: GPL-2.0 */
/* What shells ask as someone types. */
#ifndef COROPROF_OPTIONS_COMPLETE_H
#define COROPROF_OPTIONS_COMPLETE_H

#include <stdio.h>

#include "options/options.h"

/*
 * A line for each way in which the last of @options->words may go on, with a tab and what it means
 * behind it; none where a file, a program or a number is wanted.
 */
void options_complete(const struct options *options, FILE *out);

#endif /* COROPROF_OPTIONS_COMPLETE_H */
