// SPDX-License-Identifier: GPL-2.0
/* Files that are whole, torn at every byte, damaged at every byte, or none. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>
#include <zstd.h>

#include "cprof/format.h"
#include "cprof/memory.h"
#include "cprof/sum.h"
#include "gen/recording.h"
#include "output/text/text.h"

/* Every byte is seen without sanitizers; with them each reading takes ten times as long. */
#if defined(__SANITIZE_ADDRESS__)
#define STEP	7
#else
#define STEP	1
#endif

struct bytes {
	char *data;
	size_t size;
};

static struct bytes slurp(const char *path)
{
	struct bytes b = { 0 };
	struct stat st;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0 && !fstat(fd, &st));
	b.size = (size_t)st.st_size;
	b.data = malloc(b.size);
	assert_int_equal(read(fd, b.data, b.size), b.size);
	close(fd);
	return b;
}

static void spill(const void *data, size_t size)
{
	int fd = open(recording_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
}

/* Two channels, two segments each; all kinds of segments. */
static struct bytes small_file(void)
{
	static const char maps[sizeof(struct cprof_maps)];
	struct gen *g = begin_recording();
	struct bytes b;

	channel(g, 1, 1000);
	channel(g, 2, 1000);
	gen_drain_stream(g);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t c = 1; c < 3; c++) {
			for (uint64_t i = 10 * round; i < 10 * round + 10; i++)
				SLICE(g, c, 10 * c + i % 3, 1000 + 10 * i,
				      1010 + 10 * i, .label = 1,
				      .count = { 30, 40 });
			gen_drain(g, c);
		}
	gen_segment(g, CPROF_SEGMENT_MAPS, maps, sizeof(maps));
	gen_segment(g, 99, "what?", 5);
	gen_close(g, true);
	b = slurp(recording_path);
	unlink(recording_path);
	return b;
}

static void write_text(const struct model *m)
{
	FILE *null = fopen("/dev/null", "w");

	assert_non_null(null);
	assert_int_equal(text_write(m, &(struct view_options){ 0 }, null), 0);
	fclose(null);
}

/* NULL if the file can't be read at all; then it is said why. */
static struct model *try_load(void)
{
	struct error err = ERROR_NONE;
	struct model *m = NULL;
	struct file *file;

	if (file_open(&file, recording_path, &err)) {
		assert_true(err.code > 0 && err.message[0]);
		return NULL;
	}
	assert_int_equal(model_load(&m, file, NULL, &err), 0);
	file_close(file);
	write_text(m);
	return m;
}

static void reads_a_whole_file(void **state)
{
	struct bytes b = small_file();
	struct model *m;

	(void)state;
	spill(b.data, b.size);
	m = try_load();
	assert_non_null(m);
	assert_null(m->truncated);
	assert_true(m->ended);
	assert_int_equal(m->times.slices, 40);
	assert_int_equal(m->nr_damage, 0);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
	free(b.data);
}

/* In memory that ends where it does, so that a sanitizer sees what is read behind it. */
static void reads_memory_as_it_does_a_file(void **state)
{
	struct bytes b = small_file();

	(void)state;
	for (size_t size = (b.size - 1) % STEP; size <= b.size; size += STEP) {
		struct error err = ERROR_NONE, of_file = ERROR_NONE;
		char *copy = malloc(size ? size : 1);
		struct memory *bytes = memory_new();
		struct file *memory, *file;

		memcpy(copy, b.data, size);
		assert_int_equal(memory_refer(bytes, NULL, copy, size, &err), 0);
		spill(b.data, size);
		if (file_open(&file, recording_path, &of_file)) {
			assert_true(file_open_memory(&memory, recording_path, bytes, &err) < 0);
			assert_string_equal(err.message, of_file.message);
			assert_true(size < sizeof(struct cprof_header));
		} else {
			struct model *m, *n;

			assert_int_equal(file_open_memory(&memory, recording_path, bytes, &err), 0);
			assert_int_equal(model_load(&m, file, NULL, &err), 0);
			assert_int_equal(model_load(&n, memory, NULL, &err), 0);
			assert_int_equal(n->times.slices, m->times.slices);
			assert_int_equal(n->times.running_ns, m->times.running_ns);
			assert_int_equal(n->file_size, m->file_size);
			assert_int_equal(n->truncated_offset, m->truncated_offset);
			assert_string_equal(n->path, m->path);
			model_free(m);
			model_free(n);
			file_close(file);
			file_close(memory);
		}
		memory_free(bytes);
		free(copy);
	}
	free(b.data);
}

