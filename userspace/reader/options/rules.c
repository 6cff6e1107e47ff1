// SPDX-License-Identifier: GPL-2.0
/* Which options go together, and what those are that were not given. */
#include <errno.h>
#include <string.h>

#include "../runtimes/list.h"
#include "base/invoked.h"
#include "cprof/input.h"
#include "options/rules.h"
#include "options/values.h"
#include "output/export/form.h"

/* The kernel module's. */
#define RING_SIZE_DEFAULT	(1u << 20)
#define KEEP_BYTES_DEFAULT	(512ull << 20)
#define KEEP_LIVE_DEFAULT	600000000000ull
#define DUMP_AFTER_DEFAULT	2000000000ull
#define DUMP_EVERY_DEFAULT	60000000000ull
/* "4294967295 bytes" */
#define SIZE_TEXT_SIZE		20

static bool has_tables(enum format format)
{
	return format == FORMAT_TEXT || format == FORMAT_CSV || format == FORMAT_JSON;
}

static bool wants_samples(const struct sampling *s)
{
	return s->named || s->frequency || s->period;
}

/* What other programs read is of one recording. */
static int check_diff(const struct options *o, struct error *err)
{
	const char *old = o->source.old[0];

	if (!old && o->source.nr_gates)
		return error_set(err, EINVAL, "--fail-if is of two recordings: say with --diff OLD.cprof what to compare with");
	if (!old)
		return 0;
	if (!o->source.nr)
		return error_set(err, EINVAL, "--diff %s: what is to be compared with it? coroprof diff %s NEW.cprof, or, for several runs of both, coroprof diff %s OLD2.cprof -- NEW.cprof NEW2.cprof",
				 old, old, old);
	for (unsigned int i = 0; i < o->nr_outputs; i++)
		if (!has_tables(o->outputs[i].format) && o->outputs[i].format != FORMAT_HTML)
			return error_set(err, EINVAL, "output '%s' is of one recording, and %s is of two: write tables, .txt, .csv or .json, or a page, .html",
					 o->outputs[i].path, invoked_typed("diff"));
	return 0;
}

/* It is read several times, and compared with itself. */
static int check_slow(const struct options *o, struct error *err)
{
	const char *text = o->source.slow.text;

	if (!text)
		return 0;
	if (o->source.nr != 1 || o->record.command)
		return error_set(err, EINVAL,
				 "%s '%s' is of one recording: coroprof slow %s FILE.cprof",
				 invoked_typed("slow"), text, text);
	if (!strcmp(o->source.paths[0], INPUT_STDIN))
		return error_set(err, EINVAL, "%s '%s': the recording is read several times, which a pipe can't be: give a file",
				 invoked_typed("slow"), text);
	if (o->source.nr_old)
		return error_set(err, EINVAL, "--slow and --diff do not go together: compare one after the other");
	for (unsigned int i = 0; i < o->nr_outputs; i++)
		if (!has_tables(o->outputs[i].format) && o->outputs[i].format != FORMAT_HTML)
			return error_set(err, EINVAL, "output '%s' says nothing of %s: write tables, .txt, .csv or .json, or a page, .html",
					 o->outputs[i].path, invoked_typed("slow"));
	return 0;
}

/* What is compared are labels, and coroutines of all threads. */
static int check_choose(const struct options *o, struct error *err)
{
	if (choose_asks(&o->source.choose) && (o->source.nr_old || o->source.slow.text))
		return error_set(err, EINVAL, "--thread, --process and --label do not go with %s, which compares all slices: choose one of them",
				 invoked_typed(o->source.nr_old ? "diff" : "slow"));
	return 0;
}

/* Pictures, and stacks, are of all slices, and have no place for n/a. */
static int check_exact(const struct options *o, struct error *err)
{
	if (!o->source.exact)
		return 0;
	if (!o->has_to && !o->source.from_ns)
		return error_set(err, EINVAL, "--exact is of slices that are cut at --from and --to, and neither is given: without them all figures are of whole slices; give a part of the time, or leave --exact out");
	if (o->source.nr_old || o->source.slow.text)
		return error_set(err, EINVAL, "--exact does not go with %s, which compares all slices: choose one of them",
				 invoked_typed(o->source.nr_old ? "diff" : "slow"));
	for (unsigned int i = 0; i < o->nr_outputs; i++)
		if (!has_tables(o->outputs[i].format) &&
		    o->outputs[i].format != FORMAT_OPENMETRICS &&
		    o->outputs[i].format != FORMAT_SQLITE &&
		    o->outputs[i].format != FORMAT_SQLITE_SLICES)
			return error_set(err, EINVAL, "output '%s' is made of shares of slices that are cut, which --exact refuses: write tables, .txt, .csv, .json, .db or .prom, or leave --exact out",
					 o->outputs[i].path);
	return 0;
}

