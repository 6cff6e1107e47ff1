// SPDX-License-Identifier: GPL-2.0
/* Records stored by column come back as they were, whatever they hold. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>

#include "coroprof.h"
#include "cprof/columns.h"
#include "cprof/format.h"

#define ROOM	(1u << 16)

static uint64_t seed = 1;

static uint64_t random_word(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed ^ seed >> 29;
}

/* Small figures more often than large ones. */
static uint64_t figure(void)
{
	uint64_t v = random_word();

	return v >> (random_word() >> 8) % 64;
}

static uint64_t words[ROOM / 8];

static void check(struct columns *c, size_t size)
{
	static uint64_t back[ROOM / 8];
	struct buffer stored = { 0 };
	uint64_t *copy = malloc(size);
	struct error err;

	memcpy(copy, words, size);
	assert_int_equal(columns_pack(c, words, size, &stored), 0);
	/* Packing changes nothing. */
	assert_memory_equal(words, copy, size);
	assert_true(stored.size <= columns_bound(size));
	assert_int_equal(buffer_reserve(&stored, COLUMNS_SLACK, &err), 0);
	memset(back, 0xa5, size);
	assert_null(columns_unpack(c, stored.data, stored.size, back, size));
	assert_memory_equal(back, words, size);
	buffer_free(&stored);
	free(copy);
}

static uint64_t header(unsigned int type, size_t nr, uint32_t slot)
{
	return (uint64_t)slot << 32 | nr * 8 << 16 | type;
}

/* A record of any type and length, of any words. */
static size_t put_any(uint64_t *w, size_t room)
{
	size_t nr = 1 + random_word() % 64;

	if (nr > room)
		return 0;
	w[0] = header(random_word() % 6, nr, (uint32_t)figure());
	for (size_t i = 1; i < nr; i++)
		w[i] = figure();
	/* As few kinds as real records are of. */
	if (nr > 4)
		w[4] = (uint32_t)w[4] | (w[4] >> 32 & 3) << 32;
	return nr;
}

static void any_records_come_back(void **state)
{
	struct columns c = { 0 };

	(void)state;
	for (int round = 0; round < 3000; round++) {
		size_t nr = 0, more, kinds = 0;

		while (kinds++ < 200 && (more = put_any(words + nr,
							ROOM / 8 - nr)))
			nr += more;
		check(&c, nr * 8);
	}
	columns_free(&c);
}

static const struct {
	uint16_t flag;
	size_t words;
} details[] = {
	{ COROPROF_SLICE_OFFCPU, 3 },
	{ COROPROF_SLICE_FRESH, 2 },
	{ COROPROF_SLICE_WOKEN, 2 },
};

/* A slice like those of real programs, and now and then one that is not. */
static size_t put_slice(uint64_t *w, uint64_t *time, uint32_t counters)
{
	uint16_t flags = random_word() % 4 ? 0 : random_word() % 16;
	size_t nr = 5 + counters * (flags & COROPROF_SLICE_SCALED ? 2 : 1);

	for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++)
		nr += flags & details[i].flag ? details[i].words : 0;
	w[0] = header(COROPROF_RECORD_SLICE, nr, 1 + random_word() % 9);
	w[2] = figure() % 100000;
	*time += w[2] + (random_word() % 50 ? 0 : figure());
	w[1] = *time;
	w[3] = (w[0] >> 32) * 1000;
	w[4] = (uint64_t)0xffff << 48 | (uint64_t)flags << 32 | w[3] % 3;
	for (size_t i = 5; i < nr; i++)
		w[i] = random_word() % 8 ? w[2] * 3 + random_word() % 64 : figure();
	return nr;
}

static void slices_come_back_and_take_less(void **state)
{
	struct columns c = { 0 };

	(void)state;
	for (uint32_t counters = 0; counters <= 8; counters++) {
		struct buffer stored = { 0 };
		uint64_t time = 1000000000;
		size_t nr = 0;

		for (int i = 0; i < 300; i++)
			nr += put_slice(words + nr, &time, counters);
		check(&c, nr * 8);
		assert_int_equal(columns_pack(&c, words, nr * 8, &stored), 0);
		assert_true(stored.size < nr * 8 / 2);
		buffer_free(&stored);
	}
	columns_free(&c);
}

static void too_many_kinds_are_refused(void **state)
{
	struct columns c = { 0 };
	struct buffer stored = { 0 };

	(void)state;
	for (size_t i = 0; i < CPROF_KINDS_MAX + 1; i++)
		words[i] = header((unsigned int)i + 100, 1, 1);
	check(&c, CPROF_KINDS_MAX * 8);
	assert_int_equal(columns_pack(&c, words, (CPROF_KINDS_MAX + 1) * 8,
				      &stored), -ENOTSUP);
	columns_free(&c);
	buffer_free(&stored);
}

/* Whatever the columns hold, nothing outside of them is touched. */
static void damaged_columns_do_no_harm(void **state)
{
	static uint64_t back[ROOM / 8];
	struct columns c = { 0 };
	struct buffer stored = { 0 };
	uint64_t time = 1000000000;
	size_t nr = 0, faults = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		nr += put_slice(words + nr, &time, 2);
	assert_int_equal(columns_pack(&c, words, nr * 8, &stored), 0);
	for (int round = 0; round < 20000; round++) {
		size_t size = round % 3 ? stored.size : random_word() % stored.size;
		/* At the end of its memory, so that ASan sees what is read behind. */
		char *copy = malloc(size + COLUMNS_SLACK);

		memcpy(copy, stored.data, size);
		memset(copy + size, 0, COLUMNS_SLACK);
		for (int i = 0; size && i < 1 + round % 4; i++)
			copy[random_word() % size] = (char)random_word();
		faults += columns_unpack(&c, copy, size, back, nr * 8) != NULL;
		free(copy);
	}
	assert_true(faults > 5000);
	columns_free(&c);
	buffer_free(&stored);
}

/* A payload of a few bytes has no room for any record, not even for one without a size. */
static void a_record_without_a_size_is_refused(void **state)
{
	struct cprof_columns head = { .nr_kinds = 1, .nr_columns = CPROF_COLUMNS };
	struct cprof_kind kind = { .type = 100 };
	char stored[sizeof(head) + sizeof(kind) + 2 + COLUMNS_SLACK] = { 0 };
	struct columns c = { 0 };
	_Alignas(8) unsigned char back[8];

	(void)state;
	head.size[CPROF_COLUMN_KIND] = head.size[CPROF_COLUMN_HITS] = 1;
	memcpy(stored, &head, sizeof(head));
	memcpy(stored + sizeof(head), &kind, sizeof(kind));
	memset(back, 0xa5, sizeof(back));
	assert_non_null(columns_unpack(&c, stored, sizeof(stored) - COLUMNS_SLACK, back, 4));
	for (size_t i = 4; i < sizeof(back); i++)
		assert_int_equal(back[i], 0xa5);
	columns_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_records_come_back),
		cmocka_unit_test(slices_come_back_and_take_less),
		cmocka_unit_test(too_many_kinds_are_refused),
		cmocka_unit_test(damaged_columns_do_no_harm),
		cmocka_unit_test(a_record_without_a_size_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
