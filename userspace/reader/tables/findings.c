// SPDX-License-Identifier: GPL-2.0
/*
 * One function for each finding: looks for it in the model and writes its sentence; then findings
 * are sorted by the harm done.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/histogram.h"
#include "tables/describe.h"
#include "tables/figure.h"
#include "tables/findings.h"

/* Less than this share of what coroutines take is not worth a line. */
#define SHARE_BLOCKED	0.01
#define SHARE_STARVING	0.25
#define SHARE_RUNNING	0.05
#define SHARE_OF_CPU	0.25
#define SHARE_MOVES	0.25
#define SHARE_PROBES	0.10
#define MOVES		100u
/* Of that of all. */
#define PART_OF_IPC	0.8
#define HELD_LONG	2	/* model_label.held: 1 ms */

/* A figure as people read it: ">=101 ms". */
struct figure_text {
	char text[FIGURE_SIZE];
};

static struct figure_text to_text(enum kind kind, struct cell cell)
{
	struct figure_text f;
	int mark = 0;

	if (kind == KIND_COUNT && has_value(cell)) {
		mark = snprintf(f.text, sizeof(f.text), "%s", standing_mark(cell.standing));
		figure_grouped(f.text + mark, cell.number);
	} else {
		figure_cell(f.text, kind, cell);
	}
	return f;
}

static struct figure_text number_text(enum kind kind, uint64_t number, bool at_least)
{
	return to_text(kind, cell_seen(number, at_least));
}

/*
 * A sum over slices of a label, some of which may be cut: then it has the standing of a share, as
 * in tables.
 */
static struct figure_text shared_text(const struct model *m, enum kind kind, uint64_t number,
				      const struct model_label *l)
{
	return to_text(kind, cell_number(number, model_times_standing(&l->times,
								      label_lacks_slices(m, l))));
}

/* Adds a finding with its sentence. Returns -1 without memory, as do all find_...(). */
static int __attribute__((format(printf, 3, 4)))
report(struct model *m, struct model_finding f, const char *format, ...)
{
	struct model_finding *all = reallocarray(m->findings, m->nr_findings + 1, sizeof(*all));
	va_list args;
	int ret;

	if (!all)
		return -1;
	m->findings = all;
	va_start(args, format);
	ret = vasprintf(&f.text, format, args);
	va_end(args);
	if (ret < 0)
		return -1;
	all[m->nr_findings++] = f;
	return 0;
}

static struct model_finding about_label(enum finding kind, uint32_t label)
{
	return (struct model_finding){
		.kind = kind, .label = label, .coroutine = MODEL_NONE, .channel = MODEL_NONE,
	};
}

static uint64_t longest_ns(const struct model_label *l, enum model_latency what)
{
	return l->histograms[what] ? l->histograms[what]->most : 0;
}

/*
 * A finding about a label, with when and where of its longest slice or wait, if that is among the
 * longest of the recording.
 */
static struct model_finding case_of_longest(const struct model *m, enum finding kind,
					    uint32_t label, enum model_latency what)
{
	struct model_finding f = about_label(kind, label);
	const struct model_longest *first = NULL;

	f.longest_ns = longest_ns(&m->labels[label], what);
	for (uint32_t i = 0; i < m->nr_longest; i++) {
		const struct model_longest *w = &m->longest[i];

		if (w->what == what && w->label == label &&
		    (!first || model_longest_order(w, first) < 0))
			first = w;
	}
	if (!first)
		return f;
	f.coroutine = first->coroutine;
	f.channel = first->channel;
	f.begin_ns = first->begin_ns;
	f.end_ns = first->end_ns;
	return f;
}

static struct figure_text longest_text(const struct model *m, const struct model_label *l,
				       enum model_latency what)
{
	return number_text(KIND_NS, longest_ns(l, what), label_lacks_histogram(m, l, what));
}

static bool is_label_of_coroutines(const struct model_label *l)
{
	return !model_label_is_outside(l) && l->kind != MODEL_LABEL_REST;
}

