// SPDX-License-Identifier: GPL-2.0
/* Records of every type, cut to every size, and of random bytes. */
#include "cprof/decode.h"
#include "gen/recording.h"

/* Exactly as many bytes as there are, so that a sanitizer sees one too many. */
static void *exactly(const void *data, size_t size)
{
	void *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

union any_record {
	struct coroprof_record header;
	struct coroprof_record_process process;
	struct coroprof_record_label label;
	struct coroprof_record_channel channel;
	struct coroprof_record_slice slice;
	struct coroprof_record_lost lost;
	struct coroprof_record_span span;
	struct coroprof_record_sample sample;
	uint64_t words[COROPROF_RECORD_MAX / 8];
};

static size_t fixed_size(uint16_t type)
{
	switch (type) {
	case COROPROF_RECORD_SLICE:
		return sizeof(struct coroprof_record_slice);
	case COROPROF_RECORD_LOST:
		return sizeof(struct coroprof_record_lost);
	case COROPROF_RECORD_SPAN:
		return sizeof(struct coroprof_record_span);
	case COROPROF_RECORD_CHANNEL_LAST:
		return sizeof(struct coroprof_record_channel_last);
	case COROPROF_RECORD_PROCESS:
	case COROPROF_RECORD_PROCESS_END:
		return sizeof(struct coroprof_record_process);
	case COROPROF_RECORD_LABEL:
		return sizeof(struct coroprof_record_label);
	default:
		return sizeof(struct coroprof_record_channel);
	}
}

static const uint16_t types[] = {
	COROPROF_RECORD_SLICE, COROPROF_RECORD_LOST, COROPROF_RECORD_PROCESS,
	COROPROF_RECORD_PROCESS_END, COROPROF_RECORD_LABEL,
	COROPROF_RECORD_CHANNEL, COROPROF_RECORD_CHANNEL_END,
	COROPROF_RECORD_CHANNEL_LAST, COROPROF_RECORD_SPAN,
};

static bool in_ring(uint16_t type)
{
	return type == COROPROF_RECORD_SLICE || type == COROPROF_RECORD_LOST ||
	       type == COROPROF_RECORD_SPAN;
}

static const struct coroprof_record *next(struct decode *d, uint16_t type)
{
	return in_ring(type) ? decode_ring(d) : decode_stream(d);
}

/* The record says that it has @said bytes, and has @there. */
static bool accepts(uint16_t type, uint16_t said, size_t there)
{
	union any_record r = { .header = { .type = type, .size = said } };
	void *bytes = exactly(&r, there);
	const struct coroprof_record *got;
	struct decode d;

	decode_init(&d, bytes, there);
	got = next(&d, type);
	assert_true(!got == (d.fault || !there));
	if (got)
		assert_int_equal(d.position, said);
	free(bytes);
	return got;
}

static void accepts_only_whole_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t full = fixed_size(types[i]);

		for (size_t there = 0; there <= full + 8; there++)
			assert_int_equal(accepts(types[i], (uint16_t)full, there),
					 there >= full);
		for (uint16_t said = 0; said <= full + 16; said++)
			assert_int_equal(accepts(types[i], said, full + 16),
					 said >= full && said % 8 == 0);
		assert_false(accepts(types[i], COROPROF_RECORD_MAX + 8,
				     COROPROF_RECORD_MAX));
	}
}

static void wants_room_for_what_a_record_announces(void **state)
{
	union any_record r = { .label = { .type = COROPROF_RECORD_LABEL,
					  .size = sizeof(r.label) + 8,
					  .text_len = 8 } };
	struct decode d;

	(void)state;
	decode_init(&d, &r, r.header.size);
	assert_non_null(decode_stream(&d));
	r.label.text_len = 9;
	decode_init(&d, &r, r.header.size);
	assert_null(decode_stream(&d));
	assert_non_null(d.fault);
	r.label.text_len = UINT32_MAX;
	decode_init(&d, &r, r.header.size);
	assert_null(decode_stream(&d));

	for (uint32_t nr = 0; nr < 10; nr++) {
		uint16_t size = sizeof(r.channel) +
				2 * sizeof(struct coroprof_counter_state);

		r = (union any_record){ .channel = {
			.type = COROPROF_RECORD_CHANNEL, .size = size,
			.nr_counters = nr } };
		decode_init(&d, &r, size);
		assert_int_equal(decode_stream(&d) != NULL, nr <= 2);
		/* An END may leave the states out. */
		r.header.type = COROPROF_RECORD_CHANNEL_END;
		decode_init(&d, &r, size);
		assert_int_equal(decode_stream(&d) != NULL,
				 nr <= COROPROF_COUNTERS_MAX);
	}
}

