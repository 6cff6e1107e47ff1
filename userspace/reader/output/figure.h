/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers as people read them: three digits that count, and a unit. */
#ifndef COROPROF_FIGURE_H
#define COROPROF_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/model.h"

/* What any of these needs at most. */
#define FIGURE_ROOM	32

/* "85.0 ns", "1.23 ms", "4.56 s" */
void figure_ns(char *to, uint64_t ns);
/* "985", "1.23 k", "4.56 G" */
void figure_count(char *to, uint64_t count);
/* "0.3 %", "<0.1 %"; @share is 0..1 */
void figure_share(char *to, double share);

/* "1.38", "~1.38" of estimates, "<0.01"; "n/a" of what is negative */
void figure_ratio(char *to, double ratio, bool scaled);

/* As figure_ns(), with ">=" before what is known in part, or "n/a". */
void figure_known(char *to, struct model_ns ns);
/*
 * As figure_count(), or figure_ns() for a counter of time, "~" before an
 * estimate; or why there is no value.
 */
void figure_value(char *to, struct model_value value, bool is_time);

#endif /* COROPROF_FIGURE_H */