static size_t segment_end(const struct bytes *b, size_t offset)
{
	const struct cprof_segment *s = (const void *)(b->data + offset);

	return offset + sizeof(*s) + ((s->stored_size + 7) & ~7u);
}

static void reads_up_to_the_tear(void **state)
{
	struct bytes b = small_file();
	uint64_t slices = 0;

	(void)state;
	for (size_t size = (b.size - 1) % STEP; size < b.size; size += STEP) {
		struct model *m;
		size_t good = sizeof(struct cprof_header);

		spill(b.data, size);
		m = try_load();
		assert_int_equal(m != NULL, size >= sizeof(struct cprof_header));
		if (!m)
			continue;
		while (good < size && segment_end(&b, good) <= size)
			good = segment_end(&b, good);
		assert_true(m->times.slices >= slices);
		slices = m->times.slices;
		/* Missing padding at the very end takes nothing away. */
		if (m->truncated)
			assert_int_equal(m->truncated_offset, good);
		else
			assert_true(size == good || segment_end(&b, good) - size < 8);
		model_free(m);
	}
	assert_int_equal(slices, 40);
	free(b.data);
}

/* What small_file() holds. */
static bool is_whole(const struct model *m)
{
	return m->times.slices == 40 && m->nr_channels == 2 && m->ended &&
	       m->nr_processes == 1 && m->nr_counters == 2 &&
	       m->channels[0].check == MODEL_CHECKED &&
	       m->channels[1].check == MODEL_CHECKED;
}

/* Nothing is lost without a word; what has no checksum is in no figure. */
static void notices_every_changed_byte(void **state)
{
	struct bytes b = small_file();

	(void)state;
	for (size_t at = 0; at < b.size; at += STEP) {
		const char was = b.data[at];
		struct model *m;

		b.data[at] ^= 0x55;
		spill(b.data, b.size);
		m = try_load();
		if (m) {
			assert_true(m->nr_damage_total || m->truncated || is_whole(m));
			assert_true(!m->truncated || m->truncated_offset <= at);
			model_free(m);
		}
		b.data[at] = was;
	}
	free(b.data);
}

static void fix_checksums(struct cprof_segment *s)
{
	s->payload_sum = payload_sum(s + 1, s->stored_size);
	s->header_crc = (uint32_t)crc32(0, (void *)s,
			offsetof(struct cprof_segment, header_crc));
}

static struct bytes with_checksums(struct bytes b)
{
	size_t at = sizeof(struct cprof_header);

	while (at + sizeof(struct cprof_segment) <= b.size &&
	       segment_end(&b, at) <= b.size) {
		fix_checksums((void *)(b.data + at));
		at = segment_end(&b, at);
	}
	return b;
}

/* As whoever writes files to do harm would: with checksums that match. */
static void survives_changes_with_good_checksums(void **state)
{
	struct bytes b = small_file();
	char *copy = malloc(b.size);
	uint64_t random = 99;

	(void)state;
	assert_non_null(copy);
	for (int round = 0; round < 4000 / STEP; round++) {
		struct bytes changed = { copy, b.size };
		struct model *m;

		memcpy(copy, b.data, b.size);
		for (int i = 0; i < 1 + round % 4; i++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			copy[sizeof(struct cprof_header) + (random >> 33) %
			     (b.size - sizeof(struct cprof_header))] =
				(char)(random >> 25);
		}
		with_checksums(changed);
		spill(copy, b.size);
		m = try_load();
		assert_non_null(m);
		model_free(m);
	}
	free(copy);
	free(b.data);
}

