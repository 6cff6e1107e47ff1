// SPDX-License-Identifier: GPL-2.0
/*
 * Appends segments to a recording, by column where that is smaller, and cuts the file back to the
 * last whole one when the disk is full. Notes times and sizes of segments for the index.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/util.h"
#include "coroprof.h"
#include "cprof/columns.h"
#include "cprof/format.h"
#include "cprof/memory.h"
#include "cprof/sum.h"
#include "cprof/writer.h"

/* Columns are not packed further. */
#define ZSTD_LEVEL	1

/* Below this a zstd frame's own header outweighs what it saves. */
#define ZSTD_MIN	128

/* Below this the sizes of the columns outweigh what they save. */
#define COLUMNS_MIN	512

/**
 * struct writer - an open .cprof file
 * @fd:      its descriptor; -1: what is written goes elsewhere
 * @memory:  there, or NULL
 * @sink:    or what takes it, or NULL
 * @share:   what holds the segment being written, if it is to be referred to; or NULL
 * @payload: of the segment being written, unpacked
 * @path:    its name, for messages
 * @bytes:   good bytes written
 * @zstd:    compression context, reused
 * @columns: likewise, of columns
 * @by_column: records by column
 * @packed:  room for a segment's header, stored payload and padding
 * @index:   struct cprof_index_entry of each segment
 * @error:   what broke it
 */
struct writer {
	int fd;
	struct memory *memory;
	const struct writer_sink *sink;
	struct memory_share *share;
	const void *payload;
	char *path;
	uint64_t bytes;
	ZSTD_CCtx *zstd;
	struct columns columns;
	struct buffer by_column;
	struct buffer packed;
	struct buffer index;
	struct error error;
};

static int write_bytes(struct writer *w, const void *data, size_t size,
		       struct error *err)
{
	int ret = 0;

	if (w->memory && w->share)
		ret = memory_refer(w->memory, w->share, data, size, err);
	else if (w->memory)
		ret = memory_append(w->memory, data, size, err);
	else if (!write_all(w->fd, data, size))
		ret = error_errno(err, "can't write %s", w->path);
	if (!ret)
		w->bytes += size;
	return ret;
}

/* Half a segment at the end would make readers call the file damaged. */
static void cut_back(struct writer *w)
{
	if (w->fd >= 0 && ftruncate(w->fd, (off_t)w->bytes) == 0)
		lseek(w->fd, (off_t)w->bytes, SEEK_SET);
}

static int write_header(struct writer *w, struct error *err)
{
	struct cprof_header header = {
		.endian = CPROF_ENDIAN,
		.version = CPROF_VERSION,
		.size = sizeof(header),
	};

	memcpy(header.magic, CPROF_MAGIC, sizeof(header.magic));
	header.crc = (uint32_t)crc32(0, (void *)&header,
				     offsetof(struct cprof_header, crc));
	return write_bytes(w, &header, sizeof(header), err);
}

static int open_writer(struct writer **writer, int fd, struct memory *memory,
		       const struct writer_sink *sink, const char *path, struct error *err)
{
	struct writer *w = calloc(1, sizeof(*w));
	int ret = -ENOMEM;

	if (!w) {
		if (fd >= 0)
			close(fd);
		return error_set(err, ENOMEM, "out of memory");
	}
	w->fd = fd;
	w->memory = memory;
	w->sink = sink;
	w->path = strdup(path);
	w->zstd = ZSTD_createCCtx();
	if (!w->path || !w->zstd)
		error_set(err, ENOMEM, "out of memory");
	else
		ret = sink ? 0 : write_header(w, err);
	if (ret) {
		struct error ignored;

		writer_close(w, &ignored);
		return ret;
	}
	*writer = w;
	return 0;
}

int writer_open_fd(struct writer **writer, int fd, const char *path, struct error *err)
{
	return open_writer(writer, fd, NULL, NULL, path, err);
}

int writer_open_memory(struct writer **writer, struct memory *memory, struct error *err)
{
	return open_writer(writer, -1, memory, NULL, "memory", err);
}

int writer_open_sink(struct writer **writer, const struct writer_sink *sink, struct error *err)
{
	return open_writer(writer, -1, NULL, sink, "memory", err);
}

