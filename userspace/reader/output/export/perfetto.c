// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a trace of protobuf packets for Perfetto: tracks, slices, flows of wakes, counters and
 * samples. put_...() encodes a part of the packet, write_...() writes packets.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "output/export/perfetto.h"
#include "output/export/proto.h"
#include "output/export/notes.h"
#include "output/export/slices.h"

/* Numbers of the fields in perfetto_trace.proto. */
enum trace_field { TRACE_PACKET = 1 };
enum packet_field {
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_SAMPLE = 66,
};
enum defaults_field { DEFAULTS_SAMPLE = 12, DEFAULTS_CLOCK = 58 };
enum sample_defaults_field { SAMPLED_BY = 1 };
enum sampled_field { SAMPLED_PERIOD = 1, SAMPLED_FREQUENCY = 2, SAMPLED_NAME = 10 };
enum clocks_field { CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2 };
enum clock_field { CLOCK_ID = 1, CLOCK_TIME = 2 };
enum interned_field {
	INTERNED_NAME = 2,
	INTERNED_ARGUMENT = 3,
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME = 6,
	INTERNED_STACK = 7,
	INTERNED_PATH = 17,
	INTERNED_OBJECT = 19,
};
enum object_field { OBJECT_ID = 1, OBJECT_PATH = 7 };
enum frame_field { FRAME_ID = 1, FRAME_FUNCTION = 2, FRAME_OBJECT = 3 };
enum stack_field { STACK_ID = 1, STACK_FRAMES = 2 };
enum sample_field { SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_STACK = 4, SAMPLE_MODE = 5 };
enum name_field { NAME_ID = 1, NAME_TEXT = 2 };
enum track_field {
	TRACK_ID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};
enum process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum counter_field { COUNTER_UNIT = 3 };
enum event_field {
	EVENT_ARGUMENT = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
};
enum argument_field {
	ARGUMENT_NAME_ID = 1,
	ARGUMENT_UINT = 3,
	ARGUMENT_TEXT = 6,
	ARGUMENT_NAME = 10,
};

enum sample_mode { MODE_KERNEL = 1, MODE_USER = 2 };
enum event_type { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3, EVENT_COUNT = 4 };
enum counter_unit { UNIT_TIME_NS = 1, UNIT_COUNT = 2 };

#define STATE_CLEARED	1	/* interned names begin anew here */
#define STATE_NEEDED	2	/* those of earlier packets are needed */

#define CLOCK_REALTIME_ID	1
#define CLOCK_MONOTONIC_ID	3

/* Everything is of one sequence of packets. */
#define SEQUENCE	1

/* Kinds of tracks: the number of a track is its kind, and of which noun it is. */
enum track {
	TRACK_OF_RECORDING = 1,
	TRACK_OF_PROCESS,
	TRACK_OF_THREAD,
	TRACK_OF_COROUTINE,
	TRACK_OF_COUNTER,	/* row: channel * MODEL_COUNTERS_MAX + column */
};

/**
 * struct perfetto - a trace being written
 * @m:      what of
 * @file:   where to
 * @packet: a packet,
 * @part:   a message in it,
 * @inner:  and one in that
 * @out:    a packet, ready to be written
 * @drawn:  of each coroutine, up to when its track goes; 0: it has none yet
 * @counts: of each channel and slice column, the sum so far
 * @reported: of each node of the tree of samples, whether its stack was reported
 * @rows:   of coroutines, by id and process
 * @apart:  see slices_apart()
 * @flows:  how many there are
 */
struct perfetto {
	const struct model *m;
	FILE *file;
	struct proto packet;
	struct proto part;
	struct proto inner;
	struct proto out;
	uint64_t *drawn;
	uint64_t (*counts)[MODEL_SLICE_COUNTERS];
	bool *reported;
	struct index rows;
	uint32_t *apart;
	uint64_t flows;
};

static uint64_t track_id(enum track kind, uint64_t row)
{
	return (uint64_t)kind << 56 | (row + 1);
}

