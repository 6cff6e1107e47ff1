/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A label made two, while a recording is read: its slices, or its coroutines, that
 * have more of something than a threshold, and the rest. Records get another label
 * before they are added up, so that whatever is known of a label is known of both.
 * Those of which it is not known on which side they are get a third one: they are
 * in neither.
 *
 *   SLICES  a slice is on the side on which its own figure is. A gap is on the side
 *           of the slice that ends it, a sample on that of the slice it was taken in,
 *           which is not known if that one is lost, a span, with all in it, on that
 *           of the slice in which it ended.
 *   LIVES   a coroutine is on one side with all its slices. Which, the caller says:
 *           @lives. Of those that are not there, it is not known; they are put there.
 *
 * Beside that, it is counted on which threads slices of either side ran, and what held these
 * threads while such a slice was ready and waited for them.
 *
 * Slices are looked at in the order of time, by one thread: model_options.shards
 * is 1. Of a slice in pieces the side of the first depends on the last: where there may be such
 * slices, the recording is read once more, before, to find them.
 */
#ifndef COROPROF_SPLIT_H
#define COROPROF_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "profile/model.h"

enum split_by {
	SPLIT_WALL,
	SPLIT_RUNNING,
	SPLIT_PREEMPTED,
	SPLIT_BLOCKED,
	SPLIT_SUSPENDED,
	SPLIT_AWAITING,
	SPLIT_READY,
	SPLIT_COUNTER,
	SPLIT_NR
};

/**
 * struct split_name - a label of one process, and what it is made
 * @process: row
 * @label:   the number that its records have
 * @to:      by enum model_side_of: the number that they get
 */
struct split_name {
	uint32_t process;
	uint32_t label;
	uint32_t to[MODEL_SIDES];
};

/**
 * struct split_mark - a slice of the label, if samples are to find theirs
 * @begin_ns: of it
 * @end_ns:   likewise
 * @id:       of its coroutine
 * @side:     enum model_side_of
 */
struct split_mark {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t id;
	uint8_t side;
};

/**
 * struct split_marks - those of a channel, in order
 */
struct split_marks {
	struct split_mark *list;
	uint32_t nr;
};

/**
 * struct split_step - a slice of the label in pieces, see steps.h
 * @begin_ns: of the first
 * @end_ns:   of the last
 * @id:       of its coroutine
 * @flags:    of all of them
 * @known:    @value is
 * @side:     enum model_side_of, once the first piece is divided
 * @value:    what it has in all of what slices are divided by, unless that is before it
 */
struct split_step {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t id;
	uint16_t flags;
	bool known;
	uint8_t side;
	uint64_t value;
};

/**
 * struct split_steps - those of a channel, in order
 * @at: the one that was looked at last
 */
struct split_steps {
	struct split_step *list;
	uint32_t nr;
	uint32_t at;
};

/* So many slices of a thread are looked back at. In a longer wait it was held for more. */
#define SPLIT_RECENT	1024

/**
 * struct split_recent - one of any label that has ended
 * @holder: row of split.holders
 */
struct split_recent {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t holder;
};

/**
 * struct split_thread - of a channel
 * @slices: of the label, by enum model_side_of
 * @recent: the last of coroutines, as many as SPLIT_RECENT, in a ring; NULL: none yet
 * @nr:     how many there were
 */
struct split_thread {
	uint64_t slices[MODEL_SIDES];
	struct split_recent *recent;
	uint64_t nr;
};

/**
 * struct split_holder - slices of a label that held a thread
 * @row:  of split.model.labels; MODEL_NONE: none
 * @ns:   for how long in all, by side of the slices that waited
 */
struct split_holder {
	uint32_t row;
	uint64_t ns[MODEL_SIDES];
};

/**
 * struct split_counts - what is counted beside
 * @threads: by channel
 * @nr_threads: how many
 * @holders: labels of processes
 * @nr_holders: how many
 * @index:   (label, process) to holder
 * @short_of: waits were longer than what was looked back at
 */
struct split_counts {
	struct split_thread *threads;
	uint32_t nr_threads;
	struct split_holder *holders;
	uint32_t nr_holders;
	struct index index;
	bool short_of;
};

/**
 * struct split - what is asked for, and the work under way
 * @label:   name, as tables show it
 * @model:   of the same recording, whose labels have names
 * @lives:   sides of coroutines, by (id, process); NULL: slices are divided
 * @left_out: coroutines that had the label in a slice, of which it is not known
 * @by:      what slices are divided by: enum split_by
 * @counter: of SPLIT_COUNTER
 * @above:   more than this is SLOW
 * @measure: only what each slice has is put here, and nothing divided; or NULL
 * @counts:  what is counted where something is divided; the caller's to free
 * @names:   the labels
 * @nr_names: how many
 * @index:   (label, process) to name
 * @same:    (build_name.first, process) to the first name of those that say the same
 * @marks:   by channel; none where lives are divided, or nothing is sampled
 * @nr_marks: channels
 * @steps:   by channel
 * @finds_steps: nothing is divided: @steps are being found
 */
struct split {
	const char *label;
	const struct model *model;
	struct index *lives;
	uint64_t left_out;
	enum split_by by;
	uint32_t counter;
	uint64_t above;
	struct histogram *measure;
	struct split_counts counts;

	struct split_name *names;
	uint32_t nr_names;
	struct index index;
	struct index same;
	struct split_marks *marks;
	uint32_t nr_marks;
	struct split_steps *steps;
	bool finds_steps;
};

struct build;
struct record;

/* Finds the label to divide, and makes labels for the sides, once names are known. */
void split_begin(struct build *b);
/* Gives @slice, the next one of its coroutine, the label of its side. */
void split_slice(struct build *b, uint32_t channel, struct record *slice);
/* Notes a slice of several pieces that has ended. @sum: the sum of the pieces. */
void split_step(struct build *b, uint32_t channel, uint64_t begin_ns, const struct record *sum);
/* The label of the side that a sample of @label belongs to. Called after all slices. */
uint32_t split_sample(const struct build *b, uint32_t channel, uint64_t id, uint32_t label,
		      uint64_t time);
/* Frees memory of the division, but not the split that the caller asked for. */
void split_end(struct split *split);
/* Frees split.counts, which split_end() leaves to the caller. */
void split_free_counts(struct split *split);

/* True if the label, a row of split.model, is the one to divide. */
bool split_is(const struct split *split, const struct model_label *label);

#endif /* COROPROF_SPLIT_H */
