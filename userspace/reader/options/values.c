// SPDX-License-Identifier: GPL-2.0
/* What the argument of each option may be, and where it is kept. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../runtimes/list.h"
#include "base/units.h"
#include "base/util.h"
#include "cprof/format.h"
#include "options/values.h"
#include "output/export/form.h"
#include "output/where.h"
#include "record/probes.h"
#include "tables/table.h"

#define DURATION_LEAST_NS	1000000
#define INTERVAL_LEAST_NS	100000000
#define KEEP_LEAST_NS		1000000000
#define KEEP_BYTES_LEAST	(1u << 20)
#define PUSH_EVERY_LEAST_NS	1000000000
#define PUSH_QUEUE_LEAST	(64u << 10)

#define RUNTIME_HELP(name)	#name ", "

int options_add_output(struct options *o, const char *path, enum format format,
		      struct error *err)
{
	if (o->nr_outputs == OUTPUTS_MAX)
		return error_set(err, E2BIG, "more than %d outputs", OUTPUTS_MAX);
	o->outputs[o->nr_outputs++] = (struct output){ .path = path, .format = format };
	return 0;
}

/* Forms of our own, beside those of output/export/form.h. */
static const struct own_form {
	enum format format;
	const char *name;	/* for --format; NULL: that can't be chosen */
	const char *ends[2];	/* of names of such files */
} own_forms[] = {
	{ FORMAT_TEXT, "text", { ".txt" } },
	{ FORMAT_CSV, "csv", { ".csv" } },
	{ FORMAT_JSON, "json", { ".json" } },
	{ FORMAT_FOLDED, "folded", { ".folded" } },
	{ FORMAT_HTML, "html", { ".html", ".htm" } },
	{ FORMAT_CPROF, NULL, { ".cprof" } },
};

static bool has_end(const struct own_form *form, const char *path)
{
	return ends_with(path, form->ends[0]) || (form->ends[1] && ends_with(path, form->ends[1]));
}

static enum format format_of(const char *path)
{
	const struct form *form = form_of_path(path);

	if (form)
		return form->format;
	for (size_t i = 0; i < ARRAY_SIZE(own_forms); i++)
		if (has_end(&own_forms[i], path))
			return own_forms[i].format;
	return FORMAT_UNTOLD;
}

/* What is before ".gz" says it, but of a recording: that is compressed already. */
static enum format format_of_packed(const char *path)
{
	char *bare = strndup(path, strlen(path) - strlen(GZIP_END));
	enum format format = bare ? format_of(bare) : FORMAT_UNTOLD;

	free(bare);
	return format == FORMAT_CPROF ? FORMAT_UNTOLD : format;
}

static int add_output(struct options *o, const char *path, struct error *err)
{
	enum format format = format_of(path);

	if (format == FORMAT_UNTOLD && ends_with(path, GZIP_END))
		format = format_of_packed(path);
	return options_add_output(o, path, format, err);
}

const char *options_form_name(unsigned int i)
{
	return i < ARRAY_SIZE(own_forms) ? own_forms[i].name : NULL;
}

const char *options_form_end(enum format format)
{
	const struct form *form = form_of(format);

	if (form)
		return form->ends[0];
	for (size_t i = 0; i < ARRAY_SIZE(own_forms); i++)
		if (own_forms[i].format == format)
			return own_forms[i].ends[0];
	return "";
}

/* A decimal number from @min to @max up to the character @end points at. */
static bool parse_number(const char *text, char **end, unsigned long min,
			 unsigned long max, unsigned long *value)
{
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoul(text, end, 10);
	return !errno && *value >= min && *value <= max;
}

/* Of counts, "100k" as well. */
static bool parse_count(const char *text, unsigned long min, unsigned long max,
			unsigned long *value)
{
	double count;
	char *end;

	if (parse_number(text, &end, min, max, value) && !*end)
		return true;
	/* As a double @max may be one more, which is found then. */
	if (!units_count(text, &count) || count != floor(count) || count > (double)max)
		return false;
	*value = (unsigned long)count;
	return *value >= min && *value <= max;
}

static bool has_pid(const struct record_options *o, pid_t pid)
{
	for (unsigned int i = 0; i < o->nr_pids; i++) {
		if (o->pids[i] == pid)
			return true;
	}
	return false;
}

