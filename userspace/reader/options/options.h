/* SPDX-License-Identifier: GPL-2.0 */
/* The command line, read. */
#ifndef COROPROF_OPTIONS_H
#define COROPROF_OPTIONS_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"
#include "options/list.h"
#include "output/output.h"
#include "push/push.h"
#include "record/options.h"
#include "tables/metric.h"

#define OUTPUTS_MAX	8

/* What is to be done. */
enum mode {
	MODE_RECORD,	/* a command, or running processes */
	MODE_TOP,	/* the same, and show it on the terminal */
	MODE_SERVE,	/* or in a browser */
	MODE_CONVERT,	/* a recording to other forms */
	MODE_CHECK,	/* what is missing for recording here? */
	MODE_SNAPSHOT,	/* ask a flight recorder for what it keeps */
	MODE_PUSH,	/* send sums of recordings */
	MODE_PUSH_CHECK, /* does the receiver of --push take it? */
	MODE_SELFTEST,	/* are the figures right here? */
	MODE_HELP,
	MODE_HELP_COLUMNS,
	MODE_VERSION,
	MODE_COMPLETE,	/* for a shell: how may the last word go on? */
};

enum color {
	COLOR_AUTO,	/* on a terminal */
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/**
 * struct options - the command line
 * @program:    the name that it was started by, without its folder
 * @legacy:     that is coroprof-read: options say what is to be done
 * @command:    enum command; COMMAND_NONE: it is legacy, or all of coroprof is asked about
 * @words:      of MODE_COMPLETE: what is typed behind the program's name
 * @mode:       enum mode
 * @outputs:    from -o, in order
 * @nr_outputs: how many, 0: the defaults
 * @format:     of outputs whose names do not say it; FORMAT_UNTOLD: none is said
 * @view:       of tables
 * @metrics:    those of @view
 * @record:     what to record
 * @live:       what is recorded is shown while that goes on: MODE_RECORD is this one; or MODE_RECORD
 * @serve_at:   of MODE_SERVE: where it listens, or NULL: anywhere on this machine
 * @push:       where sums of what is recorded go
 * @metrics_at: where who asks gets them, or NULL
 * @push_option: name of an option that is of --push, or NULL: none was given
 * @push_choice: likewise, that is of @metrics_at, too
 * @has_to:     --to was given
 * @has_dump_after: --dump-after was
 * @snapshot:   of MODE_SNAPSHOT: whom to ask
 * @dump_name:  how the names of dumps begin
 * @no_pager:   tables go to the terminal as they are
 * @color:      enum color; what that comes to is for look.colored
 * @sync:       outputs are on the disk before they take their names
 * @selftest_report: file for what the self-test measured, or NULL
 * @source:     recordings to convert, and what part of them
 * @exported:   the name of an export that was given none
 */
struct options {
	const char *program;
	bool legacy;
	enum command command;
	char **words;
	enum mode mode;
	struct output outputs[OUTPUTS_MAX];
	unsigned int nr_outputs;
	enum format format;
	struct view_options view;
	struct metric metrics[METRICS_MAX];
	struct record_options record;
	enum mode live;
	const char *serve_at;
	struct push_options push;
	const char *metrics_at;
	const char *push_option;
	const char *push_choice;
	bool has_to;
	bool has_dump_after;
	pid_t snapshot;
	char dump_name[PATH_MAX];
	bool no_pager;
	enum color color;
	bool sync;
	const char *selftest_report;
	struct source source;
	char exported[PATH_MAX];
};

/*
 * As coroprof where the program's name does not begin with coroprof-read. @options refers to @argv,
 * of which it sets the first to the program's name.
 */
int options_parse(struct options *options, int argc, char **argv, struct error *err);

#endif /* COROPROF_OPTIONS_H */
