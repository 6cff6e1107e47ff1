// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "html-tables.h"
#include "model.h"
#include "util.h"

/* Beside the COROPROF_STANDING_*: no slice carried the counter. */
#define STANDING_ABSENT		4
#define PARTS_PER_WHOLE		1e6

enum kind {
	KIND_U64,
	KIND_U32,
	KIND_I32,
	KIND_U8,
	KIND_INDEX,	/* MODEL_NONE is -1 */
	KIND_TIME,	/* a point in time: since the recording began */
};

/**
 * struct field - a column that is a member of the rows of a table
 * @name:   in the report
 * @offset: of the member
 * @kind:   what it is
 */
struct field {
	const char *name;
	size_t offset;
	enum kind kind;
};

#define FIELD(type, member, kind) { #member, offsetof(type, member), kind }

typedef struct model_value (*value_fn)(const struct model *model, uint32_t row,
				       uint32_t column);

/**
 * struct table - an array of the model
 * @model:  it belongs to
 * @rows:   the array
 * @stride: bytes of a row
 * @n:      how many rows
 * @times:  offset of the rows' struct model_times
 * @value:  what a counter says about a row
 */
struct table {
	const struct model *model;
	const void *rows;
	size_t stride;
	uint32_t n;
	size_t times;
	value_fn value;
};

/**
 * struct source - where the numbers of one column come from
 * @get:    the number of a row; one below zero is there as its complement
 * @table:  for @get, as all below
 * @offset: of a member
 * @kind:   of it
 * @column: of the counters
 */
struct source {
	uint64_t (*get)(const struct source *source, uint32_t row);
	const struct table *table;
	size_t offset;
	enum kind kind;
	uint32_t column;
};

/* ------------------------------------------------------------------------
 * columns
 */

static bool is_constant(const struct source *source, uint32_t n)
{
	uint64_t first = n ? source->get(source, 0) : 0;

	for (uint32_t row = 1; row < n; row++)
		if (source->get(source, row) != first)
			return false;
	return true;
}

static void put(struct json *j, const struct source *source, uint32_t row)
{
	uint64_t value = source->get(source, row);

	if (source->kind == KIND_U64)
		json_u64(j, value);
	else
		json_i64(j, (int64_t)value);
}

/* A column with the same number in all rows is that number. */
static void put_column(struct json *j, const struct source *source)
{
	uint32_t n = source->table->n;

	if (!n) {
		json_u64(j, 0);
		return;
	}
	if (is_constant(source, n)) {
		put(j, source, 0);
		return;
	}
	json_open(j, '[');
	for (uint32_t row = 0; row < n; row++)
		put(j, source, row);
	json_close(j, ']');
}

static void column(struct json *j, const char *name, const struct source *source)
{
	json_key(j, name);
	put_column(j, source);
}

static const void *row_of(const struct table *table, uint32_t row)
{
	return (const char *)table->rows + row * table->stride;
}

static uint64_t get_field(const struct source *source, uint32_t row)
{
	const void *at = (const char *)row_of(source->table, row) +
			 source->offset;
	uint32_t index;

	switch (source->kind) {
	case KIND_U64:
		return *(const uint64_t *)at;
	case KIND_U32:
		return *(const uint32_t *)at;
	case KIND_I32:
		return (uint64_t)(int64_t)*(const int32_t *)at;
	case KIND_U8:
		return *(const uint8_t *)at;
	case KIND_TIME:
		return *(const uint64_t *)at - source->table->model->begin_ns;
	case KIND_INDEX:
		break;
	}
	index = *(const uint32_t *)at;
	return index == MODEL_NONE ? UINT64_MAX : index;
}

static void fields(struct json *j, const struct table *table,
		   const struct field *all, size_t nr, size_t offset)
{
	for (const struct field *field = all; field < all + nr; field++) {
		const struct source source = {
			.get = get_field,
			.table = table,
			.offset = offset + field->offset,
			.kind = field->kind,
		};

		column(j, field->name, &source);
	}
}

static void derived(struct json *j, const struct table *table, const char *name,
		    uint64_t (*get)(const struct source *source, uint32_t row))
{
	const struct source source = {
		.get = get,
		.table = table,
		.kind = KIND_U32,
	};

	column(j, name, &source);
}

/* ------------------------------------------------------------------------
 * times, and what counters say: all tables have these
 */

