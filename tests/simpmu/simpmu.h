/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SIMPMU_H
#define _SIMPMU_H

#include <linux/types.h>

/* What the simulated hardware is told to have counted on this CPU. */
struct simpmu_add {
	u32 type;	/* PERF_TYPE_HARDWARE or PERF_TYPE_RAW */
	bool kernel;	/* in kernel mode, else in user mode */
	u64 config;
	u64 n;
};

int simpmu_pmu_init(void);
void simpmu_pmu_exit(void);
void simpmu_count(const struct simpmu_add *adds, unsigned int nr);

int simpmu_parse(char *text, struct simpmu_add *adds, unsigned int max);

#endif /* _SIMPMU_H */