/* The label of coroutines for which @of is greatest; MODEL_NONE if it is 0 for all. */
static uint32_t label_of_most(const struct model *m,
			      uint64_t (*of)(const struct model_label *label))
{
	uint32_t found = MODEL_NONE;

	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (is_label_of_coroutines(&m->labels[i]) && of(&m->labels[i]) &&
		    (found == MODEL_NONE || of(&m->labels[i]) > of(&m->labels[found])))
			found = i;
	return found;
}

/* The label of coroutines with the longest @what; MODEL_NONE if there is none. */
static uint32_t label_with_longest(const struct model *m, enum model_latency what)
{
	uint32_t found = MODEL_NONE;
	uint64_t most_ns = 0;

	for (uint32_t i = 0; i < m->nr_labels; i++) {
		uint64_t ns = longest_ns(&m->labels[i], what);

		if (is_label_of_coroutines(&m->labels[i]) && ns > most_ns) {
			found = i;
			most_ns = ns;
		}
	}
	return found;
}

/* "; the longest is of b: 100 ms", where it is not @label that had it. */
struct other {
	char text[160 + FIGURE_SIZE];
};

static struct other other_text(const struct model *m, uint32_t label, uint32_t longest,
			       enum model_latency what)
{
	const struct model_label *l = &m->labels[longest];
	struct other o = { "" };

	if (longest != label && longest_ns(l, what) > longest_ns(&m->labels[label], what))
		snprintf(o.text, sizeof(o.text), "; the longest is of %.128s: %s", l->name,
			 longest_text(m, l, what).text);
	return o;
}

/* A finding about @label, with when and where of the longest one, which label @longest had. */
static struct model_finding case_by_longest(const struct model *m, enum finding kind,
					    uint32_t label, uint32_t longest,
					    enum model_latency what)
{
	struct model_finding f = case_of_longest(m, kind, longest, what);

	f.label = label;
	return f;
}

/* ---- blocking calls */

static uint64_t blocked_of(const struct model_label *l)
{
	return l->times.blocked_ns;
}

static int find_blocking(struct model *m)
{
	const struct model_times *t = &m->times;
	uint64_t all = t->running_ns + t->preempted_ns + t->blocked_ns;
	uint32_t label = label_of_most(m, blocked_of),
		 longest = label_with_longest(m, MODEL_LATENCY_BLOCKED);
	const struct model_label *l;

	if (label == MODEL_NONE || model_lacks_shares(m, t) ||
	    (double)blocked_of(&m->labels[label]) < SHARE_BLOCKED * (double)all)
		return 0;
	l = &m->labels[label];
	longest = longest == MODEL_NONE ? label : longest;
	return report(m,
		      case_by_longest(m, FINDING_BLOCKING, label, longest, MODEL_LATENCY_BLOCKED),
		      "%s sleeps in the kernel inside its slices, so that nothing else runs on the thread: %s times, %s in all, %s at most in a slice%s",
		      l->name, shared_text(m, KIND_COUNT, l->times.nr_blocked, l).text,
		      shared_text(m, KIND_NS, l->times.blocked_ns, l).text,
		      longest_text(m, l, MODEL_LATENCY_BLOCKED).text,
		      other_text(m, label, longest, MODEL_LATENCY_BLOCKED).text);
}

/* ---- what takes the CPU, and slices that are long */

static uint64_t running_of(const struct model_label *l)
{
	return l->times.running_ns;
}

static uint64_t held_of(const struct model_label *l)
{
	return l->held[HELD_LONG];
}

/* How often slices held the thread for 1 ms or more. */
static struct figure_text often_text(const struct model *m, const struct model_label *l)
{
	return number_text(KIND_COUNT, held_of(l), label_lacks_histogram(m, l, MODEL_LATENCY_HELD));
}

/* "held its thread 10.0 ms at most (30 x 1 ms or more)" */
struct held {
	char text[64 + 2 * FIGURE_SIZE];
};

static struct held held_text(const struct model *m, const struct model_label *l)
{
	struct held h;
	int used;

	used = snprintf(h.text, sizeof(h.text), "held its thread %s at most",
			longest_text(m, l, MODEL_LATENCY_HELD).text);
	if (held_of(l))
		snprintf(h.text + used, sizeof(h.text) - (size_t)used, " (%s x 1 ms or more)",
			 often_text(m, l).text);
	return h;
}

