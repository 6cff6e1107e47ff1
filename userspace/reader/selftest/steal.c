// SPDX-License-Identifier: GPL-2.0
/* Reads the time that the hypervisor took from this machine, from /proc/stat. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "selftest/steal.h"

/* The line is: cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ... */
uint64_t steal_ns(void)
{
	uint64_t ticks = 0;
	char text[256];

	if (!read_text("/proc/stat", text, sizeof(text)) ||
	    sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) != 1)
		return 0;
	return ticks * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK));
}
