/* SPDX-License-Identifier: GPL-2.0 */
/* What the checks of the self-test say, and what comes of them. */
#ifndef COROPROF_SELFTEST_RESULT_H
#define COROPROF_SELFTEST_RESULT_H

#include <stddef.h>
#include <stdio.h>

enum verdict {
	VERDICT_RIGHT,
	VERDICT_WRONG,
	VERDICT_NONE,	/* it can't be tested here */
	VERDICT_FIGURE,	/* measured for who reads it; there is no right nor wrong */
};

#define RESULTS_MAX	128

/**
 * struct result - of one check
 * @how:     how the program switched, or what is tested besides
 * @check:   what is checked
 * @verdict: enum verdict
 * @text:    what was measured, what is known, how much they may differ
 */
struct result {
	const char *how;
	const char *check;
	enum verdict verdict;
	char text[512];
};

struct results {
	struct result row[RESULTS_MAX];
	unsigned int nr;
};

void result_add(struct results *results, const char *how, const char *check,
		enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

unsigned int results_count(const struct results *results, enum verdict verdict);
void results_print(const struct results *results, FILE *out);

#endif /* COROPROF_SELFTEST_RESULT_H */
