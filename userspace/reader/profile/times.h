/* SPDX-License-Identifier: GPL-2.0 */
/* Times of slices and gaps: added to a row, and taken from one. */
#ifndef COROPROF_PROFILE_TIMES_H
#define COROPROF_PROFILE_TIMES_H

struct model_times;

void times_sum(struct model_times *to, const struct model_times *from);
void times_subtract(struct model_times *from, const struct model_times *what);

#endif /* COROPROF_PROFILE_TIMES_H */
