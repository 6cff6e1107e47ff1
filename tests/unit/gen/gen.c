// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cprof/format.h"
#include "cprof/writer.h"
#include "gen/gen.h"

#define GEN_CHANNELS	4096

/**
 * struct gen_channel - what has gone into a channel
 * @process_id: its process
 * @tid:        its thread
 * @comm:       its name
 * @last_ns:    end of its last slice
 * @open:       it has begun and not ended
 * @ring:       bytes not drained yet
 * @samples:    likewise, of its ring of samples
 * @mode:       how it switches
 * @status:     the totals
 */
struct gen_channel {
	uint32_t process_id;
	int32_t tid;
	char comm[16];
	uint64_t last_ns;
	bool open;
	struct buffer ring;
	struct buffer samples;
	uint16_t mode;
	uint16_t reason;
	int sample_error;
	uint32_t sample_ring_size;
	struct coroprof_channel_status status;
};

struct gen {
	struct writer *writer;
	struct buffer stream;
	struct buffer counters;
	struct coroprof_counter counter[COROPROF_COUNTERS_MAX];
	uint32_t nr_counters;
	uint64_t last_ns;
	uint16_t mode;
	uint16_t reason;
	int sample_error;
	uint32_t sample_ring_size;
	struct gen_channel channel[GEN_CHANNELS];
};

static void must(int ret, const struct error *err)
{
	if (!ret)
		return;
	fprintf(stderr, "cprof-gen: %s\n", err->message);
	exit(1);
}

static void put(struct buffer *b, const void *data, size_t size)
{
	struct error err = ERROR_NONE;

	must(buffer_append(b, data, size, &err), &err);
}

static void put_padded(struct buffer *b, const void *data, size_t size)
{
	struct error err = ERROR_NONE;

	put(b, data, size);
	must(buffer_pad(b, &err), &err);
}

static struct gen_channel *channel_of(struct gen *g, uint32_t channel_id)
{
	if (channel_id < GEN_CHANNELS)
		return &g->channel[channel_id];
	fprintf(stderr, "cprof-gen: channel %u is too large\n", channel_id);
	exit(1);
}

void gen_segment(struct gen *g, unsigned int type, const void *data,
		 uint32_t size)
{
	struct error err = ERROR_NONE;

	must(writer_segment(g->writer, type, data, size, &err), &err);
}

void gen_info(struct gen *g, const char *key, const char *value)
{
	struct buffer b = { 0 };

	put(&b, key, strlen(key) + 1);
	put(&b, value, strlen(value) + 1);
	gen_segment(g, CPROF_SEGMENT_INFO, b.data, (uint32_t)b.size);
	buffer_free(&b);
}

struct gen *gen_open(const char *path)
{
	static const char *const info[][2] = {
		{ "tool", "cprof-gen" },
		{ "command", "SYNTHETIC TEST DATA (cprof-gen), no program ran" },
		{ "simulated", "synthetic" },
		{ "host", "test" },
		{ "kernel", "0.0.0-synthetic" },
		{ "arch", "x86_64" },
		{ "cpus", "4" },
		{ "page_size", "4096" },
		{ "boot_id", "00000000-0000-0000-0000-000000000000" },
		{ "clock_monotonic_ns", "1000000000" },
		{ "clock_realtime_ns", "1700000000000000000" },
		{ "abi_level", "2" },
		{ "pmu", "cpu,software" },
		{ "uid", "1000" },
	};
	struct error err = ERROR_NONE;
	struct gen *g = calloc(1, sizeof(*g));

	if (!g)
		must(error_set(&err, 12, "out of memory"), &err);
	must(writer_open(&g->writer, path, &err), &err);
	for (size_t i = 0; i < ARRAY_SIZE(info); i++)
		gen_info(g, info[i][0], info[i][1]);
	return g;
}

