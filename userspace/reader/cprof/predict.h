/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What writer and reader of records stored by column both predict of the next record, see
 * cprof/format.h.
 */
#ifndef COROPROF_PREDICT_H
#define COROPROF_PREDICT_H

#include <stdint.h>

#include "cprof/format.h"

/**
 * struct predict_slot - what was last seen of a slot
 * @id:    its coroutine
 * @label: which label of the segment that has
 * @next:  the slot that followed
 */
struct predict_slot {
	uint64_t id;
	uint32_t label;
	uint32_t next;
};

/**
 * struct predict - what was seen so far; all zero at first
 * @time:       of the record before
 * @slice_time: of the last SLICE
 * @waker:      the last one
 * @slot:       of the last SLICE or SPAN
 * @slots:      by slot
 */
struct predict {
	uint64_t time;
	uint64_t slice_time;
	uint64_t waker;
	uint32_t slot;
	struct predict_slot slots[CPROF_SLOTS];
};

static inline struct predict_slot *predict_slot(struct predict *p, uint32_t slot)
{
	return &p->slots[slot % CPROF_SLOTS];
}

static inline uint64_t predict_count(uint64_t from, uint32_t rate)
{
	return (from & UINT32_MAX) * rate >> CPROF_RATE_SHIFT;
}

/*
 * Moves the highest bit, which ids of threads have, to the lowest place, so that ids are small
 * numbers.
 */
static inline uint64_t id_pack(uint64_t id)
{
	return id << 1 | id >> 63;
}

static inline uint64_t id_unpack(uint64_t v)
{
	return v >> 1 | v << 63;
}

static inline uint64_t zigzag_pack(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

static inline uint64_t zigzag_unpack(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

#endif /* COROPROF_PREDICT_H */
