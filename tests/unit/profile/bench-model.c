// SPDX-License-Identifier: GPL-2.0
/* bench-model FILE...: how much CPU time reading recordings takes. */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "cprof/file.h"
#include "profile/model.h"

/* CPU time: the machine may have other things to do. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int bench(const char *path)
{
	struct error err = ERROR_NONE;
	uint64_t begin = cpu_ns(), opened, loaded;
	struct model *m = NULL;
	struct rusage usage;
	struct file *file;

	if (file_open(&file, path, &err))
		goto failed;
	opened = cpu_ns();
	if (model_load(&m, file, NULL, &err))
		goto failed;
	loaded = cpu_ns();
	getrusage(RUSAGE_SELF, &usage);
	printf("%s: %.1f MB, %.2f M slices, %u coroutines; checksums %.0f ms, model %.0f ms: %.1f M slices/s, %.1f ns each; %ld MB at most\n",
	       path, (double)m->file_size / 1e6, (double)m->times.slices / 1e6,
	       m->nr_coroutines, (double)(opened - begin) / 1e6,
	       (double)(loaded - opened) / 1e6,
	       (double)m->times.slices * 1e3 / (double)(loaded - begin),
	       (double)(loaded - begin) / (double)m->times.slices,
	       usage.ru_maxrss / 1024);
	model_free(m);
	file_close(file);
	return 0;
failed:
	fprintf(stderr, "%s\n", err.message);
	return 1;
}

int main(int argc, char **argv)
{
	int ret = 0;

	for (int i = 1; i < argc; i++)
		ret |= bench(argv[i]);
	return ret;
}
