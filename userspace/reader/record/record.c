// SPDX-License-Identifier: GPL-2.0
/*
 * `coroprof record` from begin to end: opens the session, starts the command, waits for events,
 * drains rings, writes the file, and shows it while it grows. Each task is in another file of this
 * room.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/warn.h"
#include "cprof/format.h"
#include "explain/diagnose.h"
#include "explain/preload.h"
#include "explain/program.h"
#include "record/calibrate.h"
#include "record/describe.h"
#include "record/ending.h"
#include "record/flight.h"
#include "record/launch.h"
#include "record/probes.h"
#include "record/record.h"
#include "record/signals.h"
#include "record/stream.h"
#include "record/targets.h"
#include "record/totals.h"
#include "record/tree.h"

/*
 * Runs by the clock, for which no PMU is needed. What the module takes in place of
 * what can't be sampled, and so often in place of a period.
 */
#define SAMPLE_EVENT_TIME	"cpu-clock"
#define SAMPLE_FREQUENCY_TIME	1000

/* A ring that never reaches the watermark is read so often. */
#define TICK_NS		SECOND_NS

/*
 * As long as nothing is recorded, it is looked at what runs: soon, as that may end soon, then less
 * and less often.
 */
#define LOOK_FIRST_NS	(SECOND_NS / 500)
#define LOOK_NS		(SECOND_NS / 4)

/**
 * struct recording - all of a recording
 * @options:   what was asked for
 * @machine:   where
 * @measured:  @cost is known
 * @cost:      what recording costs here
 * @sampling:  the samples that are taken
 * @sample_note: why they are not what was asked for, or ""
 * @session:   with the module
 * @path:      of the file
 * @writer:    of the file, or of @flight
 * @flight:    with options.keep_ns: keeps what is recorded, in place of a file
 * @signals:   to us
 * @targets:   processes that were named
 * @launch:    the command, if there is one
 * @channels:  threads
 * @processes: processes
 * @totals:    slots, in a session of totals
 * @show_at:   when to show them next
 * @stream:    what the session says
 * @ending:    when it is over
 * @tick:      when to read all rings next
 * @started:   the recording ran
 * @exec_error: errno for which the command could not be executed, or 0
 * @preloaded: the command was given the preload library
 * @detections: what was seen of programs that are not recorded
 * @look_ns:   how long after a look the next one is
 * @look_at:   when to look at them next
 * @looked_behind: it was looked at what the command has left behind
 * @missing:   what is not recorded, and why
 * @kept_bytes: of the file that was made of @flight
 * @observed: somebody looks, and has to be informed of the end
 * @fed:     so has options.feed
 * @feed_at: which gets totals next then
 */
struct recording {
	const struct record_options *options;
	struct machine machine;
	bool measured;
	struct calibration cost;
	struct sampling sampling;
	char sample_note[256];
	struct session session;
	const char *path;
	struct writer *writer;
	struct flight flight;
	struct signals signals;
	struct targets targets;
	struct launch launch;
	struct channels channels;
	struct processes processes;
	struct totals totals;
	uint64_t show_at;
	struct stream stream;
	struct ending ending;
	uint64_t tick;
	bool started;
	int exec_error;
	bool preloaded;
	struct detections detections;
	uint64_t look_ns;
	uint64_t look_at;
	bool looked_behind;
	struct error missing;
	uint64_t kept_bytes;
	bool observed;
	bool fed;
	uint64_t feed_at;
};

static int write_head(struct recording *r, struct error *err)
{
	struct buffer payload = { 0 };
	int ret;

	ret = describe_recording(&payload, r->options, &r->machine,
				 r->session.info.abi_level, err);
	/* What the figures are worth depends on it, but they are there without. */
	if (!ret && r->measured)
		ret = describe_cost(&payload, &r->cost, err);
	if (!ret)
		ret = describe_sampling(&payload, &r->sampling, r->sample_note,
					err);
	if (!ret)
		ret = writer_segment(r->writer, CPROF_SEGMENT_INFO, payload.data,
				     payload.size, err);
	payload.size = 0;
	if (!ret)
		ret = describe_counters(&payload, r->options->events,
				    r->options->nr_events, err);
	if (!ret)
		ret = writer_segment(r->writer, CPROF_SEGMENT_COUNTERS,
				     payload.data, payload.size, err);
	buffer_free(&payload);
	return ret;
}

