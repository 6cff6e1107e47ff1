// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../runtimes/list.h"
#include "base/util.h"
#include "cprof/file.h"
#include "cprof/format.h"
#include "options.h"
#include "record/probes.h"
#include "output/export/form.h"
#include "output/where.h"
#include "tables/table.h"

/* The kernel module's. */
#define RING_SIZE_DEFAULT	(1u << 20)
/* "4294967295 bytes" */
#define SIZE_ROOM		20

enum {
	OPTION_READY_FD = 256,
	OPTION_NO_PRELOAD,
	OPTION_RUNTIME,
	OPTION_FUNCTIONS,
	OPTION_PROBE,
	OPTION_NO_INHERIT,
	OPTION_CHECK,
	OPTION_SELFTEST,
	OPTION_SELFTEST_REPORT,
	OPTION_SAMPLE_EVENT,
	OPTION_STACK_MAX,
	OPTION_NO_STACKS,
	OPTION_SWITCH,
	OPTION_FOLDED,
	OPTION_NOTE,
	OPTION_SORT,
	OPTION_WHERE,
	OPTION_METRIC,
	OPTION_TOP,
	OPTION_COLUMNS,
	OPTION_FORMAT,
	OPTION_WEIGHT,
	OPTION_TABLE,
	OPTION_FROM,
	OPTION_TO,
	OPTION_EXACT,
	OPTION_TOTALS,
	OPTION_DIFF,
	OPTION_FAIL_IF,
	OPTION_SLOW,
	OPTION_NO_INLINE,
	OPTION_FSYNC,
};

#define STACK_MAX_UNSET	UINT32_MAX

#define RUNTIME_HELP(name) #name ", "

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "event", required_argument, NULL, 'e' },
	{ "pid", required_argument, NULL, 'p' },
	{ "no-inherit", no_argument, NULL, OPTION_NO_INHERIT },
	{ "ring-size", required_argument, NULL, 'r' },
	{ "watermark", required_argument, NULL, 'w' },
	{ "frequency", required_argument, NULL, 'F' },
	{ "period", required_argument, NULL, 'c' },
	{ "sample-event", required_argument, NULL, OPTION_SAMPLE_EVENT },
	{ "stack-max", required_argument, NULL, OPTION_STACK_MAX },
	{ "no-stacks", no_argument, NULL, OPTION_NO_STACKS },
	{ "switch", required_argument, NULL, OPTION_SWITCH },
	{ "fsync", no_argument, NULL, OPTION_FSYNC },
	{ "folded", required_argument, NULL, OPTION_FOLDED },
	{ "sort", required_argument, NULL, OPTION_SORT },
	{ "where", required_argument, NULL, OPTION_WHERE },
	{ "metric", required_argument, NULL, OPTION_METRIC },
	{ "top", required_argument, NULL, OPTION_TOP },
	{ "columns", required_argument, NULL, OPTION_COLUMNS },
	{ "weight", required_argument, NULL, OPTION_WEIGHT },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "table", required_argument, NULL, OPTION_TABLE },
	{ "from", required_argument, NULL, OPTION_FROM },
	{ "to", required_argument, NULL, OPTION_TO },
	{ "exact", no_argument, NULL, OPTION_EXACT },
	{ "diff", required_argument, NULL, OPTION_DIFF },
	{ "fail-if", required_argument, NULL, OPTION_FAIL_IF },
	{ "slow", required_argument, NULL, OPTION_SLOW },
	{ "no-inline", no_argument, NULL, OPTION_NO_INLINE },
	{ "totals", no_argument, NULL, OPTION_TOTALS },
	{ "interval", required_argument, NULL, 'i' },
	{ "duration", required_argument, NULL, 'd' },
	{ "note", required_argument, NULL, OPTION_NOTE },
	{ "ready-fd", required_argument, NULL, OPTION_READY_FD },
	{ "no-preload", no_argument, NULL, OPTION_NO_PRELOAD },
	{ "runtime", required_argument, NULL, OPTION_RUNTIME },
	{ "functions", required_argument, NULL, OPTION_FUNCTIONS },
	{ "probe", required_argument, NULL, OPTION_PROBE },
	{ "check", no_argument, NULL, OPTION_CHECK },
	{ "selftest", no_argument, NULL, OPTION_SELFTEST },
	{ "selftest-report", required_argument, NULL, OPTION_SELFTEST_REPORT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 }
};

