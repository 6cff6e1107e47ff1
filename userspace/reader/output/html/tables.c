// SPDX-License-Identifier: GPL-2.0
#include "base/util.h"
#include "output/html/columns.h"
#include "output/html/tables.h"

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
	const struct html_table table = {
		.model = model,
		.rows = &model->times,
		.stride = sizeof(model->times),
		.n = 1,
		.value = total_value,
	};

	json_open(j, '{');
	html_sums(j, &table);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * threads
 */

static const struct html_field thread_fields[] = {
	HTML_FIELD(struct model_channel, process, HTML_INDEX),
	HTML_FIELD(struct model_channel, tid, HTML_I32),
	HTML_FIELD(struct model_channel, lost, HTML_U64),
	{ "outside", offsetof(struct model_channel, outside_ns), HTML_U64 },
	{ "end", offsetof(struct model_channel, end_ns), HTML_TIME },
	{ "mode", offsetof(struct model_channel, mode_row), HTML_INDEX },
};

/* Of threads, labels and coroutines: only of a recording with samples. */
static const struct html_field thread_samples[] = {
	HTML_FIELD(struct model_channel, samples, HTML_U64),
	HTML_FIELD(struct model_channel, lost_samples, HTML_U64),
};

static const struct html_field label_samples[] = {
	HTML_FIELD(struct model_label, samples, HTML_U64),
};

static const struct html_field coroutine_samples[] = {
	HTML_FIELD(struct model_coroutine, samples, HTML_U64),
};

static void sample_fields(struct json *j, const struct html_table *table,
			  const struct html_field *all, size_t nr)
{
	if (table->model->sampled)
		html_fields(j, table, all, nr, 0);
}

/* Unknown: -1. */
static uint64_t get_begin(const struct html_source *source, uint32_t row)
{
	const struct model *model = source->table->model;
	uint64_t begin = model->channels[row].begin_ns;

	return begin ? begin - model->begin_ns : UINT64_MAX;
}

static uint64_t get_damaged(const struct html_source *source, uint32_t row)
{
	return source->table->model->channels[row].damaged;
}

static uint64_t get_sample_clock(const struct html_source *source, uint32_t row)
{
	return source->table->model->channels[row].sample_clock;
}

static uint64_t get_check(const struct html_source *source, uint32_t row)
{
	return source->table->model->channels[row].check;
}

