/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares what a recording says, coroutine by coroutine, with what is known. How far
 * they may differ, and why so far, stands beside each check.
 */
#ifndef COROPROF_SELFTEST_JUDGE_H
#define COROPROF_SELFTEST_JUDGE_H

#include "selftest/evidence.h"

/* Runs all checks. */
void judge(struct evidence *evidence);

void judge_counts(const struct evidence *e);
void judge_cpus(const struct evidence *e, uint32_t counter);
void judge_times(const struct evidence *e);
void judge_samples(const struct evidence *e);

#endif /* COROPROF_SELFTEST_JUDGE_H */