static struct coroprof_session_config make_config(const struct recording *r)
{
	const struct record_options *o = r->options;
	struct coroprof_session_config config = {
		.flags = (o->switch_ioctl ? 0 : COROPROF_SESSION_USER) |
			 (o->totals ? COROPROF_SESSION_TOTALS : 0),
		.ring_size = o->ring_size,
		.watermark = o->watermark,
		.nr_counters = o->nr_events,
		/* Who asks for large rings has them, as far as the user may. */
		.memory_mb = o->ring_size ? UINT32_MAX : 0,
	};

	for (unsigned int i = 0; i < o->nr_events; i++)
		config.counters[i] = o->events[i].counter;
	if (!r->sampling.period && !r->sampling.frequency)
		return config;
	config.sampling.counter = r->sampling.event.counter;
	config.sampling.period = r->sampling.period;
	config.sampling.frequency = r->sampling.frequency;
	config.sampling.stack_max = r->sampling.stack_max;
	return config;
}

/* Where the event can't be sampled, samples are taken by time, and a warning says so. */
static void fall_back_to_time_samples(struct recording *r)
{
	struct sampling *s = &r->sampling;
	struct error err;
	unsigned int nr = 0;

	if (!r->cost.sample_error)
		return;
	snprintf(r->sample_note, sizeof(r->sample_note), "%s can't be sampled here: %s",
		 s->event.name, diagnose_counter(r->cost.sample_error,
						 &r->machine));
	if (events_parse(&s->event, &nr, SAMPLE_EVENT_TIME, &err))
		return;
	if (s->period)
		s->frequency = SAMPLE_FREQUENCY_TIME;
	s->period = 0;
	warn("samples are of " SAMPLE_EVENT_TIME ": %s", r->sample_note);
}

/* The kernel takes no more samples a second than perf would. */
static void limit_frequency(struct recording *r)
{
	uint32_t most = r->session.config.sampling.frequency;

	if (most >= r->sampling.frequency)
		return;
	warn("samples are taken %u times a second, not %u: kernel.perf_event_max_sample_rate is %u, which root, or the kernel on a slow machine, has set",
	     most, r->sampling.frequency, most);
	r->sampling.frequency = most;
}

/* Measures what recording costs before, which also shows what can be sampled. */
static int open_session(struct recording *r, struct error *err)
{
	struct coroprof_session_config config = make_config(r);
	struct error why;
	int ret;

	/* With slices: what they cost beside the switch is next to nothing. */
	config.flags &= ~COROPROF_SESSION_TOTALS;
	r->measured = !calibrate(&r->cost, &config, &why);
	if (r->measured)
		fall_back_to_time_samples(r);
	config = make_config(r);
	ret = session_open(&r->session, &config, err);
	if (!ret)
		limit_frequency(r);
	return ret;
}

static void connect_parts(struct recording *r)
{
	r->channels.session = &r->session;
	r->channels.writer = r->writer;
	r->channels.totals = r->options->totals;
	r->totals.session = &r->session;
	r->totals.writer = r->writer;
	r->processes.writer = r->writer;
	r->processes.detections = &r->detections;
	r->stream.session = &r->session;
	r->stream.writer = r->writer;
	r->stream.channels = &r->channels;
	r->stream.processes = &r->processes;
	r->stream.totals = r->options->totals ? &r->totals : NULL;
	r->stream.machine = &r->machine;
	r->stream.events = r->options->events;
	r->stream.nr_events = r->options->nr_events;
	r->ending.options = r->options;
	r->ending.signals = &r->signals;
	r->ending.targets = &r->targets;
	r->ending.launch = &r->launch;
	r->ending.processes = &r->processes;
}

/* With the preload library, which needs another libc, such a program would not start. */
static bool needs_musl(const char *command)
{
	struct program program;
	char path[PATH_MAX];

	return program_find(path, command) &&
	       program_look(&program, path, path) && program.is_musl;
}

/*
 * Returns the value of LD_PRELOAD, or NULL with a warning: a command that can do without the
 * library must not fail for lack of it.
 */
