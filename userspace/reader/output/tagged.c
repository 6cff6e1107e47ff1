// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the coroutines that fit conditions on tags, by a first reading of the recording, so that
 * the second adds up spans and samples of these alone.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/warn.h"
#include "output/tagged.h"
#include "output/where.h"
#include "tables/table.h"

static struct view_options only_tags(const struct view_options *view)
{
	struct view_options tags = { 0 };

	for (uint32_t i = 0; i < view->nr_wheres; i++)
		if (where_is_tag(view->wheres[i]))
			tags.wheres[tags.nr_wheres++] = view->wheres[i];
	return tags;
}

bool tagged_asked(const struct view_options *view)
{
	return only_tags(view).nr_wheres;
}

static int index_tagged_coroutines(struct index *ids, const struct model *m,
				   const struct view_options *tags)
{
	struct conditions conditions;
	struct sheet sheet;
	int ret = 0;

	if (sheet_open(&sheet, table_named("coroutines"), m))
		return -1;
	conditions_open(&conditions, tags, &sheet);
	for (uint32_t row = 0; row < sheet.rows && !ret; row++)
		if (conditions_fit(&conditions, row) &&
		    !index_put(ids, m->coroutines[row].id, m->coroutines[row].process, 0))
			ret = -1;
	conditions_close(&conditions);
	sheet_close(&sheet);
	return ret;
}

int tagged_find(struct index *ids, struct file *file, const struct model_options *options,
		const struct view_options *view, struct error *err)
{
	const struct view_options tags = only_tags(view);
	const struct index none = { 0 };
	struct model_options first = *options;
	struct model *m;
	int ret;

	first.selected = &none;
	first.selected_slices = false;
	first.no_timeline = true;
	first.no_symbols = true;
	/* A tag is reported at birth, which may be before the part that is asked for. */
	first.from_ns = first.to_ns = 0;
	ret = model_load(&m, file, &first, err);
	if (ret)
		return ret;
	if (index_tagged_coroutines(ids, m, &tags))
		ret = error_set(err, ENOMEM,
				"out of memory while looking for coroutines by their tags");
	else if (m->nr_folded_coroutines)
		warn("%sspans and samples of %" PRIu64 " coroutines are left out: there was no room to list them with their tags",
		     options->selected_slices ? "slices, " : "", m->nr_folded_coroutines);
	model_free(m);
	return ret;
}

void tagged_report_unknown(const struct index *ids, const struct model *m,
			   const struct view_options *view)
{
	const struct table *coroutines = table_named("coroutines");
	uint32_t nr = 0;

	if (view->table && table_named(view->table) != coroutines)
		return;
	for (uint32_t i = 0; i < m->nr_coroutines; i++)
		nr += !(m->coroutines[i].flags & MODEL_COROUTINE_BORN) &&
		      index_get(ids, m->coroutines[i].id, m->coroutines[i].process) != INDEX_NONE;
	if (nr)
		warn("table coroutines is without %" PRIu32 " that fit%s: a coroutine's tag is recorded when it begins, which was before --from; read all of it to see them there",
		     nr, nr == 1 ? "s" : "");
}
