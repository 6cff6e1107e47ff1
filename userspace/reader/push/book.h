/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is to be sent: sums by process and label, which windows of a recording are added to. A label
 * that matters has an item of its own, all others of the process share one, so that the sum over the
 * items of a process is that of its labels. Coroutines are in no item.
 *
 * Series are bounded, see choice_series(): where a label would exceed that, the one that runs least goes
 * into the item of all others, from then on.
 *
 * A figure with another standing is another point: what is counted and what is estimated are never
 * one sum. What is not known is in none.
 */
#ifndef COROPROF_PUSH_BOOK_H
#define COROPROF_PUSH_BOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/standing.h"
#include "push/choice.h"

struct model;

/* One that has more gets them into BOOK_OTHER, which is no process. */
#define BOOK_PROCESSES	32u
#define BOOK_OTHER	UINT32_MAX
#define BOOK_COUNTERS	16u

/* An item of which so many windows had nothing makes room for a label that there is something of. */
#define BOOK_IDLE	60u

/*
 * Of choice_series() so many are kept free in each process, for what has no name or is of 'other'. What
 * does not find room there is in the process of all others, which can't refuse it: that is enough for
 * all figures of 8 counters, in two standings, and lengths of 26 octaves.
 */
#define BOOK_RESERVE	80u
#define BOOK_RESERVE_OTHER 220u
/* Of a histogram in text, beside those of buckets: see exposition.c. */
#define BOOK_CLASSIC	17u

enum book_metric {
	BOOK_TIME,		/* which: enum book_state */
	BOOK_SWITCHES,
	BOOK_COUNTER,		/* which: of book.counters */
	BOOK_LOST_SLICES,	/* of a process, as all above: those below are of coroprof itself */
	BOOK_OVERHEAD,		/* that the programs had by being recorded */
	BOOK_CPU,		/* that this process used */
	BOOK_UNSENT,		/* time of which nothing was sent */
	BOOK_LOST_REQUESTS,	/* that were not delivered, and never will be */
	BOOK_LOST_POINTS,	/* in these */
	BOOK_REJECTED,		/* points of requests that were delivered */
	BOOK_METRICS
};

enum book_state {
	BOOK_RUNNING, BOOK_PREEMPTED, BOOK_BLOCKED, BOOK_IDLING, BOOK_AWAITING, BOOK_READY,
	BOOK_SUSPENDED,		/* one of the last two, and not known which */
	BOOK_STATES
};

enum book_kind { BOOK_HELD, BOOK_READIES, BOOK_LIFETIME, BOOK_KINDS };

/**
 * struct book_point - a sum
 * @metric:   enum book_metric
 * @which:    see there
 * @standing: enum standing
 * @fresh:    it is of the last window, too
 * @value:    nanoseconds, or a count
 */
struct book_point {
	uint8_t metric;
	uint8_t which;
	uint8_t standing;
	bool fresh;
	uint64_t value;
};

/**
 * struct book_lengths - a histogram
 * @kind:     enum book_kind
 * @standing: of how many there are
 * @fresh:    as above
 * @nr:       how many
 * @zero:     of 0 ns
 * @sum:      nanoseconds
 * @least:    the shortest
 * @most:     the longest
 * @counts:   [n]: from 2^n to 2^(n+1) - 1 nanoseconds
 * @seen:     bit n: there ever was one in counts[n]
 * @seen_zero: there ever was one of 0 ns
 */
struct book_lengths {
	uint8_t kind;
	uint8_t standing;
	bool fresh;
	uint64_t nr;
	uint64_t zero;
	uint64_t sum;
	uint64_t least;
	uint64_t most;
	uint64_t counts[64];
	uint64_t seen;
	bool seen_zero;
};

/**
 * struct book_item - figures that have all attributes but their own in common
 * @label:  by which it is sent; NULL: of the process
 * @other:  it is that of all labels without one
 * @start:  its sums begin then, as time of day
 * @window: the last in which there was something of it
 * @ran:    running time in that
 */
struct book_item {
	char *label;
	bool other;
	uint64_t start;
	uint64_t window;
	uint64_t ran;
	struct book_point *points;
	size_t nr_points;
	struct book_lengths *lengths;
	size_t nr_lengths;
};

/**
 * struct book_group - a process
 * @id:     process_id; BOOK_OTHER: all that have no group, or are not known
 * @own:    it is coroprof
 * @pid:    0: not known
 * @comm:   name of its program
 * @window: the last in which it was there
 * @series: of items that are no label by name
 */
struct book_group {
	uint32_t id;
	bool own;
	int32_t pid;
	char *comm;
	uint64_t window;
	uint64_t series;
	struct book_item *items;
	size_t nr_items;
};

/**
 * struct book_window - a part of a recording
 * @begin_ns: by the monotonic clock, as recordings have times
 * @end_ns:   likewise
 * @offset_ns: to the time of day, from that
 * @so_far:   its figures are of all since the recording began, not of the window
 * @last:     of these: there are no more
 * @cut:      what began before the window is missing in what lasts for long
 */
struct book_window {
	uint64_t begin_ns;
	uint64_t end_ns;
	int64_t offset_ns;
	bool so_far;
	bool last;
	bool cut;
};

struct book_before;

/**
 * struct book - see above
 * @choice:     of labels
 * @cumulative: sums are since the start of their item; else since the last request
 * @groups:     the first is coroprof's own
 * @nr_labels:  items with a label by name, in all groups
 * @named:      series of these, as an engine counts them that makes one of each bucket
 * @classic:    histograms have the same buckets always, and a series of each
 * @crowded:    number of the window in which a label last had to make room for series; 0: none had
 * @crowded_ran: running time of such ones in a window, at most
 * @counters:   names
 * @before:     of windows that are so_far: what the last one had
 * @before_index: (half a digest, process) to @before
 * @window:     number of the last one
 * @begin:      of the last, as time of day
 * @end:        likewise
 * @offset_ns:  likewise
 * @until_ns:   end of the last, by the monotonic clock
 * @stepped_ns: the time of day was set by so much during the last one
 */
struct book {
	const struct choice *choice;
	bool cumulative;
	struct book_group *groups;
	size_t nr_groups;
	uint32_t nr_labels;
	uint64_t named;
	bool classic;
	uint64_t crowded;
	uint64_t crowded_ran;
	char *counters[BOOK_COUNTERS];
	unsigned int nr_counters;
	struct book_before *before;
	size_t nr_before;
	struct index before_index;
	uint64_t window;
	uint64_t begin;
	uint64_t end;
	int64_t offset_ns;
	uint64_t until_ns;
	int64_t stepped_ns;
};

/* @name, @pid: of coroprof itself. False when out of memory, as below. */
bool book_begin(struct book *book, const struct choice *choice, bool cumulative, const char *name,
		int32_t pid);
void book_free(struct book *book);

/* A window of time begins, of which book_take() may bring the recording. */
void book_turn(struct book *book, const struct book_window *window);
bool book_take(struct book *book, const struct model *model, const struct book_window *window);
/* What coroprof says of itself, in addition. */
bool book_own(struct book *book, enum book_metric metric, enum standing standing, uint64_t more);

/* That an engine has which makes one of each bucket: at most choice_series(), see book.c. */
uint64_t book_series(const struct book *book);

/* It has been written: of sums that are not cumulative the next ones begin. */
void book_written(struct book *book);

#endif /* COROPROF_PUSH_BOOK_H */
