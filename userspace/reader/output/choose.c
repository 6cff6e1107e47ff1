// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a recording for the rows that have the number, or the name, that is asked for. A label may
 * be named by the function that its coroutines run, which is known when all else is.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/printable.h"
#include "output/choose.h"
#include "profile/model.h"

static int out_of_memory(struct error *err)
{
	return error_set(err, ENOMEM, "out of memory while looking for threads and labels");
}

static bool fits_process(const struct choose *c, const struct model *m, uint32_t process)
{
	return !c->pid || (process != MODEL_NONE && m->processes[process].pid == c->pid);
}

static bool fits_channel(const struct choose *c, const struct model *m, uint32_t row)
{
	return fits_process(c, m, m->channels[row].process) &&
	       (!c->tid || m->channels[row].tid == c->tid);
}

/* As the program has named it, or as tables show that, where it has characters for a terminal. */
static bool is_called(const char *name, const char *text)
{
	char *shown = printable(name, strlen(name));
	bool is = !strcmp(name, text) || (shown && !strcmp(shown, text));

	free(shown);
	return is;
}

/* Labels over the limit have one row for all. */
static bool fits_label(const struct choose *c, const struct model *m, uint32_t row)
{
	const struct model_label *l = &m->labels[row];

	return l->kind != MODEL_LABEL_OTHER && l->kind != MODEL_LABEL_REST &&
	       fits_process(c, m, l->process) && is_called(l->name, c->label);
}

static int find_channels(struct choose_rows *rows, const struct choose *c, const struct model *m,
			 struct error *err)
{
	if (!c->tid && !c->pid)
		return 0;
	rows->channels = calloc((size_t)m->nr_channels + 1, sizeof(*rows->channels));
	if (!rows->channels)
		return out_of_memory(err);
	for (uint32_t i = 0; i < m->nr_channels; i++)
		if (fits_channel(c, m, i))
			rows->channels[rows->chosen.nr_channels++] = i;
	rows->chosen.channels = rows->channels;
	if (rows->chosen.nr_channels)
		return 0;
	if (c->tid)
		return error_set(err, ENOENT, "%s has no thread %" PRId32 "%s: its table threads (--table threads) lists those that were recorded",
				 m->path, c->tid, c->pid ? " in that process" : "");
	return error_set(err, ENOENT, "%s has no process %" PRId32 ": its table processes (--table processes) lists those that were recorded",
			 m->path, c->pid);
}

static int find_labels(struct choose_rows *rows, const struct choose *c, const struct model *m,
		       struct error *err)
{
	if (!c->label)
		return 0;
	rows->labels = calloc((size_t)m->nr_labels + 1, sizeof(*rows->labels));
	if (!rows->labels)
		return out_of_memory(err);
	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (fits_label(c, m, i))
			rows->labels[rows->chosen.nr_labels++] = (struct model_chosen_label){
				m->labels[i].process, m->labels[i].number,
				m->labels[i].kind == MODEL_LABEL_THREAD,
			};
	rows->chosen.labels = rows->labels;
	if (rows->chosen.nr_labels)
		return 0;
	return error_set(err, ENOENT, "%s has no label '%s'%s: its table labels (--table labels) lists those that were recorded, by the names to give here",
			 m->path, c->label, c->pid ? " in that process" : "");
}

int choose_find(struct choose_rows *rows, const struct choose *c, struct file *file,
		const struct model_options *options, struct error *err)
{
	struct model_options first = *options;
	struct model *m;
	int ret;

	*rows = (struct choose_rows){ 0 };
	first.no_timeline = true;
	first.no_symbols = !c->label;
	first.no_inline = true;
	/* What can be named does not depend on the part that is asked for. */
	first.from_ns = first.to_ns = 0;
	ret = model_load(&m, file, &first, err);
	if (ret)
		return ret;
	if (m->totals)
		ret = error_set(err, EINVAL, "%s is a recording of totals, in which no slice says where it ran: leave --thread, --process and --label out",
				m->path);
	if (!ret)
		ret = find_channels(rows, c, m, err);
	if (!ret)
		ret = find_labels(rows, c, m, err);
	if (!ret) {
		rows->chosen.text = rows->text = chosen_text(c->label, c->tid, c->pid);
		ret = rows->text ? 0 : out_of_memory(err);
	}
	if (ret)
		choose_free(rows);
	model_free(m);
	return ret;
}

void choose_free(struct choose_rows *rows)
{
	free(rows->channels);
	free(rows->labels);
	free(rows->text);
	*rows = (struct choose_rows){ 0 };
}
