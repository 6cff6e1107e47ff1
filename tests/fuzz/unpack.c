// SPDX-License-Identifier: GPL-2.0
/*
 * unpack IN.cprof OUT.cprof RECORDS: the same recording with payloads that are
 * not packed, so that mutations of it are of what it says; and the payloads that
 * are records as RECORDS-N, as fuzz-records takes them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cprof/file.h"
#include "cprof/format.h"
#include "cprof/sum.h"

static void die(const char *what)
{
	fprintf(stderr, "unpack: %s\n", what);
	exit(1);
}

static void put(FILE *to, const void *data, size_t size)
{
	if (size && fwrite(data, size, 1, to) != 1)
		die("can't write");
}

static FILE *create(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		die(path);
	return file;
}

static void put_header(FILE *to)
{
	struct cprof_header h = { .endian = CPROF_ENDIAN, .version = CPROF_VERSION,
				  .size = sizeof(h) };

	memcpy(h.magic, CPROF_MAGIC, sizeof(h.magic));
	h.crc = (uint32_t)crc32(0, (void *)&h, offsetof(struct cprof_header, crc));
	put(to, &h, sizeof(h));
}

static void put_segment(FILE *to, const struct file_segment *s, const struct buffer *payload)
{
	static const char zeroes[8];
	struct cprof_segment h = {
		.magic = CPROF_SEGMENT_MAGIC,
		.type = s->type,
		.flags = s->flags & ~CPROF_FLAG_ZSTD,
		.stored_size = (uint32_t)payload->size,
		.size = s->size,
		.payload_sum = payload_sum(payload->data, payload->size),
		.channel_id = s->channel_id,
		.first_time = s->first_time,
		.last_time = s->last_time,
		.records = s->records,
	};

	h.header_crc = (uint32_t)crc32(0, (void *)&h, offsetof(struct cprof_segment, header_crc));
	put(to, &h, sizeof(h));
	put(to, payload->data, payload->size);
	put(to, zeroes, ALIGN8(payload->size) - payload->size);
}

/* The forms are those of records.c: STREAM, SAMPLES, PACKED, COLUMNS. */
static void put_records(const char *prefix, size_t n, const struct file_segment *s,
			const struct buffer *payload)
{
	uint8_t form[8] = { s->type == CPROF_SEGMENT_STREAM ? 0 :
			    s->type == CPROF_SEGMENT_SAMPLES ? 2 :
			    s->flags & CPROF_FLAG_COLUMNS ? 4 : 3, 2 };
	char path[4096];
	FILE *to;

	if (s->type != CPROF_SEGMENT_STREAM && s->type != CPROF_SEGMENT_SAMPLES &&
	    s->type != CPROF_SEGMENT_RING)
		return;
	snprintf(path, sizeof(path), "%s-%zu", prefix, n);
	to = create(path);
	put(to, form, sizeof(form));
	put(to, payload->data, payload->size);
	if (fclose(to))
		die(path);
}

static void unpack(struct file *file, FILE *to, const char *prefix)
{
	struct error err = ERROR_NONE;
	struct buffer payload = { 0 };

	put_header(to);
	for (size_t i = 0; i < file->nr_segments; i++) {
		if (file->segments[i].type == CPROF_SEGMENT_INDEX)
			continue;
		if (file_read_records(file, &file->unpacker, i, &payload, &err))
			die(err.message);
		put_segment(to, &file->segments[i], &payload);
		put_records(prefix, i, &file->segments[i], &payload);
	}
	buffer_free(&payload);
}

int main(int argc, char **argv)
{
	struct error err = ERROR_NONE;
	struct file *file;
	FILE *to;

	if (argc != 4)
		die("usage: unpack IN.cprof OUT.cprof RECORDS");
	if (file_open(&file, argv[1], &err))
		die(err.message);
	to = create(argv[2]);
	unpack(file, to, argv[3]);
	file_close(file);
	if (fclose(to))
		die(argv[2]);
	return 0;
}
