// SPDX-License-Identifier: GPL-2.0
/*
 * From files to outputs: loads and combines recordings, compares them where that is asked for,
 * makes findings, warns of what lacks, and writes each output in its form.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/replace.h"
#include "base/util.h"
#include "base/warn.h"
#include "cprof/file.h"
#include "diff/diff.h"
#include "output/csv.h"
#include "output/export.h"
#include "output/export/form.h"
#include "output/export/slices.h"
#include "output/folded.h"
#include "output/gzip.h"
#include "output/html/html.h"
#include "output/json.h"
#include "output/unreported.h"
#include "output/nameless.h"
#include "output/output.h"
#include "output/progress.h"
#include "output/tagged.h"
#include "output/text/text.h"
#include "profile/model.h"
#include "tables/derived.h"
#include "tables/metric.h"

/* @choose: whose slices are wanted; @tags: whose spans and samples are; or NULL */
static int load_one(struct model **model, const char *path,
		    const struct model_options *options, const struct choose *choose,
		    const struct view_options *tags, struct error *err)
{
	struct model_options all = *options;
	struct choose_rows rows = { 0 };
	struct index only = { 0 };
	struct file *file;
	int ret = file_open(&file, path, err);

	if (ret)
		return ret;
	progress_begin(options->context);
	if (choose_asks(choose)) {
		ret = choose_find(&rows, choose, file, options, err);
		all.chosen = &rows.chosen;
	}
	if (!ret && tags) {
		ret = tagged_find(&only, file, options, tags, err);
		all.selected = &only;
	}
	if (!ret)
		ret = model_load(model, file, &all, err);
	progress_end(options->context);
	if (!ret && tags && !options->selected_slices)
		tagged_report_unknown(&only, *model, tags);
	index_free(&only);
	choose_free(&rows);
	file_close(file);
	return ret;
}

/*
 * @slices: of the timelines of all recordings together, which share spans and samples, too.
 * @tags: as of load_one()
 */
static int load(struct model **model, const struct source *source,
		bool timeline, uint32_t slices, const struct view_options *tags, struct error *err)
{
	struct progress progress;
	const struct model_options options = {
		.no_timeline = !timeline,
		.squares = source->nr_old,
		/* What is compared are labels as well. */
		.selected_slices = source->nr_old && tags,
		.timeline_slices = slices / source->nr,
		.timeline_spans = MODEL_TIMELINE_SPANS / source->nr,
		.timeline_samples = MODEL_TIMELINE_SAMPLES / source->nr,
		.from_ns = source->from_ns,
		.to_ns = source->to_ns,
		.exact = source->exact,
		.no_inline = source->no_inline,
		.progress = progress_show,
		.context = &progress,
	};
	int ret = load_one(model, source->paths[0], &options, &source->choose, tags, err);

	for (unsigned int i = 1; !ret && i < source->nr; i++) {
		struct model *next;

		ret = load_one(&next, source->paths[i], &options, &source->choose, tags, err);
		if (!ret)
			ret = model_combine(*model, next, err);
		if (ret)
			model_free(*model);
	}
	if (!ret && derived_make(*model)) {
		model_free(*model);
		ret = error_set(err, ENOMEM,
				"out of memory while looking for what is worth a look");
	}
	return ret;
}

static int load_old(struct model **old, const struct source *source,
		    const struct view_options *tags, struct error *err)
{
	struct source alone = {
		.nr = source->nr_old,
		.from_ns = source->from_ns, .to_ns = source->to_ns, .no_inline = source->no_inline,
		/* Where it is compared, the new one is with it, and both need the same figures. */
		.nr_old = source->nr_old,
	};

	memcpy(alone.paths, source->old, sizeof(alone.paths));

	return load(old, &alone, false, 0, tags, err);
}

/* Reads the recording once or twice more. */
static int find_slow(struct model *model, const struct source *source, struct error *err)
{
	struct progress progress;
	const struct model_options options = {
		.from_ns = source->from_ns,
		.to_ns = source->to_ns,
		.no_inline = source->no_inline,
		.progress = progress_show,
		.context = &progress,
	};
	int ret;

	if (!source->slow.text)
		return 0;
	progress_begin(&progress);
	ret = slow_find(model, source->paths[0], &source->slow, &options, err);
	progress_end(&progress);
	return ret;
}

static unsigned int count(const struct output *outputs, unsigned int nr,
			  enum format format)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nr; i++)
		n += outputs[i].format == format;
	return n;
}