static void help_forms(FILE *out)
{
	fputs("\nOther programs, by the end of the name, or with --format:\n", out);
	form_help(out);
}

void options_help(FILE *out)
{
	fputs(
"Usage: coroprof-read [OPTION]... [--] COMMAND [ARGUMENT]...\n"
"       coroprof-read [OPTION]... -p PID...\n"
"       coroprof-read [-o OUTPUT]... FILE.cprof...\n"
"       coroprof-read [-o OUTPUT]... --diff OLD.cprof [--fail-if COND]... NEW.cprof\n"
"       coroprof-read [-o OUTPUT]... --diff OLD.cprof... -- NEW.cprof...\n"
"       coroprof-read --check\n"
"       coroprof-read --selftest [--selftest-report FILE]\n"
"\n"
"Records what the coroutines of a program cost: time and hardware counters, for\n"
"each coroutine. Or turns a recording into something to look at; several ones\n"
"are added up.\n"
"\n"
"Output:\n"
"  -o, --output FILE     where to, in the form that the name asks for: .html (a\n"
"                        page), .cprof (the recording), .txt or - (tables),\n"
"                        .csv (one table), .json (all tables), .folded\n"
"                        (samples, for flame graphs); may be given several\n"
"                        times. Default: coroprof.cprof and a table on\n"
"                        standard error; for FILE.cprof: a table on standard\n"
"                        output\n"
"      --format FORM     of standard output, and of names that tell none: text,\n"
"                        csv, json, folded, html, or one of those at the end\n"
"      --folded FILE     samples as label;outer;inner COUNT, whatever the name;\n"
"                        - for standard output\n"
"      --fsync           have each output on the disk before it takes its name\n"
"      --weight NAME     of folded stacks: samples (default), running, blocked,\n"
"                        awaiting, ..., or a counter; with spans below labels\n"
"      --from T, --to T  of FILE.cprof only this part of its time: seconds from its\n"
"                        begin, or 20ms, 3m, ... What slices that are cut there\n"
"                        counted is shared by time, and marked ~\n"
"      --exact           n/a in place of such shares; of tables\n"
"      --diff OLD.cprof  what has changed since: each label, span and function of\n"
"                        FILE.cprof against those of OLD.cprof; as text, csv, json\n"
"                        or a page. Says what is more than noise: of one run each, of\n"
"                        instructions; of several runs of both, before and behind\n"
"                        '--', of times as well\n"
"      --fail-if COND    with --diff: exit with 1 if it holds for a label, span or\n"
"                        function, beyond noise: 'instructions/slice > +5%', of\n"
"                        several runs 'p99(ready) > +10%'; may be given several times\n"
"      --slow LABEL      what the slices of LABEL that took longest have more, or less,\n"
"                        of than the others: LABEL:of=lives,by=ready,above=p99 is of\n"
"                        coroutines, by time ready; default of=slices,by=wall,above=p95\n"
"  -q, --quiet           say nothing but warnings and errors\n"
"\n"
"Tables:\n"
"      --table NAME      this one: labels (default with csv), coroutines, threads,\n"
"                        wakes, ...\n"
"      --sort COLUMN     by this column, the largest first; names as in a dictionary\n"
"      --where COL=WHAT  only rows that have this in that column, with * and ? as in\n"
"                        a shell: tag=0, 'label=handle_*', 'span=*@/srv/app/*'; may\n"
"                        be given several times\n"
"      --top N           the first N rows of each\n"
"      --metric FORMULA  a column of your own, in all tables that have what it is made\n"
"                        of: 'misses/kI = 1000*cache-misses/instructions'\n"
"      --columns LIST    these, separated by commas; in text besides names, and\n"
"                        tables that have none of them are left out\n"
"      --help columns    all tables and columns, and what they are\n"
"\n"
"Recording:\n"
"  -e, --event LIST      what to count, up to 8, separated by commas; default\n"
"                        " EVENTS_DEFAULT ". Names are those of perf:\n"
"                        generic events, rNNN, PMU/EVENT/; with :k kernel mode\n"
"                        is counted as well, with :P it is never multiplexed.\n"
"                        program: what the program counts itself, coroprof_count(3);\n"
"                        program/NAME/ says what that is. rusage: " EVENTS_RUSAGE "\n"
"                        hw: the default; tsc: nothing but the time\n"
"  -p, --pid PID...      record running processes, from their first coroutine on,\n"
"                        and their children; a list, or several times\n"
"      --no-inherit      with -p: not their children\n"
"      --totals          no slices, only what each coroutine adds up to: tables\n"
"                        (text, csv, json), without rings and without a timeline\n"
"  -i, --interval SEC    with --totals: show what there is so often\n"
"  -d, --duration SEC    stop after so many seconds\n"
"  -r, --ring-size SIZE  ring of each thread, a power of two such as 256K or 4M;\n"
"                        default 1M. Larger ones lose fewer slices\n"
"  -w, --watermark SIZE  read a ring when it holds so much; default a quarter\n"
"      --switch MODE     auto: threads that can count in user mode do, which is\n"
"                        cheaper (default); ioctl: all by system calls\n"
"      --note TEXT       a remark, shown in the header of each output\n"
"      --no-preload      do not put libcoroprof-preload.so into the command:\n"
"                        only record what it tells coroprof itself\n"
"      --runtime LIST    of the preload library only what knows these runtimes:\n"
"                        " RUNTIMES(RUNTIME_HELP) "or " RUNTIMES_NONE "\n"
"      --functions LIST  functions of Python as spans: of these modules and those below\n"
"                        them, or " FUNCTIONS_ALL "; -NAME leaves one out\n"
"      --probe LIST      functions at which a program that knows nothing of coroprof\n"
"                        switches: ROLE=FUNCTION:REGISTER,... (man coroprof-read);\n"
"                        go: those of Go, which are found anyway; tokio, qemu:\n"
"                        those of tokio, of QEMU; none: none.\n"
"                        Needs CAP_PERFMON\n"
"      --ready-fd N      write a byte to descriptor N, and close it, once the\n"
"                        recording runs\n"
"\n"
"Samples, of functions and their callers (frame pointers):\n"
"  -F, --frequency HZ    so many a second of each thread's time on a CPU\n"
"  -c, --period COUNT    or one each so many counts\n"
"      --sample-event E  of what; default " SAMPLE_EVENT_DEFAULT ", or cpu-clock without a PMU\n"
"      --stack-max N     callers of each, up to 48; default 48\n"
"      --no-stacks       only where it was\n"
"      --no-inline       by symbols alone: no source lines, nor functions that the\n"
"                        compiler has put into others; debug information is not read\n"
"\n"
"Other:\n"
"      --check           say what is missing for recording on this machine\n"
"      --selftest        say whether what is counted here is right: programs that\n"
"                        are known to the instruction are recorded\n"
"      --selftest-report FILE  and write all that was measured, for a bug report\n"
"  -h, --help [columns]  this text, or that of tables and columns\n"
"  -V, --version         the version\n"
"\n"
"Ctrl-C ends a recording and writes it. The exit status is that of the command,\n"
"128+N if signal N ended it, or 125 if coroprof-read itself failed; 3 if a\n"
"recording was read, but not all of it could be, or it was not ended in order;\n"
"1 if a condition of --fail-if is met.\n"
"\n"
"  coroprof-read -o profile.html -- ./server --port 8080\n"
"  coroprof-read -o profile.html -d 10 -p $(pidof haproxy)\n"
"  coroprof-read -o profile.html coroprof.cprof\n"
"  coroprof-read --diff old.cprof --fail-if 'instructions/slice > +5%' new.cprof\n"
"  ssh server cat coroprof.cprof | coroprof-read -o profile.html -\n", out);
	help_forms(out);
}

