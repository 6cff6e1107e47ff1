// SPDX-License-Identifier: GPL-2.0
/*
 * Finds segments: by the index at the end, else header by header, and behind a damaged header by
 * its magic number and checksum. Sizes in headers are checked before anything relies on them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cprof/format.h"
#include "cprof/scan.h"
#include "cprof/sum.h"
#include "cprof/version2.h"

/*
 * So much is searched for a header at a time: little at first, as there may be
 * millions of small holes, and then twice as much each time, as one may be large.
 */
#define WINDOW_FIRST	(1u << 10)
#define WINDOW_MAX	(1u << 18)

static int out_of_memory(struct error *err)
{
	return error_set(err, ENOMEM, "out of memory");
}

static int add_corrupt_range(struct file *f, uint64_t offset, uint64_t end,
			     const char *why, struct error *err)
{
	if (!array_grow(&f->corrupt_ranges, f->nr_corrupt_ranges, sizeof(*f->corrupt_ranges)))
		return out_of_memory(err);
	f->corrupt_ranges[f->nr_corrupt_ranges++] = (struct file_corrupt_range){ offset, end, why };
	return 0;
}

static int add_segment(struct file *f, uint64_t offset,
		       const struct cprof_segment *s, struct error *err)
{
	if (!array_grow(&f->segments, f->nr_segments, sizeof(*f->segments)))
		return out_of_memory(err);
	f->segments[f->nr_segments++] = (struct file_segment){
		.offset = offset,
		.first_time = s->first_time,
		.last_time = s->last_time,
		.stored_size = s->stored_size,
		.payload_sum = s->payload_sum,
		.size = s->size,
		.channel_id = s->channel_id,
		.records = s->records,
		.type = s->type,
		.flags = s->flags,
	};
	return 0;
}

static size_t header_size(const struct file *f)
{
	return f->version == VERSION2 ? sizeof(struct version2_segment) :
					sizeof(struct cprof_segment);
}

/* What is wrong with sizes and flags in a header, or NULL. */
static const char *sizes_fault(const struct cprof_segment *s, unsigned int flags)
{
	if (s->stored_size > CPROF_PAYLOAD_MAX || s->size > CPROF_PAYLOAD_MAX)
		return "a segment is larger than any may be";
	if (s->flags & ~flags)
		return "a segment is stored in a way this program does not know";
	if (s->flags & CPROF_FLAG_COLUMNS && s->flags & CPROF_FLAG_ZSTD)
		return "a segment is stored in two ways at once";
	if (!s->flags && s->stored_size != s->size)
		return "a segment has two different sizes";
	return NULL;
}

static const char *read_version2_header(struct cprof_segment *s, const void *bytes)
{
	struct version2_segment h;

	memcpy(&h, bytes, sizeof(h));
	*s = (struct cprof_segment){
		.magic = h.magic, .type = h.type, .flags = h.flags,
		.stored_size = h.stored_size, .size = h.size,
		.payload_sum = h.payload_crc,
	};
	if (h.header_crc != crc32(0, bytes, offsetof(struct version2_segment,
						     header_crc)))
		return "the checksum of a segment's header does not match";
	return sizes_fault(s, CPROF_FLAG_ZSTD);
}

/* Returns what is wrong with the header, or NULL. */
static const char *read_header(const struct file *f, struct cprof_segment *s,
			       const void *bytes)
{
	uint32_t magic;

	memcpy(&magic, bytes, sizeof(magic));
	if (magic != CPROF_SEGMENT_MAGIC)
		return "there is no segment where one should begin";
	if (f->version == VERSION2)
		return read_version2_header(s, bytes);
	memcpy(s, bytes, sizeof(*s));
	if (s->header_crc != crc32(0, bytes, offsetof(struct cprof_segment,
						      header_crc)))
		return "the checksum of a segment's header does not match";
	return sizes_fault(s, CPROF_FLAGS);
}

/* Sets the channel of a ring's segment, which version 2 has in the payload. */
static int complete_version2(struct file *f, uint64_t offset,
			     struct cprof_segment *s, struct error *err)
{
	struct buffer *stored = &f->unpacker.stored;
	size_t got;
	int ret;

	if (!version2_is_ring(s->type))
		return 0;
	stored->size = 0;
	ret = buffer_reserve(stored, s->stored_size, err);
	if (!ret)
		ret = input_read(&f->input, offset + header_size(f),
				 stored->data, s->stored_size, &got, err);
	if (!ret && got == s->stored_size)
		s->channel_id = version2_channel(f->unpacker.zstd, s,
						 stored->data);
	/* What is reported is the size of the records alone. */
	if (s->channel_id)
		s->size -= sizeof(struct version2_ring);
	return ret;
}

static uint64_t segment_end(const struct file *f, uint64_t offset,
			    const struct cprof_segment *s)
{
	return offset + header_size(f) + ALIGN8(s->stored_size);
}

/* Padding at the very end of a file may be missing. */
static bool fits_into_file(const struct file *f, uint64_t offset,
			   const struct cprof_segment *s)
{
	return offset + header_size(f) + s->stored_size <= f->input.size;
}

/*
 * Sets @found to where the next valid header begins, at or behind @from, or to the file's size.
 * Segments begin at multiples of 8.
 */
static int find_header(struct file *f, uint64_t from, uint64_t *found,
		       struct error *err)
{
	size_t size = header_size(f), capacity = WINDOW_FIRST, got, at;
	struct buffer *window = &f->unpacker.stored;
	struct cprof_segment s;
	int ret = 0;

