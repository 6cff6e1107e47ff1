// SPDX-License-Identifier: GPL-2.0
/*
 * bench-native DIR READER SLICES SAMPLES PLAIN_SAMPLES: how fast READER reads
 * DIR/bench.cprof, beside perf on DIR/perf.data and DIR/perf-plain.data. Prints a
 * table, and writes DIR/native.json.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../report.h"
#include "command.h"

#define TIMES 5u

enum { READER, TEXT, SCRIPT, REPORT, SCRIPT_PLAIN, REPORT_PLAIN, NR_SUBJECTS };

/**
 * struct subject - a program that reads records
 * @key:     what its keys begin with
 * @how:     what it does
 * @argv:    its command line
 * @records: how many records there are to read
 * @err:     of command_run()
 * @command: what it took
 */
struct subject {
	const char *key;
	const char *how;
	const char *argv[8];
	double records;
	int err;
	struct command command;
};

static void set(struct result *result, const struct subject *s, const char *unit, double value)
{
	*result = (struct result){ .unit = unit };
	if (s->err == -ECHILD)
		result_none(result, "%s fails", s->argv[0]);
	else if (s->records <= 0)
		result_none(result, "there are no records to read");
	else if (!result_failed(result, s->err, s->argv[0]))
		result_set(result, value);
	result->unit = unit;
}

static void put(struct report *report, const struct subject *s, const char *suffix,
		const char *what, const char *unit, double value)
{
	struct result result;
	char key[64], how[256];

	snprintf(key, sizeof(key), "%s_%s", s->key, suffix);
	snprintf(how, sizeof(how), "%s: %s; %.0f records", what, s->how, s->records);
	set(&result, s, unit, value);
	report_line(report, key, unit, how, &result);
}

static void put_subject(struct report *report, const struct subject *s)
{
	put(report, s, "records_per_s", "wall time", "records/s",
	    s->records / s->command.seconds);
	put(report, s, "records_per_cpu_s", "processor time", "records/s",
	    s->records / s->command.cpu);
	put(report, s, "peak_bytes", "peak memory", "bytes", s->command.peak);
}

static void put_ratio(struct report *report, const char *key, const char *how,
		      const struct subject *over, const struct subject *under)
{
	double value = (over->records / over->command.seconds) /
		       (under->records / under->command.seconds);
	struct result result;

	set(&result, over->err || over->records <= 0 ? over : under, "ratio", value);
	report_line(report, key, "ratio", how, &result);
}

/* Bytes of @file for each of @slices. */
static void put_file(struct report *report, const char *file, double slices)
{
	struct result result = { .unit = "bytes" };
	struct stat st;

	if (stat(file, &st))
		result_none(&result, "%s: %s", file, strerror(errno));
	else
		result_set(&result, (double)st.st_size / slices);
	report_line(report, "file_slice_bytes", "bytes",
		    "of the recording's file, for each slice; two counters", &result);
}

static void take(struct subject *s)
{
	if (s->records > 0)
		s->err = command_run(&s->command, s->argv, TIMES);
}

static void put_all(struct report *report, const struct subject *s)
{
	for (int i = 0; i < NR_SUBJECTS; i++)
		put_subject(report, &s[i]);
	put_ratio(report, "ratio_reader_perf_script",
		  "reader_records_per_s / perf_script_records_per_s; goal: at least 50",
		  &s[READER], &s[SCRIPT]);
	put_ratio(report, "ratio_text_perf_script",
		  "reader_text_records_per_s / perf_script_records_per_s",
		  &s[TEXT], &s[SCRIPT]);
	put_ratio(report, "ratio_reader_perf_report",
		  "reader_records_per_s / perf_report_records_per_s",
		  &s[READER], &s[REPORT]);
	put_ratio(report, "ratio_reader_perf_script_plain",
		  "reader_records_per_s / perf_script_plain_records_per_s",
		  &s[READER], &s[SCRIPT_PLAIN]);
}

static const char *in(const char *dir, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		exit(EXIT_FAILURE);
	return path;
}

int main(int argc, char **argv)
{
	struct report report;
	const char *out;
	int err;

	if (argc != 6) {
		fprintf(stderr, "usage: bench-native DIR READER SLICES SAMPLES PLAIN_SAMPLES\n");
		return EXIT_FAILURE;
	}
	const char *data = in(argv[1], "perf.data"), *plain = in(argv[1], "perf-plain.data");
	const char *recording = in(argv[1], "bench.cprof");
	struct subject subjects[NR_SUBJECTS] = {
		[READER] = { "reader", "coroprof-read to a table and a page, slices with two counters",
			     { argv[2], "-o", "-", "-o", in(argv[1], "page.html"),
			       recording }, .records = atof(argv[3]) },
		[TEXT] = { "reader_text", "coroprof-read to a table alone, the same",
			   { argv[2], "-o", "-", recording }, .records = atof(argv[3]) },
		[SCRIPT] = { "perf_script", "perf script, context switches that read two counters",
			     { "perf", "script", "-i", data }, .records = atof(argv[4]) },
		[REPORT] = { "perf_report", "perf report --stdio, the same",
			     { "perf", "report", "--stdio", "-i", data }, .records = atof(argv[4]) },
		[SCRIPT_PLAIN] = { "perf_script_plain", "perf script, context switches without counters",
				   { "perf", "script", "-i", plain }, .records = atof(argv[5]) },
		[REPORT_PLAIN] = { "perf_report_plain", "perf report --stdio, the same",
				   { "perf", "report", "--stdio", "-i", plain }, .records = atof(argv[5]) },
	};

	for (int i = 0; i < NR_SUBJECTS; i++)
		take(&subjects[i]);
	out = in(argv[1], "native.json");
	err = report_open(&report, out);
	if (!err) {
		put_file(&report, recording, subjects[READER].records);
		put_all(&report, subjects);
		err = report_close(&report);
	}
	if (err)
		fprintf(stderr, "bench-native: %s: %s\n", out, strerror(-err));
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
