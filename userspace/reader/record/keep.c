// SPDX-License-Identifier: GPL-2.0
/*
 * The last of a recording, by ticks, within bounds of time and bytes. The oldest tick goes first;
 * each thread keeps totals from before its oldest records, so that the sums of a file can be
 * checked.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cprof/decode.h"
#include "cprof/format.h"
#include "cprof/memory.h"
#include "cprof/writer.h"
#include "record/describe.h"
#include "record/keep.h"
#include "record/watch.h"

/* A tick is as long as that, or has so large a part of the bytes. */
#define TICK_NS		SECOND_NS
#define TICK_PART	8u

/* As much of the bytes may go to coroutines that live. */
#define LIVING_PART	4u

/* So many totals are in one segment. */
#define TOTALS_MAX	1024u

/**
 * struct kept_segment - of a ring, as stored
 */
struct kept_segment {
	struct kept_segment *next;
	uint64_t size;
	char stored[];
};

/**
 * struct kept_records - of a tick: they stay as long as any recording in memory refers to them. Such a
 * recording sees what segments have stored, which does not change; the list is the recorder's alone
 * until the last has left
 * @share: counts these, and the tick
 * @head:  segments, in order
 */
struct kept_records {
	struct memory_share share;
	struct kept_segment *head;
};

/**
 * struct kept_tick - a piece of time
 * @begin: when it began
 * @settled: behind the times of all totals that it has
 * @records: of it
 * @tail:  where the next segment goes; NULL: there is none yet
 * @bytes: of them
 */
struct kept_tick {
	uint64_t begin;
	uint64_t settled;
	struct kept_records *records;
	struct kept_segment *tail;
	uint64_t bytes;
};

/**
 * struct kept_base - totals of a channel
 * @tick:   whose records are behind them
 * @after:  tick of the totals before them: from there on records came
 * @status: the totals
 */
struct kept_base {
	uint64_t tick;
	uint64_t after;
	struct coroprof_channel_status status;
};

/**
 * struct kept_channel - a thread
 * @id:       its number
 * @process:  of whom
 * @record:   CHANNEL
 * @end:      CHANNEL_END; all zero before it
 * @born:     tick in which it began
 * @tick:     records go to this one: that of the last totals before its end
 * @ended:    tick in which its recording ended; UINT64_MAX before
 * @bases:    totals, in order; of those that no record is between, the first
 * @nr_bases: how many
 * @last:     the last totals; with size 0 there were none
 * @whole:    no record came behind @last
 */
struct kept_channel {
	uint32_t id;
	uint32_t process;
	struct coroprof_record *record;
	struct coroprof_record_channel end;
	uint64_t born;
	uint64_t tick;
	uint64_t ended;
	struct kept_base *bases;
	uint32_t nr_bases;
	struct coroprof_channel_status last;
	bool whole;
};

static uint64_t newest(const struct keep *k)
{
	return k->first + k->nr_ticks - 1;
}

static struct kept_tick *tick_of(struct keep *k, uint64_t number)
{
	return &k->ticks[number - k->first];
}

static struct kept_channel *find(const struct keep *k, uint32_t channel_id)
{
	uint32_t row = index_get(&k->index, channel_id, 0);

	return row == INDEX_NONE ? NULL : &k->channels[row];
}

/* ---- what is too old */

static void drop_channel(struct keep *k, struct kept_channel *c)
{
	struct kept_channel *last = &k->channels[k->nr_channels - 1];
	uint32_t process = c->process;

	k->bytes -= sizeof(*c) + c->record->size + c->nr_bases * sizeof(*c->bases);
	index_remove(&k->index, c->id, 0);
	free(c->record);
	free(c->bases);
	/* It is there already, so there is room. */
	if (c != last) {
		*c = *last;
		index_put(&k->index, c->id, 0, (uint32_t)(c - k->channels));
	}
	k->nr_channels--;
	context_release(&k->context, process);
}

/* Of those before the first tick the last is needed. */
static void drop_bases(struct keep *k, struct kept_channel *c)
{
	uint32_t old = 0;

	while (old + 1 < c->nr_bases && c->bases[old + 1].tick <= k->first)
		old++;
	if (!old)
		return;
	k->bytes -= old * sizeof(*c->bases);
	c->nr_bases -= old;
	memmove(c->bases, c->bases + old, c->nr_bases * sizeof(*c->bases));
}

static void free_records(struct memory_share *share)
{
	struct kept_records *records = (void *)((char *)share - offsetof(struct kept_records, share));
	struct kept_segment *next;

	for (struct kept_segment *s = records->head; s; s = next) {
		next = s->next;
		free(s);
	}
	free(records);
}

