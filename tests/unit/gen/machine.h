/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine at random: threads of two processes switch coroutines, which move from
 * thread to thread, are born, end, sleep, wake each other, are renamed, and have
 * spans. One thread is recorded twice, another one counts other things than the
 * session. Slices and spans are lost, rings have holes, and slices do not follow
 * each other. What it does is a list of events in order of time, as the merge
 * gives them. The same seed gives the same machine.
 */
#ifndef COROPROF_TESTS_MACHINE_H
#define COROPROF_TESTS_MACHINE_H

#include "gen/recording.h"
#include "profile/build.h"

enum machine_event_kind {
	MACHINE_SLICE,
	MACHINE_SPAN,
	MACHINE_LOST,		/* a LOST record */
	MACHINE_HOLE,		/* something can't be read */
	MACHINE_SLICES_MISSING,	/* up to .until, as is known from now on */
	MACHINE_SPANS_MISSING,	/* likewise */
};

/**
 * struct machine_event - what the merge gives to a profile
 * @kind:    enum machine_event_kind
 * @channel: row
 * @process: row
 * @time:    when
 * @until:   of _MISSING
 * @record:  of SLICE, SPAN and LOST
 */
struct machine_event {
	enum machine_event_kind kind;
	uint32_t channel;
	uint32_t process;
	uint64_t time;
	uint64_t until;
	struct record record;
};

/**
 * struct machine_options - what the machine does
 * @events:     at least so many events
 * @spans:      how many of ten steps are of spans; 0 for 3, or with @alike for none
 * @births:     how many of ten coroutines that are switched to are new; 0 for 1
 * @plain:      no coroutine that has ended, or whose first slice goes on, is reported as a
 *              waker, and where slices are lost, spans are as well
 * @alike:      each thread is recorded once, and counts what the session does: without
 *              spans most slices are usual, see slices.c
 * @absent:     the session counts a third event, too, which no thread can count; for
 *              @alike
 */
struct machine_options {
	uint32_t events;
	uint32_t spans;
	uint32_t births;
	bool plain;
	bool alike;
	bool absent;
};

#define MACHINE_THREADS		4
#define MACHINE_COROUTINES	256
#define MACHINE_DEPTH		6

struct machine_coroutine {
	uint64_t id;
	uint64_t end;
	uint32_t process;
	uint32_t label;
	uint32_t running;
	bool told;
	bool ended;
	bool without_spans;
	uint32_t depth;
	uint64_t span_begin[MACHINE_DEPTH];
	uint32_t span_label[MACHINE_DEPTH];
};

struct machine_thread {
	uint32_t process;
	uint32_t channel;
	uint64_t begin;
	struct machine_coroutine *runs;
	struct machine_coroutine own;
	bool first;
	uint64_t lost_until;
	bool hole;
	uint32_t lost;
	uint32_t lost_spans;
};

struct machine {
	uint64_t random;
	struct machine_options options;
	struct machine_event *events;
	uint32_t nr_events;
	uint32_t room;
	uint64_t now;
	uint32_t again;
	struct machine_thread threads[MACHINE_THREADS];
	struct machine_coroutine coroutines[MACHINE_COROUTINES];
	uint32_t nr_coroutines;
};

/* Writes its processes, channels and labels to recording_path, and nothing else. */
void machine_context(const struct machine_options *options);

struct machine *machine_run(const struct build *context,
			    const struct machine_options *options, uint64_t seed);
void machine_free(struct machine *m);
void machine_print(const struct machine *m);
/* Below @n. */
uint32_t machine_random(struct machine *m, uint32_t n);

#endif /* COROPROF_TESTS_MACHINE_H */