static int put_output(struct options *o, const char *path, enum format format,
		      struct error *err)
{
	if (o->nr_outputs == OUTPUTS_MAX)
		return error_set(err, E2BIG, "more than %d outputs", OUTPUTS_MAX);
	o->outputs[o->nr_outputs++] = (struct output){ .path = path, .format = format };
	return 0;
}

static int add_output(struct options *o, const char *path, struct error *err)
{
	const struct form *form = form_of_path(path);
	enum format format;

	if (form)
		return put_output(o, path, form->format, err);
	if (ends_with(path, ".cprof"))
		format = FORMAT_CPROF;
	else if (ends_with(path, ".html") || ends_with(path, ".htm"))
		format = FORMAT_HTML;
	else if (ends_with(path, ".txt"))
		format = FORMAT_TEXT;
	else if (ends_with(path, ".csv"))
		format = FORMAT_CSV;
	else if (ends_with(path, ".json"))
		format = FORMAT_JSON;
	else if (ends_with(path, ".folded"))
		format = FORMAT_FOLDED;
	else
		format = FORMAT_UNTOLD;
	return put_output(o, path, format, err);
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

static int add_pids(struct options *o, const char *list, struct error *err)
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

static int parse_size(uint32_t *size, const char *option, const char *text,
		      struct error *err)
{
	static const char units[] = "KMG";
	unsigned long value;
	const char *unit;
	char *end;

	if (!parse_number(text, &end, 1, 1u << 30, &value))
		goto bad;
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (unit) {
		value <<= 10 * (unit - units + 1);
		end++;
	}
	if (*end || value > 1u << 30)
		goto bad;
	*size = (uint32_t)value;
	return 0;
bad:
	return error_set(err, EINVAL, "--%s %s: a size is a number of bytes, or one with K, M or G behind it, up to 1G",
			 option, text);
}

static int set_ring_size(struct options *o, const char *text, struct error *err)
{
	int ret = parse_size(&o->record.ring_size, "ring-size", text, err);

	if (ret)
		return ret;
	if (o->record.ring_size & (o->record.ring_size - 1))
		return error_set(err, EINVAL, "--ring-size %s: it must be a power of two, such as 256K or 4M",
				 text);
	return 0;
}

static int set_seconds(uint64_t *ns, const char *option, double least, const char *text,
		       struct error *err)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !isfinite(seconds) || seconds < least || seconds > 1e9)
		return error_set(err, EINVAL, "--%s %s: a number of seconds, at least %g", option,
				 text, least);
	*ns = (uint64_t)(seconds * 1e9);
	return 0;
}

