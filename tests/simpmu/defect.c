// SPDX-License-Identifier: GPL-2.0
/*
 * Defects that a machine may have, for what is to find them: a PMU that loses events, one
 * that counts what a CPU does on another, and a clock that jumps, or differs from CPU to
 * CPU. None by default; the clock is a clocksource, to be chosen in
 * /sys/devices/system/clocksource/clocksource0/current_clocksource.
 */
#include <linux/clocksource.h>
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <asm/tsc.h>

#include "simpmu.h"

static unsigned int lose_ppm;
module_param(lose_ppm, uint, 0644);
MODULE_PARM_DESC(lose_ppm, "events in a million that are not counted");

static int wrong_cpu = -1;
module_param(wrong_cpu, int, 0644);
MODULE_PARM_DESC(wrong_cpu, "what this CPU does is counted on another one, if there is any; -1: none");

static unsigned int clock_jump_ms;
module_param(clock_jump_ms, uint, 0644);
MODULE_PARM_DESC(clock_jump_ms, "the clocksource jumps ahead by so much, each 100 ms; to be set before it is chosen");

static unsigned int clock_ahead_ms;
module_param(clock_ahead_ms, uint, 0644);
MODULE_PARM_DESC(clock_ahead_ms, "the clocksource is ahead by so much on every other CPU; likewise");

/* So much of @n is counted. */
u64 simpmu_defect_count(u64 n)
{
	return n - div_u64(n * min(READ_ONCE(lose_ppm), 1000000U), 1000000);
}

/* Where what this CPU does is counted: @cpu itself, or another. */
int simpmu_defect_cpu(int cpu)
{
	unsigned int other;

	if (cpu != READ_ONCE(wrong_cpu))
		return cpu;
	other = cpumask_any_but(cpu_online_mask, cpu);
	return other < nr_cpu_ids ? other : cpu;
}

static u64 clock_read(struct clocksource *cs)
{
	u64 now = rdtsc_ordered();

	if (clock_jump_ms)
		now += div_u64(now, 100 * tsc_khz) * clock_jump_ms * tsc_khz;
	if (raw_smp_processor_id() & 1)
		now += (u64)clock_ahead_ms * tsc_khz;
	return now;
}

/* Of a lower rating than any other, so that the kernel does not take it unasked. */
static struct clocksource clock = {
	.name	= "coroprof_simpmu",
	.rating	= 1,
	.read	= clock_read,
	.mask	= CLOCKSOURCE_MASK(64),
	.flags	= CLOCK_SOURCE_IS_CONTINUOUS | CLOCK_SOURCE_VALID_FOR_HRES,
	.owner	= THIS_MODULE,
};

int simpmu_defect_init(void)
{
	return clocksource_register_khz(&clock, tsc_khz);
}

void simpmu_defect_exit(void)
{
	clocksource_unregister(&clock);
}