/* A dump has all labels. */
static int check_push_dumps(const struct options *o, struct error *err)
{
	const struct push_options *p = &o->push;
	const char *name = p->dumps.url ? "--push-dumps" : "--push-dumps-file";

	if (p->dumps.token_file && !push_sends_dumps(p))
		return error_set(err, EINVAL, "--push-dumps-token-file %s is of --push-dumps: say where dumps go, such as pyroscope+https://pyroscope.example:4040",
				 p->dumps.token_file);
	if (!push_sends_dumps(p))
		return 0;
	if (p->dumps.url && p->dumps.url_file)
		return error_set(err, EINVAL, "--push-dumps and --push-dumps-file are two addresses: dumps go to one");
	if (!o->record.keep_ns)
		return error_set(err, EINVAL, "%s is of a flight recorder, which writes files while it goes on: give --keep 60s, and --dump-on 'held > 100ms'",
				 name);
	if (p->choice.hashed || p->choice.nr_patterns || !p->choice.most)
		return error_set(err, EINVAL, "%s sends recordings, with all labels, which %s keeps back: leave out one of the two",
				 name, p->choice.most ? "--push-labels" : "--push-max-labels 0");
	return 0;
}

/* Options that are of something that was not asked for. */
static int check_push_options(const struct options *o, struct error *err)
{
	const struct push_options *p = &o->push;

	if (p->metrics_token && !o->metrics_at)
		return error_set(err, EINVAL, "--metrics-token-file %s is of --metrics-listen: say where to listen, such as 127.0.0.1:9464",
				 p->metrics_token);
	if (!p->to.url && ((o->push_option && !push_sends_dumps(p)) || (o->push_choice && !o->metrics_at)))
		return error_set(err, EINVAL, "--%s is of --push: say where to send to, such as --push https://otel.example:4318",
				 o->push_option ? o->push_option : o->push_choice);
	if (p->to.key && !p->to.cert)
		return error_set(err, EINVAL, "--push-key %s is of --push-cert: a key alone proves nothing",
				 p->to.key);
	if (p->queue_age_ns && p->queue_age_ns < p->every_ns)
		return error_set(err, EINVAL, "--push-queue-age is less than --push-every: nothing could be sent twice");
	return 0;
}

/* The last seconds have to be kept until they are sent. */
static int check_push(const struct options *o, struct error *err)
{
	const struct push_options *p = &o->push;
	const char *name = p->to.url ? "--push" : "--metrics-listen";
	int ret = check_push_options(o, err);

	if (!ret && !p->check)
		ret = check_push_dumps(o, err);
	if (ret || p->check || (!p->to.url && !o->metrics_at))
		return ret;
	if (o->source.nr)
		return error_set(err, EINVAL, "%s is of what is recorded while that goes on, and %s is a recording already: --push sends it",
				 name, o->source.paths[0]);
	if (!o->record.totals && !o->record.keep_ns)
		return error_set(err, EINVAL, "%s is of %s, or of --keep, such as --keep 60s: a recording of all slices grows on and on",
				 name, invoked_typed("totals"));
	if (o->record.keep_ns && o->record.keep_ns < 2 * p->every_ns)
		return error_set(err, EINVAL, "--keep is less than twice --push-every: what is to be sent could be gone by then");
	return 0;
}

/* Of recordings, one after the other. */
static int finish_push(struct options *o, struct error *err)
{
	const struct push_options *p = &o->push;
	int ret = check_push_options(o, err);

	if (ret)
		return ret;
	if (o->nr_outputs || o->source.nr_old || o->source.slow.text || o->has_to || o->source.from_ns)
		return error_set(err, EINVAL, "--push sends recordings as a whole, and writes nothing: leave out -o, --format, --from, --to and what compares");
	if (o->metrics_at || push_sends_dumps(p) || p->queue || p->queue_bytes || p->queue_age_ns)
		return error_set(err, EINVAL, "%s is of what is recorded while that goes on, and %s is a recording already: leave it out",
				 o->metrics_at ? "--metrics-listen" : push_sends_dumps(p) ? "--push-dumps" : "--push-queue",
				 o->source.paths[0]);
	o->mode = MODE_PUSH;
	return 0;
}

