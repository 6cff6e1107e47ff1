/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of /dev/coroprof as functions. Each returns what the command
 * returns, a descriptor or 0, or a negative errno.
 */
#ifndef _CALL_H
#define _CALL_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#if __has_include(<coroprof.h>)
#include <coroprof.h>
#else
#include <linux/coroprof.h>
#endif

static inline int call(int fd, unsigned long command, const void *arg)
{
	int ret = ioctl(fd, command, arg);

	return ret < 0 ? -errno : ret;
}

static inline int call_value(int fd, unsigned long command, unsigned long value)
{
	return call(fd, command, (void *)value);
}

static inline int open_control(void)
{
	int fd = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static inline int make_process(int control, __u32 slots, __u64 token)
{
	struct coroprof_process_config config = {
		.size = sizeof(config),
		.slots = slots,
		.token = token,
	};

	return call(control, COROPROF_IOC_PROCESS, &config);
}

static inline int join_counting(int process, __u32 slot,
				const struct coroprof_counter *counters, int nr)
{
	struct coroprof_thread_config config = {
		.size = sizeof(config),
		.slot = slot,
		.nr_counters = nr,
	};

	if (nr)
		memcpy(config.counters, counters, nr * sizeof(*counters));
	return call(process, COROPROF_IOC_THREAD, &config);
}

static inline int join(int process, __u32 slot)
{
	return join_counting(process, slot, NULL, 0);
}

static inline int switch_to(int channel, unsigned long slot_and_flags)
{
	return call_value(channel, COROPROF_IOC_SWITCH, slot_and_flags);
}

static inline int leave(int channel)
{
	return call(channel, COROPROF_IOC_LEAVE, NULL);
}

static inline int read_totals(int channel, struct coroprof_totals *totals)
{
	memset(totals, 0, sizeof(*totals));
	totals->size = sizeof(*totals);
	return call(channel, COROPROF_IOC_READ, totals);
}

/* A trace, and a span of it, whose ids are one byte many times over. */
static inline int set_trace(int channel, __u8 trace, __u8 span)
{
	struct coroprof_trace arg = { .size = sizeof(arg) };

	memset(arg.trace_id, trace, sizeof(arg.trace_id));
	memset(arg.span_id, span, sizeof(arg.span_id));
	return call(channel, COROPROF_IOC_TRACE, &arg);
}

/* What a span that begins now has to remember. */
static inline int begin_span(int channel, struct coroprof_span *span)
{
	struct coroprof_totals totals;
	int ret = read_totals(channel, &totals);

	memset(span, 0, sizeof(*span));
	span->size = sizeof(*span);
	span->time = totals.time;
	span->running_ns = totals.running_ns;
	memcpy(span->count, totals.count, sizeof(span->count));
	memcpy(span->missing_ns, totals.missing_ns, sizeof(span->missing_ns));
	return ret;
}

static inline int end_span(int channel, const struct coroprof_span *span)
{
	return call(channel, COROPROF_IOC_SPAN, span);
}

/* Returns the number of the label. */
static inline int make_label(int process, const char *text, size_t len)
{
	struct coroprof_label label = {
		.size = sizeof(label),
		.text = (uintptr_t)text,
		.text_len = len,
	};
	int ret = call(process, COROPROF_IOC_LABEL, &label);

	return ret ? ret : (int)label.label;
}

static inline int make_session(int control, struct coroprof_session_config *config)
{
	config->size = sizeof(*config);
	return call(control, COROPROF_IOC_SESSION, config);
}

static inline int attach(int session, pid_t pid)
{
	struct coroprof_attach config = { .size = sizeof(config), .pid = pid };

	return call(session, COROPROF_IOC_ATTACH, &config);
}

/* Returns the number of the process object, 0 if there is none yet. */
static inline int attach_flags(int session, pid_t pid, __u32 flags)
{
	struct coroprof_attach config = {
		.size = sizeof(config), .pid = pid, .flags = flags,
	};
	int ret = call(session, COROPROF_IOC_ATTACH, &config);

	return ret ? ret : (int)config.process_id;
}

static inline int add_probe(int session, struct coroprof_probe *probe)
{
	probe->size = sizeof(*probe);
	return call(session, COROPROF_IOC_PROBE, probe);
}

static inline int start(int session)
{
	return call(session, COROPROF_IOC_START, NULL);
}

static inline int stop(int session)
{
	return call(session, COROPROF_IOC_STOP, NULL);
}

static inline int channel_status(int session, __u32 channel_id,
				 struct coroprof_channel_status *status)
{
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	status->channel_id = channel_id;
	return call(session, COROPROF_IOC_CHANNEL, status);
}

/* A view of a process's slots: its descriptor. */
static inline int open_view(int session, __u32 process_id, struct coroprof_view *view)
{
	*view = (struct coroprof_view){ .size = sizeof(*view), .process_id = process_id };
	return call(session, COROPROF_IOC_VIEW, view);
}

/* From @slot on, the first that there is memory for; and how many. */
static inline int find_touched(int view, __u32 *slot, __u32 *nr)
{
	struct coroprof_touched touched = { .size = sizeof(touched), .slot = *slot };
	int ret = call(view, COROPROF_IOC_TOUCHED, &touched);

	*slot = touched.slot;
	*nr = touched.nr;
	return ret;
}

static inline int forget(int session, unsigned long channel_id)
{
	return call_value(session, COROPROF_IOC_FORGET, channel_id);
}

static inline size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* Page faults, so many: what is counted of them is known. */
static inline void fault_pages(unsigned int nr)
{
	unsigned char *pages = mmap(NULL, nr * page_size(), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	madvise(pages, nr * page_size(), MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++)
		((volatile unsigned char *)pages)[i * page_size()] = 1;
	munmap(pages, nr * page_size());
}

static inline size_t page_align(size_t bytes)
{
	return (bytes + page_size() - 1) & ~(page_size() - 1);
}

/* Returns NULL when the mapping is refused; errno says why. */
static inline void *map_at(int fd, size_t len, int prot, int flags, __u64 offset)
{
	void *at = mmap(NULL, len, prot, flags, fd, offset);

	return at == MAP_FAILED ? NULL : at;
}

static inline struct coroprof_slot *map_slots(int process, __u32 slots)
{
	return map_at(process, page_align(slots * sizeof(struct coroprof_slot)),
		      PROT_READ | PROT_WRITE, MAP_SHARED, COROPROF_MMAP_SLOTS);
}

static inline const volatile struct coroprof_process_page *
map_process_page(int process)
{
	return map_at(process, page_size(), PROT_READ, MAP_SHARED,
		      COROPROF_MMAP_PROCESS_PAGE);
}

#endif /* _CALL_H */