static const char *choose_preload(const struct record_options *o,
				  char path[PATH_MAX], char *value, size_t capacity)
{
	struct error err;

	if (o->no_preload)
		return NULL;
	if (needs_musl(o->command[0])) {
		warn("nothing is preloaded: %s needs the musl libc, with which the preload library can't be loaded",
		     o->command[0]);
		return NULL;
	}
	if (preload_find(path, &err) || preload_value(value, capacity, path, &err)) {
		*path = '\0';
		warn("nothing is preloaded: %s\nOnly a program linked with libcoroprof can be recorded so.",
		     err.message);
		return NULL;
	}
	return value;
}

static int launch_command(struct recording *r, struct error *err)
{
	char value[2 * PATH_MAX], asan[PATH_MAX];
	struct launch_environment environment = {
		.token = r->session.config.token,
		.preload = choose_preload(r->options, r->detections.preload,
					  value, sizeof(value)),
		.runtimes = r->options->runtimes,
		.functions = r->options->functions,
		.threads = r->options->threads,
		.mask = r->signals.before,
		.output = r->options->observer ? r->options->observer->output : -1,
	};

	r->preloaded = environment.preload != NULL;
	if (r->preloaded && preload_asan_value(asan, sizeof(asan)))
		environment.asan = asan;
	return launch_start(&r->launch, r->options->command, &environment, err);
}

/* Called only if there are probes: it takes longer than all other measurements. */
static int measure_probes(struct recording *r, struct error *err)
{
	struct coroprof_session_config config = make_config(r);
	struct buffer payload = { 0 };
	int ret;

	if (!r->measured)
		return 0;
	config.flags &= ~COROPROF_SESSION_TOTALS;
	calibrate_probes(&r->cost, &config);
	ret = describe_probes(&payload, &r->cost, err);
	if (!ret && payload.size)
		ret = writer_segment(r->writer, CPROF_SEGMENT_INFO, payload.data,
				     payload.size, err);
	buffer_free(&payload);
	return ret;
}

static int start_recording(struct recording *r, struct error *err)
{
	const struct record_options *o = r->options;
	bool probed;
	int ret = probes_add(&r->session, o, &probed, err);

	if (!ret && probed)
		ret = measure_probes(r, err);
	/* What has been there before is to be seen before anything is added to it. */
	if (!ret && o->totals)
		ret = stream_read(&r->stream, err);
	processes_start(&r->processes);
	for (unsigned int i = 0; i < o->nr_pids; i++)
		processes_expect(&r->processes, o->pids[i]);
	if (!ret)
		ret = targets_attach(&r->targets, &r->session, o, probed, err);
	if (!ret)
		ret = session_start(&r->session, err);
	if (!ret)
		totals_start(&r->totals);
	if (!ret && o->command) {
		ret = launch_command(r, err);
		r->exec_error = -ret;
	}
	if (ret)
		return ret;
	r->started = true;
	if (o->observer && o->observer->begin(o->observer->context, err))
		return -err->code;
	r->observed = o->observer;
	if (o->feed && o->feed->begin(o->feed->context, err))
		return -err->code;
	r->fed = o->feed;
	r->feed_at = monotonic_ns() + (r->fed ? o->feed->every_ns : 0);
	r->show_at = monotonic_ns() + o->interval_ns;
	r->look_ns = LOOK_FIRST_NS;
	r->look_at = monotonic_ns() + r->look_ns;
	ending_begin(&r->ending);
	if (o->ready_fd >= 0) {
		if (write(o->ready_fd, "", 1) != 1)
			warn("nobody reads from --ready-fd %d", o->ready_fd);
		close(o->ready_fd);
	}
	return 0;
}

static int shorten_timeout(int timeout, uint64_t at)
{
	uint64_t now = monotonic_ns();
	uint64_t left = at > now ? (at - now + 999999) / 1000000 : 0;

	return left < (uint64_t)timeout ? (int)left : timeout;
}

/*
 * How long to wait in ms: until the recording may be over, is to be shown, or programs are to be
 * looked at.
 */
static int poll_timeout_ms(const struct recording *r)
{
	int timeout = ending_timeout_ms(&r->ending);

	if (r->options->interval_ns)
		timeout = shorten_timeout(timeout, r->show_at);
	if (r->fed && r->options->totals)
		timeout = shorten_timeout(timeout, r->feed_at);
	if (r->options->keep_ns)
		timeout = shorten_timeout(timeout, flight_next(&r->flight));
	return r->channels.threads ? timeout : shorten_timeout(timeout, r->look_at);
}

