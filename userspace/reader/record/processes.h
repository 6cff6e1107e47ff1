/* SPDX-License-Identifier: GPL-2.0 */
/* The processes of a session, and where code is in them. */
#ifndef COROPROF_PROCESSES_H
#define COROPROF_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "coroprof.h"
#include "cprof/writer.h"
#include "record/maps.h"
#include "record/orphans.h"

struct process;
struct sights;

/**
 * struct processes - all processes that have not ended
 * @writer:  where their mappings go
 * @all:     in order of appearance
 * @nr:      how many
 * @room:    how many fit
 * @seen:    how many there have been
 * @sights:  told which of them are recorded
 * @executables: what those have run
 * @ids:     build ids of what they map
 * @payload: of the segment being made
 */
struct processes {
	struct writer *writer;
	struct process *all;
	size_t nr;
	size_t room;
	unsigned long seen;
	struct sights *sights;
	struct executables executables;
	struct build_ids ids;
	struct buffer payload;
};

/* A COROPROF_RECORD_PROCESS, or _PROCESS_END, has been read. */
int processes_begin(struct processes *processes,
		    const struct coroprof_record_process *record,
		    struct error *err);
void processes_end(struct processes *processes, __u32 process_id);

/* Something new runs in the process, for which it may have mapped more code. */
void processes_touch(struct processes *processes, __u32 process_id);

/* A thread of it is recorded. */
void processes_recorded(struct processes *processes, __u32 process_id);

/* Tells the sights, to which others have been added. */
void processes_tell(const struct processes *processes);

/*
 * Writes the mappings of those touched, of each at most a few times a second.
 * With @last: of all, now.
 */
int processes_write_maps(struct processes *processes, bool last,
			 struct error *err);

/* "12 (haproxy)"; "" for one that is not known. */
void processes_name(struct processes *processes, __u32 process_id, char *text,
		    size_t room);

/* "pid 12 (haproxy), pid 13 (haproxy), ..." */
void processes_list(const struct processes *processes, char *text, size_t room);

void processes_free(struct processes *processes);

#endif /* COROPROF_PROCESSES_H */
