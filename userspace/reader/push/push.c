// SPDX-License-Identifier: GPL-2.0
/*
 * The thread that sends. It waits for parts of the recording, for answers, and for the time to try
 * again, all at once. Times are of CLOCK_BOOTTIME, which nobody sets.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "cprof/file.h"
#include "cprof/memory.h"
#include "profile/model.h"
#include "push/book.h"
#include "push/exposition.h"
#include "push/otlp.h"
#include "push/packed.h"
#include "push/parts.h"
#include "push/push.h"
#include "push/queue.h"
#include "push/reading.h"
#include "push/scrape.h"
#include "push/token.h"
#include "push/upload.h"

/* When the recording has ended, so long is what is left sent. */
#define LAST_NS		(5 * SECOND_NS)

/**
 * struct push - see push.h
 * @feed:    for the recording
 * @parts:   with it
 * @thread:  that sends, if @started
 * @delivery: without a sender: no sums are sent
 * @upload:  NULL: no dumps are
 * @scrape:  NULL: nobody asks
 * @book:    what is to be sent; the thread's own, as all below
 * @shown:   likewise, to who asks
 * @all:     of requests, since the begin; of what is lost the queue knows
 * @told_shown: of these, in @shown
 * @host:    name of this machine
 * @pending: what is to be said of requests
 * @cpu_ns:  of this process, that was said
 * @overhead_ns: of the programs, likewise, of sessions of totals
 * @told_part: it was reported
 */
struct push {
	const struct push_options *options;
	struct record_feed feed;
	struct parts parts;
	pthread_t thread;
	bool started;
	struct delivery delivery;
	struct upload *upload;
	struct scrape *scrape;
	struct book book;
	struct book shown;
	struct queue_counts all;
	struct queue_counts told_shown;
	struct utsname host;
	struct queue_counts pending;
	uint64_t cpu_ns;
	double overhead_ns;
	bool told_part;
};

/* ---- what is sent */

/* The records that it refers to are given back: all of it is in the model. */
static int load(struct model **model, struct part *part, struct error *err)
{
	struct file *file;
	int ret;

	if (!part->memory)
		return error_set(err, EIO, "%s", part->why);
	ret = file_open_memory(&file, "a part of the recording", part->memory, err);
	if (!ret) {
		ret = model_load(model, file, &reading_options, err);
		file_close(file);
	}
	memory_free(part->memory);
	part->memory = NULL;
	return ret;
}

static bool say_own(struct push *p, enum book_metric metric, enum standing standing, uint64_t more)
{
	return (!p->delivery.sender || book_own(&p->book, metric, standing, more)) &&
	       (!p->scrape || book_own(&p->shown, metric, standing, more));
}

/* In windows each has its own; in totals the last one has all. */
static bool add_overhead(struct push *p, const struct model *m, bool so_far)
{
	double more = m->overhead_ns - (so_far ? p->overhead_ns : 0);

	/* Not known, or less than it was. */
	if (m->overhead_ns < 0 || more < 0)
		return true;
	if (so_far)
		p->overhead_ns += more;
	return say_own(p, BOOK_OVERHEAD, model_overhead_standing(m), (uint64_t)more);
}

static void take_lost(struct push *p)
{
	struct queue_counts lost = queue_lost(&p->delivery.queue);

	lost.rejected += p->delivery.rejected;
	p->all.rejected += p->delivery.rejected;
	p->delivery.rejected = 0;
	p->pending.requests += lost.requests;
	p->pending.points += lost.points;
	p->pending.rejected += lost.rejected;
	p->pending.unsent_ns += lost.unsent_ns;
}

static bool add_counts(struct book *book, const struct queue_counts *n, bool sent)
{
	return book_own(book, BOOK_UNSENT, STANDING_COUNTED, n->unsent_ns) &&
	       (!sent || (book_own(book, BOOK_LOST_REQUESTS, STANDING_COUNTED, n->requests) &&
			  book_own(book, BOOK_LOST_POINTS, STANDING_COUNTED, n->points) &&
			  book_own(book, BOOK_REJECTED, STANDING_COUNTED, n->rejected)));
}

/* Here each is counted once: no request that has said it can be lost. */
static bool add_shown(struct push *p)
{
	struct queue_counts *told = &p->told_shown, all = p->all, more;

	all.requests = p->delivery.queue.gone.requests;
	all.points = p->delivery.queue.gone.points;
	more = (struct queue_counts){
		all.requests - told->requests, all.points - told->points,
		all.rejected - told->rejected, all.unsent_ns - told->unsent_ns,
	};
	*told = all;
	return add_counts(&p->shown, &more, p->delivery.sender);
}