static bool is_gone(void *context, uint32_t process_id)
{
	return !context_knows(context, process_id);
}

static void drop_tick(struct keep *k)
{
	uint64_t gone = k->context.gone;

	k->bytes -= k->ticks[0].bytes;
	memory_leave(&k->ticks[0].records->share);
	k->nr_ticks--;
	memmove(k->ticks, k->ticks + 1, k->nr_ticks * sizeof(*k->ticks));
	k->first++;
	k->dropped = true;
	for (uint32_t i = k->nr_channels; i--;) {
		struct kept_channel *c = &k->channels[i];

		if (c->ended < k->first)
			drop_channel(k, c);
		else
			drop_bases(k, c);
	}
	living_forget(&k->living, k->first);
	if (k->context.gone == gone)
		return;
	living_sift(&k->living, is_gone, &k->context);
	if (k->watch)
		watch_sift(k->watch, is_gone, &k->context);
}

uint64_t keep_bytes(const struct keep *k)
{
	return k->bytes + k->context.bytes + living_bytes(&k->living);
}

/* The tick that goes on stays. */
static void squeeze(struct keep *k)
{
	while (k->nr_ticks > 1 && keep_bytes(k) > k->most) {
		drop_tick(k);
		k->squeezed = true;
	}
}

/* ---- what comes */

static int add_tick(struct keep *k, uint64_t now, struct error *err)
{
	struct kept_records *records = malloc(sizeof(*records));

	if (!records || !array_grow(&k->ticks, k->nr_ticks, sizeof(*k->ticks))) {
		free(records);
		return error_set(err, ENOMEM, "out of memory");
	}
	*records = (struct kept_records){ .share = { 1, free_records } };
	k->ticks[k->nr_ticks++] = (struct kept_tick){ .begin = now, .settled = now, .records = records };
	return 0;
}

uint64_t keep_next(const struct keep *k)
{
	const struct kept_tick *t = &k->ticks[k->nr_ticks - 1];

	return t->bytes > k->most / TICK_PART ? t->begin : t->begin + TICK_NS;
}

int keep_tick(struct keep *k, uint64_t now, struct error *err)
{
	int ret = add_tick(k, now, err);

	while (!ret && k->nr_ticks > 1 && now - k->ticks[1].begin >= k->ns)
		drop_tick(k);
	squeeze(k);
	return ret;
}

static int begin_channel(struct keep *k, const struct coroprof_record_channel *record,
			 struct error *err)
{
	struct kept_channel *c;

	if (find(k, record->channel_id))
		return 0;
	if (!array_grow(&k->channels, k->nr_channels, sizeof(*k->channels)) ||
	    !index_put(&k->index, record->channel_id, 0, k->nr_channels))
		return error_set(err, ENOMEM, "out of memory for %u threads", k->nr_channels);
	c = &k->channels[k->nr_channels];
	*c = (struct kept_channel){
		.id = record->channel_id, .process = record->process_id, .born = newest(k),
		.tick = newest(k), .ended = UINT64_MAX, .record = malloc(record->size),
	};
	k->nr_channels++;
	if (!c->record) {
		k->nr_channels--;
		index_remove(&k->index, record->channel_id, 0);
		return error_set(err, ENOMEM, "out of memory");
	}
	memcpy(c->record, record, record->size);
	k->bytes += sizeof(*c) + record->size;
	context_hold(&k->context, c->process);
	return 0;
}

static void end_channel(struct keep *k, const struct coroprof_record_channel *record)
{
	struct kept_channel *c = find(k, record->channel_id);

	if (!c)
		return;
	c->end = *record;
	c->end.size = sizeof(c->end);
	c->end.nr_counters = 0;
	c->ended = newest(k);
}

static int take_stream(struct keep *k, const void *payload, size_t size, struct error *err)
{
	const struct coroprof_record *r;
	struct decode d;
	int ret = 0;

	decode_init(&d, payload, size);
	while (!ret && (r = decode_stream(&d))) {
		if (r->type == COROPROF_RECORD_CHANNEL)
			ret = begin_channel(k, (const void *)r, err);
		else if (r->type == COROPROF_RECORD_CHANNEL_END)
			end_channel(k, (const void *)r);
		else
			ret = context_record(&k->context, r, err);
		if (!ret && k->watch && r->type == COROPROF_RECORD_LABEL)
			ret = watch_label(k->watch, (const void *)r, err);
	}
	return ret;
}

/* All records that the totals have ended before. */
static void settle(struct kept_tick *t, const struct coroprof_channel_status *s)
{
	uint64_t behind = s->begin + s->running_ns + s->preempted_ns + s->blocked_ns + 1;

	if (behind > t->settled)
		t->settled = behind;
}

