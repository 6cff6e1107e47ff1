// SPDX-License-Identifier: GPL-2.0
/*
 * A hit of an LTTng-UST tracepoint that lttng-sessiond, which runs already,
 * records.
 */
#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng.h"
#include "meter.h"

#define SESSION "/coroprof/bench/lttng-session"
#define LIBRARY "/coroprof/bench/libbench-lttng.so"
#define ROUNDS 20u

/* Bytes of its fields: less than any event takes in the trace. */
#define EVENT_LEAST 12u

struct provider {
	operation_fn hit;
	int (*enabled)(void);
};

static char trace[] = "/tmp/bench-lttng-XXXXXX";

static int start(const char *contexts)
{
	char command[256];

	if (!mkdtemp(trace))
		return -errno;
	snprintf(command, sizeof(command), SESSION " start bench %s %s", trace, contexts);
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

static uint64_t bytes;

static int add_size(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)ftw;
	if (type == FTW_F)
		bytes += st->st_size;
	return 0;
}

static uint64_t trace_bytes(void)
{
	bytes = 0;
	nftw(trace, add_size, 8, FTW_PHYS);
	return bytes;
}

static int verify(struct result *result)
{
	long discarded = stop();

	if (result_failed(result, discarded < 0 ? (int)discarded : 0, "lttng stop"))
		return -1;
	if (discarded)
		result_none(result, "LTTng discarded %ld events", discarded);
	else if (trace_bytes() < METER_TURNS * ROUNDS * EVENT_LEAST)
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
