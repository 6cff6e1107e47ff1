/* SPDX-License-Identifier: GPL-2.0 */
/* The conservation law, and what is missing. */
#ifndef COROPROF_PROFILE_CHECKS_H
#define COROPROF_PROFILE_CHECKS_H

struct build;

/* Compares sums with totals of each thread, and sets MODEL_PARTIAL_* of threads and processes. */
void checks_finish(struct build *b);

#endif /* COROPROF_PROFILE_CHECKS_H */
