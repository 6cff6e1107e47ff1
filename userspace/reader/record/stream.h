/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What read() on a session says: written to the recording as it is, and
 * followed here as far as recording itself needs it.
 */
#ifndef COROPROF_STREAM_H
#define COROPROF_STREAM_H

#include "events/events.h"
#include "explain/machine.h"
#include "record/channels.h"
#include "record/processes.h"
#include "record/totals.h"

/**
 * struct stream - the reading of a session
 * @session:    which one
 * @writer:     where it goes
 * @channels:   informed of channels
 * @processes:  informed of processes
 * @totals:     likewise, in a session of totals; else NULL
 * @machine:    to explain counters that can't be had
 * @events:     what they are called
 * @nr_events:  how many
 * @complained: bit n: event n has been explained
 * @unrecorded: how many threads the kernel had no room to report one by one
 * @refused:    how many processes were not attached when they became known
 * @records:    what read() gave
 */
struct stream {
	struct session *session;
	struct writer *writer;
	struct channels *channels;
	struct processes *processes;
	struct totals *totals;
	const struct machine *machine;
	const struct event *events;
	unsigned int nr_events;
	unsigned int complained;
	uint64_t unrecorded;
	unsigned long refused;
	char records[64 * 1024];
};

/* Reads and handles all records that the session has at this time. */
int stream_read(struct stream *stream, struct error *err);

#endif /* COROPROF_STREAM_H */
