// SPDX-License-Identifier: GPL-2.0
/*
 * The commands: parses options, records or reads, and has outputs written. Connects the rooms, and
 * chooses an exit status.
 */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pager.h"
#include "base/warn.h"
#include "check.h"
#include "live/listener.h"
#include "live/serve.h"
#include "live/top.h"
#include "options/complete.h"
#include "options/help.h"
#include "options/options.h"
#include "output/help.h"
#include "output/output.h"
#include "output/spool.h"
#include "output/text/text.h"
#include "record/launch.h"
#include "record/record.h"
#include "record/snapshot.h"
#include "selftest/selftest.h"
#include "selftest/worker.h"

/*
 * As env(1), nohup(1) and timeout(1) have it; a condition of --fail-if that is met; a
 * recording read in part; and labels that no condition could be held against.
 */
enum {
	EXIT_MET = 1,
	EXIT_DAMAGED = 3,
	EXIT_UNPAIRED = 4,
	EXIT_FAILED = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

static void report_losses(const struct recorded *r)
{
	if (!r->lost)
		return;
	warn("%" PRIu64 " of %" PRIu64 " slices (%.2g %%) found a ring full and are missing in every figure; larger rings lose fewer: --ring-size 8M",
	     r->lost, r->slices, 100.0 * (double)r->lost / (double)r->slices);
}

static void report_sample_losses(const struct recorded *r)
{
	if (r->lost_samples)
		warn("%" PRIu64 " of %" PRIu64 " samples found a ring full and are missing; take fewer: a smaller --frequency, a larger --period, or --no-stacks",
		     r->lost_samples, r->samples);
	if (r->throttled)
		warn("samples came too fast: %" PRIu64 " times the kernel took none for a while; take fewer: a smaller --frequency, or a larger --period",
		     r->throttled);
}

/* Only what no file of this recording has: the rest can be read there. */
static void report_missing(const struct recorded *r)
{
	report_losses(r);
	report_sample_losses(r);
	if (r->refused)
		warn("%lu of %lu threads are not recorded, or not to their end",
		     r->refused, r->threads);
	if (r->refused_processes)
		warn("%lu processes with coroutines are not recorded",
		     r->refused_processes);
	if (r->missing.code)
		warn("%s", r->missing.message);
}

static void report_summary(const struct options *o, const struct spool *spool,
			   const struct recorded *r)
{
	report_missing(r);
	if (!o->record.quiet)
		warn("processes %lu, threads %lu, slices %" PRIu64 ", lost %" PRIu64 "%s%s",
		     r->processes, r->threads, r->slices, r->lost,
		     spool->temporary ? "" : ": ",
		     spool->temporary ? "" : spool->path);
}

static int make_outputs(const struct options *o, const struct spool *spool,
			struct error *err)
{
	const struct source source = {
		.paths = { spool->path }, .nr = 1, .no_inline = o->source.no_inline,
	};
	struct outcome outcome;
	int ret;

