/* SPDX-License-Identifier: GPL-2.0 */
/* Which changes of a comparison are more than noise. */
#ifndef COROPROF_DIFF_VERDICT_H
#define COROPROF_DIFF_VERDICT_H

#include <stdbool.h>

#include "profile/model.h"

/*
 * Gives verdicts to those that are asked for, NULL: to all, so that with NOISE_CHANCE at most
 * any of these is wrong. Returns 0, or -1 when out of memory.
 */
int verdicts_give(struct model *m, const bool *asked);

#endif /* COROPROF_DIFF_VERDICT_H */
