/* SPDX-License-Identifier: GPL-2.0 */
/* A change in words. */
#ifndef COROPROF_DIFF_WORDS_H
#define COROPROF_DIFF_WORDS_H

#include "profile/model.h"
#include "tables/figure.h"

/* What one recording has, in its unit. */
void words_figure(char to[FIGURE_SIZE], const struct model_change *change, enum model_age age);

/* "+10.0 %"; "from nothing". */
void words_difference(char to[FIGURE_SIZE], const struct model_change *change);

#endif /* COROPROF_DIFF_WORDS_H */
