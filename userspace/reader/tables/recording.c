// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of the recording as a whole: what was recorded where, how well, its sums, counters and
 * costs. get_...() returns the cell of a column.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "events/events.h"
#include "tables/describe.h"
#include "tables/unrecorded.h"

static struct model_value total_value(const struct model *m, uint32_t row, uint32_t counter)
{
	(void)row;
	return model_total_value(m, counter);
}

static struct cell get_file(const struct position *p)
{
	const char *path = p->sheet->model->path, *slash = path ? strrchr(path, '/') : NULL;

	return cell_text(slash ? slash + 1 : path);
}

static struct cell get_began(const struct position *p)
{
	const struct model *m = p->sheet->model;

	if (!m->realtime_known || !m->begin_ns)
		return cell_without(STANDING_NA);
	return cell_of(m->begin_ns + (uint64_t)m->realtime_offset_ns);
}

static struct cell get_duration(const struct position *p)
{
	const struct model *m = p->sheet->model;

	return m->begin_ns ? cell_seen(m->end_ns - m->from_ns, !m->ended) :
			     cell_without(STANDING_NA);
}

static struct cell get_part_begin(const struct position *p)
{
	const struct model *m = p->sheet->model;

	return cell_of(m->from_ns - m->begin_ns);
}

static struct cell get_exit_status(const struct position *p)
{
	int status = p->sheet->model->exit_status;

	if (status == -1 || !WIFEXITED(status))
		return cell_without(STANDING_NA);
	return cell_of((uint64_t)WEXITSTATUS(status));
}

static struct cell get_exit_signal(const struct position *p)
{
	int status = p->sheet->model->exit_status;

	if (status == -1 || !WIFSIGNALED(status))
		return cell_without(STANDING_NA);
	return cell_of((uint64_t)WTERMSIG(status));
}

static struct cell get_overhead(const struct position *p)
{
	const struct model *m = p->sheet->model;
	struct cell cell = cell_measure(KIND_NS, m->overhead_ns);

	return has_value(cell) ? cell_number(cell.number, model_overhead_standing(m)) : cell;
}

/* If slices are missing, a part of the time on a CPU and a part of the cost are missing, too. */
struct cell cell_overhead_share(const struct model *m)
{
	if (m->overhead_share < 0)
		return cell_without(STANDING_NA);
	return cell_ratio(m->overhead_share,
			  standing_combined(COMBINE_QUOTIENT,
					    standing_lacking(model_overhead_standing(m), model_lacks_slices(m)),
					    standing_seen(model_lacks_slices(m))));
}

static struct cell get_overhead_share(const struct position *p)
{
	return cell_overhead_share(p->sheet->model);
}

static struct cell get_cpu(const struct position *p)
{
	return unrecorded_of(p->sheet->model).cpu;
}

static struct cell get_unrecorded(const struct position *p)
{
	return unrecorded_of(p->sheet->model).ns;
}

static struct cell get_others(const struct position *p)
{
	struct unrecorded all = unrecorded_of(p->sheet->model);

	return has_value(all.cpu) ? cell_seen(all.threads, true) : cell_without(STANDING_NA);
}

/* n/a unless the recording was to take samples. */
static struct cell get_sampling(const struct position *p)
{
	return p->sheet->model->sampled ? get_member(p) : cell_without(STANDING_NA);
}

/* Why lines of some functions, or of all, are not known. */
static struct cell get_lines_note(const struct position *p)
{
	const struct model *m = p->sheet->model;

	if (!m->samples || (m->nr_locations && !m->lines_fault))
		return cell_without(STANDING_NA);
	if (m->lines_fault)
		return cell_text(m->lines_fault);
	return cell_text(m->lines_sought ?
			 "no object that samples were taken in has debug information with lines; compile it with -g, or install the package with its debug symbols" :
			 "nobody looked for them: the report was made with --no-inline");
}

static struct cell get_pace(const struct position *p)
{
	return p->sheet->model->sampled ? get_nonzero(p) : cell_without(STANDING_NA);
}

