/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the making of a model needs and its readers don't. The model-*.c files
 * share it, one noun each:
 *
 *   model-info      INFO, COUNTERS and END segments
 *   model-columns   the counters; what is counted, and how well
 *   model-streams   processes and channels, from STREAM segments
 *   model-labels    labels
 *   model-maps      MAPS segments
 *   model-resolve   names for labels and spans that are code addresses
 *   model-merge     the rings of all channels, in order of time
 *   model-slices    one slice: everything it adds to
 *   model-coroutines  the coroutine table
 *   model-gaps      time between slices
 *   model-wakes     who wakes whom
 *   model-timeline  the timeline
 *   model-spans     spans, and how they nest
 *   model-span-names   their names
 *   model-span-tables  their tables
 *   model-samples   samples: whose they are, what their callers were
 *   model-frames    addresses to functions
 *   model-modes     how threads switch, and why so
 *   model-costs     what recording cost
 *   model-checks    STATUS segments; do the sums agree
 *   model-damage    what could not be read
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
#include "symbols/symbols.h"

#define BUILD_DAMAGE_MAX	100
#define BUILD_CHANNELS_MAX	65536
#define BUILD_PROCESSES_MAX	65536
#define BUILD_WAKES_MAX		65536
#define BUILD_NAMES_MAX		262144
#define BUILD_SPANS_MAX		65536

/**
 * struct model_cell - one counter of one row
 * @count:      sum, as counted
 * @missing_ns: how much of the row's running time it was not on the PMU
 * @seen:       bit n: a slice had standing n; CELL_ELSEWHERE: the row has slices
 *              of channels without this counter
 */
struct model_cell {
	uint64_t count;
	uint64_t missing_ns;
	uint64_t seen;
};

#define CELL_COUNTED	(1u << COROPROF_STANDING_COUNTED)
#define CELL_SCALED	(1u << COROPROF_STANDING_SCALED)
#define CELL_ELSEWHERE	(1u << 4)

/* In .reserved of a coroutine, while it is followed: how its last slice ended. */
#define LEFT_READY		(1u << 0)
#define LEFT_CUT		(1u << 1)

/**
 * struct build_process - beside a struct model_process
 * @lost_until:   a slice of this process may be missing before this time
 * @spans_lost_until: likewise a span
 * @span_losses:  how often that was raised
 * @restarts:     when threads that had been recorded before were so again,
 *                sorted once all are known
 * @nr_restarts:  how many
 * @next_restart: the first that the merge has not reached
 */
struct build_process {
	uint64_t lost_until;
	uint64_t spans_lost_until;
	uint32_t span_losses;
	uint64_t *restarts;
	uint32_t nr_restarts;
	uint32_t next_restart;
};

/**
 * struct build_name - what a LABEL record says
 * @text:  its text, printable
 * @flags: COROPROF_LABEL_*
 * @value: address
 * @hash:  of all of it, as it was
 */
struct build_name {
	char *text;
	uint32_t flags;
	uint64_t value;
	uint64_t hash;
};

/* Most slices have one of few labels: their rows are remembered here. */
#define BUILD_LABEL_CACHE	256

/**
 * struct build_label - an entry of the cache
 * @key:      number and LABEL_OF_THREAD
 * @process:  row
 * @row_or_0: row of the label plus 1; 0 in an empty entry, and for MODEL_NONE
 */
struct build_label {
	uint64_t key;
	uint32_t process;
	uint32_t row_or_0;
};

/**
 * struct build_channel - beside a struct model_channel
 * @begun:        a CHANNEL record said what it is
 * @elsewhere:    columns that its slices do not carry
 * @nr_elsewhere: how many
 * @last_ns:      end of its last slice, lost ones included; 0 before the first
 * @broken:       slices that did not begin where the one before ended
 * @announced:    slices lost according to LOST records
 * @announced_samples: likewise samples
 * @reason:       COROPROF_REASON_*
 * @has_status:   @status is that of a STATUS segment
 * @status:       the last one
 * @segments:     those of its ring, in order
 * @nr_segments:  how many
 * @slices:       timeline, and
 * @nr_slices:    its length
 */
struct build_channel {
	bool begun;
	bool has_status;
	uint8_t elsewhere[MODEL_COLUMNS_MAX];
	uint8_t nr_elsewhere;
	uint64_t last_ns;
	uint64_t broken;
	uint64_t announced;
	uint64_t announced_samples;
	uint16_t reason;
	struct coroprof_channel_status status;
	uint32_t *segments;
	uint32_t nr_segments;
	uint32_t nr_slices;
	struct model_slice *slices;
};

/**
 * struct build_span_node - spans of one name in one place
 * @span:       row, MODEL_NONE for those that were not seen to end
 * @children:   the first of those in it
 * @next:       of those in the same place
 * @depth:      of pending ones: as told
 * @generation: of pending ones: build_process.span_losses
 * @at_most:    spans in it may be missing
 * @calls:      how many
 * @wall_ns:    sum
 * @running_ns: sum
 * @begin_ns:   the least
 */
