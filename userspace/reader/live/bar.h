/* SPDX-License-Identifier: GPL-2.0 */
/* Shares as bars of characters. */
#ifndef COROPROF_BAR_H
#define COROPROF_BAR_H

#include <stddef.h>
#include <stdint.h>

#define BAR_MOST	64u
/* Each character has three bytes at most. */
#define BAR_SIZE	(3 * BAR_MOST + 1)

/*
 * @share, 0 to 1, of @width columns, to an eighth of a column; what is not 0 is to be seen, and
 * what is not all is not all of them. Spaces fill the rest.
 */
void bar_share(char to[BAR_SIZE], double share, unsigned int width);

/*
 * How many of @width columns each of @nr parts of a whole has: all of them together, if there is
 * anything. The largest rests are rounded up.
 */
void bar_parts(unsigned int *columns, const uint64_t *parts, unsigned int nr, unsigned int width);

/* Each of @nr figures as one column, as high as it is of the largest; 0 is a space. */
void bar_heights(char to[BAR_SIZE], const uint64_t *figures, unsigned int nr);

#endif /* COROPROF_BAR_H */