#define TEXT(member, says) \
	{ #member, NULL, says, KIND_TEXT, MEMBER(struct model, member) }

#define COUNT(name, member, says) \
	{ name, NULL, says, KIND_COUNT, SUMS_ADD, WHOLE(OTHER), MEMBER(struct model, member) }

#define SAMPLING(name, member, says, kind, get_it) \
	{ name, NULL, says, kind, WHOLE(OTHER), .get = get_it, MEMBER(struct model, member) }

static const struct column columns[] = {
	{ "file", NULL, "name of the recording", KIND_TEXT, .get = get_file },
	TEXT(command, "the recorded command, or processes"),
	TEXT(note, "a remark by the user: --note"),
	TEXT(host, "name of the machine"),
	TEXT(kernel, "its kernel"),
	TEXT(arch, "its architecture"),
	{ "cpus", "CPUs", "number of its CPUs", KIND_COUNT, WHOLE(OTHER), .get = get_nonzero,
	  MEMBER(struct model, cpus) },
	TEXT(pmu, "its PMU"),
	TEXT(simulated, "name of a simulated PMU: counts then say nothing about any hardware"),
	TEXT(missing, "the programs, or parts of them, that are not recorded, and why"),
	TEXT(nothing, "why no slice is in it; n/a: there are some"),
	TEXT(remedy, "the remedy for that"),
	{ "began", NULL, "when the recording began, in ns since 1970", KIND_ID,
	  .get = get_began },
	{ "recordings", NULL, "number of recordings that were added up", KIND_COUNT, WHOLE(OTHER),
	  MEMBER(struct model, recordings) },
	{ "part_begin", NULL, "of a part of a recording: when in the recording it begins", KIND_NS,
	  WHOLE(OTHER), .get = get_part_begin },
	{ "duration", NULL, "its length", KIND_NS, .unsure = true, WHOLE(OWN), .get = get_duration },
	{ "ended", NULL, "whether it was ended in order", KIND_WORD, .words = no_yes,
	  MEMBER(struct model, ended) },
	{ "exit_status", NULL, "exit status of the command, if it exited", KIND_ID,
	  .get = get_exit_status },
	{ "exit_signal", NULL, "signal that killed the command", KIND_ID,
	  .get = get_exit_signal },
	COUNT("file_size", file_size, "bytes of the file"),
	COUNT("unread_bytes", unread_bytes, "bytes of the file that could not be read"),
	COUNT("unread_records", unread_records, "at least so many records that are malformed, or come behind one that is, and were not read; those of unread_bytes are not among them"),
	{ "torn", NULL, "why nothing could be read from some byte on", KIND_TEXT,
	  MEMBER(struct model, truncated) },
	{ "torn_offset", NULL, "that byte", KIND_ID, MEMBER(struct model, truncated_offset) },
	COUNT("damaged", nr_damage_total, "other places of the file that could not be read"),
	{ "lost", NULL, "slices that found a ring full; they are in no figure", KIND_COUNT, SUMS_ADD,
	  PARTIAL(LOSSES), MEMBER(struct model, lost) },
	{ "unreported", NULL, "slices in which switches were not reported: they may be other coroutines' in part",
	  KIND_COUNT, SUMS_ADD, .slices = true, MEMBER(struct model, unreported) },
	{ "unreported_running", NULL, "running time of those", KIND_NS, SUMS_ADD,
	  .slices = true, MEMBER(struct model, unreported_ns) },
	COUNT("threads", nr_channels, "threads recorded"),
	COUNT("failed_checks", failed_checks,
	      "threads with slices that do not sum to the thread's own figures"),
	{ "coroutines", NULL, "coroutines seen", KIND_COUNT, SUMS_ADD,
	  MEMBER(struct model, nr_coroutines_total) },
	{ "folded_coroutines", NULL, "coroutines of those that are in the labels' figures only", KIND_COUNT, SUMS_ADD,
	  MEMBER(struct model, nr_folded_coroutines) },
	COUNT("dropped_counters", dropped_counters, "counters for which there was no room"),
	{ "dropped_wakes", NULL, "wakes for which there was no room", KIND_COUNT, SUMS_ADD,
	  MEMBER(struct model, nr_dropped_wakes) },
	{ "overhead", NULL, "time that recording cost, which is in the other figures", KIND_NS,
	  SUMS_ADD, .unsure = true, .get = get_overhead },
	{ "overhead_share", NULL, "that, as a share of all time on a CPU", KIND_SHARE,
	  .unsure = true, WHOLE(OWN), .get = get_overhead_share },
	{ "cpu", "CPU", "CPU time of the processes while they were recorded, in all their threads",
	  KIND_NS, SUMS_ADD, .unsure = true, WHOLE(OWN), .get = get_cpu },
	{ "unrecorded", NULL, "the part of that in no slice: of threads without coroutines, and of others before their first coroutine",
	  KIND_NS, SUMS_ADD, .unsure = true, WHOLE(OWN), .get = get_unrecorded },
	{ "other_threads", NULL, "threads without coroutines that were seen", KIND_COUNT, SUMS_ADD,
	  .unsure = true, WHOLE(OWN), .get = get_others },
	{ "not_recorded", NULL, "that in words", KIND_TEXT, MEMBER(struct model, unrecorded) },
	TEXT(unmeasured, "why gaps between slices could not be measured, and how many; n/a: all were"),
	{ "sampled", NULL, "whether samples were to be taken", KIND_WORD, .words = no_yes,
	  MEMBER(struct model, sampled) },
	TEXT(sample_event, "the sampled event"),
	SAMPLING("sample_period", sample_period, "number of counts for each sample",
		 KIND_COUNT, get_pace),
	SAMPLING("sample_frequency", sample_frequency, "number of samples a second",
		 KIND_COUNT, get_pace),
	SAMPLING("sample_stack_max", sample_stack_max, "largest number of callers in a sample", KIND_COUNT,
		 get_sampling),
	TEXT(sample_note, "why the usual event was not sampled"),
	{ "lines_note", NULL, "why source lines of samples are not known", KIND_TEXT,
	  .get = get_lines_note },
	{ "samples", NULL, "samples taken", KIND_COUNT, SUMS_ADD,
	  .get = get_sampling, PARTIAL(SAMPLES), MEMBER(struct model, samples) },
	{ "lost_samples", NULL, "samples that found a ring full", KIND_COUNT, SUMS_ADD,
	  .get = get_sampling, PARTIAL(LOSSES), MEMBER(struct model, lost_samples) },
	{ "throttled", NULL, "how often the kernel took no samples for a while", KIND_COUNT,
	  SUMS_ADD, .get = get_sampling, PARTIAL(LOSSES), MEMBER(struct model, throttled) },
	{ "unsampled", NULL, "threads that could not be sampled", KIND_COUNT, SUMS_ADD,
	  WHOLE(OTHER), .get = get_sampling, MEMBER(struct model, unsampled) },
	{ "clock_sampled", NULL, "threads sampled by cpu-clock instead", KIND_COUNT, SUMS_ADD,
	  WHOLE(OTHER), .get = get_sampling, MEMBER(struct model, clock_sampled) },
	{ "spans", NULL, "spans that ended", KIND_COUNT, SUMS_ADD, .slices = true,
	  PARTIAL(SPANS), MEMBER(struct model, nr_span_calls) },
	{ "lost_spans", NULL, "spans that found a ring full", KIND_COUNT, SUMS_ADD, .slices = true,
	  PARTIAL(LOSSES), MEMBER(struct model, lost_spans) },
	{ "dropped_spans", NULL, "spans for which there was no room", KIND_COUNT, SUMS_ADD, .slices = true,
	  PARTIAL(LOSSES), MEMBER(struct model, dropped_spans) },
	{ "impossible_spans", NULL, "spans with less in them than the spans within", KIND_COUNT, SUMS_ADD,
	  .slices = true, PARTIAL(SPANS), MEMBER(struct model, impossible_spans) },
	{ "timeline_resolution", NULL, "slices shorter than this are one row of the timeline if they have one label and begin in one cell of this length; 0: each slice is a row",
	  KIND_NS, SUMS_MAX, .slices = true, WHOLE(OTHER), MEMBER(struct model, timeline_resolution_ns) },
	{ "timeline_spans_least", NULL, "spans shorter than this are not in the timeline; 0: all are",
	  KIND_NS, SUMS_MAX, .slices = true, WHOLE(OTHER), MEMBER(struct model, timeline_spans_least_ns) },
	TIMES_COLUMNS(struct model, SHOWN),
	COUNTERS(struct model, total_value, SHOWN),
};

const struct table table_recording = {
	.name = "recording", .title = "the recording: its origin, its sums, and the parts that are missing",
	COLUMNS(columns),
};

/* ------------------------------------------------------------------------
 * counters
 */

static const char *const roles[] = { "other", "cycles", "instructions", NULL };

static struct cell get_role(const struct position *p)
{
	const struct model *m = p->sheet->model;

	return cell_of(p->index == m->cycles ? 1 : p->index == m->instructions ? 2 : 0);
}

static struct cell get_is_time(const struct position *p)
{
	return cell_of(model_counter_is_time(p->row));
}

static struct cell get_counter_flag(const struct position *p, uint32_t flag)
{
	const struct model_counter *counter = p->row;

	return cell_of(counter->counter.flags & flag ? 1 : 0);
}

static struct cell get_kernel(const struct position *p)
{
	return get_counter_flag(p, COROPROF_COUNTER_KERNEL);
}

static struct cell get_pinned(const struct position *p)
{
	return get_counter_flag(p, COROPROF_COUNTER_PINNED);
}

static struct cell get_own(const struct position *p)
{
	const struct model_counter *counter = p->row;

	return cell_of(event_is_program(&counter->counter) ? 1 : 0);
}

static const struct column counter_columns[] = {
	{ "name", "counter", "its name, as it was asked for", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_counter, name) },
	{ "role", NULL, "its part in IPC", KIND_WORD, .words = roles, .get = get_role },
	{ "time", NULL, "whether it counts nanoseconds", KIND_WORD, .words = no_yes,
	  .get = get_is_time },
	{ "kernel", NULL, "whether it counts in kernel mode, too", KIND_WORD, .words = no_yes,
	  .get = get_kernel },
	{ "pinned", NULL, "whether it is never multiplexed", KIND_WORD, .words = no_yes,
	  .get = get_pinned },
	{ "own", NULL, "whether it is the program's own: the program counts it itself, in a unit of its own",
	  KIND_WORD, .words = no_yes, .get = get_own },
	{ "in_session", NULL, "whether the recording asked for it; else some threads count it by themselves",
	  KIND_WORD, .words = no_yes, MEMBER(struct model_counter, in_session) },
	{ "threads", NULL, "threads that have it", KIND_COUNT, SUMS_ADD,
	  MEMBER(struct model_counter, channels) },
	{ "failed", NULL, "threads of those for which it is unsupported", KIND_COUNT, SUMS_ADD,
	  MEMBER(struct model_counter, failed) },
	{ "error", NULL, "why", KIND_TEXT, MEMBER(struct model_counter, error_text) },
};

