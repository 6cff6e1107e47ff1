// SPDX-License-Identifier: GPL-2.0
#include <limits.h>

#include "cprof/format.h"
#include "gen/recording.h"

const struct coroprof_counter cycles = HW(PERF_COUNT_HW_CPU_CYCLES);
const struct coroprof_counter instructions = HW(PERF_COUNT_HW_INSTRUCTIONS);

char recording_path[64];

/* Of which process that is: children inherit what is done at the end. */
static pid_t path_owner;

static void remove_recording(void)
{
	if (getpid() == path_owner)
		unlink(recording_path);
}

void name_recording(void)
{
	if (path_owner != getpid())
		atexit(remove_recording);
	path_owner = getpid();
	snprintf(recording_path, sizeof(recording_path), "/tmp/coroprof-unit-%ld.cprof",
		 (long)path_owner);
}

struct gen *begin_file(void)
{
	name_recording();
	return gen_open(recording_path);
}

struct gen *begin_recording(void)
{
	struct gen *g = begin_file();

	gen_counter(g, &cycles, "cycles");
	gen_counter(g, &instructions, "instructions");
	gen_process(g, 1, 100, "one", 900);
	gen_label(g, 1, 1, "a", 1);
	gen_label(g, 1, 2, "b", 1);
	return g;
}

void channel(struct gen *g, uint32_t id, uint64_t begin)
{
	gen_channel(g, id, 1, 100 + (int32_t)id, "thread", begin, NULL, 0);
}

void map_object(struct gen *g, const char *path, uint64_t start)
{
	struct {
		struct cprof_maps maps;
		struct cprof_map map;
		char path[PATH_MAX];
	} m = {
		.maps = { .process_id = 1, .pid = 100 },
		.map = { .start = start, .end = start + 0x10000 },
	};

	m.map.path_len = (uint16_t)strlen(path);
	memcpy(m.path, path, m.map.path_len);
	m.map.size = (uint32_t)(sizeof(m.map) + ((m.map.path_len + 7u) & ~7u));
	gen_segment(g, CPROF_SEGMENT_MAPS, &m,
		    (uint32_t)sizeof(m.maps) + m.map.size);
}

struct model *load_path(const char *path,
			       const struct model_options *options)
{
	struct error err = ERROR_NONE;
	struct model *model = NULL;
	struct file *file;

	if (file_open(&file, path, &err))
		fail_msg("%s", err.message);
	if (model_load(&model, file, options, &err))
		fail_msg("%s", err.message);
	file_close(file);
	return model;
}

struct model *load_with(struct gen *g,
			       const struct model_options *options)
{
	struct model *model;

	gen_close(g, true);
	model = load_path(recording_path, options);
	unlink(recording_path);
	return model;
}

struct model *load(struct gen *g)
{
	return load_with(g, NULL);
}

const struct model_coroutine *coroutine(const struct model *m,
					       uint32_t process_id, uint64_t id)
{
	for (uint32_t i = 0; i < m->nr_coroutines; i++)
		if (m->coroutines[i].id == id &&
		    m->processes[m->coroutines[i].process].id == process_id)
			return &m->coroutines[i];
	fail_msg("no coroutine %lu in process %u", (unsigned long)id, process_id);
	return NULL;
}

uint32_t label_row(const struct model *m, uint32_t process_id,
			  const char *name)
{
	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (!strcmp(m->labels[i].name, name) &&
		    (m->labels[i].process == MODEL_NONE ||
		     m->processes[m->labels[i].process].id == process_id))
			return i;
	fail_msg("no label %s in process %u", name, process_id);
	return MODEL_NONE;
}

const struct model_label *label(const struct model *m, const char *name)
{
	return &m->labels[label_row(m, 1, name)];
}

void assert_ns(struct model_ns ns, enum model_known known, uint64_t value)
{
	assert_int_equal(ns.known, known);
	assert_int_equal(ns.ns, value);
}

char *written_by(struct model *m, write_fn write, const struct view_options *view)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(write(m, view, file), 0);
	fclose(file);
	model_free(m);
	return text;
}
