// SPDX-License-Identifier: GPL-2.0
/* Writes a book as OTLP has it, and reads what is answered. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/printable.h"
#include "base/standing.h"
#include "push/otlp.h"

enum temporality { DELTA = 1, CUMULATIVE = 2 };

/* Messages within messages: of each level one is being made at a time. */
enum level { LEVEL_METRIC, LEVEL_DATA, LEVEL_POINT, LEVEL_KEY, LEVEL_VALUE, LEVELS };

/**
 * struct writer - of a request
 * @book:   what is written
 * @x:      the message of each level that is being made
 * @scope:  metrics of a group
 * @points: so many
 * @begin:  all are as of their begin: 0
 */
struct writer {
	const struct book *book;
	struct proto x[LEVELS];
	struct proto scope;
	uint64_t points;
	bool begin;
};

static const struct metric {
	const char *name;
	const char *unit;
	const char *says;
} metrics[BOOK_METRICS] = {
	[BOOK_TIME] = { "coroprof.coroutine.time", "ns",
			"Time of coroutines by state: of slices that have ended, and between them" },
	[BOOK_SWITCHES] = { "coroprof.coroutine.switches", "{switch}",
			    "Stays on a thread, from switch-in to switch-out" },
	[BOOK_COUNTER] = { "coroprof.counter.", "{event}", "Events in slices" },
	[BOOK_LOST_SLICES] = { "coroprof.lost.slices", "{slice}",
			       "Slices that found a ring full: no figure has them" },
	[BOOK_OVERHEAD] = { "coroprof.overhead.time", "ns",
			    "Time that the recorded programs took to be recorded" },
	[BOOK_CPU] = { "coroprof.recorder.cpu.time", "ns",
		       "Processor time of coroprof itself" },
	[BOOK_UNSENT] = { "coroprof.push.skipped.time", "ns",
			  "Time of the recording of which nothing was sent" },
	[BOOK_LOST_REQUESTS] = { "coroprof.push.lost.requests", "{request}",
				 "Requests that were not delivered, and will not be" },
	[BOOK_LOST_POINTS] = { "coroprof.push.lost.points", "{point}", "Data points in these" },
	[BOOK_REJECTED] = { "coroprof.push.rejected.points", "{point}",
			    "Data points that the receiver rejected" },
}, kinds[BOOK_KINDS] = {
	[BOOK_HELD] = { "coroprof.coroutine.held", "ns",
			"Time for which a slice held its thread, on or off the CPU" },
	[BOOK_READIES] = { "coroprof.coroutine.ready", "ns",
			   "Time from being made ready to running" },
	[BOOK_LIFETIME] = { "coroprof.coroutine.lifetime", "ns",
			    "Time from birth to end, of those that were seen from begin to end" },
};

static const char *const states[BOOK_STATES] = {
	[BOOK_RUNNING] = "running", [BOOK_PREEMPTED] = "preempted", [BOOK_BLOCKED] = "blocked",
	[BOOK_IDLING] = "idle", [BOOK_AWAITING] = "awaiting", [BOOK_READY] = "ready",
	[BOOK_SUSPENDED] = "suspended",
};

/* ---- attributes */

enum value_field { VALUE_TEXT = 1, VALUE_BOOL = 2, VALUE_INT = 3 };

static void end_attribute(struct writer *w, struct proto *to, uint32_t field, const char *key)
{
	proto_text(&w->x[LEVEL_KEY], 1, key);
	proto_message(&w->x[LEVEL_KEY], 2, &w->x[LEVEL_VALUE]);
	proto_message(to, field, &w->x[LEVEL_KEY]);
}

static void put_text(struct writer *w, struct proto *to, uint32_t field, const char *key,
		     const char *text)
{
	proto_text(&w->x[LEVEL_VALUE], VALUE_TEXT, text);
	end_attribute(w, to, field, key);
}

static void put_number(struct writer *w, struct proto *to, uint32_t field, const char *key,
		       enum value_field kind, uint64_t number)
{
	proto_uint(&w->x[LEVEL_VALUE], kind, number);
	end_attribute(w, to, field, key);
}

static void put_item(struct writer *w, uint32_t field, const struct book_item *item,
		     unsigned int standing)
{
	struct proto *to = &w->x[LEVEL_POINT];

	if (item->label)
		put_text(w, to, field, "coroprof.label", item->label);
	if (item->other)
		put_number(w, to, field, "otel.metric.overflow", VALUE_BOOL, 1);
	put_text(w, to, field, "coroprof.standing", standing_name((enum standing)standing));
}

/* ---- points */

static uint64_t bits_of_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void put_times(struct writer *w, const struct book_item *item)
{
	const struct book *b = w->book;

	proto_fixed64(&w->x[LEVEL_POINT], 2, b->cumulative ? item->start : b->begin);
	proto_fixed64(&w->x[LEVEL_POINT], 3, w->begin ? b->begin + 1 : b->end);
}

