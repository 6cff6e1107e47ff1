/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the thread that reads rings to the one that sends: parts of the recording, one behind the
 * other, each once. The former waits only for its last part to be taken: as long as one waits, the
 * next one grows, and what is kept no more by then is counted.
 */
#ifndef COROPROF_PARTS_H
#define COROPROF_PARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "push/book.h"

struct flight;
struct memory;

/**
 * struct part - of a recording
 * @memory:    a recording of it; NULL: there is none
 * @why:       then: the reason
 * @window:    its time
 * @unsent_ns: so much before it is in no part
 */
struct part {
	struct memory *memory;
	char why[256];
	struct book_window window;
	uint64_t unsent_ns;
};

/**
 * struct parts - see above
 * @lock:    of @part, @there and @over
 * @taken:   @part was
 * @part:    that waits, if it is @there
 * @over:    there will be no more
 * @fd:      readable for the thread that sends: there is one, or the end
 * @next:    first tick of the next one; the recording thread's own, as all below
 * @next_ns: when it began
 * @begun:   that is known
 * @unsent_ns: so much at the end was in no part, as the one before was not taken
 */
struct parts {
	pthread_mutex_t lock;
	pthread_cond_t taken;
	struct part part;
	bool there;
	bool over;
	int fd;
	uint64_t next;
	uint64_t next_ns;
	bool begun;
	uint64_t unsent_ns;
};

int parts_begin(struct parts *parts, struct error *err);
void parts_free(struct parts *parts);

/* ---- the thread that records */

/* Of a flight recorder: a part of @every_ns, or more, once there is as much. */
void parts_look(struct parts *parts, struct flight *flight, uint64_t every_ns, bool last);
/* All there is of totals, at @path. */
void parts_totals(struct parts *parts, const char *path, bool last);
void parts_end(struct parts *parts);

/* ---- the thread that sends */

/* False: there is none now; true in @over: nor will there be. @part->memory is the caller's. */
bool parts_take(struct parts *parts, struct part *part, bool *over);

#endif /* COROPROF_PARTS_H */