static void put_segment(struct bytes *b, const void *payload, uint32_t stored,
			uint32_t size, uint16_t type, uint16_t flags)
{
	struct cprof_segment s = {
		.magic = CPROF_SEGMENT_MAGIC, .type = type, .flags = flags,
		.stored_size = stored, .size = size,
	};

	b->data = realloc(b->data, b->size + sizeof(s) + stored + 8);
	memset(b->data + b->size, 0, sizeof(s) + stored + 8);
	memcpy(b->data + b->size, &s, sizeof(s));
	memcpy(b->data + b->size + sizeof(s), payload, stored);
	fix_checksums((void *)(b->data + b->size));
	b->size = segment_end(b, b->size);
}

static struct bytes only_header(void)
{
	struct bytes b = small_file();

	b.size = sizeof(struct cprof_header);
	return b;
}

/* Compressed segments that lie about what is in them. */
static void survives_lies_about_sizes(void **state)
{
	static char zeroes[1 << 20];
	char packed[4096];
	uint32_t n = (uint32_t)ZSTD_compress(packed, sizeof(packed), zeroes,
					     sizeof(zeroes), 1);
	const struct lie {
		uint32_t stored, size;
		uint16_t flags;
		bool torn;
		bool unreadable;
	} lies[] = {
		{ n, sizeof(zeroes), CPROF_FLAG_ZSTD, false, false },
		{ n, sizeof(zeroes) - 1, CPROF_FLAG_ZSTD, false, true },
		{ n, sizeof(zeroes) + 1, CPROF_FLAG_ZSTD, false, true },
		{ n, CPROF_PAYLOAD_MAX, CPROF_FLAG_ZSTD, false, true },
		{ n, CPROF_PAYLOAD_MAX + 1, CPROF_FLAG_ZSTD, true, false },
		{ n, 0, CPROF_FLAG_ZSTD, false, true },
		{ n / 2, sizeof(zeroes), CPROF_FLAG_ZSTD, false, true },
		{ n, n + 1, 0, true, false },
		{ n, n, 0, false, false },
		{ n, n, 4, true, false },
	};
	struct model *m;

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
		for (uint16_t type = 0; type < 10; type++) {
			struct bytes b = only_header();

			put_segment(&b, packed, lies[i].stored, lies[i].size,
				    type, lies[i].flags);
			spill(b.data, b.size);
			m = try_load();
			assert_non_null(m);
			assert_int_equal(m->truncated != NULL, lies[i].torn);
			if (type == CPROF_SEGMENT_INFO)
				assert_int_equal(m->nr_damage,
						 lies[i].unreadable);
			model_free(m);
			free(b.data);
		}
}

static void refuse(size_t at, const void *change, size_t size, const char *why)
{
	struct bytes b = small_file();
	struct error err = ERROR_NONE;
	struct file *file;

	memcpy(b.data + at, change, size);
	spill(b.data, b.size);
	assert_true(file_open(&file, recording_path, &err) < 0);
	if (!strstr(err.message, why))
		fail_msg("\"%s\" does not say \"%s\"", err.message, why);
	free(b.data);
}

static void says_why_it_refuses_a_file(void **state)
{
	const uint32_t swapped = 0x04030201, version = 1, size = 4;
	struct error err = ERROR_NONE;
	struct file *file;

	(void)state;
	refuse(0, "x", 1, "does not begin as a .cprof file does");
	refuse(8, &swapped, 4, "other byte order");
	refuse(12, &version, 4, "version 1");
	refuse(16, &size, 4, "impossible size");
	refuse(20, &size, 4, "checksum of its header");
	spill("", 0);
	assert_int_equal(file_open(&file, recording_path, &err), -EINVAL);
	assert_non_null(strstr(err.message, "it is empty"));
	unlink(recording_path);
	assert_int_equal(file_open(&file, recording_path, &err), -ENOENT);
	assert_int_equal(file_open(&file, "/dev/zero", &err), -EINVAL);
	assert_non_null(strstr(err.message, "is neither a file nor a pipe"));
	assert_true(file_open(&file, "/tmp", &err) < 0);
}

