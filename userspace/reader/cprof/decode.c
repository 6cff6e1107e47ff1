// SPDX-License-Identifier: GPL-2.0
/*
 * Takes one record after another from the bytes of a stream, of a ring or of a ring of samples, and
 * checks sizes before anything is read. Each kind of bytes has a function of its own, as its
 * records have faults of their own.
 */
#include <string.h>

#include "cprof/decode.h"

void decode_init(struct decode *d, const void *data, size_t size)
{
	*d = (struct decode){ .data = data, .size = size };
}

/* The record at the position, of any type, whose size is in order; NULL if there is none. */
static const struct coroprof_record *peek_record(struct decode *d)
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

/* What is wrong with a LABEL record, or NULL. */
static const char *label_fault(const struct coroprof_record *r)
{
	const struct coroprof_record_label *l = (const void *)r;

	if (l->text_len > r->size - sizeof(*l))
		return "it is too short for the text of its label";
	return NULL;
}

/* CHANNEL_END may have the states of the counters or not, as the kernel chooses. */
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
	case COROPROF_RECORD_UNRECORDED:
		return sizeof(struct coroprof_record_unrecorded);
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

/* What is wrong with a record of the stream, or NULL. */
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

	while ((r = peek_record(d)) && !decode_stream_size(r->type))
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

	while ((r = peek_record(d)) && !ring_size(r->type))
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

/* What is wrong with a SAMPLE record, or NULL. */
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

	while ((r = peek_record(d)) && !samples_size(r->type))
		d->position += r->size;
	if (!r)
		return NULL;
	d->fault = sample_fault(r);
	if (d->fault)
		return NULL;
	d->position += r->size;
	return r;
}