/* What coroprof says of itself. */
static bool add_own(struct push *p)
{
	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID), more = cpu_ns - p->cpu_ns;

	p->cpu_ns = cpu_ns;
	return say_own(p, BOOK_CPU, STANDING_COUNTED, more) &&
	       (!p->delivery.sender || add_counts(&p->book, &p->pending, true)) &&
	       (!p->scrape || add_shown(p));
}

/* Sums that are cumulative say it again, whatever becomes of this request. */
static void queue_request(struct push *p)
{
	static const struct queue_counts none;
	const bool delta = p->options->delta;
	struct proto request = { 0 };
	uint64_t points = otlp_write(&request, &p->book, p->host.nodename);
	size_t size = 0;
	void *body = request.failed ? NULL : packed(request.bytes.data, request.bytes.size, &size);

	proto_free(&request);
	if (body)
		queue_add(&p->delivery.queue, body, size, points, delta ? &p->pending : &none);
	else
		queue_miss(&p->delivery.queue, points);
	if (body || !delta)
		p->pending = (struct queue_counts){ 0 };
}

static void show(struct push *p)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file)
		exposition_write(file, &p->shown);
	if (file && !fclose(file))
		scrape_set(p->scrape, text, size);
	else
		free(text);
}

static void tell_part(struct push *p, const char *why)
{
	if (!p->told_part)
		warn("--%s: a part of the recording is in no figure: %s",
		     p->delivery.sender ? "push" : "metrics-listen", why);
	p->told_part = true;
}

static void miss(struct push *p, uint64_t ns)
{
	p->pending.unsent_ns += ns;
	p->all.unsent_ns += ns;
}

/* Totals have in the next part what is missing in this. */
static bool add_recording(struct push *p, struct part *part)
{
	const struct book_window *w = &part->window;
	struct model *model;
	struct error err;
	bool done;

	miss(p, part->unsent_ns);
	if (part->unsent_ns)
		tell_part(p, "it was kept no more when its turn came: give a larger --keep, or --keep-bytes");
	if (p->delivery.sender)
		book_turn(&p->book, w);
	if (p->scrape)
		book_turn(&p->shown, w);
	if (load(&model, part, &err)) {
		tell_part(p, err.message);
		miss(p, w->so_far && !w->last ? 0 : w->end_ns - w->begin_ns);
		return true;
	}
	done = (!p->delivery.sender || book_take(&p->book, model, w)) &&
	       (!p->scrape || book_take(&p->shown, model, w)) && add_overhead(p, model, w->so_far);
	model_free(model);
	return done;
}

static void add_part(struct push *p, struct part *part)
{
	bool done = add_recording(p, part);

	take_lost(p);
	if (!done || !add_own(p))
		tell_part(p, "out of memory");
	if (p->delivery.sender) {
		queue_request(p);
		book_written(&p->book);
	}
	if (p->scrape)
		show(p);
}

/* ---- the thread */

static void wait_for_something(struct push *p)
{
	struct pollfd fd = { .fd = p->parts.fd, .events = POLLIN };

	if (p->delivery.sender)
		delivery_wait(&p->delivery, p->parts.fd);
	else
		poll(&fd, 1, -1);
}

static void *run(void *push)
{
	struct push *p = push;
	struct part part;
	bool over;

	do {
		if (parts_take(&p->parts, &part, &over))
			add_part(p, &part);
		delivery_step(&p->delivery);
		if (!over)
			wait_for_something(p);
	} while (!over);
	delivery_last(&p->delivery, LAST_NS, p->parts.fd);
	return NULL;
}

/* ---- in the thread that records */

/* There may be dumps alone to be sent. */
static bool has_sums(const struct push *p)
{
	return p->delivery.sender || p->scrape;
}

static int begin(void *push, struct error *err)
{
	struct push *p = push;
	int ret = p->upload ? upload_start(p->upload, err) : 0;

	p->parts.next_ns = monotonic_ns();
	if (ret || !has_sums(p))
		return ret;
	ret = delivery_thread(&p->thread, run, p, err);
	p->started = !ret;
	return ret;
}

static void look(void *push, struct flight *flight, bool last)
{
	struct push *p = push;

	if (has_sums(p))
		parts_look(&p->parts, flight, p->feed.every_ns, last);
}

