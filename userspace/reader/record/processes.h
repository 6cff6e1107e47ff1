/* SPDX-License-Identifier: GPL-2.0 */
/* The processes of a session, where code is in them, and what they use. */
#ifndef COROPROF_PROCESSES_H
#define COROPROF_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "coroprof.h"
#include "cprof/writer.h"
#include "record/maps.h"
#include "record/orphans.h"

struct process;
struct detections;

/* So many processes are remembered that were looked at before they were known. */
#define EARLIER_MAX	256

/**
 * struct earlier - what a process had used before it is, or is again, known
 */
struct earlier {
	pid_t pid;
	uint64_t ns;
};

/**
 * struct processes - all processes that have not ended
 * @writer:  where their mappings go
 * @all:     in order of appearance
 * @nr:      how many
 * @capacity: how many fit
 * @seen:    how many there have been
 * @detections: informed which of them are recorded
 * @executables: what those have run
 * @ids:     build ids of what they map
 * @payload: of the segment being made
 * @since:   when the recording began, as used_ticks()
 * @looked_at: when what they use was looked at last
 * @earlier: what some had used before
 * @nr_earlier: how many there have been; the last ones are there
 */
struct processes {
	struct writer *writer;
	struct process *all;
	size_t nr;
	size_t capacity;
	unsigned long seen;
	struct detections *detections;
	struct executables executables;
	struct build_ids ids;
	struct buffer payload;
	uint64_t since;
	uint64_t looked_at;
	struct earlier earlier[EARLIER_MAX];
	unsigned int nr_earlier;
};

/* Called just before the recording begins: processes that run by now have used CPU time before. */
void processes_start(struct processes *processes);
void processes_expect(struct processes *processes, pid_t pid);

/*
 * Adds a process, after a COROPROF_RECORD_PROCESS; processes_end() removes it, after a
 * _PROCESS_END.
 */
int processes_begin(struct processes *processes,
		    const struct coroprof_record_process *record,
		    struct error *err);
int processes_end(struct processes *processes, __u32 process_id, struct error *err);

/* New code may run in the process, so its mappings are read again. */
void processes_touch(struct processes *processes, __u32 process_id);

/* A thread of the process is recorded. */
void processes_recorded(struct processes *processes, __u32 process_id, pid_t tid);

/*
 * Reads CPU clocks and threads of all processes: a few times a second at most, or, with @now, at
 * once.
 */
void processes_look(struct processes *processes, bool now);
/* Writes the CPU time that processes have used until this time. */
int processes_write_used(struct processes *processes, struct error *err);

/* Drops what was detected of processes that are recorded. */
void processes_report(const struct processes *processes);

/*
 * Writes the mappings of processes that were touched, of each a few times a second at most. With
 * @last: of all, at once.
 */
int processes_write_maps(struct processes *processes, bool last,
			 struct error *err);

/* Writes "12 (haproxy)"; "" if the process is unknown. */
void processes_name(struct processes *processes, __u32 process_id, char *text,
		    size_t capacity);

/* Writes "pid 12 (haproxy), pid 13 (haproxy), ...". */
void processes_list(const struct processes *processes, char *text, size_t capacity);

void processes_free(struct processes *processes);

#endif /* COROPROF_PROCESSES_H */