static int add_pid(struct record_options *o, pid_t pid, struct error *err)
{
	if (has_pid(o, pid))
		return 0;
	if (o->nr_pids == PIDS_MAX)
		return error_set(err, E2BIG, "more than %d processes", PIDS_MAX);
	o->pids[o->nr_pids++] = pid;
	return 0;
}

int options_add_pids(struct options *o, const char *list, struct error *err)
{
	const char *p = list;
	unsigned long pid;
	char *end;
	int ret;

	for (;;) {
		if (!parse_number(p, &end, 1, INT_MAX, &pid) ||
		    (*end && *end != ','))
			return error_set(err, EINVAL, "-p %s: a process id is a number above 0, several are separated by commas",
					 list);
		ret = add_pid(&o->record, (pid_t)pid, err);
		if (ret || !*end)
			return ret;
		p = end + 1;
	}
}

static int set_size(uint32_t *size, const char *option, const char *text, struct error *err)
{
	if (units_size(text, size))
		return 0;
	return error_set(err, EINVAL, "--%s %s: a size is a number of bytes, or one with K, M or G behind it, up to 1G",
			 option, text);
}

static int set_keep_bytes(struct options *o, const char *text, struct error *err)
{
	uint32_t size;
	int ret = set_size(&size, "keep-bytes", text, err);

	if (!ret && size < KEEP_BYTES_LEAST)
		return error_set(err, EINVAL, "--keep-bytes %s: at least 1M, of which threads and labels need some as well",
				 text);
	o->record.keep_bytes = size;
	return ret;
}

static int add_dump_on(struct record_options *o, const char *text, struct error *err)
{
	if (o->nr_dump_on == TRIGGERS_MAX)
		return error_set(err, E2BIG, "more than %d --dump-on", TRIGGERS_MAX);
	return trigger_parse(&o->dump_on[o->nr_dump_on++], text, err);
}

static int set_snapshot(struct options *o, const char *text, struct error *err)
{
	unsigned long pid;
	char *end;

	if (!parse_number(text, &end, 1, INT_MAX, &pid) || *end)
		return error_set(err, EINVAL, "--snapshot %s: the process id of a coroprof that records with --keep",
				 text);
	o->mode = MODE_SNAPSHOT;
	o->snapshot = (pid_t)pid;
	return 0;
}

static int set_ring_size(struct options *o, const char *text, struct error *err)
{
	int ret = set_size(&o->record.ring_size, "ring-size", text, err);

	if (ret)
		return ret;
	if (o->record.ring_size & (o->record.ring_size - 1))
		return error_set(err, EINVAL, "--ring-size %s: it must be a power of two, such as 256K or 4M",
				 text);
	return 0;
}

static int set_time(uint64_t *ns, const char *option, uint64_t least_ns, const char *text,
		    struct error *err)
{
	if (units_time(text, ns) && *ns >= least_ns)
		return 0;
	return error_set(err, EINVAL, "--%s %s: seconds, or numbers with h, m, s, ms, us or ns behind them, in this order, such as 20s, 500ms or 1m30s; at least %g s",
			 option, text, (double)least_ns / 1e9);
}

/* A point in time of a recording, from its begin. */
static int set_point(uint64_t *ns, const char *option, const char *text, struct error *err)
{
	if (units_time(text, ns))
		return 0;
	return error_set(err, EINVAL, "--%s %s: seconds from the begin of the recording, or numbers with h, m, s, ms, us or ns behind them, in this order, such as 20s or 1m30s",
			 option, text);
}

/* A thread, or a process, of a recording. */
static int set_number(int32_t *number, const char *option, const char *text, struct error *err)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value <= 0 || value > INT32_MAX)
		return error_set(err, EINVAL, "--%s %s: the number of one that was recorded, as tables have it",
				 option, text);
	*number = (int32_t)value;
	return 0;
}

static int set_note(struct options *o, const char *text, struct error *err)
{
	size_t len = strlen(text);

	if (!len || len > CPROF_NOTE_MAX)
		return error_set(err, EINVAL, "--note: the text has %zu bytes; it must have at least 1 and at most %d",
				 len, CPROF_NOTE_MAX);
	o->record.note = text;
	return 0;
}

