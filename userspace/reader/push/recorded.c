// SPDX-License-Identifier: GPL-2.0
/* --push of recordings: one after the other, by their own times and from their own machines. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/warn.h"
#include "cprof/file.h"
#include "profile/model.h"
#include "push/book.h"
#include "push/delivery.h"
#include "push/otlp.h"
#include "push/packed.h"
#include "push/push.h"
#include "push/reading.h"

/* So long a receiver may be away. */
#define PATIENCE_NS	(120 * SECOND_NS)

/**
 * struct recorded_push - of all of them
 * @delivery: with a queue in memory, of one request
 * @book:     of the recording whose turn it is
 * @points:   that were sent of it
 * @bytes:    in how many bytes
 */
struct recorded_push {
	const struct push_options *options;
	struct delivery delivery;
	struct book book;
	uint64_t points;
	uint64_t bytes;
};

/* ---- requests */

/* What went wrong has been reported. */
static int deliver(struct recorded_push *r, struct error *err)
{
	const uint64_t until = clock_ns(CLOCK_BOOTTIME) + PATIENCE_NS;
	struct delivery *d = &r->delivery;

	delivery_step(d);
	while (d->queue.nr && d->told != SENDER_WRONG && clock_ns(CLOCK_BOOTTIME) < until) {
		delivery_wait(d, -1);
		delivery_step(d);
	}
	if (d->queue.nr || d->queue.gone.requests)
		return error_set(err, EIO, "it was not taken");
	if (d->rejected)
		return error_set(err, EIO, "%" PRIu64 " of its data points were rejected", d->rejected);
	return 0;
}

static int send_request(struct recorded_push *r, const char *host, bool begin, struct error *err)
{
	static const struct queue_counts none;
	struct proto request = { 0 };
	uint64_t points = begin ? otlp_write_begin(&request, &r->book, host) :
				  otlp_write(&request, &r->book, host);
	size_t size = 0;
	void *body = request.failed ? NULL : packed(request.bytes.data, request.bytes.size, &size);

	proto_free(&request);
	if (!body)
		return error_set(err, ENOMEM, "out of memory");
	r->points += points;
	r->bytes += size;
	queue_add(&r->delivery.queue, body, size, points, &none);
	return deliver(r, err);
}

/* ---- recordings */

static void say_time(FILE *out, uint64_t ns)
{
	time_t seconds = (time_t)(ns / (uint64_t)SECOND_NS);
	char text[32];
	struct tm tm;

	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		fputs(text, out);
}

/* Engines see how much sums grow only if they have seen them before: at its begin they are 0. */
static int send_book(struct recorded_push *r, const char *path, const struct model *m, FILE *out,
		     struct error *err)
{
	const char *host = m->host ? m->host : "unknown";
	int ret = r->options->delta ? 0 : send_request(r, host, true, err);

	if (!ret)
		ret = send_request(r, host, false, err);
	if (ret)
		return ret;
	fprintf(out, "%s: %" PRIu64 " data points of %u labels, %" PRIu64 " bytes, of %s, ", path,
		r->points, r->book.nr_labels, r->bytes, host);
	say_time(out, r->book.begin);
	fputs(" to ", out);
	say_time(out, r->book.end);
	fprintf(out, ", taken by %s\n", sender_where(r->delivery.sender));
	fflush(out);
	return 0;
}

static int take_model(struct recorded_push *r, const struct model *m, struct error *err)
{
	const struct book_window window = {
		.begin_ns = m->begin_ns, .end_ns = m->end_ns, .offset_ns = m->realtime_offset_ns,
		.so_far = m->totals, .last = true,
	};
	bool done;

	if (!m->realtime_known || m->end_ns <= m->begin_ns)
		return error_set(err, EINVAL, "the recording does not say when it was made");
	book_turn(&r->book, &window);
	done = book_take(&r->book, m, &window);
	if (done && m->overhead_ns >= 0)
		done = book_own(&r->book, BOOK_OVERHEAD, model_overhead_standing(m),
				(uint64_t)m->overhead_ns);
	return done ? 0 : error_set(err, ENOMEM, "out of memory");
}

static bool lacks_something(const struct model *m)
{
	return m->truncated || m->nr_damage || model_cut(m);
}

static int send_recording(struct recorded_push *r, const char *path, FILE *out, bool *damaged,
			  struct error *err)
{
	struct file *file;
	struct model *m;
	int ret = file_open(&file, path, err);

	if (ret)
		return ret;
	ret = model_load(&m, file, &reading_options, err);
	file_close(file);
	if (ret)
		return ret;
	if (lacks_something(m)) {
		*damaged = true;
		warn("%s could not be read in full, or was not ended in order: figures are of the rest",
		     path);
	}
	r->points = 0;
	r->bytes = 0;
	if (!book_begin(&r->book, &r->options->choice, !r->options->delta, "coroprof", getpid()))
		ret = error_set(err, ENOMEM, "out of memory");
	if (!ret)
		ret = take_model(r, m, err);
	if (!ret)
		ret = send_book(r, path, m, out, err);
	book_free(&r->book);
	model_free(m);
	return ret;
}

int push_recordings(const struct push_options *o, const char *const *paths, unsigned int nr,
		    FILE *out, bool *damaged, struct error *err)
{
	struct recorded_push r = {
		.options = o, .delivery = { .times = o->times, .queue.folder = -1 },
	};
	int ret = sender_begin(&r.delivery.sender, &o->to, err);

	if (!ret)
		ret = queue_begin(&r.delivery.queue, NULL, QUEUE_BYTES, 0, err);
	for (unsigned int i = 0; !ret && i < nr; i++) {
		struct error why;

		ret = send_recording(&r, paths[i], out, damaged, &why);
		if (ret)
			error_set(err, why.code, "%s: %.900s; %u of %u recordings were sent", paths[i],
				  why.message, i, nr);
	}
	delivery_end(&r.delivery);
	return ret;
}