/* It takes time and memory. */
static bool wants_timeline(const struct output *outputs, unsigned int nr,
			   const struct view_options *view)
{
	if (view->table && table_named(view->table) &&
	    table_is_timeline(table_named(view->table)))
		return true;
	return count(outputs, nr, FORMAT_HTML);
}

static int write_form(const struct model *model, enum format format,
		      const struct view_options *view, FILE *file)
{
	const struct form *form = form_of(format);

	if (form)
		return form->write(model, file);
	switch (format) {
	case FORMAT_HTML:
		return html_write(model, file);
	case FORMAT_FOLDED:
		return folded_write(model, view->weight, file);
	case FORMAT_CSV:
		return csv_write(model, view, file);
	case FORMAT_JSON:
		return json_tables_write(model, view, file);
	default:
		return text_write(model, view, file);
	}
}

/* Compressed, if its name asks for that. */
static int write_named(const struct model *model, const struct output *output,
		       const struct view_options *view, FILE *file)
{
	FILE *packed;
	int ret;

	if (output->format == FORMAT_PPROF || !ends_with(output->path, GZIP_END))
		return write_form(model, output->format, view, file);
	packed = gzip_open(file);
	if (!packed)
		return -1;
	ret = write_form(model, output->format, view, packed);
	return fclose(packed) ? -1 : ret;
}

/* A reader that has seen enough, such as head(1), is no error. */
static int finish_stdout(int ret, struct error *err)
{
	if (!fflush(stdout) && !ferror(stdout) && !ret)
		return 0;
	if (errno == EPIPE)
		return 0;
	return error_errno(err, "can't write to standard output");
}

static int write_file(const struct model *model, const struct output *output,
		      const struct view_options *view, struct error *err)
{
	/* Who reads a file can scroll. */
	struct view_options whole = *view;
	struct replacement file;
	int ret = replacement_open(&file, output->path, err);

	if (ret)
		return ret;
	whole.digest = false;
	errno = 0;
	if (!write_named(model, output, &whole, file.file))
		return replacement_commit(&file, output->sync, err);
	ret = error_errno(err, "can't write %s", output->path);
	replacement_cancel(&file);
	return ret;
}

/* Whether there is what is asked for: columns, a weight, a library. */
static int check_columns(const struct model *model, const struct output *output,
			 const struct view_options *view, struct error *err)
{
	const struct table *one = view->table ? table_named(view->table) : NULL;
	const struct form *form = form_of(output->format);

	if (model->totals && output->format != FORMAT_TEXT && output->format != FORMAT_CSV &&
	    output->format != FORMAT_JSON)
		return error_set(err, EINVAL, "%s is not written: it is of slices, and %s is a recording of totals, which has none: write tables, .txt, .csv or .json",
				 output->path, model->path);
	if (form && form->check)
		return form->check(err);
	switch (output->format) {
	case FORMAT_FOLDED:
		return folded_check(model, view->weight, err);
	case FORMAT_TEXT:
		return text_check(model, view, err);
	case FORMAT_CSV:
		one = one ? one : export_table(model);
		/* fall through */
	case FORMAT_JSON:
		return export_check(model, view, one ? &one : tables, one ? 1 : nr_tables, err);
	default:
		return 0;
	}
}

static int write_output(const struct model *model, const struct output *output,
			const struct view_options *view, struct error *err)
{
	if (check_columns(model, output, view, err))
		return -err->code;
	if (strcmp(output->path, "-"))
		return write_file(model, output, view, err);
	return finish_stdout(write_form(model, output->format, view, stdout), err);
}

/* In the outputs it is said as well, but who looks at a page in a script? */
static bool report_damage(const struct model *m)
{
	if (m->truncated)
		warn("%s is torn at byte %" PRIu64 " of %" PRIu64 ": %s",
		     m->path, m->truncated_offset, m->file_size, m->truncated);
	if (model_cut(m))
		warn("%s%s was not ended in order: " MODEL_CUT,
		     m->recordings > 1 ? "a recording of " : "", m->path);
	if (m->nr_damage)
		warn("%s is damaged in %" PRIu64 " place%s, the first at byte %" PRIu64 ": %s",
		     m->path, m->nr_damage_total,
		     m->nr_damage_total == 1 ? "" : "s", m->damage[0].offset,
		     m->damage[0].text);
	if (m->unread_bytes)
		warn("%" PRIu64 " of %" PRIu64
		     " bytes of it were not read; figures are of the rest",
		     m->unread_bytes, m->file_size);
	if (m->unread_records)
		warn("at least %" PRIu64 " record%s of it %s not read; figures are of the rest",
		     m->unread_records, m->unread_records == 1 ? "" : "s",
		     m->unread_records == 1 ? "was" : "were");
	return m->truncated || m->nr_damage || model_cut(m);
}