const struct table table_counters = {
	.name = "counters", .title = "counters: the counted events", COLUMNS(counter_columns),
	ROWS(COUNTERS), WHOLE(OTHER),
};

/* ------------------------------------------------------------------------
 * what recording costs
 */

static const char *const operations[] = { "switch", "span", "thread", "name", "birth", "probe", "probed-birth", "ring", NULL };

/*
 * What is measured: @operation of operations[], @mode of mode_words[], -1: the same in any; where
 * the model has it.
 */
static const struct {
	int operation;
	int mode;
	size_t at;
} costs[] = {
	{ 0, 0, offsetof(struct model, switch_cost[0]) }, { 0, 1, offsetof(struct model, switch_cost[1]) },
	{ 1, 0, offsetof(struct model, span_cost[0]) }, { 1, 1, offsetof(struct model, span_cost[1]) },
	{ 2, 0, offsetof(struct model, join_cost[0]) }, { 2, 1, offsetof(struct model, join_cost[1]) },
	{ 3, -1, offsetof(struct model, naming) }, { 4, -1, offsetof(struct model, birth_cost) },
	{ 5, -1, offsetof(struct model, probe_cost) }, { 6, -1, offsetof(struct model, probe_birth_cost) },
	{ 7, -1, offsetof(struct model, ring_cost) },
};

