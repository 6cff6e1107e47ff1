/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile: what a shard of a recording adds up to. A shard is a part of the
 * sequence in which the merge gives the records of all rings, in order of time.
 * A recording may be cut into shards anywhere: each is added up alone, by
 * another processor for instance, and profile_merge() makes of the profiles of
 * two shards that follow each other that of both. Merging is associative,
 * and what it gives is what adding up both in one piece would have given.
 *
 * Beside its sums a profile therefore has two boundary states:
 *
 *  - The right boundary is what the records that follow need to know: how the last
 *    slice of each coroutine ended, and when, the spans that have ended in a span
 *    which goes on, how far each ring has been read.
 *  - The left boundary is what can't be settled without the records before it. It
 *    is kept as it came, and settled by the profile that it is merged with: the
 *    first slice of each coroutine (struct profile_first), the first of each
 *    channel, wakes by coroutines not seen yet, and spans that may have spans of
 *    the shard before in them (struct profile_span_op).
 *
 * A slice is reported when it has ended: what a coroutine wakes in its first one is reported
 * before its label is. Such wakes (struct profile_wake) are of both boundaries: the label
 * is the last one of the shard before or, if that knows none, the first that follows.
 *
 * The profile of a shard with which a recording begins has no left boundary:
 * whatever comes first in it is the first.
 *
 * This holds for rings that are in order. A profile says that it has seen what no
 * such ring has (@unordered): then its recording must be added up in one piece. It
 * holds as long as labels, spans, and pairs of wakes do not exceed their bounds,
 * which no usual recording comes near to; which rows a table without room has may
 * then depend on the cuts. Where the coroutine table is full, its rows are those of
 * the first coroutines seen, wherever cuts are; but of a coroutine without a row
 * that has ended, a wake by it, or by its first slice, or a span of it whose slice was
 * lost, may come with its label or without.
 *
 * A loss is known before the record that reports it, see look_for_gaps(); a
 * shard must know at its begin of those losses that were known before it and
 * last beyond that.
 */
#ifndef COROPROF_PROFILE_H
#define COROPROF_PROFILE_H

#include "base/index.h"
#include "cprof/records.h"
#include "profile/model.h"

struct build;
struct model_sum;

/**
 * struct profile_process - beside a struct model_process
 * @lost_until:       what this process ran before this time was not all seen
 * @missing_until:    a slice of it may be missing before this time: not only was a thread
 *                    not recorded for a while
 * @spans_lost_until: likewise as @lost_until a span
 * @generation:       number of @spans_lost_until, see profile.losses
 * @next_restart:     the first in build_process.restarts not yet reached
 * @coroutines:       sum
 */
struct profile_process {
	uint64_t lost_until;
	uint64_t missing_until;
	uint64_t spans_lost_until;
	uint32_t generation;
	uint32_t next_restart;
	uint64_t coroutines;
};

/* The rows of the timeline that a channel's slices were last added to. */
#define PROFILE_RECENT	16

/* So many of each kind are kept of what took longest. */
#define LONGEST_MOST	100

/**
 * struct longest - what took longest, of one kind: see longest.h
 * @nr:       how many; LONGEST_MOST at most
 * @least_ns: nothing shorter is wanted any more
 * @heap:     indices of @rows, a heap
 * @rows:     NULL as long as there is none
 * @sums:     of each row
 */
struct longest {
	uint32_t nr;
	uint64_t least_ns;
	uint8_t heap[LONGEST_MOST];
	struct model_longest *rows;
	struct model_sum *sums;
};

/**
 * struct heat_map_bucket - a bucket of it
 * @time:   its number
 * @key:    label and length
 * @slices: how many
 */
struct heat_map_bucket {
	uint64_t time;
	uint32_t key;
	uint64_t slices;
};

/**
 * struct heat_map - how many slices were how long, when: see heat-map.h
 * @coarser:  buckets are so many times twice as long as the smallest
 * @too_many: there are none, and will be none
 * @rows:     in the order in which they came
 * @nr:       how many
 * @capacity: for so many
 * @index:    (time, key) to row
 */
struct heat_map {
	unsigned int coarser;
	bool too_many;
	struct heat_map_bucket *rows;
	uint32_t nr;
	uint32_t capacity;
	struct index index;
};

/**
 * struct profile_step - a slice that the tool may have parted: its pieces so far, see steps.h
 * @pieces:   how many; 0: there is none
 * @first:    it may go on with what the shard before ended with
 * @tool:     the tool ran behind the last of them
 * @before:   flags of all but the last
 * @label:    row
 * @begin_ns: of the first
 * @sum:      of them: its time is that of the last
 */
