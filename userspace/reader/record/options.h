/* SPDX-License-Identifier: GPL-2.0 */
/* What is to be recorded, and how. */
#ifndef COROPROF_RECORD_OPTIONS_H
#define COROPROF_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "events/events.h"
#include "record/feed.h"
#include "record/observer.h"
#include "record/trigger.h"

#define PIDS_MAX	256

/**
 * struct sampling - what samples are to be taken
 * @event:     what overflows
 * @named:     the user named it
 * @period:    one each so many counts, or 0
 * @frequency: or so many a second, or 0. Both 0: none
 * @stack_max: at most so many callers of each
 */
struct sampling {
	struct event event;
	bool named;
	uint64_t period;
	uint32_t frequency;
	uint32_t stack_max;
};

/**
 * struct record_options - a recording that is asked for
 * @events:      what to count
 * @nr_events:   how many; 0 with @events_given: only times
 * @events_given: the user has said what to count
 * @sampling:    samples to take
 * @switch_ioctl: threads are not to switch from user mode
 * @pids:        processes to record
 * @nr_pids:     how many
 * @no_inherit:  their children are not recorded
 * @command:     command to record, NULL terminated, or NULL
 * @ring_size:   bytes, 0: the module's default
 * @watermark:   bytes, 0: the module's default
 * @duration_ns: stop after so long, 0: don't
 * @ready_fd:    say here that the recording runs, -1: don't
 * @note:        what the user has to say of it, or NULL
 * @no_preload:  leave LD_PRELOAD alone
 * @runtimes:    adapters to use, as --runtime has them, or NULL: all
 * @functions:   functions of Python to say as spans, as --functions has them, or NULL: none
 * @threads:     record threads from their begin, not from their first coroutine
 * @totals:      no slices, only totals
 * @interval_ns: with @totals: show what there is so often, 0: don't
 * @show:        called then with @context and the path of a recording of it
 * @context:     see @show
 * @probes:      functions to probe, as --probe has them, or NULL: those of a known runtime
 * @keep_ns:     keep only the last so much time, 0: all
 * @keep_bytes:  and of that no more bytes than these
 * @dump_on:     with @keep_ns: what is kept is written, to a file of its own, when one of these is
 *  met
 * @nr_dump_on:  how many
 * @dump_after_ns: of conditions: so long after that
 * @dump_every_ns: likewise: at most one file in so much time
 * @dump_name:   how the names of those files begin; NULL: coroprof
 * @observer:    with @keep_ns: looks at what is kept, for which no file is written in the end; or
 *  NULL
 * @feed:        with @keep_ns or @totals: gets what is recorded, part by part, too; or NULL
 * @quiet:       only errors and warnings on standard error
 */
struct record_options {
	struct event events[COROPROF_COUNTERS_MAX];
	unsigned int nr_events;
	bool events_given;
	struct sampling sampling;
	bool switch_ioctl;
	pid_t pids[PIDS_MAX];
	unsigned int nr_pids;
	bool no_inherit;
	char **command;
	uint32_t ring_size;
	uint32_t watermark;
	uint64_t duration_ns;
	int ready_fd;
	const char *note;
	bool no_preload;
	const char *runtimes;
	const char *functions;
	bool threads;
	bool totals;
	uint64_t interval_ns;
	void (*show)(void *context, const char *path);
	void *context;
	const char *probes;
	uint64_t keep_ns;
	uint64_t keep_bytes;
	struct trigger dump_on[TRIGGERS_MAX];
	unsigned int nr_dump_on;
	uint64_t dump_after_ns;
	uint64_t dump_every_ns;
	const char *dump_name;
	struct record_observer *observer;
	struct record_feed *feed;
	bool quiet;
};

#endif /* COROPROF_RECORD_OPTIONS_H */
