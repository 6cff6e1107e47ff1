// SPDX-License-Identifier: GPL-2.0
/*
 * Maps the rings of channels that the session announces, copies the records in them into segments
 * of the file, and writes the last status of each channel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/warn.h"
#include "cprof/format.h"
#include "explain/reason.h"
#include "record/channels.h"
#include "record/packed.h"

/* Large enough to pack well, small enough to stay in the caches. */
#define CHUNK	(1u << 20)

/* So many threads that can't be recorded are reported one by one. */
#define REFUSALS_REPORTED	3

/**
 * struct source - one ring of a channel
 * @segment: CPROF_SEGMENT_RING, or _SAMPLES
 * @mapped:  @ring can be read
 * @ring:    the ring
 * @samples: of _SAMPLES: so many records of samples were read
 */
struct source {
	unsigned int segment;
	bool mapped;
	struct ring ring;
	uint64_t samples;
};

/**
 * struct channel - one thread's recording
 * @id:      its number
 * @tid:     the thread
 * @comm:    its name
 * @process: pid and name of its process
 * @user:    the thread itself may write its ring of slices
 * @slices:  slices and spans
 * @samples: samples
 * @marked:  its totals when it was marked last; before that the size is 0
 * @head:    where its ring of slices was written up to at the last channels_open()
 */
struct channel {
	__u32 id;
	__s32 tid;
	char comm[17];
	char process[40];
	bool user;
	struct source slices;
	struct source samples;
	struct coroprof_channel_status marked;
	uint64_t head;
};

