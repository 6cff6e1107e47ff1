// SPDX-License-Identifier: GPL-2.0
/* --push-check. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cprof/file.h"
#include "profile/model.h"
#include "push/book.h"
#include "push/otlp.h"
#include "push/packed.h"
#include "push/push.h"
#include "push/reading.h"

/**
 * struct check - one
 * @options: what is asked for
 * @out:     where it is said
 * @book:    what is sent, or would be
 */
struct check {
	const struct push_options *options;
	FILE *out;
	struct book book;
};

static void say_options(const struct check *c, const struct sender *sender)
{
	const struct push_options *o = c->options;
	const struct choice *choice = &o->choice;

	fprintf(c->out, "to: %s, each %g s, sums %s\n", sender_where(sender),
		(double)o->every_ns / 1e9, o->delta ? "since the last time" : "since the begin");
	fprintf(c->out, "labels: at most %u by name", choice->most);
	for (unsigned int i = 0; i < choice->nr_patterns; i++)
		fprintf(c->out, "%s'%s'", i ? ", " : ", and of these only ", choice->patterns[i]);
	fprintf(c->out, "%s; the sum of all others is 'other'\n",
		choice->hashed ? ", and of the name its hash" : "");
	if (o->queue)
		fprintf(c->out, "what is not delivered: in %s\n", o->queue);
	else
		fprintf(c->out, "what is not delivered: in memory\n");
}

/* As it is sent: what a request takes, and of which labels. */
static void say_book(const struct check *c, uint64_t points, size_t raw, size_t size)
{
	const struct book *b = &c->book;

	fprintf(c->out, "%" PRIu64 " data points, %zu bytes, %zu compressed; %" PRIu64 " series in an engine that makes one of each bucket, of at most %" PRIu64 "\n",
		points, raw, size, book_series(b), choice_series(b->choice));
	for (size_t g = 0; g < b->nr_groups; g++)
		for (size_t i = 0; i < b->groups[g].nr_items; i++) {
			const struct book_item *item = &b->groups[g].items[i];

			if (item->label)
				fprintf(c->out, "label: %s, process %s\n", item->label,
					b->groups[g].comm);
		}
}

static int add_recording(struct check *c, const char *path, struct error *err)
{
	struct book_window window = { 0 };
	struct file *file;
	struct model *model;
	int ret = file_open(&file, path, err);

	if (ret)
		return ret;
	ret = model_load(&model, file, &reading_options, err);
	file_close(file);
	if (ret)
		return ret;
	window.so_far = model->totals;
	window.last = true;
	window.begin_ns = model->begin_ns;
	window.end_ns = model->end_ns;
	window.offset_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - monotonic_ns());
	book_turn(&c->book, &window);
	if (!book_take(&c->book, model, &window))
		ret = error_set(err, ENOMEM, "out of memory");
	model_free(model);
	return ret;
}

/* A request of @book; *@size is 0 where there is no memory. */
static void *make_request(const struct check *c, uint64_t *points, size_t *raw, size_t *size)
{
	struct proto request = { 0 };
	struct utsname host = { 0 };
	void *body;

	uname(&host);
	*points = otlp_write(&request, &c->book, host.nodename);
	*raw = request.bytes.size;
	*size = 0;
	body = request.failed ? NULL : packed(request.bytes.data, request.bytes.size, size);
	proto_free(&request);
	return body;
}

static bool begin(struct check *c)
{
	return book_begin(&c->book, &c->options->choice, !c->options->delta, "coroprof", getpid());
}

static int show_recording(struct check *c, const char *path, struct error *err)
{
	size_t raw, size;
	uint64_t points;
	void *body;
	int ret;

	if (!begin(c))
		return error_set(err, ENOMEM, "out of memory");
	ret = add_recording(c, path, err);
	body = ret ? NULL : make_request(c, &points, &raw, &size);
	if (body)
		say_book(c, points, raw, size);
	else if (!ret)
		ret = error_set(err, ENOMEM, "out of memory");
	free(body);
	book_free(&c->book);
	return ret;
}

static void wait_for(struct sender *sender, const void *body, size_t size,
		     struct sender_answer *answer)
{
	sender_send(sender, NULL, body, size);
	while (!sender_look(sender, answer))
		sender_wait(sender, -1, 100);
}

/* What coroprof says of itself: of no program. */
static int send_own(struct check *c, struct sender *sender, struct error *err)
{
	const struct book_window window = {
		.begin_ns = monotonic_ns(), .end_ns = monotonic_ns() + 1,
		.offset_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - monotonic_ns()),
	};
	struct sender_answer answer;
	size_t raw, size = 0;
	uint64_t points;
	void *body = NULL;

	if (begin(c)) {
		book_turn(&c->book, &window);
		if (book_own(&c->book, BOOK_CPU, STANDING_COUNTED,
			     clock_ns(CLOCK_PROCESS_CPUTIME_ID)))
			body = make_request(c, &points, &raw, &size);
	}
	book_free(&c->book);
	if (!body)
		return error_set(err, ENOMEM, "out of memory");
	wait_for(sender, body, size, &answer);
	free(body);
	if (answer.verdict != SENDER_TAKEN)
		return error_set(err, EIO, "not taken: %s", answer.message);
	if (answer.rejected)
		return error_set(err, EIO, "%s has rejected %" PRIu64 " data points: %s",
				 sender_where(sender), answer.rejected, answer.message);
	fprintf(c->out, "taken by %s%s%s\n", sender_where(sender), *answer.message ? ": " : "",
		answer.message);
	return 0;
}

int push_check(const struct push_options *options, const char *path, FILE *out, struct error *err)
{
	struct check c = { .options = options, .out = out };
	struct sender *sender;
	int ret = sender_begin(&sender, &options->to, err);

	if (ret)
		return ret;
	say_options(&c, sender);
	if (path)
		ret = show_recording(&c, path, err);
	if (!ret)
		ret = send_own(&c, sender, err);
	sender_end(sender);
	return ret;
}