static void report_unreported(const struct model *m)
{
	char *text;

	if (!m->unreported)
		return;
	text = unreported_text(m);
	warn("%s: the program switched coroutines in ways that were not reported: %s",
	     m->path, text ? text : "n/a");
	free(text);
}

/* Of a form that has no place to say so. */
static void report_simulated(const struct model *m, const struct output *outputs, unsigned int nr)
{
	if (m->simulated && (count(outputs, nr, FORMAT_CSV) || count(outputs, nr, FORMAT_FOLDED)))
		warn("%s: the counts come from a simulated PMU (%s) and say nothing about any hardware; csv and folded stacks have no place for that",
		     m->path, m->simulated);
}

/* Likewise: how many slices are cut is a line of all other forms. */
static void report_shared(const struct model *m, const struct output *outputs, unsigned int nr)
{
	if (m->times.nr_cut && count(outputs, nr, FORMAT_FOLDED))
		warn("%s: %" PRIu32 " of %" PRIu64 " slices are cut at the edges of this part, and what they counted is shared by time; folded stacks have no place for that",
		     m->path, m->times.nr_cut, m->times.slices);
}

/* What makes figures differ though the program is the same. */
static void report_metadata(const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_metadata; i++) {
		const struct model_metadata *f = &m->metadata[i];

		if (f->matters && model_metadata_differs(f))
			warn("the recordings differ in %s: %.300s, now %.300s; coroprof can't distinguish what follows from that from a change of the program",
			     f->name, f->text[MODEL_OLD] ? f->text[MODEL_OLD] : "n/a",
			     f->text[MODEL_NEW] ? f->text[MODEL_NEW] : "n/a");
	}
}

static void report_gate(const char *text)
{
	warn("%s", text);
}

/* @report: what is to be warned of has not been reported yet */
static int compare(struct model *model, const struct source *source,
		   const struct view_options *tags, bool report, struct outcome *outcome,
		   struct error *err)
{
	struct model *old;
	int ret = load_old(&old, source, tags, err);

	if (ret)
		return ret;
	if (report) {
		outcome->damaged |= report_damage(old);
		report_unreported(old);
	}
	old->metrics = model->metrics;
	old->nr_metrics = model->nr_metrics;
	ret = diff_models(model, old, source->gates, source->nr_gates, err);
	model_free(old);
	if (!ret && report)
		report_metadata(model);
	return ret;
}

static void check_gates(const struct model *model, const struct source *source,
			struct outcome *outcome, struct error *first)
{
	struct error err;

	for (unsigned int i = 0; i < source->nr_gates; i++)
		if (gate_check(&source->gates[i], model, &outcome->met, report_gate, &err) &&
		    !first->code)
			*first = err;
	if (source->nr_gates)
		outcome->unpaired |= !gate_paired(model, report_gate);
}

/* An empty file would look as if nothing had run. */
static int check_samples(const struct model *m, const struct output *output,
			 const struct view_options *view, struct error *err)
{
	if (output->format != FORMAT_FOLDED || view->weight || m->samples)
		return 0;
	return error_set(err, ENODATA, m->sampled ?
			 "%s is not written: no sample was taken, see the table" :
			 "%s is not written: the recording has no samples, record with --frequency, such as -F 997, or choose another weight, such as --weight running",
			 output->path);
}

static void report_cut(const struct model *m)
{
	char said[SLICES_SAID];

	if (slices_cut(m, said))
		warn("%s: %s", m->path, said);
}

/*
 * What outputs are of: exports of single slices, for they need a larger model; tables of which
 * some coroutines are asked for; or all others.
 */
enum content { OF_OTHERS, OF_SLICES, OF_TAGGED, OF_NR };

static enum content content_of(const struct output *output, const struct view_options *view)
{
	const struct form *form = form_of(output->format);