static int set_ready_fd(struct options *o, const char *text, struct error *err)
{
	unsigned long fd;
	char *end;

	if (!parse_number(text, &end, 0, INT_MAX, &fd) || *end)
		return error_set(err, EINVAL, "--ready-fd %s: the number of a descriptor",
				 text);
	/* The command must not hold it open. */
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0)
		return error_errno(err, "--ready-fd %s", text);
	o->record.ready_fd = (int)fd;
	return 0;
}

static int set_frequency(struct options *o, const char *text,
			 struct error *err)
{
	unsigned long frequency;

	if (!parse_count(text, 1, COROPROF_SAMPLE_FREQUENCY_MAX, &frequency))
		return error_set(err, EINVAL, "--frequency %s: samples a second, 1 to %u",
				 text, COROPROF_SAMPLE_FREQUENCY_MAX);
	o->record.sampling.frequency = (uint32_t)frequency;
	return 0;
}

static int set_period(struct options *o, const char *text, struct error *err)
{
	unsigned long period;

	if (!parse_count(text, 1, LONG_MAX, &period))
		return error_set(err, EINVAL, "--period %s: how many counts a sample is taken after, at least 1, such as 100000 or 100k",
				 text);
	o->record.sampling.period = period;
	return 0;
}

static int set_sample_event(struct options *o, const char *text,
			    struct error *err)
{
	struct event events[COROPROF_COUNTERS_MAX];
	unsigned int nr = 0;
	int ret = events_parse(events, &nr, text, err);

	if (ret)
		return ret;
	if (nr != 1)
		return error_set(err, EINVAL, "--sample-event %s: samples are of one event",
				 text);
	if (event_is_program(&events[0].counter))
		return error_set(err, EINVAL, "--sample-event %s: what the program counts itself does not overflow, so that it can't be sampled\nCount it: -e %s",
				 text, text);
	o->record.sampling.event = events[0];
	o->record.sampling.named = true;
	return 0;
}

static int set_stack_max(struct options *o, const char *text, struct error *err)
{
	unsigned long max;
	char *end;

	if (!parse_number(text, &end, 0, COROPROF_STACK_MAX, &max) || *end)
		return error_set(err, EINVAL, "--stack-max %s: how many callers, 0 to %u",
				 text, COROPROF_STACK_MAX);
	o->record.sampling.stack_max = (uint32_t)max;
	return 0;
}

static int add_metric(struct options *o, const char *text, struct error *err)
{
	if (o->view.nr_metrics == METRICS_MAX)
		return error_set(err, EINVAL, "--metric %s: at most %d can be given", text,
				 METRICS_MAX);
	if (metric_parse(&o->metrics[o->view.nr_metrics], text, err))
		return -1;
	o->view.metrics = o->metrics;
	o->view.nr_metrics++;
	return 0;
}

static int add_where(struct options *o, const char *text, struct error *err)
{
	if (where_check(text, err))
		return -EINVAL;
	if (o->view.nr_wheres == WHERES_MAX)
		return error_set(err, E2BIG, "more than %d --where", WHERES_MAX);
	o->view.wheres[o->view.nr_wheres++] = text;
	return 0;
}

static int set_top(struct options *o, const char *text, struct error *err)
{
	unsigned long top;
	char *end;

	if (!parse_number(text, &end, 1, UINT32_MAX, &top) || *end)
		return error_set(err, EINVAL, "--top %s: how many rows of each table, 1 or more",
				 text);
	o->view.top = (uint32_t)top;
	return 0;
}

int options_set_format(struct options *o, const char *name, struct error *err)
{
	const struct form *form = form_of_name(name);
	char forms[FORM_LIST];

	if (form) {
		o->format = form->format;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(own_forms); i++)
		if (own_forms[i].name && !strcmp(name, own_forms[i].name)) {
			o->format = own_forms[i].format;
			return 0;
		}
	form_names(forms);
	return error_set(err, EINVAL, "%s %s: there is no such form. There are text, csv, json, folded, html, and for other programs %s",
			 o->command == COMMAND_EXPORT ? command_of(o->command)->name : "--format",
			 name, forms);
}

static int set_table(struct options *o, const char *text, struct error *err)
{
	char names[512] = "";
	size_t used = 0;

	o->view.table = text;
	if (table_named(text))
		return 0;
	for (unsigned int i = 0; i < nr_tables && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? ", " : "", tables[i]->name);
	return error_set(err, EINVAL, "--table %s: there is no such table. There are: %s", text,
			 names);
}

