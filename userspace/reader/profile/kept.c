// SPDX-License-Identifier: GPL-2.0
/*
 * A recording of which only the last seconds were kept (--keep): since when, for which slice or
 * request it was written, and what is missing before its begin. All of its slices are whole, so
 * that the first of a thread may have begun long before. status.c has the totals where its records
 * begin, carried.c what is known of coroutines whose first slice is not kept.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profile/build.h"
#include "profile/info.h"
#include "profile/kept.h"
#include "profile/losses.h"
#include "profile/streams.h"

/*
 * A slice that ended before the records of its thread begin is missing, so a gap that reaches back
 * before that time is marked as unseen, and so are spans.
 */
void bases_begin(struct build *b)
{
	for (uint32_t i = 0; i < b->model->nr_channels; i++) {
		uint32_t process = b->model->channels[i].process;

		if (!b->channels[i].has_base)
			continue;
		process_cut(b, process, b->model->channels[i].begin_ns);
		process_spans_lost(b, process, b->model->channels[i].begin_ns);
	}
}

/* ---- what is said of it */

static uint64_t number_in_info(const struct model *m, const char *key)
{
	const char *text = info_value(m, key);

	return text && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
}

void kept_begin(struct build *b)
{
	struct model *m = b->model;

	m->kept = info_value(m, "kept_from") != NULL;
	m->kept_from_ns = number_in_info(m, "kept_from");
	m->kept_ns = number_in_info(m, "kept_ns");
	m->dumped = info_value(m, "dumped");
}

/* Before a request of the program, whose slice went on, it is this much that is of interest. */
#define BEFORE_REQUEST_NS	SECOND_NS

/*
 * Finds the slice or the wait that made the recorder write the file, or the time before a request
 * of the program, and makes it a finding.
 */
static void find_trigger_slice(struct build *b)
{
	struct model *m = b->model;
	struct model_finding *f = &m->dumped_for;
	uint32_t channel = channel_find(b, (uint32_t)number_in_info(m, "dumped_channel")), row;
	uint64_t begin = number_in_info(m, "dumped_begin"), ns = number_in_info(m, "dumped_ns");
	const char *figure = info_value(m, "dumped_figure");

	*f = (struct model_finding){
		.label = MODEL_NONE, .coroutine = MODEL_NONE, .channel = MODEL_NONE,
		.longest_ns = ns,
	};
	if (figure && !strcmp(figure, "program") && begin > m->begin_ns) {
		ns = begin - m->begin_ns < BEFORE_REQUEST_NS ? begin - m->begin_ns :
							       BEFORE_REQUEST_NS;
		begin -= ns;
	}
	if (!ns || channel == MODEL_NONE || ns > begin)
		return;
	m->dumped_figure = figure;
	row = index_get(&b->profile->coroutine_index, number_in_info(m, "dumped_id"),
			m->channels[channel].process);
	if (!m->dumped_figure || row >= m->nr_coroutines || m->coroutines[row].label == MODEL_NONE)
		return;
	/* It was ready before it began. */
	if (!strcmp(m->dumped_figure, "ready"))
		begin -= ns;
	f->label = m->coroutines[row].label;
	f->coroutine = row;
	f->channel = channel;
	f->begin_ns = begin < m->begin_ns ? m->begin_ns : begin;
	f->end_ns = begin + ns > m->end_ns ? m->end_ns : begin + ns;
	if (f->begin_ns >= f->end_ns)
		f->begin_ns = f->end_ns = 0;
}

/*
 * Writes the time since which records are kept: of the calendar if the recording has one, else of
 * CLOCK_MONOTONIC in seconds.
 */
static void format_kept_from(const struct model *m, char when[64])
{
	uint64_t ns = m->kept_from_ns + (uint64_t)m->realtime_offset_ns;
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;
	size_t used = 0;

	if (m->realtime_known && gmtime_r(&seconds, &tm))
		used = strftime(when, 64, "%Y-%m-%d %H:%M:%S", &tm);
	if (used)
		snprintf(when + used, 64 - used, ".%03u UTC", (unsigned int)(ns % 1000000000 / 1000000));
	else
		snprintf(when, 64, "%.9g s", (double)m->kept_from_ns / 1e9);
}

void kept_finish(struct build *b)
{
	struct model *m = b->model;
	/* How long it is since what is there is all that there was. */
	uint64_t length = b->end_ns > m->kept_from_ns ? b->end_ns - m->kept_from_ns : 0;
	char when[64], *text;
	bool cut = false;

	if (!m->kept)
		return;
	for (uint32_t i = 0; i < m->nr_channels; i++)
		cut |= b->channels[i].has_base;
	format_kept_from(m, when);
	find_trigger_slice(b);
	text = build_format(b, "%s%s%sOnly the last seconds were kept (--keep %.9gs): all that ended since %s, %.3f s.%s%s%s",
			    m->dumped ? "Written because of " : "", m->dumped ? m->dumped : "",
			    m->dumped ? ". " : "", (double)m->kept_ns / 1e9, when, (double)length / 1e9,
			    cut ? " Slices are whole: the first of a thread may have begun before." :
				  " The recording began then.",
			    m->note ? " " : "", m->note ? m->note : "");
	free(m->own_note);
	m->own_note = text;
	m->note = text;
}