/* The label with most of the CPU time; MODEL_NONE if its share is too small for a finding. */
static uint32_t label_running_most(const struct model *m)
{
	uint32_t label = label_of_most(m, running_of);

	return label == MODEL_NONE || m->some_labels || model_lacks_shares(m, &m->times) ||
	       (double)running_of(&m->labels[label]) < SHARE_OF_CPU * (double)m->times.running_ns ?
		       MODEL_NONE : label;
}

static int find_running(struct model *m)
{
	uint32_t label = label_running_most(m);
	const struct model_label *l;
	double share;

	if (label == MODEL_NONE)
		return 0;
	l = &m->labels[label];
	share = (double)running_of(l) / (double)m->times.running_ns;
	return report(m, case_of_longest(m, FINDING_RUNNING, label, MODEL_LATENCY_HELD),
		      "%s is %s of the CPU time and %s", l->name,
		      to_text(KIND_SHARE, cell_ratio(share, standing_combined(COMBINE_QUOTIENT,
					model_times_standing(&l->times, label_lacks_slices(m, l)),
					model_times_standing(&m->times, model_lacks_slices(m))))).text,
		      held_text(m, l).text);
}

/* Reports the longest slice: there may be far more of shorter ones. */
static int find_holding(struct model *m)
{
	uint32_t label = label_of_most(m, held_of),
		 longest = label_with_longest(m, MODEL_LATENCY_HELD);
	const struct model_label *often;

	if (label == MODEL_NONE || longest == MODEL_NONE)
		return 0;
	often = &m->labels[label];
	if (label != longest)
		return report(m, case_of_longest(m, FINDING_HOLDING, longest, MODEL_LATENCY_HELD),
			      "%s %s; most often %s did: %s x, %s at most", m->labels[longest].name,
			      held_text(m, &m->labels[longest]).text, often->name,
			      often_text(m, often).text,
			      longest_text(m, often, MODEL_LATENCY_HELD).text);
	/* It has been reported with the share of the CPU time. */
	if (label == label_running_most(m))
		return 0;
	return report(m, case_of_longest(m, FINDING_HOLDING, longest, MODEL_LATENCY_HELD), "%s %s",
		      often->name, held_text(m, often).text);
}

/* ---- who waits for whom */

static uint64_t overlap_ns(const struct model_longest *a, const struct model_longest *b)
{
	uint64_t begin = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns;
	uint64_t end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;

	return a->channel == b->channel && begin < end ? end - begin : 0;
}

/*
 * For each label, the time in ns of the longest waits in which one of its longest slices held the
 * thread waited for. @waits: the sum of these waits in ns, @nr: their number.
 */
static uint64_t *held_during_waits(const struct model *m, uint64_t *waits, uint32_t *nr)
{
	uint64_t *held = calloc((size_t)m->nr_labels + 1, sizeof(*held));

	*waits = *nr = 0;
	for (uint32_t i = 0; held && i < m->nr_longest; i++) {
		const struct model_longest *wait = &m->longest[i];

		if (wait->what != MODEL_LATENCY_READY)
			continue;
		*waits += wait->ns;
		++*nr;
		for (uint32_t k = 0; k < m->nr_longest; k++)
			if (m->longest[k].what == MODEL_LATENCY_HELD)
				held[m->longest[k].label] += overlap_ns(wait, &m->longest[k]);
	}
	return held;
}

static int find_starving(struct model *m)
{
	uint32_t label = 0, nr;
	uint64_t waits, *held = held_during_waits(m, &waits, &nr), ns;

	if (!held)
		return -1;
	for (uint32_t i = 1; i < m->nr_labels; i++)
		label = held[i] > held[label] ? i : label;
	ns = held[label];
	free(held);
	if (!ns || (double)ns < SHARE_STARVING * (double)waits)
		return 0;
	return report(m, case_of_longest(m, FINDING_STARVING, label, MODEL_LATENCY_HELD),
		      "%s makes others wait: it held their thread during %s of %s (the %" PRIu32 " longest waits), %s in one slice",
		      m->labels[label].name, number_text(KIND_NS, ns, true).text,
		      number_text(KIND_NS, waits, model_lacks_slices(m)).text, nr,
		      longest_text(m, &m->labels[label], MODEL_LATENCY_HELD).text);
}

