// SPDX-License-Identifier: GPL-2.0
/* Labels, and how long their slices ran. */
#include <stdlib.h>

#include "tables/describe.h"

static const char *const kinds[] = { "none", "text", "code", "thread", "other", "rest", "tool", NULL };

static bool is_outside(const void *row)
{
	return model_label_is_outside(row);
}

static struct cell get_coroutines(const struct position *p)
{
	const struct model_label *l = p->row;

	if (l->kind == MODEL_LABEL_REST)
		return cell_without(STANDING_NA);
	return is_outside(l) ? cell_without(STANDING_NONE) : get_member(p);
}

static struct cell get_address(const struct position *p)
{
	const struct model_label *l = p->row;

	return l->kind == MODEL_LABEL_CODE ? cell_of(l->address) : cell_without(STANDING_NONE);
}

static struct cell get_samples(const struct position *p)
{
	return p->sheet->model->sampled ? get_member(p) : cell_without(STANDING_NA);
}

static bool when_probed(const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_processes; i++)
		if (m->processes[i].probed)
			return true;
	return false;
}

static struct cell get_probes(const struct position *p)
{
	const struct model *m = p->sheet->model;
	const struct model_label *l = p->row;

	if (!model_label_probed(m, l))
		return cell_without(l->process == MODEL_NONE ? STANDING_NA : STANDING_NONE);
	return m->probe_cost.ns < 0 ? cell_without(STANDING_NA) :
				      cell_number(l->probes_ns, STANDING_SCALED);
}

/* Running times of some slices are shares, and none are wanted. */
static bool lacks_shares(const struct position *p)
{
	return model_lacks_shares(p->sheet->model, &((const struct model_label *)p->row)->times);
}

static struct cell get_longest(const struct position *p)
{
	const struct model_label *l = p->row;

	if (!l->times.slices || lacks_shares(p))
		return cell_without(STANDING_NA);
	return cell_seen(l->max_ns,
			 label_lacks_histogram(p->sheet->model, l, MODEL_LATENCY_RUNNING));
}

static struct cell get_shortest(const struct position *p)
{
	const struct model_label *l = p->row;

	if (!l->times.slices || lacks_shares(p))
		return cell_without(STANDING_NA);
	return cell_number(l->min_ns,
			   standing_combined(COMBINE_MIN,
					     l->times.nr_cut ? STANDING_SCALED : STANDING_COUNTED,
					     label_lacks_slices(p->sheet->model, l) ? STANDING_NA : STANDING_NONE));
}

static struct cell get_mean(const struct position *p)
{
	const struct model_label *l = p->row;

	if (!l->times.slices || lacks_shares(p))
		return cell_without(STANDING_NA);
	return cell_typical(l->times.running_ns / l->times.slices,
			    label_lacks_histogram(p->sheet->model, l, MODEL_LATENCY_RUNNING));
}

/* The column's offset is an enum model_latency. */
static struct cell get_quantile(const struct position *p)
{
	const struct model_label *l = p->row;

	if (label_lacks_shares(p->sheet->model, l, (enum model_latency)p->column->offset))
		return cell_without(STANDING_NA);
	return is_outside(l) && p->column->offset != MODEL_LATENCY_RUNNING ?
		       cell_without(STANDING_NONE) :
		       cell_quantile(p, l->histograms[p->column->offset],
				     label_lacks_histogram(p->sheet->model, l,
							   (enum model_latency)p->column->offset));
}

static struct cell get_held(const struct position *p)
{
	const struct model_label *l = p->row;
	struct cell cell = get_member(p);

	if (is_outside(l))
		return cell_without(STANDING_NONE);
	return has_value(cell) ? cell_seen(cell.number, label_lacks_histogram(p->sheet->model, l,
									      MODEL_LATENCY_HELD)) :
				 cell;
}

#define QUANTILE(name, title, says, of, at, where) \
	{ name, title, says, KIND_NS, .slices = true, .unsure = true, WHOLE(OWN), .shown = where, \
	  .get = get_quantile, .offset = of, .quantile = at, .per = "" }

#define RAN(name, title, what, at, where) \
	QUANTILE(name, title, "running time that " what " of the slices do not exceed", \
		 MODEL_LATENCY_RUNNING, at, where)

