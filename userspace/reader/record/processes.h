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

/* The recording is about to begin; the process runs already. */
void processes_start(struct processes *processes);
void processes_expect(struct processes *processes, pid_t pid);

/* A COROPROF_RECORD_PROCESS, or _PROCESS_END, has been read. */
int processes_begin(struct processes *processes,
		    const struct coroprof_record_process *record,
		    struct error *err);
int processes_end(struct processes *processes, __u32 process_id, struct error *err);

/* Something new runs in the process, for which it may have mapped more code. */
void processes_touch(struct processes *processes, __u32 process_id);

/* A thread of it is recorded. */
void processes_recorded(struct processes *processes, __u32 process_id, pid_t tid);

/* Looks at what they use, at most a few times a second, or, with @now, at once. */
void processes_look(struct processes *processes, bool now);
/* Writes what they have used until then. */
int processes_write_used(struct processes *processes, struct error *err);

/* Says the sights, to which others have been added. */
void processes_report(const struct processes *processes);

/*
 * Writes the mappings of those touched, of each at most a few times a second.
 * With @last: of all, now.
 */
int processes_write_maps(struct processes *processes, bool last,
			 struct error *err);

/* "12 (haproxy)"; "" for one that is not known. */
void processes_name(struct processes *processes, __u32 process_id, char *text,
		    size_t capacity);

/* "pid 12 (haproxy), pid 13 (haproxy), ..." */
void processes_list(const struct processes *processes, char *text, size_t capacity);

void processes_free(struct processes *processes);

#endif /* COROPROF_PROCESSES_H */