static void skips_unknown_types(void **state)
{
	struct {
		uint64_t unknown[3];
		struct coroprof_record_lost lost;
	} ring = {
		.lost = { .type = COROPROF_RECORD_LOST,
			  .size = sizeof(ring.lost), .full = 7 },
	};
	struct coroprof_record header = { .type = 900, .size = 24 };
	const struct coroprof_record *r;
	struct decode d;

	(void)state;
	memcpy(ring.unknown, &header, sizeof(header));
	decode_init(&d, &ring, sizeof(ring));
	r = decode_ring(&d);
	assert_non_null(r);
	assert_int_equal(r->type, COROPROF_RECORD_LOST);
	assert_null(decode_ring(&d));
	assert_null(d.fault);
}

static void stays_at_a_fault(void **state)
{
	uint64_t words[4] = { 0 };
	struct decode d;

	(void)state;
	decode_init(&d, words, sizeof(words));
	assert_null(decode_ring(&d));
	assert_non_null(d.fault);
	assert_int_equal(d.position, 0);
	assert_null(decode_ring(&d));
	assert_null(decode_stream(&d));
}

/* It says that it has @nr addresses, and has room for @room. */
static bool accepts_sample(uint16_t nr, size_t room)
{
	union any_record r = { .sample = {
		.type = COROPROF_RECORD_SAMPLE, .nr = nr,
		.size = (uint16_t)(sizeof(r.sample) + 8 * room) } };
	void *bytes = exactly(&r, r.sample.size);
	struct decode d;
	bool good;

	decode_init(&d, bytes, r.sample.size);
	good = decode_samples(&d) != NULL;
	assert_int_equal(!d.fault, good);
	free(bytes);
	return good;
}

static void wants_room_for_every_address(void **state)
{
	struct coroprof_record_lost lost = {
		.type = COROPROF_RECORD_LOST, .size = sizeof(lost),
	};
	struct decode d;

	(void)state;
	for (uint16_t nr = 0; nr < 70; nr++)
		for (size_t room = 0; room < 60; room++)
			assert_int_equal(accepts_sample(nr, room),
					 nr && nr <= room);
	assert_false(accepts_sample(UINT16_MAX, 59));
	decode_init(&d, &lost, sizeof(lost));
	assert_non_null(decode_samples(&d));
	/* A slice is no sample. */
	lost.type = COROPROF_RECORD_SLICE;
	decode_init(&d, &lost, sizeof(lost));
	assert_null(decode_samples(&d));
	assert_null(d.fault);
}

static uint64_t random64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Bytes that often look like a record, so that more than the first is read. */
static void make_noise(uint64_t *words, size_t nr, uint64_t *seed)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t x = random64(seed);

		words[i] = i && x % 3 ? x >> (x % 64) :
			   (x & 0xffffffff00000000) | 8 * (1 + x % 30) << 16 |
			   types[x / 64 % (sizeof(types) / sizeof(types[0]))];
	}
}

static void survives_noise(void **state)
{
	uint64_t words[64], seed = 12345;
	const struct coroprof_record *r;
	size_t records = 0;
	struct decode d;

	(void)state;
	for (int round = 0; round < 100000; round++) {
		size_t size = random64(&seed) % (sizeof(words) + 1);
		void *bytes;

		make_noise(words, 64, &seed);
		bytes = exactly(words, size);
		decode_init(&d, bytes, size);
		while ((r = round % 2 ? decode_ring(&d) : decode_stream(&d))) {
			records++;
			assert_true((uint8_t *)r + r->size <=
				    (uint8_t *)bytes + size);
		}
		assert_true(d.fault || d.position == size);
		free(bytes);
	}
	assert_true(records > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_only_whole_records),
		cmocka_unit_test(wants_room_for_what_a_record_announces),
		cmocka_unit_test(skips_unknown_types),
		cmocka_unit_test(stays_at_a_fault),
		cmocka_unit_test(wants_room_for_every_address),
		cmocka_unit_test(survives_noise),
	};

	return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
