// SPDX-License-Identifier: GPL-2.0
#include "base/util.h"
#include "output/html/columns.h"

/* Beside the COROPROF_STANDING_*: no slice carried the counter. */
#define STANDING_ABSENT		4
#define PARTS_PER_WHOLE		1e6

/* ------------------------------------------------------------------------
 * columns
 */

static bool is_constant(const struct html_source *source, uint32_t n)
{
	uint64_t first = n ? source->get(source, 0) : 0;

	for (uint32_t row = 1; row < n; row++)
		if (source->get(source, row) != first)
			return false;
	return true;
}

static void put(struct json *j, const struct html_source *source, uint32_t row)
{
	uint64_t value = source->get(source, row);

	if (source->kind == HTML_U64)
		json_u64(j, value);
	else
		json_i64(j, (int64_t)value);
}

/* A column with the same number in all rows is that number. */
void html_put_column(struct json *j, const struct html_source *source)
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

static void column(struct json *j, const char *name,
		   const struct html_source *source)
{
	json_key(j, name);
	html_put_column(j, source);
}

static const void *row_of(const struct html_table *table, uint32_t row)
{
	return (const char *)table->rows + row * table->stride;
}

uint64_t html_get_field(const struct html_source *source, uint32_t row)
{
	const void *at = (const char *)row_of(source->table, row) +
			 source->offset;
	uint32_t index;

	switch (source->kind) {
	case HTML_U64:
		return *(const uint64_t *)at;
	case HTML_U32:
		return *(const uint32_t *)at;
	case HTML_I32:
		return (uint64_t)(int64_t)*(const int32_t *)at;
	case HTML_U8:
		return *(const uint8_t *)at;
	case HTML_TIME:
		return *(const uint64_t *)at - source->table->model->begin_ns;
	case HTML_INDEX:
		break;
	}
	index = *(const uint32_t *)at;
	return index == MODEL_NONE ? UINT64_MAX : index;
}

void html_fields(struct json *j, const struct html_table *table,
		 const struct html_field *all, size_t nr, size_t offset)
{
	for (const struct html_field *field = all; field < all + nr; field++) {
		const struct html_source source = {
			.get = html_get_field,
			.table = table,
			.offset = offset + field->offset,
			.kind = field->kind,
		};

		column(j, field->name, &source);
	}
}

void html_derived(struct json *j, const struct html_table *table,
		  const char *name,
		  uint64_t (*get)(const struct html_source *source,
				  uint32_t row))
{
	const struct html_source source = {
		.get = get,
		.table = table,
		.kind = HTML_U32,
	};

	column(j, name, &source);
}

/* ------------------------------------------------------------------------
 * times, and what counters say: all tables have these
 */

static uint64_t get_known(const struct html_source *source, uint32_t row)
{
	const struct model_times *times = (const void *)
		((const char *)row_of(source->table, row) + source->table->times);

	return (uint64_t)model_suspended(times).known |
	       (uint64_t)model_awaiting(times).known << 2 |
	       (uint64_t)model_ready(times).known << 4;
}

#define TIMES(member, name) \
	{ name, offsetof(struct model_times, member), HTML_U64 }

static const struct html_field times_fields[] = {
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

static struct model_value value_of(const struct html_source *source,
				   uint32_t row)
{
	return source->table->value(source->table->model, row, source->column);
}

static uint64_t get_standing(const struct html_source *source, uint32_t row)
{
	struct model_value value = value_of(source, row);

	return value.present ? value.standing : STANDING_ABSENT;
}

static uint64_t get_count(const struct html_source *source, uint32_t row)
{
	return value_of(source, row).count;
}

static uint64_t get_estimate(const struct html_source *source, uint32_t row)
{
	return value_of(source, row).estimate;
}

static uint64_t get_share(const struct html_source *source, uint32_t row)
{
	return (uint64_t)(value_of(source, row).share * PARTS_PER_WHOLE + 0.5);
}

static bool any_scaled(const struct html_source *source)
{
	for (uint32_t row = 0; row < source->table->n; row++)
		if (get_standing(source, row) == COROPROF_STANDING_SCALED)
			return true;
	return false;
}

static void one_counter(struct json *j, const struct html_table *table,
			uint32_t counter)
{
	struct html_source source = {
		.table = table,
		.kind = HTML_U64,
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

void html_values(struct json *j, const struct html_table *table,
		 const char *name, html_value_fn value)
{
	struct html_table valued = *table;

	valued.value = value;
	json_key(j, name);
	json_open(j, '[');
	for (uint32_t c = 0; c < table->model->nr_columns; c++)
		one_counter(j, &valued, c);
	json_close(j, ']');
}

void html_sums(struct json *j, const struct html_table *table)
{
	json_key(j, "n");
	json_u64(j, table->n);
	json_key(j, "times");
	json_open(j, '{');
	html_fields(j, table, times_fields, ARRAY_SIZE(times_fields), table->times);
	html_derived(j, table, "known", get_known);
	json_close(j, '}');
	html_values(j, table, "values", table->value);
}

void html_texts(struct json *j, const struct html_table *table,
		const char *name, size_t offset)
{
	json_key(j, name);
	json_open(j, '[');
	for (uint32_t row = 0; row < table->n; row++)
		json_string(j, *(const char *const *)
			    ((const char *)row_of(table, row) + offset));
	json_close(j, ']');
}
