/* SPDX-License-Identifier: GPL-2.0 */
/* What tables and columns there are, as their descriptions have it. */
#ifndef COROPROF_OUTPUT_HELP_H
#define COROPROF_OUTPUT_HELP_H

#include <stdio.h>

/* In names, what stands for the name of a counter. */
#define HELP_COUNTER	"COUNTER"

void help_columns(FILE *file);

#endif /* COROPROF_OUTPUT_HELP_H */
