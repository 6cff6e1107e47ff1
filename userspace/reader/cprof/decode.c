// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "cprof/decode.h"

void decode_init(struct decode *d, const void *data, size_t size)
{
	*d = (struct decode){ .data = data, .size = size };
}

/* The record at the position, of whatever type; its size is good. */
static const struct coroprof_record *peek(struct decode *d)
{
	size_t left = d->size - d->position;
	const struct coroprof_record *r;

	if (!left || d->fault)
		return NULL;
	r = (const void *)(d->data + d->position);
	if (left < sizeof(*r))
		d->fault = "it is cut off in its header";
	else if (r->size < sizeof(*r))
		d->fault = "its size is less than that of its header";
	else if (r->size % 8)
		d->fault = "its size is not a multiple of 8";
	else if (r->size > COROPROF_RECORD_MAX)
		d->fault = "its size is more than any record has";
	else if (r->size > left)
		d->fault = "it is cut off";
	return d->fault ? NULL : r;
}

static const char *label_fault(const struct coroprof_record *r)
{
	const struct coroprof_record_label *l = (const void *)r;

	if (l->text_len > r->size - sizeof(*l))
		return "it is too short for the text of its label";
	return NULL;
}

/* CHANNEL_END has the states of the counters or not, as the kernel likes. */
static const char *channel_fault(const struct coroprof_record *r)
{
	const struct coroprof_record_channel *c = (const void *)r;
	size_t states = (r->size - sizeof(*c)) /
			sizeof(struct coroprof_counter_state);

	if (c->nr_counters > COROPROF_COUNTERS_MAX)
		return "it has more counters than a channel can have";
	if (r->type == COROPROF_RECORD_CHANNEL && c->nr_counters > states)
		return "it is too short for its counters";
	return NULL;
}

size_t decode_stream_size(uint16_t type)
{
	switch (type) {
	case COROPROF_RECORD_PROCESS:
	case COROPROF_RECORD_PROCESS_END:
	case COROPROF_RECORD_PROCESS_REFUSED:
		return sizeof(struct coroprof_record_process);
	case COROPROF_RECORD_LABEL:
		return sizeof(struct coroprof_record_label);
	case COROPROF_RECORD_CHANNEL:
	case COROPROF_RECORD_CHANNEL_END:
		return sizeof(struct coroprof_record_channel);
	case COROPROF_RECORD_CHANNEL_LAST:
		return sizeof(struct coroprof_record_channel_last);
	default:
		return 0;
	}
}

static const char *stream_fault(const struct coroprof_record *r)
{
	if (r->size < decode_stream_size(r->type))
		return "it is too short for its type";
	if (r->type == COROPROF_RECORD_LABEL)
		return label_fault(r);
	if (r->type == COROPROF_RECORD_CHANNEL ||
	    r->type == COROPROF_RECORD_CHANNEL_END)
		return channel_fault(r);
	return NULL;
}

const struct coroprof_record *decode_stream(struct decode *d)
{
	const struct coroprof_record *r;

	while ((r = peek(d)) && !decode_stream_size(r->type))
		d->position += r->size;
	if (!r)
		return NULL;
	d->fault = stream_fault(r);
	if (d->fault)
		return NULL;
	d->position += r->size;
	return r;
}

static size_t ring_size(uint16_t type)
{
	switch (type) {
	case COROPROF_RECORD_SLICE:
		return sizeof(struct coroprof_record_slice);
	case COROPROF_RECORD_LOST:
		return sizeof(struct coroprof_record_lost);
	case COROPROF_RECORD_SPAN:
		return sizeof(struct coroprof_record_span);
	default:
		return 0;
	}
}

const struct coroprof_record *decode_ring(struct decode *d)
{
	const struct coroprof_record *r;

	while ((r = peek(d)) && !ring_size(r->type))
		d->position += r->size;
	if (!r)
		return NULL;
	if (r->size < ring_size(r->type)) {
		d->fault = "it is too short for its type";
		return NULL;
	}
	d->position += r->size;
	return r;
}

static size_t samples_size(uint16_t type)
{
	switch (type) {
	case COROPROF_RECORD_SAMPLE:
		return sizeof(struct coroprof_record_sample);
	case COROPROF_RECORD_LOST:
		return sizeof(struct coroprof_record_lost);
	default:
		return 0;
	}
}

static const char *sample_fault(const struct coroprof_record *r)
{
	const struct coroprof_record_sample *s = (const void *)r;

	if (r->size < samples_size(r->type))
		return "it is too short for its type";
	if (r->type == COROPROF_RECORD_LOST)
		return NULL;
	if (!s->nr)
		return "it has no address";
	if (s->nr > (r->size - sizeof(*s)) / sizeof(uint64_t))
		return "it is too short for its addresses";
	return NULL;
}

const struct coroprof_record *decode_samples(struct decode *d)
{
	const struct coroprof_record *r;

	while ((r = peek(d)) && !samples_size(r->type))
		d->position += r->size;
	if (!r)
		return NULL;
	d->fault = sample_fault(r);
	if (d->fault)
		return NULL;
	d->position += r->size;
	return r;
}

static const uint8_t *take(void *to, size_t size, bool there, const uint8_t *from)
{
	if (!there) {
		memset(to, 0, size);
		return from;
	}
	memcpy(to, from, size);
	return from + size;
}

static const char *time_fault(struct decode_slice *s)
{
	const struct coroprof_record_slice *r = s->record;

	if (r->duration > r->time)
		return "it is longer than its time";
	if (s->offcpu.preempted_ns > r->duration ||
	    s->offcpu.blocked_ns > r->duration - s->offcpu.preempted_ns)
		return "its time off the CPU is longer than it is";
	s->running_ns = r->duration - s->offcpu.preempted_ns -
			s->offcpu.blocked_ns;
	return NULL;
}

const char *decode_slice(struct decode_slice *s,
			 const struct coroprof_record_slice *r,
			 uint32_t nr_counters)
{
	uint16_t flags = r->flags;
	const uint8_t *p = (const uint8_t *)(r + 1);

	if (r->size < coroprof_slice_size(flags, nr_counters))
		return "it is too short for its counters and flags";
	s->record = r;
	s->count = (const void *)p;
	p += nr_counters * sizeof(uint64_t);
	p = take(&s->offcpu, sizeof(s->offcpu), flags & COROPROF_SLICE_OFFCPU, p);
	p = take(&s->fresh, sizeof(s->fresh), flags & COROPROF_SLICE_FRESH, p);
	p = take(&s->woken, sizeof(s->woken), flags & COROPROF_SLICE_WOKEN, p);
	s->missing_ns = flags & COROPROF_SLICE_SCALED ? (const void *)p : NULL;
	return time_fault(s);
}

const char *decode_span(struct decode_span *s,
			const struct coroprof_record_span *r,
			uint32_t nr_counters)
{
	bool scaled = r->flags & COROPROF_SPAN_SCALED;
	size_t counts = nr_counters * sizeof(uint64_t);

	if (r->size < sizeof(*r) + (scaled ? 2 : 1) * counts)
		return "it is too short for its counters and flags";
	if (r->duration > r->time)
		return "it is longer than its time";
	if (r->running_ns > r->duration)
		return "it ran for longer than it took";
	s->record = r;
	s->count = (const void *)(r + 1);
	s->missing_ns = scaled ? s->count + nr_counters : NULL;
	return NULL;
}
