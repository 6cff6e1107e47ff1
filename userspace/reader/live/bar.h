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
 * Draws @share, 0 to 1, as a bar in @width columns, to an eighth of a column. A share above 0 has
 * at least an eighth, only the whole is full. Spaces fill the rest.
 */
void bar_share(char to[BAR_SIZE], double share, unsigned int width);

/*
 * Divides @width columns among @nr parts of a whole, so that all are used unless all parts are 0.
 * The largest rests are rounded up.
 */
void bar_parts(unsigned int *columns, const uint64_t *parts, unsigned int nr, unsigned int width);

/*
 * Draws each of @nr figures as one column, as high as the figure is of the largest; 0 is a space.
 */
void bar_heights(char to[BAR_SIZE], const uint64_t *figures, unsigned int nr);

#endif /* COROPROF_BAR_H */