void gen_counter(struct gen *g, const struct coroprof_counter *counter,
		 const char *name)
{
	g->counter[g->nr_counters++] = *counter;
	put(&g->counters, counter, sizeof(*counter));
	put_padded(&g->counters, name, strlen(name) + 1);
	/* Each segment lists all of them; the last one stands. */
	gen_segment(g, CPROF_SEGMENT_COUNTERS, g->counters.data,
		    (uint32_t)g->counters.size);
}

static void process_record(struct gen *g, uint16_t type, uint32_t process_id,
			   int32_t pid, const char *comm, uint64_t time)
{
	struct coroprof_record_process r = {
		.type = type,
		.size = sizeof(r),
		.process_id = process_id,
		.time = time,
		.pid = pid,
	};

	memcpy(r.comm, comm, strnlen(comm, sizeof(r.comm)));
	put(&g->stream, &r, sizeof(r));
}

void gen_process(struct gen *g, uint32_t process_id, int32_t pid,
		 const char *comm, uint64_t time)
{
	process_record(g, COROPROF_RECORD_PROCESS, process_id, pid, comm, time);
}

void gen_process_end(struct gen *g, uint32_t process_id, uint64_t time)
{
	process_record(g, COROPROF_RECORD_PROCESS_END, process_id, 0, "", time);
}

static void label_record(struct gen *g, uint32_t process_id, uint32_t label,
			 uint32_t flags, uint64_t value, const char *text,
			 uint32_t len)
{
	struct coroprof_record_label r = {
		.type = COROPROF_RECORD_LABEL,
		.size = (uint16_t)(sizeof(r) + ALIGN8(len)),
		.process_id = process_id,
		.label = label,
		.flags = flags,
		.value = value,
		.text_len = len,
	};

	put(&g->stream, &r, sizeof(r));
	put_padded(&g->stream, text, len);
}

void gen_label(struct gen *g, uint32_t process_id, uint32_t label,
	       const char *text, uint32_t len)
{
	label_record(g, process_id, label, 0, 0, text, len);
}

void gen_label_code(struct gen *g, uint32_t process_id, uint32_t label,
		    const char *object, uint64_t address)
{
	label_record(g, process_id, label, COROPROF_LABEL_CODE, address, object,
		     (uint32_t)strlen(object));
}

void gen_label_adapter(struct gen *g, uint32_t process_id, uint32_t label,
		       const char *name, uint64_t sees)
{
	label_record(g, process_id, label, COROPROF_LABEL_ADAPTER, sees, name,
		     (uint32_t)strlen(name));
}

static void channel_record(struct gen *g, uint16_t type, uint32_t channel_id,
			   uint64_t time,
			   const struct coroprof_counter_state *states)
{
	struct gen_channel *c = channel_of(g, channel_id);
	uint32_t nr = states ? c->status.nr_counters : 0;
	struct coroprof_record_channel r = {
		.type = type,
		.size = (uint16_t)(sizeof(r) + nr * sizeof(*states)),
		.channel_id = channel_id,
		.time = time,
		.process_id = c->process_id,
		.tid = c->tid,
		.nr_counters = nr,
		.ring_size = c->status.error ? 0 : 1u << 20,
		.error = c->status.error,
		.mode = c->mode,
		.reason = c->reason,
		.sample_error = c->sample_error,
		.sample_ring_size = c->sample_ring_size,
	};

	memcpy(r.comm, c->comm, sizeof(r.comm));
	put(&g->stream, &r, sizeof(r));
	put(&g->stream, states, nr * sizeof(*states));
}

static struct gen_channel *channel_begin(struct gen *g, uint32_t channel_id,
					 uint32_t process_id, int32_t tid,
					 const char *comm, uint64_t time)
{
	struct gen_channel *c = channel_of(g, channel_id);

	memset(c, 0, sizeof(*c));
	c->process_id = process_id;
	c->tid = tid;
	memcpy(c->comm, comm, strnlen(comm, sizeof(c->comm)));
	c->last_ns = time;
	c->mode = g->mode;
	c->reason = g->reason;
	c->sample_error = g->sample_error;
	c->sample_ring_size = g->sample_ring_size;
	c->status.size = sizeof(c->status);
	c->status.channel_id = channel_id;
	c->status.begin = time;
	return c;
}