static const struct model_cost *cost_of(const struct position *p)
{
	return (const void *)((const char *)p->sheet->model + costs[p->index].at);
}

static struct cell get_operation(const struct position *p)
{
	return cell_of((uint64_t)costs[p->index].operation);
}

static struct cell get_cost_mode(const struct position *p)
{
	int mode = costs[p->index].mode;

	return mode < 0 ? cell_without(STANDING_NONE) : cell_of((uint64_t)mode);
}

static struct cell get_cost_ns(const struct position *p)
{
	return cell_measure(KIND_NS, cost_of(p)->ns);
}

static struct cell get_cost_instructions(const struct position *p)
{
	return cell_measure(KIND_EVENTS, cost_of(p)->instructions);
}

static uint32_t *list_costs(const struct model *m, uint32_t *nr)
{
	uint32_t *list = calloc(ARRAY_SIZE(costs), sizeof(*list));

	(void)m;
	*nr = ARRAY_SIZE(costs);
	for (uint32_t i = 0; list && i < *nr; i++)
		list[i] = i;
	return list;
}

static const struct column cost_columns[] = {
	{ "operation", NULL, "the operation: a switch; a span; the begin and end of the recording of a thread; the birth and end of a coroutine; a probe that reports a switch; a birth and an end that probes report, without the probes; a new ring, for a thread that gets none of a thread that has ended; name: all that is charged to (coroprof): the search for names of coroutines, and the entry of threads into user mode, which is not in that of a thread",
	  KIND_WORD, .words = operations, .get = get_operation },
	{ "mode", NULL, "the way in which the thread switches", KIND_WORD, .words = mode_words,
	  .get = get_cost_mode },
	{ "ns", NULL, "time it takes, as the recorder measured it", KIND_NS,
	  .get = get_cost_ns },
	{ "instructions", NULL, "instructions it takes; from user mode, those in user mode",
	  KIND_EVENTS, .get = get_cost_instructions },
};

const struct table table_costs = {
	.name = "costs", .title = "costs of recording", COLUMNS(cost_columns),
	.list = list_costs, .listed = true, WHOLE(OTHER),
};

/* ------------------------------------------------------------------------
 * what the file says of itself
 */

static const struct column info_columns[] = {
	{ "name", "key", "name of the fact", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_info, key) },
	{ "value", NULL, "its value", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_info, value) },
};

const struct table table_info = {
	.name = "info", .title = "further facts from the recorder", COLUMNS(info_columns), ROWS(INFO),
};

static const struct column damage_columns[] = {
	{ "offset", NULL, "byte of the file", KIND_ID, .shown = SHOWN,
	  MEMBER(struct model_damage, offset) },
	{ "thread", NULL, "the thread of the slices, or samples, there", KIND_ROW,
	  .shown = SHOWN, .refers = "threads", MEMBER(struct model_damage, channel) },
	{ "text", NULL, "the damage there, and how it was handled", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_damage, text) },
};

const struct table table_damage = {
	.name = "damage", .title = "parts of the file that could not be read; the first 100",
	COLUMNS(damage_columns), ROWS(DAMAGE),
};
