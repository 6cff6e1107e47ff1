/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --push: sums of what is recorded go to a receiver of OTLP, while it is recorded; --metrics-listen:
 * who asks gets them. A thread of its own adds up and sends, so that a receiver that is slow, or not
 * there, holds up nothing else.
 */
#ifndef COROPROF_PUSH_H
#define COROPROF_PUSH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "push/choice.h"
#include "push/delivery.h"
#include "record/feed.h"

#define PUSH_EVERY_NS	(10 * SECOND_NS)

/**
 * struct push_options - what is asked for
 * @to:       the receiver; its url is NULL: nothing is to be sent
 * @every_ns: so often
 * @choice:   of labels
 * @delta:    sums are of the time since the last request, not since the begin
 * @queue:    folder for what is not delivered yet; NULL: it is in memory
 * @queue_bytes: so much of that; 0: the default
 * @queue_age_ns: so old it may become; 0: the default
 * @metrics:  a socket that listens for who asks for metrics, which push_begin() takes; or -1
 * @metrics_token: file of the token that he has to have, or NULL
 * @check:    only say what would be sent, and whether the receiver takes it
 * @times:    how often what is not taken is tried again
 * @dumps:    where dumps go; its url and url_file are NULL: nowhere
 */
struct push_options {
	struct sender_options to;
	uint64_t every_ns;
	struct choice choice;
	bool delta;
	const char *queue;
	uint64_t queue_bytes;
	uint64_t queue_age_ns;
	int metrics;
	const char *metrics_token;
	bool check;
	struct delivery_times times;
	struct sender_options dumps;
};

static inline bool push_sends_dumps(const struct push_options *o)
{
	return o->dumps.url || o->dumps.url_file;
}

struct push;

/* @options stay the caller's. */
int push_begin(struct push **push, const struct push_options *options, struct error *err);
/* For the recording. */
struct record_feed *push_feed(struct push *push);
void push_end(struct push *push);

/*
 * Says on @out what would be sent of the recording at @path, if that is not NULL, and sends what
 * coroprof says of itself. Fails if that is not taken.
 */
int push_check(const struct push_options *options, const char *path, FILE *out, struct error *err);

/*
 * Sends sums of recordings, by the times at which they were made, one after the other up to the first
 * that is not taken, and says on @out what was. @damaged: one could not be read in full.
 */
int push_recordings(const struct push_options *options, const char *const *paths, unsigned int nr,
		    FILE *out, bool *damaged, struct error *err);

#endif /* COROPROF_PUSH_H */
