/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the making of a model needs and its readers don't. It goes in three steps:
 *
 *  1. What there is, in the order of the file: the same for all shards of the
 *     rings, which only read it.
 *
 *       info       INFO, COUNTERS and END segments
 *       counters    the counters; what is counted, and how well
 *       streams    processes and channels, from STREAM segments
 *       names      what LABEL records say
 *       maps       MAPS segments
 *       checks     STATUS segments; do the sums agree
 *       kept       BASE and COROUTINES segments, of a recording of the last seconds
 *       totals     TOTALS segments, in place of rings
 *       damage     what could not be read
 *
 *  2. The rings, added up to a profile: see profile.h.
 *
 *       part       which of them
 *       shards  who adds up which
 *       merge      the rings of all channels, in order of time
 *       slices     one slice: everything it adds to
 *       steps      pieces that are one slice
 *       labels     labels
 *       coroutines the coroutine table
 *       gaps       time between slices
 *       wakes      who wakes whom
 *       timeline   the timeline
 *       timeline-spans    spans one by one
 *       timeline-samples  samples one by one
 *       latency    how long things took
 *       worst      what took longest
 *       heat       how many slices were how long, when
 *       split      a label made two, if that is asked for
 *       spans      spans, and how they nest
 *       samples    samples: whose they are, what their callers were
 *       profile    all of it: shards become one
 *
 *  3. What follows from the sums.
 *
 *       span-tables  tables of spans
 *       frames     addresses to functions
 *       resolve    names for labels and spans that are code addresses
 *       modes      how threads switch, and why so
 *       costs      what recording cost
 *       used       what processes used of the CPUs beside what was recorded
 *       add        several recordings in one model
 *
 *  What is stored is described in schema.
 *
 * Functions that run out of memory set build.out_of_memory and do what they can
 * without; model_load() then fails.
 */
#ifndef COROPROF_BUILD_H
#define COROPROF_BUILD_H

#include "base/error.h"
#include "base/index.h"
#include "base/util.h"
#include "cprof/decode.h"
#include "cprof/file.h"
#include "cprof/format.h"
#include "cprof/records.h"
#include "profile/model.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

#define BUILD_DAMAGE_MAX	100
#define BUILD_CHANNELS_MAX	65536
#define BUILD_PROCESSES_MAX	65536
#define BUILD_WAKES_MAX		65536
#define BUILD_OPEN_WAKES_MAX	(1u << 20)
#define BUILD_NAMES_MAX		262144
#define BUILD_SPANS_MAX		65536

/**
 * struct model_sum - what one counter counted in one row of a table
 * @count:      sum, as counted
 * @missing_ns: how much of the row's running time it was not on the PMU
 * @seen:       bit n: a slice had standing n; SUM_ELSEWHERE: the row has slices
 *              of channels without this counter; SUM_SHARED: and such as RECORD_CUT
 */
struct model_sum {
	uint64_t count;
	uint64_t missing_ns;
	uint64_t seen;
};

#define SUM_COUNTED	(1u << COROPROF_STANDING_COUNTED)
#define SUM_SCALED	(1u << COROPROF_STANDING_SCALED)
#define SUM_ELSEWHERE	(1u << 4)
#define SUM_SHARED	(1u << 5)

#define BUILD_TOOLS	UINT32_MAX

/**
 * struct build_process - beside a struct model_process
 * @unseen:      there are threads of which slices are not reported
 * @adapters:    how many have said that they report it
 * @probed:      probes report it
 * @tool:        number of the label MODEL_NAMING; 0: none, BUILD_TOOLS: there are several
 * @restarts:    when threads that had been recorded before were so again, sorted
 *               once all are known
 * @nr_restarts: how many
 * @slots:       in a recording of totals, what its slots add up to; no sum wraps
 * @slots_count: likewise, for each counter of @counts_as; but the program's own does
 * @counts_as:   a channel of it, of which all have the same counters; or MODEL_NONE
 * @cpu:         the last that the file says of what it used
 * @has_cpu:     it does
 */
