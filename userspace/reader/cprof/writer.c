// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/util.h"
#include "cprof/format.h"
#include "cprof/writer.h"

/* Level 1 keeps up with any ring; 3 gains a few percent for twice the time. */
#define ZSTD_LEVEL	1

/* Below this a zstd frame's own header outweighs what it saves. */
#define ZSTD_MIN	128

/**
 * struct writer - an open .cprof file
 * @fd:     its descriptor
 * @path:   its name, for messages
 * @bytes:  good bytes written
 * @zstd:   compression context, reused
 * @packed: room for a segment's header, stored payload and padding
 * @error:  what broke it
 */
struct writer {
	int fd;
	char *path;
	uint64_t bytes;
	ZSTD_CCtx *zstd;
	struct buffer packed;
	struct error error;
};

static int write_all(struct writer *w, const void *data, size_t size,
		     struct error *err)
{
	const char *p = data;
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = write(w->fd, p + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(err, "can't write %s", w->path);
		done += (size_t)n;
	}
	w->bytes += size;
	return 0;
}

/* Half a segment at the end would make readers call the file damaged. */
static void cut_back(struct writer *w)
{
	if (ftruncate(w->fd, (off_t)w->bytes) == 0)
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
	return write_all(w, &header, sizeof(header), err);
}

int writer_open_fd(struct writer **writer, int fd, const char *path,
		   struct error *err)
{
	struct writer *w = calloc(1, sizeof(*w));
	int ret = -ENOMEM;

	if (!w) {
		close(fd);
		return error_set(err, ENOMEM, "out of memory");
	}
	w->fd = fd;
	w->path = strdup(path);
	w->zstd = ZSTD_createCCtx();
	if (!w->path || !w->zstd)
		error_set(err, ENOMEM, "out of memory");
	else
		ret = write_header(w, err);
	if (ret) {
		struct error ignored;

		writer_close(w, &ignored);
		return ret;
	}
	*writer = w;
	return 0;
}

int writer_open(struct writer **writer, const char *path, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_errno(err, "can't create %s", path);
	return writer_open_fd(writer, fd, path, err);
}

/*
 * Packs a payload as one zstd frame, or as two, of which the first is its first
 * @apart bytes. Returns what it takes, or a zstd error.
 */
static size_t make_frames(ZSTD_CCtx *zstd, char *to, size_t room,
			  const char *payload, size_t size, size_t apart)
{
	size_t first = 0, rest;

	if (apart) {
		first = ZSTD_compressCCtx(zstd, to, room, payload, apart,
					  ZSTD_LEVEL);
		if (ZSTD_isError(first))
			return first;
	}
	rest = ZSTD_compressCCtx(zstd, to + first, room - first,
				 payload + apart, size - apart, ZSTD_LEVEL);
	return ZSTD_isError(rest) ? rest : first + rest;
}

/* Puts the stored form of the payload behind the room for the header. */
static int pack(struct writer *w, struct cprof_segment *segment,
		const void *payload, size_t size, struct error *err)
{
	size_t apart = segment->type == CPROF_SEGMENT_RING ?
		       sizeof(struct cprof_ring) : 0;
	size_t room = ZSTD_compressBound(apart) + ZSTD_compressBound(size);
	size_t stored = size;
	char *to;
	int ret;

	w->packed.size = 0;
	ret = buffer_reserve(&w->packed, sizeof(*segment) + room + 8, err);
	if (ret)
		return ret;
	to = w->packed.data + sizeof(*segment);
	if (size >= ZSTD_MIN)
		stored = make_frames(w->zstd, to, room, payload, size, apart);
	if (!ZSTD_isError(stored) && stored < size) {
		segment->flags = CPROF_FLAG_ZSTD;
	} else {
		stored = size;
		if (size)
			memcpy(to, payload, size);
	}
	segment->stored_size = (uint32_t)stored;
	w->packed.size = sizeof(*segment) + stored;
	return buffer_pad(&w->packed, err);
}

int writer_segment(struct writer *w, unsigned int type, const void *payload,
		   size_t size, struct error *err)
{
	struct cprof_segment segment = {
		.magic = CPROF_SEGMENT_MAGIC,
		.type = (uint16_t)type,
		.size = (uint32_t)size,
	};
	char *stored;
	int ret;

	if (w->error.code) {
		*err = w->error;
		return -err->code;
	}
	if (size > CPROF_PAYLOAD_MAX)
		return error_set(err, EFBIG, "a segment of %zu bytes is too large",
				 size);
	ret = pack(w, &segment, payload, size, err);
	if (ret)
		return ret;
	stored = w->packed.data + sizeof(segment);
	segment.payload_crc = (uint32_t)crc32(0, (void *)stored,
					      segment.stored_size);
	segment.header_crc = (uint32_t)crc32(0, (void *)&segment,
			offsetof(struct cprof_segment, header_crc));
	memcpy(w->packed.data, &segment, sizeof(segment));
	ret = write_all(w, w->packed.data, w->packed.size, err);
	if (ret) {
		w->error = *err;
		cut_back(w);
	}
	return ret;
}

uint64_t writer_bytes(const struct writer *w)
{
	return w->bytes;
}

int writer_close(struct writer *w, struct error *err)
{
	int ret = 0;

	/* Network file systems and quotas may only tell now. */
	if (close(w->fd) && errno != EINTR)
		ret = error_errno(err, "can't write %s", w->path);
	ZSTD_freeCCtx(w->zstd);
	buffer_free(&w->packed);
	free(w->path);
	free(w);
	return ret;
}