static uint64_t get_known(const struct source *source, uint32_t row)
{
	const struct model_times *times = (const void *)
		((const char *)row_of(source->table, row) + source->table->times);

	return (uint64_t)model_suspended(times).known |
	       (uint64_t)model_awaiting(times).known << 2 |
	       (uint64_t)model_ready(times).known << 4;
}

#define TIMES(member, name) \
	{ name, offsetof(struct model_times, member), KIND_U64 }

static const struct field times_fields[] = {
	TIMES(slices, "slices"),
	TIMES(running_ns, "running"),
	TIMES(preempted_ns, "preempted"),
	TIMES(blocked_ns, "blocked"),
	TIMES(nr_preempted, "nr_preempted"),
	TIMES(nr_blocked, "nr_blocked"),
	TIMES(gaps, "gaps"),
	TIMES(unseen_gaps, "unseen_gaps"),
	TIMES(suspended_ns, "suspended"),
	TIMES(awaiting_ns, "awaiting"),
	TIMES(ready_ns, "ready"),
};

static struct model_value value_of(const struct source *source, uint32_t row)
{
	return source->table->value(source->table->model, row, source->column);
}

static uint64_t get_standing(const struct source *source, uint32_t row)
{
	struct model_value value = value_of(source, row);

	return value.present ? value.standing : STANDING_ABSENT;
}

static uint64_t get_count(const struct source *source, uint32_t row)
{
	return value_of(source, row).count;
}

static uint64_t get_estimate(const struct source *source, uint32_t row)
{
	return value_of(source, row).estimate;
}

static uint64_t get_share(const struct source *source, uint32_t row)
{
	return (uint64_t)(value_of(source, row).share * PARTS_PER_WHOLE + 0.5);
}

static bool any_scaled(const struct source *source)
{
	for (uint32_t row = 0; row < source->table->n; row++)
		if (get_standing(source, row) == COROPROF_STANDING_SCALED)
			return true;
	return false;
}

static void one_counter(struct json *j, const struct table *table,
			uint32_t counter)
{
	struct source source = {
		.table = table,
		.kind = KIND_U64,
		.column = counter,
	};

	json_open(j, '{');
	source.get = get_standing;
	column(j, "standing", &source);
	source.get = get_count;
	column(j, "count", &source);
	if (any_scaled(&source)) {
		source.get = get_estimate;
		column(j, "estimate", &source);
		source.get = get_share;
		column(j, "share", &source);
	}
	json_close(j, '}');
}

static void sums(struct json *j, const struct table *table)
{
	json_key(j, "n");
	json_u64(j, table->n);
	json_key(j, "times");
	json_open(j, '{');
	fields(j, table, times_fields, ARRAY_SIZE(times_fields), table->times);
	derived(j, table, "known", get_known);
	json_close(j, '}');
	json_key(j, "values");
	json_open(j, '[');
	for (uint32_t c = 0; c < table->model->nr_columns; c++)
		one_counter(j, table, c);
	json_close(j, ']');
}

/* Texts: member @offset of each row is a pointer to one, or NULL. */
static void texts(struct json *j, const struct table *table, const char *name,
		  size_t offset)
{
	json_key(j, name);
	json_open(j, '[');
	for (uint32_t row = 0; row < table->n; row++)
		json_string(j, *(const char *const *)
			    ((const char *)row_of(table, row) + offset));
	json_close(j, ']');
}

/* ------------------------------------------------------------------------
 * total
 */

static struct model_value total_value(const struct model *model, uint32_t row,
				      uint32_t counter)
{
	(void)row;
	return model_total_value(model, counter);
}