	if (form && form->slices)
		return OF_SLICES;
	if (form || output->format == FORMAT_HTML || output->format == FORMAT_FOLDED)
		return OF_OTHERS;
	return tagged_asked(view) ? OF_TAGGED : OF_OTHERS;
}

static bool is_wanted(const struct output *output, const struct view_options *view, enum content of)
{
	return output->format != FORMAT_CPROF && content_of(output, view) == of;
}

static void write_wanted(const struct model *model, const struct output *outputs,
			 unsigned int nr, const struct view_options *view, enum content of,
			 struct error *first)
{
	struct error err = ERROR_NONE;

	for (unsigned int i = 0; i < nr; i++)
		if (is_wanted(&outputs[i], view, of) &&
		    (check_samples(model, &outputs[i], view, &err) ||
		     write_output(model, &outputs[i], view, &err)) && !first->code)
			*first = err;
}

static unsigned int count_wanted(const struct output *outputs, unsigned int nr,
				 const struct view_options *view, enum content of)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nr; i++)
		n += is_wanted(&outputs[i], view, of);
	return n;
}

/* Fails if there are none of which they could be made. */
static int take_metrics(struct model *model, const struct view_options *view, struct error *err)
{
	model->metrics = view->metrics;
	model->nr_metrics = view->nr_metrics;
	return metrics_check(model, err);
}

/* An output takes the place of what has its name, and what is read must stay. */
static int check_inputs(const struct source *source, const struct output *outputs,
			unsigned int nr, struct error *err)
{
	for (unsigned int i = 0; i < nr; i++) {
		const char *path = outputs[i].path;
		const char *input = NULL;

		if (outputs[i].format == FORMAT_CPROF)
			continue;
		for (unsigned int n = 0; !input && n < source->nr_old; n++)
			if (same_file(path, source->old[n]))
				input = source->old[n];
		for (unsigned int n = 0; !input && n < source->nr; n++)
			if (same_file(path, source->paths[n]))
				input = source->paths[n];
		if (input)
			return error_set(err, EINVAL, "output '%s' is the file of the recording %s, by another name or by a link, and would take its place: choose another name",
					 path, input);
	}
	return 0;
}

int output_all(const struct source *source, const struct output *outputs, unsigned int nr,
	       const struct view_options *view, struct outcome *outcome, struct error *err)
{
	struct error first = ERROR_NONE;
	struct model *model;
	bool reported = false;
	int ret;

	*outcome = (struct outcome){ 0 };
	ret = check_inputs(source, outputs, nr, err);
	if (ret)
		return ret;
	/* None, if the recording alone was asked for, and is there. */
	for (enum content of = 0; of < OF_NR; of++) {
		const struct view_options *tags = of == OF_TAGGED ? view : NULL;
		bool slices = of == OF_SLICES;

		if (!count_wanted(outputs, nr, view, of))
			continue;
		ret = load(&model, source, slices || wants_timeline(outputs, nr, view),
			   slices ? SLICES_MAX : MODEL_TIMELINE_SLICES, tags, err);
		if (!ret && take_metrics(model, view, err)) {
			model_free(model);
			ret = -EINVAL;
		}
		if (ret)
			return ret;
		if (!reported) {
			outcome->damaged = report_damage(model);
			report_unreported(model);
			nameless_report(model);
			report_simulated(model, outputs, nr);
			report_shared(model, outputs, nr);
		}
		if ((source->nr_old && compare(model, source, tags, !reported, outcome, err)) ||
		    find_slow(model, source, err)) {
			model_free(model);
			return -err->code;
		}
		/* Beside tables of some coroutines, a page is of all. */
		if (tags || !tagged_asked(view))
			check_gates(model, source, outcome, &first);
		if (slices)
			report_cut(model);
		reported = true;
		write_wanted(model, outputs, nr, view, of, &first);
		model_free(model);
	}
	*err = first;
	return -first.code;
}

int output_table(const char *path, const struct view_options *view, FILE *file, struct error *err)
{
	const struct source source = { .paths = { path }, .nr = 1 };
	struct model *model;
	int ret;

	ret = load(&model, &source, wants_timeline(NULL, 0, view),
		   MODEL_TIMELINE_SLICES, tagged_asked(view) ? view : NULL, err);
	if (ret)
		return ret;
	ret = take_metrics(model, view, err);
	if (!ret)
		ret = text_check(model, view, err);
	if (!ret && text_write(model, view, file))
		ret = error_errno(err, "can't write the table");
	model_free(model);
	return ret;
}
