/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes .cprof files of synthetic data, as the kernel and the recorder would
 * have written them. Errors end the program: tests have no use for them.
 */
#ifndef COROPROF_TESTS_GEN_H
#define COROPROF_TESTS_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "coroprof.h"

struct gen;

/**
 * struct gen_slice - a slice to write
 *
 * As in struct coroprof_record_slice and what follows it. OFFCPU is set by
 * itself when an off-CPU member is not 0, WOKEN when @wake_time is not 0, SCALED
 * when a counter is SCALED or NOT_SCHEDULED; a @standing of 0 means that all are
 * COUNTED.
 */
struct gen_slice {
	uint32_t slot;
	uint64_t time;
	uint64_t duration;
	uint64_t id;
	uint32_t label;
	uint16_t flags;
	uint16_t standing;
	uint64_t count[COROPROF_COUNTERS_MAX];
	uint64_t missing_ns[COROPROF_COUNTERS_MAX];
	uint64_t preempted_ns;
	uint64_t blocked_ns;
	uint32_t nr_preempted;
	uint32_t nr_blocked;
	uint64_t parent;
	uint64_t tag;
	uint64_t wake_time;
	uint64_t waker;
};

/**
 * struct gen_span - a span to write
 *
 * As in struct coroprof_record_span. SCALED is set when @standing is not 0; a
 * @standing of 0 means that all are COUNTED.
 */
struct gen_span {
	uint64_t time;
	uint64_t duration;
	uint64_t id;
	uint32_t label;
	uint16_t standing;
	uint64_t running_ns;
	uint32_t depth;
	uint64_t count[COROPROF_COUNTERS_MAX];
	uint64_t missing_ns[COROPROF_COUNTERS_MAX];
};

/**
 * struct gen_sample - a sample to write
 *
 * As in struct coroprof_record_sample; @address ends with the first 0.
 */
struct gen_sample {
	uint64_t time;
	uint64_t id;
	uint32_t label;
	uint16_t flags;
	uint64_t address[1 + COROPROF_STACK_MAX];
};

/* Begins a file. Its INFO says that it is synthetic, and simulated. */
struct gen *gen_open(const char *path);

void gen_info(struct gen *g, const char *key, const char *value);
void gen_counter(struct gen *g, const struct coroprof_counter *counter,
		 const char *name);

void gen_process(struct gen *g, uint32_t process_id, int32_t pid,
		 const char *comm, uint64_t time);
void gen_process_end(struct gen *g, uint32_t process_id, uint64_t time);
void gen_label(struct gen *g, uint32_t process_id, uint32_t label,
	       const char *text, uint32_t len);
void gen_label_code(struct gen *g, uint32_t process_id, uint32_t label,
		    const char *object, uint64_t address);
void gen_label_adapter(struct gen *g, uint32_t process_id, uint32_t label,
		       const char *name, uint64_t sees);

/* Of channels that begin from now on. Without it: by ioctl, untold. */
void gen_mode(struct gen *g, uint16_t mode, uint16_t reason);
/* Likewise: why they have no samples, or samples of cpu-clock. */
void gen_sample_error(struct gen *g, int error, bool clock);

/* Without @states: the session's counters, all supported. */
void gen_channel(struct gen *g, uint32_t channel_id, uint32_t process_id,
		 int32_t tid, const char *comm, uint64_t time,
		 const struct coroprof_counter_state *states, uint32_t nr);
/* A thread that could not be recorded. */
void gen_channel_error(struct gen *g, uint32_t channel_id, uint32_t process_id,
		       int32_t tid, uint64_t time, int error);

void gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s);
void gen_span(struct gen *g, uint32_t channel_id, const struct gen_span *s);
/* With a LOST record. */
void gen_lost_spans(struct gen *g, uint32_t channel_id, uint64_t time,
		    uint32_t nr);
void gen_sample(struct gen *g, uint32_t channel_id, const struct gen_sample *s);
void gen_lost_samples(struct gen *g, uint32_t channel_id, uint64_t time,
		      uint64_t nr);
/* @announce: with a LOST record; without, only the totals know. */
void gen_lost(struct gen *g, uint32_t channel_id, uint64_t time, uint64_t nr,
	      bool announce);
/* Any bytes into a channel's ring, or the stream. */
void gen_ring_bytes(struct gen *g, uint32_t channel_id, const void *data,
		    uint32_t size);
void gen_stream_bytes(struct gen *g, const void *data, uint32_t size);

/*
 * What is in the ring of a channel and not yet in a segment was its last, as a thread that
 * writes its own ring has it: it comes in a CHANNEL_LAST as well.
 */
void gen_last(struct gen *g, uint32_t channel_id);

/* Writes what a channel's rings, or the stream, hold as segments. */
void gen_drain(struct gen *g, uint32_t channel_id);
void gen_drain_stream(struct gen *g);
void gen_segment(struct gen *g, unsigned int type, const void *data,
		 uint32_t size);
/* Any bytes as a segment of a channel's ring. */
void gen_records(struct gen *g, unsigned int type, uint32_t channel_id,
		 const void *data, uint32_t size);

/*
 * Ends a channel: CHANNEL_END, the rest of its ring, and a STATUS that has the
 * sums of the slices written. gen_status() gives them, to falsify them first:
 * their size, too, up to twice what it is.
 */
struct coroprof_channel_status *gen_status(struct gen *g, uint32_t channel_id);
void gen_channel_end(struct gen *g, uint32_t channel_id);

/* Ends what is open and the file; @ended: with an END segment. */
void gen_close(struct gen *g, bool ended);

/*
 * Named scenarios, for tests and for cprof-gen. Returns false for an unknown
 * name. gen_scenarios() lists them, NULL last; gen_scenario_text() says what
 * one of them holds.
 */
bool gen_scenario(const char *name, const char *path);
const char *const *gen_scenarios(void);
const char *gen_scenario_text(const char *name);

/* Writes a recording of about so many slices, of 20000 coroutines. */
void gen_slices(const char *path, uint64_t slices);

#endif /* COROPROF_TESTS_GEN_H */
