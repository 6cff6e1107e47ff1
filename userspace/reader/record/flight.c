// SPDX-License-Identifier: GPL-2.0
/*
 * The flight recorder: keeps the last seconds of the recording, watches for triggers, and has a
 * file written when one fires, with the reason. Its caller drains the rings, and calls it in
 * between.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/warn.h"
#include "record/describe.h"
#include "record/flight.h"
#include "tables/figure.h"

/* A recorder that has nothing to keep for so long says so. */
#define QUIET_NS	(600 * SECOND_NS)

int flight_begin(struct flight *f, const struct record_options *o, struct channels *channels,
		 struct stream *stream, struct error *err)
{
	int ret;

	f->options = o;
	f->channels = channels;
	f->stream = stream;
	dumps_begin(&f->dumps, o->dump_name ? o->dump_name : "coroprof", o->quiet);
	ret = keep_begin(&f->keep, o->keep_ns, o->keep_bytes, err);
	if (!ret)
		ret = watch_begin(&f->watch, o->dump_on, o->nr_dump_on, err);
	f->keep.watch = &f->watch;
	f->recorded_at = monotonic_ns();
	snapshot_begin(&f->snapshot);
	return ret;
}

void flight_signals(const struct record_options *o, sigset_t *set)
{
	sigemptyset(set);
	for (unsigned int i = 0; i < o->nr_dump_on; i++)
		if (o->dump_on[i].kind == TRIGGER_SIGNAL)
			sigaddset(set, o->dump_on[i].signal);
}

/* ---- why */

static const char *state_name(uint32_t state)
{
	return state == COROPROF_OPEN_BLOCKED ? ", blocked" :
	       state == COROPROF_OPEN_PREEMPTED ? ", preempted" : "";
}

/* Describes a trigger on all slices of a second; the longest of them stands as the example. */
static void format_second(const struct watch_event *e, int tid, const char *label, char *to,
			  size_t capacity)
{
	char figure[FIGURE_SIZE];

	if (e->trigger->kind == TRIGGER_IPC)
		snprintf(figure, sizeof(figure), "%.2f", e->ipc);
	else
		figure_ns(figure, e->quantile_ns);
	snprintf(to, capacity,
		 "%s: %s over the last second, of %" PRIu64
		 " slices; the longest was of %s#%" PRIu64 " in thread %d",
		 e->trigger->text, figure, e->slices, label, (uint64_t)e->id, tid);
}

/*
 * Describes an event, as "held > 100ms: query #88121 has held thread 5003 for 4.2 s, blocked, and
 * goes on".
 */
static void format_event(const struct flight *f, const struct watch_event *e, char *to,
			 size_t capacity)
{
	const struct coroprof_record_channel *c = keep_channel(&f->keep, e->channel);
	char label[COROPROF_LABEL_TEXT_MAX + 4] = "", time[FIGURE_SIZE];
	int tid = c ? c->tid : 0;

	figure_ns(time, e->ns);
	if (*e->label)
		snprintf(label, sizeof(label), "%s ", e->label);
	if (trigger_is_of_seconds(e->trigger)) {
		format_second(e, tid, label, to, capacity);
		return;
	}
	switch (e->trigger->kind) {
	case TRIGGER_PROGRAM:
		snprintf(to, capacity, "a request of the program: %s (in thread %d)", e->label,
			 tid);
		break;
	case TRIGGER_READY:
		snprintf(to, capacity,
			 "%s: %s#%" PRIu64 " was ready for %s, and then ran in thread %d",
			 e->trigger->text, label, (uint64_t)e->id, time, tid);
		break;
	case TRIGGER_RUNNING:
		snprintf(to, capacity, "%s: %s#%" PRIu64 " ran for %s in thread %d", e->trigger->text, label,
			 (uint64_t)e->id, time, tid);
		break;
	case TRIGGER_BLOCKED:
		snprintf(to, capacity,
			 e->goes_on ? "%s: %s#%" PRIu64
				      " has blocked thread %d for %s, and goes on" :
				      "%s: %s#%" PRIu64 " blocked thread %d for %s",
			 e->trigger->text, label, (uint64_t)e->id, tid, time);
		break;
	default:
		snprintf(to, capacity, "%s: %s#%" PRIu64 " %s thread %d for %s%s%s", e->trigger->text, label,
			 (uint64_t)e->id, e->goes_on ? "has held" : "held", tid, time,
			 e->goes_on ? state_name(e->state) : "", e->goes_on ? ", and goes on" : "");
	}
}