struct build_process {
	bool unseen;
	uint32_t adapters;
	bool probed;
	uint32_t tool;
	uint64_t *restarts;
	uint32_t nr_restarts;
	struct model_times slots;
	uint64_t slots_count[COROPROF_COUNTERS_MAX];
	uint32_t counts_as;
	struct cprof_cpu cpu;
	bool has_cpu;
};

/**
 * struct build_name - what a LABEL record says
 * @text:  its text, printable
 * @flags: COROPROF_LABEL_*
 * @value: address
 * @first: the first of the process that says the same
 * @side:  enum model_side_of
 */
struct build_name {
	char *text;
	uint32_t flags;
	uint64_t value;
	uint32_t first;
	uint8_t side;
};

/**
 * struct build_channel - beside a struct model_channel
 * @begun:        a CHANNEL record said what it is
 * @has_status:   @status is that of a STATUS segment
 * @elsewhere:    counters that its slices do not carry
 * @nr_elsewhere: how many
 * @announced_samples: samples lost according to LOST records
 * @reason:       COROPROF_REASON_*
 * @status:       the last one
 * @base:         what to subtract from it: see kept.c
 * @has_base:     there is that
 * @segments:     those of its ring, in order
 * @nr_segments:  how many
 */
struct build_channel {
	bool begun;
	bool has_status;
	uint8_t elsewhere[MODEL_COUNTERS_MAX];
	uint8_t nr_elsewhere;
	uint64_t announced_samples;
	uint16_t reason;
	struct coroprof_channel_status status;
	struct coroprof_channel_status base;
	bool has_base;
	uint32_t *segments;
	uint32_t nr_segments;
};

/**
 * struct build_truncated - what the recorder could not read
 * @offset:     of the segment that says so
 * @channel_id: in whose ring it was
 * @text:       what it was, printable
 */
struct build_truncated {
	uint64_t offset;
	uint32_t channel_id;
	char *text;
};

struct frames;

/* So many shards are added up at once, at most. */
#define SHARDS_MAX	8u

/**
 * struct row_counts - rows of the timeline that shards have which are added up at once
 * @nr:   shards
 * @published: of each, by its own thread: so many rows at least it adds to the timeline
 *        in buckets of some size or smaller ones, and in the lowest ROW_COUNTS_BITS
 *        which: the n of its 2^n nanoseconds
 *
 * It is of whoever made the shards, and lasts as long as their threads. A shard's
 * thread alone stores its element; all load all of them, without a lock, and in no
 * order: each says something of its own, and what was so once stays so.
 */
struct row_counts {
	uint32_t nr;
	uint64_t published[SHARDS_MAX];
};

#define ROW_COUNTS_BITS	6

/**
 * struct build - a model under way
 * @model:         the model
 * @file:          what it is made of
 * @options:       without zeroes
 * @out_of_memory: it can't be completed
 * @from:          what was from here on is added up
 * @to:            up to here; UINT64_MAX for all
 * @of_shard:      this one is for one of several threads, and all but @profile is
 *                 shared with others
 * @in_vain:       likewise: one of them, any, is not in order. NULL if it is not
 * @processes:     beside model.processes; of the same length, as are
 * @channels:      beside model.channels
 * @process_index: process_id to row
 * @channel_index: channel_id to row
 * @thread_index:  (tid, process) to the row of the thread's last channel
 * @names:         what LABEL records say
 * @nr_names:      how many
 * @name_index:    (number of a label, process) to name
 * @text_index:    (hash of a name, process) to the first one
 * @truncated:     what the recorder says of rings it could not read to their end
 * @nr_truncated:  how many
 * @end_ns:        when the recording was ended, 0 if the file does not say
 * @carried:       coroutines that began before a recording of the last seconds does
 * @nr_carried:    how many
 * @carried_index: (id, process) to carried
 * @symbols:       to look functions up, or NULL as long as nobody has
 * @profile:       of the rings, as far as they are added up
 * @nr_shards:     how many there were that it was made of
 * @row_counts:    of the shards that are added up at once, or NULL
 * @shard:         which of them this is
 * @split:         a label is made two: see split.h. Or NULL
 */