void gen_mode(struct gen *g, uint16_t mode, uint16_t reason)
{
	g->mode = mode;
	g->reason = reason;
}

void gen_sample_error(struct gen *g, int error, bool clock)
{
	g->sample_error = error;
	g->sample_ring_size = clock ? 1u << 20 : 0;
}

void gen_channel(struct gen *g, uint32_t channel_id, uint32_t process_id,
		 int32_t tid, const char *comm, uint64_t time,
		 const struct coroprof_counter_state *states, uint32_t nr)
{
	struct coroprof_counter_state own[COROPROF_COUNTERS_MAX] = { 0 };
	struct gen_channel *c;

	for (uint32_t i = 0; i < g->nr_counters; i++)
		own[i].counter = g->counter[i];
	c = channel_begin(g, channel_id, process_id, tid, comm, time);
	c->open = true;
	c->status.nr_counters = states ? nr : g->nr_counters;
	c->status.standing = 0xffffffff;
	channel_record(g, COROPROF_RECORD_CHANNEL, channel_id, time,
		       states ? states : own);
}

void gen_channel_error(struct gen *g, uint32_t channel_id, uint32_t process_id,
		       int32_t tid, uint64_t time, int error)
{
	channel_begin(g, channel_id, process_id, tid, "", time)->status.error =
		error;
	channel_record(g, COROPROF_RECORD_CHANNEL, channel_id, time, NULL);
}

/* As the kernel has it: what can't be counted at all is not missing for a while. */
static bool is_scaled(uint16_t standing)
{
	for (unsigned int i = 0; standing && i < COROPROF_COUNTERS_MAX; i++) {
		unsigned int of = COROPROF_STANDING(standing, i);

		if (of == COROPROF_STANDING_SCALED || of == COROPROF_STANDING_NOT_SCHEDULED)
			return true;
	}
	return false;
}

static uint16_t slice_flags(const struct gen_slice *s)
{
	uint16_t flags = s->flags;

	if (s->preempted_ns || s->blocked_ns || s->nr_preempted || s->nr_blocked)
		flags |= COROPROF_SLICE_OFFCPU;
	if (s->wake_time)
		flags |= COROPROF_SLICE_WOKEN;
	if (is_scaled(s->standing))
		flags |= COROPROF_SLICE_SCALED;
	return flags;
}

static void slice_tail(struct buffer *b, const struct gen_slice *s,
		       uint16_t flags, uint32_t nr)
{
	struct coroprof_slice_offcpu offcpu = {
		s->preempted_ns, s->blocked_ns, s->nr_preempted, s->nr_blocked,
	};
	struct coroprof_slice_fresh fresh = { s->parent, s->tag };
	struct coroprof_slice_woken woken = { s->wake_time, s->waker };

	put(b, s->count, nr * sizeof(s->count[0]));
	if (flags & COROPROF_SLICE_OFFCPU)
		put(b, &offcpu, sizeof(offcpu));
	if (flags & COROPROF_SLICE_FRESH)
		put(b, &fresh, sizeof(fresh));
	if (flags & COROPROF_SLICE_WOKEN)
		put(b, &woken, sizeof(woken));
	if (flags & COROPROF_SLICE_SCALED)
		put(b, s->missing_ns, nr * sizeof(s->missing_ns[0]));
}

static void slice_totals(struct coroprof_channel_status *t,
			 const struct gen_slice *s)
{
	uint32_t standing = s->standing ? s->standing : 0xffff;

	t->slices++;
	t->running_ns += s->duration - s->preempted_ns - s->blocked_ns;
	t->preempted_ns += s->preempted_ns;
	t->blocked_ns += s->blocked_ns;
	for (uint32_t i = 0; i < t->nr_counters; i++) {
		uint32_t old = COROPROF_STANDING(t->standing, i);
		uint32_t now = COROPROF_STANDING(standing, i);

		if (now < old)
			t->standing ^= (old ^ now) << (2 * i);
		t->count[i] += s->count[i];
		if (s->standing)
			t->missing_ns[i] += s->missing_ns[i];
	}
}

void gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s)
{
	struct gen_channel *c = channel_of(g, channel_id);
	uint16_t flags = slice_flags(s);
	struct coroprof_record_slice r = {
		.type = COROPROF_RECORD_SLICE,
		.slot = s->slot ? s->slot : (uint32_t)s->id,
		.time = s->time,
		.duration = s->duration,
		.id = s->id,
		.label = s->label,
		.flags = flags,
		.standing = s->standing ? s->standing : 0xffff,
	};
	struct buffer tail = { 0 };

	slice_tail(&tail, s, flags, c->status.nr_counters);
	r.size = (uint16_t)(sizeof(r) + tail.size);
	put(&c->ring, &r, sizeof(r));
	put(&c->ring, tail.data, tail.size);
	buffer_free(&tail);
	slice_totals(&c->status, s);
	c->status.ring_head += r.size;
	c->last_ns = s->time;
	if (s->time > g->last_ns)
		g->last_ns = s->time;
}

void gen_span(struct gen *g, uint32_t channel_id, const struct gen_span *s)
{
	struct gen_channel *c = channel_of(g, channel_id);
	size_t counts = c->status.nr_counters * sizeof(s->count[0]);
	struct coroprof_record_span r = {
		.type = COROPROF_RECORD_SPAN,
		.size = (uint16_t)(sizeof(r) + (s->standing ? 2 : 1) * counts),
		.slot = (uint32_t)s->id,
		.time = s->time,
		.duration = s->duration,
		.id = s->id,
		.label = s->label,
		.flags = s->standing ? COROPROF_SPAN_SCALED : 0,
		.standing = s->standing ? s->standing : 0xffff,
		.running_ns = s->running_ns,
		.depth = s->depth,
	};

	put(&c->ring, &r, sizeof(r));
	put(&c->ring, s->count, counts);
	if (s->standing)
		put(&c->ring, s->missing_ns, counts);
}

static void put_lost(struct buffer *ring, uint64_t time, uint64_t nr,
		     uint32_t spans)
{
	struct coroprof_record_lost r = {
		.type = COROPROF_RECORD_LOST,
		.size = sizeof(r),
		.spans = spans,
		.time = time,
		.full = nr,
	};

	put(ring, &r, sizeof(r));
}

void gen_lost_spans(struct gen *g, uint32_t channel_id, uint64_t time,
		    uint32_t nr)
{
	put_lost(&channel_of(g, channel_id)->ring, time, 0, nr);
}

void gen_sample(struct gen *g, uint32_t channel_id, const struct gen_sample *s)
{
	struct gen_channel *c = channel_of(g, channel_id);
	struct coroprof_record_sample r = {
		.type = COROPROF_RECORD_SAMPLE,
		.slot = (uint32_t)s->id,
		.time = s->time,
		.id = s->id,
		.label = s->label,
		.flags = s->flags,
	};

	while (r.nr < ARRAY_SIZE(s->address) && s->address[r.nr])
		r.nr++;
	r.size = (uint16_t)(sizeof(r) + r.nr * sizeof(s->address[0]));
	put(&c->samples, &r, sizeof(r));
	put(&c->samples, s->address, r.nr * sizeof(s->address[0]));
	c->status.samples++;
}

void gen_lost_samples(struct gen *g, uint32_t channel_id, uint64_t time,
		      uint64_t nr)
{
	struct gen_channel *c = channel_of(g, channel_id);

	put_lost(&c->samples, time, nr, 0);
	c->status.samples += nr;
	c->status.samples_lost += nr;
}

