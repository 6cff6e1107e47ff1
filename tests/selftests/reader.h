/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reading side of a test. It believes nothing: whatever breaks a promise
 * of the ABI, in the stream or in a ring, is kept as @defect, the first one
 * wins, and tests compare it with "".
 */
#ifndef _READER_H
#define _READER_H

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "call.h"

#define READER_CHANNELS_MAX	64
#define READER_LABELS_MAX	64
#define COUNTERS_MAX		COROPROF_COUNTERS_MAX

struct sums {
	__u64 slices;
	__u64 duration;
	__u64 running_ns;
	__u64 preempted_ns;
	__u64 blocked_ns;
	__u64 nr_preempted;
	__u64 nr_blocked;
	__u32 standing;		/* meaningful once @slices is not 0 */
	__u64 count[COUNTERS_MAX];
	__u64 missing_ns[COUNTERS_MAX];
};

struct log {
	struct coroprof_record_channel record;
	struct coroprof_counter_state counters[COUNTERS_MAX];
	bool ended;
	bool last_taken;
	__u16 end_reason;
	__u64 end;
	__s32 end_error;
	struct coroprof_ring_consumer *consumer;
	const struct coroprof_ring_producer *producer;
	const unsigned char *data;
	__u64 tail;
	__u64 last_time;	/* where the last slice ended */
	__u64 lost;
	__u64 spans;
	__u64 spans_lost;
	__u64 traces;
	__u64 nothing_lost;	/* LOST records of nothing but traces */
	struct coroprof_record_trace last_trace;
	struct coroprof_record_span last_span;
	__u64 last_span_count[COUNTERS_MAX];
	__u64 last_span_missing_ns[COUNTERS_MAX];
	struct coroprof_record_slice last;
	struct coroprof_slice_offcpu last_offcpu;	/* these, as last.flags say */
	struct coroprof_slice_fresh last_fresh;
	struct coroprof_slice_woken last_woken;
	struct sums sums;
};

struct slice;

struct reader {
	int fd;
	struct coroprof_session_config config;
	char defect[256];
	struct log logs[READER_CHANNELS_MAX];
	unsigned int nr_logs;
	bool out_of_memory;	/* itself */
	bool may_lose_traces;
	unsigned int nr_processes;
	unsigned int nr_process_ends;
	unsigned int nr_refused;
	unsigned int nr_labels;
	unsigned int nr_no_memory;	/* channels that are not recorded for want of it */
	__u64 unrecorded;		/* threads that there was not even room to tell of */
	struct coroprof_record_process process;
	struct coroprof_record_process process_end;
	struct coroprof_record_process refused;
	struct coroprof_record_label label;
	char label_text[256];
	__u64 label_values[READER_LABELS_MAX];	/* by the label; of those that fit */
	/* Per slot, over all channels; for tests with one process. */
	struct sums *slots;
	__u32 nr_slots;
	/* Called for each slice, if set. */
	void (*each)(struct reader *reader, const struct slice *slice);
};

__attribute__((format(printf, 2, 3)))
static inline void defect(struct reader *reader, const char *format, ...)
{
	va_list args;

	if (reader->defect[0])
		return;
	va_start(args, format);
	vsnprintf(reader->defect, sizeof(reader->defect), format, args);
	va_end(args);
}

/* Returns 0 or a negative errno. @reader->config says what is wanted. */
static inline int reader_open(struct reader *reader, int control, __u32 nr_slots)
{
	reader->fd = make_session(control, &reader->config);
	if (reader->fd < 0)
		return reader->fd;
	if (fcntl(reader->fd, F_SETFL, O_RDWR | O_NONBLOCK))
		return -errno;
	reader->nr_slots = nr_slots;
	reader->slots = calloc(nr_slots, sizeof(*reader->slots));
	return reader->slots ? 0 : -ENOMEM;
}

static inline void log_unmap(struct reader *reader, struct log *log)
{
	if (log->consumer)
		munmap(log->consumer, page_size());
	if (log->producer)
		munmap((void *)log->producer,
		       page_size() + 2 * reader->config.ring_size);
	log->consumer = NULL;
	log->producer = NULL;
}

static inline void reader_close(struct reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_logs; i++)
		log_unmap(reader, &reader->logs[i]);
	free(reader->slots);
	if (reader->fd >= 0)
		close(reader->fd);
}

