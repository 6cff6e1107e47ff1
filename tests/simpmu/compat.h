/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything here that differs between kernels.
 */
#ifndef _SIMPMU_COMPAT_H
#define _SIMPMU_COMPAT_H

#include <linux/perf_event.h>

/*
 * Before 6.2 only one PMU per boot may use perf_hw_context, unless it says
 * that it is one of several; without this a second insmod of the module warns.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define SIMPMU_CAPABILITIES	PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define SIMPMU_CAPABILITIES	0
#endif

#endif /* _SIMPMU_COMPAT_H */