/* The place in channels.all, which is sorted, where channel @id is or would be. */
static size_t find_place(const struct channels *cs, __u32 id)
{
	size_t low = 0, high = cs->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (cs->all[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int reserve_channel(struct channels *cs, struct error *err)
{
	size_t capacity = cs->capacity ? 2 * cs->capacity : 16;
	void *all;

	if (cs->nr < cs->capacity)
		return 0;
	all = reallocarray(cs->all, capacity, sizeof(*cs->all));
	if (!all)
		return error_set(err, ENOMEM, "out of memory for %zu channels",
				 capacity);
	cs->all = all;
	cs->capacity = capacity;
	return 0;
}

/* Warns of the first threads only: there may be thousands, all for the same reason. */
static void report_unrecorded(struct channels *cs, const struct channel *ch,
			      const char *why)
{
	if (cs->refused++ < REFUSALS_REPORTED)
		warn("thread %d is not recorded: %s", ch->tid, why);
}

/*
 * Maps the rings of a channel. A thread that can't be recorded is reported, and the others go on.
 */
static void map_rings(struct channels *cs, struct channel *ch,
		      const struct coroprof_record_channel *record)
{
	struct error err;

	ch->slices.segment = CPROF_SEGMENT_RING;
	ch->samples.segment = CPROF_SEGMENT_SAMPLES;
	if (cs->totals && !record->error)
		return;
	if (record->error || !record->ring_size)
		report_unrecorded(cs, ch, record->error ? reason_channel(record->error) :
					       "it has no ring");
	else if (session_map_ring(cs->session, &ch->slices.ring, ch->id,
				  record->ring_size, &err))
		report_unrecorded(cs, ch, err.message);
	else
		ch->slices.mapped = true;
	if (!ch->slices.mapped || !record->sample_ring_size)
		return;
	if (session_map_samples(cs->session, &ch->samples.ring, ch->id,
				record->sample_ring_size, &err))
		warn("thread %d has no samples: %s", ch->tid, err.message);
	else
		ch->samples.mapped = true;
}

static void unmap_source(struct source *source)
{
	if (source->mapped)
		ring_unmap(&source->ring);
	source->mapped = false;
}

int channels_begin(struct channels *cs,
		   const struct coroprof_record_channel *record,
		   const char *process, struct error *err)
{
	struct channel ch = {
		.id = record->channel_id,
		.tid = record->tid,
		.user = record->mode == COROPROF_MODE_USER,
	};
	size_t at = find_place(cs, ch.id);
	int ret;

	if (at < cs->nr && cs->all[at].id == ch.id)
		return error_set(err, EPROTO, "the session has announced channel %u twice",
				 ch.id);
	ret = reserve_channel(cs, err);
	if (ret)
		return ret;
	memcpy(ch.comm, record->comm, sizeof(record->comm));
	snprintf(ch.process, sizeof(ch.process), "%s", process);
	cs->threads++;
	map_rings(cs, &ch, record);
	memmove(&cs->all[at + 1], &cs->all[at],
		(cs->nr - at) * sizeof(*cs->all));
	cs->all[at] = ch;
	cs->nr++;
	return 0;
}

/* Writes why a ring could not be read to its end into the recording, which is read elsewhere. */
static int write_truncated(struct channels *cs, const struct channel *ch,
			   const char *text, struct error *err)
{
	char key[32];
	int ret;

	snprintf(key, sizeof(key), "torn.%u", ch->id);
	cs->payload.size = 0;
	ret = buffer_append(&cs->payload, key, strlen(key) + 1, err);
	if (!ret)
		ret = buffer_append(&cs->payload, text, strlen(text) + 1, err);
	return ret ? ret : writer_segment(cs->writer, CPROF_SEGMENT_INFO,
					  cs->payload.data, cs->payload.size,
					  err);
}

/* Reads no more of a ring whose content makes no sense, and writes the reason to the recording. */
static int give_up_ring(struct channels *cs, struct channel *ch,
			struct source *source, const char *why, struct error *err)
{
	struct error text;

	error_set(&text, EPROTO, "thread %d (%s) of process %s: its ring of %s makes no sense at byte %llu%s: %s; nothing behind that is recorded",
		  ch->tid, ch->comm, ch->process,
		  source == &ch->slices ? "slices" : "samples",
		  source->ring.tail,
		  ch->user ? ", which the program itself wrote" : "", why);
	if (cs->refused++ < REFUSALS_REPORTED)
		warn("%s", text.message);
	unmap_source(source);
	return write_truncated(cs, ch, text.message, err);
}

/*
 * Returns how many bytes of whole records have no more than @most samples; @nr: how many samples.
 */
static size_t count_samples(const struct buffer *records, size_t size, uint64_t most, uint64_t *nr)
{
	const struct coroprof_record *record;
	const char *at = records->data;
	size_t left = size;

	*nr = 0;
	while (*nr < most && (record = packed_next(&at, &left)))
		*nr += record->type == COROPROF_RECORD_SAMPLE;
	return size - left;
}

static int write_records(struct channels *cs, const struct channel *ch,
			 struct source *source, size_t size,
			 struct error *err)
{
	uint64_t samples;

	cs->drained += size;
	if (source->segment == CPROF_SEGMENT_SAMPLES) {
		count_samples(&cs->payload, size, UINT64_MAX, &samples);
		source->samples += samples;
	}
	return writer_records(cs->writer, source->segment, ch->id,
			      cs->payload.data, size, err);
}

/*
 * Writes one segment of up to @size bytes. The bytes are copied before they are parsed or packed,
 * so that nobody can change them meanwhile. Returns how many bytes were written; 0 if the next ones
 * are no record.
 */
static ssize_t drain_chunk(struct channels *cs, struct channel *ch,
			   struct source *source, size_t size,
			   struct error *err)
{
	int ret;

	if (size > CHUNK)
		size = CHUNK;
	cs->payload.size = 0;
	ret = buffer_reserve(&cs->payload, size, err);
	if (ret)
		return ret;
	ring_copy(&source->ring, cs->payload.data, size);
	size = ring_whole(cs->payload.data, size);
	if (!size)
		return 0;
	ret = write_records(cs, ch, source, size, err);
	if (ret)
		return ret;
	ring_consume(&source->ring, size);
	return (ssize_t)size;
}

static int drain_bytes(struct channels *cs, struct channel *ch, struct source *source,
		       size_t size, struct error *err)
{
	while (size) {
		ssize_t n = drain_chunk(cs, ch, source, size, err);

		if (n < 0)
			return (int)n;
		if (n == 0)
			return give_up_ring(cs, ch, source, "a record has an impossible size",
					    err);
		size -= (size_t)n;
	}
	return 0;
}

/*
 * Writes what is in the ring at this time. What a busy producer adds meanwhile is left for the next
 * call, so that this one ends.
 */
static int drain_source(struct channels *cs, struct channel *ch,
			struct source *source, size_t least, struct error *err)
{
	size_t available;
	struct error why;

	if (!source->mapped)
		return 0;
	if (ring_available(&source->ring, &available, &why))
		return give_up_ring(cs, ch, source, why.message, err);
	/* A smaller ring than the session's has its watermark lower. */
	if (available < least && available < source->ring.size / 4)
		return 0;
	return drain_bytes(cs, ch, source, available, err);
}

static int drain_channel(struct channels *cs, struct channel *ch, size_t least,
			 struct error *err)
{
	int ret = drain_source(cs, ch, &ch->slices, least, err);

	return ret ? ret : drain_source(cs, ch, &ch->samples, least, err);
}

int channels_drain(struct channels *cs, size_t least, struct error *err)
{
	for (size_t i = 0; i < cs->nr; i++) {
		int ret = drain_channel(cs, &cs->all[i], least, err);

		if (ret)
			return ret;
	}
	return 0;
}

/* @status: receives the totals of the thread, zero if the kernel has none any more. */
static int query_and_write_status(struct channels *cs, const struct channel *ch,
				  struct coroprof_channel_status *status, struct error *err)
{
	struct error why;

	/* Without its totals a channel is still good, only not checked. */
	if (session_channel(cs->session, ch->id, status, &why)) {
		*status = (struct coroprof_channel_status){ 0 };
		warn("thread %d: %s", ch->tid, why.message);
		return 0;
	}
	return writer_segment(cs->writer, CPROF_SEGMENT_STATUS, status,
			      sizeof(*status), err);
}

static int write_last_status(struct channels *cs, const struct channel *ch,
			     struct error *err)
{
	struct coroprof_channel_status status;
	int ret = query_and_write_status(cs, ch, &status, err);

	cs->slices += status.slices;
	cs->lost += status.lost;
	cs->samples += status.samples;
	cs->lost_samples += status.samples_lost;
	cs->throttled += status.throttled;
	return ret;
}

int channels_write_statuses(struct channels *cs, struct error *err)
{
	struct coroprof_channel_status status;
	int ret = 0;

	for (size_t i = 0; !ret && i < cs->nr; i++)
		ret = query_and_write_status(cs, &cs->all[i], &status, err);
	return ret;
}

/*
 * True if the rings hold no record behind the last mark, so that the thread's totals are those of
 * the mark.
 */
static bool has_nothing_behind_mark(const struct channel *ch)
{
	size_t slices, samples = 0;
	struct error ignored;

	return ch->marked.size && ch->slices.ring.tail == ch->marked.ring_head &&
	       !ring_available(&ch->slices.ring, &slices, &ignored) && !slices &&
	       (!ch->samples.mapped ||
		(ch->samples.samples == ch->marked.samples - ch->marked.samples_lost &&
		 !ring_available(&ch->samples.ring, &samples, &ignored) && !samples));
}

/*
 * Writes the samples that the totals in @status include. Totals have no position in the ring of
 * samples: their number of samples says where the mark is.
 */
static int drain_samples(struct channels *cs, struct channel *ch,
			 const struct coroprof_channel_status *status, struct error *err)
{
	struct source *source = &ch->samples;
	uint64_t most = status->samples - status->samples_lost, nr;
	size_t available, size;
	struct error why;
	int ret = 0;

	while (!ret && source->mapped && source->samples < most) {
		if (ring_available(&source->ring, &available, &why))
			return give_up_ring(cs, ch, source, why.message, err);
		size = available < CHUNK ? available : CHUNK;
		cs->payload.size = 0;
		ret = buffer_reserve(&cs->payload, size, err);
		if (ret)
			return ret;
		ring_copy(&source->ring, cs->payload.data, size);
		size = count_samples(&cs->payload, ring_whole(cs->payload.data, size),
				     most - source->samples, &nr);
		if (!nr)
			return 0;
		ret = drain_bytes(cs, ch, source, size, err);
	}
	return ret;
}

/*
 * Writes the records up to where the thread's totals stand, and then these totals. The kernel sets
 * their position, which is not before what has been read. If the ring can't be read up to there,
 * nothing is marked this time.
 */
static int mark_channel(struct channels *cs, struct channel *ch, struct error *err)
{
	struct coroprof_channel_status status;
	size_t available;
	struct error why;
	int ret;

	if (!ch->slices.mapped)
		return 0;
	if (has_nothing_behind_mark(ch))
		return writer_segment(cs->writer, CPROF_SEGMENT_STATUS, &ch->marked,
				      sizeof(ch->marked), err);
	if (session_channel(cs->session, ch->id, &status, &why) ||
	    status.flags & COROPROF_CHANNEL_ENDED ||
	    ring_available(&ch->slices.ring, &available, &why) ||
	    status.ring_head - ch->slices.ring.tail > available)
		return 0;
	ret = drain_bytes(cs, ch, &ch->slices, status.ring_head - ch->slices.ring.tail, err);
	if (!ret)
		ret = drain_samples(cs, ch, &status, err);
	if (ret || !ch->slices.mapped)
		return ret;
	ch->marked = status;
	return writer_segment(cs->writer, CPROF_SEGMENT_STATUS, &status, sizeof(status), err);
}

int channels_mark(struct channels *cs, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < cs->nr; i++)
		ret = mark_channel(cs, &cs->all[i], err);
	return ret;
}

void channels_open(struct channels *cs,
		   void (*each)(void *context, const struct coroprof_channel_status *status),
		   void *context)
{
	struct coroprof_channel_status status;
	struct error ignored;

	for (size_t i = 0; i < cs->nr; i++) {
		struct channel *ch = &cs->all[i];
		uint64_t head = ch->slices.mapped ? ring_head(&ch->slices.ring) : UINT64_MAX;
		bool same = head == ch->head && ch->slices.mapped;

		ch->head = head;
		if (same && !session_channel(cs->session, ch->id, &status, &ignored))
			each(context, &status);
	}
}

void channels_each(struct channels *cs,
		   void (*each)(void *context, const struct coroprof_channel_status *status),
		   void *context)
{
	struct coroprof_channel_status status;
	struct error ignored;

	for (size_t i = 0; i < cs->nr; i++)
		if (!session_channel(cs->session, cs->all[i].id, &status, &ignored))
			each(context, &status);
}

/* Reads the rings to their end, writes the last totals, and has the kernel free the channel. */
static int end_channel(struct channels *cs, struct channel *ch, struct error *err)
{
	int ret = drain_channel(cs, ch, 0, err);

	if (!ret)
		ret = write_last_status(cs, ch, err);
	unmap_source(&ch->slices);
	unmap_source(&ch->samples);
	session_forget(cs->session, ch->id);
	return ret;
}

static struct channel *find_channel(struct channels *cs, __u32 id)
{
	size_t at = find_place(cs, id);

	return at < cs->nr && cs->all[at].id == id ? &cs->all[at] : NULL;
}

int channels_last(struct channels *cs, __u32 id, const void *records,
		  size_t size, struct error *err)
{
	struct channel *ch = find_channel(cs, id);
	int ret;

	if (!ch)
		return error_set(err, EPROTO, "the session has the last records of channel %u, which never began",
				 id);
	ret = drain_source(cs, ch, &ch->slices, 0, err);
	/* Behind what is missing it would seem to follow on what there is. */
	if (ret || !ch->slices.mapped || !size)
		return ret;
	cs->payload.size = 0;
	ret = buffer_reserve(&cs->payload, size, err);
	if (ret)
		return ret;
	memcpy(cs->payload.data, records, size);
	return write_records(cs, ch, &ch->slices, size, err);
}

int channels_end(struct channels *cs, __u32 id, struct error *err)
{
	size_t at = find_place(cs, id);
	int ret;

	if (at == cs->nr || cs->all[at].id != id)
		return error_set(err, EPROTO,
				 "the session has the end of channel %u, which never began", id);
	ret = end_channel(cs, &cs->all[at], err);
	cs->nr--;
	memmove(&cs->all[at], &cs->all[at + 1],
		(cs->nr - at) * sizeof(*cs->all));
	return ret;
}

int channels_end_all(struct channels *cs, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < cs->nr; i++)
		ret = end_channel(cs, &cs->all[i], err);
	cs->nr = 0;
	return ret;
}

void channels_free(struct channels *cs)
{
	for (size_t i = 0; i < cs->nr; i++) {
		unmap_source(&cs->all[i].slices);
		unmap_source(&cs->all[i].samples);
	}
	free(cs->all);
	buffer_free(&cs->payload);
	cs->all = NULL;
	cs->nr = 0;
}
