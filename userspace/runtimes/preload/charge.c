// SPDX-License-Identifier: LGPL-2.1-or-later
/* Charges what an adapter does to itself, not to the coroutine that runs. */
#include "../runtime.h"
#include "charge.h"

void charge(void)
{
	if (unlikely(runtime_recorded()))
		coroprof_switch(coroprof_thread_tool());
}

void charge_done(void)
{
	coroprof_switch_done(runtime_recorded() ? coroprof_thread_tool() : COROPROF_THREAD);
}
