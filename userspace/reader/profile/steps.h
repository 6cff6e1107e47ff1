/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One step of the program is one slice, whatever the library does in it. What an adapter does
 * once for a piece of code, in the middle of a slice, it charges to a coroutine of the library's
 * own, labelled MODEL_NAMING, and goes back to what ran: records report a slice, one of the
 * library's, and another slice. That one goes on with the first, is its next piece, if
 *
 *  - on one channel, the three follow each other without a gap or a loss,
 *  - it is of the same coroutine, or thread, and label, which had no slice elsewhere in between,
 *  - the first did not end its coroutine, nor leave it ready, and the recording did not end in it,
 *  - and nothing made it ready in between, and the recording did not begin in it.
 *
 * There may be any number of pieces. Times and counts, and where the slice is drawn, come piece by
 * piece, as each is in another place. That it was a slice comes with the first. How long it was is
 * known with the last: the next slice of the channel, or a loss, says that it was. All that
 * depends on that is a sum for the label, to which nobody looks before: it may be reported late.
 * The slice began with the first piece and ended with the last, and it is as long as all of them.
 *
 * Only slices behind which another one of the library's stands, or which are the last at hand,
 * are held back.
 */
#ifndef COROPROF_STEPS_H
#define COROPROF_STEPS_H

#include "profile/build.h"
#include "profile/heat-map.h"
#include "profile/latency.h"
#include "profile/longest.h"

enum step_part {
	STEP_WHOLE,	/* a slice, of which all is known */
	STEP_BEGINS,	/* a slice, or its first piece */
	STEP_GOES_ON,	/* a further piece of one that began before */
};

/**
 * struct step_at - a slice of a channel with profile_channel.steps
 * @channel:   row
 * @label:     row
 * @begin_ns:  of the slice
 * @c:         its coroutine, before the slice; NULL if that is not followed
 * @may_go_on: a slice of the tool may follow
 */
struct step_at {
	uint32_t channel;
	uint32_t label;
	uint64_t begin_ns;
	const struct model_coroutine *c;
	bool may_go_on;
};

/*
 * Handles the next slice of a channel. WHOLE: the caller counts the slice; else this file does,
 * once all its pieces are known.
 */
enum step_part step_take(struct build *b, const struct step_at *at, const struct record *s);

/*
 * Removes @s as a slice of its own from @t, as it is a piece. @before: the flags of all pieces
 * before it.
 */
void step_join_times(const struct build *b, struct model_times *t, uint16_t before,
		     const struct record *s);

/* Something of the channel is missing here, so the held slice has no more pieces. */
void step_break(struct build *b, uint32_t channel);

/*
 * Before the shard @next is merged into build.profile: removes from its sums each first slice that
 * is a piece of one in a shard before.
 */
void steps_align(struct build *b, struct profile *next);
/* Merges the held slices of a channel, before anything else of it is merged. */
void step_merge(struct build *b, uint32_t channel, struct profile *from,
		const struct rows *rows);
/* Counts the slices that are held, as nothing follows. */
void steps_finish(struct build *b);

/* How long a slice was, whether it has the record's sums or those of its pieces. */
static inline void step_count(struct build *b, uint32_t channel, uint32_t label,
			      uint64_t begin_ns, const struct record *s)
{
	struct model_label *l = &b->profile->labels[label];

	if (!model_label_is_outside(l)) {
		longest_slice(b, channel, label, begin_ns, s);
		heat_map_add(b, label, begin_ns, s);
	}
	latency_slice(b, label, s);
	if (s->flags & COROPROF_SLICE_UNREPORTED) {
		l->unreported++;
		l->unreported_ns += s->running_ns;
	}
}

#endif /* COROPROF_STEPS_H */