struct build_span_node {
	uint32_t span;
	uint32_t children;
	uint32_t next;
	uint32_t depth;
	uint32_t generation;
	bool at_most;
	uint64_t calls;
	uint64_t wall_ns;
	uint64_t running_ns;
	uint64_t begin_ns;
};

/**
 * struct build_pending - spans of one coroutine that have no place yet
 * @id:      the coroutine
 * @process: row
 * @used:    it is one
 * @inner:   those in a span that goes on, the deepest first
 * @outer:   those in none
 * @unseen:  node for those in spans that were not seen to end
 */
struct build_pending {
	uint64_t id;
	uint32_t process;
	bool used;
	uint32_t inner;
	uint32_t outer;
	uint32_t unseen;
};

/**
 * struct build_torn - what the recorder could not read
 * @offset:     of the segment that says so
 * @channel_id: in whose ring it was
 * @text:       what it was, printable
 */
struct build_torn {
	uint64_t offset;
	uint32_t channel_id;
	char *text;
};

struct frames;

/**
 * struct build - a model under way
 * @model:         the model
 * @file:          what it is made of
 * @options:       without zeroes
 * @out_of_memory: it can't be completed
 * @processes:     beside model.processes; of the same length, as are
 * @channels:      beside model.channels
 * @process_index: process_id to row
 * @channel_index: channel_id to row
 * @thread_index:  (tid, process) to the row of the thread's last channel
 * @names:         what LABEL records say
 * @nr_names:      how many
 * @name_index:    (number of a label, process) to name
 * @label_index:   (number and LABEL_OF_THREAD, process) to row
 * @label_cache:   some of that
 * @text_index:    (hash of a label, process) to row
 * @other_label:   row of MODEL_LABEL_OTHER, or MODEL_NONE
 * @coroutine_index: (id, process) to place in model.coroutines
 * @nr_places:     places used in model.coroutines; beyond options.coroutines are
 *                 the live coroutines that have no row
 * @free_place:    list of free places among those, through .reserved
 * @wake_index:    (waker, woken) to row
 * @nr_slices:     timeline slices of all channels
 * @torn:          what the recorder says of rings it could not read to their end
 * @nr_torn:       how many
 * @end_ns:        when the recording was ended, 0 if the file does not say
 * @symbols:       to look functions up, or NULL as long as nobody has
 * @span_index:    (number of a label, process) to row of model.spans
 * @span_text_index: (hash of a label, process) to it
 * @span_nodes, @span_node_cells, @nr_span_nodes, @free_span_node: their pool
 * @span_node_index: to find them in
 * @pending, @nr_pending, @free_pending: of coroutines
 * @nr_pending_used: how many of these are
 * @pending_index: (id, process) to row
 * @span_roots, @nr_span_roots: for each label, the first of its call tree
 */
struct build {
	struct model *model;
	struct file *file;
	struct model_options options;
	bool out_of_memory;
	struct build_process *processes;
	struct build_channel *channels;
	struct index process_index;
	struct index channel_index;
	struct index thread_index;
	struct build_name *names;
	uint32_t nr_names;
	struct index name_index;
	struct index label_index;
	struct build_label label_cache[BUILD_LABEL_CACHE];
	struct index text_index;
	uint32_t other_label;
	struct index coroutine_index;
	uint32_t nr_places;
	uint32_t free_place;
	struct index wake_index;
	uint64_t nr_slices;
	uint64_t ring_bytes;
	uint64_t ring_bytes_done;
	struct build_torn *torn;
	uint32_t nr_torn;
	uint64_t end_ns;
	struct symbols *symbols;
	struct index span_index;
	struct index span_text_index;
	struct build_span_node *span_nodes;
	struct model_cell *span_node_cells;
	uint32_t nr_span_nodes;
	uint32_t free_span_node;
	struct index span_node_index;
	struct build_pending *pending;
	uint32_t nr_pending;
	uint32_t free_pending;
	uint32_t nr_pending_used;
	struct index pending_index;
	uint32_t *span_roots;
	uint32_t nr_span_roots;
};

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
void info_torn(struct build *b);

/* columns */
/* The column of a counter, made if need be; MODEL_NONE when there is no room. */
uint32_t column_of(struct build *b, const struct coroprof_counter *counter);
void column_session(struct build *b, const struct coroprof_counter *counter,
		    const char *name, size_t size);
void columns_of_channel(struct build *b, uint32_t channel,
			const struct coroprof_counter_state *states,
			uint32_t nr);
void columns_finish(struct build *b);

/**
 * struct cell_rows - rows that the same counts are added to
 * @nr:  how many
 * @row: the first cell of each
 */
struct cell_rows {
	uint32_t nr;
	struct model_cell *row[3];
};

/* Adds what a slice, or a span, of this channel counted. */
void cells_add(const struct build *b, const struct cell_rows *to,
	       uint32_t channel, const struct record *s);
void cells_add_span(const struct build *b, struct model_cell *to,
		    uint32_t channel, const struct record *s);
/* Adds one row to another. */
void cells_sum(const struct build *b, struct model_cell *to,
	       const struct model_cell *from);