/* Between a number and its unit, as figures are shown: the page has a narrow one that is not broken. */
static const char *after_blanks(const char *text)
{
	static const char *const blanks[] = { " ", "\u00a0", "\u202f" };

	for (size_t i = 0; i < ARRAY_SIZE(blanks); i++)
		if (!strncmp(text, blanks[i], strlen(blanks[i])))
			return text + strlen(blanks[i]);
	return text;
}

/* A point in time of a recording, from its begin. */
static int set_time(uint64_t *time_ns, const char *option, const char *text,
		    struct error *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 },
		{ "ns", 1 }, { "m", 60e9 }, { "h", 3600e9 },
	};
	char *end;
	double value = strtod(text, &end);
	const char *unit = after_blanks(end);

	for (size_t i = 0; end != text && i < ARRAY_SIZE(units); i++) {
		double ns = value * units[i].ns;

		if (strcmp(unit, units[i].name) || !(ns >= 0 && ns < 1e18))
			continue;
		*time_ns = (uint64_t)(ns + 0.5);
		return 0;
	}
	return error_set(err, EINVAL, "--%s %s: seconds from the begin of the recording, or a number with ns, us, ms, s, m or h behind it, such as 20s",
			 option, text);
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
	char *end;

	if (!parse_number(text, &end, 1, COROPROF_SAMPLE_FREQUENCY_MAX,
			  &frequency) || *end)
		return error_set(err, EINVAL, "--frequency %s: samples a second, 1 to %u",
				 text, COROPROF_SAMPLE_FREQUENCY_MAX);
	o->record.sampling.frequency = (uint32_t)frequency;
	return 0;
}

