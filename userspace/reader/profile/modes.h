/* SPDX-License-Identifier: GPL-2.0 */
/* How threads switched, and why so. */
#ifndef COROPROF_PROFILE_MODES_H
#define COROPROF_PROFILE_MODES_H

struct build;
struct model_mode_row;

/* A row for each way to switch, and each reason for it; channels refer to it. */
void modes_finish(struct build *b);
/* Those that switch from user mode first, then most threads. */
int mode_order(const struct model_mode_row *a, const struct model_mode_row *b);

#endif /* COROPROF_PROFILE_MODES_H */