struct build {
	struct model *model;
	struct file *file;
	struct model_options options;
	bool out_of_memory;
	uint64_t from;
	uint64_t to;
	bool of_shard;
	bool *in_vain;
	struct build_process *processes;
	struct build_channel *channels;
	struct index process_index;
	struct index channel_index;
	struct index thread_index;
	struct build_name *names;
	uint32_t nr_names;
	struct index name_index;
	struct index text_index;
	uint64_t ring_bytes;
	uint64_t ring_bytes_done;
	struct build_truncated *truncated;
	uint32_t nr_truncated;
	uint64_t end_ns;
	struct cprof_coroutine *carried;
	uint32_t nr_carried;
	struct index carried_index;
	struct symbols *symbols;
	struct profile *profile;
	uint32_t nr_shards;
	struct row_counts *row_counts;
	uint32_t shard;
	struct split *split;
};

/* Step 1, and the end of it all but for the model, which is the caller's. */
void build_begin(struct build *b, struct file *file,
		 const struct model_options *options);
void build_end(struct build *b);

/* Whether spans and samples of the coroutine are, or all that it did. */
static inline bool build_wants(const struct build *b, uint32_t process, uint64_t id)
{
	return !b->options.selected || index_get(b->options.selected, id, process) != INDEX_NONE;
}

/* It is not all of the recording that is added up. */
static inline bool is_part(const struct build *b)
{
	return b->from || b->to != UINT64_MAX;
}

/*
 * Of a slice, in record.flags, where part_clip() was: a part of it was taken away; all of it
 * was. Elsewhere a file may have these bits without a meaning.
 */
#define RECORD_CUT	(1u << 15)
#define RECORD_OUTSIDE	(1u << 14)

static inline bool is_cut(const struct build *b, const struct record *s)
{
	return s->flags & RECORD_CUT && is_part(b);
}

static inline bool is_outside(const struct build *b, const struct record *s)
{
	return s->flags & RECORD_OUTSIDE && is_part(b);
}

/*
 * Makes room for one more element behind @nr: false when out of memory. *@array
 * then is as it was.
 */
