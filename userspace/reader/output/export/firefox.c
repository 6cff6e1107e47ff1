// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a processed profile of the Firefox Profiler: a thread for each recorded thread, and one
 * for each weight. Its tables are arrays of columns, so rows are collected before they are written.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/util.h"
#include "output/export/firefox.h"
#include "output/export/notes.h"
#include "output/export/slices.h"
#include "output/export/weights.h"

/* Of the Gecko format, and of what the profiler makes of it. */
#define GECKO_VERSION		27
#define PROCESSED_VERSION	47

#define MARKER_INTERVAL		1	/* in its enum of phases: from a begin to an end */
#define NULL_INDEX		UINT64_MAX
#define NOTE_SIZE		8192

/* ------------------------------------------------------------------------
 * tables: an object of columns, all of the same length
 */

/**
 * struct number_list - numbers that grow
 */
struct number_list {
	uint64_t *numbers;
	uint32_t nr;
};

static bool list_add(struct number_list *l, uint64_t number)
{
	if (!array_grow(&l->numbers, l->nr, sizeof(*l->numbers)))
		return false;
	l->numbers[l->nr++] = number;
	return true;
}

static void write_null(struct json *j)
{
	json_string(j, NULL);
}

static void write_index(struct json *j, uint64_t index)
{
	if (index == NULL_INDEX)
		write_null(j);
	else
		json_u64(j, index);
}

/* Writes ns as milliseconds with six decimals. */
static void write_ms(struct json *j, uint64_t ns)
{
	if (j->comma)
		fputc(',', j->file);
	fprintf(j->file, "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);
	j->comma = true;
}

static void write_column(struct json *j, const char *key, const struct number_list *l,
			 void (*put)(struct json *j, uint64_t number))
{
	json_key(j, key);
	json_open(j, '[');
	for (uint32_t i = 0; i < l->nr; i++)
		put(j, l->numbers[i]);
	json_close(j, ']');
}

/* Writes a column with the same number in all @nr rows; NULL_INDEX: null. */
static void write_same(struct json *j, const char *key, uint32_t nr, uint64_t number)
{
	json_key(j, key);
	json_open(j, '[');
	for (uint32_t i = 0; i < nr; i++)
		write_index(j, number);
	json_close(j, ']');
}

/* Writes a column with the numbers of its rows: 0, 1, 2 ... */
static void write_row_numbers(struct json *j, const char *key, uint32_t nr)
{
	json_key(j, key);
	json_open(j, '[');
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, i);
	json_close(j, ']');
}

static void write_falses(struct json *j, const char *key, uint32_t nr)
{
	json_key(j, key);
	json_open(j, '[');
	for (uint32_t i = 0; i < nr; i++)
		json_bool(j, false);
	json_close(j, ']');
}

static void open_table(struct json *j, const char *key, uint32_t nr)
{
	json_key(j, key);
	json_open(j, '{');
	json_key(j, "length");
	json_u64(j, nr);
}

/* ------------------------------------------------------------------------
 * threads
 */

/**
 * struct firefox - a thread under way
 * @json:    where to
 * @m:       model
 * @apart:   see slices_apart()
 * @channel: whose slices; NULL: stacks of @weight
 * @functions: how many there are
 * @frames:  how many of these and of lines
 * @prefix:  stacks: the caller's, and its function
 * @frame:   see there
 * @sample:  samples: the stack, what it weighs, when it was
 * @value:   see there
 * @time:    see there
 * @last:    of the last one, the stack of each caller
 * @failed:  out of memory
 */
struct firefox {
	struct json json;
	const struct model *m;
	uint32_t *apart;
	const struct model_channel *channel;
	const struct weight *weight;
	uint32_t functions;
	uint32_t frames;
	struct number_list prefix;
	struct number_list frame;
	struct number_list sample;
	struct number_list value;
	struct number_list time;
	struct number_list last;
	bool failed;
};

static void free_lists(struct firefox *f)
{
	struct number_list *const lists[] = { &f->prefix, &f->frame, &f->sample,
					      &f->value,  &f->time,  &f->last };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		free(lists[i]->numbers);
		*lists[i] = (struct number_list){ 0 };
	}
}

/*
 * A sample has a stack by number, a weight, and a time; for weights the time is only their order.
 */