static int wait_for_events(struct recording *r, bool *pending, struct error *err)
{
	struct pollfd fds[] = {
		{ .fd = r->session.fd, .events = POLLIN },
		{ .fd = r->signals.fd, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
		{ .fd = r->observed ? r->options->observer->fd : -1, .events = POLLIN },
	};

	if (r->options->keep_ns) {
		fds[2].fd = r->flight.snapshot.fd;
		fds[3].fd = r->flight.dumps.fd;
	}
	if (poll(fds, ARRAY_SIZE(fds), poll_timeout_ms(r)) < 0 && errno != EINTR)
		return error_errno(err, "can't wait for the session");
	if (fds[0].revents & ~POLLIN)
		return error_set(err, EIO, "the session is broken: poll says %#x",
				 fds[0].revents);
	*pending = fds[0].revents & POLLIN;
	signals_read(&r->signals);
	if (r->signals.child) {
		r->signals.child = false;
		/* The clock of a child that has ended goes when that is taken note of. */
		processes_look(&r->processes, true);
		launch_reap(&r->launch);
	}
	return 0;
}

/*
 * Reads what the session and the rings have. If the session is readable and yet nothing could be
 * read, as a ring is damaged, it pauses, for poll() would return at once again.
 */
static int read_all(struct recording *r, bool pending, struct error *err)
{
	static const struct timespec pause = { .tv_nsec = 10000000 };
	uint64_t before = writer_bytes(r->writer), now = monotonic_ns();
	size_t least = r->session.config.watermark;
	int ret;

	if (now >= r->tick) {
		r->tick = now + TICK_NS;
		least = 0;
	}
	ret = stream_read(&r->stream, err);
	if (!ret)
		ret = channels_drain(&r->channels, least, err);
	if (!ret && r->options->keep_ns)
		ret = flight_look(&r->flight, &r->signals, err);
	if (!ret && r->observed)
		r->options->observer->look(r->options->observer->context, &r->flight, &r->signals);
	if (!ret && r->fed && r->options->keep_ns)
		r->options->feed->look(r->options->feed->context, &r->flight, false);
	if (!ret)
		ret = processes_write_maps(&r->processes, false, err);
	processes_look(&r->processes, false);
	if (!ret && pending && writer_bytes(r->writer) == before)
		nanosleep(&pause, NULL);
	return ret;
}

static void detect_by_pid(void *recording, pid_t pid)
{
	struct recording *r = recording;

	detect_process(&r->detections, pid);
}

/* Looks at the programs that are to be recorded and are not, while they live. */
static void detect_unrecorded(struct recording *r)
{
	const struct record_options *o = r->options;

	r->look_ns = r->look_ns * 2 < LOOK_NS ? r->look_ns * 2 : LOOK_NS;
	r->look_at = monotonic_ns() + r->look_ns;
	if (o->command)
		tree_each(getpid(), detect_by_pid, r);
	for (unsigned int i = 0; i < o->nr_pids; i++) {
		detect_by_pid(r, o->pids[i]);
		tree_each(o->pids[i], detect_by_pid, r);
	}
	processes_report(&r->processes);
}

/* True if time *@at has come, which is then moved on by @every_ns. */
static bool is_due(uint64_t *at, uint64_t every_ns)
{
	uint64_t now = monotonic_ns();

	if (!every_ns || now < *at)
		return false;
	*at += every_ns;
	if (*at <= now)
		*at = now + every_ns;
	return true;
}

/*
 * Writes the totals as if the recording ended here, has them shown or sent, and goes back to where
 * the file was.
 */
static int write_interim_totals(struct recording *r, struct error *err)
{
	const struct record_options *o = r->options;
	bool shown = is_due(&r->show_at, o->interval_ns);
	bool fed = r->fed && o->totals && is_due(&r->feed_at, o->feed->every_ns);
	struct writer_mark mark;
	int ret;

	if (!shown && !fed)
		return 0;
	mark = writer_mark(r->writer);
	ret = totals_write(&r->totals, err);
	if (!ret)
		ret = channels_write_statuses(&r->channels, err);
	if (!ret)
		ret = processes_write_used(&r->processes, err);
	if (!ret)
		ret = writer_end(r->writer, r->launch.status, err);
	if (ret)
		return ret;
	if (shown)
		o->show(o->context, r->path);
	if (fed)
		o->feed->totals(o->feed->context, r->path, false);
	return writer_rewind(r->writer, &mark, err);
}

/*
 * Programs are also looked at once when the command has ended: what it left behind may end before
 * the recording does.
 */
static bool is_detection_due(struct recording *r)
{
	if (r->launch.orphans && !r->looked_behind) {
		r->looked_behind = true;
		return true;
	}
	return !r->channels.threads && monotonic_ns() >= r->look_at;
}

static int run_until_end(struct recording *r, struct error *err)
{
	bool pending = false;
	int ret;

	do {
		ret = wait_for_events(r, &pending, err);
		if (!ret)
			ret = read_all(r, pending, err);
		if (!ret)
			ret = write_interim_totals(r, err);
		if (is_detection_due(r))
			detect_unrecorded(r);
	} while (!ret && !ending_reached(&r->ending));
	return ret;
}

/*
 * STOP may find a thread between the end of a slice and its totals, to which it adds the slice when
 * it runs next: waits for that. If the thread does not run for so long, its totals differ by a
 * slice, and the column "sums" of threads shows that.
 */
static void wait_for_totals(const struct recording *r)
{
	static const struct timespec a_while = { .tv_nsec = 20000000 };

	if (r->options->totals)
		nanosleep(&a_while, NULL);
}

static int stop_recording(struct recording *r, struct error *err)
{
	int ret;

	detect_unrecorded(r);
	ret = processes_write_maps(&r->processes, true, err);
	if (!ret)
		ret = session_stop(&r->session, err);
	if (!ret)
		ret = processes_write_used(&r->processes, err);
	if (!ret)
		wait_for_totals(r);
	if (!ret)
		ret = stream_read(&r->stream, err);
	if (!ret)
		ret = channels_end_all(&r->channels, err);
	return ret ? ret : totals_write(&r->totals, err);
}

static void explain_missing(struct recording *r)
{
	char *const *command = r->options->command;

	if (!r->processes.seen && command)
		diagnose_nothing(command, r->preloaded, r->options->threads, r->launch.status,
				 &r->detections, &r->missing);
	else if (!r->channels.threads)
		diagnose_no_switch(command, &r->detections, &r->missing);
	else if (!diagnose_partly(command, &r->detections, &r->missing))
		r->missing.code = 0;
}

/* Writes in one line what was not recorded and why, for the header of every output. */
static int write_missing(struct recording *r, struct error *err)
{
	struct buffer payload = { 0 };
	char text[sizeof(r->missing.message)];
	int ret;

	explain_missing(r);
	if (!r->missing.code)
		return 0;
	strcpy(text, r->missing.message);
	for (char *end = text; (end = strchr(end, '\n'));)
		*end = ' ';
	ret = describe_add(&payload, "missing", err, "%s", text);
	if (!ret)
		ret = writer_segment(r->writer, CPROF_SEGMENT_INFO, payload.data,
				     payload.size, err);
	buffer_free(&payload);
	return ret;
}

static int write_kept(struct recording *r, struct error *err)
{
	return flight_write(&r->flight, r->path, r->launch.status, &r->kept_bytes, err);
}

/* The program has ended: lets the observer look at what is kept until somebody stops it. */
static void serve_observer(struct recording *r)
{
	struct record_observer *o = r->options->observer;

	keep_over(&r->flight.keep);
	o->ended(o->context, r->launch.status);
	o->look(o->context, &r->flight, &r->signals);
	while (!r->signals.stops) {
		struct pollfd fds[] = {
			{ .fd = r->signals.fd, .events = POLLIN },
			{ .fd = o->fd, .events = POLLIN },
			{ .fd = r->flight.snapshot.fd, .events = POLLIN },
			{ .fd = r->flight.dumps.fd, .events = POLLIN },
		};

		poll(fds, ARRAY_SIZE(fds), -1);
		signals_read(&r->signals);
		flight_serve(&r->flight);
		o->look(o->context, &r->flight, &r->signals);
	}
}

/* @ended: the recording ended by itself, not because somebody stopped it. */
static void end_observation(struct recording *r, bool ended)
{
	if (!r->observed)
		return;
	if (ended)
		serve_observer(r);
	r->observed = false;
	r->options->observer->end(r->options->observer->context);
}

/* Gives the feed the last records of a flight recorder, before they are written, or looked at. */
static void feed_last(struct recording *r)
{
	struct record_feed *f = r->options->feed;

	if (!r->fed || !r->options->keep_ns)
		return;
	keep_over(&r->flight.keep);
	f->look(f->context, &r->flight, true);
}

/* Gives the feed the last totals, if the recording is @whole, and ends it. */
static void end_feed(struct recording *r, bool whole)
{
	struct record_feed *f = r->options->feed;

	if (!r->fed)
		return;
	if (whole && r->options->totals)
		f->totals(f->context, r->path, true);
	f->end(f->context);
}

static bool has_ended_alone(const struct recording *r)
{
	const struct ending *e = &r->ending;

	return !r->signals.stops && !(e->deadline && monotonic_ns() >= e->deadline);
}

static int run_and_end(struct recording *r, struct error *err)
{
	struct error ignored;
	bool alone;
	int ret;

	ret = start_recording(r, err);
	if (ret)
		return ret;
	ret = run_until_end(r, err);
	alone = !ret && has_ended_alone(r);
	if (!ret)
		ret = stop_recording(r, err);
	if (!ret)
		feed_last(r);
	end_observation(r, !ret && alone);
	if (ret) {
		session_stop(&r->session, &ignored);
		if (r->launch.pid)
			warn("the recording has stopped, the command goes on: %s",
			     err->message);
	}
	ending_wait(&r->ending, &r->launch, &r->signals);
	if (!ret)
		ret = write_missing(r, err);
	if (!r->options->keep_ns)
		return ret ? ret : writer_end(r->writer, r->launch.status, err);
	if (r->options->observer) {
		/* What is due is written, whatever went wrong. */
		int due = flight_end(&r->flight, ret ? &ignored : err);

		return ret ? ret : due;
	}
	if (!ret)
		return write_kept(r, err);
	/* What there is by then is of use, whatever went wrong. */
	write_kept(r, &ignored);
	return ret;
}

static int record_to(struct recording *r, struct error *err)
{
	sigset_t others;
	int ret;

	connect_parts(r);
	flight_signals(r->options, &others);
	ret = signals_open(&r->signals, &others, err);
	if (!ret)
		ret = write_head(r, err);
	if (!ret)
		ret = run_and_end(r, err);
	end_feed(r, !ret);
	signals_close(&r->signals);
	return ret;
}

static void fill_result(const struct recording *r, struct recorded *recorded)
{
	*recorded = (struct recorded){
		.started = r->started,
		.exec_error = r->exec_error,
		.status = r->launch.status,
		.processes = r->processes.seen,
		.threads = r->channels.threads + r->stream.unrecorded,
		.refused = r->channels.refused + r->stream.unrecorded,
		.refused_processes = r->stream.refused,
		.slices = r->channels.slices,
		.lost = r->channels.lost,
		.samples = r->channels.samples,
		.lost_samples = r->channels.lost_samples,
		.throttled = r->channels.throttled,
		.missing = r->missing,
		.bytes = r->options->keep_ns ? r->kept_bytes : writer_bytes(r->writer),
	};
}

static int open_writer(struct recording *r, struct error *err)
{
	const struct record_options *o = r->options;
	int ret;

	if (!o->keep_ns)
		return writer_open(&r->writer, r->path, err);
	ret = flight_begin(&r->flight, o, &r->channels, &r->stream, err);
	return ret ? ret : writer_open_sink(&r->writer, &r->flight.keep.sink, err);
}

int record(const struct record_options *options, const char *path,
	   struct recorded *recorded, struct error *err)
{
	struct recording *r = calloc(1, sizeof(*r));
	int ret;

	*recorded = (struct recorded){ .status = -1 };
	if (!r)
		return error_set(err, ENOMEM, "out of memory");
	r->options = options;
	r->path = path;
	r->sampling = options->sampling;
	r->launch.status = -1;
	machine_look(&r->machine);
	ret = open_session(r, err);
	if (ret)
		goto out_free;
	ret = open_writer(r, err);
	if (ret)
		goto out_session;
	ret = record_to(r, err);
	fill_result(r, recorded);
	recorded->created = true;
	ret = writer_finish(r->writer, ret, err);
	targets_close(&r->targets);
	channels_free(&r->channels);
	totals_free(&r->totals);
	processes_free(&r->processes);
out_session:
	flight_free(&r->flight);
	session_close(&r->session);
out_free:
	free(r);
	return ret;
}
