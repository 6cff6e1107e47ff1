/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything here that differs between kernels.
 */
#ifndef _SIMPMU_COMPAT_H
#define _SIMPMU_COMPAT_H

#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/version.h>
#include <asm/tlbflush.h>

/*
 * Before 6.2 only one PMU per boot may use perf_hw_context, unless it says
 * that it is one of several; without this a second insmod of the module warns.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define SIMPMU_CAPABILITIES	PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define SIMPMU_CAPABILITIES	0
#endif

bool simpmu_counts_on(const struct pmu *pmu, int cpu);

/* Before 6.2 a PMU says where an event counts; from then on, where none of its events does. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
static inline int simpmu_filter(struct perf_event *event)
{
	return simpmu_counts_on(event->pmu, smp_processor_id());
}

#define SIMPMU_FILTER	.filter_match = simpmu_filter
#else
static inline bool simpmu_filter(struct pmu *pmu, int cpu)
{
	return !simpmu_counts_on(pmu, cpu);
}

#define SIMPMU_FILTER	.filter = simpmu_filter
#endif

/*
 * cr4_update_irqsoff(), which newer kernels have for KVM alone. Nothing less will do:
 * where a kernel flushes what the CPU caches by the register, it writes what it
 * remembers of it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void *simpmu_find_cr4_update(void)
{
	return cr4_update_irqsoff;
}
#else
static inline void *simpmu_find_cr4_update(void)
{
	struct kprobe probe = { .symbol_name = "cr4_update_irqsoff" };
	int err = register_kprobe(&probe);

	if (err)
		return ERR_PTR(err);
	unregister_kprobe(&probe);
	/* A probe comes after the mark of a place to be called. */
	return (void *)ALIGN_DOWN((unsigned long)probe.addr, 16);
}
#endif

#endif /* _SIMPMU_COMPAT_H */