/* A malformed record costs the rest of its segment, and no more. */
static void goes_on_after_a_malformed_record(void **state)
{
	static const uint16_t junk[4] = { COROPROF_RECORD_SLICE, 16, 0, 0 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .flags = COROPROF_SLICE_READY);
	gen_ring_bytes(g, 1, junk, sizeof(junk));
	gen_ring_bytes(g, 1, junk, sizeof(junk));
	SLICE(g, 1, 10, 1020, 1030, .label = 1, .flags = COROPROF_SLICE_READY);
	gen_drain(g, 1);
	SLICE(g, 1, 10, 1040, 1050, .label = 1, .flags = COROPROF_SLICE_READY);
	SLICE(g, 1, THREAD(1), 1050, 1060, .label = 1);
	SLICE(g, 1, 10, 1060, 1070, .label = 1);
	gen_drain_stream(g);
	gen_stream_bytes(g, "\0\0\0", 4);
	gen_drain_stream(g);
	m = load(g);
	assert_int_equal(m->nr_damage, 2);
	/* A slice of 40 with two counts. */
	assert_non_null(strstr(m->damage[1].text,
		"record 2 of a segment of the ring of channel 1 is malformed: it is too short for its type"));
	assert_int_equal(m->damage[1].channel, 0);
	assert_non_null(strstr(m->damage[0].text, "cut off in its header"));
	assert_true(m->channels[0].damaged);
	assert_int_equal(m->channels[0].check, MODEL_NOT_CHECKED);
	assert_int_equal(m->times.slices, 4);
	/* What was in the hole is not known: that gap is not measured. */
	assert_int_equal(coroutine(m, 1, 10)->times.unseen_gaps, 1);
	assert_int_equal(coroutine(m, 1, 10)->times.gaps, 1);
	model_free(m);
}

/* The record is whole, but what it says can't be. */
static void goes_on_after_an_impossible_slice(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .flags = COROPROF_SLICE_READY);
	SLICE(g, 1, 10, 1010, 1020, .label = 1, .blocked_ns = 11);
	gen_drain(g, 1);
	SLICE(g, 1, 10, 1040, 1050, .label = 1, .flags = COROPROF_SLICE_READY);
	SLICE(g, 1, THREAD(1), 1050, 1060, .label = 1);
	SLICE(g, 1, 10, 1060, 1070, .label = 1);
	m = load(g);
	assert_int_equal(m->nr_damage, 1);
	assert_non_null(strstr(m->damage[0].text,
		"record 2 of a segment of the ring of channel 1 is malformed: its time off the CPU is longer than it is"));
	assert_int_equal(coroutine(m, 1, 10)->times.unseen_gaps, 1);
	assert_int_equal(coroutine(m, 1, 10)->times.gaps, 1);
	assert_int_equal(coroutine(m, 1, 10)->times.ready_ns, 10);
	model_free(m);
}

static void reports_no_more_damage_than_can_be_read(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		gen_stream_bytes(g, "bad!", 4);
		gen_drain_stream(g);
	}
	m = load(g);
	assert_int_equal(m->nr_damage, 100);
	assert_int_equal(m->nr_damage_total, 1000);
	model_free(m);
}

/* Without the index, so that headers are all there is to find segments by. */
static struct bytes without_index(void)
{
	struct bytes b = small_file();
	size_t at = sizeof(struct cprof_header);
	struct cprof_segment s;

	for (;;) {
		memcpy(&s, b.data + at, sizeof(s));
		if (s.type == CPROF_SEGMENT_INDEX)
			break;
		at = segment_end(&b, at);
	}
	b.size = at;
	return b;
}

/* The bytes at @at are damaged: so many slices are read all the same. */
static void read_damaged(const struct bytes *b, size_t at, uint64_t slices)
{
	struct model *m;

	b->data[at] ^= 0x55;
	spill(b->data, b->size);
	m = try_load();
	b->data[at] ^= 0x55;
	assert_non_null(m);
	assert_int_equal(m->times.slices, slices);
	assert_int_equal(m->nr_damage, 1);
	assert_null(m->truncated);
	assert_true(m->unread_bytes > 0 && m->unread_bytes < 2048);
	assert_true(slices == 40 || m->failed_checks == 0);
	model_free(m);
}

