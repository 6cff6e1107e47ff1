// SPDX-License-Identifier: GPL-2.0
/* Processes, their threads, and how these report switches. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tables/describe.h"

/* A number above 0, or it is not known. */
static struct cell get_pid(const struct position *p)
{
	struct cell cell = get_member(p);

	return (int32_t)cell.number > 0 ? cell : cell_without(STANDING_NA);
}

static struct cell get_ns(const struct position *p)
{
	struct model_ns ns;

	memcpy(&ns, (const char *)p->row + p->column->offset, sizeof(ns));
	return cell_known(ns);
}

/* One that lived between two looks was not seen. */
static struct cell get_others(const struct position *p)
{
	const struct model_process *process = p->row;

	return process->cpu.known == MODEL_NA ? cell_without(STANDING_NA) :
						cell_seen(process->others, true);
}

/* ------------------------------------------------------------------------
 * processes
 */

static const struct column process_columns[] = {
	{ "pid", NULL, "its process id", KIND_ID, .shown = SHOWN, .get = get_pid,
	  MEMBER(struct model_process, pid) },
	{ "name", NULL, "its name", KIND_TEXT, .shown = SHOWN, MEMBER(struct model_process, comm) },
	{ "coroutines", NULL, "coroutines of it that were seen", KIND_COUNT, SUMS_ADD,
	  .shown = SHOWN, MEMBER(struct model_process, coroutines) },
	{ "reported_by", NULL, "the source of its coroutines: adapters, and the facts that these do not report of all coroutines (births: creator and time; names; wakes: without these awaiting and ready are one; ends); the program itself, by libcoroprof; or probes",
	  KIND_TEXT, .shown = SHOWN, MEMBER(struct model_process, reported_by) },
	{ "lacks", NULL, "why slices of it may be missing", KIND_TEXT,
	  MEMBER(struct model_process, lacks) },
	{ "begin", NULL, "when it was attached", KIND_TIME, SUMS_MIN,
	  .unsure = true, .get = get_nonzero, MEMBER(struct model_process, begin_ns) },
	{ "end", NULL, "when it ended", KIND_TIME, SUMS_MAX, .unsure = true, .get = get_nonzero,
	  MEMBER(struct model_process, end_ns) },
	{ "cpu", "CPU", "its CPU time while it was recorded, in all its threads", KIND_NS,
	  SUMS_ADD, .unsure = true, WHOLE(OWN), .get = get_ns, MEMBER(struct model_process, cpu) },
	{ "unrecorded", NULL, "the part of that in no slice: of threads without coroutines, and of others before their first coroutine",
	  KIND_NS, SUMS_ADD, .unsure = true, WHOLE(OWN), .get = get_ns,
	  MEMBER(struct model_process, unrecorded) },
	{ "other_threads", NULL, "threads without coroutines that were seen", KIND_COUNT, SUMS_ADD,
	  .unsure = true, WHOLE(OWN), .get = get_others },
	{ "root", NULL, "its root directory, if it is not the recorder's", KIND_TEXT,
	  MEMBER(struct model_process, root) },
	{ "number", NULL, "number of the process in the recording", KIND_ID,
	  MEMBER(struct model_process, id) },
};

static void process_title(const struct model *m, uint32_t row, char *to, size_t capacity)
{
	snprintf(to, capacity, "%s %" PRId32, m->processes[row].comm, m->processes[row].pid);
}

const struct table table_processes = {
	.name = "processes", .title = "processes", COLUMNS(process_columns), ROWS(PROCESSES),
	.title_of = process_title,
};

/* ------------------------------------------------------------------------
 * threads
 */

static const char *const checks[] = { "not checked", "hold", "broken", NULL };

/* Between its own slices a thread runs coroutines. */
static bool is_outside(const void *row)
{
	(void)row;
	return true;
}

/* There is a part without any, if there is any. */
static struct cell get_samples(const struct position *p)
{
	const struct model_channel *c = p->row;

	if (!p->sheet->model->sampled || (c->sample_error && !c->sample_clock) || c->error)
		return cell_without(STANDING_NA);
	return get_member(p);
}

static bool say_switches(const struct position *p, char *to, size_t capacity)
{
	const struct model_channel *c = p->row;

	snprintf(to, capacity, "n/a, not recorded");
	return c->mode_row == MODEL_NONE;
}

