// SPDX-License-Identifier: GPL-2.0
/*
 * One function for each command of a session's descriptor, with errors in the words of
 * explain/diagnose.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/invoked.h"
#include "explain/diagnose.h"
#include "record/session.h"

static int set_nonblocking(int fd, struct error *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		return error_errno(err, "can't make the session non-blocking");
	return 0;
}

static bool has_program_counter(const struct coroprof_session_config *config)
{
	for (__u32 i = 0; i < config->nr_counters; i++) {
		if (config->counters[i].type == COROPROF_TYPE_PROGRAM)
			return true;
	}
	return false;
}

static bool wants_samples(const struct coroprof_session_config *config)
{
	return config->sampling.period || config->sampling.frequency;
}

static int open_on_device(struct session *s, int device, struct error *err)
{
	int ret;

	s->info = (struct coroprof_info){ .size = sizeof(s->info) };
	if (ioctl(device, COROPROF_IOC_INFO, &s->info))
		return diagnose_info(errno, err);
	ret = diagnose_abi(&s->info, err);
	if (ret)
		return ret;
	if (!(s->info.features & COROPROF_FEATURE_SWITCH_USER))
		s->config.flags &= ~COROPROF_SESSION_USER;
	if (wants_samples(&s->config) &&
	    !(s->info.features & COROPROF_FEATURE_SAMPLES))
		return error_set(err, EOPNOTSUPP, "the kernel module takes no samples on this machine (feature bits %#llx)\nRecord without --frequency, --period and --sample-event",
				 s->info.features);
	if (s->config.flags & COROPROF_SESSION_TOTALS &&
	    !(s->info.features & COROPROF_FEATURE_TOTALS))
		return error_set(err, EOPNOTSUPP, "the kernel module is older than %s (feature bits %#llx)\nLoad the one that belongs to this coroprof, or record without %s",
				 invoked_typed("totals"), s->info.features, invoked_typed("totals"));
	if (has_program_counter(&s->config) && !(s->info.features & COROPROF_FEATURE_PROGRAM))
		return error_set(err, EOPNOTSUPP, "the kernel module is older than -e program (feature bits %#llx)\nLoad the one that belongs to this coroprof, or leave program out",
				 s->info.features);
	s->config.size = sizeof(s->config);
	s->fd = ioctl(device, COROPROF_IOC_SESSION, &s->config);
	if (s->fd < 0)
		return diagnose_session(errno, &s->info, &s->config, err);
	ret = set_nonblocking(s->fd, err);
	if (ret)
		close(s->fd);
	return ret;
}

int session_open(struct session *s,
		 const struct coroprof_session_config *config,
		 struct error *err)
{
	int device = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);
	int ret;

	if (device < 0)
		return diagnose_open(errno, err);
	s->config = *config;
	ret = open_on_device(s, device, err);
	close(device);
	return ret;
}

void session_close(struct session *s)
{
	close(s->fd);
	s->fd = -1;
}

int session_attach(struct session *s, pid_t pid, __u32 flags, bool *known)
{
	struct coroprof_attach attach = {
		.size = sizeof(attach),
		.flags = flags,
		.pid = pid,
	};

	if (ioctl(s->fd, COROPROF_IOC_ATTACH, &attach))
		return -errno;
	*known = attach.process_id;
	return 0;
}

int session_start(struct session *s, struct error *err)
{
	if (ioctl(s->fd, COROPROF_IOC_START))
		return error_errno(err, "the kernel module can't start the recording");
	return 0;
}

int session_stop(struct session *s, struct error *err)
{
	if (ioctl(s->fd, COROPROF_IOC_STOP) && errno != EALREADY)
		return error_errno(err, "the kernel module can't stop the recording");
	return 0;
}

ssize_t session_read(struct session *s, void *records, size_t capacity,
		     struct error *err)
{
	ssize_t n = read(s->fd, records, capacity);

	if (n >= 0)
		return n;
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	return error_errno(err, "can't read the session's records");
}

int session_map_ring(struct session *s, struct ring *ring, __u32 channel,
		     size_t size, struct error *err)
{
	return ring_map(ring, s->fd, COROPROF_MMAP_RING(channel), size,
			s->info.page_size, err);
}

int session_map_samples(struct session *s, struct ring *ring, __u32 channel,
			size_t size, struct error *err)
{
	return ring_map(ring, s->fd, COROPROF_MMAP_SAMPLES(channel), size,
			s->info.page_size, err);
}

int session_channel(struct session *s, __u32 channel,
		    struct coroprof_channel_status *status, struct error *err)
{
	/* The size goes into the file: it must cover what the module fills in alone. All fill in this. */
	*status = (struct coroprof_channel_status){ .size = sizeof(*status), .channel_id = channel };
	if (ioctl(s->fd, COROPROF_IOC_CHANNEL, status))
		return error_errno(err, "no totals of channel %u", channel);
	return 0;
}

static int open_view(struct session *s, __u32 process_id, struct coroprof_view *view)
{
	*view = (struct coroprof_view){ .size = sizeof(*view), .process_id = process_id };
	return ioctl(s->fd, COROPROF_IOC_VIEW, view);
}

int session_view(struct session *s, __u32 process_id, __u32 *epoch,
		 const struct coroprof_slot **slots, size_t *bytes, struct error *err)
{
	size_t page = s->info.page_size;
	struct coroprof_view view;
	int fd = open_view(s, process_id, &view);
	void *at;

	if (fd < 0)
		return error_errno(err, "the totals of a process can't be seen");
	*bytes = (view.nr_slots * sizeof(**slots) + page - 1) / page * page;
	at = mmap(NULL, *bytes, PROT_READ, MAP_SHARED, fd, COROPROF_MMAP_SLOTS);
	if (at == MAP_FAILED) {
		error_errno(err, "the totals of a process can't be mapped");
		close(fd);
		return -err->code;
	}
	*slots = at;
	*epoch = view.epoch;
	return fd;
}

void session_unmap_view(int view, const struct coroprof_slot *slots, size_t bytes)
{
	munmap((void *)slots, bytes);
	close(view);
}

void session_epoch(struct session *s, __u32 process_id, __u32 *epoch)
{
	struct coroprof_view view;
	int fd = open_view(s, process_id, &view);

	if (fd < 0)
		return;
	*epoch = view.epoch;
	close(fd);
}

int session_touched(int view, __u32 *slot, __u32 *nr, struct error *err)
{
	struct coroprof_touched touched = { .size = sizeof(touched), .slot = *slot };

	if (ioctl(view, COROPROF_IOC_TOUCHED, &touched))
		return error_errno(err, "the kernel module does not say which totals there are");
	*slot = touched.slot;
	*nr = touched.nr;
	return 0;
}

void session_delegate(struct session *s, const struct coroprof_delegate *delegate)
{
	/* The thread may have ended, or its library know of no such thing. */
	ioctl(s->fd, COROPROF_IOC_DELEGATE, delegate);
}

void session_forget(struct session *s, __u32 channel)
{
	/* It may be gone with its ring already. Closing frees what is left. */
	ioctl(s->fd, COROPROF_IOC_FORGET, (unsigned long)channel);
}
