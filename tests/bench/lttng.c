// SPDX-License-Identifier: GPL-2.0
/*
 * A hit of an LTTng-UST tracepoint that lttng-sessiond, which runs already,
 * records.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng.h"
#include "meter.h"

#define SESSION "/coroprof/bench/lttng-session"
#define LIBRARY "/coroprof/bench/libbench-lttng.so"
#define TRACE "/tmp/bench-lttng"
#define ROUNDS 20u

/* Bytes of its fields: less than any event takes in the trace. */
#define EVENT_LEAST 12u

struct provider {
	operation_fn hit;
	int (*enabled)(void);
};

static int start(const char *contexts)
{
	char command[256];

	snprintf(command, sizeof(command), SESSION " start bench " TRACE " %s", contexts);
	return system(command) ? -EIO : 0;
}

/* How many events were discarded, or a negative errno. */
static long stop(void)
{
	FILE *pipe = popen(SESSION " stop bench", "re");
	long discarded = -ENODATA;

	if (!pipe)
		return -errno;
	if (fscanf(pipe, "%ld", &discarded) != 1)
		discarded = -ENODATA;
	return pclose(pipe) ? -EIO : discarded;
}

static bool load(struct provider *provider)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);

	if (!library)
		return false;
	provider->hit = dlsym(library, "bench_lttng_hit");
	provider->enabled = dlsym(library, "bench_lttng_enabled");
	return provider->hit && provider->enabled;
}

static long trace_bytes(void)
{
	FILE *pipe = popen("du -s -b " TRACE " 2>/dev/null || du -s " TRACE, "re");
	long bytes = -1;

	if (pipe && fscanf(pipe, "%ld", &bytes) != 1)
		bytes = -1;
	if (pipe)
		pclose(pipe);
	return bytes;
}

static int verify(struct result *result)
{
	long discarded = stop();

	if (result_failed(result, discarded < 0 ? (int)discarded : 0, "lttng stop"))
		return -1;
	if (discarded)
		result_none(result, "LTTng discarded %ld events", discarded);
	else if (trace_bytes() < (long)(METER_TURNS * ROUNDS * EVENT_LEAST))
		result_none(result, "the trace is too short for its events");
	else
		return 0;
	return -1;
}

void measure_lttng(int contexts, struct result *result)
{
	struct provider provider;
	double least;

	if (result_failed(result, start(contexts ? "perf:thread:cpu-cycles perf:thread:instructions" : ""),
			  "lttng, of lttng-tools"))
		return;
	if (!load(&provider))
		result_none(result, "%s", dlerror());
	else if (!provider.enabled())
		result_none(result, "LTTng did not enable the tracepoint");
	else if (!result_failed(result, meter_least(provider.hit, &least), "read of the meter") &&
		 !verify(result))
		result_set(result, least);
}