static void add_sample(struct firefox *f, uint64_t stack, uint64_t value, uint64_t time)
{
	if (!list_add(&f->sample, stack) || !list_add(&f->value, value) ||
	    !list_add(&f->time, time))
		f->failed = true;
}

static uint64_t add_stack(struct firefox *f, uint64_t prefix, uint64_t frame)
{
	if (!list_add(&f->prefix, prefix) || !list_add(&f->frame, frame))
		f->failed = true;
	return f->failed ? NULL_INDEX : f->frame.nr - 1;
}

/*
 * Adds a stack of a weight. Stacks come in the order of a walk through their tree, so each shares
 * callers with the one before it.
 */
static void add_weighted_stack(void *context, const struct stack *stack)
{
	struct firefox *f = context;
	uint32_t same = 0;

	while (same < stack->nr && same < f->last.nr &&
	       f->frame.numbers[f->last.numbers[same]] == stack->frames[same])
		same++;
	for (f->last.nr = same; same < stack->nr && !f->failed; same++) {
		uint64_t caller = same ? f->last.numbers[same - 1] : NULL_INDEX;

		if (!list_add(&f->last, add_stack(f, caller, stack->frames[same])))
			f->failed = true;
	}
	if (!f->failed && stack->nr)
		add_sample(f, f->last.numbers[stack->nr - 1], stack->value, f->time.nr);
}

static uint64_t ns_since_begin(const struct firefox *f, uint64_t ns)
{
	return ns > f->m->begin_ns ? ns - f->m->begin_ns : 0;
}

static uint32_t label_of(const struct firefox *f, const struct model_slice *s)
{
	return s->label == MODEL_NONE ? f->m->nr_labels : s->label;
}

static void add_slices(struct firefox *f)
{
	const struct model *m = f->m;
	uint32_t c = (uint32_t)(f->channel - m->channels);

	for (uint32_t label = 0; label < f->functions; label++)
		add_stack(f, NULL_INDEX, label);
	for (uint32_t i = m->timeline_first[c]; i < m->timeline_first[c + 1] && !f->failed; i++) {
		const struct model_slice *s = &m->timeline[i];
		uint64_t running = s->flags & MODEL_SLICE_LOST ? 0 :
				   s->duration_ns - s->preempted_ns - s->blocked_ns - s->idle_ns;

		add_sample(f, label_of(f, s), running, ns_since_begin(f, s->begin_ns));
	}
}

static void write_strings(struct firefox *f)
{
	struct json *j = &f->json;
	char text[FRAME_NAME_SIZE];
	uint32_t line;

	json_key(j, "stringArray");
	json_open(j, '[');
	for (uint32_t i = 0; i < f->functions; i++)
		json_string(j, f->weight ? stack_frame_name(f->m, i, text) :
			       i < f->m->nr_labels ? f->m->labels[i].name : "(lost slices)");
	for (uint32_t i = 0; f->weight && i < f->functions; i++)
		if (stack_frame_source(f->m, i, &line))
			json_string(j, stack_frame_source(f->m, i, &line));
	json_close(j, ']');
}

/* The viewer shows whether a frame is inlined, not how deep: 0 or 1. */
static void write_inlined(struct firefox *f)
{
	struct json *j = &f->json;

	json_key(j, "inlineDepth");
	json_open(j, '[');
	for (uint32_t i = 0; i < f->frames; i++)
		json_u64(j, f->weight && stack_frame_is_inlined(f->m, i));
	json_close(j, ']');
}

static void write_frame_functions(struct firefox *f)
{
	struct json *j = &f->json;

	json_key(j, "func");
	json_open(j, '[');
	for (uint32_t i = 0; i < f->frames; i++)
		json_u64(j, f->weight ? stack_frame_function(f->m, i) : i);
	json_close(j, ']');
}

static void write_lines(struct firefox *f, const char *key, uint32_t nr)
{
	struct json *j = &f->json;
	uint32_t line;

	json_key(j, key);
	json_open(j, '[');
	for (uint32_t i = 0; i < nr; i++) {
		line = 0;
		if (f->weight)
			stack_frame_source(f->m, i, &line);
		write_index(j, line ? line : NULL_INDEX);
	}
	json_close(j, ']');
}