static void loses_only_the_segment_that_is_damaged(void **state)
{
	struct bytes b = without_index();
	size_t rings = 0;

	(void)state;
	for (size_t at = sizeof(struct cprof_header); at < b.size;
	     at = segment_end(&b, at)) {
		struct cprof_segment s;

		memcpy(&s, b.data + at, sizeof(s));
		if (s.type != CPROF_SEGMENT_RING)
			continue;
		read_damaged(&b, at, 30);
		read_damaged(&b, at + 8, 30);
		read_damaged(&b, at + sizeof(s) + 5, 30);
		rings++;
	}
	assert_int_equal(rings, 4);
	free(b.data);
}

/* What ran in a hole is not known: gaps across it are not measured. */
static void measures_no_gap_across_an_interruption(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;
	struct bytes b;
	size_t at = sizeof(struct cprof_header);
	struct cprof_segment s;

	(void)state;
	channel(g, 1, 1000);
	gen_drain_stream(g);
	for (uint64_t i = 0; i < 3; i++) {
		SLICE(g, 1, 10, 1000 + 100 * i, 1050 + 100 * i, .label = 1,
		      .flags = COROPROF_SLICE_READY);
		SLICE(g, 1, THREAD(1), 1050 + 100 * i, 1100 + 100 * i);
		gen_drain(g, 1);
	}
	gen_close(g, false);
	b = slurp(recording_path);
	for (int rings = 0; rings < 2; at = segment_end(&b, at)) {
		memcpy(&s, b.data + at, sizeof(s));
		if (s.type == CPROF_SEGMENT_RING && ++rings == 2)
			break;
	}
	b.data[at] ^= 1;
	spill(b.data, b.size);
	m = try_load();
	assert_int_equal(m->times.slices, 4);
	assert_int_equal(coroutine(m, 1, 10)->times.gaps, 0);
	assert_int_equal(coroutine(m, 1, 10)->times.unseen_gaps, 1);
	model_free(m);
	free(b.data);
}

static char *table_of(const char *path)
{
	struct model *m = load_path(path, NULL);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(m);
	assert_int_equal(text_write(m, &(struct view_options){ 0 }, file), 0);
	fclose(file);
	model_free(m);
	return text;
}

/* Promised in cprof(5): what a version wrote, later ones read. */
static void reads_files_kept_from_each_version(void **state)
{
	static const char *const kept[] = { KEPT "/version2.cprof", KEPT "/version3.cprof" };
	char *now, *then;

	(void)state;
	assert_true(gen_scenario("kept", recording_path));
	now = table_of(recording_path);
	assert_non_null(strstr(now, "checked 1"));
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		then = table_of(kept[i]);
		assert_string_equal(then, now);
		free(then);
	}
	free(now);
}

static void reads_a_pipe(void **state)
{
	struct bytes b = small_file();
	int ends[2], own = dup(STDIN_FILENO);
	struct error err = ERROR_NONE;
	struct file *file;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], b.data, b.size), b.size);
	close(ends[1]);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(file_open(&file, INPUT_STDIN, &err), 0);
	dup2(own, STDIN_FILENO);
	close(own);
	assert_int_equal(file->input.size, b.size);
	assert_int_equal(file->nr_corrupt_ranges, 0);
	file_close(file);
	free(b.data);
}

static void says_what_a_pipe_has_that_is_no_recording(void **state)
{
	int ends[2], own = dup(STDIN_FILENO);
	struct error err = ERROR_NONE;
	struct file *file;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "a text that is longer than a header", 35), 35);
	close(ends[1]);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(file_open(&file, INPUT_STDIN, &err), -EINVAL);
	dup2(own, STDIN_FILENO);
	close(own);
	assert_non_null(strstr(err.message, "does not begin as a .cprof file does"));
}

