// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of the module. While anybody listens, switches take the way through slice.c,
 * which has them.
 */
#include <linux/pid.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "channel-layout.h"
#include "channel.h"
#include "counters.h"
#include "process.h"
#include "recording.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

bool coroprof_traced;

/*
 * Before the first listener is there. A thread that is off its CPU now has no fast
 * switch, and attention, when it comes back; the others get it here.
 */
int coroprof_trace_on(void)
{
	WRITE_ONCE(coroprof_traced, true);
	on_each_cpu(coroprof_channel_slow, NULL, true);
	return 0;
}

/* Each thread finds out at its next switch, which the kernel does. */
void coroprof_trace_off(void)
{
	WRITE_ONCE(coroprof_traced, false);
}
