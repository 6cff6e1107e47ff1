/* SPDX-License-Identifier: GPL-2.0 */
/* Turns a recording into what was asked for. */
#ifndef COROPROF_OUTPUT_H
#define COROPROF_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "diff/gate.h"
#include "diff/slow.h"
#include "output/choose.h"
#include "output/view-options.h"

/* The form of an output, by the end of its name. */
enum format {
	FORMAT_CPROF,
	FORMAT_HTML,
	FORMAT_TEXT,
	FORMAT_FOLDED,
	FORMAT_CSV,
	FORMAT_JSON,
	/* See output/export/form.h. */
	FORMAT_PPROF,
	FORMAT_PERFETTO,
	FORMAT_SPEEDSCOPE,
	FORMAT_CHROME,
	FORMAT_FIREFOX,
	FORMAT_CALLGRIND,
	FORMAT_OPENMETRICS,
	FORMAT_SQLITE,
	FORMAT_SQLITE_SLICES,
	FORMAT_UNTOLD,	/* the name has no such end: --format says it */
};

/**
 * struct output - where a result goes
 * @path:   file name, "-" for standard output
 * @format: enum format
 * @sync:   it is on the disk before it takes the name
 */
struct output {
	const char *path;
	enum format format;
	bool sync;
};

/* Behind the end of a name: the file is compressed, in any form that is not by itself. */
#define GZIP_END	".gz"

/* So many recordings can be added up. */
#define SOURCES_MAX	256

/* So many conditions. */
#define GATES_MAX	16

/**
 * struct source - the recordings that outputs are of: all of them added up
 * @paths:   file names, "-" for standard input
 * @nr:      how many
 * @from_ns: only what ended so long after its begin, or later
 * @to_ns:   and before that; 0 for all
 * @choose:  of which threads and labels
 * @exact:   without shares of slices that are cut there
 * @old:     file names of what they are compared with: runs of the same
 * @nr_old:  how many
 * @gates:   conditions on what differs
 * @nr_gates: how many
 * @slow:    what is to be compared with the rest
 * @no_inline: without source lines, and functions put into others
 */
struct source {
	const char *paths[SOURCES_MAX];
	unsigned int nr;
	uint64_t from_ns;
	uint64_t to_ns;
	struct choose choose;
	bool exact;
	const char *old[SOURCES_MAX];
	unsigned int nr_old;
	struct gate gates[GATES_MAX];
	unsigned int nr_gates;
	struct slow slow;
	bool no_inline;
};

/**
 * struct outcome - what came of it, beside outputs
 * @damaged: something in the recording could not be read, or it was not ended in
 *           order: figures are of the rest
 * @met:     a condition is met
 * @unpaired: a label is in one recording only, so that conditions say nothing of it
 */
struct outcome {
	bool damaged;
	bool met;
	bool unpaired;
};

/*
 * Reads the recordings and writes each output that is not a recording
 * itself; after one that fails, the others are still written. @view: of tables.
 */
int output_all(const struct source *source, const struct output *outputs, unsigned int nr,
	       const struct view_options *view, struct outcome *outcome, struct error *err);

/* Reads the recording at @path and writes a table to @file. */
int output_table(const char *path, const struct view_options *view, FILE *file, struct error *err);

#endif /* COROPROF_OUTPUT_H */