static int set_period(struct options *o, const char *text, struct error *err)
{
	unsigned long period;
	char *end;

	if (!parse_number(text, &end, 1, LONG_MAX, &period) || *end)
		return error_set(err, EINVAL, "--period %s: how many counts a sample is taken after, at least 1",
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

static int set_sample_default(struct sampling *s, struct error *err)
{
	unsigned int nr = 0;

	return events_parse(&s->event, &nr, SAMPLE_EVENT_DEFAULT, err);
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
	if (o->look.nr_metrics == METRICS_MAX)
		return error_set(err, EINVAL, "--metric %s: at most %d can be given", text, METRICS_MAX);
	if (metric_parse(&o->metrics[o->look.nr_metrics], text, err))
		return -1;
	o->look.metrics = o->metrics;
	o->look.nr_metrics++;
	return 0;
}

static int add_where(struct options *o, const char *text, struct error *err)
{
	if (!where_name(text))
		return error_set(err, EINVAL, "--where %s: COLUMN=PATTERN, such as tag=0 or 'label=handle_*'",
				 text);
	if (o->look.nr_wheres == WHERES_MAX)
		return error_set(err, E2BIG, "more than %d --where", WHERES_MAX);
	o->look.wheres[o->look.nr_wheres++] = text;
	return 0;
}

static int set_top(struct options *o, const char *text, struct error *err)
{
	unsigned long top;
	char *end;

	if (!parse_number(text, &end, 1, UINT32_MAX, &top) || *end)
		return error_set(err, EINVAL, "--top %s: how many rows of each table, 1 or more",
				 text);
	o->look.top = (uint32_t)top;
	return 0;
}

static int set_format(struct options *o, const char *text, struct error *err)
{
	static const char *const names[] = {
		[FORMAT_TEXT] = "text", [FORMAT_CSV] = "csv", [FORMAT_JSON] = "json",
		[FORMAT_FOLDED] = "folded", [FORMAT_HTML] = "html",
	};
	const struct form *form = form_of_name(text);
	char forms[FORM_LIST];

	if (form) {
		o->format = form->format;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i] && !strcmp(text, names[i])) {
			o->format = (enum format)i;
			return 0;
		}
	form_names(forms);
	return error_set(err, EINVAL, "--format %s: there is no such form. There are text, csv, json, folded, html, and for other programs %s",
			 text, forms);
}

static int set_table(struct options *o, const char *text, struct error *err)
{
	char names[512] = "";
	size_t used = 0;

	o->look.table = text;
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

static int set_slow(struct options *o, const char *text, struct error *err)
{
	if (o->source.slow.text)
		return error_set(err, EINVAL, "--slow %s, --slow %s: one label is looked at at a time",
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
			return error_set(err, EINVAL, "--runtime %s: '%.*s' is none of those known: "
					 RUNTIMES(RUNTIME_HELP) "or " RUNTIMES_NONE,
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

static int set_option(struct options *o, int option, struct error *err)
{
	switch (option) {
	case 'o':
		return add_output(o, optarg, err);
	case 'e':
		o->record.events_given = true;
		return events_parse(o->record.events, &o->record.nr_events, optarg, err);
	case 'p':
		return add_pids(o, optarg, err);
	case 'r':
		return set_ring_size(o, optarg, err);
	case 'w':
		return parse_size(&o->record.watermark, "watermark", optarg, err);
	case 'd':
		return set_seconds(&o->record.duration_ns, "duration", 0.001, optarg, err);
	case 'i':
		return set_seconds(&o->record.interval_ns, "interval", 0.1, optarg, err);
	case OPTION_TOTALS:
		o->record.totals = true;
		return 0;
	case 'F':
		return set_frequency(o, optarg, err);
	case 'c':
		return set_period(o, optarg, err);
	case OPTION_SAMPLE_EVENT:
		return set_sample_event(o, optarg, err);
	case OPTION_STACK_MAX:
		return set_stack_max(o, optarg, err);
	case OPTION_NO_STACKS:
		o->record.sampling.stack_max = 0;
		return 0;
	case OPTION_SWITCH:
		return set_switch(o, optarg, err);
	case OPTION_FSYNC:
		o->sync = true;
		return 0;
	case OPTION_FOLDED:
		return put_output(o, optarg, FORMAT_FOLDED, err);
	case OPTION_SORT:
		o->look.sort = optarg;
		return 0;
	case OPTION_WHERE:
		return add_where(o, optarg, err);
	case OPTION_METRIC:
		return add_metric(o, optarg, err);
	case OPTION_TOP:
		return set_top(o, optarg, err);
	case OPTION_COLUMNS:
		o->look.columns = optarg;
		return 0;
	case OPTION_WEIGHT:
		o->look.weight = optarg;
		return 0;
	case OPTION_FORMAT:
		return set_format(o, optarg, err);
	case OPTION_TABLE:
		return set_table(o, optarg, err);
	case OPTION_FROM:
		return set_time(&o->source.from_ns, "from", optarg, err);
	case OPTION_TO:
		o->has_to = true;
		return set_time(&o->source.to_ns, "to", optarg, err);
	case OPTION_EXACT:
		o->source.exact = true;
		return 0;
	case OPTION_DIFF:
		return set_old(o, optarg, err);
	case OPTION_FAIL_IF:
		return add_gate(o, optarg, err);
	case OPTION_NO_INLINE:
		o->source.no_inline = true;
		return 0;
	case OPTION_SLOW:
		return set_slow(o, optarg, err);
	case OPTION_READY_FD:
		return set_ready_fd(o, optarg, err);
	case OPTION_NOTE:
		return set_note(o, optarg, err);
	case OPTION_NO_PRELOAD:
		o->record.no_preload = true;
		return 0;
	case OPTION_RUNTIME:
		return set_runtimes(o, optarg, err);
	case OPTION_FUNCTIONS:
		return set_functions(o, optarg, err);
	case OPTION_PROBE:
		o->record.probes = optarg;
		return probes_check(optarg, err);
	case OPTION_NO_INHERIT:
		o->record.no_inherit = true;
		return 0;
	case OPTION_CHECK:
		o->mode = MODE_CHECK;
		return 0;
	case OPTION_SELFTEST_REPORT:
		o->selftest_report = optarg;
		/* fall through */
	case OPTION_SELFTEST:
		o->mode = MODE_SELFTEST;
		return 0;
	case 'q':
		o->record.quiet = true;
		return 0;
	case 'h':
		o->mode = MODE_HELP;
		return 0;
	case 'V':
		o->mode = MODE_VERSION;
		return 0;
	default:
		/* getopt_long() has said what is wrong. */
		return error_set(err, EINVAL, "Try 'coroprof-read --help'.");
	}
}

/* By its name as well, so that one that is not there is told as a recording. */
static bool names_recording(const char *word)
{
	return !strcmp(word, INPUT_STDIN) || ends_with(word, ".cprof") ||
	       file_is_recording(word);
}

/* As in -p $(pidof nginx), where only the first is the option's. */
static bool is_pids(const char *word)
{
	return !word[strspn(word, "0123456789,")];
}

static int add_source(struct options *o, const char *path, struct error *err)
{
	if (o->source.nr == SOURCES_MAX)
		return error_set(err, E2BIG, "more than %d recordings",
				 SOURCES_MAX);
	for (unsigned int i = 0; i < o->source.nr; i++)
		if (!strcmp(o->source.paths[i], path))
			return error_set(err, EINVAL, "%s is given twice: all that is in it would count twice",
					 path);
	o->source.paths[o->source.nr++] = path;
	return 0;
}

/* What stands before "--" was recorded before, too. */
static int take_old(struct options *o, struct error *err)
{
	struct source *s = &o->source;

	for (unsigned int i = 0; i < s->nr; i++) {
		if (s->nr_old == SOURCES_MAX)
			return error_set(err, E2BIG, "more than %d recordings", SOURCES_MAX);
		if (!strcmp(s->paths[i], s->old[0]))
			return error_set(err, EINVAL, "%s is given twice: it is one run", s->old[0]);
		s->old[s->nr_old++] = s->paths[i];
	}
	s->nr = 0;
	return 0;
}

/* All that is left: behind "--" there are no options. */
static int take_new(struct options *o, int argc, char **argv, struct error *err)
{
	int ret = take_old(o, err);

	for (; !ret && optind < argc; optind++)
		ret = names_recording(argv[optind]) ? add_source(o, argv[optind], err) :
		      error_set(err, EINVAL, "--diff: '%s' is no recording: give options in front of --diff",
				argv[optind]);
	return ret;
}

/*
 * What is left is more process ids, a command, or recordings to convert; behind
 * ids and recordings more options may follow. Only "--" makes a number behind -p,
 * or the name of a recording, a command.
 */
static int take_rest(struct options *o, int argc, char **argv, bool *more,
		     struct error *err)
{
	bool forced = optind > 1 && !strcmp(argv[optind - 1], "--");

	*more = false;
	if (optind == argc)
		return 0;
	if (!forced && o->record.nr_pids && is_pids(argv[optind])) {
		*more = true;
		return add_pids(o, argv[optind++], err);
	}
	if (forced && o->source.nr_old && names_recording(argv[optind]))
		return take_new(o, argc, argv, err);
	if (!forced && names_recording(argv[optind])) {
		*more = true;
		return add_source(o, argv[optind++], err);
	}
	if (o->source.nr)
		return error_set(err, EINVAL, "%s is a recording, and %s is none: show the one, or record the other",
				 o->source.paths[0], argv[optind]);
	o->record.command = argv + optind;
	return 0;
}

/* What follows --help, if that is no option: of what. */
static int set_help(struct options *o, int argc, char **argv, struct error *err)
{
	if (optind >= argc || *argv[optind] == '-')
		return 0;
	if (strcmp(argv[optind], "columns"))
		return error_set(err, EINVAL, "--help %s: there is help on columns, coroprof-read --help columns, and on all options, coroprof-read --help",
				 argv[optind]);
	o->mode = MODE_HELP_COLUMNS;
	return 0;
}

static bool asks_help(const struct options *o)
{
	return o->mode == MODE_HELP || o->mode == MODE_HELP_COLUMNS || o->mode == MODE_VERSION;
}

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
		return error_set(err, EINVAL, "--diff %s: what is to be compared with it? coroprof-read --diff %s NEW.cprof, or, for several runs of both, --diff %s OLD2.cprof -- NEW.cprof NEW2.cprof",
				 old, old, old);
	for (unsigned int i = 0; i < o->nr_outputs; i++)
		if (!has_tables(o->outputs[i].format) && o->outputs[i].format != FORMAT_HTML)
			return error_set(err, EINVAL, "output '%s' is of one recording, and --diff is of two: write tables, .txt, .csv or .json, or a page, .html",
					 o->outputs[i].path);
	return 0;
}

/* It is read several times, and compared with itself. */
static int check_slow(const struct options *o, struct error *err)
{
	const char *text = o->source.slow.text;

	if (!text)
		return 0;
	if (o->source.nr != 1 || o->record.command)
		return error_set(err, EINVAL, "--slow %s is of one recording: coroprof-read --slow %s FILE.cprof",
				 text, text);
	if (!strcmp(o->source.paths[0], INPUT_STDIN))
		return error_set(err, EINVAL, "--slow %s: the recording is read several times, which a pipe can't be: give a file",
				 text);
	if (o->source.nr_old)
		return error_set(err, EINVAL, "--slow and --diff do not go together: compare one after the other");
	for (unsigned int i = 0; i < o->nr_outputs; i++)
		if (!has_tables(o->outputs[i].format) && o->outputs[i].format != FORMAT_HTML)
			return error_set(err, EINVAL, "output '%s' says nothing of --slow: write tables, .txt, .csv or .json, or a page, .html",
					 o->outputs[i].path);
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
				 o->source.nr_old ? "--diff" : "--slow");
	for (unsigned int i = 0; i < o->nr_outputs; i++)
		if (!has_tables(o->outputs[i].format) &&
		    o->outputs[i].format != FORMAT_OPENMETRICS &&
		    o->outputs[i].format != FORMAT_SQLITE &&
		    o->outputs[i].format != FORMAT_SQLITE_SLICES)
			return error_set(err, EINVAL, "output '%s' is made of shares of slices that are cut, which --exact refuses: write tables, .txt, .csv, .json, .db or .prom, or leave --exact out",
					 o->outputs[i].path);
	return 0;
}

static int check_convert(const struct options *o, struct error *err)
{
	if (o->record.nr_pids || o->record.events_given || o->record.duration_ns || o->record.totals || o->record.interval_ns || o->record.ring_size ||
	    o->record.watermark || o->record.ready_fd >= 0 || o->record.no_preload || o->record.runtimes || o->record.functions || o->record.note ||
	    o->record.no_inherit ||
	    o->record.switch_ioctl || wants_samples(&o->record.sampling) ||
	    o->record.sampling.stack_max != STACK_MAX_UNSET)
		return error_set(err, EINVAL, "%s is a recording already; options for recording do not go with it",
				 o->source.paths[0]);
	if (o->has_to && o->source.to_ns <= o->source.from_ns)
		return error_set(err, EINVAL, "--to is not after --from: nothing ends between them");
	for (unsigned int i = 0; i < o->nr_outputs; i++) {
		if (o->outputs[i].format == FORMAT_CPROF)
			return error_set(err, EINVAL, "%s is a recording already; to have it as %s, copy it",
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

static void name_size(char to[SIZE_ROOM], uint32_t size)
{
	if (size % (1u << 20) == 0)
		snprintf(to, SIZE_ROOM, "%u MiB", size >> 20);
	else if (size % (1u << 10) == 0)
		snprintf(to, SIZE_ROOM, "%u KiB", size >> 10);
	else
		snprintf(to, SIZE_ROOM, "%u bytes", size);
}

/* One that is larger would never be reached. */
static int check_watermark(const struct options *o, struct error *err)
{
	uint32_t ring_size = o->record.ring_size ? o->record.ring_size : RING_SIZE_DEFAULT;
	char watermark[SIZE_ROOM], ring[SIZE_ROOM];

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
	if (table || !(o->look.sort || o->look.nr_wheres || o->look.columns || o->look.top || o->look.table))
		return 0;
	return error_set(err, EINVAL, "--table, --sort, --where, --columns and --top are of tables, and none is written: add -o -, or -o FILE.txt");
}

static int form_untold(const char *path, struct error *err)
{
	char forms[FORM_LIST];

	form_ends(forms);
	return error_set(err, EINVAL, "output '%s': the form is told by the end of the name: .html, .cprof, .txt, .csv, .json, .folded, or - for tables on standard output; for other programs %s; or by --format",
			 path, forms);
}

/* What --format is of: standard output, and names that do not tell. */
static int finish_format(struct options *o, struct error *err)
{
	bool used = false;

	if (!o->nr_outputs && o->format != FORMAT_UNTOLD)
		o->outputs[o->nr_outputs++] = (struct output){ .path = "-", .format = FORMAT_UNTOLD };
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
	return error_set(err, EINVAL, "--format is of no output: the names of all tell their forms; add -o -");
}

static int check_weight(const struct options *o, struct error *err)
{
	if (!o->look.weight || wants_folded(o))
		return 0;
	return error_set(err, EINVAL, "--weight is of folded stacks, and none are written: add -o FILE.folded; exports have all weights");
}

static int finish_sampling(struct options *o, struct error *err)
{
	struct sampling *s = &o->record.sampling;
	bool stacks = s->stack_max != STACK_MAX_UNSET;

	if (!stacks)
		s->stack_max = COROPROF_STACK_MAX;
	if (!wants_samples(s))
		return !stacks && (o->look.weight || !wants_folded(o)) ? 0 :
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
			return error_set(err, EINVAL, "output '%s' is of slices, and --totals records none: write tables, .txt, .csv or .json, or record without --totals",
					 o->outputs[i].path);
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
	if (o->has_to || o->source.from_ns || o->source.exact)
		return error_set(err, EINVAL, "--from, --to and --exact are of a FILE.cprof; to record for a time, use --duration");
	if (!o->record.command && !o->record.nr_pids)
		return error_set(err, EINVAL, "nothing to record: give a command, -p PID, or a FILE.cprof to show\nTry 'coroprof-read --help'.");
	return check_watermark(o, err);
}

static int finish(struct options *o, struct error *err)
{
	int ret;

	if (o->mode != MODE_RECORD)
		return 0;
	ret = finish_format(o, err);
	if (!ret)
		ret = check_look(o, err);
	if (!ret)
		ret = check_weight(o, err);
	if (!ret)
		ret = check_diff(o, err);
	if (!ret)
		ret = check_slow(o, err);
	if (ret)
		return ret;
	if (o->source.nr && !o->record.command) {
		o->mode = MODE_CONVERT;
		ret = check_exact(o, err);
		return ret ? ret : check_convert(o, err);
	}
	if (!o->record.events_given) {
		ret = events_parse(o->record.events, &o->record.nr_events, EVENTS_DEFAULT,
				       err);

		if (ret)
			return ret;
	}
	ret = finish_sampling(o, err);
	return ret ? ret : check_record(o, err);
}

int options_parse(struct options *options, int argc, char **argv,
		  struct error *err)
{
	bool more;
	int option, ret;

	*options = (struct options){
		.mode = MODE_RECORD,
		.format = FORMAT_UNTOLD,
		.record.ready_fd = -1,
	};
	options->record.sampling.stack_max = STACK_MAX_UNSET;
	optind = 0;
	do {
		while ((option = getopt_long(argc, argv, "+o:e:p:r:w:d:i:F:c:qhV",
					     long_options, NULL)) != -1) {
			ret = set_option(options, option, err);
			if (!ret && options->mode == MODE_HELP)
				ret = set_help(options, argc, argv, err);
			if (ret || asks_help(options))
				return ret;
		}
		ret = take_rest(options, argc, argv, &more, err);
	} while (!ret && more);
	return ret ? ret : finish(options, err);
}