static inline void log_map(struct reader *reader, struct log *log)
{
	__u64 offset = COROPROF_MMAP_RING(log->record.channel_id);

	log->consumer = map_at(reader->fd, page_size(), PROT_READ | PROT_WRITE,
			       MAP_SHARED, offset);
	log->producer = map_at(reader->fd,
			       page_size() + 2 * (size_t)log->record.ring_size,
			       PROT_READ, MAP_SHARED, offset + page_size());
	if (!log->consumer || !log->producer) {
		reader->out_of_memory = errno == ENOMEM;
		defect(reader, "channel %u: its ring can't be mapped: %s",
		       log->record.channel_id, strerror(errno));
		log_unmap(reader, log);
		return;
	}
	log->data = (const unsigned char *)log->producer + page_size();
}

static inline struct log *reader_find(struct reader *reader, __u32 channel_id)
{
	unsigned int i;

	for (i = 0; i < reader->nr_logs; i++)
		if (reader->logs[i].record.channel_id == channel_id)
			return &reader->logs[i];
	return NULL;
}

/* The newest channel of a thread. */
static inline struct log *reader_find_tid(struct reader *reader, __s32 tid)
{
	unsigned int i;

	for (i = reader->nr_logs; i--;)
		if (reader->logs[i].record.tid == tid)
			return &reader->logs[i];
	return NULL;
}

static inline void take_channel(struct reader *reader,
				const struct coroprof_record_channel *record)
{
	size_t counters = record->nr_counters * sizeof(struct coroprof_counter_state);
	struct log *log;

	if (record->nr_counters > COUNTERS_MAX ||
	    record->size != sizeof(*record) + counters) {
		defect(reader, "CHANNEL with %u counters has %u bytes",
		       record->nr_counters, record->size);
		return;
	}
	if (reader_find(reader, record->channel_id)) {
		defect(reader, "channel %u is announced twice", record->channel_id);
		return;
	}
	if (reader->nr_logs == READER_CHANNELS_MAX) {
		defect(reader, "more channels than this test expects");
		return;
	}
	log = &reader->logs[reader->nr_logs++];
	memset(log, 0, sizeof(*log));
	log->record = *record;
	log->last_time = record->time;
	reader->nr_no_memory += record->error == ENOMEM;
	memcpy(log->counters, record + 1, counters);
	if (record->ring_size)
		log_map(reader, log);
	else if (!record->error && !(reader->config.flags & COROPROF_SESSION_TOTALS))
		defect(reader, "channel %u has neither ring nor error", record->channel_id);
}

static inline void take_channel_end(struct reader *reader,
				    const struct coroprof_record_channel *record)
{
	struct log *log = reader_find(reader, record->channel_id);

	if (!log || log->ended) {
		defect(reader, "channel %u ends out of turn", record->channel_id);
		return;
	}
	log->ended = true;
	log->end = record->time;
	log->end_error = record->error;
	log->end_reason = record->reason;
}

static inline void take_ring_records(struct reader *reader, struct log *log,
				     const void *records, size_t size);
static inline size_t log_drain(struct reader *reader, struct log *log);

/* What the thread could not be trusted to leave in its ring comes after it. */
static inline void take_channel_last(struct reader *reader,
				     const struct coroprof_record_channel_last *record)
{
	struct log *log = reader_find(reader, record->channel_id);

	if (!log || log->ended || log->last_taken ||
	    log->record.mode != COROPROF_MODE_USER) {
		defect(reader, "the last of channel %u out of turn", record->channel_id);
		return;
	}
	log_drain(reader, log);
	log->last_taken = true;
	take_ring_records(reader, log, record + 1, record->size - sizeof(*record));
}

static inline void take_label(struct reader *reader,
			      const struct coroprof_record_label *record)
{
	size_t padded = (record->text_len + 7) & ~7U;

	if (record->size != sizeof(*record) + padded) {
		defect(reader, "LABEL with %u bytes of text has %u bytes",
		       record->text_len, record->size);
		return;
	}
	reader->nr_labels++;
	reader->label = *record;
	if (record->label < READER_LABELS_MAX)
		reader->label_values[record->label] = record->value;
	memset(reader->label_text, 0, sizeof(reader->label_text));
	memcpy(reader->label_text, record + 1, record->text_len);
}

