// SPDX-License-Identifier: GPL-2.0
/*
 * prepare FILE.cprof TO NAMES: writes the recording to TO, without zstd, as the engine needs it, and
 * to NAMES what its object files answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cprof/file.h"
#include "cprof/format.h"
#include "cprof/sum.h"
#include "profile/model.h"
#include "symbols/given.h"

static void die(const char *what)
{
	fprintf(stderr, "prepare: %s\n", what);
	exit(1);
}

static void put(FILE *to, const void *bytes, size_t size)
{
	if (size && fwrite(bytes, 1, size, to) != size)
		die("can't write");
}

static FILE *create(const char *path)
{
	FILE *to = fopen(path, "wb");

	if (!to)
		die("can't create a file");
	return to;
}

/* All of @at the begin of @from, and what is behind a segment, stay as they are. */
static void copy(FILE *to, FILE *from, uint64_t at, uint64_t size)
{
	char *bytes = malloc(size + 1);

	if (!bytes || fseek(from, (long)at, SEEK_SET))
		die("can't read");
	put(to, bytes, fread(bytes, 1, size, from));
	free(bytes);
}

static void put_plain(FILE *to, struct cprof_segment s, const void *payload)
{
	static const char zeroes[8];

	s.flags &= (uint16_t)~CPROF_FLAG_ZSTD;
	s.stored_size = s.size;
	s.payload_sum = payload_sum(payload, s.size);
	s.header_crc = (uint32_t)crc32(0, (void *)&s, offsetof(struct cprof_segment, header_crc));
	put(to, &s, sizeof(s));
	put(to, payload, s.size);
	put(to, zeroes, -s.size & 7);
}

/* What is damaged stays so. */
static uint64_t write_segment(FILE *to, FILE *from, struct file *file, size_t n)
{
	const struct file_segment *s = &file->segments[n];
	struct error err = ERROR_NONE;
	struct cprof_segment header;
	char *payload = malloc(s->size + 8u);

	if (fseek(from, (long)s->offset, SEEK_SET) || fread(&header, sizeof(header), 1, from) != 1)
		die("can't read a segment");
	if (s->flags & CPROF_FLAG_ZSTD && !file_read(file, n, payload, &err))
		put_plain(to, header, payload);
	else
		copy(to, from, s->offset, sizeof(header) + ((s->stored_size + 7ull) & ~7ull));
	free(payload);
	return s->offset + sizeof(header) + ((s->stored_size + 7ull) & ~7ull);
}

static void write_plain(struct file *file, const char *path, const char *to_path)
{
	FILE *to = create(to_path), *from = fopen(path, "rb");
	uint64_t at = 0;

	if (!from)
		die("can't open the recording");
	for (size_t i = 0; i < file->nr_segments; i++) {
		copy(to, from, at, file->segments[i].offset - at);
		at = write_segment(to, from, file, i);
	}
	if (at < file->input.size)
		copy(to, from, at, file->input.size - at);
	fclose(from);
	if (fclose(to))
		die("can't write");
}

static void write_names(struct file *file, const char *path)
{
	struct symbols_given names = { 0 };
	const struct model_options options = { .note_names = &names, .no_timeline = true };
	struct error err = ERROR_NONE;
	struct buffer bytes = { 0 };
	FILE *to = create(path);
	struct model *m;

	if (model_load(&m, file, &options, &err) || !given_write(&names, &bytes))
		die(err.message);
	put(to, bytes.data, bytes.size);
	model_free(m);
	given_free(&names);
	buffer_free(&bytes);
	if (fclose(to))
		die("can't write");
}

int main(int argc, char **argv)
{
	struct error err = ERROR_NONE;
	struct file *file;

	if (argc != 4)
		die("give FILE.cprof, and the names of two files to write");
	if (file_open(&file, argv[1], &err))
		die(err.message);
	if (file->version == CPROF_VERSION)
		write_plain(file, argv[1], argv[2]);
	write_names(file, argv[3]);
	file_close(file);
	return 0;
}
