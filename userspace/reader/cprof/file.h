/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a .cprof file, see cprof/format.h. Opening one finds its segments; their
 * payloads are verified as they are read. What can't be read costs what it holds
 * and nothing else: a corrupt range is where no segment could be found.
 */
#ifndef COROPROF_FILE_H
#define COROPROF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/util.h"
#include "cprof/input.h"

/* More segments than any recording has; bounds the list of them. */
#define FILE_SEGMENTS_MAX	(4u << 20)

/**
 * struct file_segment - where a segment is
 * @offset:      of its header
 * @first_time:  of RING and SAMPLES: of the first record; 0 if the file does not
 *               say, as in version 2
 * @last_time:   likewise of the last record
 * @stored_size: bytes of payload in the file
 * @payload_sum: their checksum
 * @size:        bytes of payload once unpacked
 * @channel_id:  of RING and SAMPLES: whose ring it is
 * @records:     likewise: how many records; 0 if the file does not say
 * @type:        CPROF_SEGMENT_*
 * @flags:       CPROF_FLAG_*
 */
struct file_segment {
	uint64_t offset;
	uint64_t first_time;
	uint64_t last_time;
	uint32_t stored_size;
	uint32_t payload_sum;
	uint32_t size;
	uint32_t channel_id;
	uint32_t records;
	uint16_t type;
	uint16_t flags;
};

/**
 * struct file_corrupt_range - where there is no segment
 * @offset: where it begins
 * @end:    where the next segment was found, or the file ends
 * @why:    what is wrong at @offset
 */
struct file_corrupt_range {
	uint64_t offset;
	uint64_t end;
	const char *why;
};

/**
 * struct file_unpacker - what unpacking takes: one for each thread that does
 * @zstd:    decompression context, reused
 * @stored:  a stored payload
 * @between: a ring of version 2
 */
struct file_unpacker {
	struct ZSTD_DCtx_s *zstd;
	struct buffer stored;
	struct buffer between;
};

/**
 * struct file - an open recording
 * @input:       its bytes
 * @version:     of the format
 * @segments:    in the order of the file
 * @nr_segments: how many
 * @corrupt_ranges: likewise
 * @nr_corrupt_ranges: how many
 * @unpacker:    of the thread that opened it
 */
struct file {
	struct input input;
	uint32_t version;
	struct file_segment *segments;
	size_t nr_segments;
	struct file_corrupt_range *corrupt_ranges;
	size_t nr_corrupt_ranges;
	struct file_unpacker unpacker;
};

/*
 * Fails if what is at @path, a file, a pipe or INPUT_STDIN, is no recording of a
 * version known here.
 */
int file_open(struct file **file, const char *path, struct error *err);
/*
 * The same of one in memory, which stays the caller's, and has to stay as long as the file is open.
 * @name: for messages
 */
int file_open_memory(struct file **file, const char *name, const struct memory *memory,
		     struct error *err);
void file_close(struct file *file);

/* Whether a file of that name is there and begins as a recording does. */
bool file_is_recording(const char *path);

/* Whether anything is missing between two places of the file. */
bool file_has_corrupt_range(const struct file *file, uint64_t from, uint64_t to);

/*
 * Unpacks the payload of a segment to @payload, aligned to 8, which has room for
 * its @size bytes. Rings, which may be stored by column, are read by
 * cprof/records.h.
 */
int file_read(struct file *file, size_t segment, void *payload,
	      struct error *err);

/* Other threads may do so at the same time, each with an unpacker of its own. */
int file_unpacker_init(struct file_unpacker *unpacker, struct error *err);
void file_unpacker_free(struct file_unpacker *unpacker);
int file_read_by(const struct file *file, struct file_unpacker *unpacker,
		 size_t segment, void *payload, struct error *err);
/* Replaces what is in @to by the payload; of records stored by column, by these columns. */
int file_read_records(const struct file *file, struct file_unpacker *unpacker,
		      size_t segment, struct buffer *to, struct error *err);

#endif /* COROPROF_FILE_H */