/* ---- the queue */

static uint64_t ready_of(const struct model_label *l)
{
	return l->times.ready_ns;
}

static int find_queue(struct model *m)
{
	struct model_ns ready = model_ready(&m->times);
	const struct model_label *l;
	uint32_t label = label_of_most(m, ready_of),
		 longest = label_with_longest(m, MODEL_LATENCY_READY);
	enum standing of_all, of_label;
	uint64_t p99;
	double mean;
	bool exact;

	if (label == MODEL_NONE || ready.known == MODEL_NA || m->end_ns <= m->from_ns ||
	    !m->labels[label].histograms[MODEL_LATENCY_READY])
		return 0;
	mean = (double)ready.ns / (double)(m->end_ns - m->from_ns);
	if (mean < 1)
		return 0;
	p99 = histogram_quantile(m->labels[label].histograms[MODEL_LATENCY_READY], 0.99, &exact);
	l = &m->labels[label];
	of_all = standing_lacking(model_ns_standing(ready), model_lacks_slices(m));
	of_label = standing_lacking(model_ns_standing(model_ready(&l->times)), label_lacks_slices(m, l));
	longest = longest == MODEL_NONE ? label : longest;
	return report(
		m, case_by_longest(m, FINDING_QUEUE, label, longest, MODEL_LATENCY_READY),
		"%s coroutines were ready and waited for a thread, on average; %s waited most: %s in all, 99 %% of its waits below %s, the longest %s%s",
		to_text(KIND_RATIO, cell_ratio(mean, of_all)).text, l->name,
		to_text(KIND_NS, cell_number(ready_of(l), of_label)).text,
		to_text(KIND_NS, cell_number(p99, histogram_standing(exact,
							     label_lacks_slices(m, l)))).text,
		longest_text(m, &m->labels[label], MODEL_LATENCY_READY).text,
		other_text(m, label, longest, MODEL_LATENCY_READY).text);
}

/* ---- instructions per cycle */

static double ipc_of(const struct model *m, uint32_t label, enum standing *standing)
{
	return model_ipc(model_label_value(m, label, m->instructions),
			 model_label_value(m, label, m->cycles),
			 label_lacks_slices(m, &m->labels[label]), standing);
}

static bool runs_much(const struct model *m, uint32_t label)
{
	return is_label_of_coroutines(&m->labels[label]) &&
	       (double)m->labels[label].times.running_ns >=
	       SHARE_RUNNING * (double)m->times.running_ns;
}

static int find_ipc(struct model *m)
{
	double least = -1, all, ipc;
	uint32_t label = 0;
	enum standing standing, all_standing;

	if (!when_ipc(m))
		return 0;
	for (uint32_t i = 0; i < m->nr_labels; i++) {
		ipc = runs_much(m, i) ? ipc_of(m, i, &standing) : -1;
		if (ipc >= 0 && (least < 0 || ipc < least)) {
			least = ipc;
			label = i;
		}
	}
	all = model_ipc(model_total_value(m, m->instructions), model_total_value(m, m->cycles),
			model_lacks_slices(m), &all_standing);
	if (least < 0 || least >= PART_OF_IPC * all)
		return 0;
	ipc = ipc_of(m, label, &standing);
	return report(m, about_label(FINDING_IPC, label),
		      "%s has the lowest IPC of what runs for more than %s of the time: %s, all together %s",
		      m->labels[label].name, to_text(KIND_SHARE, cell_fraction(SHARE_RUNNING)).text,
		      to_text(KIND_RATIO, cell_ratio(ipc, standing)).text,
		      to_text(KIND_RATIO, cell_ratio(all, all_standing)).text);
}

/* ---- from thread to thread */

/*
 * Sums the migrations of a label's coroutines, and their slices. @most_of: the coroutine with the
 * most migrations.
 */
