// SPDX-License-Identifier: GPL-2.0
/*
 * Records of rings and streams, from any bytes: the first reports which kind, the second how many
 * counters.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cprof/decode.h"
#include "cprof/numbers.h"
#include "cprof/records.h"
#include "record/ring.h"

enum form {
	STREAM,
	RING,
	SAMPLES,
	PACKED,
	COLUMNS,
	FORMS,
};

/* Where the records begin, so that they are aligned in a corpus that is looked at. */
#define BEGIN	8

/* So many batches, and so many groups of each column's numbers. */
#define FEW	(64 * RECORDS_BATCH)

static void want(bool what)
{
	if (!what)
		abort();
}

static void decode(enum form form, const void *bytes, size_t size)
{
	const struct coroprof_record *record;
	struct decode d;
	size_t sum = 0;

	decode_init(&d, bytes, size);
	while ((record = form == STREAM ? decode_stream(&d) :
			 form == RING ? decode_ring(&d) : decode_samples(&d))) {
		for (uint16_t i = 0; i < record->size / 8; i++)
			sum += ((const uint64_t *)record)[i] & 1;
		want(d.position <= size);
	}
	want(d.fault || d.position == size);
	want(sum <= size);
	want(ring_whole(bytes, size) <= size);
}

/* What cprof/records.h promises of each. */
static void check(const struct record *record)
{
	if (record->type == COROPROF_RECORD_LOST)
		return;
	want(record->duration <= record->time);
	want(record->running_ns <= record->duration);
}

/*
 * A hundred bytes may say that they are 700,000 records. One input in 256 may, by all of its bytes:
 * what is made of such a one most likely may not, or the fuzzer would soon do nothing else.
 */
static bool is_few(const uint8_t *data, size_t size)
{
	return crc32(0, data, (unsigned int)size) % 256;
}

static void shorten(struct cprof_columns *head)
{
	if (head->records > FEW)
		head->records %= FEW;
}

static void take_apart(bool by_column, bool few, uint32_t nr_counters, const void *bytes, size_t size)
{
	struct error err = ERROR_NONE;
	struct records records = { .nr = 0 };

	want(!buffer_reserve(&records.payload, size + NUMBERS_SLACK, &err));
	if (size)
		memcpy(records.payload.data, bytes, size);
	if (few && size >= sizeof(struct cprof_columns))
		shorten((struct cprof_columns *)records.payload.data);
	records.payload.size = size;
	if (!records_begin(&records, by_column, nr_counters)) {
		while (records_next(&records)) {
			want(records.nr <= RECORDS_BATCH);
			for (uint32_t i = 0; i < records.nr; i++)
				check(&records.record[i]);
		}
		records_end(&records);
	}
	records_free(&records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum form form;
	void *bytes;

	if (size < BEGIN)
		return 0;
	form = data[0] % FORMS;
	bytes = malloc(size - BEGIN ? size - BEGIN : 1);
	want(bytes);
	memcpy(bytes, data + BEGIN, size - BEGIN);
	if (form < PACKED)
		decode(form, bytes, size - BEGIN);
	else
		take_apart(form == COLUMNS, form == COLUMNS && is_few(data, size),
			   data[1] % (COROPROF_COUNTERS_MAX + 1), bytes, size - BEGIN);
	free(bytes);
	return 0;
}
