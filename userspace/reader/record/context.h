/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the records of threads need to be understood: INFO, counters, processes with their labels
 * and mappings. Kept as long as the process lives, or anything is kept of one of its threads.
 */
#ifndef COROPROF_CONTEXT_H
#define COROPROF_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/util.h"
#include "coroprof.h"
#include "cprof/writer.h"

struct context_info;
struct context_process;

/**
 * struct context - of a recording
 * @infos:        keys of INFO, each once
 * @nr_infos:     how many
 * @counters:     COUNTERS segments as stored, one behind the other
 * @processes:    in no order
 * @nr_processes: how many
 * @index:        process_id to process
 * @gone:         so many have been left out
 * @bytes:        of all that grows
 */
struct context {
	struct context_info *infos;
	uint32_t nr_infos;
	struct buffer counters;
	struct context_process *processes;
	uint32_t nr_processes;
	struct index index;
	uint64_t gone;
	size_t bytes;
};

int context_info(struct context *context, const char *payload, size_t size, struct error *err);
int context_counters(struct context *context, const void *stored, size_t size, struct error *err);
int context_maps(struct context *context, uint32_t process_id, const void *stored, size_t size,
		 struct error *err);

/* Keeps PROCESS, PROCESS_END and LABEL records; ignores others. */
int context_record(struct context *context, const struct coroprof_record *record,
		   struct error *err);

/* A record of a thread of the process is kept, so its context is needed until context_release(). */
void context_hold(struct context *context, uint32_t process_id);
void context_release(struct context *context, uint32_t process_id);

bool context_knows(const struct context *context, uint32_t process_id);

/*
 * Writes the keys of INFO. @is_kept: whether a record of a channel is kept; if not, its keys are
 * left out.
 */
int context_write_info(const struct context *context, struct writer *writer,
		       bool (*is_kept)(void *kept, uint32_t channel_id), void *kept,
		       struct error *err);
int context_write_processes(const struct context *context, struct writer *writer,
			    struct buffer *stream, struct error *err);
int context_write_maps(const struct context *context, struct writer *writer, struct error *err);

/*
 * Appends the text of a label, not made printable; nothing if the label is unknown, or has no text.
 */
int context_label(const struct context *context, uint32_t process_id, uint32_t label,
		  struct buffer *text, struct error *err);
/* The record with name and pid of a process, or NULL. */
const struct coroprof_record_process *context_process(const struct context *context,
						      uint32_t process_id);

/* Calls @each for the processes of which records are kept, until a call fails. */
int context_each(const struct context *context,
		 int (*each)(void *context, uint32_t process_id, struct error *err),
		 void *of, struct error *err);

/* Appends a record to a STREAM payload, which is written whenever it is large. */
int context_put(struct writer *writer, struct buffer *stream, const void *record, size_t size,
		struct error *err);
int context_flush(struct writer *writer, struct buffer *stream, struct error *err);

void context_free(struct context *context);

#endif /* COROPROF_CONTEXT_H */