/* As far as they are of what the records add up to. */
static bool same_totals(const struct coroprof_channel_status *a,
			const struct coroprof_channel_status *b)
{
	return !memcmp((const char *)a + offsetof(struct coroprof_channel_status, standing),
		       (const char *)b + offsetof(struct coroprof_channel_status, standing),
		       offsetof(struct coroprof_channel_status, open_begin) -
		       offsetof(struct coroprof_channel_status, standing));
}

static int take_status(struct keep *k, const void *payload, size_t size, struct error *err)
{
	struct coroprof_channel_status status = { 0 };
	struct kept_channel *c;
	uint64_t after;
	bool same;

	memcpy(&status, payload, size < sizeof(status) ? size : sizeof(status));
	c = find(k, status.channel_id);
	if (!c)
		return 0;
	settle(tick_of(k, newest(k)), &status);
	same = c->whole && c->nr_bases && same_totals(&c->last, &status);
	c->last = status;
	c->whole = true;
	after = c->tick;
	/* That of one that has ended stays the tick of its last records. */
	if (!(status.flags & COROPROF_CHANNEL_ENDED))
		c->tick = newest(k);
	/*
	 * Behind the end there are no records. In the middle of a tick, which is dropped as a
	 * whole, none begin; and in the one in which a thread began all of it is there.
	 */
	if (same || status.flags & COROPROF_CHANNEL_ENDED || c->born == c->tick ||
	    (c->nr_bases && c->bases[c->nr_bases - 1].tick == c->tick))
		return 0;
	if (!array_grow(&c->bases, c->nr_bases, sizeof(*c->bases)))
		return error_set(err, ENOMEM, "out of memory");
	c->bases[c->nr_bases++] = (struct kept_base){ c->tick, after, status };
	k->bytes += sizeof(*c->bases);
	drop_bases(k, c);
	return 0;
}

/* What has no place any more would have been dropped by now. */
static int take_records(struct keep *k, const struct cprof_segment *segment, const void *payload,
			const void *stored, size_t size, struct error *err)
{
	struct kept_channel *c = find(k, segment->channel_id);
	struct watch_thread thread;
	struct kept_segment *s;
	struct kept_tick *t;

	if (!c)
		return 0;
	c->whole = false;
	k->records++;
	if (k->watch && segment->type == CPROF_SEGMENT_RING) {
		thread = watch_thread((const void *)c->record);
		watch_records(k->watch, &thread, payload, segment->size);
	}
	if (segment->type == CPROF_SEGMENT_RING)
		living_look(&k->living, c->process, c->tick, payload, segment->size);
	if (c->tick < k->first)
		return 0;
	s = malloc(sizeof(*s) + size);
	if (!s)
		return error_set(err, ENOMEM, "out of memory for what is kept");
	*s = (struct kept_segment){ .size = size };
	memcpy(s->stored, stored, size);
	t = tick_of(k, c->tick);
	if (t->tail)
		t->tail->next = s;
	else
		t->records->head = s;
	t->tail = s;
	t->bytes += sizeof(*s) + size;
	k->bytes += sizeof(*s) + size;
	squeeze(k);
	return 0;
}

static int take(void *keep, const struct cprof_segment *segment, const void *payload,
		const void *stored, size_t size, struct error *err)
{
	struct keep *k = keep;

	switch (segment->type) {
	case CPROF_SEGMENT_INFO:
		return context_info(&k->context, payload, segment->size, err);
	case CPROF_SEGMENT_COUNTERS:
		return context_counters(&k->context, stored, size, err);
	case CPROF_SEGMENT_STREAM:
		return take_stream(k, payload, segment->size, err);
	case CPROF_SEGMENT_MAPS:
		return context_maps(&k->context, ((const struct cprof_maps *)payload)->process_id,
				    stored, size, err);
	case CPROF_SEGMENT_STATUS:
		return take_status(k, payload, segment->size, err);
	case CPROF_SEGMENT_RING:
	case CPROF_SEGMENT_SAMPLES:
		return take_records(k, segment, payload, stored, size, err);
	}
	return 0;
}

int keep_begin(struct keep *k, uint64_t ns, uint64_t bytes, struct error *err)
{
	*k = (struct keep){ .sink = { take, k }, .ns = ns, .most = bytes };
	living_begin(&k->living, bytes / LIVING_PART);
	return add_tick(k, monotonic_ns(), err);
}

/* ---- what there is */

uint64_t keep_from(const struct keep *k)
{
	return k->ticks[0].begin;
}

