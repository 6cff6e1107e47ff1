// SPDX-License-Identifier: GPL-2.0
#include "support.h"

#include <errno.h>
#include <stdlib.h>

#include "options/options.h"

static struct options o;
static struct error err;

/* Words separated by spaces. */
static int parse_as(const char *program, const char *line)
{
	static char text[65536];
	static char *argv[1024];
	char *rest = text;
	int argc = 0;

	snprintf(text, sizeof(text), "%s %s", program, line);
	while ((argv[argc] = strsep(&rest, " ")))
		argc += *argv[argc] != '\0';
	return options_parse(&o, argc, argv, &err);
}

static int parse(const char *line)
{
	return parse_as("coroprof-read", line);
}

static void accept(const char *line)
{
	if (parse(line))
		fail_msg("'%s': %s", line, err.message);
}

static void refuse(const char *line, int code, const char *words)
{
	assert_int_equal(parse(line), -code);
	assert_says(err.message, words);
}

static void test_command(void **state)
{
	(void)state;
	accept("-- prog -o x");
	assert_int_equal(o.mode, MODE_RECORD);
	assert_string_equal(o.record.command[0], "prog");
	assert_string_equal(o.record.command[1], "-o");
	assert_string_equal(o.record.command[2], "x");
	assert_null(o.record.command[3]);
	assert_int_equal(o.nr_outputs, 0);
	assert_int_equal(o.record.nr_events, 3);
	assert_int_equal(o.record.ready_fd, -1);

	/* Options end where the command begins, with or without "--". */
	accept("-q prog -q -e");
	assert_true(o.record.quiet);
	assert_string_equal(o.record.command[1], "-q");
	accept("-- prog.cprof");
	assert_int_equal(o.mode, MODE_RECORD);
	assert_string_equal(o.record.command[0], "prog.cprof");
}

static void test_convert(void **state)
{
	(void)state;
	accept("x.cprof");
	assert_int_equal(o.mode, MODE_CONVERT);
	assert_string_equal(o.source.paths[0], "x.cprof");
	assert_int_equal(o.source.nr, 1);
	accept("-o a.html x.cprof -o -");
	assert_int_equal(o.nr_outputs, 2);
	assert_int_equal(o.outputs[0].format, FORMAT_HTML);
	assert_int_equal(o.outputs[1].format, FORMAT_TEXT);
	accept("x.cprof -o a.html y.cprof z.cprof");
	assert_int_equal(o.source.nr, 3);
	assert_string_equal(o.source.paths[2], "z.cprof");
	refuse("x.cprof y.cprof x.cprof", EINVAL, "x.cprof is given twice");
	refuse("x.cprof prog", EINVAL, "prog is none");
	refuse("x.cprof -o y.cprof", EINVAL, "already");
	refuse("x.cprof -p 1", EINVAL, "already");
	refuse("-e cycles x.cprof", EINVAL, "already");
}

static void test_part(void **state)
{
	(void)state;
	accept("--from 20 --to 0.5m x.cprof");
	assert_true(o.source.from_ns == 20000000000);
	assert_true(o.source.to_ns == 30000000000);
	accept("x.cprof --from 1.5ms");
	assert_int_equal(o.source.from_ns, 1500000);
	assert_int_equal(o.source.to_ns, 0);
	/* As figures are shown, in the page with a space that is not broken. */
	accept("x.cprof --from 366.564544\u202fms --to 1.000000001\u00a0s");
	assert_true(o.source.from_ns == 366564544);
	assert_true(o.source.to_ns == 1000000001);
	refuse("--from 1s1m x.cprof", EINVAL, "in this order");
	refuse("--from 1s1s x.cprof", EINVAL, "in this order");
	refuse("--from 20q x.cprof", EINVAL, "--from 20q: seconds from the begin");
	refuse("--from -1 x.cprof", EINVAL, "--from -1");
	refuse("--to nan x.cprof", EINVAL, "--to nan");
	refuse("--from 3 --to 3 x.cprof", EINVAL, "--to is not after --from");
	refuse("--to 0 x.cprof", EINVAL, "--to is not after --from");
	refuse("--from 3 prog", EINVAL, "use --duration");
}

static void test_choose(void **state)
{
	(void)state;
	accept("--thread 12 --process 7 --label handle x.cprof");
	assert_int_equal(o.source.choose.tid, 12);
	assert_int_equal(o.source.choose.pid, 7);
	assert_string_equal(o.source.choose.label, "handle");
	accept("x.cprof");
	assert_false(choose_asks(&o.source.choose));
	refuse("--thread 0 x.cprof", EINVAL, "--thread 0: the number of one that was recorded");
	refuse("--thread 12x x.cprof", EINVAL, "--thread 12x");
	refuse("--process 99999999999 x.cprof", EINVAL, "--process 99999999999");
	refuse("--thread 1 prog", EINVAL, "to record one process, use -p");
	refuse("--label a --diff y.cprof x.cprof", EINVAL, "do not go with --diff");
	refuse("--label a --slow all x.cprof", EINVAL, "do not go with --slow");
}

