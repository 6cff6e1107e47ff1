/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Takes records out of bytes of a stream or a ring. Nothing outside the bytes
 * given is ever read, whatever they hold. Records of an unknown type are
 * skipped; one that can't be what it says it is ends the decoding, for nothing
 * says where the next one begins.
 */
#ifndef COROPROF_DECODE_H
#define COROPROF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coroprof.h"

/**
 * struct decode - where decoding stands
 * @data:     the bytes, aligned to 8
 * @size:     how many
 * @position: where the next record begins
 * @fault:    what is wrong with the record at @position, or NULL
 */
struct decode {
	const uint8_t *data;
	size_t size;
	size_t position;
	const char *fault;
};

void decode_init(struct decode *d, const void *data, size_t size);

/* The size of the fixed part of a record of read(), or 0 for an unknown type. */
size_t decode_stream_size(uint16_t type);

/*
 * The next record of a known type, whole and at least as long as its structure
 * (the counter states of a channel and the text of a label included), or NULL at
 * the end or at a fault.
 */
const struct coroprof_record *decode_stream(struct decode *d);

/*
 * Likewise SLICE, SPAN and LOST records. cprof/records.h takes them apart.
 */
const struct coroprof_record *decode_ring(struct decode *d);

/* Likewise SAMPLE records, with all of their addresses, and LOST. */
const struct coroprof_record *decode_samples(struct decode *d);

#endif /* COROPROF_DECODE_H */
