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