int writer_open(struct writer **writer, const char *path, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_errno(err, "can't create %s", path);
	return writer_open_fd(writer, fd, path, err);
}

/*
 * Puts the stored form of the payload behind the room for the header. With
 * @may_pack it is packed, if that makes it smaller.
 */
static int pack(struct writer *w, struct cprof_segment *segment,
		const void *payload, size_t size, bool may_pack,
		struct error *err)
{
	size_t capacity = ZSTD_compressBound(size), stored = size;
	char *to;
	int ret;

	w->packed.size = 0;
	ret = buffer_reserve(&w->packed, sizeof(*segment) + capacity + 8, err);
	if (ret)
		return ret;
	to = w->packed.data + sizeof(*segment);
	if (may_pack && size >= ZSTD_MIN)
		stored = ZSTD_compressCCtx(w->zstd, to, capacity, payload, size,
					   ZSTD_LEVEL);
	if (!ZSTD_isError(stored) && stored < size) {
		segment->flags |= CPROF_FLAG_ZSTD;
	} else {
		stored = size;
		if (size)
			memcpy(to, payload, size);
	}
	segment->stored_size = (uint32_t)stored;
	w->packed.size = sizeof(*segment) + stored;
	return buffer_pad(&w->packed, err);
}

static int add_to_index(struct writer *w, const struct cprof_segment *segment,
			struct error *err)
{
	struct cprof_index_entry entry = { w->bytes, *segment };

	/* Without a file nobody asks where they are, and there is no end of them. */
	if (w->sink)
		return 0;
	entry.header.magic = 0;
	return buffer_append(&w->index, &entry, sizeof(entry), err);
}

static int put(struct writer *w, const struct cprof_segment *segment, const void *stored,
	       size_t size, struct error *err)
{
	int ret = add_to_index(w, segment, err);

	if (ret)
		return ret;
	if (!w->sink)
		ret = write_bytes(w, stored, size, err);
	else
		ret = w->sink->take(w->sink->context, segment, w->payload, stored, size, err);
	if (!ret && w->sink)
		w->bytes += size;
	if (ret) {
		w->error = *err;
		cut_back(w);
	}
	return ret;
}

static int broken(const struct writer *w, struct error *err)
{
	if (w->error.code)
		*err = w->error;
	return -w->error.code;
}

static int append(struct writer *w, struct cprof_segment *segment,
		  const void *payload, size_t size, bool may_pack,
		  struct error *err)
{
	int ret = broken(w, err);

	if (!ret)
		ret = pack(w, segment, payload, size, may_pack, err);
	if (ret)
		return ret;
	segment->payload_sum = payload_sum(w->packed.data + sizeof(*segment),
					   segment->stored_size);
	segment->header_crc = (uint32_t)crc32(0, (void *)segment,
			offsetof(struct cprof_segment, header_crc));
	memcpy(w->packed.data, segment, sizeof(*segment));
	return put(w, segment, w->packed.data, w->packed.size, err);
}

int writer_stored(struct writer *w, const void *stored, size_t size, struct error *err)
{
	int ret = broken(w, err);

	return ret ? ret : put(w, stored, stored, size, err);
}

int writer_shared(struct writer *w, struct memory_share *share, const void *stored, size_t size,
		  struct error *err)
{
	int ret;

	w->share = share;
	ret = writer_stored(w, stored, size, err);
	w->share = NULL;
	return ret;
}

static int check_size(size_t size, struct error *err)
{
	return size <= CPROF_PAYLOAD_MAX ? 0 :
	       error_set(err, EFBIG, "a segment of %zu bytes is too large", size);
}

int writer_segment(struct writer *w, unsigned int type, const void *payload,
		   size_t size, struct error *err)
{
	struct cprof_segment segment = {
		.magic = CPROF_SEGMENT_MAGIC,
		.type = (uint16_t)type,
		.size = (uint32_t)size,
	};
	int ret = check_size(size, err);

	w->payload = payload;
	return ret ? ret : append(w, &segment, payload, size, true, err);
}

/* SLICE, SPAN, LOST and SAMPLE have their time at the same place. */
static void note_record(struct cprof_segment *segment,
			const struct coroprof_record_lost *record)
{
	if (record->size >= offsetof(struct coroprof_record_lost, full)) {
		if (!segment->records)
			segment->first_time = record->time;
		segment->last_time = record->time;
	}
	segment->records++;
}