static int describe_event(struct buffer *info, const struct watch_event *e, struct error *err)
{
	int ret = describe_add(info, "dumped_channel", err, "%" PRIu32, e->channel);

	if (!ret)
		ret = describe_add(info, "dumped_process", err, "%" PRIu32, e->process);
	if (!ret)
		ret = describe_add(info, "dumped_id", err, "%" PRIu64, e->id);
	if (!ret)
		ret = describe_add(info, "dumped_begin", err, "%" PRIu64, e->begin);
	if (!ret && e->trigger->kind != TRIGGER_PROGRAM)
		ret = describe_add(info, "dumped_ns", err, "%" PRIu64, e->ns);
	return ret ? ret : describe_add(info, "dumped_figure", err, "%s",
					e->trigger->kind == TRIGGER_PROGRAM ? "program" :
					trigger_figure(e->trigger->kind));
}

/* ---- a file */

/*
 * Brings what is kept up to date: it has to end with totals of one moment, of threads whose labels
 * are known.
 */
static int mark_and_read_stream(struct flight *f, struct error *err)
{
	int ret = channels_mark(f->channels, err);

	return ret ? ret : stream_read(f->stream, err);
}

/*
 * Begins to write what is kept, or @part of it, to a file. Only failures that concern the recording
 * are returned; that of the file is warned of.
 */
static int begin_dump(struct flight *f, const char *why, const struct watch_event *e,
		      const struct keep_part *part, struct error *err)
{
	struct buffer info = { 0 };
	struct error failed;
	int ret = part ? 0 : mark_and_read_stream(f, err);

	if (ret)
		return ret;
	ret = describe_add(&info, "dumped", err, "%s", why);
	if (!ret && e)
		ret = describe_event(&info, e, err);
	if (!ret && f->early + f->beside)
		ret = describe_add(&info, "dumped_beside", err, "%" PRIu64, f->early + f->beside);
	if (!ret) {
		if (!f->options->quiet)
			warn("writes what was kept: %s", why);
		if (dumps_take(&f->dumps, &f->keep, part, &info, &failed)) {
			f->dumps.failed++;
			warn("%s", failed.message);
			snapshot_answer(&f->snapshot, NULL, failed.message);
		}
	}
	buffer_free(&info);
	return ret;
}

static int dump_all(struct flight *f, const char *why, const struct watch_event *e,
		    struct error *err)
{
	return begin_dump(f, why, e, NULL, err);
}

static int dump_for_event(struct flight *f, uint64_t now, struct error *err)
{
	const struct watch_event e = f->event;
	char why[512];

	f->event.trigger = NULL;
	f->last = now;
	format_event(f, &e, why, sizeof(why));
	return dump_all(f, why, &e, err);
}

static int dump_for_signal(struct flight *f, struct error *err)
{
	int nr = __builtin_ctzll(f->signals) + 1;
	char why[32];

	f->signals &= ~(1ull << (nr - 1));
	if (sigabbrev_np(nr))
		snprintf(why, sizeof(why), "SIG%s", sigabbrev_np(nr));
	else
		snprintf(why, sizeof(why), "signal %d", nr);
	return dump_all(f, why, NULL, err);
}

/* ---- conditions */

static void warn_of_early_event(struct flight *f, const struct watch_event *e)
{
	char why[512];

	if (f->early++)
		return;
	format_event(f, e, why, sizeof(why));
	warn("not written, as less is kept so far than is to be: %s", why);
}

/*
 * An event that fired becomes due, unless too little is kept so far, or it follows another one too
 * soon.
 */
static void schedule_event(struct flight *f, uint64_t now)
{
	struct watch_event *e = &f->watch.event;

	if (!e->trigger)
		return;
	if (!keep_is_full(&f->keep, now)) {
		warn_of_early_event(f, e);
	} else if (f->event.trigger || (f->last && now - f->last < f->options->dump_every_ns)) {
		f->beside++;
	} else {
		f->event = *e;
		f->due = now + f->options->dump_after_ns;
	}
	e->trigger = NULL;
}

static void check_open_slice(void *flight, const struct coroprof_channel_status *status)
{
	struct flight *f = flight;
	const struct coroprof_record_channel *c = keep_channel(&f->keep, status->channel_id);

	if (c)
		watch_open(&f->watch, status, c->process_id, monotonic_ns());
}

static void check_open_slices(struct flight *f, uint64_t now)
{
	uint64_t interval = watch_interval(&f->watch);

	if (!interval || now < f->open_at)
		return;
	f->open_at = now + interval;
	channels_open(f->channels, check_open_slice, f);
}

/* ---- all of it */

static void warn_if_nothing_recorded(struct flight *f, uint64_t now)
{
	if (f->keep.records != f->records) {
		f->records = f->keep.records;
		f->recorded_at = now;
		f->quiet = false;
	}
	if (f->quiet || now - f->recorded_at < QUIET_NS)
		return;
	f->quiet = true;
	warn("all is well, but nothing was recorded for %llu minutes: %s", QUIET_NS / SECOND_NS / 60,
	     f->channels->nr ? "no thread has switched" : "no thread is there");
}

