/* SPDX-License-Identifier: GPL-2.0 */
/* What recording cost. */
#ifndef COROPROF_PROFILE_COSTS_H
#define COROPROF_PROFILE_COSTS_H

struct build;
struct model;

/* What each kind of call cost, as the recorder measured it, and all calls together. */
void costs_finish(struct build *b);
/* Of all time on a CPU; negative if it is not known. */
double costs_share(const struct model *m);

#endif /* COROPROF_PROFILE_COSTS_H */