static void knows_a_recording_by_how_it_begins(void **state)
{
	struct bytes b = small_file();

	(void)state;
	spill(b.data, b.size);
	assert_true(file_is_recording(recording_path));
	b.data[1] ^= 1;
	spill(b.data, b.size);
	assert_false(file_is_recording(recording_path));
	spill(b.data, 4);
	assert_false(file_is_recording(recording_path));
	assert_false(file_is_recording("/nonexistent"));
	assert_false(file_is_recording("/dev/zero"));
	assert_false(file_is_recording("/tmp"));
	free(b.data);
}

/* An index that says anything but what the file has is not believed. */
static void checks_the_index(void **state)
{
	struct bytes whole = small_file(), b = without_index();
	struct model *m;

	(void)state;
	for (size_t at = b.size; at < whole.size; at += 3) {
		whole.data[at] ^= 0x21;
		spill(whole.data, whole.size);
		m = try_load();
		assert_non_null(m);
		assert_true(is_whole(m));
		model_free(m);
		whole.data[at] ^= 0x21;
	}
	free(b.data);
	free(whole.data);
}

/* Each ring takes room: over the bound, one is left out and said so. */
static void bounds_memory(void **state)
{
	const struct model_options options = { .memory = 3000 };
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	for (uint64_t i = 0; i < 40; i++) {
		SLICE(g, 1, 10, 1000 + 10 * i, 1010 + 10 * i, .label = 1);
		SLICE(g, 2, 11, 1000 + 10 * i, 1010 + 10 * i, .label = 1);
	}
	m = load_with(g, &options);
	assert_int_equal(m->times.slices, 40);
	assert_false(m->channels[0].damaged);
	assert_true(m->channels[1].damaged);
	assert_int_equal(m->nr_damage, 1);
	model_free(m);
}

static void reads_every_scenario(void **state)
{
	const char *const *name;

	(void)state;
	for (name = gen_scenarios(); *name; name++) {
		struct model *m;

		if (!strcmp(*name, "many"))
			continue;
		assert_true(gen_scenario(*name, recording_path));
		m = try_load();
		assert_non_null(m);
		assert_int_equal(m->truncated != NULL, !strcmp(*name, "torn"));
		assert_int_equal(m->nr_damage, !strcmp(*name, "damaged"));
		assert_int_equal(m->failed_checks, !strcmp(*name, "failed-check"));
		assert_int_equal(m->lost > 0, !strcmp(*name, "lost"));
		assert_true(!m->command || strstr(m->command, "SYNTHETIC"));
		model_free(m);
	}
	unlink(recording_path);
}

static int remove_file(void **state)
{
	(void)state;
	unlink(recording_path);
	return 0;
}

/* As one that fails between begin and end of a recording does. */
static void a_test_that_ends_early_leaves_no_file(void **state)
{
	char path[sizeof(recording_path)];
	int status;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		gen_close(begin_recording(), true);
		exit(access(recording_path, F_OK) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	snprintf(path, sizeof(path), "/tmp/coroprof-unit-%ld.cprof", (long)pid);
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_test_that_ends_early_leaves_no_file),
		cmocka_unit_test(reads_a_whole_file),
		cmocka_unit_test(reads_memory_as_it_does_a_file),
		cmocka_unit_test(reads_up_to_the_tear),
		cmocka_unit_test(notices_every_changed_byte),
		cmocka_unit_test(survives_changes_with_good_checksums),
		cmocka_unit_test(survives_lies_about_sizes),
		cmocka_unit_test(says_why_it_refuses_a_file),
		cmocka_unit_test(goes_on_after_a_malformed_record),
		cmocka_unit_test(goes_on_after_an_impossible_slice),
		cmocka_unit_test(reports_no_more_damage_than_can_be_read),
		cmocka_unit_test(loses_only_the_segment_that_is_damaged),
		cmocka_unit_test(measures_no_gap_across_an_interruption),
		cmocka_unit_test(reads_files_kept_from_each_version),
		cmocka_unit_test(reads_a_pipe),
		cmocka_unit_test(says_what_a_pipe_has_that_is_no_recording),
		cmocka_unit_test(knows_a_recording_by_how_it_begins),
		cmocka_unit_test(checks_the_index),
		cmocka_unit_test(bounds_memory),
		cmocka_unit_test(reads_every_scenario),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, remove_file);
}