static void write_packet(struct perfetto *p)
{
	proto_uint(&p->packet, PACKET_SEQUENCE, SEQUENCE);
	proto_message(&p->out, TRACE_PACKET, &p->packet);
	fwrite(p->out.bytes.data, 1, p->out.bytes.size, p->file);
	p->out.bytes.size = 0;
}

/* ------------------------------------------------------------------------
 * clocks and names
 */

static void put_clock(struct perfetto *p, uint64_t id, uint64_t time)
{
	proto_uint(&p->inner, CLOCK_ID, id);
	proto_uint(&p->inner, CLOCK_TIME, time);
	proto_message(&p->part, CLOCKS_CLOCK, &p->inner);
}

static void write_clocks(struct perfetto *p)
{
	const struct model *m = p->m;

	put_clock(p, CLOCK_MONOTONIC_ID, m->begin_ns);
	if (m->realtime_known)
		put_clock(p, CLOCK_REALTIME_ID,
			  m->begin_ns + (uint64_t)m->realtime_offset_ns);
	proto_uint(&p->part, CLOCKS_PRIMARY, CLOCK_MONOTONIC_ID);
	proto_message(&p->packet, PACKET_CLOCKS, &p->part);
	write_packet(p);
}

static void put_name(struct perfetto *p, enum interned_field what, uint64_t id,
		     const char *text)
{
	proto_uint(&p->inner, NAME_ID, id);
	proto_text(&p->inner, NAME_TEXT, text);
	proto_message(&p->part, what, &p->inner);
}

/* Encodes what samples count, and how often they were taken. */
static void put_sampling(struct perfetto *p)
{
	const struct model *m = p->m;
	struct proto by = { 0 };

	if (!m->sampled || !m->sample_event)
		return;
	if (m->sample_period)
		proto_uint(&by, SAMPLED_PERIOD, m->sample_period);
	else
		proto_uint(&by, SAMPLED_FREQUENCY, m->sample_frequency);
	proto_text(&by, SAMPLED_NAME, m->sample_event);
	proto_message(&p->inner, SAMPLED_BY, &by);
	proto_message(&p->part, DEFAULTS_SAMPLE, &p->inner);
	proto_free(&by);
}

/* Interns the names of labels, numbered by row, and of arguments, numbered by enum slice_arg_of. */
static void write_interned_names(struct perfetto *p)
{
	const struct model *m = p->m;
	unsigned int nr_counters = m->nr_counters < MODEL_SLICE_COUNTERS ? m->nr_counters :
				   MODEL_SLICE_COUNTERS;

	put_sampling(p);
	proto_uint(&p->part, DEFAULTS_CLOCK, CLOCK_MONOTONIC_ID);
	proto_message(&p->packet, PACKET_DEFAULTS, &p->part);
	for (uint32_t i = 0; i < m->nr_labels; i++)
		put_name(p, INTERNED_NAME, 1 + (uint64_t)i, m->labels[i].name);
	for (unsigned int i = ARG_NONE + 1; i < ARG_COUNTERS + nr_counters; i++)
		put_name(p, INTERNED_ARGUMENT, i, slice_arg_name(m, i));
	proto_message(&p->packet, PACKET_INTERNED, &p->part);
	proto_uint(&p->packet, PACKET_SEQUENCE_FLAGS, STATE_CLEARED | STATE_NEEDED);
	write_packet(p);
}

/* ------------------------------------------------------------------------
 * tracks
 */

static void write_track(struct perfetto *p, uint64_t id)
{
	proto_uint(&p->part, TRACK_ID, id);
	proto_message(&p->packet, PACKET_TRACK, &p->part);
	write_packet(p);
}

static uint64_t pid_of(const struct perfetto *p, uint32_t process)
{
	return (uint64_t)((int64_t)p->m->processes[process].pid + p->apart[process]);
}

static uint64_t tid_of(const struct perfetto *p, const struct model_channel *c)
{
	return (uint64_t)((int64_t)c->tid + p->apart[c->process]);
}