bool keep_is_full(const struct keep *k, uint64_t now)
{
	return k->squeezed || now - keep_from(k) >= k->ns;
}

const struct coroprof_record_channel *keep_channel(const struct keep *k, uint32_t channel_id)
{
	const struct kept_channel *c = find(k, channel_id);

	return c ? (const void *)c->record : NULL;
}

/**
 * struct part - of what is kept, that is written
 * @keep:   all of it
 * @writer: where to
 * @first:  its first tick
 * @end:    the tick behind it
 */
struct part {
	struct keep *keep;
	struct writer *writer;
	uint64_t first;
	uint64_t end;
};

static struct part all_of(struct keep *k, struct writer *writer)
{
	return (struct part){ k, writer, k->first, newest(k) + 1 };
}

/* How many of its totals are of this tick or before. */
static uint32_t bases_up_to(const struct kept_channel *c, uint64_t tick)
{
	uint32_t nr = 0;

	while (nr < c->nr_bases && c->bases[nr].tick <= tick)
		nr++;
	return nr;
}

/*
 * Its records begin behind these totals; NULL: with its recording. Where there were none at the begin
 * of the part, what came up to the next ones is in the tick of those before: in no tick of the part,
 * if these are older, and then the part begins behind the next ones.
 */
static const struct coroprof_channel_status *base_of(const struct part *p,
						     const struct kept_channel *c)
{
	uint32_t nr;

	if (c->born >= p->first || !c->nr_bases)
		return NULL;
	nr = bases_up_to(c, p->first);
	if (nr < c->nr_bases && c->bases[nr].after < p->first)
		return &c->bases[nr].status;
	if (nr == c->nr_bases && c->tick < p->first)
		return &c->last;
	return &c->bases[nr - 1].status;
}

/* Of one whose records were dropped before there were totals nothing is reported. */
static bool is_there(const struct part *p, const struct kept_channel *c)
{
	if (c->born >= p->first)
		return c->born < p->end;
	return c->ended >= p->first && c->nr_bases && c->bases[0].tick < p->end;
}

static bool is_kept(void *part, uint32_t channel_id)
{
	const struct part *p = part;
	const struct kept_channel *c = find(p->keep, channel_id);

	return c && is_there(p, c);
}

static int write_channels(const struct part *p, struct error *err)
{
	struct keep *k = p->keep;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < k->nr_channels; i++) {
		const struct kept_channel *c = &k->channels[i];

		if (!is_there(p, c))
			continue;
		ret = context_put(p->writer, &k->scratch, c->record, c->record->size, err);
		if (!ret && c->ended < p->end)
			ret = context_put(p->writer, &k->scratch, &c->end, sizeof(c->end), err);
	}
	return ret;
}

static int write_context(struct part *p, struct error *err)
{
	struct keep *k = p->keep;
	int ret = context_write_info(&k->context, p->writer, is_kept, p, err);

	k->scratch.size = 0;
	if (!ret)
		ret = context_write_processes(&k->context, p->writer, &k->scratch, err);
	if (!ret)
		ret = write_channels(p, err);
	if (!ret)
		ret = context_flush(p->writer, &k->scratch, err);
	return ret ? ret : context_write_maps(&k->context, p->writer, err);
}

/* @of: the totals of a channel that are to be written, or NULL. */
static int write_totals(const struct part *p, unsigned int type,
			const struct coroprof_channel_status *(*of)(const struct part *p,
								    const struct kept_channel *c),
			struct error *err)
{
	struct buffer *scratch = &p->keep->scratch;
	int ret = 0;

	scratch->size = 0;
	for (uint32_t i = 0; !ret && i < p->keep->nr_channels; i++) {
		const struct kept_channel *c = &p->keep->channels[i];
		const struct coroprof_channel_status *status = is_there(p, c) ? of(p, c) : NULL;

		if (status)
			ret = buffer_append(scratch, status, sizeof(*status), err);
		if (ret || scratch->size < TOTALS_MAX * sizeof(*status))
			continue;
		ret = writer_segment(p->writer, type, scratch->data, scratch->size, err);
		scratch->size = 0;
	}
	if (!ret && scratch->size)
		ret = writer_segment(p->writer, type, scratch->data, scratch->size, err);
	return ret;
}

/* Records behind the totals would be in no sum. */
static const struct coroprof_channel_status *last_of(const struct part *p,
						     const struct kept_channel *c)
{
	uint32_t nr;

	if (p->end > newest(p->keep) || c->ended < p->end)
		return c->whole ? &c->last : NULL;
	nr = bases_up_to(c, p->end);
	if (!nr)
		return NULL;
	/* What there was at the begin of the tick is known if no records came since. */
	if (nr < c->nr_bases ? c->bases[nr].after < p->end : c->tick < p->end)
		return NULL;
	return &c->bases[nr - 1].status;
}