void html_threads(struct json *j, const struct model *model)
{
	const struct html_table table = {
		.model = model,
		.rows = model->channels,
		.stride = sizeof(*model->channels),
		.n = model->nr_channels,
		.times = offsetof(struct model_channel, times),
		.value = model_channel_value,
	};

	json_open(j, '{');
	html_sums(j, &table);
	html_fields(j, &table, thread_fields, ARRAY_SIZE(thread_fields), 0);
	sample_fields(j, &table, thread_samples, ARRAY_SIZE(thread_samples));
	html_derived(j, &table, "begin", get_begin);
	html_derived(j, &table, "damaged", get_damaged);
	html_derived(j, &table, "check", get_check);
	html_derived(j, &table, "sample_clock", get_sample_clock);
	html_texts(j, &table, "comm", offsetof(struct model_channel, comm));
	html_texts(j, &table, "check_text", offsetof(struct model_channel, check_text));
	html_texts(j, &table, "error", offsetof(struct model_channel, error_text));
	html_texts(j, &table, "sample_error",
		   offsetof(struct model_channel, sample_error_text));
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * labels
 */

static const struct html_field label_fields[] = {
	HTML_FIELD(struct model_label, process, HTML_INDEX),
	HTML_FIELD(struct model_label, address, HTML_U64),
	HTML_FIELD(struct model_label, coroutines, HTML_U64),
	HTML_FIELD(struct model_label, renamed, HTML_U64),
	HTML_FIELD(struct model_label, missed, HTML_U64),
	HTML_FIELD(struct model_label, missed_ns, HTML_U64),
	{ "min", offsetof(struct model_label, min_ns), HTML_U64 },
	{ "max", offsetof(struct model_label, max_ns), HTML_U64 },
};

static uint64_t get_label_kind(const struct html_source *source, uint32_t row)
{
	return source->table->model->labels[row].kind;
}

static uint64_t get_p50(const struct html_source *source, uint32_t row)
{
	return model_label_quantile_ns(&source->table->model->labels[row], 0.50);
}

static uint64_t get_p95(const struct html_source *source, uint32_t row)
{
	return model_label_quantile_ns(&source->table->model->labels[row], 0.95);
}

static uint64_t get_p99(const struct html_source *source, uint32_t row)
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
	const struct html_table table = {
		.model = model,
		.rows = model->labels,
		.stride = sizeof(*model->labels),
		.n = model->nr_labels,
		.times = offsetof(struct model_label, times),
		.value = model_label_value,
	};

	json_open(j, '{');
	html_sums(j, &table);
	html_fields(j, &table, label_fields, ARRAY_SIZE(label_fields), 0);
	sample_fields(j, &table, label_samples, ARRAY_SIZE(label_samples));
	html_derived(j, &table, "kind", get_label_kind);
	html_derived(j, &table, "p50", get_p50);
	html_derived(j, &table, "p95", get_p95);
	html_derived(j, &table, "p99", get_p99);
	html_texts(j, &table, "name", offsetof(struct model_label, name));
	html_texts(j, &table, "object", offsetof(struct model_label, object));
	html_texts(j, &table, "unresolved", offsetof(struct model_label, unresolved));
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

static const struct html_field coroutine_fields[] = {
	HTML_FIELD(struct model_coroutine, id, HTML_U64),
	HTML_FIELD(struct model_coroutine, parent, HTML_U64),
	HTML_FIELD(struct model_coroutine, user, HTML_U64),
	HTML_FIELD(struct model_coroutine, process, HTML_INDEX),
	HTML_FIELD(struct model_coroutine, label, HTML_INDEX),
	HTML_FIELD(struct model_coroutine, flags, HTML_U32),
	HTML_FIELD(struct model_coroutine, migrations, HTML_U32),
	{ "born", offsetof(struct model_coroutine, born_ns), HTML_TIME },
	{ "first", offsetof(struct model_coroutine, first_ns), HTML_TIME },
	{ "last", offsetof(struct model_coroutine, last_ns), HTML_TIME },
	{ "max", offsetof(struct model_coroutine, max_ns), HTML_U64 },
};

/* A thread's own slot is told by its thread. */
static uint64_t get_thread(const struct html_source *source, uint32_t row)
{
	const struct model_coroutine *c = &source->table->model->coroutines[row];

	if (!(c->flags & MODEL_COROUTINE_THREAD) || c->channel == MODEL_NONE)
		return UINT64_MAX;
	return c->channel;
}

static uint64_t get_threads(const struct html_source *source, uint32_t row)
{
	return model_coroutine_threads(&source->table->model->coroutines[row]);
}

void html_coroutines(struct json *j, const struct model *model)
{
	const struct html_table table = {
		.model = model,
		.rows = model->coroutines,
		.stride = sizeof(*model->coroutines),
		.n = model->nr_coroutines,
		.times = offsetof(struct model_coroutine, times),
		.value = model_coroutine_value,
	};

	json_open(j, '{');
	html_sums(j, &table);
	html_fields(j, &table, coroutine_fields, ARRAY_SIZE(coroutine_fields), 0);
	sample_fields(j, &table, coroutine_samples,
		      ARRAY_SIZE(coroutine_samples));
	html_derived(j, &table, "thread", get_thread);
	html_derived(j, &table, "threads", get_threads);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * timeline
 */

static const struct html_field timeline_fields[] = {
	{ "duration", offsetof(struct model_slice, duration_ns), HTML_U64 },
	{ "preempted", offsetof(struct model_slice, preempted_ns), HTML_U64 },
	{ "blocked", offsetof(struct model_slice, blocked_ns), HTML_U64 },
	HTML_FIELD(struct model_slice, coroutine, HTML_INDEX),
	HTML_FIELD(struct model_slice, label, HTML_INDEX),
	{ "slices", offsetof(struct model_slice, nr_slices), HTML_U32 },
	HTML_FIELD(struct model_slice, flags, HTML_U32),
	HTML_FIELD(struct model_slice, valid, HTML_U32),
};

/* Slices follow each other without gaps, so this is nearly always 0. */
static uint64_t get_gap(const struct html_source *source, uint32_t row)
{
	const struct model *model = source->table->model;
	const struct model_slice *slice = &model->timeline[row];
	const struct model_slice *before = slice - 1;

	if (!row || before->channel != slice->channel)
		return slice->begin_ns - model->begin_ns;
	return slice->begin_ns - before->begin_ns - before->duration_ns;
}

static void timeline_counts(struct json *j, const struct html_table *table)
{
	uint32_t nr = table->model->nr_columns;

	json_key(j, "count");
	json_open(j, '[');
	for (uint32_t c = 0; c < nr && c < MODEL_SLICE_COLUMNS; c++) {
		const struct html_source source = {
			.get = html_get_field,
			.table = table,
			.offset = offsetof(struct model_slice, count) +
				  c * sizeof(uint64_t),
			.kind = HTML_U64,
		};

		html_put_column(j, &source);
	}
	json_close(j, ']');
}

void html_timeline(struct json *j, const struct model *model)
{
	const struct html_table table = {
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
	html_derived(j, &table, "gap", get_gap);
	html_fields(j, &table, timeline_fields, ARRAY_SIZE(timeline_fields), 0);
	timeline_counts(j, &table);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * wakes
 */

static const struct html_field wake_fields[] = {
	HTML_FIELD(struct model_wake, waker, HTML_INDEX),
	HTML_FIELD(struct model_wake, woken, HTML_INDEX),
	HTML_FIELD(struct model_wake, count, HTML_U64),
	HTML_FIELD(struct model_wake, ready_ns, HTML_U64),
	HTML_FIELD(struct model_wake, ready, HTML_U64),
};

void html_wakes(struct json *j, const struct model *model)
{
	const struct html_table table = {
		.model = model,
		.rows = model->wakes,
		.stride = sizeof(*model->wakes),
		.n = model->nr_wakes,
	};

	json_open(j, '{');
	json_key(j, "n");
	json_u64(j, model->nr_wakes);
	html_fields(j, &table, wake_fields, ARRAY_SIZE(wake_fields), 0);
	json_close(j, '}');
}
