/* SPDX-License-Identifier: GPL-2.0 */
/* What the descriptions of tables are made of. */
#ifndef COROPROF_TABLES_DESCRIBE_H
#define COROPROF_TABLES_DESCRIBE_H

#include "base/util.h"
#include "tables/table.h"

extern const struct table
	table_recording, table_counters, table_costs, table_info, table_damage, table_processes,
	table_threads, table_modes, table_labels, table_latency, table_lengths, table_coroutines,
	table_wakes, table_longest, table_findings, table_spans, table_label_spans,
	table_span_tree, table_functions, table_label_functions, table_sample_tree, table_lines,
	table_line_tree, table_timeline, table_heat_map, table_timeline_wakes,
	table_timeline_spans, table_timeline_samples, table_answers, table_changes,
	table_change_tree, table_compared, table_slow_of, table_slow, table_slow_tree;

#define COLUMNS(array)	.columns = (array), .nr = ARRAY_SIZE(array)

/* The rows are an array of the model. */
#define ROWS(table)	.rows = SCHEMA_##table

#define MEMBER(type, member) \
	.offset = offsetof(type, member), .width = sizeof(((type *)0)->member)

/* A cell with a value, and one without. */
struct cell cell_of(uint64_t number);
struct cell cell_fraction(double fraction);
struct cell cell_text(const char *text);
struct cell cell_without(enum standing standing);
/* Figures of the model that are negative when they are not known. */
struct cell cell_measure(enum kind kind, double measure);
/* A cell with a number, if the standing is one of a figure. */
struct cell cell_number(uint64_t number, enum standing standing);
struct cell cell_ratio(double ratio, enum standing standing);
struct cell cell_known(struct model_ns ns);

/* The member at the column's offset. */
struct cell get_member(const struct position *position);
/* The member at the column's offset; n/a if it is 0. */
struct cell get_nonzero(const struct position *position);
/* A struct model_times is at the offset. */
struct cell get_suspended(const struct position *position);
struct cell get_awaiting(const struct position *position);
struct cell get_ready(const struct position *position);
struct cell get_running_share(const struct position *position);
/* A part of it is missing: by column_partial(), and column.least. */
bool is_partial(const struct position *position);
/* A number, or a maximum, and a mean: @part: some of what they are of is missing. */
struct cell cell_seen(uint64_t number, bool part);
struct cell cell_typical(uint64_t number, bool part);
/*
 * The quantile column.quantile of a histogram, which may be NULL. @part: durations are missing from
 * it.
 */
struct cell cell_quantile(const struct position *position, const struct histogram *histogram,
			  bool part);
/* The number of calls, of which lost spans may be missing. */
struct cell get_calls(const struct position *position);
/* True if slices of the label are missing from the recording. */
static inline bool label_lacks_slices(const struct model *m, const struct model_label *l)
{
	return schema_lacks(m, SCHEMA_LABELS, l, MODEL_PARTIAL_SLICES);
}

/*
 * True if lengths of this kind are missing, or some are too short, as their slices are cut: see
 * model_times.nr_cut.
 */
static inline bool label_lacks_histogram(const struct model *m, const struct model_label *l,
					 enum model_latency what)
{
	return label_lacks_slices(m, l) || (l->times.nr_cut && what <= MODEL_LATENCY_BLOCKED);
}

/*
 * True if some lengths of this kind would be shares of a slice that is cut, and the model has no
 * shares: see model.exact.
 */
static inline bool label_lacks_shares(const struct model *m, const struct model_label *l,
				      enum model_latency what)
{
	return (what == MODEL_LATENCY_RUNNING || what == MODEL_LATENCY_BLOCKED) &&
	       model_lacks_shares(m, &l->times);
}

/* Counters, by column.value. */
struct cell get_value(const struct position *position);
struct cell get_value_counted(const struct position *position);
struct cell get_value_share(const struct position *position);
struct cell get_per_kilo(const struct position *position);
struct cell get_ipc(const struct position *position);

extern const char *const no_yes[], *const mode_words[];

bool when_processes(const struct model *model);
bool when_sampled(const struct model *model);
bool when_calls(const struct model *model);
bool when_lines(const struct model *model);
bool when_idle(const struct model *model);
bool when_unreported(const struct model *model);
bool when_part(const struct model *model);
bool when_ipc(const struct model *model);
bool counts_misses(const struct model *model, uint32_t counter);

/* Figures of which a part is missing where others are than those that the table is of. */
#define PARTIAL(what)	.partial = MODEL_PARTIAL_##what

/* Figures of which none is: see there for each reason. */
#define WHOLE(why)	.whole = WHOLE_##why

/* Of what slices are off the CPU, those that are cut have a share. */
#define SHARED(type)	.shared = offsetof(type, times.nr_shared)

/* Spans that ended in it. */
#define CALLS(type) \
	{ "calls", NULL, "spans that ended in it, within others as well; where recordings are compared", KIND_COUNT, \
	  SUMS_ADD, PARTIAL(SPANS), .when = when_calls, .per = "slices", .get = get_calls, \
	  MEMBER(type, calls) }

#define PROCESS(type) { \
	"process", NULL, "the process it is of", KIND_ROW, \
	.shown = SHOWN | SHOWN_DIGEST, .when = when_processes, .refers = "processes", \
	MEMBER(type, process) }