static int write_living(void *part, uint32_t process_id, struct error *err)
{
	const struct part *p = part;
	struct keep *k = p->keep;
	size_t place = 0;
	int ret = 0;

	err->code = 0;
	while (!ret && living_describe(&k->living, process_id, p->first, &place, &k->scratch, err))
		ret = writer_segment(p->writer, CPROF_SEGMENT_COROUTINES, k->scratch.data,
				     k->scratch.size, err);
	return ret ? ret : -err->code;
}

static int write_records(const struct part *p, struct error *err)
{
	int ret = 0;

	for (uint64_t i = p->first; i < p->end; i++) {
		struct kept_records *r = tick_of(p->keep, i)->records;

		for (const struct kept_segment *s = r->head; !ret && s; s = s->next)
			ret = writer_shared(p->writer, &r->share, s->stored, s->size, err);
	}
	return ret;
}

static int add_number(struct buffer *payload, const char *key, uint64_t number, struct error *err)
{
	return describe_add(payload, key, err, "%" PRIu64, number);
}

/*
 * When it is written both clocks are read anew: by now the other one may have been set. What is
 * all of the recording is reported as that.
 */
static int write_when(const struct part *p, const struct buffer *more, struct error *err)
{
	struct buffer payload = { 0 };
	int ret = describe_clocks(&payload, err);

	if (!ret)
		ret = add_number(&payload, "kept_from", tick_of(p->keep, p->first)->begin, err);
	if (!ret)
		ret = add_number(&payload, "kept_ns", p->keep->ns, err);
	if (!ret && more)
		ret = buffer_append(&payload, more->data, more->size, err);
	if (!ret)
		ret = writer_segment(p->writer, CPROF_SEGMENT_INFO, payload.data, payload.size, err);
	buffer_free(&payload);
	return ret;
}

static int write_part(struct part *p, const struct buffer *info, struct error *err)
{
	int ret = write_context(p, err);

	if (!ret)
		ret = write_when(p, info, err);
	if (!ret)
		ret = write_totals(p, CPROF_SEGMENT_BASE, base_of, err);
	if (!ret)
		ret = context_each(&p->keep->context, write_living, p, err);
	if (!ret)
		ret = write_records(p, err);
	return ret ? ret : write_totals(p, CPROF_SEGMENT_STATUS, last_of, err);
}

int keep_write(struct keep *k, struct writer *writer, const struct buffer *info,
	       int exit_status, struct error *err)
{
	struct part p = all_of(k, writer);
	int ret = write_part(&p, info, err);

	return ret ? ret : writer_end(writer, exit_status, err);
}

uint64_t keep_end(const struct keep *k)
{
	return newest(k) + 1;
}

uint64_t keep_begins(const struct keep *k, uint64_t tick)
{
	if (tick < keep_end(k))
		return k->ticks[tick - k->first].begin;
	return k->over_ns ? k->over_ns : monotonic_ns();
}

uint64_t keep_settled(const struct keep *k, uint64_t tick)
{
	return k->ticks[tick - k->first].settled;
}

void keep_over(struct keep *k)
{
	k->over_ns = monotonic_ns();
}

int keep_write_part(struct keep *k, const struct keep_part *part, struct writer *writer,
		    const struct buffer *info, struct error *err)
{
	struct part p = { k, writer, part->first, part->end };
	int ret = write_part(&p, info, err);

	return ret ? ret : writer_end_at(writer, keep_begins(k, p.end), -1, err);
}

struct memory *keep_share(struct keep *k, const struct keep_part *part, struct error *err)
{
	struct memory *memory = memory_new();
	struct writer *writer;
	int ret;

	if (!memory) {
		error_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	ret = writer_open_memory(&writer, memory, err);
	if (!ret)
		ret = writer_finish(writer, keep_write_part(k, part, writer, NULL, err), err);
	if (!ret)
		return memory;
	memory_free(memory);
	return NULL;
}

void keep_free(struct keep *k)
{
	for (uint32_t i = 0; i < k->nr_ticks; i++)
		memory_leave(&k->ticks[i].records->share);
	for (uint32_t i = 0; i < k->nr_channels; i++) {
		free(k->channels[i].record);
		free(k->channels[i].bases);
	}
	free(k->ticks);
	free(k->channels);
	index_free(&k->index);
	context_free(&k->context);
	living_free(&k->living);
	buffer_free(&k->scratch);
}
