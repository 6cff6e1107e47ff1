// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what recording costs here: records a child that only switches (record/exercise.h), in
 * rounds with different counters, and reads from the child's results what each operation costs.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"
#include "record/calibrate.h"
#include "record/exercise.h"
#include "record/probed.h"

/**
 * struct round - one child, recorded
 * @config:  how
 * @features: of the module
 * @probed:  it knows nothing of coroprof
 * @session: that records it
 * @channel: its first thread
 * @states:  of its counters
 * @result:  what it measured
 */
struct round {
	struct coroprof_session_config config;
	uint64_t features;
	bool probed;
	int session;
	struct coroprof_record_channel channel;
	struct coroprof_counter_state states[COROPROF_COUNTERS_MAX];
	struct exercise result;
};

static int open_session(struct round *r, struct error *err)
{
	struct coroprof_session_config *config = &r->config;
	struct coroprof_info info = { .size = sizeof(info) };
	int device = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);
	int session = -1;

	if (device < 0)
		return error_errno(err, "can't open " COROPROF_DEVICE);
	config->size = sizeof(*config);
	if (!ioctl(device, COROPROF_IOC_INFO, &info)) {
		r->features = info.features;
		if (!(info.features & COROPROF_FEATURE_SWITCH_USER))
			config->flags &= ~COROPROF_SESSION_USER;
		session = ioctl(device, COROPROF_IOC_SESSION, config);
	}
	if (session < 0)
		error_errno(err, "can't open a session");
	close(device);
	return session < 0 ? -err->code : session;
}

static void set_channel(struct round *r, const char *bytes, size_t size)
{
	size_t states = size - sizeof(r->channel);

	memcpy(&r->channel, bytes, sizeof(r->channel));
	if (states > sizeof(r->states))
		states = sizeof(r->states);
	memcpy(r->states, bytes + sizeof(r->channel), states);
}

/*
 * Notes the first channel, and gives up those that end. All threads of the child are recorded
 * alike, so the first stands for them.
 */
static void handle_record(struct round *r, const char *bytes, const struct coroprof_record *record)
{
	struct coroprof_record_channel channel;

	if (record->size < sizeof(channel))
		return;
	memcpy(&channel, bytes, sizeof(channel));
	if (record->type == COROPROF_RECORD_CHANNEL_END)
		ioctl(r->session, COROPROF_IOC_FORGET, (unsigned long)channel.channel_id);
	else if (record->type == COROPROF_RECORD_CHANNEL && !r->channel.size)
		set_channel(r, bytes, record->size);
}

static void read_session(void *round)
{
	char bytes[8 * COROPROF_RECORD_MAX];
	struct coroprof_record record;
	struct round *r = round;
	ssize_t n;

	while ((n = read(r->session, bytes, sizeof(bytes))) > 0) {
		for (ssize_t at = 0; n - at >= (ssize_t)sizeof(record); at += record.size) {
			memcpy(&record, bytes + at, sizeof(record));
			if (record.size < sizeof(record) || record.size > n - at)
				break;
			handle_record(r, bytes + at, &record);
		}
	}
}

static int check_channel(struct round *r, struct error *err)
{
	read_session(r);
	if (!r->channel.size)
		return error_set(err, EPROTO, "the session has no record of the thread that was to be measured");
	return r->channel.error ?
	       error_set(err, r->channel.error, "the thread that was to be measured is not recorded: %s",
			 strerror(r->channel.error)) : 0;
}

/* Records one child. @counter: the place of the counter to read in it, or -1 to measure times. */
static int run_round(struct round *r, bool by_ioctl, int counter, struct error *err)
{
	int session = open_session(r, err);
	struct exercise_how how = {
		.token = r->config.token,
		.by_ioctl = by_ioctl,
		.spans = r->features & COROPROF_FEATURE_SPANS,
		.probed = r->probed,
		.counter = counter,
		.session = session,
		.forget = read_session,
		.data = r,
	};
	int ret = 0;

	if (session < 0)
		return session;
	r->session = session;
	if (r->probed)
		ret = probed_add(session, err);
	if (!ret && (fcntl(session, F_SETFL, O_NONBLOCK) ||
		     ioctl(session, COROPROF_IOC_START)))
		ret = error_errno(err, "can't start a session");
	if (!ret)
		ret = exercise_run(&r->result, &how, err);
	if (!ret)
		ret = check_channel(r, err);
	close(session);
	return ret;
}

