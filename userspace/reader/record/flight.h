/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flight recorder: what is kept, and when it is written while the recording goes on. Who asks
 * for it, by a signal or --snapshot, gets it at once. A condition gets it @dump_after_ns later, so
 * that what followed is there, too; not before as much is kept as is to be, and at most once in
 * @dump_every_ns. One file is written at a time.
 */
#ifndef COROPROF_FLIGHT_H
#define COROPROF_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "record/channels.h"
#include "record/dumps.h"
#include "record/keep.h"
#include "record/options.h"
#include "record/signals.h"
#include "record/snapshot.h"
#include "record/stream.h"
#include "record/watch.h"

/**
 * struct flight - a flight recorder
 * @options:  what was asked for
 * @channels: threads
 * @stream:   what the session says of them
 * @keep:     what is kept
 * @watch:    what is looked for in it
 * @dumps:    files that are written
 * @snapshot: others that ask
 * @fed:      so many dumps has options.feed
 * @signals:  that have come and were not answered yet
 * @wanted:   somebody asks for a snapshot
 * @asked:    the file that is written is that
 * @event:    what a file is to be written for, at @due; without a trigger there is none
 * @due:      see there
 * @last:     when the last file was begun for a condition; 0: none was
 * @early:    conditions that were met before as much was kept as is to be
 * @beside:   or too soon after the last file
 * @open_at:  when slices that go on are looked at next
 * @records:  keep.records when something was recorded last, at @recorded_at
 * @recorded_at: see there
 * @quiet:    it was said that nothing is recorded
 */
struct flight {
	const struct record_options *options;
	struct channels *channels;
	struct stream *stream;
	struct keep keep;
	struct watch watch;
	struct dumps dumps;
	struct snapshot snapshot;
	unsigned int fed;
	uint64_t signals;
	bool wanted;
	bool asked;
	struct watch_event event;
	uint64_t due;
	uint64_t last;
	uint64_t early;
	uint64_t beside;
	uint64_t open_at;
	uint64_t records;
	uint64_t recorded_at;
	bool quiet;
};

int flight_begin(struct flight *flight, const struct record_options *options,
		 struct channels *channels, struct stream *stream, struct error *err);

/* Sets the signals that make the recorder write a file. */
void flight_signals(const struct record_options *options, sigset_t *set);

/*
 * Called after all rings have been read: checks triggers, and begins files that are due. @signals:
 * those that have come; the ones that ask for a file are taken out.
 */
int flight_look(struct flight *flight, struct signals *signals, struct error *err);

/*
 * Begins to write what is kept to a file of its own. @part: the part of it to write, whose last
 * tick has ended, or NULL. False, with a warning, if a file can't be begun.
 */
bool flight_dump(struct flight *flight, const char *why, const struct keep_part *part);

/*
 * Writes files that are asked for after the recording has ended, while somebody looks at what is
 * kept.
 */
void flight_serve(struct flight *flight);

/* The time, in ns, at which flight_look() is to be called next, at the latest. */
uint64_t flight_next(const struct flight *flight);

/*
 * Ends the recorder: finishes files that are due or being written, and reports how often triggers
 * fired.
 */
int flight_end(struct flight *flight, struct error *err);
/* Likewise, and writes what is kept to the file at @path, of *@bytes bytes. */
int flight_write(struct flight *flight, const char *path, int exit_status, uint64_t *bytes,
		 struct error *err);

void flight_free(struct flight *flight);

#endif /* COROPROF_FLIGHT_H */