static int finish_push_check(struct options *o, struct error *err)
{
	int ret = check_push(o, err);

	if (ret)
		return ret;
	if (!o->push.to.url || o->record.command || o->record.nr_pids || o->source.nr > 1)
		return error_set(err, EINVAL, "--push-check records nothing: give no program; coroprof-read also takes one FILE.cprof, to show what would be sent of that");
	if (o->metrics_at || o->nr_outputs || o->record.keep_ns)
		return error_set(err, EINVAL, "--push-check records nothing, and writes to standard output: leave out %s",
				 o->metrics_at ? "--metrics-listen" : o->nr_outputs ? "-o" : "--keep");
	o->mode = MODE_PUSH_CHECK;
	return 0;
}

static int check_convert(const struct options *o, struct error *err)
{
	if (o->record.nr_pids || o->record.events_given || o->record.duration_ns || o->record.keep_ns || o->record.keep_bytes || o->record.nr_dump_on || o->record.totals || o->record.interval_ns || o->record.ring_size ||
	    o->record.watermark || o->record.ready_fd >= 0 || o->record.no_preload || o->record.runtimes || o->record.functions || o->record.threads || o->record.note ||
	    o->record.no_inherit ||
	    o->record.switch_ioctl || wants_samples(&o->record.sampling) ||
	    o->record.sampling.stack_max != STACK_MAX_UNSET)
		return error_set(err, EINVAL, "%s is a recording already; options for recording do not go with it",
				 o->source.paths[0]);
	if (o->has_to && o->source.to_ns <= o->source.from_ns)
		return error_set(err, EINVAL,
				 "--to is not after --from: nothing ends between them");
	for (unsigned int i = 0; i < o->nr_outputs; i++) {
		if (o->outputs[i].format == FORMAT_CPROF)
			return error_set(err, EINVAL,
					 "%s is a recording already; to have it as %s, copy it",
					 o->source.paths[0], o->outputs[i].path);
	}
	return 0;
}

static unsigned int count_recordings(const struct options *o)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < o->nr_outputs; i++)
		nr += o->outputs[i].format == FORMAT_CPROF;
	return nr;
}

static void name_size(char to[SIZE_TEXT_SIZE], uint32_t size)
{
	if (size % (1u << 20) == 0)
		snprintf(to, SIZE_TEXT_SIZE, "%u MiB", size >> 20);
	else if (size % (1u << 10) == 0)
		snprintf(to, SIZE_TEXT_SIZE, "%u KiB", size >> 10);
	else
		snprintf(to, SIZE_TEXT_SIZE, "%u bytes", size);
}

/* One that is larger would never be reached. */
static int check_watermark(const struct options *o, struct error *err)
{
	uint32_t ring_size = o->record.ring_size ? o->record.ring_size : RING_SIZE_DEFAULT;
	char watermark[SIZE_TEXT_SIZE], ring[SIZE_TEXT_SIZE];

	if (o->record.watermark <= ring_size)
		return 0;
	name_size(watermark, o->record.watermark);
	name_size(ring, ring_size);
	return error_set(err, EINVAL, "the watermark, %s, is larger than the ring, %s: give a larger --ring-size",
			 watermark, ring);
}

static bool wants_folded(const struct options *o)
{
	for (unsigned int i = 0; i < o->nr_outputs; i++)
		if (o->outputs[i].format == FORMAT_FOLDED)
			return true;
	return false;
}

/* A table there is without any output, and where one of them is one. */
static int check_look(const struct options *o, struct error *err)
{
	bool table = !o->nr_outputs;

	for (unsigned int i = 0; i < o->nr_outputs; i++)
		table |= has_tables(o->outputs[i].format);
	if (table ||
	    !(o->view.sort || o->view.nr_wheres || o->view.columns || o->view.top || o->view.table))
		return 0;
	return error_set(err, EINVAL, "--table, --sort, --where, --columns and --top are of tables, and none is written: add -o -, or -o FILE.txt");
}

static int form_untold(const char *path, struct error *err)
{
	char forms[FORM_LIST];

	form_ends(forms);
	return error_set(err, EINVAL, "output '%s': the end of the name says the form: .html, .cprof, .txt, .csv, .json, .folded, or - for tables on standard output; for other programs %s; or by --format; with .gz behind it, such as .json.gz, it is compressed",
			 path, forms);
}

