// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "cprof.h"
#include "diagnose.h"
#include "stream.h"
#include "warn.h"

static bool is_event(const struct coroprof_counter_state *state,
		     const struct event *event)
{
	return !memcmp(&state->counter, &event->counter,
		       sizeof(event->counter));
}

/* Once an event, not once a thread. */
static void complain(struct stream *s, const struct coroprof_counter_state *state)
{
	for (unsigned int i = 0; i < s->nr_events; i++) {
		if (!is_event(state, &s->events[i]) || s->complained & 1u << i)
			continue;
		s->complained |= 1u << i;
		warn("event %s is unsupported: %s", s->events[i].name,
		     diagnose_counter(state->error, s->machine));
		return;
	}
}

static void look_at_counters(struct stream *s, const char *states, size_t size)
{
	struct coroprof_counter_state state;

	for (; size >= sizeof(state); size -= sizeof(state)) {
		memcpy(&state, states, sizeof(state));
		if (state.error)
			complain(s, &state);
		states += sizeof(state);
	}
}

static int begin_channel(struct stream *s, const char *bytes, size_t size,
			 struct error *err)
{
	struct coroprof_record_channel record;

	memcpy(&record, bytes, sizeof(record));
	look_at_counters(s, bytes + sizeof(record), size - sizeof(record));
	processes_touch(s->processes, record.process_id);
	return channels_begin(s->channels, &record, err);
}

static int begin_process(struct stream *s, const char *bytes, struct error *err)
{
	struct coroprof_record_process record;

	memcpy(&record, bytes, sizeof(record));
	return processes_begin(s->processes, &record, err);
}

static void label(struct stream *s, const char *bytes)
{
	struct coroprof_record_label record;

	memcpy(&record, bytes, sizeof(record));
	if (record.flags & COROPROF_LABEL_CODE)
		processes_touch(s->processes, record.process_id);
}

static size_t least_size(unsigned int type)
{
	switch (type) {
	case COROPROF_RECORD_PROCESS:
	case COROPROF_RECORD_PROCESS_END:
		return sizeof(struct coroprof_record_process);
	case COROPROF_RECORD_LABEL:
		return sizeof(struct coroprof_record_label);
	case COROPROF_RECORD_CHANNEL:
	case COROPROF_RECORD_CHANNEL_END:
		return sizeof(struct coroprof_record_channel);
	}
	return sizeof(struct coroprof_record);
}

static int follow(struct stream *s, const struct coroprof_record *record,
		  const char *bytes, struct error *err)
{
	switch (record->type) {
	case COROPROF_RECORD_PROCESS:
		return begin_process(s, bytes, err);
	case COROPROF_RECORD_PROCESS_END:
		processes_end(s->processes, record->data);
		return 0;
	case COROPROF_RECORD_LABEL:
		label(s, bytes);
		return 0;
	case COROPROF_RECORD_CHANNEL:
		return begin_channel(s, bytes, record->size, err);
	case COROPROF_RECORD_CHANNEL_END:
		return channels_end(s->channels, record->data, err);
	}
	return 0;
}

static int follow_all(struct stream *s, size_t size, struct error *err)
{
	struct coroprof_record record;
	int ret = 0;

	for (size_t at = 0; !ret && at < size; at += record.size) {
		if (size - at < sizeof(record))
			return error_set(err, EPROTO, "the session gave half a record");
		memcpy(&record, s->records + at, sizeof(record));
		if (record.size < least_size(record.type) ||
		    record.size > size - at)
			return error_set(err, EPROTO, "the session gave a record of type %u with an impossible size, %u",
					 record.type, record.size);
		ret = follow(s, &record, s->records + at, err);
	}
	return ret;
}

int stream_read(struct stream *s, struct error *err)
{
	for (;;) {
		ssize_t n = session_read(s->session, s->records,
					 sizeof(s->records), err);
		int ret;

		if (n <= 0)
			return (int)n;
		ret = writer_segment(s->writer, CPROF_SEGMENT_STREAM, s->records,
				     (size_t)n, err);
		if (!ret)
			ret = follow_all(s, (size_t)n, err);
		if (ret)
			return ret;
	}
}
