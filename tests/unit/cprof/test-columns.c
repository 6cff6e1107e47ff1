// SPDX-License-Identifier: GPL-2.0
/* Records stored by column come back as they were. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>

#include "cprof/columns.h"
#include "cprof/format.h"
#include "cprof/records.h"

#define ROOM	(1u << 17)

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

/**
 * struct maker - makes records of a thread
 * @nr:       words so far
 * @time:     of the last record
 * @counters: of each
 * @strange:  one of so many figures can be anything; 0 for none
 */
struct maker {
	size_t nr;
	uint64_t time;
	uint32_t counters;
	uint32_t strange;
};

static bool strange(const struct maker *m)
{
	return m->strange && random_word() % m->strange == 0;
}

static void put_counts(struct maker *m, uint64_t running)
{
	for (uint32_t i = 0; i < m->counters; i++)
		words[m->nr++] = strange(m) ? figure() : running * 3 + random_word() % 64;
}

static void put_slice(struct maker *m)
{
	uint16_t flags = random_word() % 4 ? 0 : random_word() % 512;
	struct coroprof_record_slice s = {
		.type = COROPROF_RECORD_SLICE, .flags = flags,
		.size = (uint16_t)coroprof_slice_size(flags, m->counters),
		.slot = strange(m) ? (uint32_t)figure() : 1 + random_word() % 9,
		.duration = figure() % 100000, .standing = 0xffff,
	};
	size_t at = m->nr;

	m->time += s.duration + (strange(m) ? figure() % 1000000 : 0);
	s.time = m->time;
	s.id = strange(m) ? random_word() : s.slot * 1000 | (uint64_t)(s.slot == 1) << 63;
	s.label = strange(m) ? (uint32_t)figure() : s.slot % 3;
	memcpy(words + at, &s, sizeof(s));
	m->nr += sizeof(s) / 8;
	put_counts(m, s.duration);
	while (m->nr < at + s.size / 8)
		words[m->nr++] = strange(m) ? figure() : s.duration / 4;
}

static void put_span(struct maker *m)
{
	struct coroprof_record_span s = {
		.type = COROPROF_RECORD_SPAN, .flags = random_word() % 8 == 0,
		.slot = 1 + random_word() % 9, .standing = 0xffff,
		.duration = figure() % 100000, .depth = random_word() % 9,
		.label = (uint32_t)figure() % 1000,
	};

	s.size = (uint16_t)(sizeof(s) + (1 + s.flags) * 8 * m->counters);
	s.time = m->time += random_word() % 1000;
	s.id = s.slot * 1000;
	s.running_ns = s.duration - s.duration / 3;
	memcpy(words + m->nr, &s, sizeof(s));
	m->nr += sizeof(s) / 8;
	put_counts(m, s.running_ns);
	for (uint32_t i = 0; s.flags && i < m->counters; i++)
		words[m->nr++] = figure();
}

static void put_lost(struct maker *m)
{
	struct coroprof_record_lost lost = {
		.type = COROPROF_RECORD_LOST, .size = sizeof(lost),
		.time = m->time += random_word() % 1000,
		.spans = (uint32_t)figure(), .full = figure(),
	};

	memcpy(words + m->nr, &lost, sizeof(lost));
	m->nr += sizeof(lost) / 8;
}

static void put_any(struct maker *m)
{
	switch (random_word() % 16) {
	case 0:
		put_lost(m);
		break;
	case 1:
	case 2:
		put_span(m);
		break;
	default:
		put_slice(m);
	}
}

/* All that is set of a record, byte by byte. */
static void compare(const struct record *a, const struct record *b,
		    uint32_t counters)
{
	size_t counts = counters * sizeof(a->count[0]);
	bool slice = a->type == COROPROF_RECORD_SLICE;

	assert_int_equal(a->type, b->type);
	assert_int_equal(a->time, b->time);
	if (a->type == COROPROF_RECORD_LOST) {
		assert_int_equal(a->lost, b->lost);
		assert_int_equal(a->lost_spans, b->lost_spans);
		return;
	}
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->standing, b->standing);
	assert_memory_equal(&a->slot, &b->slot, offsetof(struct record, count) -
						offsetof(struct record, slot));
	assert_memory_equal(a->count, b->count, counts);
	if (!slice)
		assert_int_equal(a->depth, b->depth);
	if (slice && a->flags & COROPROF_SLICE_OFFCPU)
		assert_memory_equal(&a->offcpu, &b->offcpu, sizeof(a->offcpu));
	if (slice && a->flags & COROPROF_SLICE_FRESH)
		assert_memory_equal(&a->fresh, &b->fresh, sizeof(a->fresh));
	if (a->flags & (slice ? COROPROF_SLICE_SCALED : COROPROF_SPAN_SCALED))
		assert_memory_equal(a->missing_ns, b->missing_ns, counts);
}

/* Returns how many bytes they are stored in. */
static size_t check(struct columns *c, const struct maker *m)
{
	struct records plain = { 0 }, stored = { 0 };
	size_t size = m->nr * 8, bytes;
	struct error err;
	bool more;

	assert_int_equal(buffer_append(&plain.payload, words, size, &err), 0);
	assert_int_equal(columns_pack(c, words, size, &stored.payload), 0);
	/* Packing changes nothing. */
	assert_memory_equal(words, plain.payload.data, size);
	bytes = stored.payload.size;
	assert_null(records_begin(&plain, false, m->counters));
	assert_null(records_begin(&stored, true, m->counters));
	do {
		more = records_next(&plain);
		assert_int_equal(records_next(&stored), more);
		assert_int_equal(stored.nr, plain.nr);
		assert_int_equal(stored.before, plain.before);
		for (uint32_t i = 0; i < plain.nr; i++)
			compare(&plain.record[i], &stored.record[i], m->counters);
		assert_ptr_equal(stored.fault, plain.fault);
	} while (more);
	records_free(&plain);
	records_free(&stored);
	return bytes;
}

