/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything here that differs between kernels.
 */
#ifndef _SIMPMU_COMPAT_H
#define _SIMPMU_COMPAT_H

#include <linux/perf_event.h>
#include <linux/version.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>
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

/*
 * Of this CPU, until it switches to other memory. Newer kernels let nobody but KVM
 * change what they remember of the register; it stays as it is there, as they never
 * write it to flush what it caches.
 */
static inline void simpmu_permit_rdpmc(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	cr4_update_irqsoff(X86_CR4_PCE, 0);
#else
	asm volatile("mov %0, %%cr4" : : "r"(native_read_cr4() | X86_CR4_PCE) : "memory");
#endif
}

#endif /* _SIMPMU_COMPAT_H */