static void write_process(struct perfetto *p, uint32_t row)
{
	const struct model_process *process = &p->m->processes[row];

	proto_uint(&p->inner, PROCESS_PID, pid_of(p, row));
	proto_text(&p->inner, PROCESS_NAME, process->comm);
	proto_message(&p->part, TRACK_PROCESS, &p->inner);
	write_track(p, track_id(TRACK_OF_PROCESS, row));
}

static void write_thread(struct perfetto *p, uint32_t row)
{
	const struct model_channel *c = &p->m->channels[row];

	proto_uint(&p->inner, THREAD_PID, pid_of(p, c->process));
	proto_uint(&p->inner, THREAD_TID, tid_of(p, c));
	proto_text(&p->inner, THREAD_NAME, c->comm);
	proto_message(&p->part, TRACK_THREAD, &p->inner);
	write_track(p, track_id(TRACK_OF_THREAD, row));
}

static uint64_t counter_track(uint32_t channel, uint32_t counter)
{
	return track_id(TRACK_OF_COUNTER, (uint64_t)channel * MODEL_COUNTERS_MAX + counter);
}

static void write_counter_track(struct perfetto *p, uint32_t channel, uint32_t counter)
{
	const struct model_counter *c = &p->m->counters[counter];
	char name[256];

	snprintf(name, sizeof(name), "%s, counted", c->name);
	proto_uint(&p->inner, COUNTER_UNIT, model_counter_is_time(c) ? UNIT_TIME_NS : UNIT_COUNT);
	proto_message(&p->part, TRACK_COUNTER, &p->inner);
	proto_text(&p->part, TRACK_NAME, name);
	proto_uint(&p->part, TRACK_PARENT, track_id(TRACK_OF_THREAD, channel));
	write_track(p, counter_track(channel, counter));
}

static void write_tracks(struct perfetto *p)
{
	const struct model *m = p->m;

	proto_text(&p->part, TRACK_NAME, "coroprof");
	write_track(p, track_id(TRACK_OF_RECORDING, 0));
	for (uint32_t i = 0; i < m->nr_processes; i++)
		write_process(p, i);
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		write_thread(p, i);
		for (uint32_t j = 0; j < m->nr_counters && j < MODEL_SLICE_COUNTERS; j++)
			if (slices_count(m, i, j))
				write_counter_track(p, i, j);
	}
}

static void write_coroutine_track(struct perfetto *p, uint32_t row)
{
	const struct model_coroutine *c = &p->m->coroutines[row];
	char name[256 + 32];

	snprintf(name, sizeof(name), "%.255s %" PRIu64, p->m->labels[c->label].name, c->id);
	proto_text(&p->part, TRACK_NAME, name);
	proto_uint(&p->part, TRACK_PARENT, track_id(TRACK_OF_PROCESS, c->process));
	write_track(p, track_id(TRACK_OF_COROUTINE, row));
}

/* ------------------------------------------------------------------------
 * events
 */

static void put_number(struct perfetto *p, unsigned int argument, uint64_t value)
{
	proto_uint(&p->inner, ARGUMENT_NAME_ID, argument);
	proto_uint(&p->inner, ARGUMENT_UINT, value);
	proto_message(&p->part, EVENT_ARGUMENT, &p->inner);
}

static void put_text(struct perfetto *p, unsigned int argument, const char *text)
{
	proto_uint(&p->inner, ARGUMENT_NAME_ID, argument);
	proto_text(&p->inner, ARGUMENT_TEXT, text);
	proto_message(&p->part, EVENT_ARGUMENT, &p->inner);
}

/* Writes an event with all that has been encoded into perfetto.part. */
static void write_event(struct perfetto *p, enum event_type type, uint64_t on, uint64_t time)
{
	proto_uint(&p->part, EVENT_TYPE, type);
	proto_uint(&p->part, EVENT_TRACK, on);
	proto_message(&p->packet, PACKET_EVENT, &p->part);
	proto_uint(&p->packet, PACKET_TIME, time);
	proto_uint(&p->packet, PACKET_SEQUENCE_FLAGS, STATE_NEEDED);
	write_packet(p);
}