	if (o->nr_outputs)
		return output_all(&source, o->outputs, o->nr_outputs,
				  &o->view, &outcome, err);
	if (o->record.quiet)
		return 0;
	ret = output_table(spool->path, &o->view, stderr, err);
	if (!ret && !o->record.totals)
		warn("a page of it: coroprof report -o profile.html %s",
		     spool->path);
	return ret;
}

/* Writes all outputs anew each time. A failure is ignored, as the next time may succeed. */
static void write_interim_outputs(void *context, const char *path)
{
	const struct options *o = context;
	const struct source source = {
		.paths = { path }, .nr = 1, .no_inline = o->source.no_inline,
	};
	struct outcome outcome;
	struct error err;
	int ret;

	if (o->nr_outputs)
		ret = output_all(&source, o->outputs, o->nr_outputs, &o->view, &outcome, &err);
	else
		ret = output_table(path, &o->view, stderr, &err);
	if (ret)
		warn("%s", err.message);
}

static int exit_status(const struct recorded *r)
{
	if (r->exec_error)
		return r->exec_error == ENOENT ? EXIT_NOT_FOUND :
						 EXIT_NOT_EXECUTABLE;
	return r->status < 0 ? 0 : launch_exit_status(r->status);
}

/* Without any output, a recording of totals becomes a table, as nothing else of it is kept. */
static int choose_spool(const struct options *o, struct spool *spool, struct error *err)
{
	static const struct output table = { .path = "-", .format = FORMAT_TEXT };

	if (o->nr_outputs || !o->record.totals)
		return spool_choose(spool, o->outputs, o->nr_outputs, err);
	return spool_choose(spool, &table, 1, err);
}

/* Dumps are named as the recording, or its output, without the ending. */
static void set_dump_name(struct options *o)
{
	const char *path = o->nr_outputs ? o->outputs[0].path : SPOOL_DEFAULT, *name, *dot;
	int length;

	for (unsigned int i = 0; i < o->nr_outputs; i++)
		if (o->outputs[i].format == FORMAT_CPROF)
			path = o->outputs[i].path;
	if (!strcmp(path, "-"))
		path = SPOOL_DEFAULT;
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	dot = strrchr(name, '.');
	length = dot && dot != name ? (int)(dot - path) : (int)strlen(path);
	snprintf(o->dump_name, sizeof(o->dump_name), "%.*s", length, path);
	o->record.dump_name = o->dump_name;
}

static int do_record(struct options *o)
{
	struct recorded recorded;
	struct error err, finish_err = ERROR_NONE;
	struct spool spool;
	int ret;

	o->record.show = write_interim_outputs;
	o->record.context = o;
	set_dump_name(o);
	if (choose_spool(o, &spool, &err)) {
		warn("%s", err.message);
		return EXIT_FAILED;
	}
	ret = record(&o->record, spool.path, &recorded, &err);
	if (ret)
		warn("%s", err.message);
	if (!recorded.started) {
		if (recorded.created || spool.temporary)
			unlink(spool.path);
		return recorded.exec_error ? exit_status(&recorded) : EXIT_FAILED;
	}
	if (spool_finish(&spool, o->sync, &finish_err))
		warn("%s", finish_err.message);
	if (ret)
		warn("what was recorded until then is in %s", spool.path);
	report_summary(o, &spool, &recorded);
	if (make_outputs(o, &spool, &err)) {
		warn("%s", err.message);
		if (spool.temporary)
			warn("the recording is kept in %s", spool.path);
		return EXIT_FAILED;
	}
	if (spool.temporary && !ret)
		unlink(spool.path);
	return ret || finish_err.code ? EXIT_FAILED : exit_status(&recorded);
}

/* Writes "./shop --port 80", or "process 4711". */
static void describe_recorded(const struct record_options *o, char *to, size_t capacity)
{
	size_t used = 0;

	*to = '\0';
	for (char *const *word = o->command; word && *word && used < capacity; word++)
		used += (size_t)snprintf(to + used, capacity - used, "%s%s", used ? " " : "", *word);
	for (unsigned int i = 0; i < o->nr_pids && used < capacity; i++)
		used += (size_t)snprintf(to + used, capacity - used, "%s%d", i ? ", " :
					 o->nr_pids > 1 ? "processes " : "process ", (int)o->pids[i]);
}

/* @dump_name: the begin of the names of files that are asked for meanwhile. */
static int record_with_observer(struct options *o, struct record_observer *observer,
				const char *dump_name, struct recorded *recorded, struct error *err)
{
	o->record.observer = observer;
	o->record.dump_name = dump_name;
	return record(&o->record, "", recorded, err);
}

static int live_status(int ret, const struct recorded *recorded, const struct error *err)
{
	if (ret)
		warn("%s", err->message);
	if (!recorded->started)
		return recorded->exec_error ? exit_status(recorded) : EXIT_FAILED;
	report_missing(recorded);
	return ret ? EXIT_FAILED : exit_status(recorded);
}

static int do_top(struct options *o)
{
	struct recorded recorded;
	struct error err;
	struct top *top;
	char name[80];
	int ret;

	describe_recorded(&o->record, name, sizeof(name));
	if (top_begin(&top, name, &o->view, o->source.no_inline, o->record.command, &err)) {
		warn("%s", err.message);
		return EXIT_FAILED;
	}
	ret = record_with_observer(o, top_observer(top), "coroprof-top", &recorded, &err);
	top_end(top);
	return live_status(ret, &recorded, &err);
}

static int do_serve(struct options *o)
{
	const char *address = o->serve_at ? o->serve_at : SERVE_ADDRESS;
	struct recorded recorded;
	struct serve *serve;
	struct error err;
	int ret;

	if (serve_begin(&serve, address, &o->view, o->source.no_inline, &err)) {
		warn("%s", err.message);
		return EXIT_FAILED;
	}
	ret = record_with_observer(o, serve_observer(serve), "coroprof-serve", &recorded, &err);
	serve_end(serve);
	return live_status(ret, &recorded, &err);
}

static int record_or_show(struct options *o)
{
	return o->mode == MODE_TOP ? do_top(o) :
	       o->mode == MODE_SERVE ? do_serve(o) : do_record(o);
}

static int begin_push(struct options *o, struct listener *listener, struct push **push,
		      struct error *err)
{
	int ret = o->metrics_at ? listener_begin(listener, o->metrics_at, err) : 0;

