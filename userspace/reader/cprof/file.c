// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/util.h"
#include "cprof/file.h"
#include "cprof/format.h"

#define SWAPPED_ENDIAN	0x04030201u

static int out_of_memory(struct error *err)
{
	return error_set(err, ENOMEM, "out of memory");
}

/* Reads as much as there is: fewer bytes than asked for only at the end. */
static int read_at(const struct file *f, uint64_t offset, void *to, size_t size,
		   size_t *got, struct error *err)
{
	ssize_t n;

	*got = 0;
	while (*got < size) {
		n = pread(f->fd, (char *)to + *got, size - *got,
			  (off_t)(offset + *got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(err, "can't read %s", f->path);
		if (n == 0)
			break;
		*got += (size_t)n;
	}
	return 0;
}

static int refuse(struct file *f, struct error *err, const char *why)
{
	return error_set(err, EINVAL, "%s is not a recording: %s", f->path, why);
}

static int check_header(struct file *f, const struct cprof_header *h,
			struct error *err)
{
	if (memcmp(h->magic, CPROF_MAGIC, sizeof(h->magic)))
		return refuse(f, err, "it does not begin as a .cprof file does");
	if (h->endian == SWAPPED_ENDIAN)
		return error_set(err, EINVAL,
			"%s was recorded on a machine of the other byte order\n"
			"read it on a machine of the same byte order as that one",
			f->path);
	if (h->endian != CPROF_ENDIAN)
		return refuse(f, err, "its header has no known byte order");
	if (h->version != CPROF_VERSION)
		return error_set(err, EINVAL,
			"%s has version %" PRIu32 " of the file format, this program (coroprof-read " COROPROF_VERSION ") reads version %d\n"
			"%s",
			f->path, h->version, CPROF_VERSION,
			h->version < CPROF_VERSION ?
			"it was recorded by an older coroprof-read: read it with that one, or record anew" :
			"it was recorded by a newer coroprof-read: read it with that one");
	if (h->size < sizeof(*h) || h->size % 8 || h->size > 4096)
		return refuse(f, err, "its header has an impossible size");
	return 0;
}

static int read_header(struct file *f, uint64_t *first, struct error *err)
{
	struct cprof_header h;
	size_t got;
	int ret = read_at(f, 0, &h, sizeof(h), &got, err);

	if (ret)
		return ret;
	if (got < sizeof(h))
		return refuse(f, err, got ? "it is shorter than a header" :
					    "it is empty");
	ret = check_header(f, &h, err);
	if (ret)
		return ret;
	if (h.crc != crc32(0, (void *)&h, offsetof(struct cprof_header, crc)))
		return refuse(f, err, "the checksum of its header does not match");
	*first = h.size;
	return 0;
}

static int torn(struct file *f, uint64_t offset, const char *why,
		struct error *err)
{
	f->torn = strdup(why);
	f->torn_offset = offset;
	return f->torn ? 0 : out_of_memory(err);
}

int file_unpacker_init(struct file_unpacker *u, struct error *err)
{
	*u = (struct file_unpacker){ .zstd = ZSTD_createDCtx() };
	return u->zstd ? 0 : out_of_memory(err);
}

void file_unpacker_free(struct file_unpacker *u)
{
	ZSTD_freeDCtx(u->zstd);
	free(u->stored);
}

static int reserve_stored(struct file_unpacker *u, size_t size,
			  struct error *err)
{
	void *stored;

	if (size <= u->room)
		return 0;
	stored = realloc(u->stored, size);
	if (!stored)
		return out_of_memory(err);
	u->stored = stored;
	u->room = size;
	return 0;
}

/*
 * Unpacks no more of the payload just read than it takes to know whose ring it
 * is: the first frame, as coroprof-read writes it. 0, which no channel is, if
 * it can't be unpacked.
 */
static uint32_t peek_channel(struct file *f, const struct cprof_segment *s)
{
	struct cprof_ring ring = { 0 };
	ZSTD_DCtx *zstd = f->unpacker.zstd;
	ZSTD_inBuffer in = { f->unpacker.stored, s->stored_size, 0 };
	ZSTD_outBuffer out = { &ring, sizeof(ring), 0 };

	if ((s->type != CPROF_SEGMENT_RING &&
	     s->type != CPROF_SEGMENT_SAMPLES) || s->size < sizeof(ring))
		return 0;
	if (!(s->flags & CPROF_FLAG_ZSTD)) {
		memcpy(&ring, in.src, sizeof(ring));
		return ring.channel_id;
	}
	ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
	while (out.pos < out.size) {
		size_t before = in.pos + out.pos;
		size_t ret = ZSTD_decompressStream(zstd, &out, &in);

		if (ZSTD_isError(ret) || in.pos + out.pos == before)
			return 0;
	}
	return ring.channel_id;
}

static int add_segment(struct file *f, uint64_t offset,
		       const struct cprof_segment *s, struct error *err)
{
	size_t n = f->nr_segments;

	if ((n & (n - 1)) == 0) {
		size_t room = n ? 2 * n : 1;
		void *segments = realloc(f->segments,
					 room * sizeof(*f->segments));

		if (!segments)
			return out_of_memory(err);
		f->segments = segments;
	}
	f->segments[f->nr_segments++] = (struct file_segment){
		.offset = offset,
		.stored_size = s->stored_size,
		.size = s->size,
		.type = s->type,
		.flags = s->flags,
		.channel_id = peek_channel(f, s),
	};
	return 0;
}

/* What is wrong with a segment's header, or NULL. */
static const char *header_fault(const struct cprof_segment *s)
{
	if (s->magic != CPROF_SEGMENT_MAGIC)
		return "there is no segment where one should begin";
	if (s->header_crc != crc32(0, (void *)s,
				   offsetof(struct cprof_segment, header_crc)))
		return "the checksum of a segment's header does not match";
	if (s->stored_size > CPROF_PAYLOAD_MAX || s->size > CPROF_PAYLOAD_MAX)
		return "a segment is larger than any may be";
	if (s->flags & ~CPROF_FLAG_ZSTD)
		return "a segment is stored in a way this program does not know";
	if (!(s->flags & CPROF_FLAG_ZSTD) && s->stored_size != s->size)
		return "a segment has two different sizes";
	return NULL;
}

/*
 * Takes one segment into the list. Sets *next to where the next one begins, or
 * f->torn.
 */
static int scan_segment(struct file *f, uint64_t offset, uint64_t *next,
			struct error *err)
{
	struct cprof_segment s;
	const char *fault;
	size_t got;
	int ret = read_at(f, offset, &s, sizeof(s), &got, err);

	if (ret)
		return ret;
	if (got < sizeof(s))
		return torn(f, offset, "the file ends within a segment's header",
			    err);
	fault = header_fault(&s);
	if (fault)
		return torn(f, offset, fault, err);
	ret = reserve_stored(&f->unpacker, s.stored_size, err);
	if (!ret)
		ret = read_at(f, offset + sizeof(s), f->unpacker.stored,
			      s.stored_size, &got, err);
	if (ret)
		return ret;
	if (got < s.stored_size)
		return torn(f, offset, "the file ends within a segment", err);
	if (s.payload_crc != crc32(0, f->unpacker.stored, s.stored_size))
		return torn(f, offset, "the checksum of a segment does not match",
			    err);
	*next = offset + sizeof(s) + ALIGN8(s.stored_size);
	return add_segment(f, offset, &s, err);
}

static int scan(struct file *f, struct error *err)
{
	uint64_t offset = 0;
	int ret = read_header(f, &offset, err);

	while (!ret && !f->torn && offset < f->size) {
		if (f->nr_segments == FILE_SEGMENTS_MAX)
			return torn(f, offset, "there are more segments than any recording has",
				    err);
		ret = scan_segment(f, offset, &offset, err);
	}
	return ret;
}

static int open_regular(struct file *f, struct error *err)
{
	struct stat st;

	f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return error_errno(err, "can't open %s", f->path);
	if (fstat(f->fd, &st))
		return error_errno(err, "can't read %s", f->path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, EINVAL,
				 "%s is not a file: a recording can't be read from a pipe or device",
				 f->path);
	f->size = (uint64_t)st.st_size;
	return 0;
}

int file_open(struct file **file, const char *path, struct error *err)
{
	struct file *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return out_of_memory(err);
	f->fd = -1;
	f->path = strdup(path);
	ret = f->path ? file_unpacker_init(&f->unpacker, err) :
			out_of_memory(err);
	if (!ret)
		ret = open_regular(f, err);
	if (!ret)
		ret = scan(f, err);
	if (ret)
		file_close(f);
	else
		*file = f;
	return ret;
}

void file_close(struct file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	file_unpacker_free(&f->unpacker);
	free(f->segments);
	free(f->torn);
	free(f->path);
	free(f);
}

static int unpack(struct file_unpacker *u, const struct file_segment *s,
		  void *payload, struct error *err)
{
	size_t n = ZSTD_decompressDCtx(u->zstd, payload, s->size, u->stored,
				       s->stored_size);

	if (ZSTD_isError(n))
		return error_set(err, EINVAL, "its zstd frame is damaged: %s",
				 ZSTD_getErrorName(n));
	if (n != s->size)
		return error_set(err, EINVAL,
				 "it unpacks to %zu bytes and should to %" PRIu32,
				 n, s->size);
	return 0;
}

int file_read_by(const struct file *f, struct file_unpacker *u, size_t segment,
		 void *payload, struct error *err)
{
	const struct file_segment *s = &f->segments[segment];
	bool packed = s->flags & CPROF_FLAG_ZSTD;
	size_t got;
	int ret = packed ? reserve_stored(u, s->stored_size, err) : 0;

	if (!ret)
		ret = read_at(f, s->offset + sizeof(struct cprof_segment),
			      packed ? u->stored : payload, s->stored_size, &got,
			      err);
	if (ret)
		return ret;
	if (got < s->stored_size)
		return error_set(err, EIO, "%s has become shorter while it was read",
				 f->path);
	return packed ? unpack(u, s, payload, err) : 0;
}

int file_read(struct file *f, size_t segment, void *payload, struct error *err)
{
	return file_read_by(f, &f->unpacker, segment, payload, err);
}