static void test_exact(void **state)
{
	(void)state;
	accept("--from 3 --exact x.cprof");
	assert_true(o.source.exact);
	accept("--to 3 --exact -o a.csv -o b.json -o c.txt -o d.db -o e.prom x.cprof");
	assert_true(o.source.exact);
	accept("--from 3 x.cprof");
	assert_false(o.source.exact);
	refuse("--exact x.cprof", EINVAL, "--exact is of slices that are cut at --from and --to");
	refuse("--exact prog", EINVAL, "--exact are of a FILE.cprof");
	refuse("--exact --from 3 -o a.html x.cprof", EINVAL, "which --exact refuses");
	refuse("--exact --from 3 -o a.pb.gz x.cprof", EINVAL, "which --exact refuses");
	refuse("--exact --from 3 --diff y.cprof x.cprof", EINVAL, "does not go with --diff");
	refuse("--exact --from 3 --slow all x.cprof", EINVAL, "does not go with --slow");
}

static void test_outputs(void **state)
{
	(void)state;
	accept("-o a.html -o b.cprof -o c.txt -o - prog");
	assert_int_equal(o.nr_outputs, 4);
	assert_int_equal(o.outputs[1].format, FORMAT_CPROF);
	assert_string_equal(o.outputs[1].path, "b.cprof");
	refuse("-o profile.pdf prog", EINVAL, "profile.pdf");
	refuse("-o html prog", EINVAL, "'html'");
	refuse("-o a.cprof -o b.cprof prog", EINVAL, "more than one");
	refuse("-o - -o - -o - -o - -o - -o - -o - -o - -o - prog", E2BIG, "8");
}

static void test_tables(void **state)
{
	(void)state;
	accept("x.cprof --sort cycles --top 5 --columns label,ipc");
	assert_string_equal(o.view.sort, "cycles");
	assert_string_equal(o.view.columns, "label,ipc");
	assert_int_equal(o.view.top, 5);
	accept("-o a.html -o - --top 1 x.cprof");
	accept("--top 1 prog");
	refuse("--top 0 prog", EINVAL, "1 or more");
	refuse("--top 5x prog", EINVAL, "1 or more");
	refuse("--top 1 -o a.html prog", EINVAL, "-o FILE.txt");
	refuse("--sort ipc -o a.html x.cprof", EINVAL, "none is written");
}

static void test_where(void **state)
{
	(void)state;
	accept("x.cprof --where tag=0 --where label=a=b");
	assert_int_equal(o.view.nr_wheres, 2);
	assert_string_equal(o.view.wheres[1], "label=a=b");
	refuse("--where tag x.cprof", EINVAL, "a column, one of");
	refuse("--where =0 x.cprof", EINVAL, "a column, one of");
	accept("x.cprof -W running>10ms -W share>=5% -W label!=idle -W label~^h.*2$ -W slices<5");
	accept("x.cprof -W slices>2K -W cycles>=512M -W cycles<1.5G -W running>1m30s");
	refuse("--where running>much x.cprof", EINVAL, "'much' is no figure");
	refuse("--where running>1s1m x.cprof", EINVAL, "'1s1m' is no figure");
	refuse("--where slices>2Q x.cprof", EINVAL, "'2Q' is no figure");
	refuse("--where label~h( x.cprof", EINVAL, "'h(' is no regular expression");
	refuse("--where tag=0 -o a.html x.cprof", EINVAL, "none is written");
	refuse("--where a=1 --where a=1 --where a=1 --where a=1 --where a=1 --where a=1 --where a=1 --where a=1 --where a=1 x.cprof",
	       E2BIG, "8");
}

