// SPDX-License-Identifier: GPL-2.0
/*
 * The header of the text output: a line or more for each thing that a reader must know before any
 * figure. Exports take it apart (output/export/notes.c).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "cprof/format.h"
#include "tables/figure.h"
#include "tables/summary.h"
#include "events/events.h"
#include "output/unreported.h"
#include "output/text/text.h"

/* Text of any length is shown up to here. */
#define WIDTH	200
/* So many threads that were not checked, or not recorded, have a line. */
#define TEXT_FAULTS	20
#define BRIEF_FAULTS	3
/* So many findings are in the digest. */
#define BRIEF_FINDINGS	3

static void line(FILE *file, const char *title)
{
	fprintf(file, "%-*s ", TEXT_TITLE, title);
}

static const char *or_unknown(const char *text)
{
	return text && *text ? text : "n/a";
}

static void write_dumped(const struct model *m, FILE *file)
{
	if (!m->dumped)
		return;
	line(file, "written");
	fprintf(file, "because of %.*s\n", CPROF_NOTE_MAX, m->dumped);
}

static void write_summary(const struct model *m, FILE *file)
{
	char summary[SUMMARY_SIZE];

	summary_write(m, summary);
	line(file, "summary");
	fprintf(file, "%s\n", summary);
}

static void write_command(const struct model *m, FILE *file)
{
	line(file, TEXT_COMMAND);
	fprintf(file, "%.*s\n", WIDTH, or_unknown(m->command));
}

static void write_machine(const struct model *m, FILE *file)
{
	char cpus[FIGURE_SIZE];

	figure_cpus(cpus, m->cpus);
	line(file, "host");
	fprintf(file, "%s, kernel %s, %s, %s\n",
		m->host && *m->host ? m->host : "without a name",
		or_unknown(m->kernel), or_unknown(m->arch), cpus);
}

static void write_end(const struct model *m, FILE *file)
{
	int status = m->exit_status;

	if (!m->ended)
		fputs("; not ended in order", file);
	else if (status != -1 && WIFEXITED(status))
		fprintf(file, "; exit status %d", WEXITSTATUS(status));
	else if (status != -1 && WIFSIGNALED(status))
		fprintf(file, "; killed by signal %d", WTERMSIG(status));
}