static void put_slice(struct perfetto *p, const struct model_slice *s)
{
	struct arg args[ARGS_MAX];
	unsigned int nr = slice_args(p->m, s, args);
	char buffer[SLICES_NAME];

	if (s->flags & (MODEL_SLICE_MERGED | MODEL_SLICE_LOST) || s->label == MODEL_NONE)
		proto_text(&p->part, EVENT_NAME, slice_name(p->m, s, buffer));
	else
		proto_uint(&p->part, EVENT_NAME_ID, 1 + (uint64_t)s->label);
	for (unsigned int i = 0; i < nr; i++) {
		if (args[i].text)
			put_text(p, args[i].of, args[i].text);
		else
			put_number(p, args[i].of, args[i].number);
	}
}

static void write_counts(struct perfetto *p, const struct model_slice *s)
{
	uint64_t *sums = p->counts[s->channel];

	for (uint32_t i = 0; i < p->m->nr_counters && i < MODEL_SLICE_COUNTERS; i++) {
		if (!s->count[i])
			continue;
		sums[i] += s->count[i];
		proto_uint(&p->part, EVENT_COUNTER, sums[i]);
		write_event(p, EVENT_COUNT, counter_track(s->channel, i),
			    s->begin_ns + s->duration_ns);
	}
}

/* Sets the track on which the coroutine at @row is drawn; false if there is none. */
static bool find_track(const struct perfetto *p, uint32_t row, uint64_t *on)
{
	const struct model_coroutine *c = &p->m->coroutines[row];

	if (c->flags & MODEL_COROUTINE_THREAD) {
		*on = track_id(TRACK_OF_THREAD, c->channel);
		return c->channel != MODEL_NONE;
	}
	*on = track_id(TRACK_OF_COROUTINE, row);
	return p->drawn[row];
}

/*
 * Writes the wake on the track of its waker. Returns the number of a flow that ends at the woken
 * slice; 0 if there is none.
 */
static uint64_t write_wake(struct perfetto *p, const struct model_slice *s)
{
	uint32_t process = p->m->channels[s->channel].process, waker;
	uint64_t on;

	if (!(s->flags & COROPROF_SLICE_WOKEN) || !s->waker)
		return 0;
	waker = index_get(&p->rows, s->waker, process);
	if (waker == INDEX_NONE || !find_track(p, waker, &on))
		return 0;
	proto_text(&p->part, EVENT_NAME, "wake");
	put_number(p, ARG_COROUTINE, p->m->coroutines[s->coroutine].id);
	proto_fixed64(&p->part, EVENT_FLOW, ++p->flows);
	write_event(p, EVENT_INSTANT, on, s->wake_ns);
	return p->flows;
}

/*
 * Writes the slice on its coroutine's track, beginning no earlier than the one before has ended:
 * two slices of a coroutine overlap if a program reports switches late.
 */
static void write_on_coroutine_track(struct perfetto *p, const struct model_slice *s)
{
	uint64_t end = s->begin_ns + s->duration_ns, begin = s->begin_ns;
	const struct model_coroutine *c = slice_coroutine(p->m, s);
	uint64_t on = track_id(TRACK_OF_COROUTINE, s->coroutine);
	const struct model_channel *channel = &p->m->channels[s->channel];
	uint64_t flow;

	if (!c || c->flags & MODEL_COROUTINE_THREAD)
		return;
	if (!p->drawn[s->coroutine])
		write_coroutine_track(p, s->coroutine);
	if (begin < p->drawn[s->coroutine])
		begin = p->drawn[s->coroutine];
	if (begin > end)
		return;
	p->drawn[s->coroutine] = end;
	flow = write_wake(p, s);
	if (flow)
		proto_fixed64(&p->part, EVENT_FLOW_END, flow);
	proto_text(&p->part, EVENT_NAME, channel->comm[0] ? channel->comm : "thread");
	put_number(p, ARG_THREAD, tid_of(p, channel));
	write_event(p, EVENT_BEGIN, on, begin);
	write_event(p, EVENT_END, on, end);
}