static int set_old(struct options *o, const char *text, struct error *err)
{
	if (o->source.nr_old)
		return error_set(err, EINVAL, "--diff %s, --diff %s: several runs are given as --diff OLD.cprof OLD2.cprof -- NEW.cprof NEW2.cprof",
				 o->source.old[0], text);
	o->source.old[o->source.nr_old++] = text;
	return 0;
}

static int add_gate(struct options *o, const char *text, struct error *err)
{
	if (o->source.nr_gates == GATES_MAX)
		return error_set(err, E2BIG, "more than %d --fail-if", GATES_MAX);
	return gate_parse(&o->source.gates[o->source.nr_gates++], text, err);
}

int options_set_slow(struct options *o, const char *text, struct error *err)
{
	if (o->source.slow.text)
		return error_set(err, EINVAL,
				 "--slow %s, --slow %s: one label is looked at at a time",
				 o->source.slow.text, text);
	return slow_parse(&o->source.slow, text, err);
}

static int set_switch(struct options *o, const char *text, struct error *err)
{
	o->record.switch_ioctl = !strcmp(text, "ioctl");
	if (o->record.switch_ioctl || !strcmp(text, "auto"))
		return 0;
	return error_set(err, EINVAL, "--switch %s: auto or ioctl", text);
}

static int set_color(struct options *o, const char *text, struct error *err)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(text, names[i])) {
			o->color = (enum color)i;
			return 0;
		}
	}
	return error_set(err, EINVAL, "--color %s: auto, always or never", text);
}

static bool is_runtime(const char *word, size_t len)
{
	static const char *const names[] = {
#define RUNTIME_NAME(name) #name,
		RUNTIMES(RUNTIME_NAME)
#undef RUNTIME_NAME
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == len && !strncmp(names[i], word, len))
			return true;
	}
	return false;
}

static int set_runtimes(struct options *o, const char *text, struct error *err)
{
	const char *word = text;
	size_t len;

	o->record.runtimes = text;
	if (!strcmp(text, RUNTIMES_NONE))
		return 0;
	for (;; word += len + 1) {
		len = strcspn(word, ",");
		if (!is_runtime(word, len))
			return error_set(err, EINVAL,
					 "--runtime %s: '%.*s' is none of those known: " RUNTIMES(
						 RUNTIME_HELP) "or " RUNTIMES_NONE,
					 text, (int)len, word);
		if (!word[len])
			return 0;
	}
}

static int set_functions(struct options *o, const char *text, struct error *err)
{
	const char *word = text;
	size_t len;

	o->record.functions = text;
	for (;; word += len + 1) {
		word += *word == '-';
		len = strcspn(word, ",");
		if (!len)
			return error_set(err, EINVAL, "--functions %s: names of modules, separated by commas, or " FUNCTIONS_ALL "; - before a name leaves it out, as in app,-app.log",
					 text);
		if (!word[len])
			return 0;
	}
}

static int set_push_labels(struct options *o, const char *text, struct error *err)
{
	return choice_parse(&o->push.choice, text, err);
}

static int set_push_max_labels(struct options *o, const char *text, struct error *err)
{
	unsigned long most;
	char *end;

	if (!parse_number(text, &end, 0, CHOICE_LABELS_MOST, &most) || *end)
		return error_set(err, EINVAL, "--push-max-labels %s: how many labels, 0 to %u; each is up to 30 series in the engine, on the average",
				 text, CHOICE_LABELS_MOST);
	o->push.choice.most = (uint32_t)most;
	return 0;
}

static int set_push_temporality(struct options *o, const char *text, struct error *err)
{
	o->push.delta = !strcmp(text, "delta");
	if (o->push.delta || !strcmp(text, "cumulative"))
		return 0;
	return error_set(err, EINVAL, "--push-temporality %s: cumulative, sums since the begin, or delta, sums since the last time",
			 text);
}

static int set_push_queue_bytes(struct options *o, const char *text, struct error *err)
{
	uint32_t size;
	int ret = set_size(&size, "push-queue-bytes", text, err);

	if (!ret && size < PUSH_QUEUE_LEAST)
		return error_set(err, EINVAL, "--push-queue-bytes %s: at least 64K", text);
	o->push.queue_bytes = size;
	return ret;
}