struct profile_step {
	uint32_t pieces;
	bool first;
	bool tool;
	uint16_t before;
	uint32_t label;
	uint64_t begin_ns;
	struct record sum;
};

/**
 * struct profile_steps - of a channel whose process has a label of the tool
 * @open:       left boundary: nothing came yet, or one slice of the tool
 * @tool_first: likewise: such a slice came first
 * @goes_on:    the shard that this one is merged with ends with what @lead, or @held, goes
 *              on with
 * @seen:       likewise: it has slices of the same coroutine
 * @lead:       left boundary: the first slice, which has ended
 * @held:       right boundary: the last slice, which may go on. It is the first if @held.first
 */
struct profile_steps {
	bool open;
	bool tool_first;
	bool goes_on;
	bool seen;
	struct profile_step lead;
	struct profile_step held;
};

enum profile_channel_boundary {
	PROFILE_CHANNEL_SETTLED,	/* what came first has been settled */
	PROFILE_CHANNEL_OPEN,		/* nothing has come yet */
	PROFILE_CHANNEL_SLICE,		/* profile_channel.first is a slice */
	PROFILE_CHANNEL_LOST,		/* or a loss, up to its begin_ns */
};

/**
 * struct profile_channel - beside a struct model_channel
 * @process:    row
 * @restarts:   threads of the process were recorded more than once
 * @nr_counters: of the model
 * @nr_counted: likewise, if all of them are COUNTED in a slice that is counted; else 0
 * @absent:     bits of those that are UNSUPPORTED in a slice that is counted: in all channels
 * @standing:   under @standing_mask that of a slice that is counted: COUNTED, but for @absent ones.
 *              Where its counters are not those of the model, in the same order, no
 *              slice is counted
 * @standing_mask: see there
 * @unchanged_mask: with @unchanged: what the kind of an unchanged slice is, see slices.c: its
 *              counters are all COUNTED
 * @no_details_mask: likewise, of one without details
 * @unchanged:  record_kind() under @unchanged_mask, or under @no_details_mask
 * @tool:       build_process.tool
 * @times:      sum; of slices, pieces are counted
 * @pieces:     of these, those that go on with a slice
 * @steps:      NULL: there is no label of the tool
 * @outside_ns: sum
 * @tool_ns:    sum
 * @lost:       sum, of LOST records
 * @lost_spans: likewise
 * @spans:      sum
 * @broken:     slices that did not begin where the one before ended
 * @last_ns:    end of its last slice, lost ones included; 0 before the first, and
 *              after what could not be read
 * @drawn_ns:   the timeline goes so far
 * @boundary:   its left boundary
 * @interrupted: something could not be read before @first
 * @first:      what came first, as a row of the timeline
 * @slices:     timeline, and
 * @nr_slices:  its length
 * @capacity:   how many rows fit
 * @folded:     rows before this one are of buckets of profile.folded_to that have ended
 * @recent:     rows of it, by label
 */
struct profile_channel {
	uint32_t process;
	bool restarts;
	uint32_t nr_counters;
	uint32_t nr_counted;
	uint32_t absent;
	uint16_t standing;
	uint16_t standing_mask;
	uint64_t unchanged_mask;
	uint64_t no_details_mask;
	uint64_t unchanged;
	uint32_t tool;
	struct model_times times;
	uint64_t pieces;
	struct profile_steps *steps;
	uint64_t outside_ns;
	uint64_t tool_ns;
	uint64_t lost;
	uint64_t lost_spans;
	uint64_t spans;
	uint64_t broken;
	uint64_t last_ns;
	uint64_t drawn_ns;
	enum profile_channel_boundary boundary;
	bool interrupted;
	struct model_slice first;
	struct model_slice *slices;
	uint32_t nr_slices;
	uint32_t capacity;
	uint32_t folded;
	uint32_t recent[PROFILE_RECENT];
};

/**
 * struct profile_key - which label, or which spans
 * @process: row
 * @key:     of the name, see name_key()
 */
struct profile_key {
	uint32_t process;
	uint64_t key;
};

/* Most slices have one of few labels: their rows are remembered here. */
#define PROFILE_LABEL_CACHE	64

/**
 * struct profile_label - an entry of the cache
 * @number:   of the label, and whether it is a thread's
 * @process:  row
 * @row_or_0: row of the label plus 1; 0 in an empty entry, and for MODEL_NONE
 */
