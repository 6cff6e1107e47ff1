/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the thread that reads rings and the thread that shows what is kept: wishes go to the
 * former, windows come back. The former never waits: it takes a wish between two looks at its
 * rings, and a window that nobody has taken is replaced by the next.
 */
#ifndef COROPROF_EXCHANGE_H
#define COROPROF_EXCHANGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "coroprof.h"
#include "record/flight.h"
#include "record/signals.h"

struct memory;
struct model;
struct model_options;
struct tick_cut;
struct ticks;

/**
 * struct live_thread - what a thread does now
 * @process: process_id
 * @pid:     of that
 * @tid:     its own
 * @name:    of the thread, printable
 * @status:  its totals, and the slice that goes on
 * @label:   of the coroutine of that, printable, or NULL
 */
struct live_thread {
	uint32_t process;
	pid_t pid;
	pid_t tid;
	char *name;
	struct coroprof_channel_status status;
	char *label;
};

/**
 * struct live_window - a part of what is kept, as a recording of its own, and what goes on now
 * @wish:     number of the wish that it is of
 * @memory:   the recording; NULL: there is none
 * @why:      then: the reason, or ""
 * @first:    its first tick
 * @end:      the tick behind it
 * @cuts:     where its ticks begin, and the one behind them
 * @begin_ns: when the first began
 * @end_ns:   and the last ended
 * @oldest:   the first tick of all that is kept
 * @newest:   the tick behind the last that has ended
 * @newest_ns: when that ended
 * @squeezed: less time is kept than was asked for, as there is no room for more
 * @bytes:    that are kept
 * @now:      when this was so
 * @threads:  that are recorded
 * @nr:       how many
 * @cpu_ns:   processor time that this process has used
 * @cost_ns:  and that the thread that records took for this
 * @ended:    nothing more is recorded
 * @status:   then: wait status of the command, or -1
 */
struct live_window {
	uint64_t wish;
	struct memory *memory;
	char why[256];
	uint64_t first;
	uint64_t end;
	struct tick_cut *cuts;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t oldest;
	uint64_t newest;
	uint64_t newest_ns;
	bool squeezed;
	uint64_t bytes;
	uint64_t now;
	struct live_thread *threads;
	size_t nr;
	uint64_t cpu_ns;
	uint64_t cost_ns;
	bool ended;
	int status;
};

/* Adds the recording up. @ticks: what was added up before, or NULL */
int live_window_load(const struct live_window *window, const struct model_options *options,
		     struct ticks *ticks, struct model **model, struct error *err);
/* Gives back the records that it refers to: who has loaded it needs them no more. */
void live_window_forget(struct live_window *window);
void live_window_free(struct live_window *window);

/**
 * struct live_wish - what is to be done next
 * @wanted: a window is
 * @number: which the window is to have
 * @ns:     so long, or all
 * @end:    the tick behind it; 0: the newest
 * @after:  not before there is a newer one than this
 * @dump:   a file is to be written, of @part; the reason that it has, or NULL: none is wanted
 * @dump_ns: so much before the end of @part, whatever it begins with; 0: as it is
 * @stop:   a signal: the recording is to end, and the command gets this
 */
struct live_wish {
	bool wanted;
	uint64_t number;
	uint64_t ns;
	uint64_t end;
	uint64_t after;
	const char *dump;
	struct keep_part part;
	uint64_t dump_ns;
	int stop;
};

/**
 * struct exchange - see above
 * @lock:    of @wish and @window
 * @wish:    not yet done
 * @window:  not yet taken, or NULL
 * @wish_fd: readable for the thread that records: there is a wish
 * @window_fd: readable for the one that shows: there is a window, or the end
 * @over:    likewise: it is to end
 * @ended, @status: of the next window; the recording thread's own
 * @dumping: likewise: a file that was wished is being written
 */
struct exchange {
	pthread_mutex_t lock;
	struct live_wish wish;
	struct live_window *window;
	int wish_fd;
	int window_fd;
	bool over;
	bool ended;
	int status;
	bool dumping;
};

int exchange_begin(struct exchange *exchange, struct error *err);
void exchange_free(struct exchange *exchange);

/* ---- the thread that shows */

/* What is wished in addition; the window that was wished before is not wanted any more. */
void exchange_wish(struct exchange *exchange, const struct live_wish *wish);
/* The newest window that was not taken yet, or NULL; true in @over: this is the end. */
struct live_window *exchange_take(struct exchange *exchange, bool *over);

/* ---- the thread that records */

/* Rings have been read. */
void exchange_look(struct exchange *exchange, struct flight *flight, struct signals *signals);
void exchange_ended(struct exchange *exchange, int status);
/* The other thread is to end. */
void exchange_end(struct exchange *exchange);

#endif /* COROPROF_EXCHANGE_H */
