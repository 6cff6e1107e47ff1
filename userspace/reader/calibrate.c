// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calibrate.h"
#include "util.h"

/*
 * The cheapest batch is the one that nothing else got into. All slices together
 * must fit into a ring of the default size, so that no switch is spared writing
 * its record.
 */
#define BATCHES		16
#define BATCH		128
#define WARM_UP		128

#define SLOTS		4

/**
 * struct rig - a session and the one thread it records
 * @session: session descriptor
 * @process: process descriptor
 * @channel: channel descriptor
 * @slots:   its slots
 * @size:    bytes of them
 */
struct rig {
	int session;
	int process;
	int channel;
	struct coroprof_slot *slots;
	size_t size;
};

static int set_up_process(struct rig *rig, int device, __u64 token)
{
	struct coroprof_process_config process = {
		.size = sizeof(process),
		.token = token,
		.slots = SLOTS,
	};
	struct coroprof_thread_config thread = {
		.size = sizeof(thread),
		.slot = 1,
	};

	rig->process = ioctl(device, COROPROF_IOC_PROCESS, &process);
	if (rig->process < 0)
		return -1;
	rig->slots = mmap(NULL, rig->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  rig->process, (off_t)COROPROF_MMAP_SLOTS);
	if (rig->slots == MAP_FAILED)
		return -1;
	for (unsigned int i = 1; i < SLOTS; i++)
		rig->slots[i].id = i;
	rig->channel = ioctl(rig->process, COROPROF_IOC_THREAD, &thread);
	return rig->channel < 0 ? -1 : 0;
}

static int set_up(struct rig *rig, const struct coroprof_counter *counters,
		  unsigned int nr)
{
	struct coroprof_session_config config = {
		.size = sizeof(config),
		.nr_counters = nr,
	};
	int device = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);
	int ret = -1;

	*rig = (struct rig){ -1, -1, -1, MAP_FAILED, 0 };
	rig->size = (SLOTS * sizeof(*rig->slots) + (size_t)getpagesize() - 1) &
		    ~((size_t)getpagesize() - 1);
	if (device < 0)
		return -1;
	memcpy(config.counters, counters, nr * sizeof(*counters));
	rig->session = ioctl(device, COROPROF_IOC_SESSION, &config);
	if (rig->session >= 0 && !ioctl(rig->session, COROPROF_IOC_START))
		ret = set_up_process(rig, device, config.token);
	close(device);
	return ret;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void take_down(struct rig *rig)
{
	if (rig->channel >= 0)
		ioctl(rig->channel, COROPROF_IOC_LEAVE);
	close_if_open(rig->channel);
	if (rig->slots != MAP_FAILED)
		munmap(rig->slots, rig->size);
	close_if_open(rig->process);
	close_if_open(rig->session);
}

static int switch_often(const struct rig *rig, unsigned int times)
{
	int ret = 0;

	for (unsigned int i = 0; i < times; i++)
		ret |= ioctl(rig->channel, COROPROF_IOC_SWITCH,
			     2ul + i % 2);
	return ret;
}

static int measure_ns(const struct rig *rig, double *ns)
{
	*ns = -1;
	for (unsigned int i = 0; i < BATCHES; i++) {
		uint64_t begin = monotonic_ns();
		double each;

		if (switch_often(rig, BATCH))
			return -1;
		each = (double)(monotonic_ns() - begin) / BATCH;
		if (*ns < 0 || each < *ns)
			*ns = each;
	}
	return 0;
}

/* Clears what the slots have of the warm-up. */
static int begin_anew(const struct rig *rig)
{
	return ioctl(rig->channel, COROPROF_IOC_SWITCH, 2 | COROPROF_SWITCH_FRESH) |
	       ioctl(rig->channel, COROPROF_IOC_SWITCH, 3 | COROPROF_SWITCH_FRESH);
}

/* The slots of the two coroutines have the counts of all their slices. */
static double mean_count(const struct rig *rig, unsigned int counter)
{
	const struct coroprof_slot *a = &rig->slots[2], *b = &rig->slots[3];

	if (COROPROF_STANDING(a->standing, counter) != COROPROF_STANDING_COUNTED ||
	    COROPROF_STANDING(b->standing, counter) != COROPROF_STANDING_COUNTED)
		return -1;
	return (double)(a->count[counter] + b->count[counter]) /
	       (double)(a->slices + b->slices);
}

/* Of the one channel there is. */
static void take_errors(struct calibration *c, const char *bytes, size_t size)
{
	struct coroprof_counter_state state;

	bytes += sizeof(struct coroprof_record_channel);
	size -= sizeof(struct coroprof_record_channel);
	for (size_t i = 0; i < size / sizeof(state) && i < ARRAY_SIZE(c->errors); i++) {
		memcpy(&state, bytes + i * sizeof(state), sizeof(state));
		c->errors[i] = state.error;
	}
}

static int read_errors(struct calibration *c, const struct rig *rig)
{
	char bytes[8 * COROPROF_RECORD_MAX];
	ssize_t n = read(rig->session, bytes, sizeof(bytes));
	struct coroprof_record record;

	memset(c->errors, 0, sizeof(c->errors));
	for (ssize_t at = 0; n - at >= (ssize_t)sizeof(record); at += record.size) {
		memcpy(&record, bytes + at, sizeof(record));
		if (record.size < sizeof(record) || record.size > n - at)
			break;
		if (record.type != COROPROF_RECORD_CHANNEL ||
		    record.size < sizeof(struct coroprof_record_channel))
			continue;
		take_errors(c, bytes + at, record.size);
		return 0;
	}
	errno = EPROTO;
	return -1;
}

static int time_switches(struct calibration *c,
			 const struct coroprof_counter *counters,
			 unsigned int nr)
{
	struct rig rig;
	int ret = set_up(&rig, counters, nr);

	if (!ret)
		ret = switch_often(&rig, WARM_UP);
	if (!ret)
		ret = measure_ns(&rig, &c->ns);
	if (!ret)
		ret = read_errors(c, &rig);
	take_down(&rig);
	return ret;
}

/* In a round of its own: the additional counter costs something, too. */
static void count_instructions(double *instructions,
			       const struct coroprof_counter *counters,
			       unsigned int nr)
{
	struct coroprof_counter all[COROPROF_COUNTERS_MAX];
	struct rig rig;

	*instructions = -1;
	if (nr == COROPROF_COUNTERS_MAX)
		nr--;
	memcpy(all, counters, nr * sizeof(*counters));
	all[nr] = (struct coroprof_counter){
		.type = PERF_TYPE_HARDWARE,
		.flags = COROPROF_COUNTER_KERNEL,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	if (!set_up(&rig, all, nr + 1) && !switch_often(&rig, WARM_UP) &&
	    !begin_anew(&rig) && !switch_often(&rig, BATCH))
		*instructions = mean_count(&rig, nr);
	take_down(&rig);
}

int calibrate(struct calibration *calibration,
	      const struct coroprof_counter *counters, unsigned int nr,
	      struct error *err)
{
	if (time_switches(calibration, counters, nr))
		return error_errno(err, "can't measure what recording costs");
	count_instructions(&calibration->instructions, counters, nr);
	return 0;
}
