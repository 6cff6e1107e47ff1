/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holds what is recorded against triggers: slices as they come out of rings, those that go on as
 * the totals of their threads say, and spans by which programs ask for a dump. What is seen first
 * is kept until it is taken; the others are counted.
 */
#ifndef COROPROF_WATCH_H
#define COROPROF_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "coroprof.h"
#include "record/trigger.h"

/* Labels that begin so are coroprof_dump()'s; why comes behind it. */
#define WATCH_PROGRAM	"coroprof_dump:"

struct watch_label;
struct watch_second;

/**
 * struct watch_thread - whose ring it is
 * @channel:      channel_id
 * @process:      process_id
 * @cycles:       which counter that is; -1: it has none
 * @instructions: likewise
 */
struct watch_thread {
	uint32_t channel;
	uint32_t process;
	int cycles;
	int instructions;
};

/* So many that were seen are known again. */
#define WATCH_SEEN	256u
/* Spans with labels that are not known yet. */
#define WATCH_WAITING	64u
#define WATCH_ENDS	65536u

/**
 * struct watch_event - a trigger was met
 * @trigger:  which; NULL: none was
 * @channel:  channel_id of the thread
 * @process:  process_id
 * @id:       the coroutine; 0: of a thread outside
 * @begin:    of the slice
 * @ns:       the figure of that slice
 * @slices:   of a second: so many it is of; the slice is the longest of them
 * @quantile_ns: of a second: the quantile of all of them
 * @ipc:      of TRIGGER_IPC: likewise
 * @goes_on:  the slice does
 * @state:    then: COROPROF_OPEN_*
 * @label:    its text, or ""; of TRIGGER_PROGRAM what it said
 */
struct watch_event {
	const struct trigger *trigger;
	uint32_t channel;
	uint32_t process;
	uint64_t id;
	uint64_t begin;
	uint64_t ns;
	uint64_t slices;
	uint64_t quantile_ns;
	double ipc;
	bool goes_on;
	uint32_t state;
	char label[COROPROF_LABEL_TEXT_MAX + 1];
};

/**
 * struct watch_seen - a slice, or span, that was seen to meet a trigger
 */
struct watch_seen {
	const struct trigger *trigger;
	uint32_t channel;
	uint64_t begin;
};

/**
 * struct watch_end - when a coroutine ended its last slice
 */
struct watch_end {
	uint64_t id;
	uint64_t time;
	uint32_t process;
};

/**
 * struct watch - what is looked for
 * @triggers: all there are; signals are not seen here
 * @nr:       how many
 * @met:      of each, how often
 * @slices:   some are of slices; of each kind the least time, or UINT64_MAX
 * @least:    see there
 * @plain:    slices are not looked at that are no longer than that, and have none of
 * @parts:    these flags
 * @of_any:   bit n: trigger n is of any label
 * @seconds:  beside @triggers: what those of a second add up; NULL for others
 * @second_at: when the second began
 * @program:  one of them is "program", or NULL
 * @labels:   of processes, as they become known
 * @nr_labels: how many
 * @index:    (label, process_id) to label
 * @seen:     the last ones, each in a place of its own
 * @waiting:  spans whose labels are not known
 * @nr_waiting: how many
 * @ends:     by slot and process; only with READY
 * @event:    what was seen first
 */
struct watch {
	const struct trigger *triggers;
	unsigned int nr;
	uint64_t met[TRIGGERS_MAX];
	bool slices;
	uint64_t least[TRIGGER_KINDS];
	uint64_t plain;
	uint16_t parts;
	uint32_t of_any;
	struct watch_second *seconds[TRIGGERS_MAX];
	uint64_t second_at;
	const struct trigger *program;
	struct watch_label *labels;
	uint32_t nr_labels;
	struct index index;
	struct watch_seen seen[WATCH_SEEN];
	struct watch_event waiting[WATCH_WAITING];
	unsigned int nr_waiting;
	struct watch_end *ends;
	struct watch_event event;
};

/* @triggers stay the caller's. */
int watch_begin(struct watch *watch, const struct trigger *triggers, unsigned int nr,
		struct error *err);

/* Notes the text of a label, and which triggers are about it. */
int watch_label(struct watch *watch, const struct coroprof_record_label *record,
		struct error *err);
/* Forgets the labels of processes that are gone. */
void watch_sift(struct watch *watch, bool (*is_gone)(void *context, uint32_t process_id),
		void *context);

/* What watch_records() needs to know of a channel, from its CHANNEL record. */
struct watch_thread watch_thread(const struct coroprof_record_channel *channel);

/* Checks the slices in @size bytes of whole records of a ring. */
void watch_records(struct watch *watch, const struct watch_thread *thread, const void *records,
		   size_t size);

/* Checks triggers on all slices of a second, once a second is over. */
void watch_second(struct watch *watch, uint64_t now);

/* Checks the open slice in the totals of a thread. @now: the time at which they were read. */
void watch_open(struct watch *watch, const struct coroprof_channel_status *status,
		uint32_t process, uint64_t now);

/* How often open slices have to be checked, in ns; 0: never. */
uint64_t watch_interval(const struct watch *watch);

void watch_free(struct watch *watch);

#endif /* COROPROF_WATCH_H */