	if (ret)
		return ret;
	o->push.metrics = listener->fd;
	listener->fd = -1;
	ret = push_begin(push, &o->push, err);
	if (!ret && o->metrics_at && *listener->path)
		warn("metrics are at %s", listener->path);
	else if (!ret && o->metrics_at)
		warn("metrics are at http://%s:%u/metrics", listener->host, listener->port);
	return ret;
}

/* Records, and beside that sends sums, or serves them to scrapers, if options ask for it. */
static int do_record_and_push(struct options *o)
{
	struct listener listener = { .fd = -1 };
	struct push *push;
	struct error err;
	int status;

	if (!o->push.to.url && !o->metrics_at && !push_sends_dumps(&o->push))
		return record_or_show(o);
	if (begin_push(o, &listener, &push, &err)) {
		warn("%s", err.message);
		listener_end(&listener);
		return EXIT_FAILED;
	}
	o->record.feed = push_feed(push);
	status = record_or_show(o);
	push_end(push);
	listener_end(&listener);
	return status;
}

/* coroprof-read is used in scripts, which expect no pager. */
static bool may_use_pager(const struct options *o)
{
	return !o->legacy && !o->no_pager && isatty(STDOUT_FILENO);
}

static bool wants_pager(const struct options *o, const struct output *outputs, unsigned int nr)
{
	if (!may_use_pager(o))
		return false;
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(outputs[i].path, "-") && outputs[i].format == FORMAT_TEXT)
			return true;
	return false;
}

/* As git does, and no-color.org asks: an empty NO_COLOR does not count. */
static bool wants_color(const struct options *o)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && terminal &&
	       strcmp(terminal, "dumb");
}

static int do_convert(struct options *o)
{
	static const struct output table = { .path = "-", .format = FORMAT_TEXT };
	const struct output *outputs = o->nr_outputs ? o->outputs : &table;
	unsigned int nr = o->nr_outputs ? o->nr_outputs : 1;
	struct outcome outcome;
	struct error err;
	int ret;

	if (wants_pager(o, outputs, nr)) {
		o->view.width = text_width(stdout);
		pager_begin();
	}
	ret = output_all(&o->source, outputs, nr, &o->view, &outcome, &err);
	pager_end();
	if (ret) {
		warn("%s", err.message);
		return EXIT_FAILED;
	}
	if (outcome.met)
		return EXIT_MET;
	if (outcome.unpaired)
		return EXIT_UNPAIRED;
	return outcome.damaged ? EXIT_DAMAGED : 0;
}

static int do_help(const struct options *o)
{
	/* A pipe to the pager has no width. */
	int width = options_help_width(stdout);

	if (may_use_pager(o))
		pager_begin();
	if (o->mode == MODE_HELP)
		options_help(o, width, stdout);
	else
		help_columns(stdout);
	pager_end();
	return 0;
}

static int do_selftest(const struct options *o)
{
	int ret = selftest(stdout, o->selftest_report, o->record.switch_ioctl);

	return ret < 0 ? EXIT_FAILED : ret;
}

static int do_push_check(const struct options *o)
{
	struct error err;

	if (!push_check(&o->push, o->source.nr ? o->source.paths[0] : NULL, stdout, &err))
		return 0;
	fflush(stdout);
	warn("%s", err.message);
	return EXIT_FAILED;
}

static int do_push(const struct options *o)
{
	bool damaged = false;
	struct error err;

	if (!push_recordings(&o->push, o->source.paths, o->source.nr, stdout, &damaged, &err))
		return damaged ? EXIT_DAMAGED : 0;
	warn("%s", err.message);
	return EXIT_FAILED;
}

static int do_snapshot(const struct options *o)
{
	char path[PATH_MAX];
	struct error err;

	if (snapshot_take(o->snapshot, path, sizeof(path), &err)) {
		warn("%s", err.message);
		return EXIT_FAILED;
	}
	puts(path);
	return 0;
}

#define MMAP_THRESHOLD	(16 * 1024)

int main(int argc, char **argv)
{
	struct options options;
	struct error err;
	int ret;

	/*
	 * What is larger goes back at once when it is freed, and grows without a copy. By itself
	 * the threshold would rise to whatever was freed last, up to 32 MiB.
	 */
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
	if (worker_is_meant(argc, argv))
		return worker_run(argv[2]);
	ret = options_parse(&options, argc, argv, &err);
	warn_as(options.program);
	if (ret) {
		warn("%s", err.message);
		return EXIT_FAILED;
	}
	options.view.colored = wants_color(&options);
	switch (options.mode) {
	case MODE_RECORD:
	case MODE_TOP:
	case MODE_SERVE:
		return do_record_and_push(&options);
	case MODE_CONVERT:
		return do_convert(&options);
	case MODE_CHECK:
		return check_print(stdout);
	case MODE_SNAPSHOT:
		return do_snapshot(&options);
	case MODE_PUSH:
		return do_push(&options);
	case MODE_PUSH_CHECK:
		return do_push_check(&options);
	case MODE_SELFTEST:
		return do_selftest(&options);
	case MODE_HELP:
	case MODE_HELP_COLUMNS:
		return do_help(&options);
	case MODE_VERSION:
		printf("%s %s\n", options.program, COROPROF_VERSION);
		return 0;
	case MODE_COMPLETE:
		options_complete(&options, stdout);
		return 0;
	}
	return EXIT_FAILED;
}
