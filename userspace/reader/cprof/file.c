// SPDX-License-Identifier: GPL-2.0
/*
 * Opens a recording, has cprof/scan.c find its segments, and verifies and unpacks a payload when it
 * is asked for. What cannot be read is an error of that segment alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cprof/file.h"
#include "cprof/format.h"
#include "cprof/numbers.h"
#include "cprof/scan.h"
#include "cprof/sum.h"
#include "cprof/version2.h"

#define SWAPPED_ENDIAN	0x04030201u

static int out_of_memory(struct error *err)
{
	return error_set(err, ENOMEM, "out of memory");
}

/* ------------------------------------------------------------------------
 * opening
 */

static int refuse(const struct file *f, struct error *err, const char *why)
{
	return error_set(err, EINVAL, "%s is not a recording: %s", f->input.name,
			 why);
}

static int refuse_version(const struct file *f, uint32_t version,
			  struct error *err)
{
	return error_set(err, EINVAL,
		"%s has version %" PRIu32 " of the file format, this program (coroprof " COROPROF_VERSION ") reads versions %d to %d\n"
		"%s",
		f->input.name, version, VERSION2, CPROF_VERSION,
		version < CPROF_VERSION ?
		"it was recorded by an older coroprof: read it with that one, or record anew" :
		"it was recorded by a newer coroprof: read it with that one");
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
			f->input.name);
	if (h->endian != CPROF_ENDIAN)
		return refuse(f, err, "its header has no known byte order");
	if (h->version < VERSION2 || h->version > CPROF_VERSION)
		return refuse_version(f, h->version, err);
	if (h->size < sizeof(*h) || h->size % 8 || h->size > 4096)
		return refuse(f, err, "its header has an impossible size");
	return 0;
}

static int read_header(struct file *f, uint64_t *first, struct error *err)
{
	struct cprof_header h;
	size_t got;
	int ret = input_read(&f->input, 0, &h, sizeof(h), &got, err);

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
	f->version = h.version;
	*first = h.size;
	return 0;
}

/* Takes the input, also if it fails. */
static int open_input(struct file **file, const struct input *input, struct error *err)
{
	struct file *f = calloc(1, sizeof(*f));
	struct input unused = *input;
	uint64_t first = 0;
	int ret;

	if (!f) {
		input_close(&unused);
		return out_of_memory(err);
	}
	f->input = *input;
	ret = file_unpacker_init(&f->unpacker, err);
	if (!ret)
		ret = read_header(f, &first, err);
	if (!ret)
		ret = scan(f, first, err);
	if (ret)
		file_close(f);
	else
		*file = f;
	return ret;
}

int file_open(struct file **file, const char *path, struct error *err)
{
	struct input input;
	int ret = input_open(&input, path, CPROF_MAGIC, CPROF_MAGIC_SIZE, err);

	return ret ? ret : open_input(file, &input, err);
}

int file_open_memory(struct file **file, const char *name, const struct memory *memory,
		     struct error *err)
{
	struct input input;
	int ret = input_open_memory(&input, name, memory, err);

	return ret ? ret : open_input(file, &input, err);
}

void file_close(struct file *f)
{
	if (!f)
		return;
	input_close(&f->input);
	file_unpacker_free(&f->unpacker);
	free(f->segments);
	free(f->corrupt_ranges);
	free(f);
}

bool file_is_recording(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char begin[CPROF_MAGIC_SIZE];
	struct stat st;
	bool is;

	if (fd < 0)
		return false;
	is = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	     read(fd, begin, sizeof(begin)) == sizeof(begin) &&
	     !memcmp(begin, CPROF_MAGIC, CPROF_MAGIC_SIZE);
	close(fd);
	return is;
}

/* They are in the order of the file. A hostile one has millions, and as many questions. */
bool file_has_corrupt_range(const struct file *f, uint64_t from, uint64_t to)
{
	size_t low = 0, high = f->nr_corrupt_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->corrupt_ranges[middle].offset < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->nr_corrupt_ranges && f->corrupt_ranges[low].end <= to;
}

