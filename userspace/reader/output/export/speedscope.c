// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a speedscope file: all frames once, and for each weight a profile of stacks with their
 * values.
 */
#include <inttypes.h>

#include "base/json.h"
#include "output/export/notes.h"
#include "output/export/speedscope.h"
#include "output/export/weights.h"

#define SCHEMA	"https://www.speedscope.app/file-format-schema.json"

/* Whole numbers up to here are exact in a double, which is what it reads. */
#define EXACT	(1ULL << 53)

static void write_number(struct json *j, uint64_t value)
{
	if (value <= EXACT)
		json_u64(j, value);
	else
		json_double(j, (double)value);
}

static void write_frames(struct json *j, const struct model *m)
{
	char text[FRAME_NAME_SIZE];
	const char *file;
	uint32_t line;

	json_key(j, "shared");
	json_open(j, '{');
	json_key(j, "frames");
	json_open(j, '[');
	for (uint32_t i = 0; i < stack_frames_nr(m); i++) {
		json_open(j, '{');
		json_member(j, "name", stack_frame_name(m, i, text));
		file = stack_frame_source(m, i, &line);
		if (file || stack_frame_object(m, i))
			json_member(j, "file", file ? file : stack_frame_object(m, i));
		if (line) {
			json_key(j, "line");
			json_u64(j, line);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void write_stack(void *context, const struct stack *stack)
{
	struct json *j = context;

	json_open(j, '[');
	for (uint32_t i = 0; i < stack->nr; i++)
		json_u64(j, stack->frames[i]);
	json_close(j, ']');
}

/**
 * struct values - weights being written
 * @sum: of those so far
 */
struct values {
	struct json *json;
	uint64_t sum;
};

static void write_stack_value(void *context, const struct stack *stack)
{
	struct values *v = context;

	write_number(v->json, stack->value);
	v->sum += stack->value;
}

static void write_profile_name(struct json *j, const struct model *m, const struct weight *w)
{
	const char *standing = weight_standing(m, w);
	char name[256];

	snprintf(name, sizeof(name), standing ? "%s (%s)" : "%s", w->name, standing);
	json_member(j, "name", name);
}

static int write_profile(struct json *j, const struct model *m, const struct weight *w)
{
	struct values values = { .json = j };
	int ret;

	json_open(j, '{');
	json_member(j, "type", "sampled");
	write_profile_name(j, m, w);
	json_member(j, "unit", w->time ? "nanoseconds" : "none");
	json_key(j, "samples");
	json_open(j, '[');
	ret = weights_walk(m, w, write_stack, j);
	json_close(j, ']');
	json_key(j, "weights");
	json_open(j, '[');
	ret |= weights_walk(m, w, write_stack_value, &values);
	json_close(j, ']');
	json_key(j, "startValue");
	json_u64(j, 0);
	json_key(j, "endValue");
	write_number(j, values.sum);
	json_close(j, '}');
	return ret;
}

static int write_profiles(struct json *j, const struct model *m)
{
	struct weight list[WEIGHTS_MAX];
	unsigned int nr = weights_list(m, list);
	int ret = 0;

	json_key(j, "profiles");
	json_open(j, '[');
	for (unsigned int i = 0; i < nr; i++)
		ret |= write_profile(j, m, &list[i]);
	json_close(j, ']');
	return ret;
}

/* The viewer shows only the name of the file, so whatever must not be overlooked is in it. */
static void write_file_name(struct json *j, const struct model *m)
{
	char name[512];

	snprintf(name, sizeof(name), "%s%.200s%s; %" PRIu64 " slices, lost %" PRIu64 "%s%.100s",
		 m->simulated ? "SIMULATED: " : "", m->command ? m->command : "coroprof",
		 m->missing || m->unreported ? "; NOT ALL WAS SEEN" : "", m->times.slices, m->lost,
		 m->note ? "; " : "", m->note ? m->note : "");
	json_member(j, "name", name);
	json_member(j, "exporter", "coroprof-read " COROPROF_VERSION);
}

/* Writes the notes into a member of its own, which the viewer ignores. */
static int write_notes(struct json *j, const struct model *m)
{
	struct notes notes;

	if (notes_make(&notes, m))
		return -1;
	json_key(j, "coroprof");
	json_open(j, '[');
	for (uint32_t i = 0; i < notes.nr; i++) {
		json_open(j, '[');
		json_string(j, notes.list[i].title);
		json_string(j, notes.list[i].text);
		json_close(j, ']');
	}
	json_close(j, ']');
	notes_free(&notes);
	return 0;
}

int speedscope_write(const struct model *m, FILE *file)
{
	struct json j = { .file = file };

	json_open(&j, '{');
	json_member(&j, "$schema", SCHEMA);
	write_file_name(&j, m);
	json_key(&j, "activeProfileIndex");
	json_u64(&j, 0);
	if (write_notes(&j, m))
		return -1;
	write_frames(&j, m);
	if (write_profiles(&j, m))
		return -1;
	json_close(&j, '}');
	fputc('\n', file);
	return ferror(file) ? -1 : 0;
}