/* Measures times (ns) of one mode of switching. */
static int measure_times(struct calibration *c,
			 const struct coroprof_session_config *config,
			 bool by_ioctl, struct round *r, struct error *err)
{
	unsigned int mode;
	int ret;

	*r = (struct round){ .config = *config };
	memset(&r->config.sampling, 0, sizeof(r->config.sampling));
	ret = run_round(r, by_ioctl, -1, err);
	if (ret)
		return ret;
	mode = r->channel.mode == COROPROF_MODE_USER;
	c->cost[mode].ns = r->result.switches.ns;
	c->span_cost[mode].ns = r->result.spans.ns;
	c->join_cost[mode].ns = r->result.joins.ns;
	if (c->birth_cost.ns < 0)
		c->birth_cost.ns = r->result.births.ns;
	if (c->ring_cost.ns < 0)
		c->ring_cost.ns = r->result.rings.ns;
	return 0;
}

/*
 * Returns the place of the counter that counts the instructions of a switch, which is added if
 * there is none. It leaves out kernel mode where user mode reads counters, as there a switch has no
 * part in the kernel.
 */
static unsigned int find_or_add_instructions(struct coroprof_session_config *config,
					     unsigned int mode)
{
	const struct coroprof_counter instructions = {
		.type = PERF_TYPE_HARDWARE,
		.flags = mode == COROPROF_MODE_USER ? 0 :
			 COROPROF_COUNTER_KERNEL,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	unsigned int i;

	for (i = 0; i < config->nr_counters; i++)
		if (!memcmp(&config->counters[i], &instructions,
			    sizeof(instructions)))
			return i;
	if (i == COROPROF_COUNTERS_MAX)
		i--;
	else
		config->nr_counters++;
	config->counters[i] = instructions;
	return i;
}

/*
 * Counts instructions of one mode, in a round of its own: an additional counter has a cost, too,
 * which would be in the times.
 */
static void measure_instructions(struct calibration *c,
				 const struct coroprof_session_config *config,
				 unsigned int mode)
{
	struct round r = { .config = *config };
	struct error ignored;
	unsigned int counter;

	memset(&r.config.sampling, 0, sizeof(r.config.sampling));
	counter = find_or_add_instructions(&r.config, mode);
	if (run_round(&r, mode != COROPROF_MODE_USER, (int)counter, &ignored) ||
	    r.channel.mode != mode)
		return;
	c->cost[mode].instructions = r.result.switches.count;
	c->span_cost[mode].instructions = r.result.spans.count;
}

/* Finds out whether samples can be taken here; what they cost is not measured. */
static void try_sampling(struct calibration *c,
			 const struct coroprof_session_config *config)
{
	struct round r = { .config = *config };
	struct error why;

	if (!config->sampling.period && !config->sampling.frequency)
		return;
	/* What is wrong with the session itself is reported when it is opened. */
	if (!run_round(&r, true, 0, &why))
		c->sample_error = r.channel.sample_error;
}

int calibrate(struct calibration *c,
	      const struct coroprof_session_config *config, struct error *err)
{
	struct error ignored;
	struct round r;
	int ret;

	*c = (struct calibration){
		.cost = { { -1, -1 }, { -1, -1 } },
		.span_cost = { { -1, -1 }, { -1, -1 } },
		.birth_cost = { -1, -1 },
		.join_cost = { { -1, -1 }, { -1, -1 } },
		.ring_cost = { -1, -1 },
		.probe_cost = { -1, -1 },
		.probe_birth_cost = { -1, -1 },
	};
	ret = measure_times(c, config, false, &r, err);
	if (ret)
		return ret;
	c->mode = r.channel.mode;
	c->reason = r.channel.reason;
	for (unsigned int i = 0; i < config->nr_counters; i++)
		c->errors[i] = r.states[i].error;
	measure_instructions(c, config, c->mode);
	if (c->mode == COROPROF_MODE_USER) {
		measure_times(c, config, true, &r, &ignored);
		measure_instructions(c, config, COROPROF_MODE_IOCTL);
	}
	try_sampling(c, config);
	return 0;
}

void calibrate_probes(struct calibration *c, const struct coroprof_session_config *config)
{
	struct round r = { .config = *config, .probed = true };
	struct error ignored;

	memset(&r.config.sampling, 0, sizeof(r.config.sampling));
	if (run_round(&r, true, 0, &ignored) || r.channel.reason != COROPROF_REASON_PROBED)
		return;
	c->probe_cost.ns = r.result.probes.ns;
	c->probe_birth_cost.ns = r.result.births.ns;
}
