/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_OPTIONS_H
#define COROPROF_OPTIONS_H

#include <stdio.h>

#include "base/error.h"
#include "output/output.h"
#include "record/options.h"
#include "tables/metric.h"

#define OUTPUTS_MAX	8

/* What coroprof-read is to do. */
enum mode {
	MODE_RECORD,	/* a command, or running processes */
	MODE_CONVERT,	/* a recording to other forms */
	MODE_CHECK,	/* what is missing for recording here? */
	MODE_SELFTEST,	/* are the figures right here? */
	MODE_HELP,
	MODE_HELP_COLUMNS,
	MODE_VERSION,
};

#define SAMPLE_EVENT_DEFAULT	"cycles"
#define SAMPLE_FREQUENCY_DEFAULT	997

/**
 * struct options - the command line
 * @mode:       enum mode
 * @outputs:    from -o, in order
 * @nr_outputs: how many, 0: the defaults
 * @format:     of outputs whose names do not tell it; FORMAT_UNTOLD: none is said
 * @look:       of tables
 * @metrics:    those of @look
 * @record:     what to record
 * @has_to:     --to was given
 * @sync:       outputs are on the disk before they take their names
 * @selftest_report: file for what the self-test measured, or NULL
 * @source:     recordings to convert, and what part of them
 */
struct options {
	enum mode mode;
	struct output outputs[OUTPUTS_MAX];
	unsigned int nr_outputs;
	enum format format;
	struct look look;
	struct metric metrics[METRICS_MAX];
	struct record_options record;
	bool has_to;
	bool sync;
	const char *selftest_report;
	struct source source;
};

int options_parse(struct options *options, int argc, char **argv,
		  struct error *err);
void options_help(FILE *out);

#endif /* COROPROF_OPTIONS_H */
