// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the session's records, writes them to the file, and hands them to the files of this room
 * that act upon them: processes, channels, labels.
 */
#include <errno.h>
#include <string.h>

#include "base/warn.h"
#include "cprof/decode.h"
#include "cprof/format.h"
#include "events/events.h"
#include "explain/diagnose.h"
#include "explain/reason.h"
#include "explain/detection.h"
#include "record/delegate.h"
#include "record/stream.h"

/* So many are reported one by one; then only their number. */
#define REFUSED_REPORTED 5

/*
 * The place among the session's events of a counter that failed, if no warning named it yet; or -1.
 */
static int unreported_event(struct stream *s,
			    const struct coroprof_counter_state *state)
{
	for (unsigned int i = 0; state->error && i < s->nr_events; i++) {
		if (s->complained & 1u << i ||
		    memcmp(&state->counter, &s->events[i].counter,
			   sizeof(state->counter)))
			continue;
		s->complained |= 1u << i;
		return (int)i;
	}
	return -1;
}

/* One line for each reason, with all events for which it holds. */
static void warn_of_counters(struct stream *s,
			     const char *reasons[COROPROF_COUNTERS_MAX])
{
	char names[COROPROF_COUNTERS_MAX * (EVENT_NAME_MAX + 2)];

	for (unsigned int i = 0; i < s->nr_events; i++) {
		const char *reason = reasons[i];
		size_t used = 0;

		for (unsigned int j = i; reason && j < s->nr_events; j++) {
			if (!reasons[j] || strcmp(reasons[j], reason))
				continue;
			used += (size_t)snprintf(names + used,
						 sizeof(names) - used, "%s%s",
						 used ? ", " : "",
						 s->events[j].name);
			reasons[j] = NULL;
		}
		if (reason)
			warn("unsupported: %s: %s", names, reason);
	}
}

/* Warns of counters that failed, once a session and not once a thread. */
static void check_counters(struct stream *s, const char *states, size_t size)
{
	const char *reasons[COROPROF_COUNTERS_MAX] = { NULL };
	struct coroprof_counter_state state;

	for (; size >= sizeof(state); size -= sizeof(state)) {
		int event;

		memcpy(&state, states, sizeof(state));
		event = unreported_event(s, &state);
		if (event >= 0)
			reasons[event] = event_is_program(&state.counter) ?
					 reason_program(state.error) :
					 diagnose_counter(state.error, s->machine);
		states += sizeof(state);
	}
	warn_of_counters(s, reasons);
}

static int begin_channel(struct stream *s, const char *bytes, size_t size,
			 struct error *err)
{
	struct coroprof_record_channel record;
	char process[40];
	int ret;

	memcpy(&record, bytes, sizeof(record));
	check_counters(s, bytes + sizeof(record), size - sizeof(record));
	processes_touch(s->processes, record.process_id);
	processes_name(s->processes, record.process_id, process,
		       sizeof(process));
	ret = channels_begin(s->channels, &record, process, err);
	if (!ret)
		delegate_events(s->session, &record);
	if (!record.error)
		processes_recorded(s->processes, record.process_id, record.tid);
	return ret;
}

static int begin_process(struct stream *s, const char *bytes, struct error *err)
{
	struct coroprof_record_process record;
	int ret = 0;

	memcpy(&record, bytes, sizeof(record));
	if (s->totals)
		ret = totals_begin(s->totals, record.process_id, err);
	return ret ? ret : processes_begin(s->processes, &record, err);
}

/* Warns of the first only: a server may start one worker after the other. */
static void count_refused_process(struct stream *s, const char *bytes)
{
	struct coroprof_record_process record;
	struct error why;

	memcpy(&record, bytes, sizeof(record));
	if (s->refused++ >= REFUSED_REPORTED)
		return;
	diagnose_attach(record.error, record.pid, &why);
	warn("%s", why.message);
}

/* Its maps are not read any more: its pid may soon be another process's. */
static int end_process(struct stream *s, const char *bytes, struct error *err)
{
	char comm[sizeof(((struct coroprof_record_process *)0)->comm) + 1] = "";
	struct coroprof_record_process record;
	int ret;

	memcpy(&record, bytes, sizeof(record));
	memcpy(comm, record.comm, sizeof(record.comm));
	if (record.error == EPERM)
		detect_filter(s->processes->detections, record.pid, comm);
	else if (record.error)
		warn("process %d (%.16s) is recorded no more: a session of more rights, such as root's, has taken it over",
		     record.pid, record.comm);
	ret = processes_end(s->processes, record.process_id, err);
	return !ret && s->totals ? totals_end(s->totals, record.process_id, err) : ret;
}

static void count_unrecorded_thread(struct stream *s, const char *bytes)
{
	struct coroprof_record_unrecorded record;

	memcpy(&record, bytes, sizeof(record));
	if (!s->unrecorded)
		warn("threads are not recorded: %s", reason_channel(EDQUOT));
	s->unrecorded = record.nr;
}

static void pass_label(struct stream *s, const char *bytes)
{
	struct coroprof_record_label record;

	memcpy(&record, bytes, sizeof(record));
	if (record.flags & COROPROF_LABEL_CODE)
		processes_touch(s->processes, record.process_id);
}

static int handle_record(struct stream *s, const struct coroprof_record *record,
			 const char *bytes, struct error *err)
{
	switch (record->type) {
	case COROPROF_RECORD_PROCESS:
		return begin_process(s, bytes, err);
	case COROPROF_RECORD_PROCESS_END:
		return end_process(s, bytes, err);
	case COROPROF_RECORD_UNRECORDED:
		count_unrecorded_thread(s, bytes);
		return 0;
	case COROPROF_RECORD_PROCESS_REFUSED:
		count_refused_process(s, bytes);
		return 0;
	case COROPROF_RECORD_LABEL:
		pass_label(s, bytes);
		return 0;
	case COROPROF_RECORD_CHANNEL:
		return begin_channel(s, bytes, record->size, err);
	case COROPROF_RECORD_CHANNEL_LAST:
		return channels_last(s->channels, record->data,
				     bytes + sizeof(*record),
				     record->size - sizeof(*record), err);
	case COROPROF_RECORD_CHANNEL_END:
		return channels_end(s->channels, record->data, err);
	}
	return 0;
}

static int handle_records(struct stream *s, size_t size, struct error *err)
{
	struct coroprof_record record;
	int ret = 0;

	for (size_t at = 0; !ret && at < size; at += record.size) {
		if (size - at < sizeof(record))
			return error_set(err, EPROTO, "the session gave half a record");
		memcpy(&record, s->records + at, sizeof(record));
		if (record.size < sizeof(record) ||
		    record.size < decode_stream_size(record.type) ||
		    record.size > size - at)
			return error_set(err, EPROTO, "the session gave a record of type %u with an impossible size, %u",
					 record.type, record.size);
		ret = handle_record(s, &record, s->records + at, err);
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
			ret = handle_records(s, (size_t)n, err);
		if (ret)
			return ret;
	}
}