struct profile_label {
	uint64_t number;
	uint32_t process;
	uint32_t row_or_0;
};

/* How the last slice of a coroutine ended: as its flags say. */
#define LEFT_READY		COROPROF_SLICE_READY
#define LEFT_CUT		COROPROF_SLICE_CUT

/* Beside that: its sums, and those of the label that it has, have seen a slice that is counted. */
#define LEFT_COUNTED		(1u << 31)

/**
 * struct profile_coroutine - beside a struct model_coroutine
 * @left:        LEFT_*
 * @number:      number of its label
 * @first_label: row of its first label
 * @first:       in profile.firsts, or MODEL_NONE if that has been settled
 * @next_free:   if it is none, but a free entry: the next
 */
struct profile_coroutine {
	uint32_t left;
	uint32_t number;
	uint32_t first_label;
	uint32_t first;
	uint32_t next_free;
};

/* The entries of so many coroutines that ran last are found without a search. */
#define PROFILE_RECENT_ENTRIES	131072u

/**
 * struct profile_first - a coroutine's first slice in the shard
 * @begin_ns:    of it
 * @wake_ns:     when it was woken, or 0
 * @waker:       id of the coroutine that woke it
 * @lost_until:  profile_process.lost_until then
 * @missing_until: likewise
 * @label:       row
 * @waker_label: row of the waker's label, if not @waker_open
 * @channel:     row
 * @flags:       COROPROF_SLICE_*
 * @waker_open:  no slice of the waker had been seen
 * @goes_on:     it is a piece of the coroutine's last slice in the shard before
 */
struct profile_first {
	uint64_t begin_ns;
	uint64_t wake_ns;
	uint64_t waker;
	uint64_t lost_until;
	uint64_t missing_until;
	uint32_t label;
	uint32_t waker_label;
	uint32_t channel;
	uint16_t flags;
	bool waker_open;
	bool goes_on;
};

/**
 * struct profile_wake - wakes by a coroutine of which no slice had ended yet
 * @waker:   its id; 0 in a free row
 * @process: its process, and that of those it woke
 * @next:    by the same waker, or the next free row; or MODEL_NONE
 * @first:   of one wake before a first slice that the shard before settles: that one,
 *           in profile.firsts, and @wake means nothing. Else MODEL_NONE
 * @wake:    sums; @wake.waker means nothing
 */
struct profile_wake {
	uint64_t waker;
	uint32_t process;
	uint32_t next;
	uint32_t first;
	struct model_wake wake;
};

/**
 * struct profile_node - spans of one name below one parent
 * @span:       row, MODEL_NONE for those that were not seen to end
 * @children:   the first of those in it
 * @next:       of those below the same parent
 * @depth:      of pending ones: as reported
 * @generation: of pending ones: profile_process.generation
 * @lost_until: likewise: profile_process.spans_lost_until
 * @at_most:    spans in it may be missing
 * @calls:      how many
 * @wall_ns:    sum
 * @running_ns: sum
 * @begin_ns:   the least
 */
struct profile_node {
	uint32_t span;
	uint32_t children;
	uint32_t next;
	uint32_t depth;
	uint32_t generation;
	bool at_most;
	uint64_t lost_until;
	uint64_t calls;
	uint64_t wall_ns;
	uint64_t running_ns;
	uint64_t begin_ns;
};

enum profile_span_op_kind {
	PROFILE_SPAN_ENDED,	/* a span of less depth than any before */
	PROFILE_SPAN_SLICE,	/* after that, a slice of the coroutine ended */
	PROFILE_SPAN_LAST,	/* the coroutine ended */
};

/**
 * struct profile_span_op - what concerns spans of the shard before
 * @kind:       what happened
 * @next:       what did next, or MODEL_NONE
 * @node:       ENDED: the span, with those of this shard that are in it
 * @label:      of the slice
 * @depth:      ENDED: of the span, as are the others
 * @channel:    it ended on
 * @begin_ns:   its begin
 * @wall_ns:    from there to its end
 * @running_ns: of that on a CPU
 * @lost_until: profile_process.spans_lost_until then
 * @since:      since when the coroutine's spans were reported; 0: since the last
 *              slice of the channel in the shard before
 */
struct profile_span_op {
	enum profile_span_op_kind kind;
	uint32_t next;
	uint32_t node;
	uint32_t label;
	uint32_t depth;
	uint32_t channel;
	uint64_t begin_ns;
	uint64_t wall_ns;
	uint64_t running_ns;
	uint64_t lost_until;
	uint64_t since;
};