/* In the table of strings, names of files follow those of functions. */
static void write_files(struct firefox *f)
{
	struct json *j = &f->json;
	uint64_t next = f->functions;
	uint32_t line;

	json_key(j, "fileName");
	json_open(j, '[');
	for (uint32_t i = 0; i < f->functions; i++)
		write_index(j,
			    f->weight && stack_frame_source(f->m, i, &line) ? next++ : NULL_INDEX);
	json_close(j, ']');
}

/* Writes the tables of frames and functions: one frame for each function, and one for each line. */
static void write_functions(struct firefox *f)
{
	static const char *const none[] = {
		"nativeSymbol", "innerWindowID", "implementation", "column"
	};
	struct json *j = &f->json;
	uint32_t nr = f->frames;

	open_table(j, "frameTable", nr);
	write_same(j, "address", nr, 0);
	write_inlined(f);
	write_same(j, "category", nr, 0);
	write_same(j, "subcategory", nr, 0);
	write_frame_functions(f);
	write_lines(f, "line", f->frames);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		write_same(j, none[i], nr, NULL_INDEX);
	json_close(j, '}');
	nr = f->functions;
	open_table(j, "funcTable", nr);
	write_falses(j, "isJS", nr);
	write_falses(j, "relevantForJS", nr);
	write_row_numbers(j, "name", nr);
	json_key(j, "resource");
	json_open(j, '[');
	for (uint32_t i = 0; i < nr; i++)
		json_i64(j, -1);
	json_close(j, ']');
	write_files(f);
	write_lines(f, "lineNumber", nr);
	write_same(j, "columnNumber", nr, NULL_INDEX);
	json_close(j, '}');
}

static void write_empty_table(struct json *j, const char *key, const char *const *columns)
{
	open_table(j, key, 0);
	for (; *columns; columns++)
		write_same(j, *columns, 0, 0);
	json_close(j, '}');
}

static void write_stacks(struct firefox *f)
{
	static const char *const resources[] = { "lib", "name", "host", "type", NULL };
	static const char *const symbols[] = {
		"libIndex", "address", "name", "functionSize", NULL
	};
	struct json *j = &f->json;

	open_table(j, "stackTable", f->frame.nr);
	write_column(j, "frame", &f->frame, write_index);
	write_column(j, "prefix", &f->prefix, write_index);
	write_same(j, "category", f->frame.nr, 0);
	write_same(j, "subcategory", f->frame.nr, 0);
	json_close(j, '}');
	write_empty_table(j, "resourceTable", resources);
	write_empty_table(j, "nativeSymbols", symbols);
}

