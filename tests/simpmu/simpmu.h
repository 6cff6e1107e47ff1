/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SIMPMU_H
#define _SIMPMU_H

#include <linux/device.h>
#include <linux/types.h>

struct mm_struct;
struct perf_event;

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

bool simpmu_is_own(const struct perf_event *event);
/* What a counter of this CPU reads. */
u64 simpmu_value(u32 idx);

int simpmu_rdpmc_init(void);
void simpmu_rdpmc_exit(void);
int simpmu_event_idx(struct perf_event *event);
void simpmu_event_mapped(struct perf_event *event, struct mm_struct *mm);
void simpmu_event_unmapped(struct perf_event *event, struct mm_struct *mm);
extern struct device_attribute simpmu_rdpmc_attr;

u64 simpmu_defect_count(u64 n);
int simpmu_defect_cpu(int cpu);
int simpmu_defect_init(void);
void simpmu_defect_exit(void);

int simpmu_parse(char *text, struct simpmu_add *adds, unsigned int max);

#endif /* _SIMPMU_H */
