/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libcoroprof: what a runtime calls to have its coroutines counted.
 *
 * A program says which coroutines there are and which of them a thread runs;
 * coroprof-read records them, whenever it is started and as often as it is.
 * With no recording under way coroprof_switch() costs a load, a compare and a
 * store. Nothing here can make the program fail: where the kernel module is
 * missing or refuses, the calls do their bookkeeping and no more.
 *
 * See coroprof(3).
 */
#ifndef COROPROF_COROPROF_H
#define COROPROF_COROPROF_H

#include <stddef.h>
#include <stdint.h>

#include <coroprof/uapi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A coroutine. Valid from coroprof_new() to its end, then used again. */
typedef uint32_t coroprof_co;

/* The calling thread itself, outside any coroutine. */
#define COROPROF_THREAD 0u

/*
 * Coroutines
 */
coroprof_co coroprof_new(uint32_t label, coroprof_co parent, uint64_t user);
void coroprof_done(coroprof_co co);
void coroprof_set_label(coroprof_co co, uint32_t label);
uint64_t coroprof_id(coroprof_co co);

/*
 * Switches: the calling thread runs @to from now on. The coroutine it leaves
 * waits, or stays ready to run, or is done.
 */
void coroprof_switch(coroprof_co to);
void coroprof_switch_ready(coroprof_co to);
void coroprof_switch_done(coroprof_co to);
void coroprof_wake(coroprof_co co);
coroprof_co coroprof_current(void);

/*
 * Labels: a name for all coroutines of one kind
 */
uint32_t coroprof_label(const char *text);
uint32_t coroprof_label_code(const void *address);

/*
 * Spans: what the running coroutine does from here to there. They nest, belong
 * to the coroutine, and go with it from thread to thread.
 */
void coroprof_span_begin(uint32_t label);
void coroprof_span_end(void);

/*
 * Threads. Joining is never needed to be recorded. It makes the thread count
 * at all times, so that coroutines can read their own counters.
 */

/**
 * struct coroprof_join - how a thread joins
 * @size:        sizeof(struct coroprof_join)
 * @label:       of the thread itself, or 0: a name made from the thread's own
 * @nr_counters: how many there are in @counters, or 0: cycles, instructions
 *               and cache misses, all of user mode
 * @reserved:    0
 * @counters:    what to count
 */
struct coroprof_join {
	uint32_t size;
	uint32_t label;
	uint32_t nr_counters;
	uint32_t reserved;
	struct coroprof_counter counters[COROPROF_COUNTERS_MAX];
};

int coroprof_thread_join(const struct coroprof_join *join);
int coroprof_thread_leave(void);
int coroprof_read_self(struct coroprof_totals *totals);
int coroprof_estimate(const struct coroprof_totals *totals, uint32_t counter, uint64_t *value);

/*
 * Recording oneself
 */
int coroprof_start(const char *output);
int coroprof_stop(void);
int coroprof_go(void (*fn)(void *arg), void *arg, const char *output);

/*
 * What is wrong
 */
int coroprof_status(void);
uint64_t coroprof_slotless(void);
const char *coroprof_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif /* COROPROF_COROPROF_H */
