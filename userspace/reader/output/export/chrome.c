// SPDX-License-Identifier: GPL-2.0
/*
 * Writes slices as events of Chrome's Trace Event Format, token by token, so that memory does not
 * grow with their number.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "output/export/chrome.h"
#include "output/export/notes.h"
#include "output/export/slices.h"

/**
 * struct chrome - events being written
 * @apart: see slices_apart()
 */
struct chrome {
	const struct model *m;
	struct json json;
	uint32_t *apart;
};

static int64_t pid_of(const struct chrome *c, uint32_t process)
{
	return (int64_t)c->m->processes[process].pid + c->apart[process];
}

static int64_t tid_of(const struct chrome *c, const struct model_channel *channel)
{
	return (int64_t)channel->tid + c->apart[channel->process];
}

static void write_number(struct json *j, const char *key, int64_t number)
{
	json_key(j, key);
	json_i64(j, number);
}

/* Writes ns as microseconds with three decimals: a double would lose digits. */
static void write_us(struct json *j, const char *key, uint64_t ns)
{
	json_key(j, key);
	fprintf(j->file, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
	j->comma = true;
}

static void begin_event(struct chrome *c, const char *phase, int64_t pid, int64_t tid)
{
	struct json *j = &c->json;

	fputs(j->comma ? ",\n" : "\n", j->file);
	j->comma = false;
	json_open(j, '{');
	json_member(j, "ph", phase);
	write_number(j, "pid", pid);
	write_number(j, "tid", tid);
}

static void write_name_event(struct chrome *c, const char *what, int64_t pid, int64_t tid,
			     const char *name)
{
	struct json *j = &c->json;

	begin_event(c, "M", pid, tid);
	json_member(j, "name", what);
	json_key(j, "args");
	json_open(j, '{');
	json_member(j, "name", name);
	json_close(j, '}');
	json_close(j, '}');
}

static void write_thread_names(struct chrome *c)
{
	const struct model *m = c->m;

	for (uint32_t i = 0; i < m->nr_processes; i++)
		write_name_event(c, "process_name", pid_of(c, i), pid_of(c, i),
				 m->processes[i].comm);
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct model_channel *channel = &m->channels[i];

		write_name_event(c, "thread_name", pid_of(c, channel->process), tid_of(c, channel),
				 channel->comm);
	}
}

static void write_times(struct chrome *c, uint64_t begin, uint64_t duration)
{
	write_us(&c->json, "ts", begin > c->m->begin_ns ? begin - c->m->begin_ns : 0);
	write_us(&c->json, "dur", duration);
}

static void write_slice_args(struct chrome *c, const struct model_slice *s)
{
	struct arg args[ARGS_MAX];
	unsigned int nr = slice_args(c->m, s, args);

	json_key(&c->json, "args");
	json_open(&c->json, '{');
	for (unsigned int i = 0; i < nr; i++) {
		json_key(&c->json, slice_arg_name(c->m, args[i].of));
		if (args[i].text)
			json_string(&c->json, args[i].text);
		else
			json_u64(&c->json, args[i].number);
	}
	json_close(&c->json, '}');
}

static void write_slice(struct chrome *c, const struct model_slice *s)
{
	const struct model_channel *channel = &c->m->channels[s->channel];
	char text[SLICES_NAME];

	begin_event(c, "X", pid_of(c, channel->process), tid_of(c, channel));
	json_member(&c->json, "name", slice_name(c->m, s, text));
	json_member(&c->json, "cat", s->flags & MODEL_SLICE_LOST ? "lost" : "slice");
	write_times(c, s->begin_ns, s->duration_ns);
	write_slice_args(c, s);
	json_close(&c->json, '}');
}

static void write_notes(struct chrome *c, const struct notes *r)
{
	char text[8192], cut[SLICES_SAID];

	json_open(&c->json, '{');
	for (uint32_t i = 0, next; i < r->nr; i = next) {
		next = notes_join(r, i, text, sizeof(text));
		json_member(&c->json, r->list[i].title, text);
	}
	if (slices_cut(c->m, cut))
		json_member(&c->json, "CUT", cut);
	json_close(&c->json, '}');
}

/*
 * Writes an event at the begin of the recording: viewers show times since the first event, so that
 * those of a part are the recording's, too.
 */
static void write_begin(struct chrome *c)
{
	if (c->m->from_ns <= c->m->begin_ns)
		return;
	begin_event(c, "i", 0, 0);
	json_member(&c->json, "name", SLICES_BEGIN);
	json_member(&c->json, "cat", "coroprof");
	json_member(&c->json, "s", "t");
	json_key(&c->json, "ts");
	json_u64(&c->json, 0);
	json_close(&c->json, '}');
}

static void write_recording_event(struct chrome *c, const struct notes *r)
{
	begin_event(c, "X", 0, 0);
	json_member(&c->json, "name", "recording");
	json_member(&c->json, "cat", "coroprof");
	write_times(c, c->m->from_ns, c->m->end_ns - c->m->from_ns);
	json_key(&c->json, "args");
	write_notes(c, r);
	json_close(&c->json, '}');
}

static int write_trace(struct chrome *c)
{
	struct json *j = &c->json;
	struct notes notes;

	if (notes_make(&notes, c->m))
		return -1;
	json_open(j, '{');
	json_member(j, "displayTimeUnit", "ns");
	json_key(j, "otherData");
	write_notes(c, &notes);
	json_key(j, "traceEvents");
	json_open(j, '[');
	write_name_event(c, "process_name", 0, 0, "coroprof");
	write_begin(c);
	write_recording_event(c, &notes);
	notes_free(&notes);
	write_thread_names(c);
	for (uint32_t i = 0; i < c->m->nr_timeline && !ferror(j->file); i++)
		write_slice(c, &c->m->timeline[i]);
	json_close(j, ']');
	json_close(j, '}');
	fputc('\n', j->file);
	return ferror(j->file) ? -1 : 0;
}

int chrome_write(const struct model *m, FILE *file)
{
	struct chrome c = { .m = m, .json = { .file = file }, .apart = slices_apart(m) };
	int ret = c.apart ? write_trace(&c) : -1;

	free(c.apart);
	return ret;
}