static uint64_t count_migrations(const struct model *m, uint32_t label, uint64_t *slices,
				 uint32_t *most_of)
{
	uint64_t moves = 0;

	*slices = 0;
	*most_of = MODEL_NONE;
	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];

		if (c->label != label || c->flags & MODEL_COROUTINE_THREAD)
			continue;
		moves += c->migrations;
		*slices += c->times.slices;
		if (*most_of == MODEL_NONE || c->migrations > m->coroutines[*most_of].migrations)
			*most_of = i;
	}
	return moves;
}

/* MODEL_NONE if there is none, or no memory. */
static uint32_t label_with_most_migrations(const struct model *m)
{
	uint64_t *moves = calloc((size_t)m->nr_labels + 1, sizeof(*moves));
	uint32_t label = 0;

	if (!moves)
		return MODEL_NONE;
	for (uint32_t i = 0; i < m->nr_coroutines; i++)
		if (!(m->coroutines[i].flags & MODEL_COROUTINE_THREAD))
			moves[m->coroutines[i].label] += m->coroutines[i].migrations;
	for (uint32_t i = 1; i < m->nr_labels; i++)
		label = moves[i] > moves[label] ? i : label;
	label = moves[label] ? label : MODEL_NONE;
	free(moves);
	return label;
}

static int find_moves(struct model *m)
{
	uint32_t label = label_with_most_migrations(m), coroutine;
	struct model_finding f = about_label(FINDING_MOVES, label);
	uint64_t moves, slices;
	char buffer[ROW_TITLE_SIZE];
	bool lacks;

	if (label == MODEL_NONE)
		return 0;
	moves = count_migrations(m, label, &slices, &coroutine);
	/* A coroutine and its label are of one process. */
	lacks = label_lacks_slices(m, &m->labels[label]);
	if (moves < MOVES || (double)moves < SHARE_MOVES * (double)slices)
		return 0;
	f.coroutine = coroutine;
	return report(m, f, "%s goes from thread to thread: %s of %s slices were on another one than the slice before; most often %s, %s times",
		      m->labels[label].name,
		      number_text(KIND_COUNT, moves, lacks).text,
		      number_text(KIND_COUNT, slices, lacks).text,
		      row_title(&table_coroutines, m, coroutine, buffer),
		      number_text(KIND_COUNT, m->coroutines[coroutine].migrations, lacks).text);
}

/* ---- what probes cost */

static uint64_t probes_of(const struct model_label *l)
{
	bool much = (double)l->probes_ns > SHARE_PROBES * (double)l->times.running_ns;

	return much ? l->probes_ns : 0;
}

static int find_probes(struct model *m)
{
	uint32_t label = label_of_most(m, probes_of);
	const struct model_label *l;

	if (label == MODEL_NONE)
		return 0;
	l = &m->labels[label];
	return report(m, about_label(FINDING_PROBES, label),
		      "%s ran for %s, and %s of that, %s, is what its probes took in the kernel: its slices are so short that times say little of the program; instructions of user mode are its own",
		      l->name, shared_text(m, KIND_NS, l->times.running_ns, l).text,
		      to_text(KIND_NS, cell_number(l->probes_ns, STANDING_SCALED)).text,
		      to_text(KIND_SHARE,
			      cell_ratio((double)l->probes_ns / (double)l->times.running_ns,
					 STANDING_SCALED)).text);
}

/* ---- all of them */

/*
 * Behind the label that takes most of the CPU, the longest first. What takes no time from others
 * has the length 0, and comes last.
 */
static void sort_findings(struct model *m)
{
	uint32_t first = m->nr_findings && m->findings[0].kind == FINDING_RUNNING;

	for (uint32_t i = first; i < m->nr_findings; i++)
		for (uint32_t k = i;
		     k > first && m->findings[k - 1].longest_ns < m->findings[k].longest_ns; k--) {
			struct model_finding shorter = m->findings[k - 1];

			m->findings[k - 1] = m->findings[k];
			m->findings[k] = shorter;
		}
}