static void any_records_come_back(void **state)
{
	struct columns c = { 0 };

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct maker m = {
			.counters = round % 9, .strange = round % 7 * 10,
			.time = random_word() >> 1,
		};
		size_t nr = 1 + random_word() % 500;

		while (nr--)
			put_any(&m);
		check(&c, &m);
	}
	columns_free(&c);
}

static void slices_take_less(void **state)
{
	struct columns c = { 0 };

	(void)state;
	for (uint32_t counters = 0; counters <= 8; counters++) {
		struct maker m = { .counters = counters, .time = 1000000000 };

		for (int i = 0; i < 300; i++)
			put_slice(&m);
		assert_true(check(&c, &m) < m.nr * 8 / 2);
	}
	columns_free(&c);
}

static int pack(const struct maker *m)
{
	struct columns c = { 0 };
	struct buffer stored = { 0 };
	int ret = columns_pack(&c, words, m->nr * 8, &stored);

	columns_free(&c);
	buffer_free(&stored);
	return ret;
}

static struct coroprof_record_slice *last_slice(struct maker *m)
{
	size_t at = m->nr;

	do {
		m->nr = at;
		put_slice(m);
	} while (((struct coroprof_record_slice *)(words + at))->flags);
	return (struct coroprof_record_slice *)(words + at);
}

static void other_records_are_refused(void **state)
{
	struct maker m = { .counters = 2, .time = 1000 }, before;
	struct coroprof_record_slice *s;

	(void)state;
	for (int i = 0; i < 10; i++)
		put_any(&m);
	last_slice(&m);
	before = m;
	assert_int_equal(pack(&m), 0);
	/* A counter more, or a word less than the flags say. */
	s = last_slice(&m);
	s->size += 8;
	m.nr++;
	assert_int_equal(pack(&m), -ENOTSUP);
	m = before;
	s = last_slice(&m);
	s->flags = COROPROF_SLICE_SCALED;
	assert_int_equal(pack(&m), -ENOTSUP);
	m = before;
	last_slice(&m)->type = 100;
	assert_int_equal(pack(&m), -ENOTSUP);
	m = before;
	put_span(&m);
	((struct coroprof_record_span *)(words + before.nr))->reserved = 1;
	assert_int_equal(pack(&m), -ENOTSUP);
}

static void too_many_kinds_are_refused(void **state)
{
	struct maker m = { .counters = 0, .time = 1000 };

	(void)state;
	for (uint32_t i = 0; i <= CPROF_KINDS_MAX; i++)
		last_slice(&m)->standing = (uint16_t)i;
	assert_int_equal(pack(&m), -ENOTSUP);
}

static void another_number_of_counters_is_refused(void **state)
{
	struct maker m = { .counters = 3, .time = 1000 };
	struct records r = { 0 };
	struct columns c = { 0 };

	(void)state;
	put_slice(&m);
	assert_int_equal(columns_pack(&c, words, m.nr * 8, &r.payload), 0);
	assert_null(records_begin(&r, true, 3));
	assert_says(records_begin(&r, true, 2), "its counters are not those of its channel");
	assert_says(records_begin(&r, true, 4), "its counters are not those of its channel");
	m.nr = 0;
	put_lost(&m);
	assert_int_equal(columns_pack(&c, words, m.nr * 8, &r.payload), 0);
	assert_null(records_begin(&r, true, 2));
	columns_free(&c);
	records_free(&r);
}

/* Whatever the columns hold, nothing outside of them is touched. */
static void damaged_columns_do_no_harm(void **state)
{
	struct maker m = { .counters = 2, .time = 1000000000 };
	struct buffer stored = { 0 };
	struct columns c = { 0 };
	size_t faults = 0;

	(void)state;
	for (int i = 0; i < 300; i++)
		put_any(&m);
	assert_int_equal(columns_pack(&c, words, m.nr * 8, &stored), 0);
	for (int round = 0; round < 20000; round++) {
		size_t size = round % 3 ? stored.size : random_word() % stored.size;
		struct records r = { 0 };
		struct error err;

		assert_int_equal(buffer_append(&r.payload, stored.data, size, &err), 0);
		for (int i = 0; size && i < 1 + round % 4; i++)
			r.payload.data[random_word() % size] = (char)random_word();
		if (records_begin(&r, true, 2)) {
			faults++;
		} else {
			while (records_next(&r) && r.before < 10000)
				;
			faults += r.fault != NULL;
		}
		records_free(&r);
	}
	assert_true(faults > 5000);
	columns_free(&c);
	buffer_free(&stored);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_records_come_back),
		cmocka_unit_test(slices_take_less),
		cmocka_unit_test(other_records_are_refused),
		cmocka_unit_test(too_many_kinds_are_refused),
		cmocka_unit_test(another_number_of_counters_is_refused),
		cmocka_unit_test(damaged_columns_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