	*found = f->input.size;
	for (from = ALIGN8(from); !ret && from + size <= f->input.size &&
	     *found == f->input.size; from += at) {
		window->size = 0;
		ret = buffer_reserve(window, capacity, err);
		if (!ret)
			ret = input_read(&f->input, from, window->data, capacity,
					 &got, err);
		if (ret || got < size)
			break;
		for (at = 0; at + size <= got; at += 8) {
			if (read_header(f, &s, window->data + at) ||
			    !fits_into_file(f, from + at, &s))
				continue;
			*found = from + at;
			break;
		}
		capacity = capacity < WINDOW_MAX ? 2 * capacity : WINDOW_MAX;
	}
	return ret;
}

/* Notes a corrupt range up to the next valid header, and moves @offset there. */
static int skip_to_next_header(struct file *f, uint64_t *offset, const char *why,
			       struct error *err)
{
	uint64_t begin = *offset;
	int ret = find_header(f, begin + 8, offset, err);

	return ret ? ret : add_corrupt_range(f, begin, *offset, why, err);
}

/* Adds the segment at @offset to the list, and moves @offset behind it. */
static int scan_segment(struct file *f, uint64_t *offset, struct error *err)
{
	char bytes[sizeof(struct cprof_segment)];
	struct cprof_segment s;
	const char *fault;
	size_t got;
	int ret;

	ret = input_read(&f->input, *offset, bytes, header_size(f), &got, err);
	if (ret)
		return ret;
	if (got < header_size(f))
		return skip_to_next_header(f, offset, "the file ends within a segment's header",
					   err);
	fault = read_header(f, &s, bytes);
	if (!fault && !fits_into_file(f, *offset, &s))
		fault = "the file ends within a segment";
	if (fault)
		return skip_to_next_header(f, offset, fault, err);
	if (f->version == VERSION2)
		ret = complete_version2(f, *offset, &s, err);
	if (!ret)
		ret = add_segment(f, *offset, &s, err);
	*offset = segment_end(f, *offset, &s);
	return ret;
}

static int scan_segments(struct file *f, uint64_t offset, struct error *err)
{
	int ret = 0;

	while (!ret && offset < f->input.size) {
		if (f->nr_segments == FILE_SEGMENTS_MAX)
			return add_corrupt_range(f, offset, f->input.size,
						 "there are more segments than any recording has",
						 err);
		ret = scan_segment(f, &offset, err);
	}
	return ret;
}

/* ------------------------------------------------------------------------
 * the index
 */

static bool read_whole(struct file *f, uint64_t offset, void *to, size_t size)
{
	struct error ignored;
	size_t got;

	return !input_read(&f->input, offset, to, size, &got, &ignored) &&
	       got == size;
}

/* The offset of the index segment, or 0. */
static uint64_t find_index(struct file *f)
{
	struct cprof_trailer t;

	if (f->version == VERSION2 || f->input.size < sizeof(t) ||
	    !read_whole(f, f->input.size - sizeof(t), &t, sizeof(t)) ||
	    t.magic != CPROF_TRAILER_MAGIC ||
	    t.crc != crc32(0, (void *)&t, offsetof(struct cprof_trailer, crc)))
		return 0;
	return t.index;
}

static bool index_fits(const struct file *f, uint64_t offset,
		       const struct cprof_segment *s)
{
	return s->type == CPROF_SEGMENT_INDEX && !s->flags &&
	       s->size >= sizeof(struct cprof_trailer) &&
	       (s->size - sizeof(struct cprof_trailer)) %
		       sizeof(struct cprof_index_entry) == 0 &&
	       segment_end(f, offset, s) == f->input.size;
}

/*
 * Adds the segments of the index. False unless each begins where the one before ends, up to the
 * index, so that they are all of the file.
 */
static bool add_entries(struct file *f, const char *entries, size_t nr,
			uint64_t first, uint64_t index)
{
	struct cprof_index_entry entry;
	struct cprof_segment s;
	struct error ignored;

	for (size_t i = 0; i < nr; i++) {
		memcpy(&entry, entries + i * sizeof(entry), sizeof(entry));
		entry.header.magic = CPROF_SEGMENT_MAGIC;
		if (entry.offset != first || read_header(f, &s, &entry.header) ||
		    add_segment(f, entry.offset, &s, &ignored))
			return false;
		first = segment_end(f, first, &s);
	}
	return first == index;
}

static bool read_index(struct file *f, uint64_t first)
{
	uint64_t offset = find_index(f);
	struct cprof_segment s;
	char bytes[sizeof(s)], *payload;
	bool taken = false;

	if (!offset || !read_whole(f, offset, bytes, sizeof(bytes)) ||
	    read_header(f, &s, bytes) || !index_fits(f, offset, &s))
		return false;
	payload = malloc(s.size);
	if (payload && read_whole(f, offset + sizeof(s), payload, s.size) &&
	    s.payload_sum == payload_sum(payload, s.size))
		taken = add_entries(f, payload,
				    s.size / sizeof(struct cprof_index_entry),
				    first, offset);
	free(payload);
	if (!taken)
		f->nr_segments = 0;
	return taken;
}

int scan(struct file *f, uint64_t first, struct error *err)
{
	return read_index(f, first) ? 0 : scan_segments(f, first, err);
}
