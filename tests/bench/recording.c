// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording.h"

static int call(int fd, unsigned long command, void *arg)
{
	int ret = ioctl(fd, command, arg);

	return ret < 0 ? -errno : ret;
}

/* The exact PMU has no others. */
static const uint64_t in_turn[COROPROF_COUNTERS_MAX] = {
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
};

static int open_session(int control, const uint64_t *events, unsigned int nr_counters,
			uint32_t flags, uint64_t *token)
{
	struct coroprof_session_config config = {
		.size = sizeof(config),
		.flags = flags,
		.nr_counters = nr_counters,
		.ring_size = flags & COROPROF_SESSION_TOTALS ? 0 : 1 << 20,
	};
	int session;

	for (unsigned int i = 0; i < nr_counters; i++) {
		if (events[i] == RECORDING_PROGRAM) {
			config.counters[i].type = COROPROF_TYPE_PROGRAM;
			continue;
		}
		config.counters[i].type = PERF_TYPE_HARDWARE;
		config.counters[i].config = events[i];
	}
	session = call(control, COROPROF_IOC_SESSION, &config);
	*token = config.token;
	return session;
}

static int open_process(int control, uint32_t slots, uint64_t token)
{
	struct coroprof_process_config config = {
		.size = sizeof(config),
		.slots = slots,
		.token = token,
	};

	return call(control, COROPROF_IOC_PROCESS, &config);
}

static int map_slots(struct recording *recording)
{
	size_t size = recording->nr_slots * sizeof(struct coroprof_slot);
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, recording->process,
			COROPROF_MMAP_SLOTS);

	if (at == MAP_FAILED)
		return -errno;
	recording->slots = at;
	for (uint32_t slot = 1; slot < recording->nr_slots; slot++)
		recording->slots[slot].id = slot;
	return 0;
}

int recording_open(struct recording *recording, unsigned int nr_counters, uint32_t coroutines,
		   uint32_t flags)
{
	int control = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);
	uint64_t token;

	if (control < 0)
		return -errno;
	recording->nr_counters = nr_counters;
	recording->nr_slots = RECORDING_FIRST + coroutines;
	recording->session = open_session(control, in_turn, nr_counters, flags, &token);
	if (recording->session < 0)
		return recording->session;
	recording->process = open_process(control, recording->nr_slots, token);
	if (recording->process < 0)
		return recording->process;
	return map_slots(recording);
}

int recording_start(const struct recording *recording)
{
	return call(recording->session, COROPROF_IOC_START, NULL);
}

int track_join(struct track *track, const struct recording *recording, uint32_t slot)
{
	struct coroprof_thread_config config = { .size = sizeof(config), .slot = slot };

	memset(track, 0, sizeof(*track));
	track->session = recording->session;
	track->channel = call(recording->process, COROPROF_IOC_THREAD, &config);
	return track->channel < 0 ? track->channel : 0;
}

/* The channel of this thread, as the session's stream announces it. */
static int find_channel(struct track *track)
{
	unsigned char buffer[8192] __attribute__((aligned(8)));
	const struct coroprof_record_channel *channel;
	const struct coroprof_record *record;
	ssize_t got, at;

	got = read(track->session, buffer, sizeof(buffer));
	for (at = 0; at < got; at += record->size) {
		record = (const void *)(buffer + at);
		channel = (const void *)record;
		if (record->type == COROPROF_RECORD_CHANNEL && channel->tid == gettid())
			break;
	}
	if (got > 0 && at < got) {
		track->user = channel->mode == COROPROF_MODE_USER;
		track->reason = channel->reason;
		track->ring_size = channel->ring_size;
		return channel->error ? -channel->error : (int)channel->channel_id;
	}
	return got < 0 ? -errno : -ENOENT;
}

static int map_ring(struct track *track)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint64_t offset = COROPROF_MMAP_RING(track->id);
	void *at;

	at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, track->session, offset);
	if (at == MAP_FAILED)
		return -errno;
	track->consumer = at;
	at = mmap(NULL, page, PROT_READ, MAP_SHARED, track->session, offset + page);
	if (at == MAP_FAILED)
		return -errno;
	track->producer = at;
	return 0;
}

int track_find(struct track *track)
{
	int ret = find_channel(track);

	if (ret < 0)
		return ret;
	track->id = ret;
	return track->ring_size ? map_ring(track) : 0;
}

int track_begin(struct track *track, uint32_t slot)
{
	return ioctl(track->channel, COROPROF_IOC_SWITCH, slot) ? -errno : track_find(track);
}

static int track_open(struct track *track, const uint64_t *events, unsigned int nr_counters,
		      uint32_t flags)
{
	int control = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);
	uint64_t token;

	memset(track, 0, sizeof(*track));
	track->channel = -1;
	if (control < 0)
		return -errno;
	track->session = open_session(control, events, nr_counters, flags, &token);
	return track->session < 0 ? track->session : 0;
}

/* With COROPROF_ATTACH_LATER the process need not have made itself known. */
static int track_attach_start(const struct track *track, uint32_t flags)
{
	struct coroprof_attach attach = { .size = sizeof(attach), .pid = getpid(), .flags = flags };
	int ret = call(track->session, COROPROF_IOC_ATTACH, &attach);

	return ret ? ret : call(track->session, COROPROF_IOC_START, NULL);
}

/* A session that records this process, which has made itself known. */
int track_attach(struct track *track, const uint64_t *events, unsigned int nr_counters,
		 uint32_t flags)
{
	int ret = track_open(track, events, nr_counters, COROPROF_SESSION_USER | flags);

	return ret ? ret : track_attach_start(track, 0);
}

int track_probe(struct track *track, struct coroprof_probe *probe, unsigned int nr_counters)
{
	int ret = track_open(track, in_turn, nr_counters, 0);

	return ret ? ret : call(track->session, COROPROF_IOC_PROBE, probe);
}

int track_start_probed(struct track *track)
{
	return track_attach_start(track, COROPROF_ATTACH_LATER);
}

int track_status(const struct track *track, struct coroprof_channel_status *status)
{
	*status = (struct coroprof_channel_status){ .size = sizeof(*status), .channel_id = track->id };
	return call(track->session, COROPROF_IOC_CHANNEL, status);
}

void track_drain(void *arg)
{
	struct track *track = arg;
	uint64_t head;

	if (!track->ring_size)
		return;
	head = __atomic_load_n(&track->producer->head, __ATOMIC_ACQUIRE) & ~1ull;

	__atomic_store_n(&track->consumer->tail, head, __ATOMIC_RELEASE);
}

/* Every coroutine has had slices, and each of its counters has counted. */
static int verify_slots(const struct recording *recording)
{
	for (uint32_t i = RECORDING_FIRST; i < recording->nr_slots; i++) {
		const struct coroprof_slot *slot = &recording->slots[i];

		if (!slot->slices)
			return -ENODATA;
		for (unsigned int n = 0; n < recording->nr_counters; n++)
			if (!slot->count[n])
				return -ENODATA;
	}
	return 0;
}

int track_verify_counts(const struct track *track, uint32_t standing)
{
	struct coroprof_channel_status status;
	int ret = track_status(track, &status);

	if (ret)
		return ret;
	if (status.lost)
		return -ENOBUFS;
	return status.standing == standing ? 0 : -ENODATA;
}

int track_verify(const struct track *track, const struct recording *recording)
{
	int ret = track_verify_counts(track, RECORDING_COUNTED(recording->nr_counters));

	return ret ? ret : verify_slots(recording);
}
