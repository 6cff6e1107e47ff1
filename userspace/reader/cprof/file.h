/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads a .cprof file, see cprof/format.h. Opening one goes through all of it once and
 * verifies every checksum, so that what follows only ever sees good segments;
 * the file is good up to its first bad one, and @torn says what is wrong there.
 */
#ifndef COROPROF_FILE_H
#define COROPROF_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* More segments than any recording has; bounds the list of them. */
#define FILE_SEGMENTS_MAX	(4u << 20)

/**
 * struct file_segment - where a good segment is
 * @offset:      of its header
 * @stored_size: bytes of payload in the file
 * @size:        bytes of payload once unpacked
 * @type:        CPROF_SEGMENT_*
 * @flags:       CPROF_FLAG_*
 * @channel_id:  CPROF_SEGMENT_RING, _SAMPLES: whose ring it is
 */
struct file_segment {
	uint64_t offset;
	uint32_t stored_size;
	uint32_t size;
	uint16_t type;
	uint16_t flags;
	uint32_t channel_id;
};

/**
 * struct file_unpacker - what unpacking takes: one for each thread that does
 * @zstd:   decompression context, reused
 * @stored: room for one stored payload
 * @room:   its size
 */
struct file_unpacker {
	struct ZSTD_DCtx_s *zstd;
	void *stored;
	size_t room;
};

/**
 * struct file - an open recording
 * @path:        as given, for messages
 * @fd:          its descriptor
 * @size:        its size when it was opened; what is written later is not read
 * @segments:    the good ones
 * @nr_segments: how many
 * @torn:        why the file can't be read from @torn_offset on, or NULL
 * @torn_offset: see there
 * @unpacker:    of the thread that opened it
 */
struct file {
	char *path;
	int fd;
	uint64_t size;
	struct file_segment *segments;
	size_t nr_segments;
	char *torn;
	uint64_t torn_offset;
	struct file_unpacker unpacker;
};

/* Fails if the file is not a .cprof file of a version known here. */
int file_open(struct file **file, const char *path, struct error *err);
void file_close(struct file *file);

/*
 * Unpacks the payload of a segment to @payload, which has room for its @size
 * bytes.
 */
int file_read(struct file *file, size_t segment, void *payload,
	      struct error *err);

/* Other threads may do so at the same time, each with an unpacker of its own. */
int file_unpacker_init(struct file_unpacker *unpacker, struct error *err);
void file_unpacker_free(struct file_unpacker *unpacker);
int file_read_by(const struct file *file, struct file_unpacker *unpacker,
		 size_t segment, void *payload, struct error *err);

#endif /* COROPROF_FILE_H */
