// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/give.h"

/* In config1 of armv8_pmuv3: user mode may read it; with as many bits as there are. */
#if defined(__aarch64__)
#define HOW_USER 2ull
#define HOW_WIDE 1ull
#else
#define HOW_USER 0ull
#define HOW_WIDE 0ull
#endif

static bool is_wanted(const struct session *s, const struct coroprof_record_channel *record)
{
	if (!(s->config.flags & COROPROF_SESSION_USER) || record->error ||
	    record->mode != COROPROF_MODE_IOCTL)
		return false;
	return record->reason == COROPROF_REASON_PARANOID ||
	       record->reason == COROPROF_REASON_SECCOMP ||
	       record->reason == COROPROF_REASON_PROC;
}

static int open_event(const struct coroprof_counter *counter, pid_t tid, __u64 how)
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
	long fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* As the thread would, in userspace/lib/offer.c. */
static int open_counter(const struct coroprof_counter *counter, pid_t tid)
{
	int fd = -EINVAL;

	if (counter->type == PERF_TYPE_SOFTWARE)
		return open_event(counter, tid, 0);
	if (HOW_WIDE)
		fd = open_event(counter, tid, HOW_USER | HOW_WIDE);
	if (fd == -EINVAL || fd == -EOPNOTSUPP)
		fd = open_event(counter, tid, HOW_USER);
	return fd;
}

/* Not for want of such an event. */
static bool is_refused(int error)
{
	return error == EACCES || error == EPERM || error == ESRCH || error == EMFILE ||
	       error == ENFILE || error == ENOMEM;
}

/* Returns false if one can't be had, though the machine may have it. */
static bool open_all(struct coroprof_give *give, const struct session *s, pid_t tid)
{
	for (__u32 i = 0; i < s->config.nr_counters; i++) {
		int fd = open_counter(&s->config.counters[i], tid);

		if (is_refused(-fd))
			return false;
		give->event[give->nr_counters++] = fd;
	}
	return true;
}

static void close_all(const struct coroprof_give *give)
{
	for (__u32 i = 0; i < give->nr_counters; i++)
		if (give->event[i] >= 0)
			close(give->event[i]);
}

void give_events(struct session *s, const struct coroprof_record_channel *record)
{
	struct coroprof_give give = {
		.size = sizeof(give),
		.channel_id = record->channel_id,
	};

	if (!is_wanted(s, record))
		return;
	if (open_all(&give, s, record->tid))
		session_give(s, &give);
	close_all(&give);
}
