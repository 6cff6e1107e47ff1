// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opens a perf event of a thread so that user mode can read it, where the processor lets it. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch.h"
#include "event.h"
#include "internal.h"

static int open_as(const struct coroprof_counter *counter, pid_t tid, uint64_t how)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = counter->type,
		.config = counter->config,
		.config1 = counter->config1 | how,
		.config2 = counter->config2,
		.exclude_kernel = !(counter->flags & COROPROF_COUNTER_KERNEL),
		.exclude_hv = 1,
		.exclude_guest = 1,
		.pinned = !!(counter->flags & COROPROF_COUNTER_PINNED),
	};
	int fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int coroprof_event_open(const struct coroprof_counter *counter, pid_t tid)
{
	int fd = -EINVAL;

	if (counter->type == COROPROF_TYPE_PROGRAM)
		return COROPROF_EVENT_PROGRAM;
	if (counter->type == PERF_TYPE_SOFTWARE)
		return open_as(counter, tid, 0);
	if (ARCH_CONFIG1_WIDE)
		fd = open_as(counter, tid, ARCH_CONFIG1_USER | ARCH_CONFIG1_WIDE);
	if (fd == -EINVAL || fd == -EOPNOTSUPP)
		fd = open_as(counter, tid, ARCH_CONFIG1_USER);
	return fd;
}
