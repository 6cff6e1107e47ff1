// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event.h"

struct perf_event_attr event_attr(uint64_t config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return attr;
}

static int open_event(const struct perf_event_attr *attr, int pid, int group)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, -1, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int event_open(const struct perf_event_attr *attr, int group)
{
	return open_event(attr, 0, group);
}

int event_open_of(const struct perf_event_attr *attr, int pid)
{
	return open_event(attr, pid, -1);
}
