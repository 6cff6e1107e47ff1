// SPDX-License-Identifier: GPL-2.0
/* Records of a ring as plain structs, each part of them, and what can't be. */
#include "support.h"

#include <stdlib.h>

#include "cprof/records.h"

/* Reads the one record in @bytes, or nothing: @fault says why. */
static struct record take(const void *bytes, size_t size, uint32_t counters,
			  const char **fault)
{
	struct records records = { 0 };
	struct record r = { 0 };
	struct error err;

	assert_int_equal(buffer_append(&records.payload, bytes, size, &err), 0);
	assert_null(records_begin(&records, false, counters));
	if (records_next(&records)) {
		assert_int_equal(records.nr, 1);
		r = records.record[0];
	}
	*fault = records.fault;
	records_free(&records);
	return r;
}

static size_t slice_bytes(uint16_t flags, uint32_t counters)
{
	return sizeof(struct coroprof_record_slice) + 8 * counters +
	       (flags & COROPROF_SLICE_OFFCPU ? 24 : 0) +
	       (flags & COROPROF_SLICE_FRESH ? 16 : 0) +
	       (flags & COROPROF_SLICE_WOKEN ? 16 : 0) +
	       (flags & COROPROF_SLICE_SCALED ? 8 * counters : 0);
}

/* All flags, all numbers of counters, all sizes. */
static void takes_slices_apart(void **state)
{
	const char *fault;

	(void)state;
	for (uint32_t counters = 0; counters <= COROPROF_COUNTERS_MAX; counters++)
		for (uint16_t flags = 0; flags < 256; flags++) {
			size_t full = slice_bytes(flags, counters);

			for (size_t size = sizeof(struct coroprof_record_slice);
			     size <= full; size += 8) {
				uint64_t words[64] = { 0 };
				struct coroprof_record_slice *s = (void *)words;

				*s = (struct coroprof_record_slice){
					.type = COROPROF_RECORD_SLICE,
					.size = (uint16_t)size, .flags = flags,
					.time = 100, .duration = 50 };
				take(words, size, counters, &fault);
				assert_int_equal(!fault, size >= full);
			}
		}
}

static void finds_each_part_of_a_slice(void **state)
{
	struct coroprof_record_slice slice = {
		.type = COROPROF_RECORD_SLICE, .time = 1000, .duration = 100,
		.slot = 12, .id = 13, .label = 14, .standing = 15,
		.flags = COROPROF_SLICE_OFFCPU | COROPROF_SLICE_FRESH |
			 COROPROF_SLICE_WOKEN | COROPROF_SLICE_SCALED };
	uint64_t words[16];
	const char *fault;
	struct record r;

	(void)state;
	slice.size = (uint16_t)slice_bytes(slice.flags, 2);
	memcpy(words, &slice, sizeof(slice));
	for (uint64_t i = 0; i < 11; i++)
		words[5 + i] = i + 1;
	words[5 + 4] = 6ULL << 32 | 5;
	r = take(words, slice.size, 2, &fault);
	assert_null(fault);
	assert_int_equal(r.type, COROPROF_RECORD_SLICE);
	assert_int_equal(r.flags, slice.flags);
	assert_int_equal(r.time, 1000);
	assert_int_equal(r.duration, 100);
	assert_int_equal(r.slot, 12);
	assert_int_equal(r.id, 13);
	assert_int_equal(r.label, 14);
	assert_int_equal(r.standing, 15);
	assert_int_equal(r.count[0], 1);
	assert_int_equal(r.count[1], 2);
	assert_int_equal(r.offcpu.preempted_ns, 3);
	assert_int_equal(r.offcpu.blocked_ns, 4);
	assert_int_equal(r.offcpu.nr_preempted, 5);
	assert_int_equal(r.offcpu.nr_blocked, 6);
	assert_int_equal(r.fresh.parent, 6);
	assert_int_equal(r.fresh.tag, 7);
	assert_int_equal(r.woken.wake_time, 8);
	assert_int_equal(r.woken.waker, 9);
	assert_int_equal(r.missing_ns[0], 10);
	assert_int_equal(r.missing_ns[1], 11);
	assert_int_equal(r.running_ns, 93);
}

static void takes_spans_apart(void **state)
{
	const char *fault;

	(void)state;
	for (uint32_t counters = 0; counters <= COROPROF_COUNTERS_MAX; counters++)
		for (uint16_t flags = 0; flags < 2; flags++) {
			struct coroprof_record_span span = {
				.type = COROPROF_RECORD_SPAN, .flags = flags,
				.time = 100, .duration = 50, .running_ns = 49,
				.depth = 3 };
			size_t full = sizeof(span) + (1 + flags) * 8 * counters;

			for (size_t size = sizeof(span); size <= full; size += 8) {
				uint64_t words[32] = { 0 };
				struct record r;

				span.size = (uint16_t)size;
				memcpy(words, &span, sizeof(span));
				for (uint64_t i = 0; i < 2 * counters; i++)
					words[7 + i] = i + 1;
				r = take(words, size, counters, &fault);
				assert_int_equal(!fault, size >= full);
				if (fault)
					continue;
				assert_int_equal(r.running_ns, 49);
				assert_int_equal(r.depth, 3);
				for (uint64_t i = 0; i < counters; i++) {
					assert_int_equal(r.count[i], i + 1);
					if (flags)
						assert_int_equal(r.missing_ns[i], counters + i + 1);
				}
			}
		}
}

