// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "reason.h"

const char *reason_counter(int code)
{
	switch (code) {
	case ENOENT:
		return "this CPU, or its driver, has no such event (ENOENT)";
	case ENODEV:
		return "this CPU, or its driver, has no such event (ENODEV)";
	case ENXIO:
		return "this CPU, or its driver, has no such event (ENXIO)";
	case EOPNOTSUPP:
		return "the PMU can't count it for a thread in user mode (EOPNOTSUPP)";
	case EINVAL:
		return "the PMU refuses this event, or its terms (EINVAL)";
	case EPERM:
		return "no permission (EPERM)";
	case EACCES:
		return "no permission (EACCES)";
	case EBUSY:
		return "the PMU is taken by somebody else (EBUSY)";
	}
	return strerrordesc_np(code);
}

bool reason_no_such_event(int code)
{
	return code == ENOENT || code == ENODEV || code == ENXIO;
}

const char *reason_no_pmu(bool hypervisor)
{
	return hypervisor ?
	       "this virtual machine has no PMU; where its host allows, it can be given one (QEMU: -cpu host under KVM)" :
	       "the kernel has no PMU for this CPU";
}

bool reason_is_cpu_pmu(const char *name)
{
	/* arm64 boards name theirs after the core: armv8_cortex_a53 ... */
	return !strcmp(name, "cpu") || !strcmp(name, "cpu_core") ||
	       !strcmp(name, "cpu_atom") || !strncmp(name, "armv", 4);
}