static void write_slice(struct perfetto *p, const struct model_slice *s)
{
	uint64_t on = track_id(TRACK_OF_THREAD, s->channel);

	put_slice(p, s);
	write_event(p, EVENT_BEGIN, on, s->begin_ns);
	write_event(p, EVENT_END, on, s->begin_ns + s->duration_ns);
	write_counts(p, s);
	write_on_coroutine_track(p, s);
}

/* ------------------------------------------------------------------------
 * samples
 */

/*
 * Encodes a function with an object of its own, even if many have the same path: the format has one
 * for each.
 */
static void put_function(struct perfetto *p, uint32_t frame)
{
	const struct model_frame *f = &p->m->frames[frame];
	uint64_t id = 1 + (uint64_t)frame;

	put_name(p, INTERNED_FUNCTION, id, f->name);
	if (f->object)
		put_name(p, INTERNED_PATH, id, f->object);
	proto_uint(&p->inner, OBJECT_ID, id);
	if (f->object)
		proto_uint(&p->inner, OBJECT_PATH, id);
	proto_message(&p->part, INTERNED_OBJECT, &p->inner);
	proto_uint(&p->inner, FRAME_ID, id);
	proto_uint(&p->inner, FRAME_FUNCTION, id);
	proto_uint(&p->inner, FRAME_OBJECT, id);
	proto_message(&p->part, INTERNED_FRAME, &p->inner);
}

static void write_functions(struct perfetto *p)
{
	for (uint32_t i = 0; i < p->m->nr_frames; i++)
		put_function(p, i);
	proto_message(&p->packet, PACKET_INTERNED, &p->part);
	proto_uint(&p->packet, PACKET_SEQUENCE_FLAGS, STATE_NEEDED);
	write_packet(p);
}

/* Encodes a call stack from the outermost frame on. */
static void put_frames(struct perfetto *p, uint32_t node)
{
	const struct model_sample_node *n = &p->m->sample_nodes[node];

	if (n->parent != MODEL_NONE)
		put_frames(p, n->parent);
	proto_uint(&p->inner, STACK_FRAMES, 1 + (uint64_t)n->frame);
}

static void put_stack(struct perfetto *p, uint32_t node)
{
	p->reported[node] = true;
	proto_uint(&p->inner, STACK_ID, 1 + (uint64_t)node);
	put_frames(p, node);
	proto_message(&p->part, INTERNED_STACK, &p->inner);
	proto_message(&p->packet, PACKET_INTERNED, &p->part);
}

static void write_sample(struct perfetto *p, const struct model_timeline_sample *s)
{
	const struct model_channel *c = &p->m->channels[s->channel];
	bool kernel = p->m->frames[p->m->sample_nodes[s->node].frame].kind == MODEL_FRAME_KERNEL;

	if (!p->reported[s->node])
		put_stack(p, s->node);
	proto_uint(&p->part, SAMPLE_PID, pid_of(p, c->process));
	proto_uint(&p->part, SAMPLE_TID, tid_of(p, c));
	proto_uint(&p->part, SAMPLE_STACK, 1 + (uint64_t)s->node);
	proto_uint(&p->part, SAMPLE_MODE, kernel ? MODE_KERNEL : MODE_USER);
	proto_message(&p->packet, PACKET_SAMPLE, &p->part);
	proto_uint(&p->packet, PACKET_TIME, s->time_ns);
	proto_uint(&p->packet, PACKET_SEQUENCE_FLAGS, STATE_NEEDED);
	write_packet(p);
}

static void write_samples(struct perfetto *p)
{
	if (p->m->nr_timeline_samples)
		write_functions(p);
	for (uint32_t i = 0; i < p->m->nr_timeline_samples && !ferror(p->file); i++)
		if (p->m->timeline_samples[i].node != MODEL_NONE)
			write_sample(p, &p->m->timeline_samples[i]);
}

