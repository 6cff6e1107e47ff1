// SPDX-License-Identifier: GPL-2.0
/* A recording in memory is the one that would be in a file, and what it refers to stays as long as it is needed. */
#include "support.h"

#include <stdlib.h>
#include <unistd.h>

#include "cprof/file.h"
#include "cprof/format.h"
#include "cprof/memory.h"
#include "cprof/writer.h"

#define PIECES	64u

static struct memory_share shares[2];
static unsigned int freed[2];
static unsigned char bytes[4096];
static struct error err;

static void note_free(struct memory_share *share)
{
	freed[share - shares]++;
}

static void begin_shares(void)
{
	for (unsigned int i = 0; i < 2; i++) {
		shares[i] = (struct memory_share){ 1, note_free };
		freed[i] = 0;
	}
}

/* All of @bytes, in pieces of some sizes, of which each third is a copy. */
static struct memory *cut(uint64_t *copied)
{
	struct memory *m = memory_new();
	uint32_t seed = 1;
	size_t at = 0;

	assert_non_null(m);
	*copied = 0;
	for (unsigned int i = 0; i < PIECES; i++) {
		size_t size = i + 1 == PIECES ? sizeof(bytes) - at : (seed >> 16) % 60;

		seed = seed * 1664525 + 1013904223;
		if (i % 3) {
			assert_int_equal(memory_refer(m, &shares[i % 2], bytes + at, size, &err), 0);
		} else {
			assert_int_equal(memory_append(m, bytes + at, size, &err), 0);
			*copied += size;
		}
		at += size;
	}
	assert_int_equal(memory_size(m), sizeof(bytes));
	assert_int_equal(memory_copied(m), *copied);
	return m;
}

static void reads_across_pieces(void **state)
{
	unsigned char got[sizeof(bytes) + 8];
	uint64_t copied;
	struct memory *m;

	(void)state;
	begin_shares();
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7 + i / 256);
	m = cut(&copied);
	for (size_t from = 0; from <= sizeof(bytes) + 2; from += 1 + from % 11)
		for (size_t size = 0; size < sizeof(got); size += 1 + size / 2) {
			size_t there = from < sizeof(bytes) ? sizeof(bytes) - from : 0;
			size_t most = size < there ? size : there;

			assert_int_equal(memory_read(m, from, got, size), most);
			if (most)
				assert_memory_equal(got, bytes + from, most);
		}
	memory_free(m);
	memory_free(NULL);
}

static void has_nothing_at_first(void **state)
{
	struct memory *m = memory_new();
	struct file *file;
	char byte;

	(void)state;
	assert_int_equal(memory_size(m), 0);
	assert_int_equal(memory_read(m, 0, &byte, 1), 0);
	assert_int_not_equal(file_open_memory(&file, "memory", m, &err), 0);
	assert_says(err.message, "it is empty");
	memory_free(m);
}

/* The last who has it gives it back, whoever that is. */
static void shares_go_with_the_last(void **state)
{
	struct memory *one, *other;
	uint64_t copied;

	(void)state;
	begin_shares();
	one = cut(&copied);
	other = cut(&copied);
	memory_leave(&shares[0]);
	memory_free(one);
	assert_int_equal(freed[0], 0);
	memory_free(other);
	assert_int_equal(freed[0], 1);
	assert_int_equal(freed[1], 0);
	memory_leave(&shares[1]);
	assert_int_equal(freed[1], 1);
}

/* ---- a recording */

static int keep_stored(void *to, const struct cprof_segment *segment, const void *payload,
		       const void *stored, size_t size, struct error *error)
{
	(void)segment;
	(void)payload;
	return buffer_append(to, stored, size, error);
}

/* One segment, as it is kept, between others that are not. */
static void write_recording(struct writer *w, const struct buffer *kept, struct memory_share *share)
{
	assert_int_equal(writer_segment(w, CPROF_SEGMENT_INFO, "text", 4, &err), 0);
	assert_int_equal(share ? writer_shared(w, share, kept->data, kept->size, &err) :
				 writer_stored(w, kept->data, kept->size, &err), 0);
	assert_int_equal(writer_end_at(w, 17, 0, &err), 0);
	assert_int_equal(writer_close(w, &err), 0);
}

static void is_the_file(void **state)
{
	struct buffer kept = { 0 };
	const struct writer_sink sink = { keep_stored, &kept };
	struct memory *m = memory_new();
	char path[] = "test-memory.XXXXXX", in_file[4096], in_memory[4096];
	int fd = mkstemp(path);
	struct writer *w;
	struct file *file;
	size_t size;

	(void)state;
	begin_shares();
	assert_int_equal(writer_open_sink(&w, &sink, &err), 0);
	assert_int_equal(writer_segment(w, CPROF_SEGMENT_INFO, bytes, sizeof(bytes), &err), 0);
	assert_int_equal(writer_close(w, &err), 0);

	assert_int_equal(writer_open_fd(&w, dup(fd), path, &err), 0);
	write_recording(w, &kept, NULL);
	assert_int_equal(writer_open_memory(&w, m, &err), 0);
	write_recording(w, &kept, &shares[0]);

	size = (size_t)pread(fd, in_file, sizeof(in_file), 0);
	assert_true(size > kept.size && size < sizeof(in_file));
	assert_int_equal(memory_size(m), size);
	assert_int_equal(memory_copied(m), size - kept.size);
	assert_int_equal(memory_read(m, 0, in_memory, sizeof(in_memory)), size);
	assert_memory_equal(in_memory, in_file, size);
	assert_int_equal(file_open_memory(&file, "memory", m, &err), 0);
	assert_int_equal(file->nr_segments, 3);
	assert_int_equal(file->nr_corrupt_ranges, 0);
	file_close(file);
	memory_free(m);
	memory_leave(&shares[0]);
	assert_int_equal(freed[0], 1);
	buffer_free(&kept);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_across_pieces),
		cmocka_unit_test(has_nothing_at_first),
		cmocka_unit_test(shares_go_with_the_last),
		cmocka_unit_test(is_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
