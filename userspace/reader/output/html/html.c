// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <string.h>

#include "output/html/html.h"
#include "output/html/tables.h"
#include "profile/model.h"

#define FORMAT		"coroprof-report"
#define FORMAT_VERSION	2
/* Where the data goes; build.mjs sees to it that it is there once. */
#define DATA_MARK	"@DATA@"

/* html-template.S */
extern const char html_template[], html_template_end[];

static void member_string(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_string(j, text);
}

static void member_u64(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

static void member_i64(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_i64(j, value);
}

static void member_bool(struct json *j, const char *key, bool value)
{
	json_key(j, key);
	json_bool(j, value);
}

/* In the model, a measure below zero has not been made. */
static void member_measure(struct json *j, const char *key, double value)
{
	json_key(j, key);
	if (value < 0)
		json_string(j, NULL);
	else
		json_double(j, value);
}

static int64_t index_or_none(uint32_t index)
{
	return index == MODEL_NONE ? -1 : (int64_t)index;
}

/* ------------------------------------------------------------------------
 * recording
 */

static void put_damage(struct json *j, const struct model *model)
{
	json_key(j, "damage");
	json_open(j, '[');
	for (uint32_t i = 0; i < model->nr_damage; i++) {
		const struct model_damage *damage = &model->damage[i];

		json_open(j, '{');
		member_u64(j, "offset", damage->offset);
		member_i64(j, "thread", index_or_none(damage->channel));
		member_string(j, "text", damage->text);
		json_close(j, '}');
	}
	json_close(j, ']');
	member_u64(j, "damage_total", model->nr_damage_total);
}

static void put_info(struct json *j, const struct model *model)
{
	json_key(j, "info");
	json_open(j, '[');
	for (uint32_t i = 0; i < model->nr_info; i++) {
		json_open(j, '[');
		json_string(j, model->info[i].key);
		json_string(j, model->info[i].value);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void put_origin(struct json *j, const struct model *model)
{
	const char *slash = model->path ? strrchr(model->path, '/') : NULL;

	member_string(j, "file", slash ? slash + 1 : model->path);
	member_u64(j, "file_size", model->file_size);
	member_string(j, "command", model->command);
	member_string(j, "host", model->host);
	member_string(j, "kernel", model->kernel);
	member_string(j, "arch", model->arch);
	member_string(j, "pmu", model->pmu);
	member_string(j, "simulated", model->simulated);
	member_string(j, "missing", model->missing);
	member_u64(j, "cpus", model->cpus);
	json_key(j, "realtime_ms");
	if (model->realtime_known && model->begin_ns)
		json_i64(j, ((int64_t)model->begin_ns +
			     model->realtime_offset_ns) / 1000000);
	else
		json_string(j, NULL);
}

/* By COROPROF_MODE_*. */
static void put_costs(struct json *j, const char *key,
		      const struct model_cost costs[2])
{
	json_key(j, key);
	json_open(j, '[');
	for (int mode = 0; mode < 2; mode++) {
		json_open(j, '{');
		member_measure(j, "ns", costs[mode].ns);
		member_measure(j, "instructions", costs[mode].instructions);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_quality(struct json *j, const struct model *model)
{
	member_bool(j, "ended", model->ended);
	member_i64(j, "exit_status", model->exit_status);
	member_string(j, "torn", model->torn);
	member_u64(j, "torn_offset", model->torn_offset);
	member_u64(j, "unread_bytes", model->unread_bytes);
	member_u64(j, "file_bytes", model->file_size);
	put_damage(j, model);
	member_u64(j, "lost", model->lost);
	member_u64(j, "missed", model->missed);
	member_u64(j, "missed_ns", model->missed_ns);
	put_costs(j, "switch_cost", model->switch_cost);
	put_costs(j, "span_cost", model->span_cost);
	json_key(j, "naming");
	json_open(j, '{');
	member_measure(j, "ns", model->naming.ns);
	member_measure(j, "instructions", model->naming.instructions);
	json_close(j, '}');
	member_measure(j, "overhead_share", model->overhead_share);
	member_bool(j, "overhead_at_least", model->overhead_at_least);
	member_u64(j, "failed_checks", model->failed_checks);
	member_u64(j, "dropped_counters", model->dropped_columns);
	member_u64(j, "folded_coroutines", model->nr_folded_coroutines);
	member_u64(j, "coroutines_total", model->nr_coroutines_total);
	member_u64(j, "dropped_wakes", model->nr_dropped_wakes);
}

static void put_recording(struct json *j, const struct model *model)
{
	json_key(j, "recording");
	json_open(j, '{');
	put_origin(j, model);
	member_u64(j, "duration", model->end_ns - model->begin_ns);
	put_quality(j, model);
	put_info(j, model);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * the rest
 */

static void put_counter(struct json *j, const struct model_column *column)
{
	uint32_t flags = column->counter.flags;

	json_open(j, '{');
	member_string(j, "name", column->name);
	member_bool(j, "kernel", flags & COROPROF_COUNTER_KERNEL);
	member_bool(j, "pinned", flags & COROPROF_COUNTER_PINNED);
	member_bool(j, "time", model_column_is_time(column));
	member_bool(j, "in_session", column->in_session);
	member_u64(j, "channels", column->channels);
	member_u64(j, "failed", column->failed);
	member_string(j, "error", column->error_text);
	json_close(j, '}');
}

static void put_counters(struct json *j, const struct model *model)
{
	json_key(j, "counters");
	json_open(j, '[');
	for (uint32_t c = 0; c < model->nr_columns; c++)
		put_counter(j, &model->columns[c]);
	json_close(j, ']');
	member_i64(j, "cycles", index_or_none(model->cycles));
	member_i64(j, "instructions", index_or_none(model->instructions));
}

static void put_histogram(struct json *j)
{
	json_key(j, "histogram");
	json_open(j, '[');
	for (unsigned int b = 0; b < MODEL_HISTOGRAM_BUCKETS; b++)
		json_u64(j, model_histogram_ns(b));
	json_close(j, ']');
}

static void put_processes(struct json *j, const struct model *model)
{
	json_key(j, "processes");
	json_open(j, '[');
	for (uint32_t i = 0; i < model->nr_processes; i++) {
		const struct model_process *process = &model->processes[i];

		json_open(j, '{');
		member_u64(j, "id", process->id);
		member_i64(j, "pid", process->pid);
		member_string(j, "comm", process->comm);
		member_u64(j, "coroutines", process->coroutines);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_modes(struct json *j, const struct model *model)
{
	json_key(j, "modes");
	json_open(j, '[');
	for (uint32_t i = 0; i < model->nr_modes; i++) {
		const struct model_mode_row *row = &model->modes[i];

		json_open(j, '{');
		member_u64(j, "mode", row->mode);
		member_u64(j, "threads", row->threads);
		member_string(j, "why", row->why);
		member_string(j, "found", row->found);
		member_string(j, "fix", row->fix);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_samples(struct json *j, const struct model *model)
{
	if (!model->sampled)
		return;
	json_key(j, "samples");
	json_open(j, '{');
	member_string(j, "event", model->sample_event);
	member_u64(j, "period", model->sample_period);
	member_u64(j, "frequency", model->sample_frequency);
	member_u64(j, "stack_max", model->sample_stack_max);
	member_string(j, "note", model->sample_note);
	member_u64(j, "kept", model->samples);
	member_u64(j, "lost", model->lost_samples);
	member_u64(j, "throttled", model->throttled);
	member_u64(j, "unsampled", model->unsampled);
	html_samples(j, model);
	json_close(j, '}');
}

static void put_spans(struct json *j, const struct model *model)
{
	if (!model->nr_spans && !model->lost_spans && !model->dropped_spans)
		return;
	json_key(j, "spans");
	json_open(j, '{');
	member_u64(j, "calls", model->nr_span_calls);
	member_u64(j, "lost", model->lost_spans);
	member_u64(j, "dropped", model->dropped_spans);
	member_u64(j, "impossible", model->impossible_spans);
	html_spans(j, model);
	json_close(j, '}');
}

static void put_tables(struct json *j, const struct model *model)
{
	json_key(j, "total");
	html_total(j, model);
	json_key(j, "threads");
	html_threads(j, model);
	json_key(j, "labels");
	html_labels(j, model);
	json_key(j, "coroutines");
	html_coroutines(j, model);
	json_key(j, "timeline");
	html_timeline(j, model);
	json_key(j, "wakes");
	html_wakes(j, model);
}

static void put_data(FILE *file, const struct model *model)
{
	struct json j = { .file = file };

	json_open(&j, '{');
	member_string(&j, "format", FORMAT);
	member_u64(&j, "version", FORMAT_VERSION);
	put_recording(&j, model);
	put_counters(&j, model);
	put_histogram(&j);
	put_processes(&j, model);
	put_tables(&j, model);
	put_modes(&j, model);
	put_samples(&j, model);
	put_spans(&j, model);
	json_close(&j, '}');
}

int html_write(const struct model *model, FILE *file)
{
	size_t size = (size_t)(html_template_end - html_template);
	size_t mark_size = strlen(DATA_MARK);
	const char *mark = memmem(html_template, size, DATA_MARK, mark_size);
	const char *rest = mark + mark_size;

	fwrite(html_template, 1, (size_t)(mark - html_template), file);
	put_data(file, model);
	fwrite(rest, 1, (size_t)(html_template_end - rest), file);
	return fflush(file) ? -1 : -!!ferror(file);
}