static void answer_snapshot(struct flight *f)
{
	const struct record_feed *feed = f->options->feed;

	if (feed && f->dumps.written != f->fed)
		feed->dumped(feed->context, f->dumps.path);
	f->fed = f->dumps.written;
	if (!f->asked)
		return;
	f->asked = false;
	snapshot_answer(&f->snapshot, f->dumps.why.code ? NULL : f->dumps.path,
			f->dumps.why.message);
}

/*
 * Drops the oldest tick, and begins another one with the totals of all threads, once its time has
 * come.
 */
static int begin_tick(struct flight *f, uint64_t now, struct error *err)
{
	int ret;

	if (now < keep_next(&f->keep))
		return 0;
	ret = keep_tick(&f->keep, now, err);
	return ret ? ret : channels_mark(f->channels, err);
}

bool flight_dump(struct flight *f, const char *why, const struct keep_part *part)
{
	struct error err;

	if (dumps_busy(&f->dumps)) {
		warn("%s is being written: ask again once it is there", f->dumps.path);
		return false;
	}
	if (begin_dump(f, why, NULL, part, &err))
		warn("%s", err.message);
	return dumps_busy(&f->dumps);
}

void flight_serve(struct flight *f)
{
	if (dumps_look(&f->dumps))
		answer_snapshot(f);
	f->wanted |= snapshot_asked(&f->snapshot);
	if (f->wanted && !dumps_busy(&f->dumps)) {
		f->wanted = false;
		f->asked = flight_dump(f, "a request by --snapshot", NULL);
	}
}

int flight_look(struct flight *f, struct signals *signals, struct error *err)
{
	uint64_t now = monotonic_ns();
	int ret = begin_tick(f, now, err);

	if (ret)
		return ret;
	f->signals |= signals->asked;
	signals->asked = 0;
	if (dumps_look(&f->dumps))
		answer_snapshot(f);
	check_open_slices(f, now);
	watch_second(&f->watch, now);
	schedule_event(f, now);
	warn_if_nothing_recorded(f, now);
	f->wanted |= snapshot_asked(&f->snapshot);
	if (dumps_busy(&f->dumps))
		return 0;
	if (f->wanted) {
		f->wanted = false;
		ret = dump_all(f, "a request by --snapshot", NULL, err);
		f->asked = dumps_busy(&f->dumps);
	} else if (f->signals) {
		ret = dump_for_signal(f, err);
	} else if (f->event.trigger && now >= f->due) {
		ret = dump_for_event(f, now, err);
	}
	return ret;
}

uint64_t flight_next(const struct flight *f)
{
	uint64_t at = keep_next(&f->keep);

	if (watch_interval(&f->watch) && f->open_at < at)
		at = f->open_at;
	return f->event.trigger && f->due < at && !dumps_busy(&f->dumps) ? f->due : at;
}

/* Warns how often each trigger fired, and for how many of these nothing was written. */
static void warn_of_sums(const struct flight *f)
{
	for (unsigned int i = 0; i < f->watch.nr; i++)
		if (f->watch.met[i])
			warn("'%s' was met %" PRIu64 " time%s", f->watch.triggers[i].text,
			     f->watch.met[i], f->watch.met[i] == 1 ? "" : "s");
	if (f->early)
		warn("%" PRIu64 " times a condition was met before as much was kept as is to be: nothing was written for these",
		     f->early);
	if (f->beside)
		warn("%" PRIu64 " times a condition was met beside another one, or less than --dump-every after one: nothing was written for these",
		     f->beside);
	if (f->keep.living.left_out)
		warn("of too many coroutines that live at once nobody may know who created them: --keep-bytes is too small");
}

int flight_end(struct flight *f, struct error *err)
{
	int ret;

	dumps_end(&f->dumps);
	answer_snapshot(f);
	/* What was to follow a condition has ended before its time. */
	ret = f->event.trigger ? dump_for_event(f, monotonic_ns(), err) : 0;
	dumps_end(&f->dumps);
	answer_snapshot(f);
	if (!f->options->quiet)
		warn_of_sums(f);
	return ret;
}

int flight_write(struct flight *f, const char *path, int exit_status, uint64_t *bytes,
		 struct error *err)
{
	struct writer *writer;
	int ret = flight_end(f, err);

	if (!ret)
		ret = writer_open(&writer, path, err);
	if (ret)
		return ret;
	ret = keep_write(&f->keep, writer, NULL, exit_status, err);
	*bytes = writer_bytes(writer);
	return writer_finish(writer, ret, err);
}

void flight_free(struct flight *f)
{
	if (!f->options)
		return;
	snapshot_end(&f->snapshot);
	watch_free(&f->watch);
	keep_free(&f->keep);
}