/* What --format is of: standard output, and names that do not say. */
static int finish_format(struct options *o, struct error *err)
{
	bool used = false;

	if (!o->nr_outputs && o->format != FORMAT_UNTOLD)
		o->outputs[o->nr_outputs++] =
			(struct output){ .path = "-", .format = FORMAT_UNTOLD };
	for (unsigned int i = 0; i < o->nr_outputs; i++) {
		struct output *output = &o->outputs[i];

		output->sync = o->sync;
		used |= output->format == FORMAT_UNTOLD || output->format == o->format;
		if (output->format != FORMAT_UNTOLD)
			continue;
		output->format = o->format;
		if (o->format == FORMAT_UNTOLD && strcmp(output->path, "-"))
			return form_untold(output->path, err);
		if (o->format == FORMAT_UNTOLD)
			output->format = FORMAT_TEXT;
	}
	if (o->format == FORMAT_UNTOLD || used)
		return 0;
	return error_set(err, EINVAL, "--format is of no output: the names of all outputs say their forms; add -o -");
}

static int check_weight(const struct options *o, struct error *err)
{
	if (!o->view.weight || wants_folded(o))
		return 0;
	return error_set(err, EINVAL, "--weight is of folded stacks, and none are written: add -o FILE.folded; exports have all weights");
}

static int set_sample_default(struct sampling *s, struct error *err)
{
	unsigned int nr = 0;

	return events_parse(&s->event, &nr, SAMPLE_EVENT_DEFAULT, err);
}

static int finish_sampling(struct options *o, struct error *err)
{
	struct sampling *s = &o->record.sampling;
	bool stacks = s->stack_max != STACK_MAX_UNSET;

	if (!stacks)
		s->stack_max = COROPROF_STACK_MAX;
	if (!wants_samples(s))
		return !stacks && (o->view.weight || !wants_folded(o)) ? 0 :
		       error_set(err, EINVAL, "no samples are taken: say how many with --frequency, such as -F %d",
				 SAMPLE_FREQUENCY_DEFAULT);
	if (s->frequency && s->period)
		return error_set(err, EINVAL, "--frequency and --period do not go together: one says how the other is chosen");
	if (!s->frequency && !s->period)
		s->frequency = SAMPLE_FREQUENCY_DEFAULT;
	return s->named ? 0 : set_sample_default(s, err);
}

/* What only slices can give there is not. */
static int check_totals(const struct options *o, struct error *err)
{
	if (!o->record.totals)
		return !o->record.interval_ns ? 0 :
		       error_set(err, EINVAL, "--interval is of --totals: a recording of slices is shown when it has ended");
	if (o->record.ring_size || o->record.watermark)
		return error_set(err, EINVAL, "--ring-size and --watermark do not go with --totals: there are no rings");
	if (wants_samples(&o->record.sampling))
		return error_set(err, EINVAL, "--frequency, --period and --sample-event do not go with --totals: samples need rings");
	if (o->record.functions)
		return error_set(err, EINVAL, "--functions does not go with --totals: calls are spans, which need rings");
	for (unsigned int i = 0; i < o->nr_outputs; i++)
		if (!has_tables(o->outputs[i].format) && o->outputs[i].format != FORMAT_CPROF)
			return error_set(err, EINVAL, "output '%s' is of slices, and %s records none: write tables, .txt, .csv or .json, or record without %s",
					 o->outputs[i].path, invoked_typed("totals"),
					 invoked_typed("totals"));
	return 0;
}

/* What is kept are slices. */
static int finish_keep(struct options *o, struct error *err)
{
	bool dumps = o->record.nr_dump_on;

	if (!o->record.keep_ns && (dumps || o->has_dump_after || o->record.dump_every_ns))
		return error_set(err, EINVAL, "--dump-on, --dump-after and --dump-every are of --keep: say how much is to be kept, such as --keep 60s");
	if (!o->record.keep_ns)
		return !o->record.keep_bytes ? 0 :
		       error_set(err, EINVAL, "--keep-bytes is of --keep: say for how long, such as --keep 60s");
	if (o->record.totals)
		return error_set(err, EINVAL, "--keep does not go with --totals: totals are small whatever time they are of; choose one of them");
	if (!dumps && (o->has_dump_after || o->record.dump_every_ns))
		return error_set(err, EINVAL, "--dump-after and --dump-every are of --dump-on: say what a file is to be written for");
	if (!o->record.keep_bytes)
		o->record.keep_bytes = KEEP_BYTES_DEFAULT;
	if (!o->has_dump_after)
		o->record.dump_after_ns = DUMP_AFTER_DEFAULT;
	if (!o->record.dump_every_ns)
		o->record.dump_every_ns = DUMP_EVERY_DEFAULT;
	return 0;
}

