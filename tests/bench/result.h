/* SPDX-License-Identifier: GPL-2.0 */
/* What comes of a benchmark: a value, or the reason why there is none. */
#ifndef BENCH_RESULT_H
#define BENCH_RESULT_H

#include <stdbool.h>

struct result {
	bool measured;
	double value;
	const char *unit;	/* NULL: instructions */
	char reason[160];
};

/**
 * struct benchmark - one key of bench.json
 * @key:     its name
 * @how:     what was measured, in words
 * @measure: runs in a process of its own
 * @variant: what @measure is to vary
 */
struct benchmark {
	const char *key;
	const char *how;
	void (*measure)(int variant, struct result *result);
	int variant;
};

void result_set(struct result *result, double value);
void result_set_bytes(struct result *result, double value);
__attribute__((format(printf, 2, 3)))
void result_none(struct result *result, const char *format, ...);
/* result_none() for a negative errno; returns whether it was one. */
bool result_failed(struct result *result, int err, const char *what);
/* Measures in a child, so that no benchmark sees what another one left. */
void result_take(const struct benchmark *benchmark, struct result *result);

#endif /* BENCH_RESULT_H */