/* Options of --push, but that itself. */
static int set_push(struct options *o, enum option_number option, const char *argument,
		    struct error *err)
{
	struct push_options *p = &o->push;

	if (option == OPTION_PUSH_EVERY || option == OPTION_PUSH_LABELS ||
	    option == OPTION_PUSH_MAX_LABELS)
		o->push_choice = option_list[option].name;
	else
		o->push_option = option_list[option].name;
	switch (option) {
	case OPTION_PUSH_EVERY:
		return set_time(&p->every_ns, "push-every", PUSH_EVERY_LEAST_NS, argument, err);
	case OPTION_PUSH_LABELS:
		return set_push_labels(o, argument, err);
	case OPTION_PUSH_MAX_LABELS:
		return set_push_max_labels(o, argument, err);
	case OPTION_PUSH_TEMPORALITY:
		return set_push_temporality(o, argument, err);
	case OPTION_PUSH_QUEUE_BYTES:
		return set_push_queue_bytes(o, argument, err);
	case OPTION_PUSH_QUEUE_AGE:
		return set_time(&p->queue_age_ns, "push-queue-age", PUSH_EVERY_LEAST_NS, argument,
				err);
	case OPTION_PUSH_TOKEN_FILE:
		p->to.token_file = argument;
		return 0;
	case OPTION_PUSH_CA:
		p->to.ca = argument;
		return 0;
	case OPTION_PUSH_CERT:
		p->to.cert = argument;
		return 0;
	case OPTION_PUSH_KEY:
		p->to.key = argument;
		return 0;
	case OPTION_PUSH_QUEUE:
		p->queue = argument;
		return 0;
	default:
		p->check = true;
		return 0;
	}
}

