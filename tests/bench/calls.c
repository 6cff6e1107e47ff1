// SPDX-License-Identifier: GPL-2.0
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "meter.h"

static void call_getppid(uint32_t turn)
{
	(void)turn;
	getppid();
}

static void call_getrusage(uint32_t turn)
{
	struct rusage usage;

	(void)turn;
	getrusage(RUSAGE_THREAD, &usage);
}

static void call_thread_cputime(uint32_t turn)
{
	struct timespec time;

	(void)turn;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
}

static void measure(operation_fn operation, struct result *result)
{
	double least;

	if (!result_failed(result, meter_least(operation, &least), "read of the meter"))
		result_set(result, least);
}

void measure_getppid(int variant, struct result *result)
{
	(void)variant;
	measure(call_getppid, result);
}

void measure_getrusage(int variant, struct result *result)
{
	(void)variant;
	measure(call_getrusage, result);
}

void measure_thread_cputime(int variant, struct result *result)
{
	(void)variant;
	measure(call_thread_cputime, result);
}
