/* SPDX-License-Identifier: GPL-2.0 */
/* What recording cost. */
#ifndef COROPROF_PROFILE_COSTS_H
#define COROPROF_PROFILE_COSTS_H

struct build;
struct model;

/*
 * Sets the cost of each kind of call, as the recorder measured it, and the overhead of all calls.
 */
void costs_finish(struct build *b);
/* The overhead as a share of all time on a CPU; negative if it is not known. */
double costs_share(const struct model *m);

#endif /* COROPROF_PROFILE_COSTS_H */