static const struct column columns[] = {
	{ "tid", "thread", "its thread id", KIND_ID, .shown = SHOWN,
	  .get = get_pid, MEMBER(struct model_channel, tid) },
	{ "name", NULL, "its name", KIND_TEXT, .shown = SHOWN, MEMBER(struct model_channel, comm) },
	PROCESS(struct model_channel),
	IN_SLICES(struct model_channel),
	{ "outside", NULL, "running time outside any coroutine", KIND_NS, SUMS_ADD,
	  .slices = true,
	  .shown = SHOWN, SHARED(struct model_channel), MEMBER(struct model_channel, outside_ns) },
	{ "tool", NULL, "running time of coroprof itself, which is in no sum of the program",
	  KIND_NS, SUMS_ADD, .slices = true, SHARED(struct model_channel),
	  MEMBER(struct model_channel, tool_ns) },
	OFF_CPU(struct model_channel, SHOWN_PAGE, SHOWN, true),
	GAPS(struct model_channel, 0),
	{ "samples", NULL, "samples taken in it", KIND_COUNT, SUMS_ADD,
	  .shown = SHOWN, .when = when_sampled, .get = get_samples,
	  PARTIAL(SAMPLES), MEMBER(struct model_channel, samples) },
	COUNTERS(struct model_channel, model_channel_value, SHOWN_PAGE),
	{ "lost", NULL, "slices that found the ring full; they are in no figure", KIND_COUNT,
	  SUMS_ADD, .shown = SHOWN_PAGE, PARTIAL(LOSSES),
	  MEMBER(struct model_channel, lost) },
	{ "switches", NULL, "how it reports switches, and why", KIND_ROW,
	  .shown = SHOWN, .refers = "modes", .say = say_switches, MEMBER(struct model_channel, mode_row) },
	{ "sums", NULL, "whether its slices sum to the thread's own figures", KIND_WORD,
	  .words = checks, .shown = SHOWN_PAGE, MEMBER(struct model_channel, check) },
	{ "sums_why", NULL, "by how much they do not, or why that is not known", KIND_TEXT,
	  MEMBER(struct model_channel, check_text) },
	{ "error", NULL, "why it is not recorded", KIND_TEXT,
	  MEMBER(struct model_channel, error_text) },
	{ "damaged", NULL, "whether a part of its records could not be read", KIND_WORD,
	  .words = no_yes, MEMBER(struct model_channel, damaged) },
	{ "begin", NULL, "when its recording began", KIND_TIME, SUMS_MIN,
	  .get = get_nonzero, MEMBER(struct model_channel, begin_ns) },
	{ "end", NULL, "when it ended", KIND_TIME, SUMS_MAX, .get = get_nonzero,
	  PARTIAL(LOSSES), MEMBER(struct model_channel, end_ns) },
	{ "spans", NULL, "spans that ended on it", KIND_COUNT, SUMS_ADD, .slices = true,
	  PARTIAL(SPANS), MEMBER(struct model_channel, spans) },
	{ "lost_spans", NULL, "spans that found the ring full", KIND_COUNT, SUMS_ADD, .slices = true,
	  PARTIAL(LOSSES), MEMBER(struct model_channel, lost_spans) },
	{ "lost_samples", NULL, "samples that found the ring full", KIND_COUNT, SUMS_ADD,
	  .get = get_samples, PARTIAL(LOSSES),
	  MEMBER(struct model_channel, lost_samples) },
	{ "throttled", NULL, "how often the kernel took no samples of it for a while", KIND_COUNT,
	  SUMS_ADD, .get = get_samples, PARTIAL(LOSSES),
	  MEMBER(struct model_channel, throttled) },
	{ "sample_error", NULL, "why the event can't be sampled in it", KIND_TEXT,
	  MEMBER(struct model_channel, sample_error_text) },
	{ "sample_clock", NULL, "whether its samples are of cpu-clock instead", KIND_WORD,
	  .words = no_yes, MEMBER(struct model_channel, sample_clock) },
	{ "number", NULL, "number of the channel in the recording", KIND_ID,
	  MEMBER(struct model_channel, id) },
};

static void thread_title(const struct model *m, uint32_t row, char *to, size_t capacity)
{
	snprintf(to, capacity, "%s %" PRId32, m->channels[row].comm, m->channels[row].tid);
}

const struct table table_threads = {
	.name = "threads", .title = "threads", COLUMNS(columns), ROWS(CHANNELS),
	.outside = is_outside, .title_of = thread_title,
};

/* ------------------------------------------------------------------------
 * modes
 */

static const struct column mode_columns[] = {
	{ "mode", NULL, "how threads report switches", KIND_WORD, .words = mode_words,
	  .shown = SHOWN, MEMBER(struct model_mode_row, mode) },
	{ "threads", NULL, "number of threads that do so", KIND_COUNT, SUMS_ADD, WHOLE(OTHER), .shown = SHOWN,
	  MEMBER(struct model_mode_row, threads) },
	{ "why", NULL, "for by ioctl, the reason", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_mode_row, why) },
	{ "found", NULL, "the setting, or other fact, that was found", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_mode_row, found) },
	{ "fix", NULL, "the remedy", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_mode_row, fix) },
};

static void mode_title(const struct model *m, uint32_t row, char *to, size_t capacity)
{
	const struct model_mode_row *mode = &m->modes[row];

	if (mode->mode == COROPROF_MODE_USER)
		snprintf(to, capacity, "%s", mode_words[COROPROF_MODE_USER]);
	else
		snprintf(to, capacity, "%s: %s", mode_words[COROPROF_MODE_IOCTL], mode->why);
}

const struct table table_modes = {
	.name = "modes", .title = "modes: how threads report switches", COLUMNS(mode_columns),
	ROWS(MODES), .title_of = mode_title,
};