static void write_samples(struct firefox *f)
{
	bool time = f->channel || f->weight->time;
	struct json *j = &f->json;

	open_table(j, "samples", f->sample.nr);
	write_column(j, "stack", &f->sample, write_index);
	write_column(j, "time", &f->time, f->channel ? write_ms : write_index);
	write_column(j, "weight", &f->value, time ? write_ms : write_index);
	json_member(j, "weightType", time ? "tracing-ms" : "samples");
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * markers
 */

static void write_slice_args(struct firefox *f, const struct model_slice *s)
{
	struct arg args[ARGS_MAX];
	unsigned int nr = slice_args(f->m, s, args);
	struct json *j = &f->json;

	json_open(j, '{');
	json_member(j, "type", s->flags & MODEL_SLICE_LOST ? "lost" : "slice");
	for (unsigned int i = 0; i < nr; i++) {
		json_key(j, slice_arg_name(f->m, args[i].of));
		if (args[i].text)
			json_string(j, args[i].text);
		else
			json_u64(j, args[i].number);
	}
	json_close(j, '}');
}

static void write_end_times(struct firefox *f, const struct model_slice *slices, uint32_t nr)
{
	struct json *j = &f->json;

	json_key(j, "endTime");
	json_open(j, '[');
	for (uint32_t i = 0; i < nr; i++)
		write_ms(j, ns_since_begin(f, slices[i].begin_ns + slices[i].duration_ns));
	json_close(j, ']');
}

static void write_markers(struct firefox *f)
{
	const uint32_t *first = &f->m->timeline_first[f->channel ? f->channel - f->m->channels : 0];
	const struct model_slice *slices = f->m->timeline + first[0];
	uint32_t nr = f->channel ? first[1] - first[0] : 0;
	struct json *j = &f->json;

	open_table(j, "markers", nr);
	json_key(j, "data");
	json_open(j, '[');
	for (uint32_t i = 0; i < nr && !ferror(j->file); i++)
		write_slice_args(f, &slices[i]);
	json_close(j, ']');
	json_key(j, "name");
	json_open(j, '[');
	for (uint32_t i = 0; i < nr; i++)
		json_u64(j, label_of(f, &slices[i]));
	json_close(j, ']');
	write_column(j, "startTime", nr ? &f->time : &(struct number_list){ 0 }, write_ms);
	write_end_times(f, slices, nr);
	write_same(j, "phase", nr, MARKER_INTERVAL);
	write_same(j, "category", nr, 0);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * the profile
 */

static void write_tables(struct firefox *f)
{
	write_strings(f);
	write_functions(f);
	write_stacks(f);
	write_samples(f);
	write_markers(f);
	free_lists(f);
}

static void write_thread_head(struct firefox *f, const char *name, const char *process, int64_t pid,
			      int64_t tid)
{
	struct json *j = &f->json;
	char text[24];

	json_member(j, "processType", "default");
	json_member(j, "name", name);
	json_member(j, "processName", process);
	json_key(j, "isMainThread");
	json_bool(j, pid == tid);
	snprintf(text, sizeof(text), "%" PRId64, pid);
	json_member(j, "pid", text);
	json_key(j, "tid");
	json_i64(j, tid);
	json_key(j, "processStartupTime");
	json_u64(j, 0);
	json_key(j, "processShutdownTime");
	write_null(j);
	json_key(j, "registerTime");
	json_u64(j, 0);
	json_key(j, "unregisterTime");
	write_null(j);
	json_key(j, "pausedRanges");
	json_open(j, '[');
	json_close(j, ']');
}

static void write_recorded_thread(struct firefox *f, const struct model_channel *channel)
{
	const struct model_process *process = &f->m->processes[channel->process];
	int64_t apart = f->apart[channel->process];

	f->channel = channel;
	f->weight = NULL;
	f->frames = f->functions = f->m->nr_labels + 1;
	add_slices(f);
	json_open(&f->json, '{');
	write_thread_head(f, channel->comm, process->comm, process->pid + apart,
			  channel->tid + apart);
	write_tables(f);
	json_close(&f->json, '}');
	fputc('\n', f->json.file);
}

static void write_weight_thread(struct firefox *f, const struct weight *weight, int64_t number)
{
	const char *standing = weight_standing(f->m, weight);
	char name[256];

	f->channel = NULL;
	f->weight = weight;
	f->functions = stack_frames_nr(f->m);
	f->frames = stack_frames_nr_lines(f->m);
	f->failed |= weights_walk_lines(f->m, weight, add_weighted_stack, f) != 0;
	snprintf(name, sizeof(name), standing ? "%s (%s)" : "%s", weight->name, standing);
	json_open(&f->json, '{');
	write_thread_head(f, name, "coroprof: all of the recording", 0, number);
	write_tables(f);
	json_close(&f->json, '}');
	fputc('\n', f->json.file);
}

static void write_threads(struct firefox *f)
{
	struct weight list[WEIGHTS_MAX];
	unsigned int nr = weights_list(f->m, list);
	struct json *j = &f->json;

	json_key(j, "threads");
	json_open(j, '[');
	for (uint32_t i = 0; i < f->m->nr_channels && !ferror(j->file); i++)
		write_recorded_thread(f, &f->m->channels[i]);
	for (unsigned int i = 0; i < nr && !ferror(j->file); i++)
		write_weight_thread(f, &list[i], i);
	json_close(j, ']');
}

static void write_marker_schema(struct firefox *f, const char *type)
{
	struct json *j = &f->json;

	json_open(j, '{');
	json_member(j, "name", type);
	json_key(j, "display");
	json_open(j, '[');
	json_string(j, "marker-chart");
	json_string(j, "marker-table");
	json_close(j, ']');
	json_key(j, "data");
	json_open(j, '[');
	for (unsigned int of = ARG_NONE + 1; of < ARGS_MAX; of++) {
		if (of >= ARG_COUNTERS && of - ARG_COUNTERS >= f->m->nr_counters)
			break;
		json_open(j, '{');
		json_member(j, "key", slice_arg_name(f->m, of));
		json_member(j, "label", slice_arg_name(f->m, of));
		json_member(j, "format", "string");
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void write_category(struct json *j)
{
	json_key(j, "categories");
	json_open(j, '[');
	json_open(j, '{');
	json_member(j, "name", "Other");
	json_member(j, "color", "grey");
	json_key(j, "subcategories");
	json_open(j, '[');
	json_string(j, "Other");
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
}

/*
 * Writes the lines of the text output's header, which the viewer shows as information on the
 * profile.
 */
static int write_notes(struct firefox *f)
{
	char text[NOTE_SIZE], cut[SLICES_SAID];
	struct json *j = &f->json;
	struct notes notes;

	if (notes_make(&notes, f->m))
		return -1;
	json_key(j, "extra");
	json_open(j, '[');
	json_open(j, '{');
	json_member(j, "label", "coroprof");
	json_key(j, "entries");
	json_open(j, '[');
	for (uint32_t i = 0, next; i < notes.nr; i = next) {
		next = notes_join(&notes, i, text, sizeof(text));
		json_open(j, '{');
		json_member(j, "label", notes.list[i].title);
		json_member(j, "format", "string");
		json_member(j, "value", text);
		json_close(j, '}');
	}
	if (slices_cut(f->m, cut)) {
		json_open(j, '{');
		json_member(j, "label", "CUT");
		json_member(j, "format", "string");
		json_member(j, "value", cut);
		json_close(j, '}');
	}
	notes_free(&notes);
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
	return 0;
}

static void write_product_name(struct firefox *f)
{
	const struct model *m = f->m;
	char name[512];

	snprintf(name, sizeof(name), "%s%.200s%s; %" PRIu64 " slices, lost %" PRIu64,
		 m->simulated ? "SIMULATED: " : "", m->command ? m->command : "coroprof",
		 m->missing || m->unreported ? "; NOT ALL WAS SEEN" : "", m->times.slices, m->lost);
	json_member(&f->json, "product", name);
}

/* Writes the calendar time of the recording's begin, 0 if it is not known. */
static void write_start_time(struct firefox *f)
{
	const struct model *m = f->m;

	json_key(&f->json, "startTime");
	write_ms(&f->json, m->realtime_known ? m->begin_ns + (uint64_t)m->realtime_offset_ns : 0);
	json_key(&f->json, "interval");
	json_u64(&f->json, 1);
}

static int write_meta(struct firefox *f)
{
	struct json *j = &f->json;

	json_key(j, "meta");
	json_open(j, '{');
	write_product_name(f);
	write_start_time(f);
	json_key(j, "version");
	json_u64(j, GECKO_VERSION);
	json_key(j, "preprocessedProfileVersion");
	json_u64(j, PROCESSED_VERSION);
	json_key(j, "processType");
	json_u64(j, 0);
	json_key(j, "stackwalk");
	json_u64(j, 1);
	json_key(j, "symbolicated");
	json_bool(j, true);
	if (f->m->kernel)
		json_member(j, "oscpu", f->m->kernel);
	write_category(j);
	json_key(j, "markerSchema");
	json_open(j, '[');
	write_marker_schema(f, "slice");
	write_marker_schema(f, "lost");
	json_close(j, ']');
	if (write_notes(f))
		return -1;
	json_close(j, '}');
	return 0;
}

static int write_profile(struct firefox *f)
{
	struct json *j = &f->json;

	json_open(j, '{');
	if (write_meta(f))
		return -1;
	json_key(j, "libs");
	json_open(j, '[');
	json_close(j, ']');
	json_key(j, "pages");
	json_open(j, '[');
	json_close(j, ']');
	write_threads(f);
	json_close(j, '}');
	fputc('\n', j->file);
	return f->failed || ferror(j->file) ? -1 : 0;
}

int firefox_write(const struct model *m, FILE *file)
{
	struct firefox f = { .m = m, .apart = slices_apart(m), .json = { .file = file } };
	int ret = f.apart ? write_profile(&f) : -1;

	free(f.apart);
	return ret;
}
