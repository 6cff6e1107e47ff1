/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a .cprof file, see cprof/format.h. It only ever appends whole segments;
 * when one does not fit on the disk, the file is cut back to the segment before,
 * and every later call returns the same error.
 */
#ifndef COROPROF_WRITER_H
#define COROPROF_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cprof_segment;
struct memory;
struct memory_share;
struct writer;

/**
 * struct writer_sink - takes segments in place of a file
 * @take:    one of them: its header, its payload unpacked, and, of @size bytes, all of it as it
 *           would be in a file. A negative errno breaks the writer
 * @context: handed to @take
 */
struct writer_sink {
	int (*take)(void *context, const struct cprof_segment *segment, const void *payload,
		    const void *stored, size_t size, struct error *err);
	void *context;
};

/* Creates or empties the file at @path. */
int writer_open(struct writer **writer, const char *path, struct error *err);

/* Takes an open descriptor; @path is for messages. */
int writer_open_fd(struct writer **writer, int fd, const char *path,
		   struct error *err);

/* A recording in memory, which is empty and stays the caller's. */
int writer_open_memory(struct writer **writer, struct memory *memory, struct error *err);

/* There is no file: @sink stays the caller's. */
int writer_open_sink(struct writer **writer, const struct writer_sink *sink, struct error *err);

int writer_segment(struct writer *writer, unsigned int type,
		   const void *payload, size_t size, struct error *err);

/* A segment as a sink was given it. */
int writer_stored(struct writer *writer, const void *stored, size_t size, struct error *err);
/* The same of one that is in @share: a recording in memory refers to it. */
int writer_shared(struct writer *writer, struct memory_share *share, const void *stored,
		  size_t size, struct error *err);

/*
 * A segment RING or SAMPLES: records of one channel, aligned to 8. Nobody else may
 * change them meanwhile.
 */
int writer_records(struct writer *writer, unsigned int type, uint32_t channel_id,
		   void *records, size_t size, struct error *err);

/* The recording was ended in order: the file gets its index. */
int writer_index(struct writer *writer, struct error *err);

/* END, of now, and the index. @exit_status: as in struct cprof_end */
int writer_end(struct writer *writer, int exit_status, struct error *err);
/* Likewise, of that time. */
int writer_end_at(struct writer *writer, uint64_t time, int exit_status, struct error *err);

/*
 * A place to come back to: what is written behind it can be taken back, as long as the
 * file is one that can be cut.
 */
struct writer_mark {
	uint64_t bytes;
	size_t index;
};

struct writer_mark writer_mark(const struct writer *writer);
int writer_rewind(struct writer *writer, const struct writer_mark *mark, struct error *err);

/* Bytes of the file so far, all of them good. */
uint64_t writer_bytes(const struct writer *writer);

/* Closes and frees, whatever it returns. */
int writer_close(struct writer *writer, struct error *err);

/* Likewise. @ret: whether writing has failed, of which @err then says more; that is returned. */
int writer_finish(struct writer *writer, int ret, struct error *err);

#endif /* COROPROF_WRITER_H */
