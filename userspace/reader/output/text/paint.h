/* SPDX-License-Identifier: GPL-2.0 */
/* Colours of a terminal. They carry no information that the words do not. */
#ifndef COROPROF_PAINT_H
#define COROPROF_PAINT_H

#include <stdbool.h>

#define PAINT_TITLE	"\033[1m"	/* bold */
#define PAINT_FINDING	"\033[1;33m"	/* bold, yellow */
#define PAINT_ALARM	"\033[1;31m"	/* bold, red: titles in capitals */
#define PAINT_END	"\033[m"

/* Returns @how, or PAINT_END, which begins or ends a colour; "" if output is not coloured. */
static inline const char *paint(bool colored, const char *how)
{
	return colored ? how : "";
}

#endif /* COROPROF_PAINT_H */
