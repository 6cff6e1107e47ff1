/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last seconds of a recording, bounded by time and bytes, in memory: what recording writes
 * goes here in place of a file, see struct writer_sink. In memory, not in a file without a name:
 * it is as small there as it would be in a file, a disk that is full or slow must not stop the
 * recording, and one that is written to for ever wears out.
 *
 * Time is cut into ticks. A tick begins with the totals of each thread at one place of its ring
 * (STATUS, by channels_mark()); records behind that are the tick's. The oldest tick goes as a
 * whole. So what is left of a thread begins behind totals that are known, and ends with others,
 * and its slices add up to the difference.
 */
#ifndef COROPROF_KEEP_H
#define COROPROF_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "cprof/writer.h"
#include "record/context.h"
#include "record/living.h"

struct kept_channel;
struct kept_tick;
struct memory;
struct watch;

/**
 * struct keep - what is kept
 * @sink:     for the writer of what records
 * @ns:       so much time is to be kept
 * @most:     no more bytes than that
 * @ticks:    in order
 * @nr_ticks: how many
 * @first:    number of the first of them; they are numbered one after the other
 * @channels: in no order
 * @nr_channels: how many
 * @index:    channel_id to channel
 * @bytes:    of records and totals
 * @context:  what they need
 * @living:   coroutines whose first slices may be gone
 * @watch:    sees what is kept, as it comes; or NULL
 * @records:  so many segments of records have come
 * @scratch:  memory for what is written, reused
 * @dropped:  a tick has been dropped: what there is is not all of the recording
 * @squeezed: that was for lack of room, before its time
 * @over_ns:  since then nothing more comes; 0: it does
 */
struct keep {
	struct writer_sink sink;
	uint64_t ns;
	uint64_t most;
	struct kept_tick *ticks;
	uint32_t nr_ticks;
	uint64_t first;
	struct kept_channel *channels;
	uint32_t nr_channels;
	struct index index;
	uint64_t bytes;
	struct context context;
	struct living living;
	struct watch *watch;
	uint64_t records;
	struct buffer scratch;
	bool dropped;
	bool squeezed;
	uint64_t over_ns;
};

int keep_begin(struct keep *keep, uint64_t ns, uint64_t bytes, struct error *err);

/* When a tick is to begin, at the latest. It may be sooner, if there is much to keep. */
uint64_t keep_next(const struct keep *keep);

/* A tick begins, and what is too old goes. channels_mark() has to follow. */
int keep_tick(struct keep *keep, uint64_t now, struct error *err);

/* What there is begins here, and is so many bytes, all that is needed included. */
uint64_t keep_from(const struct keep *keep);
uint64_t keep_bytes(const struct keep *keep);

/* Whether there is as much as is to be kept, in time or in bytes. */
bool keep_is_full(const struct keep *keep, uint64_t now);

/* CHANNEL of a thread of which something is kept, or NULL. */
const struct coroprof_record_channel *keep_channel(const struct keep *keep, uint32_t channel_id);

/*
 * Writes it as a recording. channels_mark() has to come before, or the end of all threads.
 * @info: pairs of texts for INFO. @exit_status: as in struct cprof_end
 */
int keep_write(struct keep *keep, struct writer *writer, const struct buffer *info,
	       int exit_status, struct error *err);

/* Nothing more will come: the last tick has ended, now. */
void keep_over(struct keep *keep);

/*
 * Ticks have numbers, from keep.first up to keep_end(), which is behind the last: that goes on, until
 * all is over. When one of them began; of keep_end(): when the last ended, or now.
 */
uint64_t keep_end(const struct keep *keep);
uint64_t keep_begins(const struct keep *keep, uint64_t tick);
/* Each record that ended then or later is of that tick, or of one behind it. */
uint64_t keep_settled(const struct keep *keep, uint64_t tick);

/**
 * struct keep_part - some of what is kept; all of it has to be there still
 * @first: its first tick
 * @end:   the tick behind it
 */
struct keep_part {
	uint64_t first;
	uint64_t end;
};

/*
 * As keep_write(), a part: a recording of its own, with sums that can be checked. Of the tick that
 * goes on channels_mark() has to come before.
 */
int keep_write_part(struct keep *keep, const struct keep_part *part, struct writer *writer,
		    const struct buffer *info, struct error *err);
/*
 * The same, in memory, for another thread: its records stay where they are, and are there as long as
 * it is. NULL: that failed.
 */
struct memory *keep_share(struct keep *keep, const struct keep_part *part, struct error *err);

void keep_free(struct keep *keep);

#endif /* COROPROF_KEEP_H */