/* When, for how long, and how it ended; the line goes on. */
static void begin_time(const struct model *m, FILE *file)
{
	char length[FIGURE_SIZE], when[64];
	time_t begin = (time_t)((int64_t)(m->begin_ns / 1000000000) +
				m->realtime_offset_ns / 1000000000);
	struct tm tm;

	line(file, "recorded");
	if (m->realtime_known && m->begin_ns && gmtime_r(&begin, &tm) &&
	    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC, ", &tm))
		fputs(when, file);
	figure_cell(length, KIND_NS, (struct cell){
		.standing = standing_seen(!m->ended),
		.number = m->end_ns - m->from_ns,
	});
	fputs(m->begin_ns ? length : "nothing", file);
	write_end(m, file);
}

static void write_time(const struct model *m, FILE *file)
{
	begin_time(m, file);
	fputc('\n', file);
}

static void write_note(const struct model *m, FILE *file)
{
	if (!m->note)
		return;
	line(file, "note");
	fprintf(file, "%.*s\n", CPROF_NOTE_MAX, m->note);
}

static void write_simulated(const struct model *m, FILE *file)
{
	if (!m->simulated)
		return;
	line(file, "SIMULATED");
	fprintf(file, "the counts come from a simulated PMU (%s) and say nothing about any hardware\n",
		m->simulated);
}

static void write_missing(const struct model *m, FILE *file)
{
	if (!m->missing)
		return;
	line(file, "MISSING");
	fprintf(file, "%s\n", m->missing);
}

static void write_nothing(const struct model *m, FILE *file)
{
	if (!m->nothing)
		return;
	line(file, "NOTHING");
	fprintf(file, "%s\n", m->nothing);
	line(file, "");
	fprintf(file, "%s\n", m->remedy);
}

static void write_error(const struct model_counter *c, FILE *file)
{
	if (c->error_text)
		fprintf(file, ": %s", c->error_text);
	else if (c->error)
		fprintf(file, ": error %d", c->error);
	if (c->failed && c->failed < c->channels)
		fprintf(file, " (on %" PRIu32 " of %" PRIu32 " threads)",
			c->failed, c->channels);
}

static void write_standing(const struct model_counter *c, struct model_value v,
			   FILE *file)
{
	char share[FIGURE_SIZE];
	/* What nothing was missing of. */
	bool shared = v.shared && v.share >= 1;

	figure_share(share, v.share);
	if (!v.present && c->channels && c->failed == c->channels)
		fputs("unsupported", file);
	else if (!v.present && v.shared)
		fputs("n/a where slices are cut: no shares by --exact", file);
	else if (v.at_least)
		fprintf(file, "at least: counted in %s of the running time", share);
	else if (shared)
		fputs("counted, and shared by time in slices that are cut", file);
	else
		fputs(v.present ? standing_name(model_value_standing(v)) :
				  "n/a, nothing ran", file);
	if (v.present && v.standing == COROPROF_STANDING_SCALED && !v.at_least && !shared)
		fprintf(file, ": estimated from %s of the running time", share);
	if (c->failed)
		write_error(c, file);
	if (event_is_program(&c->counter))
		fputs(", the program's own", file);
	if (!c->in_session)
		fputs(" (not of the session: some threads count it by themselves)",
		      file);
}

/* So many processes have a line; the table of processes has all. */
#define REPORTED_LINES 4

static void write_reported_by(const struct model *m, FILE *file)
{
	uint32_t reported = 0;

	for (uint32_t i = 0; i < m->nr_processes; i++) {
		const struct model_process *p = &m->processes[i];

		if (!p->reported_by || reported++ >= REPORTED_LINES)
			continue;
		line(file, reported == 1 ? "reported by" : "");
		fprintf(file, "%s %" PRId32 ": %.*s\n", p->comm, p->pid, WIDTH, p->reported_by);
	}
	if (reported > REPORTED_LINES) {
		line(file, "");
		fprintf(file, "and %" PRIu32 " more, see the table of processes\n",
			reported - REPORTED_LINES);
	}
}

static void write_counters(const struct model *m, FILE *file)
{
	if (!m->nr_counters) {
		line(file, "counters");
		fputs("none\n", file);
	}
	for (uint32_t i = 0; i < m->nr_counters; i++) {
		line(file, i ? "" : "counters");
		fprintf(file, "%-20s ", m->counters[i].name);
		write_standing(&m->counters[i], model_total_value(m, i), file);
		fputc('\n', file);
	}
	if (m->dropped_counters) {
		line(file, "");
		fputs("and others, for which there is no column\n", file);
	}
}

/* What could not be read may have reported of more. */
static enum standing standing_of_lost(const struct model *m)
{
	return standing_seen(m->partial & MODEL_PARTIAL_LOSSES);
}

static const char *lost_mark(const struct model *m)
{
	return standing_mark(standing_of_lost(m));
}

static void write_lost(const struct model *m, FILE *file)
{
	uint64_t all = m->times.slices + m->lost;
	char share[FIGURE_SIZE];

	line(file, "slices");
	fprintf(file, "%" PRIu64, m->times.slices);
	if (m->times.nr_cut)
		fprintf(file, ", %" PRIu32 " of them cut at the edges of this part",
			m->times.nr_cut);
	fprintf(file, ", lost %s%" PRIu64, lost_mark(m), m->lost);
	if (m->lost && all) {
		figure_cell(share, KIND_SHARE, (struct cell){
			.standing = standing_combined(COMBINE_QUOTIENT, standing_of_lost(m), standing_of_lost(m)),
			.fraction = (double)m->lost / (double)all,
		});
		fprintf(file, " (%s): they are in no figure below", share);
	}
	fputc('\n', file);
}

static void write_unmeasured(const struct model *m, FILE *file)
{
	if (!m->unmeasured)
		return;
	line(file, "gaps");
	fprintf(file, "%s\n", m->unmeasured);
}

static void write_wakes(const struct model *m, FILE *file)
{
	if (!m->nr_dropped_wakes)
		return;
	line(file, "wakes");
	fprintf(file, "%" PRIu64 " are in no table of wakes, for there are too many different ones\n",
		m->nr_dropped_wakes);
}

static void write_unreported(const struct model *m, FILE *file)
{
	char *text;

	if (!m->unreported)
		return;
	text = unreported_text(m);
	line(file, "UNREPORTED");
	fprintf(file, "switches were not reported: %s\n", or_unknown(text));
	free(text);
}

/**
 * struct whole - what shares are of
 * @ns:       all of it
 * @standing: of that, and of its parts
 */
struct whole {
	uint64_t ns;
	enum standing standing;
};

static void write_share(FILE *file, const char *what, uint64_t ns, const struct whole *of)
{
	char share[FIGURE_SIZE];

	figure_cell(share, KIND_SHARE, (struct cell){
		.standing = standing_combined(COMBINE_QUOTIENT, of->standing, of->standing),
		.fraction = of->ns ? (double)ns / (double)of->ns : 0,
	});
	fprintf(file, "%s %s", what, share);
}

static void write_off_cpu(const struct model_times *t, const struct whole *all, FILE *file)
{
	write_share(file, ", preempted", t->preempted_ns, all);
	write_share(file, ", blocked", t->blocked_ns, all);
	write_share(file, ", idle", t->idle_ns, all);
}

static struct whole thread_time(const struct model *m)
{
	const struct model_times *t = &m->times;

	return (struct whole){
		t->running_ns + t->preempted_ns + t->blocked_ns + t->idle_ns,
		model_times_standing(t, model_lacks_slices(m)),
	};
}

static void write_thread_time(const struct model *m, FILE *file)
{
	const struct model_times *t = &m->times;
	const struct whole all = thread_time(m);
	uint64_t outside = 0;
	char text[FIGURE_SIZE];

	for (uint32_t i = 0; i < m->nr_channels; i++)
		outside += m->channels[i].outside_ns;
	if (!all.ns)
		return;
	figure_cell(text, KIND_NS, (struct cell){
		.standing = standing_seen(model_lacks_slices(m)), .number = all.ns,
	});
	line(file, "time");
	fprintf(file, "%s %s", text, m->some_labels ? "in slices of what is shown" : "of threads");
	if (model_lacks_shares(m, t)) {
		fputs("; running, preempted and blocked: n/a, slices are cut\n", file);
		return;
	}
	fputs(": ", file);
	write_share(file, "running", t->running_ns, &all);
	write_share(file, " (outside coroutines", outside, &all);
	fputc(')', file);
	write_off_cpu(t, &all, file);
	fputc('\n', file);
}

static void write_mode(const struct model_mode_row *row, FILE *file)
{
	if (row->mode == COROPROF_MODE_USER) {
		fputs(" from user mode", file);
		return;
	}
	fprintf(file, " by ioctl (%s", row->why);
	if (row->found)
		fprintf(file, "; %s", row->found);
	if (row->fix)
		fprintf(file, ": %s", row->fix);
	fputc(')', file);
}

static void write_modes(const struct model *m, FILE *file)
{
	if (!m->nr_modes)
		return;
	line(file, "switches");
	for (uint32_t i = 0; i < m->nr_modes; i++) {
		fprintf(file, "%s%" PRIu32 "%s", i ? ", " : "",
			m->modes[i].threads, i ? "" :
			m->modes[i].threads == 1 ? " thread" : " threads");
		write_mode(&m->modes[i], file);
	}
	fputc('\n', file);
}

static void write_spans(const struct model *m, FILE *file)
{
	if (!m->nr_span_calls && !m->lost_spans)
		return;
	line(file, "spans");
	fprintf(file, "%" PRIu64 ", lost %s%" PRIu64, m->nr_span_calls, lost_mark(m),
		m->lost_spans);
	if (m->dropped_spans)
		fprintf(file,
			"; %" PRIu64 " are in no figure, for there are too many different ones",
			m->dropped_spans);
	if (m->impossible_spans)
		fprintf(file, "; %" PRIu64 " IMPOSSIBLE: less than the spans in them",
			m->impossible_spans);
	fputc('\n', file);
}

static void write_rate(const struct model *m, FILE *file)
{
	fprintf(file, " of %s", or_unknown(m->sample_event));
	if (m->sample_period)
		fprintf(file, ", one each %" PRIu64, m->sample_period);
	else if (m->sample_frequency)
		fprintf(file, ", %" PRIu64 " a second of each thread's time on a CPU",
			m->sample_frequency);
	if (m->sample_stack_max)
		fprintf(file, ", with up to %" PRIu32 " callers",
			m->sample_stack_max);
}

/* Of the first thread that has one. */
static const char *sample_error(const struct model *m, bool clock)
{
	for (uint32_t i = 0; i < m->nr_channels; i++)
		if (m->channels[i].sample_error &&
		    m->channels[i].sample_clock == clock)
			return or_unknown(m->channels[i].sample_error_text);
	return "n/a";
}

static void write_samples(const struct model *m, FILE *file)
{
	line(file, "samples");
	if (!m->sampled) {
		fputs("n/a, none were to be taken\n", file);
		return;
	}
	if (m->unsampled && m->unsampled == m->nr_channels)
		fputs("n/a", file);
	else
		fprintf(file, "%" PRIu64, m->samples);
	write_rate(m, file);
	fprintf(file, "; lost %s%" PRIu64 ", throttled %s%" PRIu64 " times\n", lost_mark(m),
		m->lost_samples, lost_mark(m), m->throttled);
	if (m->lines_fault) {
		line(file, "");
		fprintf(file, "source lines: %s\n", m->lines_fault);
	}
	if (m->sample_note) {
		line(file, "");
		fprintf(file, "%s\n", m->sample_note);
	}
	if (m->unsampled) {
		line(file, "");
		fprintf(file, "none of %" PRIu32 " of %" PRIu32 " threads: %s\n",
			m->unsampled, m->nr_channels, sample_error(m, false));
	}
	if (m->clock_sampled) {
		line(file, "");
		fprintf(file, "of cpu-clock instead in %" PRIu32 " of %" PRIu32 " threads: %s\n",
			m->clock_sampled, m->nr_channels,
			sample_error(m, true));
	}
}

static void write_cost(const struct model_cost *cost, const char *what,
		       unsigned int mode, bool *said, FILE *file)
{
	bool user = mode == COROPROF_MODE_USER;

	if (cost->ns < 0)
		return;
	fprintf(file, "%s %.0f ns a %s %s", *said ? "," : "", cost->ns, what,
		user ? "from user mode" : "by ioctl");
	if (cost->instructions >= 0)
		fprintf(file, " (%.0f instructions%s)", cost->instructions,
			user ? " in user mode" : "");
	*said = true;
}

/* What is the same in any mode. */
static void write_single(const struct model_cost *cost, const char *of, bool *said, FILE *file)
{
	if (cost->ns < 0)
		return;
	fprintf(file, "%s %.0f ns %s", *said ? "," : "", cost->ns, of);
	*said = true;
}

static void write_naming(const struct model_cost *naming, bool *said, FILE *file)
{
	char ns[FIGURE_SIZE], count[FIGURE_SIZE];

	if (naming->ns < 0)
		return;
	figure_ns(ns, figure_whole(naming->ns));
	fprintf(file, "%s %s", *said ? "," : "", ns);
	if (naming->instructions >= 0) {
		figure_count(count, figure_whole(naming->instructions));
		fprintf(file, " (%s instructions)", count);
	}
	fputs(" to name coroutines and to enter user mode, shown as " MODEL_NAMING, file);
	*said = true;
}

static void write_unrecorded(const struct model *m, FILE *file)
{
	if (!m->unrecorded)
		return;
	line(file, "unrecorded");
	fprintf(file, "%s\n", m->unrecorded);
}

static void write_overhead(const struct model *m, FILE *file)
{
	char share[FIGURE_SIZE];
	bool said = false;

	line(file, "overhead");
	if (m->overhead_share < 0) {
		fputs("n/a\n", file);
		return;
	}
	figure_cell(share, KIND_SHARE, cell_overhead_share(m));
	fprintf(file, "%s of the time on a CPU%s:", share,
		m->overhead_at_least ? ", without what was not measured" : "");
	for (unsigned int mode = 0; mode < 2; mode++) {
		write_cost(&m->switch_cost[mode], "switch", mode, &said, file);
		write_cost(&m->span_cost[mode], "span", mode, &said, file);
		write_cost(&m->join_cost[mode], "thread", mode, &said, file);
	}
	write_single(&m->ring_cost, "more a thread that needs a new ring", &said, file);
	write_single(&m->birth_cost, "a coroutine that is born", &said, file);
	write_single(&m->probe_cost, "a probe", &said, file);
	write_single(&m->probe_birth_cost, "a coroutine that probes see born", &said, file);
	write_naming(&m->naming, &said, file);
	fputs("; not subtracted\n", file);
}

static void write_channel_fault(const struct model_channel *c, FILE *file)
{
	line(file, "");
	fprintf(file, "thread %" PRId32 " (%s): ", c->tid, c->comm);
	if (c->error)
		fprintf(file, "NOT RECORDED: %s\n",
			c->error_text ? c->error_text : "unknown error");
	else
		fprintf(file, "%s: %s\n", c->check == MODEL_FAILED ?
			"CHECK FAILED" : "not checked", c->check_text);
}

static bool is_wrong(const struct model_channel *c)
{
	return c->error || c->check == MODEL_FAILED;
}

/* What is wrong comes before what could not be checked. */
static void write_channel_faults(const struct model *m, bool unchecked, uint32_t most, FILE *file)
{
	uint32_t all = 0;

	for (unsigned int wrong = 2; wrong-- > !unchecked;)
		for (uint32_t i = 0; i < m->nr_channels; i++) {
			const struct model_channel *c = &m->channels[i];

			if (c->check != MODEL_CHECKED && is_wrong(c) == wrong && all++ < most)
				write_channel_fault(c, file);
		}
	if (all > most) {
		line(file, "");
		fprintf(file, "and %" PRIu32 " more: --table threads\n", all - most);
	}
}

static uint32_t count_checked(const struct model *m)
{
	uint32_t checked = 0;

	for (uint32_t i = 0; i < m->nr_channels; i++)
		checked += m->channels[i].check == MODEL_CHECKED;
	return checked;
}

static int compare_threads(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* A thread whose recording begins anew has one more, as when events are given to it. */
static uint32_t count_threads(const struct model *m)
{
	uint64_t *all = malloc(m->nr_channels * sizeof(*all));
	uint32_t nr = 0;

	if (!all)
		return m->nr_channels;
	for (uint32_t i = 0; i < m->nr_channels; i++)
		all[i] = (uint64_t)m->channels[i].process << 32 | (uint32_t)m->channels[i].tid;
	qsort(all, m->nr_channels, sizeof(*all), compare_threads);
	for (uint32_t i = 0; i < m->nr_channels; i++)
		nr += !i || all[i] != all[i - 1];
	free(all);
	return nr;
}

static void write_checks(const struct model *m, FILE *file)
{
	uint32_t checked = count_checked(m), threads;

	line(file, "threads");
	if (!m->nr_channels) {
		fputs("none\n", file);
		return;
	}
	threads = count_threads(m);
	fprintf(file, "%" PRIu32 " in %" PRIu32 " process%s", threads, m->nr_processes,
		m->nr_processes == 1 ? "" : "es");
	if (threads != m->nr_channels)
		fprintf(file, ", in %" PRIu32 " recordings", m->nr_channels);
	fprintf(file, "; checked %" PRIu32 ": their slices sum to the threads' own totals\n",
		checked);
	write_channel_faults(m, true, TEXT_FAULTS, file);
}

static void write_damage(const struct model *m, FILE *file)
{
	if (m->unread_bytes) {
		line(file, "NOT READ");
		fprintf(file,
			"%" PRIu64 " of %" PRIu64 " bytes, %.2g %%: figures are of the rest\n",
			m->unread_bytes, m->file_size,
			100.0 * (double)m->unread_bytes / (double)m->file_size);
	}
	if (m->unread_records) {
		line(file, "NOT READ");
		fprintf(file, "at least %" PRIu64 " record%s: malformed, or behind one that is; figures are of the rest\n",
			m->unread_records, m->unread_records == 1 ? "" : "s");
	}
	if (m->truncated) {
		line(file, "TORN");
		fprintf(file, "at byte %" PRIu64 " of %" PRIu64 ": %s; nothing after it was read\n",
			m->truncated_offset, m->file_size, m->truncated);
	}
	if (model_cut(m)) {
		line(file, "CUT");
		fprintf(file, "%s was not ended in order: " MODEL_CUT "\n",
			m->recordings > 1 ? "a recording of these" : "it");
	}
	for (uint32_t i = 0; i < m->nr_damage && i < 20; i++) {
		line(file, i ? "" : "DAMAGED");
		fprintf(file, "at byte %" PRIu64 ": %s\n", m->damage[i].offset,
			m->damage[i].text);
	}
	if (m->nr_damage_total > 20) {
		line(file, "");
		fprintf(file, "and %" PRIu64 " more\n", m->nr_damage_total - 20);
	}
}

/* The answer comes before all else: who compares wants to know what has changed. */
static void write_answers(const struct model *m, FILE *file)
{
	for (uint32_t i = 0; i < m->nr_answers && i < TEXT_ANSWERS; i++) {
		line(file, i ? "" : TEXT_CHANGED);
		fprintf(file, "%s\n", m->answers[i].text);
	}
	if (m->nr_answers > TEXT_ANSWERS) {
		line(file, "");
		fprintf(file, "and %" PRIu32 " more: --table answers\n",
			m->nr_answers - TEXT_ANSWERS);
	}
}

static void write_findings(const struct model *m, uint32_t most, FILE *file)
{
	for (uint32_t i = 0; i < m->nr_findings && i < most; i++) {
		line(file, i ? "" : TEXT_FINDINGS);
		fprintf(file, "%s\n", m->findings[i].text);
	}
	if (m->nr_findings > most) {
		line(file, "");
		fprintf(file, "and %" PRIu32 " more: --table findings\n", m->nr_findings - most);
	}
}

void text_write_header(const struct model *m, FILE *file)
{
	write_dumped(m, file);
	write_answers(m, file);
	write_summary(m, file);
	write_findings(m, m->nr_findings, file);
	write_command(m, file);
	write_machine(m, file);
	write_time(m, file);
	write_note(m, file);
	write_simulated(m, file);
	write_missing(m, file);
	write_damage(m, file);
	write_nothing(m, file);
	write_reported_by(m, file);
	write_counters(m, file);
	write_checks(m, file);
	write_modes(m, file);
	write_lost(m, file);
	write_unreported(m, file);
	write_unmeasured(m, file);
	write_wakes(m, file);
	write_spans(m, file);
	write_samples(m, file);
	write_thread_time(m, file);
	write_unrecorded(m, file);
	write_overhead(m, file);
}

/* ------------------------------------------------------------------------
 * the head of the digest: facts that hold have a word, one that does not has a line
 */

static void write_brief_time(const struct model *m, FILE *file)
{
	char cpus[FIGURE_SIZE];

	figure_cpus(cpus, m->cpus);
	begin_time(m, file);
	fprintf(file, "; Linux %s, %s, %s\n", or_unknown(m->kernel), or_unknown(m->arch), cpus);
}

/* Of those that are not checked the first says why. */
static void write_unchecked(const struct model *m, FILE *file)
{
	uint32_t all = 0, first = 0;

	for (uint32_t i = m->nr_channels; i--;)
		if (m->channels[i].check != MODEL_CHECKED && !is_wrong(&m->channels[i])) {
			first = i;
			all++;
		}
	if (all)
		fprintf(file, ", not checked in %" PRIu32 " (thread %" PRId32 ": %s)", all,
			m->channels[first].tid, m->channels[first].check_text);
}

static void write_sums(const struct model *m, FILE *file)
{
	uint32_t checked = count_checked(m);

	if (m->failed_checks)
		fprintf(file, "; SUMS BROKEN in %" PRIu32 " of %" PRIu32, m->failed_checks,
			m->nr_channels);
	else if (checked == m->nr_channels)
		fputs("; sums hold", file);
	else
		fprintf(file, "; sums hold in %" PRIu32 " of %" PRIu32, checked, m->nr_channels);
	write_unchecked(m, file);
}

static void write_brief_threads(const struct model *m, FILE *file)
{
	const struct whole all = thread_time(m);
	char share[FIGURE_SIZE];

	line(file, "threads");
	if (!m->nr_channels) {
		fputs("none\n", file);
		return;
	}
	fprintf(file, "%" PRIu32, count_threads(m));
	if (all.ns && model_lacks_shares(m, &m->times)) {
		fputs("; running, preempted and blocked: n/a, slices are cut", file);
	} else if (all.ns) {
		write_share(file, m->some_labels ? "; slices of what is shown: running" : ": running",
			    m->times.running_ns, &all);
		write_off_cpu(&m->times, &all, file);
	}
	write_sums(m, file);
	figure_cell(share, KIND_SHARE, cell_overhead_share(m));
	fprintf(file, ", lost %s%" PRIu64 ", overhead %s\n", lost_mark(m), m->lost, share);
}

static bool is_counted(const struct model *m, uint32_t i)
{
	struct model_value v = model_total_value(m, i);

	return model_value_standing(v) == STANDING_COUNTED && !m->counters[i].failed &&
	       m->counters[i].in_session &&
	       !event_is_program(&m->counters[i].counter);
}

static char *standing_text(const struct model *m, uint32_t i)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	write_standing(&m->counters[i], model_total_value(m, i), file);
	fclose(file);
	return text;
}

/* The first counter from @from on of which the same is to be said, or their number. */
static uint32_t next_alike(const struct model *m, uint32_t i, uint32_t from)
{
	char *own = standing_text(m, i), *other = NULL;

	for (; from < m->nr_counters; from++) {
		free(other);
		other = standing_text(m, from);
		if (own && other && !strcmp(own, other) && !is_counted(m, from))
			break;
	}
	free(other);
	free(own);
	return from;
}

static void write_brief_counters(const struct model *m, FILE *file)
{
	uint32_t counted = 0;

	line(file, "counters");
	if (!m->nr_counters)
		fputs("none", file);
	for (uint32_t i = 0; i < m->nr_counters; i++)
		if (is_counted(m, i))
			fprintf(file, "%s%s", counted++ ? ", " : "", m->counters[i].name);
	fputs(counted ? " counted" : "", file);
	for (uint32_t i = 0, said = counted; i < m->nr_counters; i++) {
		if (is_counted(m, i) || next_alike(m, i, 0) < i)
			continue;
		fprintf(file, "%s%s", said++ ? "; " : "", m->counters[i].name);
		for (uint32_t j = i; (j = next_alike(m, i, j + 1)) < m->nr_counters;)
			fprintf(file, ", %s", m->counters[j].name);
		fputc(' ', file);
		write_standing(&m->counters[i], model_total_value(m, i), file);
	}
	fputs(m->dropped_counters ? "; and others, for which there is no column\n" : "\n", file);
}

static bool all_from_user_mode(const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_modes; i++)
		if (m->modes[i].mode != COROPROF_MODE_USER)
			return false;
	return true;
}

