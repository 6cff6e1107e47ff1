// SPDX-License-Identifier: GPL-2.0
#include "support.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/ring.h"

#define RING_SIZE	16384

/* A ring as the kernel lays it out, in a memory file. */
static struct coroprof_ring_producer *producer;
static struct coroprof_ring_consumer *consumer;
static char *data;
static struct ring ring;

static int make_ring(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("ring", MFD_CLOEXEC);
	struct error err;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)(2 * page + 2 * RING_SIZE)), 0);
	consumer = mmap(NULL, 2 * page + RING_SIZE, PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);
	assert_ptr_not_equal(consumer, MAP_FAILED);
	consumer->closed = ~0ull;
	producer = (void *)((char *)consumer + page);
	data = (char *)producer + page;
	/* Channel 0 does not exist, so that its offset is the file's begin. */
	assert_int_equal(ring_map(&ring, fd, 0, RING_SIZE, page, &err), 0);
	close(fd);
	return 0;
}

static int free_ring(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	ring_unmap(&ring);
	return munmap(consumer, 2 * page + RING_SIZE);
}

static void test_empty(void **state)
{
	size_t available;
	struct error err;

	(void)state;
	assert_int_equal(ring_available(&ring, &available, &err), 0);
	assert_int_equal(available, 0);
}

static void test_consume(void **state)
{
	char copy[64];
	size_t available;
	struct error err;

	(void)state;
	memset(data, 'x', 64);
	producer->head = 64;
	assert_int_equal(ring_available(&ring, &available, &err), 0);
	assert_int_equal(available, 64);
	ring_copy(&ring, copy, 64);
	assert_memory_equal(copy, data, 64);
	assert_int_equal(consumer->tail, 0);
	ring_consume(&ring, 40);
	assert_int_equal(consumer->tail, 40);
	assert_int_equal(ring_available(&ring, &available, &err), 0);
	assert_int_equal(available, 24);
}

static void test_full(void **state)
{
	size_t available;
	struct error err;

	(void)state;
	producer->head = RING_SIZE;
	assert_int_equal(ring_available(&ring, &available, &err), 0);
	assert_int_equal(available, RING_SIZE);
}

/* Positions grow for ever; they may also pass the end of 64 bits. */
static void test_wrap_of_positions(void **state)
{
	size_t available;
	struct error err;

	(void)state;
	ring.tail = (__u64)0 - 16;
	producer->head = 24;
	assert_int_equal(ring_available(&ring, &available, &err), 0);
	assert_int_equal(available, 40);
	ring_consume(&ring, 40);
	assert_int_equal(consumer->tail, 24);
}

static void test_hostile_head(void **state)
{
	static const __u64 heads[] = {
		RING_SIZE + 8, 1ull << 63, (__u64)0 - 8, (__u64)0 - 1,
	};
	size_t available;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		producer->head = heads[i];
		assert_int_equal(ring_available(&ring, &available, &err),
				 -EPROTO);
		assert_int_equal(available, 0);
	}
}

/* The low bits of a head are no part of the position. */
static void test_low_bits(void **state)
{
	size_t available;
	struct error err;

	(void)state;
	for (__u64 bits = 0; bits < 8; bits++) {
		producer->head = 64 | bits;
		assert_int_equal(ring_available(&ring, &available, &err), 0);
		assert_int_equal(available, 64);
	}
}

/* What was written behind the place where the ring was closed does not count. */
static void test_closed(void **state)
{
	size_t available;
	struct error err;

	(void)state;
	producer->head = 64;
	consumer->closed = 40;
	assert_int_equal(ring_available(&ring, &available, &err), 0);
	assert_int_equal(available, 40);
	ring_consume(&ring, 40);
	producer->head = 1ull << 40;
	assert_int_equal(ring_available(&ring, &available, &err), 0);
	assert_int_equal(available, 0);
	/* It was read further than it should have been: it can't be true. */
	ring.tail = 48;
	assert_int_equal(ring_available(&ring, &available, &err), -EPROTO);
}

/* What the producer writes where the tail is must not move the reader. */
static void test_hostile_tail(void **state)
{
	size_t available;
	struct error err;

	(void)state;
	producer->head = 64;
	consumer->tail = 1ull << 62;
	assert_int_equal(ring_available(&ring, &available, &err), 0);
	assert_int_equal(available, 64);
	ring_consume(&ring, 64);
	assert_int_equal(consumer->tail, 64);
}

static void test_impossible_size(void **state)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096 + 8, 12288, 1ul << 31 };
	struct ring other;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(ring_map(&other, -1, 1, sizes[i], 4096, &err),
				 -EPROTO);
		assert_says(err.message, "power of two");
	}
}

static void put(char *at, __u16 size)
{
	struct coroprof_record record = { COROPROF_RECORD_SLICE, size, 0 };

	memcpy(at, &record, sizeof(record));
}

static void test_whole(void **state)
{
	char bytes[1024] = { 0 };

	(void)state;
	put(bytes, 64);
	put(bytes + 64, 8);
	put(bytes + 72, 512);
	assert_int_equal(ring_whole(bytes, 584), 584);
	assert_int_equal(ring_whole(bytes, 583), 72);
	assert_int_equal(ring_whole(bytes, 76), 72);
	assert_int_equal(ring_whole(bytes, 4), 0);
	assert_int_equal(ring_whole(bytes, 0), 0);
	/* What follows is zero, which is no record. */
	assert_int_equal(ring_whole(bytes, 1024), 584);
}

static void test_hostile_records(void **state)
{
	static const __u16 sizes[] = { 0, 1, 7, 12, 520, 65535 };
	char bytes[1024] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		put(bytes, sizes[i]);
		assert_int_equal(ring_whole(bytes, sizeof(bytes)), 0);
	}
}

#define RING_TEST(f)	cmocka_unit_test_setup_teardown(f, make_ring, free_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(test_empty),
		RING_TEST(test_consume),
		RING_TEST(test_full),
		RING_TEST(test_wrap_of_positions),
		RING_TEST(test_hostile_head),
		RING_TEST(test_low_bits),
		RING_TEST(test_closed),
		RING_TEST(test_hostile_tail),
		cmocka_unit_test(test_impossible_size),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_hostile_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
