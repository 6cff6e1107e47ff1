// SPDX-License-Identifier: GPL-2.0
/*
 * Reads records of processes, channels and labels from STREAM segments into rows of the model and
 * of struct build beside it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cprof/decode.h"
#include "explain/reason.h"
#include "profile/adapters.h"
#include "profile/build.h"
#include "profile/counters.h"
#include "profile/damage.h"
#include "profile/names.h"
#include "profile/streams.h"

/* A new row, beside which struct build has one as well; MODEL_NONE if none. */
static uint32_t add_process(struct build *b, uint32_t process_id)
{
	struct model *m = b->model;
	uint32_t n = m->nr_processes;

	if (n == BUILD_PROCESSES_MAX ||
	    !build_grow(b, &m->processes, n, sizeof(*m->processes)) ||
	    !build_grow(b, &b->processes, n, sizeof(*b->processes)))
		return MODEL_NONE;
	if (!index_put(&b->process_index, process_id, 0, n)) {
		b->out_of_memory = true;
		return MODEL_NONE;
	}
	m->processes[n] = (struct model_process){ .id = process_id };
	b->processes[n] = (struct build_process){ 0 };
	m->nr_processes++;
	return n;
}

uint32_t process_of(struct build *b, uint32_t process_id)
{
	uint32_t row = index_get(&b->process_index, process_id, 0);

	return row == INDEX_NONE ? add_process(b, process_id) : row;
}

static void process_record(struct build *b,
			   const struct coroprof_record_process *r)
{
	uint32_t row = process_of(b, r->process_id);
	struct model_process *p;

	if (row == MODEL_NONE)
		return;
	p = &b->model->processes[row];
	if (r->type == COROPROF_RECORD_PROCESS_END) {
		p->end_ns = r->time;
		return;
	}
	p->begin_ns = r->time;
	p->end_ns = 0;
	p->pid = r->pid;
	free(p->comm);
	p->comm = build_text(b, r->comm, sizeof(r->comm));
}

static uint32_t add_channel(struct build *b, uint32_t channel_id)
{
	struct model *m = b->model;
	uint32_t n = m->nr_channels;

	if (n == BUILD_CHANNELS_MAX ||
	    !build_grow(b, &m->channels, n, sizeof(*m->channels)) ||
	    !build_grow(b, &b->channels, n, sizeof(*b->channels)))
		return MODEL_NONE;
	if (!index_put(&b->channel_index, channel_id, 0, n)) {
		b->out_of_memory = true;
		return MODEL_NONE;
	}
	m->channels[n] = (struct model_channel){ .id = channel_id };
	b->channels[n] = (struct build_channel){ 0 };
	m->nr_channels++;
	return n;
}

/* Between a thread's recordings its process may have run anything. */
static void note_restart(struct build *b, uint32_t process, int32_t tid,
			 uint64_t time, uint32_t channel)
{
	struct build_process *p = &b->processes[process];
	bool again = index_get(&b->thread_index, (uint32_t)tid, process) !=
		     INDEX_NONE;

	if (!index_put(&b->thread_index, (uint32_t)tid, process, channel))
		b->out_of_memory = true;
	if (again && build_grow(b, &p->restarts, p->nr_restarts,
				sizeof(*p->restarts)))
		p->restarts[p->nr_restarts++] = time;
}

static void channel_begin(struct build *b, uint64_t offset,
			  const struct coroprof_record_channel *r)
{
	uint32_t process = process_of(b, r->process_id);
	uint32_t row = channel_find(b, r->channel_id);
	struct model_channel *c;

	if (row != MODEL_NONE) {
		damage_add(b, offset, MODEL_NONE,
			   "channel %" PRIu32 " begins twice; the second is ignored",
			   r->channel_id);
		return;
	}
	row = add_channel(b, r->channel_id);
	if (process == MODEL_NONE || row == MODEL_NONE) {
		damage_add(b, offset, MODEL_NONE,
			   "no room for channel %" PRIu32 ": it is left out",
			   r->channel_id);
		return;
	}
	c = &b->model->channels[row];
	c->process = process;
	c->tid = r->tid;
	c->comm = build_text(b, r->comm, sizeof(r->comm));
	c->begin_ns = r->time;
	c->error = r->error;
	c->error_text = r->error ? strerrordesc_np(r->error) : NULL;
	c->mode = r->error ? MODEL_MODE_UNKNOWN : r->mode;
	b->channels[row].reason = r->reason;
	c->sample_error = r->sample_error;
	c->sample_error_text = r->sample_error ?
			       reason_counter(r->sample_error) : NULL;
	c->sample_clock = r->sample_error && r->sample_ring_size;
	b->model->clock_sampled += c->sample_clock;
	b->model->unsampled += r->sample_error && !r->sample_ring_size;
	b->channels[row].begun = true;
	counters_of_channel(b, row, (const void *)(r + 1), r->nr_counters);
	note_restart(b, process, r->tid, r->time, row);
	if (r->error)
		b->processes[process].unseen = true;
}

static void channel_end(struct build *b, const struct coroprof_record_channel *r)
{
	uint32_t row = channel_find(b, r->channel_id);

	if (row == MODEL_NONE)
		return;
	b->model->channels[row].end_ns = r->time;
	if (r->reason == COROPROF_REASON_DELEGATED)
		b->channels[row].reason = r->reason;
}

static void label_record(struct build *b, const struct coroprof_record_label *r)
{
	uint32_t process = process_of(b, r->process_id);

	if (process == MODEL_NONE)
		return;
	if (r->flags & COROPROF_LABEL_ADAPTER)
		adapter_add(b, process, r);
	else
		name_define(b, process, r);
}

void stream_add(struct build *b, uint64_t offset, const void *payload,
		size_t size)
{
	const struct coroprof_record *r;
	struct decode d;

	decode_init(&d, payload, size);
	while ((r = decode_stream(&d))) {
		switch (r->type) {
		case COROPROF_RECORD_PROCESS:
		case COROPROF_RECORD_PROCESS_END:
			process_record(b, (const void *)r);
			break;
		case COROPROF_RECORD_LABEL:
			label_record(b, (const void *)r);
			break;
		case COROPROF_RECORD_CHANNEL:
			channel_begin(b, offset, (const void *)r);
			break;
		case COROPROF_RECORD_CHANNEL_END:
			channel_end(b, (const void *)r);
			break;
		}
	}
	if (d.fault)
		damage_add(b, offset, MODEL_NONE,
			   "a record of the session's stream, at byte %zu of its segment, is malformed: %s; the rest of the segment is skipped",
			   d.position, d.fault);
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void streams_finish(struct build *b)
{
	for (uint32_t i = 0; i < b->model->nr_processes; i++) {
		struct build_process *p = &b->processes[i];

		if (p->nr_restarts)
			qsort(p->restarts, p->nr_restarts,
			      sizeof(*p->restarts), by_time);
		if (!b->model->processes[i].comm)
			b->model->processes[i].comm = build_text(b, "", 0);
	}
}
