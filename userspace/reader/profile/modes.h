/* SPDX-License-Identifier: GPL-2.0 */
/* How threads switched, and why so. */
#ifndef COROPROF_PROFILE_MODES_H
#define COROPROF_PROFILE_MODES_H

struct build;
struct model_mode_row;

/* Makes a row for each way to switch and each reason for it, and has channels refer to it. */
void modes_finish(struct build *b);
/* Orders rows: threads that switch from user mode first, then by number of threads. */
int mode_order(const struct model_mode_row *a, const struct model_mode_row *b);

#endif /* COROPROF_PROFILE_MODES_H */