/* It has no end at which anything would be written. */
static int finish_live(struct options *o, struct error *err)
{
	const bool top = o->live == MODE_TOP;
	const char *name = invoked_typed(top ? "top" : "serve");

	if (o->source.nr)
		return error_set(err, EINVAL, "%s shows what is recorded while that goes on, and %s is a recording already: coroprof report %s",
				 name, o->source.paths[0], o->source.paths[0]);
	if (o->nr_outputs)
		return error_set(err, EINVAL, "%s writes no %s: %s writes what is shown; or record without it: coroprof record -o %s",
				 name, o->outputs[0].path, top ? "its key d" : "'Save' in the page",
				 o->outputs[0].path);
	if (o->record.totals)
		return error_set(err, EINVAL, "%s is of slices, and --totals records none: choose one of them",
				 name);
	if (!o->record.keep_ns)
		o->record.keep_ns = KEEP_LIVE_DEFAULT;
	o->mode = o->live;
	return 0;
}

static int check_record(const struct options *o, struct error *err)
{
	int ret = check_totals(o, err);

	if (ret)
		return ret;
	if (count_recordings(o) > 1)
		return error_set(err, EINVAL, "more than one output ends in .cprof: there is one recording, copy it");
	if (o->record.command && o->record.nr_pids)
		return error_set(err, EINVAL, "a command and -p do not go together: record one or the other");
	if (o->record.command && o->record.no_inherit)
		return error_set(err, EINVAL, "--no-inherit goes with -p: a command is recorded with all processes it starts");
	if (o->record.functions && (!o->record.command || o->record.no_preload))
		return error_set(err, EINVAL, "--functions %s goes with a command, and the preload library; for -p, start the program with " FUNCTIONS_ENV "=%s and LD_PRELOAD=libcoroprof-preload.so",
				 o->record.functions, o->record.functions);
	if (o->record.threads && (!o->record.command || o->record.no_preload))
		return error_set(err, EINVAL, "--threads goes with a command, and the preload library; for -p, start the program with " THREADS_ENV "=1 and LD_PRELOAD=libcoroprof-preload.so");
	if (o->record.threads && o->record.probes && strcmp(o->record.probes, "none"))
		return error_set(err, EINVAL, "--threads and --probe %s do not go together: a process that records its threads itself can't be probed",
				 o->record.probes);
	if (choose_asks(&o->source.choose))
		return error_set(err, EINVAL, "--thread, --process and --label are of a FILE.cprof; to record one process, use -p");
	if (o->has_to || o->source.from_ns || o->source.exact)
		return error_set(err, EINVAL, "--from, --to and --exact are of a FILE.cprof; to record for a time, use --duration");
	if (!o->record.command && !o->record.nr_pids && o->command)
		return error_set(err, EINVAL, "nothing to record: give a program, or -p PID\nTry '%s %s --help'.",
				 o->program, command_of(o->command)->name);
	if (!o->record.command && !o->record.nr_pids)
		return error_set(err, EINVAL, "nothing to record: give a command, -p PID, or a FILE.cprof to show\nTry '%s --help'.",
				 o->program);
	return check_watermark(o, err);
}

int options_finish(struct options *o, struct error *err)
{
	int ret;

	if (o->mode == MODE_SNAPSHOT && (o->record.command || o->record.nr_pids || o->record.keep_ns || o->source.nr))
		return error_set(err, EINVAL, "--snapshot asks a coroprof that records already: it goes with nothing else");

	if (o->mode != MODE_RECORD)
		return 0;
	if (o->push.check)
		return finish_push_check(o, err);
	ret = finish_format(o, err);
	if (!ret && o->live == MODE_RECORD)
		ret = check_look(o, err);
	if (!ret)
		ret = check_weight(o, err);
	if (!ret)
		ret = check_diff(o, err);
	if (!ret)
		ret = check_slow(o, err);
	if (ret)
		return ret;
	if (o->source.nr && !o->record.command && o->live == MODE_RECORD) {
		o->mode = MODE_CONVERT;
		ret = o->push.to.url ? finish_push(o, err) : check_push(o, err);
		if (!ret)
			ret = check_exact(o, err);
		if (!ret)
			ret = check_choose(o, err);
		return ret ? ret : check_convert(o, err);
	}
	if (!o->record.events_given) {
		ret = events_parse(o->record.events, &o->record.nr_events, EVENTS_DEFAULT,
				       err);

		if (ret)
			return ret;
	}
	if (o->serve_at && o->live != MODE_SERVE)
		return error_set(err, EINVAL, "--listen %s is for the page of a recording that goes on: coroprof serve --listen %s",
				 o->serve_at, o->serve_at);
	ret = finish_sampling(o, err);
	if (!ret && o->live != MODE_RECORD)
		ret = finish_live(o, err);
	if (!ret)
		ret = finish_keep(o, err);
	if (!ret)
		ret = check_push(o, err);
	return ret ? ret : check_record(o, err);
}

