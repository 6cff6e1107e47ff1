/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between two recordings: see diff/diff.h. They are rows of the model
 * of the new one; strings are theirs.
 */
#ifndef COROPROF_READER_CHANGES_H
#define COROPROF_READER_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

/* Of two recordings. */
enum model_age {
	MODEL_OLD,
	MODEL_NEW,
	MODEL_AGES
};

enum model_change_of {
	MODEL_OF_LABEL,
	MODEL_OF_SPAN,		/* in the coroutines of a label */
	MODEL_OF_FUNCTION,	/* likewise */
	MODEL_OF_WAKER,		/* of the coroutines of a label */
	MODEL_OF_THREAD,	/* that they ran on */
	MODEL_OF_HOLDER,	/* a label that held their thread, while they were ready */
};

enum model_verdict {
	MODEL_VERDICT_MORE,
	MODEL_VERDICT_LESS,
	MODEL_VERDICT_SMALL,	/* no noise, and too small to matter */
	MODEL_VERDICT_MIXED,	/* the median of coroutines has changed the other way */
	MODEL_VERDICT_NOISE,
	MODEL_VERDICT_ADDED,	/* it is in the new recording only */
	MODEL_VERDICT_GONE,	/* in the old one only */
	MODEL_VERDICT_NONE,	/* none can be given */
};

/**
 * struct model_side - what one recording says of a figure
 * @standing: how far @value can be relied on: enum standing of tables/table.h
 * @value:    it; 0 when it has none
 * @times:    how many slices, or calls, or what else it is divided by
 * @units:    how many coroutines have it
 * @spread:   standard deviation between these; negative for n/a
 * @error:    standard error of @value as these have it, with what they depend on each
 *            other by; negative for n/a
 * @trend:    by how many standard deviations coroutines rise, from those that ran first to
 *            those that ran last
 * @runs:     of how many recordings it is
 */
struct model_side {
	uint8_t standing;
	double value;
	double times;
	uint32_t units;
	double spread;
	double error;
	double trend;
	uint32_t runs;
};

/**
 * struct model_change - one figure, in both recordings
 * @of:      enum model_change_of
 * @name:    of the label, the span, the function
 * @label:   of the coroutines that it was in; NULL: @name is it
 * @figure:  "instructions/slice"
 * @time:    it is nanoseconds
 * @side:    what each recording says, by enum model_age
 * @change:  how much more there is in the new one, as a share of the old one;
 *           infinite if that had 0
 * @typical: the same of the medians of coroutines; 0 without a test
 * @standing: of @change
 * @p:       how likely so large a difference, or a larger one, is by noise, all
 *           tests taken into account; negative: there was no test
 * @least:   the least that @p could be, with so many; without other tests
 * @alone:   @p without other tests; negative: there was none
 * @modes:   shares of two modes have changed: the median says nothing
 * @drift:   drifts of both recordings would explain it as well: see diff/drift.h
 * @factor:  how many times as much a mean varies as if coroutines did not depend on others
 *           before them: see diff/serial.h
 * @freedom: degrees of freedom of the errors of both sides
 * @low, @high: with NOISE_CHANCE for each end, @change is not beyond; NAN: n/a
 * @seen:    what change would have been found in four of five cases; NAN: n/a
 * @verdict: enum model_verdict
 * @why:     MODEL_VERDICT_NONE: why; else NULL
 */
struct model_change {
	enum model_change_of of;
	char *name;
	char *label;
	char *figure;
	bool time;
	struct model_side side[MODEL_AGES];
	double change;
	double typical;
	uint8_t standing;
	double p;
	double least;
	double alone;
	bool modes;
	bool drift;
	double factor;
	double freedom;
	double low;
	double high;
	double seen;
	enum model_verdict verdict;
	const char *why;
};

/**
 * struct model_change_node - a node of both recordings' call trees
 * @samples: of samples; else of spans, and figures are nanoseconds of running time
 * @name:    of the label, at a root; below it, of the function or the span
 * @parent:  row, MODEL_NONE for a root
 * @own:     by enum model_age: here, without what is below
 * @total:   with what is below
 * @slices:  of the label
 * @at_least: there may be more of all three: slices, spans or samples were lost
 */
struct model_change_node {
	bool samples;
	char *name;
	uint32_t parent;
	uint64_t own[MODEL_AGES];
	uint64_t total[MODEL_AGES];
	uint64_t slices[MODEL_AGES];
	bool at_least[MODEL_AGES];
};

/**
 * struct model_metadata - one thing that is known of both recordings, such as the host
 * @name:    what it is, such as "kernel"
 * @text:    by enum model_age; NULL for n/a
 * @matters: figures may differ for this alone, if it differs
 */
struct model_metadata {
	const char *name;
	char *text[MODEL_AGES];
	bool matters;
};

/**
 * struct model_answer - what has changed of one label, in words
 * @text:  one line, or that there is nothing
 * @name:  of the label; NULL: of none
 * @share: of all differences of the figure it begins with, of whatever label
 * @standing: of @share
 */
struct model_answer {
	char *text;
	char *name;
	double share;
	uint8_t standing;
};

/**
 * struct model_slow_of - what was divided into slow ones and the rest
 * @label:    name
 * @lives:    coroutines were, from their first slice to their last; else slices
 * @by:       by what, such as "running", or a counter
 * @asked:    threshold as it was asked for, such as "p95"
 * @above:    it: what has more is slow
 * @time:     @above is nanoseconds
 * @nr:       how many are slow, and how many are not, by enum model_age
 * @left_out: of which it is not known
 * @at_least: slices of its process are missing: of all three there may be more
 */
struct model_slow_of {
	char *label;
	bool lives;
	char *by;
	char *asked;
	uint64_t above;
	bool time;
	uint64_t nr[MODEL_AGES];
	uint64_t left_out;
	bool at_least;
};

/* False if one of both is not known: they may be the same. */
bool model_metadata_differs(const struct model_metadata *metadatum);

#endif /* COROPROF_READER_CHANGES_H */
