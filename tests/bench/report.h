/* SPDX-License-Identifier: GPL-2.0 */
/* The table and bench.json. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "result.h"

struct report {
	FILE *json;
	const char *separator;
};

/* Returns 0 or a negative errno. */
int report_open(struct report *report, const char *path);
void report_line(struct report *report, const char *key, const char *unit, const char *how,
		 const struct result *result);
int report_close(struct report *report);

#endif /* BENCH_REPORT_H */