static void totals(void *push, const char *path, bool last)
{
	struct push *p = push;

	if (has_sums(p))
		parts_totals(&p->parts, path, last);
}

static void dumped(void *push, const char *path)
{
	struct push *p = push;

	if (p->upload)
		upload_add(p->upload, path);
}

static void say_what_is_left(struct push *p)
{
	const uint64_t unsent_ns = p->all.unsent_ns + p->parts.unsent_ns;
	struct queue_counts left, waiting, gone = p->delivery.queue.gone;

	p->all.rejected += p->delivery.rejected;
	queue_flush(&p->delivery.queue);
	left = queue_left(&p->delivery.queue, true);
	waiting = queue_left(&p->delivery.queue, false);
	if (unsent_ns)
		warn("--%s: %.1f s of the recording are in no figure",
		     p->delivery.sender ? "push" : "metrics-listen", (double)unsent_ns / SECOND_NS);
	if (p->all.rejected)
		warn("--push: %s has rejected %" PRIu64 " data points in all",
		     sender_where(p->delivery.sender), p->all.rejected);
	if (gone.requests)
		warn("--push: %" PRIu64 " requests with %" PRIu64 " data points were not delivered, and are lost",
		     gone.requests, gone.points);
	if (waiting.requests)
		warn("--push: %" PRIu64 " requests that were not delivered are in %s: the next coroprof with that --push-queue sends them",
		     waiting.requests, p->options->queue);
	if (left.requests)
		warn("--push: the last %" PRIu64 " requests with %" PRIu64 " data points were not delivered, and are lost, as %s",
		     left.requests, left.points, p->options->queue ?
		     "--push-queue can't be written to" : "there is no --push-queue");
}

static void end(void *push)
{
	struct push *p = push;

	if (p->started) {
		p->started = false;
		parts_end(&p->parts);
		pthread_join(p->thread, NULL);
		say_what_is_left(p);
	}
	if (p->upload)
		upload_stop(p->upload);
}

/* ---- before and after */

static int begin_sending(struct push *p, struct error *err)
{
	const struct push_options *o = p->options;
	int ret = sender_begin(&p->delivery.sender, &o->to, err);

	if (!ret)
		ret = queue_begin(&p->delivery.queue, o->queue, o->queue_bytes, o->queue_age_ns, err);
	if (!ret && !book_begin(&p->book, &o->choice, !o->delta, "coroprof", getpid()))
		ret = error_set(err, ENOMEM, "out of memory");
	return ret;
}

/* Takes the socket. */
static int begin_showing(struct push *p, struct error *err)
{
	const struct push_options *o = p->options;
	char token[TOKEN_MAX];
	int ret = o->metrics_token ? token_read(token, o->metrics_token, "metrics-token-file", err) : 0;

	if (ret)
		close(o->metrics);
	else
		ret = scrape_begin(&p->scrape, o->metrics, o->metrics_token ? token : NULL, err);
	explicit_bzero(token, sizeof(token));
	if (!ret && !book_begin(&p->shown, &o->choice, true, "coroprof", getpid()))
		ret = error_set(err, ENOMEM, "out of memory");
	p->shown.classic = true;
	return ret;
}

int push_begin(struct push **push, const struct push_options *o, struct error *err)
{
	struct push *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return error_set(err, ENOMEM, "out of memory");
	p->options = o;
	p->delivery.queue.folder = -1;
	p->parts.fd = -1;
	p->feed = (struct record_feed){
		.every_ns = o->every_ns ? o->every_ns : PUSH_EVERY_NS,
		.begin = begin, .look = look, .totals = totals, .dumped = dumped, .end = end,
		.context = p,
	};
	p->delivery.times = o->times;
	uname(&p->host);
	ret = o->metrics >= 0 ? begin_showing(p, err) : 0;
	if (!ret && o->to.url)
		ret = begin_sending(p, err);
	if (!ret && push_sends_dumps(o))
		ret = upload_begin(&p->upload, o, err);
	if (!ret)
		ret = parts_begin(&p->parts, err);
	if (ret) {
		push_end(p);
		return ret;
	}
	*push = p;
	return 0;
}

struct record_feed *push_feed(struct push *p)
{
	return &p->feed;
}

void push_end(struct push *p)
{
	if (!p)
		return;
	scrape_end(p->scrape);
	delivery_end(&p->delivery);
	upload_end(p->upload);
	book_free(&p->book);
	book_free(&p->shown);
	parts_free(&p->parts);
	free(p);
}