void html_total(struct json *j, const struct model *model)
{
	const struct table table = {
		.model = model,
		.rows = &model->times,
		.stride = sizeof(model->times),
		.n = 1,
		.value = total_value,
	};

	json_open(j, '{');
	sums(j, &table);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * threads
 */

static const struct field thread_fields[] = {
	FIELD(struct model_channel, process, KIND_INDEX),
	FIELD(struct model_channel, tid, KIND_I32),
	FIELD(struct model_channel, lost, KIND_U64),
	{ "outside", offsetof(struct model_channel, outside_ns), KIND_U64 },
	{ "end", offsetof(struct model_channel, end_ns), KIND_TIME },
};

/* Unknown: -1. */
static uint64_t get_begin(const struct source *source, uint32_t row)
{
	const struct model *model = source->table->model;
	uint64_t begin = model->channels[row].begin_ns;

	return begin ? begin - model->begin_ns : UINT64_MAX;
}

static uint64_t get_damaged(const struct source *source, uint32_t row)
{
	return source->table->model->channels[row].damaged;
}

static uint64_t get_check(const struct source *source, uint32_t row)
{
	return source->table->model->channels[row].check;
}

void html_threads(struct json *j, const struct model *model)
{
	const struct table table = {
		.model = model,
		.rows = model->channels,
		.stride = sizeof(*model->channels),
		.n = model->nr_channels,
		.times = offsetof(struct model_channel, times),
		.value = model_channel_value,
	};

	json_open(j, '{');
	sums(j, &table);
	fields(j, &table, thread_fields, ARRAY_SIZE(thread_fields), 0);
	derived(j, &table, "begin", get_begin);
	derived(j, &table, "damaged", get_damaged);
	derived(j, &table, "check", get_check);
	texts(j, &table, "comm", offsetof(struct model_channel, comm));
	texts(j, &table, "check_text", offsetof(struct model_channel, check_text));
	texts(j, &table, "error", offsetof(struct model_channel, error_text));
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * labels
 */

static const struct field label_fields[] = {
	FIELD(struct model_label, process, KIND_INDEX),
	FIELD(struct model_label, address, KIND_U64),
	FIELD(struct model_label, coroutines, KIND_U64),
	FIELD(struct model_label, renamed, KIND_U64),
	{ "min", offsetof(struct model_label, min_ns), KIND_U64 },
	{ "max", offsetof(struct model_label, max_ns), KIND_U64 },
};

static uint64_t get_label_kind(const struct source *source, uint32_t row)
{
	return source->table->model->labels[row].kind;
}

static uint64_t get_p50(const struct source *source, uint32_t row)
{
	return model_label_quantile_ns(&source->table->model->labels[row], 0.50);
}

static uint64_t get_p95(const struct source *source, uint32_t row)
{
	return model_label_quantile_ns(&source->table->model->labels[row], 0.95);
}

static uint64_t get_p99(const struct source *source, uint32_t row)
{
	return model_label_quantile_ns(&source->table->model->labels[row], 0.99);
}

/* The buckets that are not empty: bucket, count, bucket, count ... */
static void histogram(struct json *j, const struct model_label *label)
{
	json_open(j, '[');
	for (unsigned int b = 0; b < MODEL_HISTOGRAM_BUCKETS; b++) {
		if (!label->histogram || !label->histogram[b])
			continue;
		json_u64(j, b);
		json_u64(j, label->histogram[b]);
	}
	json_close(j, ']');
}

void html_labels(struct json *j, const struct model *model)
{
	const struct table table = {
		.model = model,
		.rows = model->labels,
		.stride = sizeof(*model->labels),
		.n = model->nr_labels,
		.times = offsetof(struct model_label, times),
		.value = model_label_value,
	};

	json_open(j, '{');
	sums(j, &table);
	fields(j, &table, label_fields, ARRAY_SIZE(label_fields), 0);
	derived(j, &table, "kind", get_label_kind);
	derived(j, &table, "p50", get_p50);
	derived(j, &table, "p95", get_p95);
	derived(j, &table, "p99", get_p99);
	texts(j, &table, "name", offsetof(struct model_label, name));
	texts(j, &table, "object", offsetof(struct model_label, object));
	texts(j, &table, "unresolved", offsetof(struct model_label, unresolved));
	json_key(j, "histogram");
	json_open(j, '[');
	for (uint32_t i = 0; i < model->nr_labels; i++)
		histogram(j, &model->labels[i]);
	json_close(j, ']');
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * coroutines
 */

static const struct field coroutine_fields[] = {
	FIELD(struct model_coroutine, id, KIND_U64),
	FIELD(struct model_coroutine, parent, KIND_U64),
	FIELD(struct model_coroutine, user, KIND_U64),
	FIELD(struct model_coroutine, process, KIND_INDEX),
	FIELD(struct model_coroutine, label, KIND_INDEX),
	FIELD(struct model_coroutine, flags, KIND_U32),
	FIELD(struct model_coroutine, migrations, KIND_U32),
	{ "born", offsetof(struct model_coroutine, born_ns), KIND_TIME },
	{ "first", offsetof(struct model_coroutine, first_ns), KIND_TIME },
	{ "last", offsetof(struct model_coroutine, last_ns), KIND_TIME },
	{ "max", offsetof(struct model_coroutine, max_ns), KIND_U64 },
};

static uint64_t get_threads(const struct source *source, uint32_t row)
{
	return model_coroutine_threads(&source->table->model->coroutines[row]);
}

void html_coroutines(struct json *j, const struct model *model)
{
	const struct table table = {
		.model = model,
		.rows = model->coroutines,
		.stride = sizeof(*model->coroutines),
		.n = model->nr_coroutines,
		.times = offsetof(struct model_coroutine, times),
		.value = model_coroutine_value,
	};

	json_open(j, '{');
	sums(j, &table);
	fields(j, &table, coroutine_fields, ARRAY_SIZE(coroutine_fields), 0);
	derived(j, &table, "threads", get_threads);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * timeline
 */

static const struct field timeline_fields[] = {
	{ "duration", offsetof(struct model_slice, duration_ns), KIND_U64 },
	{ "preempted", offsetof(struct model_slice, preempted_ns), KIND_U64 },
	{ "blocked", offsetof(struct model_slice, blocked_ns), KIND_U64 },
	FIELD(struct model_slice, coroutine, KIND_INDEX),
	FIELD(struct model_slice, label, KIND_INDEX),
	{ "slices", offsetof(struct model_slice, nr_slices), KIND_U32 },
	FIELD(struct model_slice, flags, KIND_U32),
	FIELD(struct model_slice, valid, KIND_U32),
};

/* Slices follow each other without gaps, so this is nearly always 0. */
static uint64_t get_gap(const struct source *source, uint32_t row)
{
	const struct model *model = source->table->model;
	const struct model_slice *slice = &model->timeline[row];
	const struct model_slice *before = slice - 1;

	if (!row || before->channel != slice->channel)
		return slice->begin_ns - model->begin_ns;
	return slice->begin_ns - before->begin_ns - before->duration_ns;
}

static void timeline_counts(struct json *j, const struct table *table)
{
	uint32_t nr = table->model->nr_columns;

	json_key(j, "count");
	json_open(j, '[');
	for (uint32_t c = 0; c < nr && c < MODEL_SLICE_COLUMNS; c++) {
		const struct source source = {
			.get = get_field,
			.table = table,
			.offset = offsetof(struct model_slice, count) +
				  c * sizeof(uint64_t),
			.kind = KIND_U64,
		};

		put_column(j, &source);
	}
	json_close(j, ']');
}

void html_timeline(struct json *j, const struct model *model)
{
	const struct table table = {
		.model = model,
		.rows = model->timeline,
		.stride = sizeof(*model->timeline),
		.n = model->nr_timeline,
	};

	json_open(j, '{');
	json_key(j, "n");
	json_u64(j, model->nr_timeline);
	json_key(j, "resolution");
	json_u64(j, model->timeline_resolution_ns);
	json_key(j, "first");
	json_open(j, '[');
	for (uint32_t c = 0; c <= model->nr_channels; c++)
		json_u64(j, model->timeline_first[c]);
	json_close(j, ']');
	derived(j, &table, "gap", get_gap);
	fields(j, &table, timeline_fields, ARRAY_SIZE(timeline_fields), 0);
	timeline_counts(j, &table);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * wakes
 */

static const struct field wake_fields[] = {
	FIELD(struct model_wake, waker, KIND_INDEX),
	FIELD(struct model_wake, woken, KIND_INDEX),
	FIELD(struct model_wake, count, KIND_U64),
	FIELD(struct model_wake, ready_ns, KIND_U64),
	FIELD(struct model_wake, ready, KIND_U64),
};

void html_wakes(struct json *j, const struct model *model)
{
	const struct table table = {
		.model = model,
		.rows = model->wakes,
		.stride = sizeof(*model->wakes),
		.n = model->nr_wakes,
	};

	json_open(j, '{');
	json_key(j, "n");
	json_u64(j, model->nr_wakes);
	fields(j, &table, wake_fields, ARRAY_SIZE(wake_fields), 0);
	json_close(j, '}');
}