/* Their numbers have a sign. */
static void put_point(struct writer *w, const struct book_item *item, const struct book_point *p)
{
	struct proto *to = &w->x[LEVEL_POINT];

	put_times(w, item);
	if (w->begin || p->value <= INT64_MAX)
		proto_fixed64(to, 6, w->begin ? 0 : p->value);
	else
		proto_fixed64(to, 4, bits_of_double((double)p->value));
	put_item(w, 7, item, p->standing);
	if (p->metric == BOOK_TIME)
		put_text(w, to, 7, "coroprof.state", states[p->which]);
	if (p->metric == BOOK_COUNTER)
		put_text(w, to, 7, "coroprof.event", w->book->counters[p->which]);
	proto_message(&w->x[LEVEL_DATA], 1, to);
	w->points++;
}

/*
 * The scale is 0, and as the default not written; so is the offset of the first bucket, which is even
 * as it is a number with a sign.
 */
static void put_buckets(struct writer *w, const struct book_lengths *l)
{
	struct proto *counts = &w->x[LEVEL_VALUE], *buckets = &w->x[LEVEL_KEY];
	unsigned int first = 0, last = 63;

	while (first < 63 && !l->counts[first])
		first++;
	while (last > first && !l->counts[last])
		last--;
	if (!l->counts[first])
		return;
	for (unsigned int i = first; i <= last; i++)
		proto_packed(counts, l->counts[i]);
	proto_uint(buckets, 1, (uint64_t)first << 1);
	proto_message(buckets, 2, counts);
	proto_message(&w->x[LEVEL_POINT], 8, buckets);
}

static void put_lengths(struct writer *w, const struct book_item *item,
			const struct book_lengths *l)
{
	struct proto *to = &w->x[LEVEL_POINT];

	put_item(w, 1, item, l->standing);
	put_times(w, item);
	proto_fixed64(to, 4, w->begin ? 0 : l->nr);
	proto_fixed64(to, 5, bits_of_double(w->begin ? 0 : (double)l->sum));
	proto_fixed64(to, 7, w->begin ? 0 : l->zero);
	if (!w->begin) {
		put_buckets(w, l);
		proto_fixed64(to, 12, bits_of_double((double)l->least));
		proto_fixed64(to, 13, bits_of_double((double)l->most));
	}
	proto_message(&w->x[LEVEL_DATA], 1, to);
	w->points++;
}

/* ---- metrics */

/* With those characters that names of metrics may have. */
static void name_counter(char to[256], const char *event)
{
	size_t at = (size_t)snprintf(to, 256, "%s", metrics[BOOK_COUNTER].name);

	for (; *event && at < 255; event++)
		to[at++] = isalnum((unsigned char)*event) || strchr("-./", *event) ? *event : '_';
	to[at] = '\0';
}

static void end_metric(struct writer *w, const struct metric *metric, const char *name,
		       bool lengths)
{
	struct proto *to = &w->x[LEVEL_METRIC], *data = &w->x[LEVEL_DATA];

	if (!data->bytes.size)
		return;
	proto_uint(data, 2, w->book->cumulative ? CUMULATIVE : DELTA);
	if (!lengths)
		proto_uint(data, 3, 1);
	proto_text(to, 1, name);
	proto_text(to, 2, metric->says);
	proto_text(to, 3, metric->unit);
	proto_message(to, lengths ? 10 : 7, data);
	proto_message(&w->scope, 2, to);
}

static void put_metric(struct writer *w, const struct book_group *group, enum book_metric metric,
		       unsigned int counter)
{
	char name[256];

	for (size_t i = 0; i < group->nr_items; i++)
		for (size_t n = 0; n < group->items[i].nr_points; n++) {
			const struct book_point *p = &group->items[i].points[n];

			if (p->metric == metric && (p->fresh || w->book->cumulative) &&
			    (metric != BOOK_COUNTER || p->which == counter))
				put_point(w, &group->items[i], p);
		}
	if (metric != BOOK_COUNTER) {
		end_metric(w, &metrics[metric], metrics[metric].name, false);
		return;
	}
	name_counter(name, w->book->counters[counter]);
	end_metric(w, &metrics[metric], name, false);
}

static void put_kind(struct writer *w, const struct book_group *group, unsigned int kind)
{
	for (size_t i = 0; i < group->nr_items; i++)
		for (size_t n = 0; n < group->items[i].nr_lengths; n++) {
			const struct book_lengths *l = &group->items[i].lengths[n];

			if (l->kind == kind && (l->fresh || w->book->cumulative))
				put_lengths(w, &group->items[i], l);
		}
	end_metric(w, &kinds[kind], kinds[kind].name, true);
}

/* ---- processes */

