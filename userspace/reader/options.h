/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_OPTIONS_H
#define COROPROF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "error.h"
#include "events.h"

#define OUTPUTS_MAX	8
#define PIDS_MAX	256

/* What coroprof-read is to do. */
enum mode {
	MODE_RECORD,	/* a command, or running processes */
	MODE_CONVERT,	/* a recording to other forms */
	MODE_CHECK,	/* what is missing for recording here? */
	MODE_HELP,
	MODE_VERSION,
};

/* The form of an output, by the end of its name. */
enum format {
	FORMAT_CPROF,
	FORMAT_HTML,
	FORMAT_TEXT,
	FORMAT_FOLDED,
};

#define SAMPLE_EVENT_DEFAULT	"cycles"
#define SAMPLE_FREQUENCY_DEFAULT	997

/**
 * struct sampling - what samples are to be taken
 * @event:     what overflows
 * @named:     the user named it
 * @period:    one each so many counts, or 0
 * @frequency: or so many a second, or 0. Both 0: none
 * @stack_max: at most so many callers of each
 */
struct sampling {
	struct event event;
	bool named;
	uint64_t period;
	uint32_t frequency;
	uint32_t stack_max;
};

/**
 * struct output - where a result goes
 * @path:   file name, "-" for standard output
 * @format: enum format
 */
struct output {
	const char *path;
	enum format format;
};

/**
 * struct options - the command line
 * @mode:        enum mode
 * @outputs:     from -o, in order
 * @nr_outputs:  how many, 0: the defaults
 * @events:      what to count
 * @nr_events:   how many
 * @sampling:    samples to take
 * @switch_ioctl: threads are not to switch from user mode
 * @pids:        processes to record
 * @nr_pids:     how many
 * @command:     command to record, NULL terminated, or NULL
 * @input:       recording to convert
 * @ring_size:   bytes, 0: the module's default
 * @watermark:   bytes, 0: the module's default
 * @duration_ns: stop after so long, 0: don't
 * @ready_fd:    tell here that the recording runs, -1: don't
 * @no_preload:  leave LD_PRELOAD alone
 * @quiet:       only errors and warnings on standard error
 */
struct options {
	enum mode mode;
	struct output outputs[OUTPUTS_MAX];
	unsigned int nr_outputs;
	struct event events[COROPROF_COUNTERS_MAX];
	unsigned int nr_events;
	struct sampling sampling;
	bool switch_ioctl;
	pid_t pids[PIDS_MAX];
	unsigned int nr_pids;
	char **command;
	const char *input;
	uint32_t ring_size;
	uint32_t watermark;
	uint64_t duration_ns;
	int ready_fd;
	bool no_preload;
	bool quiet;
};

int options_parse(struct options *options, int argc, char **argv,
		  struct error *err);
void options_help(FILE *out);

#endif /* COROPROF_OPTIONS_H */
