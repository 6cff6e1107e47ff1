// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps what a file of the flight recorder needs beside its slices: INFO, processes, labels and
 * maps, as stored in segments, for as long as a kept record refers to them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cprof/format.h"
#include "record/context.h"

/* Of keys that are about the ring of a channel, before its number. */
#define TORN		"torn."

#define STREAM_MAX	(1u << 18)

/**
 * struct context_info - a key of INFO
 */
struct context_info {
	char *key;
	char *value;
};

/**
 * struct context_process - a process
 * @id:      its number
 * @ended:   it has
 * @held:    of so many threads something is kept
 * @begin:   PROCESS
 * @end:     PROCESS_END, with @ended
 * @labels:  LABEL records, one behind the other
 * @places:  label to where in @labels its record is
 * @maps:    MAPS segment as stored, the last
 */
struct context_process {
	uint32_t id;
	bool ended;
	unsigned int held;
	struct coroprof_record_process begin;
	struct coroprof_record_process end;
	struct buffer labels;
	struct index places;
	struct buffer maps;
};

/* ---- INFO */

static int set_info(struct context *c, const char *key, const char *value, struct error *err)
{
	char *text = strdup(value);
	struct context_info info;

	for (uint32_t i = 0; text && i < c->nr_infos; i++) {
		if (strcmp(c->infos[i].key, key))
			continue;
		free(c->infos[i].value);
		c->infos[i].value = text;
		return 0;
	}
	info = (struct context_info){ strdup(key), text };
	if (!info.key || !text || !array_grow(&c->infos, c->nr_infos, sizeof(*c->infos))) {
		free(info.key);
		free(text);
		return error_set(err, ENOMEM, "out of memory");
	}
	c->infos[c->nr_infos++] = info;
	return 0;
}

/*
 * Takes over keys of an INFO segment. The recorder wrote them itself, so each text ends with a NUL.
 */
int context_info(struct context *c, const char *payload, size_t size, struct error *err)
{
	const char *end = payload + size;
	int ret = 0;

	while (!ret && payload < end) {
		const char *value = payload + strlen(payload) + 1;

		ret = set_info(c, payload, value, err);
		payload = value + strlen(value) + 1;
	}
	return ret;
}

int context_counters(struct context *c, const void *stored, size_t size, struct error *err)
{
	return buffer_append(&c->counters, stored, size, err);
}

int context_write_info(const struct context *c, struct writer *writer,
		       bool (*is_kept)(void *kept, uint32_t channel_id), void *kept,
		       struct error *err)
{
	struct buffer payload = { 0 };
	int ret = 0;

	for (uint32_t i = 0; !ret && i < c->nr_infos; i++) {
		const struct context_info *info = &c->infos[i];

		if (!strncmp(info->key, TORN, strlen(TORN)) &&
		    !is_kept(kept, (uint32_t)strtoul(info->key + strlen(TORN), NULL, 10)))
			continue;
		ret = buffer_append(&payload, info->key, strlen(info->key) + 1, err);
		if (!ret)
			ret = buffer_append(&payload, info->value, strlen(info->value) + 1, err);
	}
	if (!ret)
		ret = writer_segment(writer, CPROF_SEGMENT_INFO, payload.data, payload.size, err);
	buffer_free(&payload);
	/* They have their headers in front of them. */
	for (size_t at = 0; !ret && at < c->counters.size;) {
		const struct cprof_segment *s = (const void *)(c->counters.data + at);
		size_t size = sizeof(*s) + ALIGN8(s->stored_size);

		ret = writer_stored(writer, s, size, err);
		at += size;
	}
	return ret;
}

/* ---- processes */

static struct context_process *find_process(const struct context *c, uint32_t process_id)
{
	uint32_t row = index_get(&c->index, process_id, 0);

	return row == INDEX_NONE ? NULL : &c->processes[row];
}

bool context_knows(const struct context *c, uint32_t process_id)
{
	return find_process(c, process_id);
}

static size_t process_bytes(const struct context_process *p)
{
	return sizeof(*p) + p->labels.capacity + p->maps.capacity + index_bytes(&p->places);
}

static int begin_process(struct context *c, const struct coroprof_record_process *record,
			 struct error *err)
{
	struct context_process *p = find_process(c, record->process_id);

	/* One that another session had taken over may come back. */
	if (p) {
		p->begin = *record;
		p->begin.size = sizeof(p->begin);
		p->ended = false;
		return 0;
	}
	if (!array_grow(&c->processes, c->nr_processes, sizeof(*c->processes)) ||
	    !index_put(&c->index, record->process_id, 0, c->nr_processes))
		return error_set(err, ENOMEM, "out of memory for %u processes", c->nr_processes);
	c->processes[c->nr_processes] = (struct context_process){
		.id = record->process_id, .begin = *record,
	};
	c->processes[c->nr_processes].begin.size = sizeof(*record);
	c->bytes += process_bytes(&c->processes[c->nr_processes++]);
	return 0;
}

static void free_if_unused(struct context *c, struct context_process *p)
{
	const struct context_process *last = &c->processes[c->nr_processes - 1];

	if (!p->ended || p->held)
		return;
	c->bytes -= process_bytes(p);
	c->gone++;
	index_remove(&c->index, p->id, 0);
	buffer_free(&p->labels);
	index_free(&p->places);
	buffer_free(&p->maps);
	/* It is there already, so there is room. */
	if (p != last) {
		*p = *last;
		index_put(&c->index, p->id, 0, (uint32_t)(p - c->processes));
	}
	c->nr_processes--;
}