void gen_lost(struct gen *g, uint32_t channel_id, uint64_t time, uint64_t nr,
	      bool announce)
{
	struct gen_channel *c = channel_of(g, channel_id);

	if (announce)
		put_lost(&c->ring, time, nr, 0);
	c->status.lost += nr;
	c->status.slices += nr;
	c->status.running_ns += time - c->last_ns;
	c->last_ns = time;
}

void gen_ring_bytes(struct gen *g, uint32_t channel_id, const void *data,
		    uint32_t size)
{
	put(&channel_of(g, channel_id)->ring, data, size);
}

void gen_stream_bytes(struct gen *g, const void *data, uint32_t size)
{
	put(&g->stream, data, size);
}

void gen_last(struct gen *g, uint32_t channel_id)
{
	const struct buffer *ring = &channel_of(g, channel_id)->ring;
	struct coroprof_record_channel_last r = {
		.type = COROPROF_RECORD_CHANNEL_LAST,
		.size = (uint16_t)(sizeof(r) + ring->size),
		.channel_id = channel_id,
	};

	put(&g->stream, &r, sizeof(r));
	put(&g->stream, ring->data, ring->size);
	gen_drain_stream(g);
	gen_drain(g, channel_id);
}

void gen_records(struct gen *g, unsigned int type, uint32_t channel_id,
		 const void *data, uint32_t size)
{
	struct error err = ERROR_NONE;
	struct buffer own = { 0 };

	put(&own, data, size);
	must(writer_records(g->writer, type, channel_id, own.data, size, &err),
	     &err);
	buffer_free(&own);
}

static void drain(struct gen *g, unsigned int type, uint32_t channel_id,
		  struct buffer *ring)
{
	if (ring->size)
		gen_records(g, type, channel_id, ring->data,
			    (uint32_t)ring->size);
	ring->size = 0;
}

void gen_drain(struct gen *g, uint32_t channel_id)
{
	struct gen_channel *c = channel_of(g, channel_id);

	drain(g, CPROF_SEGMENT_RING, channel_id, &c->ring);
	drain(g, CPROF_SEGMENT_SAMPLES, channel_id, &c->samples);
}

void gen_drain_stream(struct gen *g)
{
	if (g->stream.size)
		gen_segment(g, CPROF_SEGMENT_STREAM, g->stream.data,
			    (uint32_t)g->stream.size);
	g->stream.size = 0;
}

struct coroprof_channel_status *gen_status(struct gen *g, uint32_t channel_id)
{
	return &channel_of(g, channel_id)->status;
}

void gen_channel_end(struct gen *g, uint32_t channel_id)
{
	struct gen_channel *c = channel_of(g, channel_id);
	char status[2 * sizeof(c->status)] = { 0 };

	gen_drain(g, channel_id);
	channel_record(g, COROPROF_RECORD_CHANNEL_END, channel_id, c->last_ns,
		       NULL);
	gen_drain_stream(g);
	c->status.end = c->last_ns;
	c->status.flags |= COROPROF_CHANNEL_ENDED;
	memcpy(status, &c->status, sizeof(c->status));
	gen_segment(g, CPROF_SEGMENT_STATUS, status, c->status.size);
	c->open = false;
}

void gen_close(struct gen *g, bool ended)
{
	struct cprof_end end = { .exit_status = 0 };
	struct error err = ERROR_NONE;

	gen_drain_stream(g);
	for (uint32_t i = 0; i < GEN_CHANNELS; i++) {
		if (g->channel[i].open)
			gen_channel_end(g, i);
		buffer_free(&g->channel[i].ring);
		buffer_free(&g->channel[i].samples);
	}
	end.clock_monotonic_ns = g->last_ns;
	if (ended) {
		gen_segment(g, CPROF_SEGMENT_END, &end, sizeof(end));
		must(writer_index(g->writer, &err), &err);
	}
	must(writer_close(g->writer, &err), &err);
	buffer_free(&g->stream);
	buffer_free(&g->counters);
	free(g);
}
