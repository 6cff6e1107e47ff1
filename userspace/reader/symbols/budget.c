// SPDX-License-Identifier: GPL-2.0
/*
 * Bounds what reading symbols may cost: bytes, functions, names, time. Refuses what goes beyond,
 * with a reason.
 */
#include "base/util.h"
#include "symbols/budget.h"

struct budget budget_full(void)
{
	return (struct budget){
		.ns = BUDGET_NS,
		.read = BUDGET_READ,
		.names = BUDGET_NAMES,
		.functions = BUDGET_FUNCTIONS,
		.too_large = "given up: the object files of this recording are larger than the 8 GiB that are read",
	};
}

struct budget budget_lines(void)
{
	return (struct budget){
		.ns = BUDGET_NS,
		.read = BUDGET_DEBUG,
		.lines = BUDGET_LINES,
		.too_large = "given up: the debug information of this recording's object files is larger than the 1 GiB that is read",
	};
}

static bool spend(struct budget *b, uint64_t *from, uint64_t what, const char *gone)
{
	if (what <= *from) {
		*from -= what;
		return true;
	}
	b->gone = gone;
	return false;
}

bool budget_read(struct budget *b, uint64_t bytes)
{
	return spend(b, &b->read, bytes, b->too_large);
}

bool budget_function(struct budget *b, size_t name)
{
	return spend(b, &b->functions, 1,
		     "given up: the object files of this recording have more than 4 million functions") &&
	       spend(b, &b->names, name + 1,
		     "given up: the names of functions take more than 512 MiB");
}

bool budget_table(struct budget *b, uint64_t bytes)
{
	return spend(b, &b->lines, bytes,
		     "given up: the tables of lines of this recording's object files are larger than the 32 MiB that are read");
}

uint64_t budget_begin(void)
{
	return monotonic_ns();
}

bool budget_time(struct budget *b, uint64_t *begin)
{
	uint64_t now = monotonic_ns(), took = now - *begin;

	*begin = now;
	/* What took too long is over: there is none left. */
	if (took > b->ns)
		b->ns = 0;
	return spend(b, &b->ns, took,
		     "given up: the object files of this recording took more than 30 s");
}