/* What all slices, and the gaps between them, add up to. */
#define IN_SLICES(type) \
	{ "slices", NULL, "stays on a thread, from switch-in to switch-out", KIND_COUNT, \
	  SUMS_ADD, .shown = SHOWN | SHOWN_DIGEST, .one = "slice", \
	  MEMBER(type, times.slices) }, \
	{ "cut", NULL, "of these, those that reach beyond the part of the recording that is shown", \
	  KIND_COUNT, SUMS_ADD, .slices = true, .shown = SHOWN, .when = when_part, \
	  MEMBER(type, times.nr_cut) }, \
	{ "running", NULL, "time on a CPU", KIND_NS, SUMS_ADD, \
	  .shown = SHOWN | SHOWN_DIGEST, .per = "slices", SHARED(type), MEMBER(type, times.running_ns) }

#define RUNNING_SHARE(type) \
	{ "running_share", "%", "running time, as a share of all running time", KIND_SHARE, \
	  SUMS_ADD, .aside = true, .part_of = "running", .bar = "CPU share", \
	  .shown = SHOWN_TEXT | SHOWN_DIGEST, .get = get_running_share, SHARED(type), \
	  MEMBER(type, times.running_ns) }

/*
 * @only: of a recording of totals it is not known. There the kernel reports a thread how long
 * it slept, and its slots where.
 */
#define OFF_CPU(type, where, idle_where, only) \
	{ "preempted", NULL, "time off the CPU inside slices although it could run", KIND_NS, \
	  SUMS_ADD, .shown = where, .per = "slices", SHARED(type), \
	  MEMBER(type, times.preempted_ns) }, \
	{ "blocked", NULL, "time off the CPU inside slices of coroutines, the thread asleep in the kernel", \
	  KIND_NS, SUMS_ADD, .slices = only, .shown = where, .per = "slices", SHARED(type), \
	  MEMBER(type, times.blocked_ns) }, \
	{ "idle", NULL, "time a thread slept in the kernel outside any coroutine", \
	  KIND_NS, SUMS_ADD, .slices = only, .shown = idle_where, .when = when_idle, \
	  SHARED(type), MEMBER(type, times.idle_ns) }, \
	{ "nr_preempted", "times preempted", "how often it was preempted", KIND_COUNT, SUMS_ADD, \
	  .slices = only, SHARED(type), MEMBER(type, times.nr_preempted) }, \
	{ "nr_blocked", "times blocked", "how often it was blocked", KIND_COUNT, SUMS_ADD, \
	  .slices = only, SHARED(type), MEMBER(type, times.nr_blocked) }, \
	{ "nr_idle", "times idle", "how often it was idle", KIND_COUNT, SUMS_ADD, \
	  .aside = true, .slices = only, SHARED(type), MEMBER(type, times.nr_idle) }

#define GAPS(type, where) \
	{ "suspended", NULL, "time switched out, between slices: awaiting and ready together", \
	  KIND_NS, SUMS_ADD, .slices = true, .shown = where, .per = "gaps", \
	  .near = "awaiting ready", .get = get_suspended, \
	  MEMBER(type, times) }, \
	{ "awaiting", NULL, "time between slices, before it was made ready", KIND_NS, SUMS_ADD, \
	  .slices = true, .shown = where, .per = "gaps", \
	  .get = get_awaiting, MEMBER(type, times) }, \
	{ "ready", NULL, "time between slices, made ready but not yet run", KIND_NS, SUMS_ADD, \
	  .slices = true, .shown = where, .per = "gaps", \
	  .get = get_ready, MEMBER(type, times) }, \
	{ "gaps", NULL, "gaps between slices that were measured", KIND_COUNT, SUMS_ADD, \
	  .slices = true, .one = "gap", .measured = true, .near = "slices", \
	  MEMBER(type, times.gaps) }, \
	{ "unseen_gaps", NULL, "gaps that could not be measured", KIND_COUNT, SUMS_ADD, \
	  .slices = true, MEMBER(type, times.unseen_gaps) }, \
	{ "cut_gaps", NULL, "of those, gaps in which no slice is missing: a thread was not recorded, as its recording began or ended in them", \
	  KIND_COUNT, SUMS_ADD, .slices = true, MEMBER(type, times.cut_gaps) }

#define TIMES_COLUMNS(type, idle_where) \
	IN_SLICES(type), RUNNING_SHARE(type), OFF_CPU(type, SHOWN, idle_where, false), \
	GAPS(type, SHOWN)

/*
 * A counter: its figure, and what it is made of where it is an estimate. @limit:
 * column.bound. @over: column.per.
 */
#define COUNTER(prefix, head, what, fn, limit, where, over) \
	{ prefix "%s", head "%s", "%s" what, KIND_EVENTS, SUMS_ADD, .unsure = true, .counted = true, \
	  .shown = where, .get = get_value, .value = fn, .per = over, \
	  .bound = limit }, \
	{ prefix "%s_counted", NULL, "%s" what ": the count itself, never scaled", KIND_EVENTS, \
	  SUMS_ADD, .unsure = true, .counted = true, .get = get_value_counted, \
	  .value = fn, .bound = limit }, \
	{ prefix "%s_on_pmu", NULL, "share of the running time in which it was counted: %s", \
	  KIND_SHARE, .unsure = true, .counted = true, .get = get_value_share, .value = fn }

#define COUNTERS(type, fn, where) \
	COUNTER("", "", "", fn, 0, where, "slices"), \
	{ "ipc", "IPC", "instructions per cycle", KIND_RATIO, .shown = where, \
	  .when = when_ipc, .get = get_ipc, .value = fn, .per = "" }, \
	{ "%s_per_1000_instructions", "%s/kI", "%s per 1000 instructions", KIND_RATIO, \
	  .counted = true, .counts = counts_misses, .shown = SHOWN_PAGE, \
	  .get = get_per_kilo, .value = fn }

#endif /* COROPROF_TABLES_DESCRIBE_H */