static void refuses_times_that_cannot_be(void **state)
{
	struct {
		struct coroprof_record_slice slice;
		struct coroprof_slice_offcpu offcpu;
	} s = { .slice = { .type = COROPROF_RECORD_SLICE, .size = sizeof(s),
			   .time = 100, .duration = 100,
			   .flags = COROPROF_SLICE_OFFCPU } };
	struct coroprof_record_span span = {
		.type = COROPROF_RECORD_SPAN, .size = sizeof(span),
		.time = 100, .duration = 100, .running_ns = 101 };
	const char *fault;

	(void)state;
	s.offcpu = (struct coroprof_slice_offcpu){ 60, 40, 1, 1 };
	assert_int_equal(take(&s, sizeof(s), 0, &fault).running_ns, 0);
	assert_null(fault);
	s.offcpu.blocked_ns = 41;
	take(&s, sizeof(s), 0, &fault);
	assert_says(fault, "off the CPU");
	s.offcpu = (struct coroprof_slice_offcpu){ UINT64_MAX, 2, 1, 1 };
	take(&s, sizeof(s), 0, &fault);
	assert_says(fault, "off the CPU");
	s.offcpu = (struct coroprof_slice_offcpu){ 0 };
	s.slice.duration = 101;
	take(&s, sizeof(s), 0, &fault);
	assert_says(fault, "longer than its time");
	take(&span, sizeof(span), 0, &fault);
	assert_says(fault, "ran for longer");
	span.duration = 101;
	take(&span, sizeof(span), 0, &fault);
	assert_says(fault, "longer than its time");
}

/* As of a counter that was reset. */
static void refuses_counts_that_cannot_be(void **state)
{
	struct {
		struct coroprof_record_slice slice;
		uint64_t count[2];
	} s = { .slice = { .type = COROPROF_RECORD_SLICE, .size = sizeof(s),
			   .time = 5000000, .duration = 5000000 },
		.count = { 5000000ull * 30, 5000000ull * 1000 } };
	struct {
		struct coroprof_record_span span;
		uint64_t count;
	} p = { .span = { .type = COROPROF_RECORD_SPAN, .size = sizeof(p),
			  .time = 100, .duration = 100 } };
	const char *fault;

	(void)state;
	take(&s, sizeof(s), 2, &fault);
	assert_null(fault);
	s.count[1] = (uint64_t)-20;
	take(&s, sizeof(s), 2, &fault);
	assert_says(fault, "more than any machine");
	s.count[1] = 5000000ull * 10000;
	take(&s, sizeof(s), 2, &fault);
	assert_says(fault, "more than any machine");
	s.slice.duration = 0;
	s.count[0] = s.count[1] = 1000000;
	take(&s, sizeof(s), 2, &fault);
	assert_null(fault);
	take(&p, sizeof(p), 1, &fault);
	assert_null(fault);
	p.count = (uint64_t)-1;
	take(&p, sizeof(p), 1, &fault);
	assert_says(fault, "more than any machine");
}

/* What was good comes first, and then why the rest can't be read. */
static void gives_what_is_before_a_fault(void **state)
{
	struct coroprof_record_lost lost[100];
	struct records records = { 0 };
	uint32_t seen = 0;
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		lost[i] = (struct coroprof_record_lost){
			.type = COROPROF_RECORD_LOST, .size = sizeof(lost[0]),
			.spans = i, .time = 1000 + i, .full = 2 * i };
	lost[70].size = 8;
	assert_int_equal(buffer_append(&records.payload, lost, sizeof(lost), &err), 0);
	assert_null(records_begin(&records, false, 0));
	while (records_next(&records)) {
		assert_int_equal(records.before, seen);
		for (uint32_t i = 0; i < records.nr; i++, seen++) {
			assert_int_equal(records.record[i].lost_spans, seen);
			assert_int_equal(records.record[i].lost, 2 * seen);
			assert_int_equal(records.record[i].time, 1000 + seen);
		}
	}
	assert_int_equal(seen, 70);
	assert_int_equal(records.before + records.nr, 70);
	assert_says(records.fault, "too short for its type");
	records_free(&records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_slices_apart),
		cmocka_unit_test(finds_each_part_of_a_slice),
		cmocka_unit_test(takes_spans_apart),
		cmocka_unit_test(refuses_times_that_cannot_be),
		cmocka_unit_test(refuses_counts_that_cannot_be),
		cmocka_unit_test(gives_what_is_before_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
