// SPDX-License-Identifier: GPL-2.0
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cprof/format.h"
#include "cprof/sum.h"
#include "cprof/writer.h"

static char path[] = "/tmp/coroprof-test-XXXXXX";

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0;
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static char *slurp(size_t *size)
{
	static char bytes[1 << 20];
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	*size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	return bytes;
}

/* Checks one segment as cprof/format.h describes it; returns where the next begins. */
static size_t check_segment(const char *file, size_t at, unsigned int type,
			    const void *payload, size_t size, bool packed)
{
	static char unpacked[1 << 20];
	struct cprof_segment s;
	const char *stored = file + at + sizeof(s);

	memcpy(&s, file + at, sizeof(s));
	assert_int_equal(s.magic, CPROF_SEGMENT_MAGIC);
	assert_int_equal(s.type, type);
	assert_int_equal(s.flags, packed ? CPROF_FLAG_ZSTD : 0);
	assert_int_equal(s.size, size);
	assert_int_equal(s.header_crc,
			 crc32(0, (const void *)(file + at),
			       offsetof(struct cprof_segment, header_crc)));
	assert_int_equal(s.payload_sum, payload_sum(stored, s.stored_size));
	if (packed) {
		assert_true(s.stored_size < size);
		assert_int_equal(ZSTD_decompress(unpacked, sizeof(unpacked),
						 stored, s.stored_size), size);
		stored = unpacked;
	}
	assert_memory_equal(stored, payload, size);
	return at + sizeof(s) + ((s.stored_size + 7) & ~7u);
}

static void test_bytes(void **state)
{
	static const char text[1000] = "much of the same";
	struct cprof_header header;
	struct writer *writer;
	struct error err;
	size_t size, at;
	char *file;

	(void)state;
	assert_int_equal(writer_open(&writer, path, &err), 0);
	assert_int_equal(writer_segment(writer, 77, "twelve bytes", 12, &err), 0);
	assert_int_equal(writer_segment(writer, 78, text, sizeof(text), &err), 0);
	assert_int_equal(writer_segment(writer, 79, NULL, 0, &err), 0);
	size = writer_bytes(writer);
	assert_int_equal(writer_close(writer, &err), 0);

	file = slurp(&at);
	assert_int_equal(at, size);
	memcpy(&header, file, sizeof(header));
	assert_memory_equal(header.magic, "\x89" "CPROF\r\n", 8);
	assert_int_equal(header.endian, 0x01020304);
	assert_int_equal(header.version, 3);
	assert_int_equal(header.size, sizeof(header));
	assert_int_equal(header.crc, crc32(0, (void *)file, 20));
	at = check_segment(file, sizeof(header), 77, "twelve bytes", 12, false);
	at = check_segment(file, at, 78, text, sizeof(text), true);
	at = check_segment(file, at, 79, "", 0, false);
	assert_int_equal(at, size);
}

static void test_too_large(void **state)
{
	struct writer *writer;
	struct error err;
	char *payload = calloc(1, CPROF_PAYLOAD_MAX + 1);

	(void)state;
	assert_int_equal(writer_open(&writer, path, &err), 0);
	assert_int_equal(writer_segment(writer, 1, payload,
					CPROF_PAYLOAD_MAX + 1, &err), -EFBIG);
	assert_int_equal(writer_segment(writer, 1, payload, CPROF_PAYLOAD_MAX,
					&err), 0);
	assert_int_equal(writer_close(writer, &err), 0);
	free(payload);
}

static void test_full_at_once(void **state)
{
	struct writer *writer;
	struct error err;

	(void)state;
	assert_int_equal(writer_open(&writer, "/dev/full", &err), -ENOSPC);
	assert_says(err.message, "/dev/full");
	assert_says(err.message, "No space left on device");
}

static void test_no_folder(void **state)
{
	struct writer *writer;
	struct error err;

	(void)state;
	assert_int_equal(writer_open(&writer, "/nonexistent/x.cprof", &err),
			 -ENOENT);
	assert_says(err.message, "/nonexistent/x.cprof");
}

/* A file size limit stands for a disk that fills up meanwhile. */
static void test_full_later(void **state)
{
	struct rlimit before, limit;
	struct writer *writer;
	char payload[4096];
	struct error err;
	uint64_t good;
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (char)rand();
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 6000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(writer_open(&writer, path, &err), 0);
	assert_int_equal(writer_segment(writer, 5, payload, sizeof(payload),
					&err), 0);
	good = writer_bytes(writer);
	assert_int_equal(writer_segment(writer, 6, payload, sizeof(payload),
					&err), -EFBIG);
	assert_says(err.message, path);
	/* Small enough to fit, but what failed stays failed. */
	assert_int_equal(writer_segment(writer, 7, "", 0, &err), -EFBIG);
	assert_int_equal(writer_bytes(writer), good);
	assert_int_equal(writer_close(writer, &err), 0);
	setrlimit(RLIMIT_FSIZE, &before);
	slurp(&size);
	assert_int_equal(size, good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_full_at_once),
		cmocka_unit_test(test_no_folder),
		cmocka_unit_test(test_full_later),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