int option_set(struct options *o, enum option_number option, const char *argument,
	       struct error *err)
{
	switch (option) {
	case OPTION_PUSH:
		o->push.to.url = argument;
		return 0;
	case OPTION_PUSH_DUMPS:
		o->push.dumps.url = argument;
		return 0;
	case OPTION_PUSH_DUMPS_FILE:
		o->push.dumps.url_file = argument;
		return 0;
	case OPTION_PUSH_DUMPS_TOKEN_FILE:
		o->push.dumps.token_file = argument;
		return 0;
	case OPTION_PUSH_EVERY: case OPTION_PUSH_LABELS: case OPTION_PUSH_MAX_LABELS:
	case OPTION_PUSH_TEMPORALITY: case OPTION_PUSH_TOKEN_FILE: case OPTION_PUSH_CA:
	case OPTION_PUSH_CERT: case OPTION_PUSH_KEY: case OPTION_PUSH_QUEUE:
	case OPTION_PUSH_QUEUE_BYTES: case OPTION_PUSH_QUEUE_AGE: case OPTION_PUSH_CHECK:
		return set_push(o, option, argument, err);
	case OPTION_METRICS_LISTEN:
		o->metrics_at = argument;
		return 0;
	case OPTION_METRICS_TOKEN_FILE:
		o->push.metrics_token = argument;
		return 0;
	case OPTION_OUTPUT:
		return add_output(o, argument, err);
	case OPTION_EVENT:
		o->record.events_given = true;
		return events_parse(o->record.events, &o->record.nr_events, argument, err);
	case OPTION_PID:
		return options_add_pids(o, argument, err);
	case OPTION_RING_SIZE:
		return set_ring_size(o, argument, err);
	case OPTION_WATERMARK:
		return set_size(&o->record.watermark, "watermark", argument, err);
	case OPTION_DURATION:
		return set_time(&o->record.duration_ns, "duration", DURATION_LEAST_NS, argument,
				err);
	case OPTION_INTERVAL:
		return set_time(&o->record.interval_ns, "interval", INTERVAL_LEAST_NS, argument,
				err);
	case OPTION_KEEP:
		return set_time(&o->record.keep_ns, "keep", KEEP_LEAST_NS, argument, err);
	case OPTION_DUMP_ON:
		return add_dump_on(&o->record, argument, err);
	case OPTION_DUMP_AFTER:
		o->has_dump_after = true;
		return set_time(&o->record.dump_after_ns, "dump-after", 0, argument, err);
	case OPTION_DUMP_EVERY:
		return set_time(&o->record.dump_every_ns, "dump-every", DURATION_LEAST_NS, argument,
				err);
	case OPTION_LIVE:
		o->live = MODE_TOP;
		return 0;
	case OPTION_SERVE:
		o->live = MODE_SERVE;
		return 0;
	case OPTION_LISTEN:
		o->serve_at = argument;
		return 0;
	case OPTION_SNAPSHOT:
		return set_snapshot(o, argument, err);
	case OPTION_KEEP_BYTES:
		return set_keep_bytes(o, argument, err);
	case OPTION_TOTALS:
		o->record.totals = true;
		return 0;
	case OPTION_FREQUENCY:
		return set_frequency(o, argument, err);
	case OPTION_PERIOD:
		return set_period(o, argument, err);
	case OPTION_SAMPLE_EVENT:
		return set_sample_event(o, argument, err);
	case OPTION_STACK_MAX:
		return set_stack_max(o, argument, err);
	case OPTION_NO_STACKS:
		o->record.sampling.stack_max = 0;
		return 0;
	case OPTION_SWITCH:
		return set_switch(o, argument, err);
	case OPTION_FSYNC:
		o->sync = true;
		return 0;
	case OPTION_FOLDED:
		return options_add_output(o, argument, FORMAT_FOLDED, err);
	case OPTION_SORT:
		o->view.sort = argument;
		return 0;
	case OPTION_WHERE:
		return add_where(o, argument, err);
	case OPTION_METRIC:
		return add_metric(o, argument, err);
	case OPTION_TOP:
		return set_top(o, argument, err);
	case OPTION_ALL:
		o->view.digest = false;
		return 0;
	case OPTION_COLOR:
		return set_color(o, argument, err);
	case OPTION_NO_PAGER:
		o->no_pager = true;
		return 0;
	case OPTION_COLUMNS:
		o->view.columns = argument;
		return 0;
	case OPTION_WEIGHT:
		o->view.weight = argument;
		return 0;
	case OPTION_FORMAT:
		return options_set_format(o, argument, err);
	case OPTION_TABLE:
		return set_table(o, argument, err);
	case OPTION_FROM:
		return set_point(&o->source.from_ns, "from", argument, err);
	case OPTION_TO:
		o->has_to = true;
		return set_point(&o->source.to_ns, "to", argument, err);
	case OPTION_THREAD:
		return set_number(&o->source.choose.tid, "thread", argument, err);
	case OPTION_PROCESS:
		return set_number(&o->source.choose.pid, "process", argument, err);
	case OPTION_LABEL:
		o->source.choose.label = argument;
		return 0;
	case OPTION_EXACT:
		o->source.exact = true;
		return 0;
	case OPTION_DIFF:
		return set_old(o, argument, err);
	case OPTION_FAIL_IF:
		return add_gate(o, argument, err);
	case OPTION_NO_INLINE:
		o->source.no_inline = true;
		return 0;
	case OPTION_SLOW:
		return options_set_slow(o, argument, err);
	case OPTION_READY_FD:
		return set_ready_fd(o, argument, err);
	case OPTION_NOTE:
		return set_note(o, argument, err);
	case OPTION_NO_PRELOAD:
		o->record.no_preload = true;
		return 0;
	case OPTION_RUNTIME:
		return set_runtimes(o, argument, err);
	case OPTION_FUNCTIONS:
		return set_functions(o, argument, err);
	case OPTION_THREADS:
		o->record.threads = true;
		return 0;
	case OPTION_PROBE:
		o->record.probes = argument;
		return probes_check(argument, err);
	case OPTION_NO_INHERIT:
		o->record.no_inherit = true;
		return 0;
	case OPTION_CHECK:
		o->mode = MODE_CHECK;
		return 0;
	case OPTION_SELFTEST_REPORT:
		o->selftest_report = argument;
		/* fall through */
	case OPTION_SELFTEST:
		o->mode = MODE_SELFTEST;
		return 0;
	case OPTION_QUIET:
		o->record.quiet = true;
		return 0;
	case OPTION_HELP:
		o->mode = MODE_HELP;
		return 0;
	case OPTION_VERSION:
		o->mode = MODE_VERSION;
		return 0;
	case NR_OPTIONS:
		break;
	}
	return error_set(err, EINVAL, "no such option");
}