/* How many cells a row has; at least 1, so that arrays are never of size 0. */
static inline uint32_t cells_stride(const struct build *b)
{
	return b->model->nr_columns ? b->model->nr_columns : 1;
}


/* streams */
void stream_add(struct build *b, uint64_t offset, const void *payload,
		size_t size);
uint32_t process_of(struct build *b, uint32_t process_id);
/* The row of a channel, MODEL_NONE if no record tells of it. */
uint32_t channel_find(const struct build *b, uint32_t channel_id);
void streams_finish(struct build *b);

/* labels */
void label_define(struct build *b, uint32_t process,
		  const struct coroprof_record_label *record);
/* The row for coroutines, or for threads, that have a label. */
uint32_t label_of(struct build *b, uint32_t process, uint32_t number,
		  bool thread);
void label_slice(struct build *b, uint32_t label, const struct record *s);
/* What a LABEL record says, or NULL. */
const struct build_name *name_of(const struct build *b, uint32_t process,
				 uint32_t number);

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

/* slices */
void slice_add(struct build *b, uint32_t channel, const struct record *s);
void slice_lost(struct build *b, uint32_t channel,
		const struct record *lost);

/* coroutines */
struct model_coroutine *coroutine_of(struct build *b, uint32_t process,
				     uint64_t id);
/* As above, but NULL if it is not known. */
struct model_coroutine *coroutine_find(struct build *b, uint32_t process,
				       uint64_t id);
void coroutine_label(struct build *b, struct model_coroutine *c,
		     uint32_t label);
void coroutine_slice(struct build *b, struct model_coroutine *c,
		     uint32_t channel, const struct record *s);

static inline struct model_cell *coroutine_cells(struct build *b,
						 const struct model_coroutine *c)
{
	size_t place = (size_t)(c - b->model->coroutines);

	return &b->model->coroutine_cells[place * cells_stride(b)];
}

/* Its END was seen: the place of one without a row is free. */
void coroutine_end(struct build *b, struct model_coroutine *c);
/* Its row, or MODEL_NONE. */
uint32_t coroutine_row(const struct build *b, const struct model_coroutine *c);
void coroutines_finish(struct build *b);

/* gaps */
struct gap {
	bool measured;
	bool unseen;
	bool ready_known;
	uint64_t suspended_ns;
	uint64_t awaiting_ns;
	uint64_t ready_ns;
};

/* The gap that this slice, not yet added to @c, ends. */
void gap_before(const struct build *b, struct gap *gap,
		const struct model_coroutine *c, uint32_t process,
		const struct record *s);

static inline void gap_add(struct model_times *t, const struct gap *gap)
{
	if (!gap->measured) {
		t->unseen_gaps += gap->unseen;
		return;
	}
	t->gaps++;
	t->suspended_ns += gap->suspended_ns;
	t->awaiting_ns += gap->awaiting_ns;
	t->ready_ns += gap->ready_ns;
}

/* wakes */
void wake_add(struct build *b, uint32_t process, uint32_t woken,
	      const struct record *s, const struct gap *gap);
void wakes_finish(struct build *b);

/* timeline */
void timeline_add(struct build *b, uint32_t channel, uint32_t coroutine,
		  uint32_t label, const struct record *s);
void timeline_lost(struct build *b, uint32_t channel, uint64_t begin,
		   uint64_t end);
void timeline_finish(struct build *b);

/* span-names */
/* The row of spans with a label, MODEL_NONE if there is no room. */
uint32_t span_of(struct build *b, uint32_t process, uint32_t number);

/* spans */
void span_add(struct build *b, uint32_t channel, const struct record *s);
/* A slice of the coroutine has ended, with this label. */
void span_slice(struct build *b, uint32_t process, uint64_t id, uint32_t label,
		bool ended);
void spans_end(struct build *b);

/* span-tables */
void spans_finish(struct build *b);

/* samples */
void samples_add(struct build *b);

/* frames */
struct frames *frames_new(struct build *b);
void frames_free(struct frames *frames);
/*
 * The row of the function that has @address, of the instruction that ran there,
 * or of the call before it.
 */
uint32_t frame_of(struct frames *frames, uint32_t process, uint64_t address,
		  bool call);
/* The row of a frame that stands for something else. */
uint32_t frame_of_kind(struct frames *frames, enum model_frame_kind kind);

/* modes */
void modes_finish(struct build *b);

/* costs */
void costs_finish(struct build *b);

/* checks */
void status_add(struct build *b, uint64_t offset, const void *payload,
		size_t size);
/* Whether all slices of the channel are in the file or told to be lost. */
bool channel_complete(const struct build *b, uint32_t channel);
/* From now on slices of this process may be missing up to this time. */
void process_lost(struct build *b, uint32_t process, uint64_t until);
/* Likewise spans. */
void process_spans_lost(struct build *b, uint32_t process, uint64_t until);
/* What happened between two recordings of a thread was not seen. */
void process_pass_restarts(struct build *b, uint32_t process, uint64_t time);
void checks_finish(struct build *b);

#endif /* COROPROF_BUILD_H */
