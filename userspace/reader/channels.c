// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "cprof.h"
#include "warn.h"

/* Large enough to pack well, small enough to stay in the caches. */
#define CHUNK	(1u << 20)

/* So many threads that can't be recorded are told one by one. */
#define REFUSALS_TOLD	3

/**
 * struct channel - one thread's recording
 * @id:     its number
 * @tid:    the thread
 * @mapped: @ring can be read
 * @ring:   its ring
 */
struct channel {
	__u32 id;
	__s32 tid;
	bool mapped;
	struct ring ring;
};

static size_t place(const struct channels *cs, __u32 id)
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

static int make_room(struct channels *cs, struct error *err)
{
	size_t room = cs->room ? 2 * cs->room : 16;
	void *all;

	if (cs->nr < cs->room)
		return 0;
	all = reallocarray(cs->all, room, sizeof(*cs->all));
	if (!all)
		return error_set(err, ENOMEM, "out of memory for %zu channels",
				 room);
	cs->all = all;
	cs->room = room;
	return 0;
}

/* There may be thousands of threads, all refused for the same reason. */
static void refuse(struct channels *cs, const struct channel *ch,
		   const char *why)
{
	if (cs->refused++ < REFUSALS_TOLD)
		warn("thread %d is not recorded%s: %s", ch->tid,
		     ch->mapped ? " from here on" : "", why);
}

/* A thread that can't be recorded leaves the others as they are. */
static void map(struct channels *cs, struct channel *ch,
		const struct coroprof_record_channel *record)
{
	struct error err;

	if (record->error || !record->ring_size)
		refuse(cs, ch, record->error ? strerror(record->error) :
					       "it has no ring");
	else if (session_map_ring(cs->session, &ch->ring, ch->id,
				  record->ring_size, &err))
		refuse(cs, ch, err.message);
	else
		ch->mapped = true;
}

int channels_begin(struct channels *cs,
		   const struct coroprof_record_channel *record,
		   struct error *err)
{
	struct channel ch = { .id = record->channel_id, .tid = record->tid };
	size_t at = place(cs, ch.id);
	int ret;

	if (at < cs->nr && cs->all[at].id == ch.id)
		return error_set(err, EPROTO, "the session tells of channel %u twice",
				 ch.id);
	ret = make_room(cs, err);
	if (ret)
		return ret;
	cs->threads++;
	map(cs, &ch, record);
	memmove(&cs->all[at + 1], &cs->all[at],
		(cs->nr - at) * sizeof(*cs->all));
	cs->all[at] = ch;
	cs->nr++;
	return 0;
}

static void give_up(struct channels *cs, struct channel *ch, const char *why)
{
	refuse(cs, ch, why);
	ring_unmap(&ch->ring);
	ch->mapped = false;
}

/*
 * Writes one segment of up to @size bytes. They are copied before they are
 * looked at or packed, so that nobody can change them meanwhile. Returns how
 * many were taken, 0 when what is there is no record.
 */
static ssize_t drain_chunk(struct channels *cs, struct channel *ch, size_t size,
			   struct error *err)
{
	const struct cprof_ring header = { .channel_id = ch->id };
	bool part = size > CHUNK;
	char *records;
	int ret;

	if (part)
		size = CHUNK;
	cs->payload.size = 0;
	ret = buffer_append(&cs->payload, &header, sizeof(header), err);
	if (!ret)
		ret = buffer_reserve(&cs->payload, size, err);
	if (ret)
		return ret;
	records = cs->payload.data + sizeof(header);
	ring_copy(&ch->ring, records, size);
	if (part)
		size = ring_whole(records, size);
	if (!size)
		return 0;
	ret = writer_segment(cs->writer, CPROF_SEGMENT_RING, cs->payload.data,
			     sizeof(header) + size, err);
	if (ret)
		return ret;
	ring_consume(&ch->ring, size);
	cs->drained += size;
	return (ssize_t)size;
}

/*
 * Takes what is in the ring now; what a busy producer adds meanwhile is for the
 * next time, so that it can't keep us here.
 */
static int drain(struct channels *cs, struct channel *ch, size_t least,
		 struct error *err)
{
	size_t available;
	struct error why;
	ssize_t n;

	if (!ch->mapped)
		return 0;
	if (ring_available(&ch->ring, &available, &why)) {
		give_up(cs, ch, why.message);
		return 0;
	}
	if (available < least)
		return 0;
	while (available) {
		n = drain_chunk(cs, ch, available, err);
		if (n < 0)
			return (int)n;
		if (n == 0) {
			give_up(cs, ch, "a record in its ring has an impossible size");
			return 0;
		}
		available -= (size_t)n;
	}
	return 0;
}

int channels_drain(struct channels *cs, size_t least, struct error *err)
{
	for (size_t i = 0; i < cs->nr; i++) {
		int ret = drain(cs, &cs->all[i], least, err);

		if (ret)
			return ret;
	}
	return 0;
}

static int write_status(struct channels *cs, const struct channel *ch,
			struct error *err)
{
	struct coroprof_channel_status status;
	struct error why;

	/* Without its totals a channel is still good, only not checked. */
	if (session_channel(cs->session, ch->id, &status, &why)) {
		warn("thread %d: %s", ch->tid, why.message);
		return 0;
	}
	cs->slices += status.slices;
	cs->lost += status.lost;
	return writer_segment(cs->writer, CPROF_SEGMENT_STATUS, &status,
			      sizeof(status), err);
}

static int end(struct channels *cs, struct channel *ch, struct error *err)
{
	int ret = drain(cs, ch, 0, err);

	if (!ret)
		ret = write_status(cs, ch, err);
	if (ch->mapped)
		ring_unmap(&ch->ring);
	session_forget(cs->session, ch->id);
	return ret;
}

int channels_end(struct channels *cs, __u32 id, struct error *err)
{
	size_t at = place(cs, id);
	int ret;

	if (at == cs->nr || cs->all[at].id != id)
		return error_set(err, EPROTO, "the session tells of the end of channel %u, which never began",
				 id);
	ret = end(cs, &cs->all[at], err);
	cs->nr--;
	memmove(&cs->all[at], &cs->all[at + 1],
		(cs->nr - at) * sizeof(*cs->all));
	return ret;
}

int channels_end_all(struct channels *cs, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < cs->nr; i++)
		ret = end(cs, &cs->all[i], err);
	cs->nr = 0;
	return ret;
}

void channels_free(struct channels *cs)
{
	for (size_t i = 0; i < cs->nr; i++) {
		if (cs->all[i].mapped)
			ring_unmap(&cs->all[i].ring);
	}
	free(cs->all);
	buffer_free(&cs->payload);
	cs->all = NULL;
	cs->nr = 0;
}
