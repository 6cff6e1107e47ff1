// SPDX-License-Identifier: GPL-2.0
/*
 * coroprof_switch() of the shared library, with nobody recording. The library is
 * loaded here only: it makes the process known, as other benchmarks do.
 */
#include <coroprof/coroprof.h>
#include <dlfcn.h>

#include "meter.h"
#include "switches.h"

static void *symbol(void *library, const char *name)
{
	return library ? dlsym(library, name) : NULL;
}

void measure_switch_idle(int variant, struct result *result)
{
	void *library = dlopen("libcoroprof.so.1", RTLD_NOW);
	__typeof__(coroprof_switch) *to = symbol(library, "coroprof_switch");
	__typeof__(coroprof_new) *make = symbol(library, "coroprof_new");
	__typeof__(coroprof_status) *status = symbol(library, "coroprof_status");
	struct loop loop = { .operation = to, .span = 2, .warm = 1, .rounds = 20 };
	struct cost cost;

	(void)variant;
	if (!to || !make || !status) {
		result_none(result, "%s", dlerror());
		return;
	}
	loop.first = make(0, COROPROF_THREAD, 0);
	if (make(0, COROPROF_THREAD, 0) != loop.first + 1 || status())
		result_none(result, "libcoroprof does not work here: status %d", status());
	else if (!result_failed(result, meter_run(&loop, &cost), "read of the meter"))
		result_set(result, cost.least);
}
