// SPDX-License-Identifier: GPL-2.0
/*
 * Adds up one recording on all processors: its time is cut into shards with about as many bytes of
 * rings in each, one thread adds up each of them, and then the shards' profiles are merged in order
 * of time.
 *
 * The threads share what is read before the rings, and each writes to a profile of its own.
 * Whatever only the recording as a whole shows must not be missed: if there is any damage, if a
 * ring is not in order, or if slices are missing of which no record says so, all of it is added up
 * again in one piece. The first thread that finds such a thing makes all others stop.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/build.h"
#include "profile/part.h"
#include "profile/rings.h"
#include "profile/shards.h"
#include "profile/status.h"
#include "profile/timeline.h"

/* Less than this is not worth a thread. */
#define SHARD_BYTES	(1u << 20)

/**
 * struct shard - what one thread adds up
 * @build: what there is, and a profile of its own
 * @from, @to: its time, as in merge_rings()
 * @thread: that does so, if @started
 * @options: of the build: the first one reports progress as if it were of all
 * @nr:     how many shards there are
 */
struct shard {
	struct build build;
	uint64_t from;
	uint64_t to;
	pthread_t thread;
	bool started;
	const struct model_options *options;
	uint32_t nr;
};

/* ---- where to cut */

/**
 * struct ring_segment - a segment of a ring
 * @time: of its last record
 * @size: bytes
 */
struct ring_segment {
	uint64_t time;
	uint64_t size;
};

static int compare_last_times(const void *a, const void *b)
{
	const struct ring_segment *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/*
 * Lists the segments of rings in the selected time, and sums their bytes. Returns 0 if one has no
 * time, as in old files: then there is nothing to cut at.
 */
static uint32_t list_ring_segments(const struct build *b, struct ring_segment *parts,
				   uint64_t *bytes)
{
	uint32_t nr = 0;

	*bytes = 0;
	for (size_t i = 0; i < b->file->nr_segments; i++) {
		const struct file_segment *s = &b->file->segments[i];

		if (s->type != CPROF_SEGMENT_RING)
			continue;
		if (!s->last_time)
			return 0;
		if (s->last_time < b->from || s->first_time >= b->to)
			continue;
		parts[nr++] = (struct ring_segment){ s->last_time, s->stored_size };
		*bytes += s->stored_size;
	}
	return nr;
}

static uint32_t shards_wanted(const struct build *b, uint64_t bytes)
{
	uint32_t nr = b->options.shards;

	if (!nr) {
		nr = processors();
		if (nr > bytes / SHARD_BYTES)
			nr = (uint32_t)(bytes / SHARD_BYTES);
	}
	return nr < SHARDS_MAX ? nr : SHARDS_MAX;
}

/*
 * Sets up to @nr times, between which there are about as many bytes each. Returns how many: the
 * last segments may end behind the selected time, and several may end at once.
 */
static uint32_t set_cuts(const struct build *b, const struct ring_segment *parts, uint32_t nr_parts,
			 uint64_t bytes, uint64_t *times, uint32_t nr)
{
	uint64_t seen = 0, last = b->from;
	uint32_t cuts = 0;

	for (uint32_t i = 0; i < nr_parts && cuts < nr && parts[i].time < b->to; i++) {
		seen += parts[i].size;
		if (seen * (nr + 1) < bytes * (cuts + 1) || parts[i].time == last)
			continue;
		last = times[cuts++] = parts[i].time;
	}
	return cuts;
}

/* Returns the number of shards, and sets @times to where they begin, except the first. */
static uint32_t choose_cuts(struct build *b, uint64_t *times)
{
	struct ring_segment *parts = calloc(b->file->nr_segments + 1, sizeof(*parts));
	uint32_t nr = 0, nr_parts;
	uint64_t bytes;

	if (!parts) {
		b->out_of_memory = true;
		return 1;
	}
	nr_parts = list_ring_segments(b, parts, &bytes);
	if (nr_parts && !b->file->nr_corrupt_ranges)
		nr = shards_wanted(b, bytes);
	if (nr > 1) {
		qsort(parts, nr_parts, sizeof(*parts), compare_last_times);
		nr = 1 + set_cuts(b, parts, nr_parts, bytes, times, nr - 1);
	}
	free(parts);
	return nr;
}

/* ---- threads */

/* The first shard reports its progress as if all others were as far. */
static void report_progress_of_all(void *context, uint64_t done, uint64_t total)
{
	const struct shard *s = context;

	done *= s->nr;
	s->options->progress(s->options->context, done < total ? done : total,
			     total);
}

static void begin_shard(struct shard *s, const struct build *b, struct row_counts *counts,
			bool *in_vain, uint32_t nr)
{
	bool first = s->from == b->from;

	s->options = &b->options;
	s->nr = nr;
	s->build = *b;
	s->build.of_shard = true;
	s->build.in_vain = in_vain;
	s->build.row_counts = counts;
	s->build.shard = counts->nr++;
	s->build.options.progress = first && b->options.progress ?
				    report_progress_of_all : NULL;
	s->build.options.context = s;
	s->build.profile = NULL;
	s->build.profile = profile_new(&s->build, first);
}

static void *run_shard(void *context)
{
	struct shard *s = context;

	if (!s->build.out_of_memory)
		merge_rings(&s->build, s->from, s->to);
	return NULL;
}

/*
 * Runs the first shard on this thread, and each other one on a thread of its own; on this one if no
 * thread can be created.
 */
static void run_all_shards(struct shard *all, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++)
		all[i].started = !pthread_create(&all[i].thread, NULL, run_shard,
						 &all[i]);
	run_shard(&all[0]);
	for (uint32_t i = 1; i < nr; i++) {
		if (all[i].started)
			pthread_join(all[i].thread, NULL);
		else
			run_shard(&all[i]);
	}
}

/* ---- one of all */

bool shards_complete(const struct build *b)
{
	bool complete = true;

	for (uint32_t i = 0; i < b->model->nr_channels; i++)
		complete &= !channel_is_ended(b, i) || channel_complete(b, i);
	return complete;
}

/* Returns false if the recording must be added up in one piece. */
static bool add_in_shards(struct build *b, const uint64_t *times, uint32_t nr)
{
	struct shard *all = calloc(nr, sizeof(*all));
	struct row_counts counts = { 0 };
	bool usable = true, in_vain = false;

	if (!all)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		all[i].from = i ? times[i - 1] : b->from;
		all[i].to = i + 1 < nr ? times[i] : b->to;
		begin_shard(&all[i], b, &counts, &in_vain, nr);
	}
	run_all_shards(all, nr);
	for (uint32_t i = 0; i < nr; i++)
		usable &= !all[i].build.out_of_memory && !all[i].build.profile->unordered;
	b->profile = usable ? all[0].build.profile : NULL;
	for (uint32_t i = 0; i < nr; i++)
		if (!usable)
			profile_free(b, all[i].build.profile);
		else if (i)
			profile_merge(b, all[i].build.profile);
	free(all);
	if (!usable)
		return false;
	if (!b->profile->unordered && (is_part(b) || shards_complete(b)))
		return true;
	profile_free(b, b->profile);
	b->profile = NULL;
	return false;
}

void shards_add(struct build *b)
{
	uint64_t times[SHARDS_MAX];
	uint32_t nr = choose_cuts(b, times);

	b->nr_shards = nr;
	if (nr > 1 && add_in_shards(b, times, nr))
		return;
	b->nr_shards = 1;
	b->profile = profile_new(b, true);
	if (!b->out_of_memory)
		merge_rings(b, b->from, b->to);
}