/* Two recordings are compared by running time, which others on the machine change less. */
#define HELD_TIME(name, title, what, at) \
	{ name, title, "time from switch-in to switch-out that " what " of the slices do not exceed", \
	  KIND_NS, .slices = true, .unsure = true, WHOLE(OWN), .aside = true, .shown = SHOWN_DIGEST, \
	  .get = get_quantile, .offset = MODEL_LATENCY_HELD, .quantile = at }

#define HELD(decade, name, what) \
	{ "held_" name, "held " what, \
	  "slices that held their thread for " what " or longer, on or off the CPU", KIND_COUNT, \
	  SUMS_ADD, .slices = true, .get = get_held, \
	  MEMBER(struct model_label, held[decade]) }

static const struct column columns[] = {
	{ "name", "label", "the label, or a text in parentheses where there is none", KIND_TEXT,
	  .shown = SHOWN | SHOWN_DIGEST, MEMBER(struct model_label, name) },
	PROCESS(struct model_label),
	{ "coroutines", NULL, "coroutines with this label at the end", KIND_COUNT, SUMS_ADD,
	  .shown = SHOWN | SHOWN_DIGEST, .get = get_coroutines,
	  MEMBER(struct model_label, coroutines) },
	IN_SLICES(struct model_label), RUNNING_SHARE(struct model_label),
	{ "probes", NULL, "the part of the running time that its probes took: those of its slices and its wakes, each with the cost of one as the recording began",
	  KIND_NS, SUMS_ADD, .unsure = true, .shown = SHOWN, .when = when_probed, .per = "slices",
	  .get = get_probes, MEMBER(struct model_label, probes_ns) },
	RAN("p50", "ran, 50 %", "half", 0.50, SHOWN_PAGE),
	RAN("p90", "ran, 90 %", "90 %", 0.90, 0),
	RAN("p95", "ran, 95 %", "95 %", 0.95, 0),
	RAN("p99", "ran, 99 %", "99 %", 0.99, SHOWN),
	RAN("p99_9", "ran, 99.9 %", "99.9 %", 0.999, 0),
	{ "longest", "ran, max", "running time of the longest slice", KIND_NS, SUMS_MAX,
	  .slices = true, .unsure = true, WHOLE(OWN), .shown = SHOWN, .get = get_longest,
	  MEMBER(struct model_label, max_ns) },
	HELD_TIME("held_p50", "held, 50 %", "half", 0.50), HELD_TIME("held_p99", "held, 99 %", "99 %", 0.99),
	QUANTILE("ready_p99", "ready, 99 %",
		 "time from being made ready to running that 99 % of such waits do not exceed",
		 MODEL_LATENCY_READY, 0.99, SHOWN_PAGE | SHOWN_DIGEST),
	QUANTILE("lifetime_p50", "life, 50 %", "lifetime that half of the coroutines do not exceed",
		 MODEL_LATENCY_LIFETIME, 0.50, 0),
	QUANTILE("lifetime_p99", "life, 99 %",
		 "lifetime that 99 % of the coroutines do not exceed, of those that were seen from begin to end",
		 MODEL_LATENCY_LIFETIME, 0.99, SHOWN_PAGE),
	OFF_CPU(struct model_label, SHOWN, SHOWN, false), GAPS(struct model_label, SHOWN),
	{ "samples", NULL, "samples taken in it", KIND_COUNT, SUMS_ADD,
	  .shown = SHOWN, .when = when_sampled, .get = get_samples,
	  PARTIAL(SAMPLES), MEMBER(struct model_label, samples) },
	CALLS(struct model_label),
	COUNTERS(struct model_label, model_label_value, SHOWN),
	{ "running_mean", "per slice", "running time of a slice, on average", KIND_NS,
	  .aside = true, .unsure = true, WHOLE(OWN), .shown = SHOWN_TEXT, .get = get_mean },
	{ "shortest", "ran, min", "running time of the shortest slice", KIND_NS, SUMS_MIN,
	  .slices = true, .unsure = true, WHOLE(OWN), .get = get_shortest,
	  MEMBER(struct model_label, min_ns) },
	HELD(0, "10us", "10 us"), HELD(1, "100us", "100 us"), HELD(2, "1ms", "1 ms"),
	HELD(3, "10ms", "10 ms"), HELD(4, "100ms", "100 ms"), HELD(5, "1s", "1 s"),
	{ "unreported", NULL, "slices in which switches were not reported: they may be other coroutines' in part",
	  KIND_COUNT, SUMS_ADD, .slices = true, .shown = SHOWN, .when = when_unreported,
	  MEMBER(struct model_label, unreported) },
	{ "unreported_running", NULL, "running time of those", KIND_NS, SUMS_ADD,
	  .slices = true, SHARED(struct model_label), MEMBER(struct model_label, unreported_ns) },
	{ "renamed", NULL, "coroutines that left it for another label", KIND_COUNT, SUMS_ADD,
	  .slices = true, MEMBER(struct model_label, renamed) },
	{ "kind", NULL, "the kind of label; thread: threads outside coroutines; other: all labels for which there was no room; rest: of totals, the figures of threads that are in no slot; tool: coroprof itself, which is in the sums of threads and in none of the program",
	  KIND_WORD, .words = kinds, MEMBER(struct model_label, kind) },
	{ "object", NULL, "object file that a label which is a code address is in", KIND_TEXT,
	  MEMBER(struct model_label, object) },
	{ "address", NULL, "the address in it", KIND_ID, .get = get_address },
	{ "unresolved", NULL, "why the address has no name", KIND_TEXT,
	  MEMBER(struct model_label, unresolved) },
};