/**
 * struct profile_pending - spans of one coroutine that have no parent yet
 * @id:          the coroutine
 * @process:     row
 * @used:        it is one
 * @after_slice: a slice of it ended before the first of its spans
 * @inner:       those in a span that goes on, the deepest first
 * @outer:       those in none
 * @unseen:      node for those in spans that were not seen to end
 * @least_depth: spans of less depth may have spans of the shard before in them
 * @first_op:    the left boundary, in order; MODEL_NONE if there is none
 * @last_op:     its end
 */
struct profile_pending {
	uint64_t id;
	uint32_t process;
	bool used;
	bool after_slice;
	uint32_t inner;
	uint32_t outer;
	uint32_t unseen;
	uint32_t least_depth;
	uint32_t first_op;
	uint32_t last_op;
};

/* Most wakes are among the first labels: their rows are found without a search. */
#define PROFILE_WAKE_LABELS	32u

/**
 * struct profile - what a shard adds up to
 * @begins:        nothing comes before it: it has no left boundary
 * @unordered:     it has what no honest ring has, see above
 * @begin_ns:      time of its first record
 * @processes:     beside model.processes
 * @channels:      beside model.channels
 * @channel_sums:  of these
 *
 * @labels, @label_keys, @label_sums, @nr_labels: rows, without names
 * @on_cpu_histograms: of each label: lengths of slices that are both RUNNING and HELD, of
 *                 coroutines that were never off the CPU in them; until no slice
 *                 follows. NULL if there is none
 * @label_index:   (key, process) to row
 * @label_cache:   some of that
 * @other_label:   row of MODEL_LABEL_OTHER, or MODEL_NONE
 *
 * @coroutines, @coroutine_sums: rows, in order of appearance; beyond
 *                 options.coroutines are those that have no row, but are tracked
 * @beside:        beside each of them
 * @coroutine_index: (id, process) to entry
 * @recent_entries: some of that: see coroutine_recent()
 * @nr_entries:    entries used
 * @free_entry:    list of free entries, or MODEL_NONE
 * @nr_folded:     coroutines without a row
 * @nr_coroutines: all of them
 * @firsts, @nr_firsts: left boundary
 *
 * @wakes, @nr_wakes, @wake_index: rows, by (waker, woken)
 * @wake_rows:     some of them: row plus 1, by row of the waker's label plus 1, 0
 *                 for none, and row of the woken one's
 * @nr_dropped_wakes: those without a row
 * @open_wakes, @nr_open_wakes, @free_open_wake: wakes by coroutines whose label is
 *                 not known yet: the shard before may know it, or what follows
 * @open_wake_index: (waker, row of the woken one's label) to row
 * @open_waker_index: (waker, process) to the first of the rows of the waker
 *
 * @longest:       by enum model_latency
 * @heat_map:      see there
 *
 * @resolution:    of the timeline; 0 if each slice has a row
 * @folded_to:     what that was when rows of one bucket last became one; 0: they never have
 * @nr_slices:     rows of it, all channels
 * @settle_at:     with more of them than this, timeline_settle() is due
 * @timeline_spans, @nr_timeline_spans: spans that are not shorter than
 * @timeline_spans_least_ns: see timeline-spans.c
 *
 * @spans, @nr_spans, @span_index: rows of model.spans, by (key, process)
 * @span_histograms: of each: its calls, from begin to end
 * @nodes, @node_sums, @nr_nodes, @free_node: pool of struct profile_node
 * @node_squares: beside it, squares_stride() of each: as model.label_span_squares
 * @node_index:    to find them in
 * @roots, @nr_roots: for each label, the first node of its call tree
 * @pending, @nr_pending, @free_pending, @nr_pending_used, @pending_index: of
 *                 coroutines, by (id, process)
 * @ops, @nr_ops, @free_op: left boundary
 * @losses, @nr_losses: each spans_lost_until, to its number
 * @calls:       spans of each coroutine, by (id, process), where squares are asked for
 * @nr_span_calls, @lost_spans, @dropped_spans, @impossible_spans: sums
 * @borrows:     its histograms are another profile's
 */
struct profile {
	bool begins;
	bool unordered;
	uint64_t begin_ns;
	struct profile_process *processes;
	struct profile_channel *channels;
	struct model_sum *channel_sums;

