/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a segment of a ring, a few at a time, as plain structs: from
 * columns, without their packed form in between, or from that form.
 */
#ifndef COROPROF_RECORDS_H
#define COROPROF_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "coroprof.h"
#include "cprof/decode.h"
#include "cprof/file.h"

/**
 * struct record - a SLICE, SPAN or LOST
 * @type:       COROPROF_RECORD_*
 * @stored:     of no interest to anybody but records.c
 * @flags:      COROPROF_SLICE_* or COROPROF_SPAN_*; 0 of LOST. Beyond these a file may
 *              have any bits
 * @standing:   of each counter, COROPROF_STANDING
 * @slot:       of SLICE and SPAN, as is what follows but @time and @lost
 * @label:      as in the record
 * @time:       when it ended
 * @duration:   wall time; at most @time
 * @running_ns: of which it ran; at most @duration
 * @id:         the coroutine
 * @woken:      of a SLICE; all zero without COROPROF_SLICE_WOKEN
 * @count:      of each counter of the channel; no more are set
 * @offcpu:     set only with COROPROF_SLICE_OFFCPU
 * @fresh:      set only with COROPROF_SLICE_FRESH
 * @missing_ns: of each counter; set only with COROPROF_SLICE_SCALED or
 *              COROPROF_SPAN_SCALED
 * @depth:      of a SPAN
 * @lost_spans: of LOST: coroprof_record_lost.spans
 * @lost:       of LOST: coroprof_record_lost.full
 *
 * What every slice has comes first: 64 bytes, and the counts.
 */
struct record {
	uint16_t type;
	uint16_t stored;
	uint16_t flags;
	uint16_t standing;
	uint32_t slot;
	uint32_t label;
	uint64_t time;
	uint64_t duration;
	uint64_t running_ns;
	uint64_t id;
	struct coroprof_slice_woken woken;
	uint64_t count[COROPROF_COUNTERS_MAX];
	struct coroprof_slice_offcpu offcpu;
	struct coroprof_slice_fresh fresh;
	uint64_t missing_ns[COROPROF_COUNTERS_MAX];
	uint32_t depth;
	uint32_t lost_spans;
	uint64_t lost;
};

/* Type, stored columns, flags and standing in one number, to be compared under a mask. */
static inline uint64_t record_kind(const struct record *r)
{
	uint64_t kind;

	memcpy(&kind, r, sizeof(kind));
	return kind;
}

/* So many are decoded at once: they stay in the nearest cache. */
#define RECORDS_BATCH	32u

/**
 * struct records - where the reading of a segment stands
 * @record:      @nr records; those of the next call of records_next() take
 *               their place
 * @nr:          how many
 * @fault:       what is wrong with the record behind these, or NULL; nothing
 *               behind that can be read
 * @in_order:    none of them ended before the one before it: false also where that
 *               was not looked at
 * @before:      how many records of the segment came before @record
 * @nr_counters: of the channel
 * @payload:     the segment, as stored or, without columns, unpacked
 * @decode:      in @payload, without columns
 * @columns:     with columns: where each of them stands
 * @by_column:   @columns are in use
 */
struct records {
	struct record record[RECORDS_BATCH];
	uint32_t nr;
	const char *fault;
	bool in_order;
	uint32_t before;
	uint32_t nr_counters;
	struct buffer payload;
	struct decode decode;
	struct records_columns *columns;
	bool by_column;
};

/*
 * Begins to read a segment of a ring whose channel has @nr_counters counters. @records is all zero,
 * or was opened before. Other threads may read other segments at the same time.
 */
int records_open(struct records *records, const struct file *file,
		 struct file_unpacker *unpacker, size_t segment,
		 uint32_t nr_counters, struct error *err);

/* Likewise, of the bytes in @records->payload. Returns NULL, or what is wrong with them. */
const char *records_begin(struct records *records, bool by_column,
			  uint32_t nr_counters);

/* Decodes the next records. False at the end, or at a fault. */
bool records_next(struct records *records);

/* The rest of the segment is not needed. */
void records_end(struct records *records);

void records_free(struct records *records);

#endif /* COROPROF_RECORDS_H */