/* ------------------------------------------------------------------------
 * payloads
 */

int file_unpacker_init(struct file_unpacker *u, struct error *err)
{
	*u = (struct file_unpacker){ .zstd = ZSTD_createDCtx() };
	return u->zstd ? 0 : out_of_memory(err);
}

void file_unpacker_free(struct file_unpacker *u)
{
	ZSTD_freeDCtx(u->zstd);
	buffer_free(&u->stored);
	buffer_free(&u->between);
}

static int read_stored(const struct file *f, struct buffer *to,
		       const struct file_segment *s, struct error *err)
{
	size_t header = f->version == VERSION2 ?
			sizeof(struct version2_segment) :
			sizeof(struct cprof_segment), got;
	uint32_t sum;
	int ret;

	to->size = 0;
	ret = buffer_reserve(to, s->stored_size + NUMBERS_SLACK, err);
	if (!ret)
		ret = input_read(&f->input, s->offset + header, to->data,
				 s->stored_size, &got, err);
	if (ret)
		return ret;
	if (got < s->stored_size)
		return error_set(err, EIO, "%s has become shorter while it was read",
				 f->input.name);
	sum = f->version == VERSION2 ? (uint32_t)crc32(0, (void *)to->data, s->stored_size) :
				       payload_sum(to->data, s->stored_size);
	if (s->payload_sum != sum)
		return error_set(err, EINVAL, "its checksum does not match");
	to->size = s->stored_size;
	return 0;
}

/* Exactly @size bytes. */
static int unzstd(struct file_unpacker *u, void *to, size_t size,
		  struct error *err)
{
	size_t n = ZSTD_decompressDCtx(u->zstd, to, size, u->stored.data,
				       u->stored.size);

	if (ZSTD_isError(n))
		return error_set(err, EINVAL, "its zstd frame is damaged: %s",
				 ZSTD_getErrorName(n));
	if (n != size)
		return error_set(err, EINVAL, "it unpacks to %zu bytes and should to %zu",
				 n, size);
	return 0;
}

/* Its size is reported without what says whose ring it is. */
static int unpack_version2_ring(struct file_unpacker *u,
				const struct file_segment *s, void *payload,
				struct error *err)
{
	size_t before = sizeof(struct version2_ring);
	const struct buffer *ring = &u->stored;
	int ret = 0;

	if (s->flags & CPROF_FLAG_ZSTD) {
		u->between.size = 0;
		ret = buffer_reserve(&u->between, s->size + before, err);
		if (!ret)
			ret = unzstd(u, u->between.data, s->size + before, err);
		ring = &u->between;
	}
	if (!ret && s->size)
		memcpy(payload, ring->data + before, s->size);
	return ret;
}

int file_read_by(const struct file *f, struct file_unpacker *u, size_t segment,
		 void *payload, struct error *err)
{
	const struct file_segment *s = &f->segments[segment];
	int ret = read_stored(f, &u->stored, s, err);

	if (ret)
		return ret;
	if (s->flags & CPROF_FLAG_COLUMNS)
		return error_set(err, EINVAL, "it is stored by column, as only rings are");
	if (f->version == VERSION2 && s->channel_id)
		return unpack_version2_ring(u, s, payload, err);
	if (s->flags & CPROF_FLAG_ZSTD)
		return unzstd(u, payload, s->size, err);
	if (s->size)
		memcpy(payload, u->stored.data, s->size);
	return 0;
}

int file_read_records(const struct file *f, struct file_unpacker *u,
		      size_t segment, struct buffer *to, struct error *err)
{
	const struct file_segment *s = &f->segments[segment];
	int ret;

	if (s->flags & CPROF_FLAG_COLUMNS)
		return read_stored(f, to, s, err);
	to->size = 0;
	ret = buffer_reserve(to, s->size, err);
	if (!ret)
		ret = file_read_by(f, u, segment, to->data, err);
	to->size = s->size;
	return ret;
}

int file_read(struct file *f, size_t segment, void *payload, struct error *err)
{
	return file_read_by(f, &f->unpacker, segment, payload, err);
}