const struct table table_labels = {
	.name = "labels", .title = "labels: all coroutines of one kind",
	COLUMNS(columns), ROWS(LABELS), .outside = is_outside,
};

/* ------------------------------------------------------------------------
 * lengths of slices: a row for each bucket of a label that is not empty
 */

static bool has(const struct model *m, uint32_t label, unsigned int bucket)
{
	const struct model_label *l = &m->labels[label];

	return !model_lacks_shares(m, &l->times) &&
	       model_bucket_count(l->histograms[MODEL_LATENCY_RUNNING], bucket);
}

static uint32_t count_buckets(const struct model *m)
{
	uint32_t nr = 0;

	for (uint32_t label = 0; label < m->nr_labels; label++)
		for (unsigned int b = 0; b < MODEL_HISTOGRAM_BUCKETS; b++)
			nr += has(m, label, b);
	return nr;
}

static uint32_t *list_buckets(const struct model *m, uint32_t *nr)
{
	uint32_t *list = calloc((size_t)count_buckets(m) + 1, sizeof(*list));

	*nr = 0;
	for (uint32_t label = 0; list && label < m->nr_labels; label++)
		for (unsigned int b = 0; b < MODEL_HISTOGRAM_BUCKETS; b++)
			if (has(m, label, b))
				list[(*nr)++] = label * MODEL_HISTOGRAM_BUCKETS + b;
	return list;
}

static uint32_t label_of(const struct position *p)
{
	return p->index / MODEL_HISTOGRAM_BUCKETS;
}

static unsigned int bucket_of(const struct position *p)
{
	return p->index % MODEL_HISTOGRAM_BUCKETS;
}

static struct cell get_label(const struct position *p)
{
	return cell_of(label_of(p));
}

static struct cell get_from(const struct position *p)
{
	return cell_of(model_bucket_ns(bucket_of(p)));
}

/* The last has no end. */
static struct cell get_below(const struct position *p)
{
	unsigned int next = bucket_of(p) + 1;

	return next < MODEL_HISTOGRAM_BUCKETS ? cell_of(model_bucket_ns(next)) :
						cell_without(STANDING_NONE);
}

static struct cell get_slices(const struct position *p)
{
	const struct model_label *l = &p->sheet->model->labels[label_of(p)];

	return cell_seen(model_bucket_count(l->histograms[MODEL_LATENCY_RUNNING], bucket_of(p)),
			 label_lacks_slices(p->sheet->model, l));
}

static const struct column length_columns[] = {
	{ "label", NULL, "the label", KIND_ROW, .shown = SHOWN, .refers = "labels",
	  .get = get_label },
	{ "from", NULL, "running time of a slice, at least this", KIND_NS, WHOLE(OTHER), .shown = SHOWN,
	  .get = get_from },
	{ "below", NULL, "and less than this", KIND_NS, WHOLE(OTHER), .shown = SHOWN,
	  .get = get_below },
	{ "slices", NULL, "slices that ran for so long", KIND_COUNT, SUMS_ADD, .unsure = true, WHOLE(OWN), .shown = SHOWN,
	  .get = get_slices },
};

const struct table table_lengths = {
	.name = "lengths", .title = "lengths: how long the slices of a label ran",
	COLUMNS(length_columns), .list = list_buckets, .listed = true,
};