static inline void take_record(struct reader *reader,
			       const struct coroprof_record *record)
{
	switch (record->type) {
	case COROPROF_RECORD_PROCESS:
		reader->nr_processes++;
		memcpy(&reader->process, record, sizeof(reader->process));
		break;
	case COROPROF_RECORD_PROCESS_END:
		reader->nr_process_ends++;
		memcpy(&reader->process_end, record, sizeof(reader->process_end));
		break;
	case COROPROF_RECORD_PROCESS_REFUSED:
		reader->nr_refused++;
		memcpy(&reader->refused, record, sizeof(reader->refused));
		break;
	case COROPROF_RECORD_LABEL:
		take_label(reader, (const void *)record);
		break;
	case COROPROF_RECORD_CHANNEL:
		take_channel(reader, (const void *)record);
		break;
	case COROPROF_RECORD_CHANNEL_END:
		take_channel_end(reader, (const void *)record);
		break;
	case COROPROF_RECORD_CHANNEL_LAST:
		take_channel_last(reader, (const void *)record);
		break;
	case COROPROF_RECORD_UNRECORDED:
		reader->unrecorded = ((const struct coroprof_record_unrecorded *)record)->nr;
		break;
	default:
		defect(reader, "record of unknown type %u in the stream", record->type);
	}
}

static inline bool record_sane(struct reader *reader,
			       const struct coroprof_record *record, size_t left)
{
	if (left >= sizeof(*record) && record->size >= sizeof(*record) &&
	    !(record->size % 8) && record->size <= COROPROF_RECORD_MAX &&
	    record->size <= left)
		return true;
	defect(reader, "record of type %u and %u bytes where %zu are left",
	       record->type, record->size, left);
	return false;
}

