// SPDX-License-Identifier: GPL-2.0
/*
 * Writes what is known as text of OpenMetrics, which wants all of a metric in one place. What stands
 * for nanoseconds is written as seconds, to the nanosecond.
 */
#include <inttypes.h>
#include <string.h>

#include "base/standing.h"
#include "base/util.h"
#include "push/exposition.h"

/* Bounds of buckets: of 4^n ns, from a microsecond to a minute, always the same. */
#define FIRST_BOUND	10u
#define LAST_BOUND	36u

static const struct family {
	const char *name;
	const char *unit;	/* "seconds": they are nanoseconds; NULL: they are counts */
	const char *says;
} families[BOOK_METRICS] = {
	[BOOK_TIME] = { "coroutine_time_seconds", "seconds", "Time of coroutines, by what they did" },
	[BOOK_SWITCHES] = { "coroutine_switches", NULL, "Slices: stays on a thread" },
	[BOOK_COUNTER] = { "counter", NULL, "Events in slices" },
	[BOOK_LOST_SLICES] = { "lost_slices", NULL, "Slices that found a ring full: no figure has them" },
	[BOOK_OVERHEAD] = { "overhead_seconds", "seconds", "Time that programs took to be recorded" },
	[BOOK_CPU] = { "recorder_cpu_seconds", "seconds", "Processor time of coroprof itself" },
	[BOOK_UNSENT] = { "skipped_seconds", "seconds", "Time of the recording that is in no figure" },
	[BOOK_LOST_REQUESTS] = { "push_lost_requests", NULL, "Requests that were not delivered" },
	[BOOK_LOST_POINTS] = { "push_lost_points", NULL, "Data points in these" },
	[BOOK_REJECTED] = { "push_rejected_points", NULL, "Data points that the receiver rejected" },
}, kinds[BOOK_KINDS] = {
	[BOOK_HELD] = { "coroutine_held_seconds", "seconds", "Time for which a slice held its thread" },
	[BOOK_READIES] = { "coroutine_ready_seconds", "seconds", "Time from being made ready to running" },
	[BOOK_LIFETIME] = { "coroutine_lifetime_seconds", "seconds", "Time from birth to end" },
};

static const char *const states[BOOK_STATES] = {
	[BOOK_RUNNING] = "running", [BOOK_PREEMPTED] = "preempted", [BOOK_BLOCKED] = "blocked",
	[BOOK_IDLING] = "idle", [BOOK_AWAITING] = "awaiting", [BOOK_READY] = "ready",
	[BOOK_SUSPENDED] = "suspended",
};

/* ---- values and labels */

static void put_ns(FILE *to, uint64_t ns)
{
	fprintf(to, "%" PRIu64 ".%09" PRIu64, ns / (uint64_t)SECOND_NS, ns % (uint64_t)SECOND_NS);
}

static void put_value(FILE *to, const struct family *family, uint64_t value)
{
	if (family->unit)
		put_ns(to, value);
	else
		fprintf(to, "%" PRIu64, value);
	fputc('\n', to);
}

/* Texts are printable: no newline is in them. */
static void put_text(FILE *to, const char *name, const char *text)
{
	fprintf(to, "%s=\"", name);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

/* Of which a brace is open. */
static void put_labels(FILE *to, const struct book_group *group, const struct book_item *item,
		       unsigned int standing)
{
	put_text(to, "process", group->comm);
	if (group->pid)
		fprintf(to, ",pid=\"%" PRId32 "\"", group->pid);
	if (item->label) {
		fputc(',', to);
		put_text(to, "label", item->label);
	}
	if (item->other)
		fputs(",overflow=\"true\"", to);
	fputc(',', to);
	put_text(to, "standing", standing_name((enum standing)standing));
}

static void put_head(FILE *to, const struct family *family, const char *type)
{
	fprintf(to, "# TYPE coroprof_%s %s\n", family->name, type);
	if (family->unit)
		fprintf(to, "# UNIT coroprof_%s %s\n", family->name, family->unit);
	fprintf(to, "# HELP coroprof_%s %s.\n", family->name, family->says);
}

/* ---- metrics */

static void put_point(FILE *to, const struct book *book, const struct book_group *group,
		      const struct book_item *item, const struct book_point *p)
{
	fprintf(to, "coroprof_%s_total{", families[p->metric].name);
	put_labels(to, group, item, p->standing);
	fputc(p->metric == BOOK_TIME || p->metric == BOOK_COUNTER ? ',' : '}', to);
	if (p->metric == BOOK_TIME)
		put_text(to, "state", states[p->which]);
	if (p->metric == BOOK_COUNTER)
		put_text(to, "event", book->counters[p->which]);
	fputs(p->metric == BOOK_TIME || p->metric == BOOK_COUNTER ? "} " : " ", to);
	put_value(to, &families[p->metric], p->value);
}

static void put_bucket(FILE *to, unsigned int kind, const struct book_group *group,
		       const struct book_item *item, const struct book_lengths *l,
		       unsigned int bound, uint64_t nr)
{
	fprintf(to, "coroprof_%s_bucket{", kinds[kind].name);
	put_labels(to, group, item, l->standing);
	fputs(",le=\"", to);
	/* All below 2^bound ns: up to and with one less. */
	if (bound < 64)
		put_ns(to, (1ull << bound) - 1);
	else
		fputs("+Inf", to);
	fprintf(to, "\"} %" PRIu64 "\n", nr);
}

static void put_lengths(FILE *to, unsigned int kind, const struct book_group *group,
			const struct book_item *item, const struct book_lengths *l)
{
	uint64_t nr = l->zero;

	for (unsigned int i = 0; i < LAST_BOUND; i++) {
		nr += l->counts[i];
		if (i + 1 >= FIRST_BOUND && (i + 1) % 2 == 0)
			put_bucket(to, kind, group, item, l, i + 1, nr);
	}
	put_bucket(to, kind, group, item, l, 64, l->nr);
	fprintf(to, "coroprof_%s_count{", kinds[kind].name);
	put_labels(to, group, item, l->standing);
	fprintf(to, "} %" PRIu64 "\ncoroprof_%s_sum{", l->nr, kinds[kind].name);
	put_labels(to, group, item, l->standing);
	fputs("} ", to);
	put_value(to, &kinds[kind], l->sum);
}

static void put_item(FILE *to, const struct book *b, const struct book_group *group,
		     const struct book_item *item, unsigned int metric, bool *begun)
{
	for (size_t i = 0; metric < BOOK_METRICS && i < item->nr_points; i++) {
		if (item->points[i].metric != metric)
			continue;
		if (!*begun)
			put_head(to, &families[metric], "counter");
		*begun = true;
		put_point(to, b, group, item, &item->points[i]);
	}
	for (size_t i = 0; metric >= BOOK_METRICS && i < item->nr_lengths; i++) {
		unsigned int kind = metric - BOOK_METRICS;

		if (item->lengths[i].kind != kind)
			continue;
		if (!*begun)
			put_head(to, &kinds[kind], "histogram");
		*begun = true;
		put_lengths(to, kind, group, item, &item->lengths[i]);
	}
}

void exposition_write(FILE *to, const struct book *b)
{
	for (unsigned int metric = 0; metric < BOOK_METRICS + BOOK_KINDS; metric++) {
		bool begun = false;

		for (size_t g = 0; g < b->nr_groups; g++) {
			const struct book_group *group = &b->groups[g];

			for (size_t i = 0; i < group->nr_items; i++)
				put_item(to, b, group, &group->items[i], metric, &begun);
		}
	}
	fputs("# EOF\n", to);
}