/* Puts the reason for which a flight recorder wrote the file before all other findings. */
static int prepend_dump_reason(struct model *m)
{
	static const struct {
		const char *figure;
		enum finding kind;
	} kinds[] = {
		{ "held", FINDING_HOLDING }, { "blocked", FINDING_BLOCKING }, { "ready", FINDING_QUEUE },
		{ "running", FINDING_HOLDING }, { "IPC", FINDING_IPC }, { "program", FINDING_REQUEST },
	};
	struct model_finding f = m->dumped_for;

	if (!m->dumped_figure || f.label == MODEL_NONE)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].figure, m->dumped_figure))
			continue;
		f.kind = kinds[i].kind;
		if (report(m, f, "this was written because of %s", m->dumped))
			return -1;
		f = m->findings[m->nr_findings - 1];
		memmove(m->findings + 1, m->findings, (m->nr_findings - 1) * sizeof(f));
		m->findings[0] = f;
	}
	return 0;
}

int findings_make(struct model *m)
{
	/* What is proven comes first of those that are as long. */
	static int (*const finds[])(struct model *model) = {
		find_running, find_starving, find_holding, find_blocking, find_queue, find_probes, find_ipc,
		find_moves,
	};

	/* Of totals there is neither when, nor how long each. */
	for (size_t i = 0; i < ARRAY_SIZE(finds) && !m->totals; i++)
		if (finds[i](m))
			return -1;
	sort_findings(m);
	return prepend_dump_reason(m);
}

/* ---- the table */

static const char *const kinds[] = {
	"blocking", "holding", "starving", "queue", "ipc", "moves", "probes", "running", "request", NULL
};

static struct cell get_moment(const struct position *p)
{
	return ((const struct model_finding *)p->row)->end_ns ? get_member(p) :
								cell_without(STANDING_NONE);
}

static struct cell get_longest(const struct position *p)
{
	const struct model_finding *f = p->row;
	enum model_latency what = f->kind == FINDING_QUEUE ? MODEL_LATENCY_READY :
							     MODEL_LATENCY_HELD;
	const struct model_label *l = &p->sheet->model->labels[f->label];

	return f->longest_ns ?
		       cell_seen(f->longest_ns, label_lacks_histogram(p->sheet->model, l, what)) :
		       cell_without(STANDING_NONE);
}

static const struct column columns[] = {
	{ "kind", NULL, "blocking: sleeps in the kernel; holding: slices of 1 ms or more; starving: makes others wait; queue: more are ready than run; ipc: few instructions per cycle; moves: from thread to thread; probes: its probes took much of its running time; running: it took most of the CPU time; request: it asked for what a flight recorder wrote, at the end of the time",
	  KIND_WORD, .shown = SHOWN, .words = kinds, MEMBER(struct model_finding, kind) },
	{ "text", NULL, "the finding", KIND_TEXT, .shown = SHOWN,
	  MEMBER(struct model_finding, text) },
	{ "label", NULL, "the label it is about", KIND_ROW, .shown = SHOWN, .refers = "labels",
	  MEMBER(struct model_finding, label) },
	{ "longest", NULL, "length of the longest case: for running, holding and starving, of a slice; for blocking, of the sleep in a slice; for queue, of a wait. Running comes first, and the other findings are in the order of this column; none: it takes no time from others", KIND_NS,
	  SUMS_MAX, .unsure = true, .shown = SHOWN, .get = get_longest,
	  MEMBER(struct model_finding, longest_ns) },
	{ "coroutine", NULL, "the coroutine of the worst case", KIND_ROW, .refers = "coroutines",
	  MEMBER(struct model_finding, coroutine) },
	{ "thread", NULL, "the thread of that case", KIND_ROW, .refers = "threads",
	  MEMBER(struct model_finding, channel) },
	{ "begin", NULL, "when that began", KIND_TIME, SUMS_MIN, .unsure = true, .get = get_moment,
	  MEMBER(struct model_finding, begin_ns) },
	{ "end", NULL, "when it ended", KIND_TIME, SUMS_MAX, .unsure = true, .get = get_moment,
	  MEMBER(struct model_finding, end_ns) },
};

const struct table table_findings = {
	.name = "findings", .title = "findings: worth a look", COLUMNS(columns),
	ROWS(FINDINGS), WHOLE(OWN),
};