/* ------------------------------------------------------------------------
 * all of it
 */

static void put_note(struct perfetto *p, const char *title, const char *text)
{
	proto_text(&p->inner, ARGUMENT_NAME, title);
	proto_text(&p->inner, ARGUMENT_TEXT, text);
	proto_message(&p->part, EVENT_ARGUMENT, &p->inner);
}

static void put_notes(struct perfetto *p, const struct notes *r)
{
	char text[8192];

	for (uint32_t i = 0, next; i < r->nr; i = next) {
		next = notes_join(r, i, text, sizeof(text));
		put_note(p, r->list[i].title, text);
	}
}

/*
 * Writes an event at the begin of the recording: viewers show times since the first event, so that
 * those of a part are the recording's, too.
 */
static void write_begin(struct perfetto *p)
{
	if (p->m->from_ns <= p->m->begin_ns)
		return;
	proto_text(&p->part, EVENT_NAME, SLICES_BEGIN);
	write_event(p, EVENT_INSTANT, track_id(TRACK_OF_RECORDING, 0), p->m->begin_ns);
}

static int write_notes(struct perfetto *p)
{
	uint64_t on = track_id(TRACK_OF_RECORDING, 0);
	char cut[SLICES_SAID];
	struct notes notes;

	if (notes_make(&notes, p->m))
		return -1;
	write_begin(p);
	proto_text(&p->part, EVENT_NAME, "recording");
	put_notes(p, &notes);
	if (slices_cut(p->m, cut))
		put_note(p, "CUT", cut);
	if (p->m->samples && !p->m->nr_timeline_samples)
		put_note(
			p, "WITHOUT SAMPLES",
			"there are too many to be here one by one; all are in a part of it that is short enough: add --from SECONDS --to SECONDS");
	notes_free(&notes);
	write_event(p, EVENT_BEGIN, on, p->m->from_ns);
	write_event(p, EVENT_END, on, p->m->end_ns);
	return 0;
}

static int write_slices(struct perfetto *p)
{
	uint32_t *rows = slices_by_time(p->m);

	if (!rows)
		return -1;
	for (uint32_t i = 0; i < p->m->nr_timeline && !ferror(p->file); i++)
		write_slice(p, &p->m->timeline[rows[i]]);
	free(rows);
	return 0;
}

static bool index_coroutines(struct perfetto *p)
{
	for (uint32_t i = 0; i < p->m->nr_coroutines; i++)
		if (!index_put(&p->rows, p->m->coroutines[i].id, p->m->coroutines[i].process, i))
			return false;
	return true;
}

static int write_trace(struct perfetto *p)
{
	if (!index_coroutines(p)) {
		errno = ENOMEM;
		return -1;
	}
	write_clocks(p);
	write_interned_names(p);
	write_tracks(p);
	if (write_notes(p) || write_slices(p))
		return -1;
	write_samples(p);
	if (p->packet.failed || p->out.failed || p->part.failed) {
		errno = ENOMEM;
		return -1;
	}
	return ferror(p->file) ? -1 : 0;
}

int perfetto_write(const struct model *m, FILE *file)
{
	struct perfetto p = {
		.m = m, .file = file,
		.drawn = calloc((size_t)m->nr_coroutines + 1, sizeof(*p.drawn)),
		.counts = calloc((size_t)m->nr_channels + 1, sizeof(*p.counts)),
		.reported = calloc((size_t)m->nr_sample_nodes + 1, sizeof(*p.reported)),
		.apart = slices_apart(m),
	};
	int ret = p.drawn && p.counts && p.reported && p.apart ? write_trace(&p) : -1;

	free(p.drawn);
	free(p.reported);
	free(p.counts);
	free(p.apart);
	index_free(&p.rows);
	proto_free(&p.packet);
	proto_free(&p.part);
	proto_free(&p.inner);
	proto_free(&p.out);
	return ret;
}