/* By the names of OpenTelemetry's semantic conventions. */
static void put_resource(struct writer *w, struct proto *to, const struct book_group *group,
			 const char *host)
{
	struct utsname name;

	put_text(w, to, 1, "service.name", group->own ? "coroprof" : group->comm);
	put_text(w, to, 1, "host.name", host);
	put_text(w, to, 1, "os.type", "linux");
	if (!uname(&name))
		put_text(w, to, 1, "host.arch", !strcmp(name.machine, "x86_64") ? "amd64" :
			 !strcmp(name.machine, "aarch64") ? "arm64" : name.machine);
	if (!group->pid)
		return;
	put_number(w, to, 1, "process.pid", VALUE_INT, (uint64_t)group->pid);
	put_text(w, to, 1, "process.executable.name", group->comm);
}

static void put_group(struct writer *w, struct proto *to, const struct book_group *group,
		      const char *host)
{
	struct proto resource = { 0 }, all = { 0 };
	uint64_t before = w->points;

	proto_text(&w->x[LEVEL_VALUE], 1, "coroprof");
	proto_text(&w->x[LEVEL_VALUE], 2, COROPROF_VERSION);
	proto_message(&w->scope, 1, &w->x[LEVEL_VALUE]);
	for (unsigned int i = 0; i < BOOK_METRICS; i++)
		for (unsigned int n = 0; n < (i == BOOK_COUNTER ? w->book->nr_counters : 1); n++)
			put_metric(w, group, (enum book_metric)i, n);
	for (unsigned int i = 0; i < BOOK_KINDS; i++)
		put_kind(w, group, i);
	put_resource(w, &resource, group, host);
	proto_message(&all, 1, &resource);
	proto_message(&all, 2, &w->scope);
	if (w->points != before)
		proto_message(to, 1, &all);
	to->failed |= all.failed;
	proto_free(&resource);
	proto_free(&all);
}

static uint64_t write_book(struct proto *to, const struct book *book, const char *host, bool begin)
{
	struct writer w = { .book = book, .begin = begin };

	for (size_t i = 0; i < book->nr_groups; i++)
		put_group(&w, to, &book->groups[i], host);
	for (unsigned int i = 0; i < LEVELS; i++)
		proto_free(&w.x[i]);
	proto_free(&w.scope);
	return w.points;
}

uint64_t otlp_write(struct proto *to, const struct book *book, const char *host)
{
	return write_book(to, book, host, false);
}

uint64_t otlp_write_begin(struct proto *to, const struct book *book, const char *host)
{
	return write_book(to, book, host, true);
}

/* ---- answers */

/**
 * struct field - of a message
 * @number: of it
 * @value:  of a varint
 * @data:   of bytes, and
 * @size:   how many
 */
struct field {
	uint64_t number;
	uint64_t value;
	const uint8_t *data;
	size_t size;
};

static bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned int shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static bool skip(const uint8_t **at, const uint8_t *end, size_t size)
{
	if ((size_t)(end - *at) < size)
		return false;
	*at += size;
	return true;
}

/* Wire types by their numbers: varint, 8 bytes, bytes, 4 bytes. */
static bool take_field(const uint8_t **at, const uint8_t *end, struct field *f)
{
	uint64_t key;

	*f = (struct field){ 0 };
	if (!take_varint(at, end, &key) || !(key >> 3))
		return false;
	f->number = key >> 3;
	switch (key & 7) {
	case 0:
		return take_varint(at, end, &f->value);
	case 1:
		return skip(at, end, 8);
	case 2:
		if (!take_varint(at, end, &f->value) || f->value > (uint64_t)(end - *at))
			return false;
		f->data = *at;
		f->size = (size_t)f->value;
		return skip(at, end, f->size);
	case 5:
		return skip(at, end, 4);
	}
	return false;
}

static bool read_partial(struct otlp_answer *a, const uint8_t *at, const uint8_t *end)
{
	struct field f;

	while (at < end) {
		if (!take_field(&at, end, &f))
			return false;
		if (f.number == 1 && !f.data && f.value <= INT64_MAX)
			a->rejected = f.value;
		if (f.number == 2 && f.data) {
			char *text = printable((const char *)f.data, f.size);

			if (text)
				snprintf(a->message, sizeof(a->message), "%.*s",
					 (int)printable_cut(text, sizeof(a->message) - 1), text);
			free(text);
		}
	}
	return true;
}

bool otlp_read(struct otlp_answer *a, const void *data, size_t size)
{
	const uint8_t *at = data, *end = at + size;
	struct field f;

	*a = (struct otlp_answer){ 0 };
	while (at < end) {
		if (!take_field(&at, end, &f))
			return false;
		if (f.number == 1 && (!f.data || !read_partial(a, f.data, f.data + f.size)))
			return false;
	}
	return true;
}

char *otlp_complaint(const void *data, size_t size)
{
	const uint8_t *at = data, *end = at + size;
	struct field f;

	while (at < end) {
		if (!take_field(&at, end, &f))
			return NULL;
		if (f.number == 2 && f.data)
			return printable((const char *)f.data, f.size);
	}
	return NULL;
}
