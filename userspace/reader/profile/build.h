/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct build: a model under way, which all that makes it is given. It is made in three steps, of
 * these files:
 *
 *  1. What there is, in the order of the file: the same for all shards of the
 *     rings, which only read it.
 *
 *       info              INFO, COUNTERS and END segments
 *       counters          the counters; what is counted, and how well
 *       streams           processes and channels, from STREAM segments
 *       adapters          who reports the coroutines of a process
 *       names             what LABEL records say
 *       maps              MAPS segments
 *       status            STATUS and BASE segments: the kernel's totals of threads
 *       carried           COROUTINES segments: coroutines that began before
 *       used              CPU segments
 *       totals            TOTALS segments, in place of rings
 *       damage            what could not be read
 *
 *  2. The rings, added up to a profile: see profile.h.
 *
 *       part              which of them
 *       chosen            of which threads and labels
 *       shards            who adds up which
 *       ticks             parts that are kept from one window of a live recording to the next
 *       rings             the rings of all channels, in order of time
 *       slices            one slice: everything it adds to
 *       sums, times       what it counted, and how long it ran
 *       steps             pieces that are one slice
 *       losses            up to when something may be missing
 *       labels            labels
 *       coroutines        the coroutine table
 *       gaps              time between slices
 *       wakes             who wakes whom
 *       timeline          the timeline
 *       timeline-spans    spans one by one
 *       timeline-samples  samples one by one
 *       histogram         how many lengths there are of each
 *       latency           how long what took, by label
 *       longest           what took longest
 *       heat-map          how many slices were how long, when
 *       split             a label made two, if that is asked for
 *       spans             spans, and how they nest
 *       span-names        the names of spans
 *       samples           samples: whose they are, what their callers were
 *       frames            addresses to functions
 *       coroutine-merge   coroutines of a shard and those before it
 *       profile           all of it: shards become one
 *
 *  3. What follows from the sums.
 *
 *       span-tables       tables of spans
 *       resolve           names for labels and spans that are code addresses
 *       checks            do the sums agree with the kernel's; what is missing
 *       kept              what is said of a recording of the last seconds
 *       modes             how threads switch, and why so
 *       costs             what recording cost
 *       values            what a counter says of a row
 *       combine           several recordings in one model
 *
 * What is stored is described in schema. model_load() (model.c) takes these steps.
 *
 * Functions that run out of memory set build.out_of_memory and do what they can
 * without; model_load() then fails.
 */
#ifndef COROPROF_BUILD_H
#define COROPROF_BUILD_H

#include "base/index.h"
#include "cprof/file.h"
#include "cprof/format.h"
#include "cprof/records.h"
#include "profile/model.h"
#include "profile/profile.h"

#define BUILD_DAMAGE_MAX	100
#define BUILD_CHANNELS_MAX	65536
#define BUILD_PROCESSES_MAX	65536
#define BUILD_WAKES_MAX		65536
#define BUILD_OPEN_WAKES_MAX	(1u << 20)
#define BUILD_NAMES_MAX		262144
#define BUILD_SPANS_MAX		65536

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
 * @number: of the label
 * @text:  its text, printable
 * @flags: COROPROF_LABEL_*
 * @value: address
 * @first: the first of the process that says the same
 * @side:  enum model_side_of
 */
struct build_name {
	uint32_t number;
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
 * @base:         what to subtract from it: see status.c
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

struct chosen;
struct row_counts;
struct split;
struct symbols;

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
 * @chosen:        what is chosen: see chosen.h. NULL: all
 * @in_ticks:      what is known of the begin of the recording is added at its end, so that shards
 *                 are the same whatever it begins with: see ticks.h
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
	struct chosen *chosen;
	bool in_ticks;
};

/* Step 1, and the end of it all but for the model, which is the caller's. */
void build_begin(struct build *b, struct file *file,
		 const struct model_options *options);
/* Frees what build_begin() made, but for the model. */
void build_end(struct build *b);

/* Whether spans and samples of the coroutine are, or all that it did. */
static inline bool build_wants(const struct build *b, uint32_t process, uint64_t id)
{
	return !b->options.selected || index_get(b->options.selected, id, process) != INDEX_NONE;
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

#endif /* COROPROF_BUILD_H */