bool build_grow(struct build *b, void *array, size_t nr, size_t size);
/* printable(), which is never NULL while memory lasts. */
char *build_text(struct build *b, const char *text, size_t size);
/* printf() into new memory. */
char *build_format(struct build *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* damage */
void damage_add(struct build *b, uint64_t offset, uint32_t channel,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Of a segment so many records were read, and no more can be. It is not known how many are behind
 * one whose size is wrong: the segment counts those up to it.
 */
void segment_cut(struct build *b, const struct file_segment *segment, uint32_t read);

/* A segment can't be read: it counts as damage of the channel, if it has one. */
void segment_unread(struct build *b, const struct file_segment *segment,
		    uint32_t channel, const char *what, const struct error *err);

/* info */
void info_add(struct build *b, uint64_t offset, const char *payload,
	      size_t size);
void info_counters(struct build *b, uint64_t offset, const void *payload,
		   size_t size);
void info_end(struct build *b, const void *payload, size_t size);
void info_finish(struct build *b);
const char *info_value(const struct model *m, const char *key);
/* Once channels are known: what the recorder could not read of their rings. */
void info_truncated(struct build *b);

/* used */
void used_add(struct build *b, const void *payload, size_t size);
void used_finish(struct build *b);

/* counters */
/* The row of a counter, made if need be; MODEL_NONE when there is no room. */
uint32_t counter_of(struct build *b, const struct coroprof_counter *counter);
void counter_of_session(struct build *b, const struct coroprof_counter *counter,
			const char *name, size_t size);
void counters_of_channel(struct build *b, uint32_t channel,
			 const struct coroprof_counter_state *states,
			 uint32_t nr);
void counters_finish(struct build *b);
void counters_of_ipc(struct model *m);
bool same_counter(const struct coroprof_counter *a,
		  const struct coroprof_counter *b);

/**
 * struct sum_rows - rows that the same counts are added to
 * @nr:  how many
 * @row: the first sum of each
 */
struct sum_rows {
	uint32_t nr;
	struct model_sum *row[3];
};

/* Adds what a slice, or a span, of this channel counted. */
void sums_add(const struct build *b, const struct sum_rows *to,
	      uint32_t channel, const struct record *s);
/* Adds of that only how well they were counted. */
void sums_see(const struct build *b, struct model_sum *to, uint32_t channel,
	      const struct record *s);
void sums_add_span(const struct build *b, struct model_sum *to,
		   uint32_t channel, const struct record *s);
/* Adds one row to another. */
void sums_merge(const struct build *b, struct model_sum *to,
		const struct model_sum *from);
/* How many sums of squares a node of spans has: none, unless somebody compares. */
static inline uint32_t squares_stride(const struct build *b)
{
	return b->options.squares ? MODEL_SQUARE_COUNTERS + 2 * b->model->nr_counters : 0;
}

/* What is in a span can't be more than the span: a program may lie. */
static inline uint64_t less_within(uint64_t all, uint64_t part)
{
	return part < all ? all - part : 0;
}

/* How many sums a row has; at least 1, so that arrays are never of size 0. */
static inline uint32_t sums_stride(const struct build *b)
{
	return b->model->nr_counters ? b->model->nr_counters : 1;
}


/* streams */
void stream_add(struct build *b, uint64_t offset, const void *payload,
		size_t size);
uint32_t process_of(struct build *b, uint32_t process_id);
/* The row of a channel, MODEL_NONE if no record reports it. */
static inline uint32_t channel_find(const struct build *b, uint32_t channel_id)
{
	return index_get(&b->channel_index, channel_id, 0);
}

void streams_finish(struct build *b);

/* names */
void name_define(struct build *b, uint32_t process,
		 const struct coroprof_record_label *record);
/*
 * The same for all numbers with the same text in a process; name_of_key() is NULL
 * if that is not in the file.
 */
uint64_t name_key(const struct build *b, uint32_t process, uint32_t number);
const struct build_name *name_of_key(const struct build *b, uint64_t key);
/* The text to show, the path of the object, and the address in that. */
void name_fill(struct build *b, const struct build_name *name, char **text,
	       char **object, uint64_t *address, const char **unresolved);

/* labels */
/* The row for what threads of a process ran that is in no slot: see MODEL_LABEL_REST. */
uint32_t label_of_rest(struct build *b, uint32_t process);
/* The row for coroutines, or for threads, that have a label. */
uint32_t label_of(struct build *b, uint32_t process, uint32_t number,
		  bool thread);
/* For each row of @from, that of build.profile; NULL when out of memory. */
uint32_t *labels_merge(struct build *b, const struct profile *from);
/* No slice follows: those of profile.straight go where they belong. */
void labels_settle(struct build *b);
void labels_finish(struct build *b);

/* maps */
typedef void (*maps_take)(struct build *b, void *context, uint32_t process,
			  const struct cprof_map *map, const char *path);
/* In the order of the file; the path has no NUL. */
void maps_for_each(struct build *b, maps_take take, void *context);

/*
 * Why the file of an object can't be known, or NULL: by its name alone it may be
 * another one where the process has another root directory. After maps_for_each().
 */
const char *maps_object_fault(const struct build *b, uint32_t process,
			      bool mapped, size_t build_id_len);

/* resolve */
/* NULL when out of memory. */
struct symbols *build_symbols(struct build *b);
void names_resolve(struct build *b);

/* merge */
/*
 * Adds the records of all rings in order of time: of each those from the first
 * that ended at @from or later, up to the first that did at @to or later; from 0
 * to UINT64_MAX all. In a file of version 2 all records are before any time but 0.
 * It reads what other threads may read at the same time, and writes what is added
 * up, the damage and the progress.
 */
void merge_rings(struct build *b, uint64_t from, uint64_t to);

/* part */
/*
 * Takes away what of the slices from @s up to @end, of a channel with so many counters, is not
 * between build.from and build.to. Of a part only.
 */
void part_clip(const struct build *b, struct record *s, const struct record *end,
	       uint32_t nr_counters);
/* Sets build.from and build.to as the options ask for. */
int part_begin(struct build *b, struct error *err);
/* Once the model is made. */
void part_finish(struct build *b);

/* shards */
/* Makes build.profile of all rings, by as many threads as there are processors. */
void shards_add(struct build *b);

/* slices */
/*
 * Its counters are those of the model, in the same order, and all are COUNTED but for
 * those that are nowhere.
 */
static inline bool slice_is_counted(const struct profile_channel *c, const struct record *s)
{
	return (s->standing & c->standing_mask) == c->standing;
}

/*
 * The slice @s, and those that follow it in order of time without another record
 * between them, up to @end, or up to the first that ended at @until or later: to all
 * but the sums of their channel. Returns the record behind them.
 */
const struct record *slices_add(struct build *b, uint32_t channel,
				const struct record *s, const struct record *end,
				uint64_t until);
/* To those: the slices among the records from @s up to @end, in any order. */
void channel_add(struct build *b, uint32_t channel, const struct record *s,
		 const struct record *end);
/* No slice follows in the shard: labels have all of their sums. */
void slices_end(struct build *b);
void slice_lost(struct build *b, uint32_t channel,
		const struct record *lost);
/* Something could not be read: nobody knows where the next slice begins. */
void channel_interrupt(struct build *b, uint32_t channel);

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

void channels_merge(struct build *b, struct profile *from,
		    const struct rows *rows);

/* coroutines */
/* Where in profile.recent_entries the entry of a coroutine is, if it is there. */
static inline uint32_t recent_entry(uint32_t process, uint64_t id)
{
	return ((uint32_t)id + 31 * process) % PROFILE_RECENT_ENTRIES;
}

/* The entry of one of those that ran last, or MODEL_NONE: a free entry has no process. */
static inline uint32_t coroutine_recent(const struct profile *p, uint32_t process,
					uint64_t id)
{
	uint32_t entry = p->recent_entries[recent_entry(process, id)];
	const struct model_coroutine *c;

	/* Before there is one, there is no array to be in. */
	if (entry >= p->nr_entries)
		return MODEL_NONE;
	c = &p->coroutines[entry];
	return c->id == id && c->process == process ? entry : MODEL_NONE;
}

static inline uint32_t coroutine_entry(const struct profile *p, const struct model_coroutine *c)
{
	return (uint32_t)(c - p->coroutines);
}

/* Of the coroutine at @entry: what it counted. */
static inline struct model_sum *coroutine_sums(const struct build *b, const struct profile *p,
					       uint32_t entry)
{
	return &p->coroutine_sums[(size_t)entry * sums_stride(b)];
}

/* An entry that leads to no coroutine yet but is found as the one of this; MODEL_NONE if there is no room. */
uint32_t coroutine_take_entry(struct build *b, uint32_t process, uint64_t id);
/* Its entry, a new one if need be, MODEL_NONE if there is no room; then it is recent. */
uint32_t coroutine_search(struct build *b, uint32_t process, uint64_t id);
/*
 * Has the processor fetch the rows of the coroutines of @nr records, before these are
 * added: of many coroutines, most are in no near cache.
 */
void coroutines_fetch(const struct build *b, uint32_t process, const struct record *s,
		      uint32_t nr);
/* NULL if it is not known. */
struct model_coroutine *coroutine_find(const struct profile *p,
				       uint32_t process, uint64_t id);
/* No shard before knows of it, not even of its spans. @c may be NULL. */
bool coroutine_is_of_shard(const struct profile *p,
			   const struct model_coroutine *c);
/*
 * A slice adds to its coroutine what its label is to have as well: times and counts.
 * The label gets them when no slice follows, or when the coroutine gives up its entry.
 */
void coroutines_settle(struct build *b);
void coroutine_settle(struct build *b, uint32_t entry);
/* It gets this label: what it has by now is that of its old one. */
void coroutine_rename(struct build *b, uint32_t entry, uint32_t label);
/* Its END was seen: the entry of one without a row may be free. */
void coroutine_end(struct build *b, struct model_coroutine *c);
/* Its entry, if it keeps it for the table's sake, or MODEL_NONE. */
uint32_t coroutine_row(const struct build *b, const struct model_coroutine *c);
/* Likewise of the one at @entry, MODEL_NONE if there is none. */
uint32_t coroutine_row_at(const struct build *b, uint32_t entry);

/* The row at @entry of the finished table, or MODEL_NONE if that has no room for it. */
static inline uint32_t coroutine_in_table(const struct build *b, uint32_t entry)
{
	return entry < b->options.coroutines ? entry : MODEL_NONE;
}

/* The first slices of @from: with the last ones before them. */
void firsts_merge(struct build *b, struct profile *from,
		  const struct rows *rows);
void coroutines_merge(struct build *b, const struct profile *from,
		      struct rows *rows);
void coroutines_finish(struct build *b);

/* wakes */
/**
 * struct wake - a coroutine was made ready
 * @process: row
 * @woken:   row of its label
 * @waker:   id of the coroutine that did that, or 0
 */
struct wake {
	uint32_t process;
	uint32_t woken;
	uint64_t waker;
};

/* The sums of @count wakes: @waker is the row of a label, or MODEL_NONE. */
void wake_sum(struct build *b, uint32_t waker, uint32_t woken,
	      const struct model_wake *sums);
/* Likewise, by a coroutine that only the shard before may know, or what follows. */
void wake_sum_open(struct build *b, const struct wake *wake,
		   const struct model_wake *sums);
/* Likewise, a wake before a first slice, whose row is not settled yet. */
void wake_open_first(struct build *b, const struct wake *wake, uint32_t first);
/*
 * Sets the row of the label of a waker, MODEL_NONE for none. False if only the
 * shard before may know it, or what follows: no slice of the waker has ended yet.
 */
bool waker_label(const struct profile *p, const struct wake *wake,
		 uint32_t *label);
/* What a coroutine woke before its first slice of all had ended, of this label, is that label's. */
void wakes_settle(struct build *b, uint32_t process, uint64_t waker, uint32_t label);
void wakes_merge(struct build *b, const struct profile *from,
		 const struct rows *rows);
/* Largest count first. */
void wakes_sort(struct model_wake *wakes, uint32_t nr);
void wakes_finish(struct build *b);

/* timeline */
/* A slice as a row of it. */
void timeline_row(const struct build *b, struct model_slice *row,
		  uint32_t channel, uint32_t coroutine, uint32_t label,
		  const struct record *s);
void timeline_add(struct build *b, const struct model_slice *row);
/* Adds what timeline_row() makes of a slice of the coroutine at @entry. */
void timeline_slice(struct build *b, uint32_t channel, uint32_t entry, uint32_t label,
		    const struct record *s);
/* Likewise of one that goes on with a slice. */
void timeline_piece(struct build *b, uint32_t channel, uint32_t entry, uint32_t label,
		    const struct record *s);
/* One of the slices of the row goes on with one before. */
void timeline_goes_on(struct model_slice *row);
void timeline_lost(struct build *b, uint32_t channel, uint64_t begin,
		   uint64_t end);
/*
 * Has both shards use buckets of one size, as large as what they add up to needs at
 * least: so few rows are put together.
 */
void timeline_align(struct build *b, struct profile *next);
/* The rows of one channel, behind those there are; @from has them no more. */
void timeline_merge(struct build *b, uint32_t channel, struct profile *from,
		    const struct rows *rows);
/* Once all channels have been merged. */
void timeline_settle(struct build *b, uint64_t resolution);
void timeline_finish(struct build *b);

/* timeline-spans */
/* Its coroutine is the one of its id, whose row is known at the end. */
void timeline_spans_add(struct build *b, const struct model_timeline_span *span);
void timeline_spans_merge(struct build *b, const struct profile *from,
			  const struct rows *rows);
void timeline_spans_finish(struct build *b);

/* timeline-samples */
/* All of them, or none where there are more than fit. */
void timeline_samples_add(struct build *b, const struct model_timeline_sample *sample);
/* Once no more follow: @moved_to says where each node has gone. */
void timeline_samples_finish(struct build *b, const uint32_t *moved_to);

/* span-names */
/* The row of spans with a label, MODEL_NONE if there is no room. */
uint32_t span_of(struct build *b, uint32_t process, uint32_t number);
uint32_t span_row(struct build *b, const struct profile_key *key);
void span_names_finish(struct build *b);

/* spans */
void span_add(struct build *b, uint32_t channel, const struct record *s);
/* A slice of the coroutine has ended, with this label: its last one? */
void span_slice(struct build *b, uint32_t process, uint64_t id, uint32_t label,
		bool last);
/* From now on spans of this process may be missing up to this time. */
void process_spans_lost(struct build *b, uint32_t process, uint64_t until);
/* A small number for each time up to which spans were lost. */
uint32_t spans_lost_number(struct build *b, uint64_t lost_until);
void spans_merge(struct build *b, struct profile *from, struct rows *rows);
/* Nothing follows. */
void spans_end(struct build *b);

/* span-tables */
void spans_finish(struct build *b);

/* samples */
void samples_add(struct build *b);

/* frames */
struct frames *frames_new(struct build *b);
void frames_free(struct frames *frames);
/**
 * struct location_chain - functions that an address is of, the outermost first
 * @rows: of locations, valid until the next is asked for
 * @nr:   how many
 */
struct location_chain {
	const uint32_t *rows;
	uint32_t nr;
};

/*
 * Those of @address, of the instruction that ran there, or of the call before it. None
 * when out of memory.
 */
struct location_chain locations_of(struct frames *frames, uint32_t process, uint64_t address,
				   bool call);
/* The row of a location that stands for something else. */
uint32_t location_of_kind(struct frames *frames, enum model_frame_kind kind);
/* Whether a line is known, or a function put into another. */
bool frames_have_lines(const struct frames *frames);

/* modes */
void modes_finish(struct build *b);

/* adapters */
void adapter_add(struct build *b, uint32_t process, const struct coroprof_record_label *r);
/* Once channels are known. */
void adapters_finish(struct build *b);
/* Those that switch from user mode first, then most threads. */
int mode_order(const struct model_mode_row *a, const struct model_mode_row *b);

/* costs */
void costs_finish(struct build *b);
double costs_share(const struct model *m);

/* kept */
void bases_finish(struct build *b);
/* Of the profile that begins: what is missing before it. */
void bases_begin(struct build *b);
void carried_add(struct build *b, const void *payload, size_t size);
/* NULL: nothing is known of it. */
const struct cprof_coroutine *carried_find(const struct build *b, uint32_t process, uint64_t id);
void carried_finish(struct build *b);
void kept_begin(struct build *b);
void kept_finish(struct build *b);

/* checks */
void bases_add(struct build *b, uint64_t offset, const void *payload, size_t size);
void status_add(struct build *b, uint64_t offset, const void *payload,
		size_t size);
/* Where only the last seconds are kept, its last record is the last that the totals have. */
bool channel_is_finished(const struct build *b, uint32_t channel);
/*
 * Whether all slices of the channel are in the file or reported as lost. Of a part
 * of a recording that is not known: then whether it was ended in order.
 */
bool channel_complete(const struct build *b, uint32_t channel);
bool channel_is_ended(const struct build *b, uint32_t channel);
/* From now on slices of this process may be missing up to this time. */
void process_lost(struct build *b, uint32_t process, uint64_t until);
/* A thread of it was not recorded for a while up to this time, as far as that is known. */
void process_cut(struct build *b, uint32_t process, uint64_t until);
/* What happened between two recordings of a thread was not seen. */
void process_pass_restarts(struct build *b, uint32_t process, uint64_t time);
void checks_finish(struct build *b);

/* totals */
void totals_add(struct build *b);
/* By how much the slots of the channel's process are more than its threads, or NULL. */
char *totals_differ(struct build *b, uint32_t channel);

#endif /* COROPROF_BUILD_H */
