// SPDX-License-Identifier: GPL-2.0
/*
 * A whole recording, from any bytes, and every output of it. Checksums are made
 * right first, or no mutation would get far; not if the last byte says so, for
 * what is done where they are wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/util.h"
#include "base/warn.h"
#include "cprof/file.h"
#include "cprof/format.h"
#include "cprof/sum.h"
#include "cprof/version2.h"
#include "diff/slow.h"
#include "output/csv.h"
#include "output/export/form.h"
#include "output/folded.h"
#include "output/html/html.h"
#include "output/json.h"
#include "output/text/text.h"
#include "profile/model.h"

/* Where the recording is, and where outputs go. */
static char path[64];
static int recording = -1;
static FILE *nowhere;

static void want(bool what)
{
	if (!what)
		abort();
}

static uint32_t crc_of(const void *data, size_t size)
{
	return (uint32_t)crc32(0, data, (uInt)size);
}

static size_t seal_version2(uint8_t *at, size_t left)
{
	struct version2_segment s;

	if (left < sizeof(s))
		return 0;
	memcpy(&s, at, sizeof(s));
	if (s.stored_size <= left - sizeof(s))
		s.payload_crc = crc_of(at + sizeof(s), s.stored_size);
	s.header_crc = crc_of(&s, offsetof(struct version2_segment, header_crc));
	memcpy(at, &s, sizeof(s));
	return sizeof(s) + ALIGN8((size_t)s.stored_size);
}

static size_t seal_segment(uint8_t *at, size_t left)
{
	struct cprof_segment s;

	if (left < sizeof(s))
		return 0;
	memcpy(&s, at, sizeof(s));
	if (s.stored_size <= left - sizeof(s))
		s.payload_sum = payload_sum(at + sizeof(s), s.stored_size);
	s.header_crc = crc_of(&s, offsetof(struct cprof_segment, header_crc));
	memcpy(at, &s, sizeof(s));
	return sizeof(s) + ALIGN8((size_t)s.stored_size);
}

static void seal_trailer(uint8_t *data, size_t size)
{
	struct cprof_trailer t;

	if (size < sizeof(t))
		return;
	memcpy(&t, data + size - sizeof(t), sizeof(t));
	if (t.magic != CPROF_TRAILER_MAGIC)
		return;
	t.crc = crc_of(&t, offsetof(struct cprof_trailer, crc));
	memcpy(data + size - sizeof(t), &t, sizeof(t));
}

static void seal(uint8_t *data, size_t size)
{
	struct cprof_header h;
	size_t at, step;

	if (size < sizeof(h))
		return;
	/* Of a segment's checksum that of the index is made: the last first. */
	seal_trailer(data, size);
	memcpy(&h, data, sizeof(h));
	h.crc = crc_of(&h, offsetof(struct cprof_header, crc));
	memcpy(data, &h, sizeof(h));
	for (at = h.size; at < size; at += step) {
		step = h.version == VERSION2 ? seal_version2(data + at, size - at) :
					       seal_segment(data + at, size - at);
		if (!step)
			break;
	}
}

/* One form of output, as @choice says: all of them each time would be slow. */
static void put_out(const struct model *m, unsigned int choice)
{
	const struct view_options view = { .table = NULL };
	const unsigned int forms = FORMAT_OPENMETRICS - FORMAT_PPROF + 1;
	struct error err = ERROR_NONE;

	choice %= 16;
	if (choice < forms)
		want(!form_of(FORMAT_PPROF + choice)->write(m, nowhere));
	else if (choice == 8)
		want(!html_write(m, nowhere));
	else if (choice == 9)
		want(!json_tables_write(m, &view, nowhere));
	else if (choice == 10)
		want(!csv_write(m, &view, nowhere));
	else if (choice == 11 && !folded_check(m, NULL, &err))
		want(!folded_write(m, NULL, nowhere));
	else
		want(!text_write(m, &view, nowhere));
}

/* A second reading, of a part of the time, and both added up. */
static void add_part(struct model *m, struct file *file)
{
	const struct model_options part = {
		.from_ns = 100, .to_ns = 2000, .shards = 3, .symbol_root = FUZZ,
	};
	struct error err = ERROR_NONE;
	struct model *second;

	if (!model_load(&second, file, &part, &err))
		model_combine(m, second, &err);
}

/* What --slow does, of any label, by any of what it may be asked for. */
static void divide(struct model *m, const struct model_options *options, unsigned int choice)
{
	static const char *const ask[] = {
		"by=wall,above=p50", "of=lives,by=wall,above=p50", "by=running,above=1ns",
		"of=lives,by=ready,above=1ns", "by=blocked,above=1ns", "by=awaiting,above=p50",
		"of=lives,by=running,above=1ns", "by=suspended,above=10us",
	};
	const char *label = m->nr_labels ? m->labels[choice % m->nr_labels].name : "none";
	struct error err = ERROR_NONE;
	struct slow slow;
	char text[256];

	snprintf(text, sizeof(text), "%s:%s", label, ask[choice / 64 % ARRAY_SIZE(ask)]);
	if (slow_parse(&slow, text, &err) || slow_find(m, path, &slow, options, &err))
		want(err.code > 0 && err.message[0]);
}

static void load(unsigned int choice)
{
	/* No file of this machine is looked at. */
	const struct model_options options = { .timeline_slices = 1000, .symbol_root = FUZZ };
	struct error err = ERROR_NONE;
	struct file *file;
	struct model *m;

	if (file_open(&file, path, &err)) {
		want(err.code > 0 && err.message[0]);
		return;
	}
	if (!model_load(&m, file, &options, &err)) {
		if (choice & 16)
			add_part(m, file);
		else if (choice & 32)
			divide(m, &options, choice);
		put_out(m, choice);
		model_free(m);
	}
	file_close(file);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	recording = memfd_create("recording", MFD_CLOEXEC);
	want(recording >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", recording);
	nowhere = fopen("/dev/null", "w");
	want(nowhere);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	want(copy);
	if (size)
		memcpy(copy, data, size);
	if (size && data[size - 1] != 'x')
		seal(copy, size);
	want(!ftruncate(recording, 0));
	want(pwrite(recording, copy, size, 0) == (ssize_t)size);
	free(copy);
	/* What is asked for is in one byte, which of it in another. */
	load(size ? data[size / 2] | (unsigned int)data[size / 3] << 6 : 0);
	return 0;
}