static void end_process(struct context *c, const struct coroprof_record_process *record)
{
	struct context_process *p = find_process(c, record->process_id);

	if (!p)
		return;
	p->end = *record;
	p->end.size = sizeof(p->end);
	p->ended = true;
	free_if_unused(c, p);
}

static int append_for_process(struct context *c, struct context_process *p, struct buffer *to,
			      const void *data, size_t size, struct error *err)
{
	int ret;

	c->bytes -= process_bytes(p);
	ret = buffer_append(to, data, size, err);
	c->bytes += process_bytes(p);
	return ret;
}

static int add_label(struct context *c, const struct coroprof_record_label *r, struct error *err)
{
	struct context_process *p = find_process(c, r->process_id);
	size_t place = p ? p->labels.size : 0;
	bool added;
	int ret;

	if (!p)
		return 0;
	ret = append_for_process(c, p, &p->labels, r, r->size, err);
	if (ret || place >= INDEX_NONE || index_get(&p->places, r->label, 0) != INDEX_NONE)
		return ret;
	c->bytes -= index_bytes(&p->places);
	added = index_put(&p->places, r->label, 0, (uint32_t)place);
	c->bytes += index_bytes(&p->places);
	return added ? 0 : error_set(err, ENOMEM, "out of memory for labels");
}

int context_record(struct context *c, const struct coroprof_record *record, struct error *err)
{
	switch (record->type) {
	case COROPROF_RECORD_PROCESS:
		return begin_process(c, (const void *)record, err);
	case COROPROF_RECORD_PROCESS_END:
		end_process(c, (const void *)record);
		return 0;
	case COROPROF_RECORD_LABEL:
		return add_label(c, (const void *)record, err);
	}
	return 0;
}

int context_maps(struct context *c, uint32_t process_id, const void *stored, size_t size,
		 struct error *err)
{
	struct context_process *p = find_process(c, process_id);

	if (!p)
		return 0;
	p->maps.size = 0;
	return append_for_process(c, p, &p->maps, stored, size, err);
}

void context_hold(struct context *c, uint32_t process_id)
{
	struct context_process *p = find_process(c, process_id);

	if (p)
		p->held++;
}

void context_release(struct context *c, uint32_t process_id)
{
	struct context_process *p = find_process(c, process_id);

	if (!p)
		return;
	p->held--;
	free_if_unused(c, p);
}

int context_each(const struct context *c,
		 int (*each)(void *context, uint32_t process_id, struct error *err),
		 void *of, struct error *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < c->nr_processes; i++)
		if (c->processes[i].held)
			ret = each(of, c->processes[i].id, err);
	return ret;
}

int context_flush(struct writer *writer, struct buffer *stream, struct error *err)
{
	int ret = 0;

	if (stream->size)
		ret = writer_segment(writer, CPROF_SEGMENT_STREAM, stream->data, stream->size, err);
	stream->size = 0;
	return ret;
}

int context_put(struct writer *writer, struct buffer *stream, const void *record, size_t size,
		struct error *err)
{
	int ret = 0;

	if (stream->size + size > STREAM_MAX)
		ret = context_flush(writer, stream, err);
	return ret ? ret : buffer_append(stream, record, size, err);
}

static int write_process(const struct context_process *p, struct writer *writer,
			 struct buffer *stream, struct error *err)
{
	int ret = context_put(writer, stream, &p->begin, sizeof(p->begin), err);

	for (size_t at = 0; !ret && at < p->labels.size;) {
		const struct coroprof_record *r = (const void *)(p->labels.data + at);

		ret = context_put(writer, stream, r, r->size, err);
		at += r->size;
	}
	return ret || !p->ended ? ret : context_put(writer, stream, &p->end, sizeof(p->end), err);
}

int context_label(const struct context *c, uint32_t process_id, uint32_t label,
		  struct buffer *text, struct error *err)
{
	const struct context_process *p = find_process(c, process_id);
	uint32_t place = p ? index_get(&p->places, label, 0) : INDEX_NONE;
	const struct coroprof_record_label *r;

	if (place == INDEX_NONE)
		return 0;
	r = (const void *)(p->labels.data + place);
	return r->text_len <= r->size - sizeof(*r) ? buffer_append(text, r + 1, r->text_len, err) : 0;
}

const struct coroprof_record_process *context_process(const struct context *c, uint32_t process_id)
{
	const struct context_process *p = find_process(c, process_id);

	return p ? &p->begin : NULL;
}

int context_write_processes(const struct context *c, struct writer *writer,
			    struct buffer *stream, struct error *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < c->nr_processes; i++)
		if (c->processes[i].held)
			ret = write_process(&c->processes[i], writer, stream, err);
	return ret;
}

int context_write_maps(const struct context *c, struct writer *writer, struct error *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < c->nr_processes; i++)
		if (c->processes[i].held && c->processes[i].maps.size)
			ret = writer_stored(writer, c->processes[i].maps.data,
					    c->processes[i].maps.size, err);
	return ret;
}

void context_free(struct context *c)
{
	for (uint32_t i = 0; i < c->nr_infos; i++) {
		free(c->infos[i].key);
		free(c->infos[i].value);
	}
	for (uint32_t i = 0; i < c->nr_processes; i++) {
		buffer_free(&c->processes[i].labels);
		index_free(&c->processes[i].places);
		buffer_free(&c->processes[i].maps);
	}
	free(c->infos);
	free(c->processes);
	buffer_free(&c->counters);
	index_free(&c->index);
	*c = (struct context){ 0 };
}