/* Takes what the stream has. Returns how many bytes that was. */
static inline size_t reader_stream(struct reader *reader)
{
	__u64 buffer[8192 / 8];
	size_t total = 0, at;
	ssize_t got;

	while ((got = read(reader->fd, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < (size_t)got;) {
			const struct coroprof_record *record = (void *)buffer + at;

			if (!record_sane(reader, record, got - at))
				return total;
			take_record(reader, record);
			at += record->size;
		}
		total += got;
	}
	if (got < 0 && errno != EAGAIN)
		defect(reader, "read of the session: %s", strerror(errno));
	return total;
}

/* The standing over two times: part of the time is SCALED. */
static inline __u32 merge_standing(__u32 a, __u32 b)
{
	__u32 merged = 0;
	int i;

	for (i = 0; i < COUNTERS_MAX; i++) {
		__u32 x = COROPROF_STANDING(a, i), y = COROPROF_STANDING(b, i);

		if (x == COROPROF_STANDING_UNSUPPORTED || y == COROPROF_STANDING_UNSUPPORTED)
			continue;
		merged |= (x == y ? x : COROPROF_STANDING_SCALED) << (2 * i);
	}
	return merged;
}

/* A slice taken apart; pointers are NULL where its flags say nothing follows. */
struct slice {
	const struct coroprof_record_slice *record;
	const __u64 *count;
	const struct coroprof_slice_offcpu *offcpu;
	const struct coroprof_slice_fresh *fresh;
	const struct coroprof_slice_woken *woken;
	const __u64 *missing_ns;
};

/* Returns whether the size is what the flags say. */
static inline bool slice_parse(struct slice *slice,
			       const struct coroprof_record_slice *record,
			       unsigned int nr_counters)
{
	const unsigned char *at = (const unsigned char *)(record + 1);

	memset(slice, 0, sizeof(*slice));
	slice->record = record;
	slice->count = (const __u64 *)at;
	at += nr_counters * sizeof(__u64);
	if (record->flags & COROPROF_SLICE_OFFCPU) {
		slice->offcpu = (const void *)at;
		at += sizeof(*slice->offcpu);
	}
	if (record->flags & COROPROF_SLICE_FRESH) {
		slice->fresh = (const void *)at;
		at += sizeof(*slice->fresh);
	}
	if (record->flags & COROPROF_SLICE_WOKEN) {
		slice->woken = (const void *)at;
		at += sizeof(*slice->woken);
	}
	if (record->flags & COROPROF_SLICE_SCALED) {
		slice->missing_ns = (const __u64 *)at;
		at += nr_counters * sizeof(__u64);
	}
	return at == (const unsigned char *)record + record->size;
}

static inline void sums_add(struct sums *sums, const struct slice *slice,
			    unsigned int nr_counters)
{
	const struct coroprof_slice_offcpu *off = slice->offcpu;
	__u64 off_ns = off ? off->preempted_ns + off->blocked_ns : 0;
	unsigned int i;

	sums->standing = sums->slices ?
		merge_standing(sums->standing, slice->record->standing) :
		slice->record->standing;
	sums->slices++;
	sums->duration += slice->record->duration;
	sums->running_ns += slice->record->duration - off_ns;
	if (off) {
		sums->preempted_ns += off->preempted_ns;
		sums->blocked_ns += off->blocked_ns;
		sums->nr_preempted += off->nr_preempted;
		sums->nr_blocked += off->nr_blocked;
	}
	for (i = 0; i < nr_counters; i++) {
		sums->count[i] += slice->count[i];
		if (slice->missing_ns)
			sums->missing_ns[i] += slice->missing_ns[i];
	}
}

static inline void slice_check(struct reader *reader, struct log *log,
			       const struct slice *slice)
{
	const struct coroprof_record_slice *record = slice->record;
	const struct coroprof_slice_offcpu *off = slice->offcpu;
	unsigned int nr = log->record.nr_counters, id = log->record.channel_id, i;
	__u64 begin = record->time - record->duration;
	bool in_part = false;

	if (begin != log->last_time)
		defect(reader, "channel %u: a slice begins at %llu, the one before ended at %llu",
		       id, begin, log->last_time);
	if (off && (off->preempted_ns > record->duration ||
		    off->blocked_ns > record->duration - off->preempted_ns))
		defect(reader, "channel %u: off the CPU for %llu + %llu of %llu ns",
		       id, off->preempted_ns, off->blocked_ns, record->duration);
	if (off && !off->nr_preempted && !off->nr_blocked)
		defect(reader, "channel %u: off the CPU, but never", id);
	if (!(record->flags & COROPROF_SLICE_FIRST) != (log->sums.slices || log->lost))
		defect(reader, "channel %u: FIRST at the wrong slice", id);
	if (!record->slot || record->slot >= reader->nr_slots)
		defect(reader, "channel %u: slice of slot %u", id, record->slot);
	for (i = 0; i < nr; i++) {
		__u32 standing = COROPROF_STANDING(record->standing, i);

		in_part |= standing == COROPROF_STANDING_SCALED ||
			   standing == COROPROF_STANDING_NOT_SCHEDULED;
		if (slice->missing_ns && slice->missing_ns[i] &&
		    standing == COROPROF_STANDING_COUNTED)
			defect(reader, "channel %u: counter %u is COUNTED but %llu ns are missing",
			       id, i, slice->missing_ns[i]);
	}
	if (in_part != !!slice->missing_ns)
		defect(reader, "channel %u: flag SCALED %s, standing %#x of %u counters",
		       id, slice->missing_ns ? "set" : "not set", record->standing, nr);
}

static inline void take_slice(struct reader *reader, struct log *log,
			      const struct coroprof_record_slice *record)
{
	unsigned int nr = log->record.nr_counters;
	struct slice slice;

	if (record->size < sizeof(*record) || !slice_parse(&slice, record, nr)) {
		defect(reader, "channel %u: a slice with flags %#x and %u counters has %u bytes",
		       log->record.channel_id, record->flags, nr, record->size);
		return;
	}
	slice_check(reader, log, &slice);
	sums_add(&log->sums, &slice, nr);
	if (record->slot < reader->nr_slots)
		sums_add(&reader->slots[record->slot], &slice, nr);
	if (reader->each)
		reader->each(reader, &slice);
	log->last_time = record->time;
	log->last = *record;
	if (slice.offcpu)
		log->last_offcpu = *slice.offcpu;
	if (slice.fresh)
		log->last_fresh = *slice.fresh;
	if (slice.woken)
		log->last_woken = *slice.woken;
}

static inline void take_span(struct reader *reader, struct log *log,
			     const struct coroprof_record_span *record)
{
	unsigned int nr = log->record.nr_counters, id = log->record.channel_id, i;
	bool scaled = record->flags & COROPROF_SPAN_SCALED, in_part = false;
	const __u64 *count = (const __u64 *)(record + 1);

	if (record->size != sizeof(*record) + nr * sizeof(__u64) * (scaled ? 2 : 1)) {
		defect(reader, "channel %u: a span with flags %#x and %u counters has %u bytes",
		       id, record->flags, nr, record->size);
		return;
	}
	if (record->time < log->last_time)
		defect(reader, "channel %u: a span ends at %llu, in a slice that begins at %llu",
		       id, record->time, log->last_time);
	if (!record->slot || record->slot >= reader->nr_slots)
		defect(reader, "channel %u: span of slot %u", id, record->slot);
	if (record->flags & ~COROPROF_SPAN_SCALED || record->reserved)
		defect(reader, "channel %u: span with flags %#x, reserved %#x", id,
		       record->flags, record->reserved);
	for (i = 0; i < nr; i++) {
		__u32 standing = COROPROF_STANDING(record->standing, i);

		in_part |= standing == COROPROF_STANDING_SCALED ||
			   standing == COROPROF_STANDING_NOT_SCHEDULED;
		log->last_span_count[i] = count[i];
		log->last_span_missing_ns[i] = scaled ? count[nr + i] : 0;
	}
	if (in_part != scaled)
		defect(reader, "channel %u: span with flags %#x, standing %#x of %u counters",
		       id, record->flags, record->standing, nr);
	log->spans++;
	log->last_span = *record;
}

static inline void take_trace(struct reader *reader, struct log *log,
			      const struct coroprof_record_trace *record)
{
	if (record->size != sizeof(*record) || record->trace_flags > 255 || record->flags)
		defect(reader, "channel %u: a trace of %u bytes, trace-flags %#x, flags %#x",
		       log->record.channel_id, record->size, record->trace_flags, record->flags);
	if (record->time < log->last_time)
		defect(reader, "channel %u: a trace at %llu, in a slice that begins at %llu",
		       log->record.channel_id, record->time, log->last_time);
	if (!record->slot || record->slot >= reader->nr_slots)
		defect(reader, "channel %u: trace of slot %u", log->record.channel_id, record->slot);
	log->traces++;
	log->last_trace = *record;
}

static inline void take_lost(struct reader *reader, struct log *log,
			     const struct coroprof_record_lost *record)
{
	bool nothing = !record->full && !record->spans;

	if ((nothing && !reader->may_lose_traces) || record->size != sizeof(*record) ||
	    record->time < log->last_time)
		defect(reader, "channel %u: LOST of %llu slices and %u spans until %llu, after %llu",
		       log->record.channel_id, record->full, record->spans, record->time,
		       log->last_time);
	log->lost += record->full;
	log->spans_lost += record->spans;
	log->nothing_lost += nothing;
	/* The next slice begins when the last lost one ended. */
	if (record->full)
		log->last_time = record->time;
}

/* Returns bytes taken, 0 when the record is not sane. */
static inline size_t take_ring_record(struct reader *reader, struct log *log,
				      const void *at, __u64 left)
{
	const struct coroprof_record *record = at;

	if (!record_sane(reader, record, left))
		return 0;
	switch (record->type) {
	case COROPROF_RECORD_LOST:
		take_lost(reader, log, at);
		break;
	case COROPROF_RECORD_SLICE:
		take_slice(reader, log, at);
		break;
	case COROPROF_RECORD_SPAN:
		take_span(reader, log, at);
		break;
	case COROPROF_RECORD_TRACE:
		take_trace(reader, log, at);
		break;
	default:
		defect(reader, "channel %u: record of type %u in its ring",
		       log->record.channel_id, record->type);
	}
	return record->size;
}

static inline void take_ring_records(struct reader *reader, struct log *log,
				     const void *records, size_t size)
{
	size_t at = 0, taken;

	while (at < size) {
		taken = take_ring_record(reader, log, records + at, size - at);
		if (!taken)
			return;
		at += taken;
	}
}

/* Bit 0 of the head is not of the position; what comes after the end is void. */
static inline __u64 ring_end(const struct log *log)
{
	__u64 head = __atomic_load_n(&log->producer->head, __ATOMIC_ACQUIRE) & ~1ULL;
	__u64 closed = __atomic_load_n(&log->consumer->closed, __ATOMIC_ACQUIRE);

	return head < closed ? head : closed;
}

/* Takes what is in the ring of one channel. Returns how many bytes. */
static inline size_t log_drain(struct reader *reader, struct log *log)
{
	size_t total = 0, size;
	__u64 head;

	if (!log->producer)
		return 0;
	head = ring_end(log);
	if (head - log->tail > log->record.ring_size)
		defect(reader, "channel %u: head %llu, tail %llu, ring of %u bytes",
		       log->record.channel_id, head, log->tail, log->record.ring_size);
	while (log->tail != head && !reader->defect[0]) {
		size = take_ring_record(reader, log,
					log->data + log->tail % log->record.ring_size,
					head - log->tail);
		if (!size)
			break;
		log->tail += size;
		total += size;
	}
	__atomic_store_n(&log->consumer->tail, log->tail, __ATOMIC_RELEASE);
	return total;
}

static inline size_t reader_drain(struct reader *reader)
{
	size_t total = reader_stream(reader);
	unsigned int i;

	for (i = 0; i < reader->nr_logs; i++)
		total += log_drain(reader, &reader->logs[i]);
	return total;
}

#endif /* _READER_H */
