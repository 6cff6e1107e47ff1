/* SPDX-License-Identifier: GPL-2.0 */
/* The channels of a session, and what is read out of their rings. */
#ifndef COROPROF_CHANNELS_H
#define COROPROF_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"
#include "cprof/writer.h"
#include "record/session.h"

struct channel;

/**
 * struct channels - all channels that have not ended
 * @session: theirs
 * @writer:  where their records go
 * @totals:  they have no rings
 * @all:     by number, ascending
 * @nr:      how many
 * @capacity: how many fit
 * @payload: of the segment being made
 * @threads: channels seen
 * @refused: channels of which not everything is recorded, for they have no
 *           ring, or one that can't be used
 * @slices:  slices of ended channels, lost ones included
 * @lost:    slices that found the ring full
 * @samples: likewise
 * @lost_samples: likewise
 * @throttled: how often the kernel stopped sampling a thread for a while
 * @drained: bytes taken out of rings
 */
struct channels {
	struct session *session;
	struct writer *writer;
	bool totals;
	struct channel *all;
	size_t nr;
	size_t capacity;
	struct buffer payload;
	unsigned long threads;
	unsigned long refused;
	uint64_t slices;
	uint64_t lost;
	uint64_t samples;
	uint64_t lost_samples;
	uint64_t throttled;
	uint64_t drained;
};

/*
 * Maps the rings of a channel, of which a COROPROF_RECORD_CHANNEL was read. @process: pid and name
 * of its process.
 */
int channels_begin(struct channels *channels,
		   const struct coroprof_record_channel *record,
		   const char *process, struct error *err);

/*
 * Writes the @size bytes of @records, which come after the last of the ring, from a
 * COROPROF_RECORD_CHANNEL_LAST.
 */
int channels_last(struct channels *channels, __u32 id, const void *records,
		  size_t size, struct error *err);

/* Reads the rest of a channel's rings and gives them up, after a COROPROF_RECORD_CHANNEL_END. */
int channels_end(struct channels *channels, __u32 id, struct error *err);

/* Empties each ring that holds at least @least bytes. */
int channels_drain(struct channels *channels, size_t least, struct error *err);

/*
 * Reads the rings of each channel up to one moment, and writes its totals of that moment behind:
 * what follows is what the totals grow by.
 */
int channels_mark(struct channels *channels, struct error *err);

/*
 * Calls @each with the totals, and so the open slice, of each thread that has not ended a slice
 * since the last call.
 */
void channels_open(struct channels *channels,
		   void (*each)(void *context, const struct coroprof_channel_status *status),
		   void *context);

/* Likewise of all threads. */
void channels_each(struct channels *channels,
		   void (*each)(void *context, const struct coroprof_channel_status *status),
		   void *context);

/* Reads the rest of all rings, after the session was stopped. */
int channels_end_all(struct channels *channels, struct error *err);

/* Writes the present totals of all channels, which go on. */
int channels_write_statuses(struct channels *channels, struct error *err);

void channels_free(struct channels *channels);

#endif /* COROPROF_CHANNELS_H */