/* Returns false at what can't be a record: the rest is written as it is. */
static bool note_records(struct cprof_segment *segment, const char *records,
			 size_t size)
{
	const struct coroprof_record_lost *r;

	for (size_t at = 0; at < size; at += r->size) {
		r = (const void *)(records + at);
		if (size - at < sizeof(struct coroprof_record) ||
		    r->size < sizeof(struct coroprof_record) || r->size % 8 ||
		    r->size > size - at)
			return false;
		note_record(segment, r);
	}
	return true;
}

int writer_records(struct writer *w, unsigned int type, uint32_t channel_id,
		   void *records, size_t size, struct error *err)
{
	struct cprof_segment segment = {
		.magic = CPROF_SEGMENT_MAGIC,
		.type = (uint16_t)type,
		.channel_id = channel_id,
		.size = (uint32_t)size,
	};
	int ret = check_size(size, err);
	bool whole;

	if (ret)
		return ret;
	w->payload = records;
	whole = note_records(&segment, records, size);
	if (!whole || type != CPROF_SEGMENT_RING || size < COLUMNS_MIN ||
	    columns_pack(&w->columns, records, size, &w->by_column) ||
	    w->by_column.size >= size)
		return append(w, &segment, records, size, true, err);
	segment.flags = CPROF_FLAG_COLUMNS;
	return append(w, &segment, w->by_column.data, w->by_column.size, false,
		      err);
}

/* One that is too large is left out: readers do without. */
int writer_index(struct writer *w, struct error *err)
{
	struct cprof_trailer trailer = {
		.index = w->bytes,
		.magic = CPROF_TRAILER_MAGIC,
	};
	struct cprof_segment segment = {
		.magic = CPROF_SEGMENT_MAGIC,
		.type = CPROF_SEGMENT_INDEX,
		.size = (uint32_t)(w->index.size + sizeof(trailer)),
	};
	int ret;

	if (w->index.size + sizeof(trailer) > CPROF_PAYLOAD_MAX)
		return 0;
	trailer.crc = (uint32_t)crc32(0, (void *)&trailer,
				      offsetof(struct cprof_trailer, crc));
	ret = buffer_append(&w->index, &trailer, sizeof(trailer), err);
	if (ret)
		return ret;
	/* Its own entry is added behind what is written. */
	return append(w, &segment, w->index.data, segment.size, false, err);
}

int writer_end(struct writer *w, int exit_status, struct error *err)
{
	return writer_end_at(w, monotonic_ns(), exit_status, err);
}

int writer_end_at(struct writer *w, uint64_t time, int exit_status, struct error *err)
{
	const struct cprof_end end = {
		.clock_monotonic_ns = time, .exit_status = exit_status,
	};
	int ret = writer_segment(w, CPROF_SEGMENT_END, &end, sizeof(end), err);

	return ret ? ret : writer_index(w, err);
}

struct writer_mark writer_mark(const struct writer *w)
{
	return (struct writer_mark){ w->bytes, w->index.size };
}

int writer_rewind(struct writer *w, const struct writer_mark *mark, struct error *err)
{
	w->bytes = mark->bytes;
	w->index.size = mark->index;
	if (ftruncate(w->fd, (off_t)w->bytes) || lseek(w->fd, (off_t)w->bytes, SEEK_SET) < 0)
		return error_errno(err, "can't cut %s", w->path);
	return 0;
}

uint64_t writer_bytes(const struct writer *w)
{
	return w->bytes;
}

int writer_close(struct writer *w, struct error *err)
{
	int ret = 0;

	/* Network file systems and quotas may only say now. */
	if (w->fd >= 0 && close(w->fd) && errno != EINTR)
		ret = error_errno(err, "can't write %s", w->path);
	ZSTD_freeCCtx(w->zstd);
	columns_free(&w->columns);
	buffer_free(&w->by_column);
	buffer_free(&w->packed);
	buffer_free(&w->index);
	free(w->path);
	free(w);
	return ret;
}

int writer_finish(struct writer *w, int ret, struct error *err)
{
	struct error close_err;

	if (writer_close(w, &close_err) && !ret) {
		*err = close_err;
		ret = -err->code;
	}
	return ret;
}