	struct model_label *labels;
	struct profile_key *label_keys;
	struct model_sum *label_sums;
	struct histogram **on_cpu_histograms;
	uint32_t nr_labels;
	struct index label_index;
	struct profile_label label_cache[PROFILE_LABEL_CACHE];
	uint32_t other_label;

	struct model_coroutine *coroutines;
	struct model_sum *coroutine_sums;
	struct profile_coroutine *beside;
	struct index coroutine_index;
	uint32_t recent_entries[PROFILE_RECENT_ENTRIES];
	uint32_t nr_entries;
	uint32_t free_entry;
	uint64_t nr_folded;
	uint64_t nr_coroutines;
	struct profile_first *firsts;
	uint32_t nr_firsts;

	struct model_wake *wakes;
	uint32_t nr_wakes;
	struct index wake_index;
	uint32_t wake_rows[PROFILE_WAKE_LABELS][PROFILE_WAKE_LABELS];
	uint64_t nr_dropped_wakes;
	struct profile_wake *open_wakes;
	uint32_t nr_open_wakes;
	uint32_t free_open_wake;
	struct index open_wake_index;
	struct index open_waker_index;

	struct longest longest[MODEL_LATENCY_NR];
	struct heat_map heat_map;

	uint64_t resolution;
	uint64_t folded_to;
	uint64_t nr_slices;
	uint64_t settle_at;
	struct model_timeline_span *timeline_spans;
	uint32_t nr_timeline_spans;
	uint64_t timeline_spans_least_ns;

	struct profile_key *spans;
	struct histogram **span_histograms;
	uint32_t nr_spans;
	struct index span_index;
	struct profile_node *nodes;
	struct model_sum *node_sums;
	model_squares *node_squares;
	uint32_t nr_nodes;
	uint32_t free_node;
	struct index node_index;
	uint32_t *roots;
	uint32_t nr_roots;
	struct profile_pending *pending;
	uint32_t nr_pending;
	uint32_t free_pending;
	uint32_t nr_pending_used;
	struct index pending_index;
	struct profile_span_op *ops;
	uint32_t nr_ops;
	uint32_t free_op;
	struct index losses;
	struct index calls;
	uint32_t nr_losses;
	uint64_t nr_span_calls;
	uint64_t lost_spans;
	uint64_t dropped_spans;
	uint64_t impossible_spans;
	bool borrows;
};

/**
 * struct rows - for each row of a profile that is merged, where it goes
 * @labels: rows, likewise
 * @spans:  rows
 * @entries: of coroutines; MODEL_NONE if there is none
 */
struct rows {
	uint32_t *labels;
	uint32_t *spans;
	uint32_t *entries;
};

static inline uint32_t row_to(const uint32_t *rows, uint32_t row)
{
	return row == MODEL_NONE || !rows ? row : rows[row];
}

/* A record of this time comes next. */
static inline void profile_reach(struct profile *p, uint64_t time)
{
	/* Only of the first one, or of one before that: 0 - 1 is the greatest. */
	if (p->begin_ns - 1 < time)
		return;
	/* What the shard before has settled was settled without it. */
	if (p->begin_ns)
		p->unordered |= time < p->begin_ns;
	else
		p->begin_ns = time;
}

/* An empty one, of a build whose streams are read. NULL when out of memory. */
struct profile *profile_new(struct build *b, bool begins);
void profile_free(const struct build *b, struct profile *p);

/*
 * A profile to be merged with the one before it, which is all that can be done with it. It has the
 * histograms of @from, which stays as it is. @from: of a build of the first @nr_processes processes
 * of this one, and of @nr_channels channels, which have these @rows here, MODEL_NONE if none, without
 * a timeline. Where rows differ, there are at most 64 in both. NULL when out of memory.
 */
struct profile *profile_copy(struct build *b, const struct profile *from, uint32_t nr_processes,
			     const uint32_t *rows, uint32_t nr_channels);
/*
 * Nothing is added any more, and it is copied only: gives back memory. False when out of memory: then
 * it can be merged as it is as well.
 */
bool profile_trim(struct profile *p);
/* Bytes that a trimmed one takes; @b: that it was made of. */
size_t profile_bytes(const struct build *b, const struct profile *p);

/*
 * Makes of build.profile that of its shard and the one of @next, which follows;
 * @next is freed.
 */
void profile_merge(struct build *b, struct profile *next);

/* Moves what build.profile has to the model. Nothing may be added any more. */
void profile_finish(struct build *b);

#endif /* COROPROF_PROFILE_H */
