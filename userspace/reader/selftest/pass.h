/* SPDX-License-Identifier: GPL-2.0 */
/* One recording of the self-test. */
#ifndef COROPROF_SELFTEST_PASS_H
#define COROPROF_SELFTEST_PASS_H

#include <stdio.h>

#include "base/error.h"
#include "selftest/result.h"
#include "selftest/truth.h"

/**
 * struct pass - how to record, and whom
 * @how:      in words
 * @user:     from user mode
 * @plan:     of the program
 * @events:   what to count
 * @near_far: why memory that no cache holds is left out, or NULL
 */
struct pass {
	const char *how;
	bool user;
	struct truth_plan plan;
	const char *events;
	const char *near_far;
};

/*
 * Runs one pass, and writes every figure to @figures. Returns a negative errno if there is no
 * recording.
 */
int pass_run(const struct pass *pass, struct results *results, FILE *figures,
	     struct error *err);

#endif /* COROPROF_SELFTEST_PASS_H */
