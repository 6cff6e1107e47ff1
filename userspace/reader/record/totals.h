/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slots of the processes of a session of totals: seen while they live, kept when
 * they have ended, written when a recording is to show them.
 */
#ifndef COROPROF_TOTALS_H
#define COROPROF_TOTALS_H

#include "base/util.h"
#include "cprof/writer.h"
#include "record/session.h"

struct seen;

/**
 * struct totals - all processes of the session
 * @session: see there
 * @writer:  where their slots go
 * @all:     in no order
 * @nr:      how many
 * @capacity: how many fit
 * @payload: of the segment being made
 * @failed:  processes whose slots can't be seen: what they run is in no slot
 */
struct totals {
	struct session *session;
	struct writer *writer;
	struct seen *all;
	size_t nr;
	size_t capacity;
	struct buffer payload;
	unsigned long failed;
};

/* Maps the slots of a process, of which a COROPROF_RECORD_PROCESS was read. */
int totals_begin(struct totals *totals, __u32 process_id, struct error *err);
/* Called after START: what is older is no part of the recording. */
void totals_start(struct totals *totals);
/* Copies the slots of a process that has ended, after its COROPROF_RECORD_PROCESS_END. */
int totals_end(struct totals *totals, __u32 process_id, struct error *err);
/* Writes the slots of all processes as they are at this time. */
int totals_write(struct totals *totals, struct error *err);
void totals_free(struct totals *totals);

#endif /* COROPROF_TOTALS_H */