static void test_formats(void **state)
{
	(void)state;
	accept("-o a.csv -o b.json x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_CSV);
	assert_int_equal(o.outputs[1].format, FORMAT_JSON);
	accept("--format csv --table threads x.cprof");
	assert_int_equal(o.nr_outputs, 1);
	assert_string_equal(o.outputs[0].path, "-");
	assert_int_equal(o.outputs[0].format, FORMAT_CSV);
	assert_string_equal(o.view.table, "threads");
	accept("-o a.html -o table.data --format json x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_HTML);
	assert_int_equal(o.outputs[1].format, FORMAT_JSON);
	accept("-o a.json --format json x.cprof");
	refuse("-o a.html --format json x.cprof", EINVAL, "--format is of no output");
	refuse("-o table.data x.cprof", EINVAL, "or by --format");
	refuse("--format pdf x.cprof", EINVAL, "text, csv, json");
	refuse("--table nix x.cprof", EINVAL, "There are: recording, counters, labels");
	refuse("--table labels -o a.html x.cprof", EINVAL, "none is written");
	accept("--help columns");
	assert_int_equal(o.mode, MODE_HELP_COLUMNS);
	accept("--help");
	assert_int_equal(o.mode, MODE_HELP);
	refuse("--help nosuch", EINVAL, "--help nosuch: there is help on columns");
	refuse("-h x.cprof", EINVAL, "coroprof-read --help columns");
}

static void test_pids(void **state)
{
	char line[4096] = "-p 1";
	char pid[16];

	(void)state;
	accept("-p 12,34 -p 56");
	assert_int_equal(o.record.nr_pids, 3);
	assert_int_equal(o.record.pids[2], 56);
	refuse("-p 0", EINVAL, "above 0");
	refuse("-p -5", EINVAL, "above 0");
	refuse("-p 1,,2", EINVAL, "above 0");
	refuse("-p 1,", EINVAL, "above 0");
	refuse("-p 99999999999", EINVAL, "above 0");
	refuse("-p haproxy", EINVAL, "haproxy");
	refuse("-p 1 prog", EINVAL, "one or the other");
	refuse("-p 1 -- 2", EINVAL, "one or the other");
	for (int i = 0; i < 256; i++) {
		snprintf(pid, sizeof(pid), ",%d", 2 + i);
		strcat(line, pid);
	}
	refuse(line, E2BIG, "256");
}

/* -p $(pidof nginx) gives as many words as there are processes. */
static void test_pids_in_words(void **state)
{
	(void)state;
	accept("-p 12 13 14 -o x.html 15,16");
	assert_int_equal(o.record.nr_pids, 5);
	assert_int_equal(o.record.pids[1], 13);
	assert_int_equal(o.record.pids[4], 16);
	assert_string_equal(o.outputs[0].path, "x.html");
	assert_null(o.record.command);
	accept("-p 12,12 -p 12 12");
	assert_int_equal(o.record.nr_pids, 1);
	refuse("-p 12 0", EINVAL, "above 0");
	refuse("-p 12 13 prog", EINVAL, "one or the other");
	/* Without -p a number is a command. */
	accept("12 13");
	assert_int_equal(o.record.nr_pids, 0);
	assert_string_equal(o.record.command[0], "12");
}

static void test_inherit(void **state)
{
	(void)state;
	accept("-p 12");
	assert_false(o.record.no_inherit);
	accept("-p 12 --no-inherit 13");
	assert_true(o.record.no_inherit);
	assert_int_equal(o.record.nr_pids, 2);
	refuse("--no-inherit prog", EINVAL, "goes with -p");
	refuse("--no-inherit x.cprof", EINVAL, "recording already");
}

static void test_sizes(void **state)
{
	(void)state;
	accept("-r 4M -w 64k prog");
	assert_int_equal(o.record.ring_size, 4 << 20);
	assert_int_equal(o.record.watermark, 64 << 10);
	accept("--ring-size 1G prog");
	assert_int_equal(o.record.ring_size, 1 << 30);
	accept("--ring-size 65536 prog");
	refuse("-r 3M prog", EINVAL, "power of two");
	refuse("-r 2G prog", EINVAL, "up to 1G");
	refuse("-r 99999999999999999999 prog", EINVAL, "up to 1G");
	refuse("-r 1T prog", EINVAL, "K, M or G");
	refuse("-r 1MB prog", EINVAL, "K, M or G");
	refuse("-r -1 prog", EINVAL, "K, M or G");
	refuse("-r 0 prog", EINVAL, "K, M or G");
	refuse("-r 64K -w 65K prog", EINVAL,
	       "the watermark, 65 KiB, is larger than the ring, 64 KiB");
	refuse("-w 2M prog", EINVAL, "the watermark, 2 MiB, is larger than the ring, 1 MiB");
	refuse("-w 1048577 prog", EINVAL, "1048577 bytes");
	accept("-w 1M prog");
	accept("-r 2M -w 2M prog");
}

static void test_duration(void **state)
{
	(void)state;
	accept("-d 1.5 prog");
	assert_int_equal(o.record.duration_ns, 1500000000);
	refuse("-d 0 prog", EINVAL, "seconds");
	refuse("-d -1 prog", EINVAL, "seconds");
	refuse("-d nan prog", EINVAL, "seconds");
	refuse("-d inf prog", EINVAL, "seconds");
	refuse("-d 10q prog", EINVAL, "--duration 10q: seconds");
	refuse("-d 1m30 prog", EINVAL, "--duration 1m30");
	accept("-d 1m30s prog");
	assert_int_equal(o.record.duration_ns, 90000000000);
	accept("-d 500ms prog");
	assert_int_equal(o.record.duration_ns, 500000000);
}

static void test_ready_fd(void **state)
{
	(void)state;
	accept("--ready-fd 2 prog");
	assert_int_equal(o.record.ready_fd, 2);
	refuse("--ready-fd 1000 prog", EBADF, "Bad file descriptor");
	refuse("--ready-fd x prog", EINVAL, "descriptor");
}

static void test_exports(void **state)
{
	(void)state;
	accept("-o x.pb.gz -o y.pprof x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_PPROF);
	assert_int_equal(o.outputs[1].format, FORMAT_PPROF);
	accept("-o x.pftrace x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_PERFETTO);
	accept("-o x.speedscope.json -o x.json x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_SPEEDSCOPE);
	assert_int_equal(o.outputs[1].format, FORMAT_JSON);
	accept("-o x.firefox.json -o x.json x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_FIREFOX);
	assert_int_equal(o.outputs[1].format, FORMAT_JSON);
	accept("-o x.json.gz -o x.csv.gz -o x.trace.json.gz -o x.pb.gz x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_JSON);
	assert_int_equal(o.outputs[1].format, FORMAT_CSV);
	assert_int_equal(o.outputs[2].format, FORMAT_CHROME);
	assert_int_equal(o.outputs[3].format, FORMAT_PPROF);
	refuse("-o y.cprof.gz x.cprof", EINVAL, "such as .json.gz");
	accept("-o x.trace.json x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_CHROME);
	accept("-o x.callgrind -o callgrind.out x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_CALLGRIND);
	assert_int_equal(o.outputs[1].format, FORMAT_CALLGRIND);
	accept("-o x.db -o x.slices.db x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_SQLITE);
	assert_int_equal(o.outputs[1].format, FORMAT_SQLITE_SLICES);
	accept("-o x.openmetrics x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_OPENMETRICS);
	accept("--format pprof x.cprof");
	assert_int_equal(o.outputs[0].format, FORMAT_PPROF);
	refuse("-o x.gz x.cprof", EINVAL, "other programs .pb.gz (pprof), .pftrace (perfetto), ");
	refuse("-o x.gz x.cprof", EINVAL, ", .db (sqlite); or by --format");
	refuse("--format gz x.cprof", EINVAL, "other programs pprof, perfetto, ");
	refuse("--format gz x.cprof", EINVAL, ", sqlite-slices, sqlite");
}

static void test_samples(void **state)
{
	(void)state;
	accept("prog");
	assert_int_equal(o.record.sampling.frequency, 0);
	assert_int_equal(o.record.sampling.period, 0);
	accept("-F 997 prog");
	assert_int_equal(o.record.sampling.frequency, 997);
	assert_string_equal(o.record.sampling.event.name, "cycles");
	assert_int_equal(o.record.sampling.stack_max, COROPROF_STACK_MAX);
	assert_false(o.record.sampling.named);
	accept("-c 100000 --sample-event page-faults --no-stacks prog");
	assert_int_equal(o.record.sampling.period, 100000);
	assert_int_equal(o.record.sampling.stack_max, 0);
	assert_string_equal(o.record.sampling.event.name, "page-faults");
	accept("--sample-event cpu-clock --stack-max 5 prog");
	assert_int_equal(o.record.sampling.frequency, 997);
	assert_int_equal(o.record.sampling.stack_max, 5);
	accept("-F 99 --folded x -o y.folded prog");
	assert_int_equal(o.outputs[0].format, FORMAT_FOLDED);
	assert_int_equal(o.outputs[1].format, FORMAT_FOLDED);
	accept("--folded - x.cprof");
	accept("-F 1K prog");
	assert_int_equal(o.record.sampling.frequency, 1000);
	accept("-c 1.5M prog");
	assert_int_equal(o.record.sampling.period, 1500000);
	accept("-c 9223372036854775807 prog");
	assert_true(o.record.sampling.period == INT64_MAX);
	refuse("-c 9223372036854775808 prog", EINVAL, "at least 1, such as 100000 or 100k");
	refuse("-c 1.5 prog", EINVAL, "at least 1");
	refuse("-c 20E prog", EINVAL, "at least 1");
	refuse("-F 101k prog", EINVAL, "1 to 100000");
	refuse("-F 0 prog", EINVAL, "1 to 100000");
	refuse("-F x prog", EINVAL, "1 to 100000");
	refuse("-c 0 prog", EINVAL, "at least 1");
	refuse("-c -1 prog", EINVAL, "at least 1");
	refuse("-F 1 -c 1 prog", EINVAL, "do not go together");
	refuse("--sample-event cycles,instructions prog", EINVAL, "one event");
	refuse("--stack-max 49 -F 1 prog", EINVAL, "0 to 48");
	refuse("--stack-max 4 prog", EINVAL, "-F 997");
	refuse("--no-stacks prog", EINVAL, "-F 997");
	refuse("-o x.folded prog", EINVAL, "-F 997");
	accept("--weight running -o x.folded prog");
	assert_string_equal(o.view.weight, "running");
	refuse("--weight running x.cprof", EINVAL, "-o FILE.folded");
	refuse("-F 1 x.cprof", EINVAL, "already");
	refuse("--no-stacks x.cprof", EINVAL, "already");
}

static void test_switch(void **state)
{
	(void)state;
	accept("--switch=auto prog");
	assert_false(o.record.switch_ioctl);
	accept("--switch=ioctl prog");
	assert_true(o.record.switch_ioctl);
	refuse("--switch=user prog", EINVAL, "auto or ioctl");
	refuse("--switch=ioctl x.cprof", EINVAL, "already");
}

static void test_functions(void **state)
{
	(void)state;
	accept("prog");
	assert_null(o.record.functions);
	accept("--functions app,-app.log prog");
	assert_string_equal(o.record.functions, "app,-app.log");
	accept("--functions=-asyncio prog");
	accept("--functions all prog");
	refuse("--functions= prog", EINVAL, "names of modules");
	refuse("--functions=app, prog", EINVAL, "names of modules");
	refuse("--functions=app,-,x prog", EINVAL, "names of modules");
	refuse("--functions=app x.cprof", EINVAL, "already");
	refuse("--functions=app -p 1", EINVAL, "COROPROF_FUNCTIONS=app");
	refuse("--functions=app --no-preload prog", EINVAL, "the preload library");
	refuse("--functions=app --totals prog", EINVAL, "need rings");
}

static void test_threads(void **state)
{
	(void)state;
	accept("prog");
	assert_false(o.record.threads);
	accept("--threads --totals prog");
	assert_true(o.record.threads);
	refuse("--threads x.cprof", EINVAL, "already");
	refuse("--threads -p 1", EINVAL, "COROPROF_THREADS=1");
	refuse("--threads --no-preload prog", EINVAL, "the preload library");
	refuse("--threads --probe tokio prog", EINVAL, "can't be probed");
	accept("--threads --probe none prog");
}

static void test_push(void **state)
{
	(void)state;
	accept("--totals --push https://h prog");
	assert_string_equal(o.push.to.url, "https://h");
	assert_int_equal(o.push.every_ns, 10000000000);
	assert_int_equal(o.push.choice.most, 50);
	assert_false(o.push.delta);
	accept("--keep 60s --push https://h --push-every 30s --push-labels a*,hash --push-labels b --push-max-labels 0 --push-temporality delta prog");
	assert_int_equal(o.push.every_ns, 30000000000);
	assert_int_equal(o.push.choice.nr_patterns, 2);
	assert_true(o.push.choice.hashed);
	assert_int_equal(o.push.choice.most, 0);
	assert_true(o.push.delta);
	choice_free(&o.push.choice);
	accept("--totals --push https://h --push-token-file t --push-ca a --push-cert b --push-key c --push-queue d --push-queue-bytes 1M --push-queue-age 1h prog");
	assert_string_equal(o.push.to.token_file, "t");
	assert_string_equal(o.push.to.ca, "a");
	assert_string_equal(o.push.to.cert, "b");
	assert_string_equal(o.push.to.key, "c");
	assert_string_equal(o.push.queue, "d");
	assert_int_equal(o.push.queue_bytes, 1 << 20);
	assert_int_equal(o.push.queue_age_ns, 3600000000000);
	assert_int_equal(o.mode, MODE_RECORD);

	refuse("--push https://h prog", EINVAL, "--push is of --totals, or of --keep, such as --keep 60s");
	refuse("--keep 19s --push https://h prog", EINVAL, "twice --push-every");
	accept("--push https://h --push-labels a* --push-temporality delta x.cprof y.cprof");
	assert_int_equal(o.mode, MODE_PUSH);
	assert_int_equal(o.source.nr, 2);
	choice_free(&o.push.choice);
	refuse("--push https://h -o x.html x.cprof", EINVAL, "--push sends recordings as a whole, and writes nothing");
	refuse("--push https://h --from 1s x.cprof", EINVAL, "--push sends recordings as a whole");
	refuse("--push https://h --push-queue q x.cprof", EINVAL, "--push-queue is of what is recorded while that goes on, and x.cprof is a recording already");
	refuse("--push https://h --keep 60s x.cprof", EINVAL, "options for recording do not go with it");
	accept("--live --push https://h prog");
	accept("--serve --keep 60s --push https://h --metrics-listen 127.0.0.1:0 prog");
	assert_string_equal(o.metrics_at, "127.0.0.1:0");
	accept("--totals --metrics-listen unix:x --metrics-token-file f --push-every 5s --push-max-labels 3 prog");
	assert_string_equal(o.push.metrics_token, "f");
	refuse("--metrics-listen 127.0.0.1:0 prog", EINVAL, "--metrics-listen is of --totals, or of --keep");
	refuse("--totals --metrics-token-file f prog", EINVAL, "--metrics-token-file f is of --metrics-listen");
	refuse("--totals --metrics-listen unix:x --push-queue q prog", EINVAL, "--push-queue is of --push");
	refuse("--metrics-listen unix:x x.cprof", EINVAL, "x.cprof is a recording already");
	refuse("--totals --push-max-labels 3 prog", EINVAL, "--push-max-labels is of --push: say where to");
	refuse("--push-check", EINVAL, "--push-check is of --push");
	refuse("--totals --push https://h --push-key k prog", EINVAL, "--push-key k is of --push-cert");
	refuse("--push-every 10ms", EINVAL, "at least 1 s");
	refuse("--push-labels a,,b", EINVAL, "--push-labels: an empty word");
	choice_free(&o.push.choice);
	refuse("--push-max-labels 1001", EINVAL, "--push-max-labels 1001: how many labels, 0 to 1000");
	refuse("--push-max-labels -1", EINVAL, "how many labels");
	refuse("--push-temporality gauge", EINVAL, "--push-temporality gauge: cumulative");
	refuse("--push-queue-bytes 63K", EINVAL, "at least 64K");
	refuse("--push-queue-bytes x", EINVAL, "--push-queue-bytes x: a size");
	refuse("--push-queue-age 0", EINVAL, "at least 1 s");
	refuse("--totals --push https://h --push-queue-age 5s prog", EINVAL, "--push-queue-age is less than --push-every");
}

static void test_push_dumps(void **state)
{
	(void)state;
	accept("--keep 60s --push-dumps pyroscope+https://h --push-dumps-token-file t --push-ca a --push-queue q prog");
	assert_string_equal(o.push.dumps.url, "pyroscope+https://h");
	assert_string_equal(o.push.dumps.token_file, "t");
	assert_null(o.push.to.url);
	accept("--serve --push-dumps-file f -p 1");
	assert_string_equal(o.push.dumps.url_file, "f");
	accept("--keep 60s --push https://h --push-dumps put+https://h/d/ prog");
	refuse("--totals --push-dumps put+https://h/d/ prog", EINVAL, "--push-dumps is of a flight recorder, which writes files while it goes on: give --keep 60s");
	refuse("--push-dumps put+https://h/d/ x.cprof", EINVAL, "--push-dumps is of a flight recorder");
	refuse("--keep 60s --push-dumps put+https://h/d/ --push-dumps-file f prog", EINVAL, "are two addresses");
	refuse("--keep 60s --push-dumps-token-file t prog", EINVAL, "--push-dumps-token-file t is of --push-dumps: say where dumps go");
	refuse("--keep 60s --push https://h --push-labels hash --push-dumps put+https://h/d/ prog", EINVAL, "which --push-labels keeps back");
	refuse("--keep 60s --push https://h --push-labels a* --push-dumps-file f prog", EINVAL, "--push-dumps-file sends recordings, with all labels");
	choice_free(&o.push.choice);
	refuse("--keep 60s --push https://h --push-max-labels 0 --push-dumps-file f prog", EINVAL, "which --push-max-labels 0 keeps back");
}

static void test_push_check(void **state)
{
	(void)state;
	accept("--push https://h --push-check");
	assert_int_equal(o.mode, MODE_PUSH_CHECK);
	accept("--push-check --push https://h x.cprof");
	assert_int_equal(o.mode, MODE_PUSH_CHECK);
	assert_string_equal(o.source.paths[0], "x.cprof");
	refuse("--push https://h --push-check prog", EINVAL, "--push-check records nothing");
	refuse("--push https://h --push-check -p 1", EINVAL, "--push-check records nothing");
	refuse("--push https://h --push-check x.cprof y.cprof", EINVAL, "--push-check records nothing");
}

static void test_keep(void **state)
{
	(void)state;
	accept("--keep 60s prog");
	assert_int_equal(o.record.keep_ns, 60000000000);
	assert_int_equal(o.record.keep_bytes, 512 << 20);
	accept("--keep 1m30s --keep-bytes 64M -p 1");
	assert_int_equal(o.record.keep_ns, 90000000000);
	assert_int_equal(o.record.keep_bytes, 64 << 20);
	refuse("--keep 10ms prog", EINVAL, "at least 1 s");
	refuse("--keep 60s --keep-bytes 4K prog", EINVAL, "at least 1M");
	refuse("--keep-bytes 64M prog", EINVAL, "of --keep");
	refuse("--keep 60s --totals prog", EINVAL, "choose one of them");
	refuse("--keep 60s x.cprof", EINVAL, "already");
}

static void test_dump_on(void **state)
{
	(void)state;
	accept("--keep 60s --dump-on SIGUSR1 --dump-on program --dump-on held>100ms prog");
	assert_int_equal(o.record.nr_dump_on, 3);
	assert_int_equal(o.record.dump_on[2].kind, TRIGGER_HELD);
	assert_int_equal(o.record.dump_after_ns, 2000000000);
	assert_int_equal(o.record.dump_every_ns, 60000000000);
	accept("--keep 60s --dump-on program --dump-after 0s --dump-every 10s prog");
	assert_int_equal(o.record.dump_after_ns, 0);
	assert_int_equal(o.record.dump_every_ns, 10000000000);
	refuse("--dump-on SIGUSR1 prog", EINVAL, "of --keep");
	refuse("--keep 60s --dump-on SIGTERM prog", EINVAL, "has another use");
	refuse("--keep 60s --dump-on later prog", EINVAL, "a signal such as SIGUSR1");
	refuse("--keep 60s --dump-after 2s prog", EINVAL, "of --dump-on");
	refuse("--keep 60s --dump-every 2s prog", EINVAL, "of --dump-on");
	accept("--snapshot 17");
	assert_int_equal(o.mode, MODE_SNAPSHOT);
	assert_int_equal(o.snapshot, 17);
	refuse("--snapshot all", EINVAL, "process id");
	refuse("--snapshot 17 prog", EINVAL, "records already");
}

static void test_live(void **state)
{
	(void)state;
	accept("--live prog");
	assert_int_equal(o.mode, MODE_TOP);
	assert_int_equal(o.record.keep_ns, 600000000000);
	assert_int_equal(o.record.keep_bytes, 512 << 20);
	accept("--live --keep 60s --keep-bytes 64M --dump-on SIGUSR1 -p 17");
	assert_int_equal(o.record.keep_ns, 60000000000);
	assert_int_equal(o.record.keep_bytes, 64 << 20);
	assert_int_equal(o.record.nr_dump_on, 1);
	refuse("--live", EINVAL, "nothing to record");
	refuse("--live -o x.html prog", EINVAL, "coroprof-read -o x.html");
	refuse("--live --totals prog", EINVAL, "records none");
	refuse("--live x.cprof", EINVAL, "is a recording already");
}

static void test_runtime(void **state)
{
	(void)state;
	accept("prog");
	assert_null(o.record.runtimes);
	accept("--runtime lua,boost prog");
	assert_string_equal(o.record.runtimes, "lua,boost");
	accept("--runtime=none prog");
	refuse("--runtime=lu prog", EINVAL, "'lu' is none of those known: boost");
	refuse("--runtime=lua,none prog", EINVAL, "'none' is none");
	refuse("--runtime=lua, prog", EINVAL, "'' is none");
	refuse("--runtime=lua x.cprof", EINVAL, "already");
}

static void test_note(void **state)
{
	char text[1100] = "--note=";

	(void)state;
	accept("--note=before prog");
	assert_string_equal(o.record.note, "before");
	refuse("--note= prog", EINVAL, "at least 1");
	memset(text + strlen(text), 'x', 1001);
	strcat(text, " prog");
	refuse(text, EINVAL, "at most 1000");
	refuse("--note=after x.cprof", EINVAL, "already");
}

static void test_diff(void **state)
{
	(void)state;
	accept("--diff old.cprof new.cprof");
	assert_int_equal(o.mode, MODE_CONVERT);
	assert_string_equal(o.source.old[0], "old.cprof");
	assert_string_equal(o.source.paths[0], "new.cprof");
	assert_int_equal(o.source.nr_gates, 0);
	accept("new.cprof --diff=old.cprof --fail-if ipc<-5% --fail-if cycles/slice>+1% -o d.html -o -");
	assert_int_equal(o.source.nr_gates, 2);
	accept("--diff a.cprof b.cprof -- c.cprof d.cprof");
	assert_int_equal(o.source.nr_old, 2);
	assert_string_equal(o.source.old[1], "b.cprof");
	assert_int_equal(o.source.nr, 2);
	assert_string_equal(o.source.paths[0], "c.cprof");
	refuse("--diff a.cprof -- c.cprof -o -", EINVAL,
	       "'-o' is no recording: give options in front");
	accept("--diff a.cprof -- c.cprof");
	assert_int_equal(o.source.nr_old, 1);
	assert_int_equal(o.source.nr, 1);
	refuse("--diff a.cprof a.cprof -- c.cprof", EINVAL,
	       "a.cprof is given twice: it is one run");
	refuse("--diff a.cprof b.cprof -- prog", EINVAL,
	       "b.cprof is a recording, and prog is none");
	refuse("--diff old.cprof", EINVAL, "what is to be compared with it? coroprof-read --diff old.cprof NEW.cprof");
	refuse("--diff old.cprof prog", EINVAL, "what is to be compared");
	refuse("--diff a.cprof --diff b.cprof new.cprof", EINVAL, "several runs are given as --diff OLD.cprof OLD2.cprof -- NEW.cprof NEW2.cprof");
	refuse("--fail-if ipc>+5% new.cprof", EINVAL, "say with --diff OLD.cprof");
	refuse("--diff old.cprof new.cprof --fail-if ipc", EINVAL, "a condition is FIGURE > +N%");
	refuse("--diff old.cprof new.cprof -o x.pb.gz", EINVAL,
	       "is of one recording, and --diff is of two");
	refuse("--diff old.cprof new.cprof -o x.folded", EINVAL, "is of one recording");
}

static void test_slow(void **state)
{
	(void)state;
	accept("--slow render new.cprof");
	assert_int_equal(o.source.slow.label, 6);
	assert_null(o.source.slow.by);
	accept("--slow a::b:by=cycles:u,above=p99 new.cprof -o d.html -o -");
	assert_int_equal(o.source.slow.label, 4);
	assert_int_equal(o.source.slow.by_length, 8);
	refuse("--slow a --slow b new.cprof", EINVAL, "one label is looked at at a time");
	refuse("--slow a:of=b new.cprof", EINVAL, "LABEL[:of=slices|lives");
	refuse("--slow a", EINVAL, "is of one recording: coroprof-read --slow a FILE.cprof");
	refuse("--slow a one.cprof two.cprof", EINVAL, "is of one recording");
	refuse("--slow a -- prog", EINVAL, "is of one recording");
	refuse("--slow a -", EINVAL, "a pipe can't be");
	refuse("--slow a --diff old.cprof new.cprof", EINVAL, "do not go together");
	refuse("--slow a new.cprof -o x.pb.gz", EINVAL, "says nothing of --slow");
}

static void test_other(void **state)
{
	(void)state;
	accept("--check");
	assert_int_equal(o.mode, MODE_CHECK);
	accept("--selftest");
	assert_int_equal(o.mode, MODE_SELFTEST);
	assert_null(o.selftest_report);
	accept("--selftest-report report.txt --switch ioctl");
	assert_int_equal(o.mode, MODE_SELFTEST);
	assert_string_equal(o.selftest_report, "report.txt");
	assert_true(o.record.switch_ioctl);
	accept("--help --nonsense");
	assert_int_equal(o.mode, MODE_HELP);
	accept("-V");
	assert_int_equal(o.mode, MODE_VERSION);
	refuse("", EINVAL, "nothing to record");
	refuse("--nonsense", EINVAL, "--help");
	refuse("-o", EINVAL, "--help");
	refuse("-e nonsense prog", ENOENT, "nonsense");
}

/* What coroprof-read prints stays what it is. */
static void shows_one_screen_as_coroprof_unless_all_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(parse_as("coroprof", "report a.cprof"), 0);
	assert_true(o.view.digest);
	assert_int_equal(parse_as("coroprof", "report --all a.cprof"), 0);
	assert_false(o.view.digest);
	assert_int_equal(parse_as("coroprof", "record -a -- true"), 0);
	assert_false(o.view.digest);
	accept("a.cprof");
	assert_false(o.view.digest);
	accept("--all a.cprof");
	assert_false(o.view.digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_convert),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_choose),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_where),
		cmocka_unit_test(test_pids),
		cmocka_unit_test(test_pids_in_words),
		cmocka_unit_test(test_inherit),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_ready_fd),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_push),
		cmocka_unit_test(test_push_dumps),
		cmocka_unit_test(test_push_check),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_dump_on),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_runtime),
		cmocka_unit_test(test_exports),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_note),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_other),
		cmocka_unit_test(shows_one_screen_as_coroprof_unless_all_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