void text_write_brief(const struct model *m, FILE *file)
{
	write_dumped(m, file);
	write_answers(m, file);
	write_command(m, file);
	write_brief_time(m, file);
	write_note(m, file);
	write_simulated(m, file);
	write_missing(m, file);
	write_damage(m, file);
	write_nothing(m, file);
	write_brief_threads(m, file);
	write_channel_faults(m, false, BRIEF_FAULTS, file);
	if (m->lost || m->times.nr_cut)
		write_lost(m, file);
	write_unreported(m, file);
	if (m->lost_spans || m->dropped_spans || m->impossible_spans)
		write_spans(m, file);
	if (m->lost_samples || m->unsampled || m->sample_note || m->clock_sampled || m->throttled ||
	    m->lines_fault)
		write_samples(m, file);
	if (!m->compared && !m->nr_slow_of)
		write_findings(m, BRIEF_FINDINGS, file);
}

void text_write_live(const struct model *m, FILE *file)
{
	write_brief_threads(m, file);
	write_simulated(m, file);
	write_damage(m, file);
	write_channel_faults(m, false, BRIEF_FAULTS, file);
	write_unreported(m, file);
}

void text_write_brief_end(const struct model *m, FILE *file)
{
	write_brief_counters(m, file);
	if (!all_from_user_mode(m))
		write_modes(m, file);
	write_wakes(m, file);
	write_unrecorded(m, file);
}
