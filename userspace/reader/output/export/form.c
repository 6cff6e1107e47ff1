// SPDX-License-Identifier: GPL-2.0
/*
 * The list of forms for other programs: name, ending of files, help, and the function that writes
 * it.
 */
#include <string.h>

#include "base/util.h"
#include "output/export/callgrind.h"
#include "output/export/chrome.h"
#include "output/export/firefox.h"
#include "output/export/form.h"
#include "output/export/openmetrics.h"
#include "output/export/perfetto.h"
#include "output/export/pprof.h"
#include "output/export/speedscope.h"
#include "output/export/sqlite.h"

static const struct form forms[] = {
	{ FORMAT_PPROF, "pprof", "go tool pprof",
	  { ".pb.gz", ".pprof" }, .write = pprof_write },
	{ FORMAT_PERFETTO, "perfetto", "ui.perfetto.dev",
	  { ".pftrace", ".perfetto-trace" }, .slices = true, .write = perfetto_write },
	{ FORMAT_SPEEDSCOPE, "speedscope", "speedscope.app",
	  { ".speedscope.json" }, .write = speedscope_write },
	{ FORMAT_CHROME, "chrome", "viewers of Chrome's trace events",
	  { ".trace.json" }, .slices = true, .write = chrome_write },
	{ FORMAT_FIREFOX, "firefox", "profiler.firefox.com",
	  { ".firefox.json" }, .slices = true, .write = firefox_write },
	{ FORMAT_CALLGRIND, "callgrind", "callgrind_annotate, KCachegrind",
	  { ".callgrind", "callgrind.out" }, .write = callgrind_write },
	{ FORMAT_OPENMETRICS, "openmetrics", "Prometheus, promtool",
	  { ".openmetrics", ".prom" }, .write = openmetrics_write },
	{ FORMAT_SQLITE_SLICES, "sqlite-slices", "sqlite3: all tables, and each slice",
	  { ".slices.db" }, .slices = true, .check = sqlite_check, .write = sqlite_write_slices },
	{ FORMAT_SQLITE, "sqlite", "sqlite3: all tables",
	  { ".db", ".sqlite" }, .check = sqlite_check, .write = sqlite_write },
};

static bool has_end(const struct form *form, const char *path)
{
	for (unsigned int i = 0; form->ends[i]; i++)
		if (ends_with(path, form->ends[i]))
			return true;
	return false;
}

const struct form *form_of_path(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (has_end(&forms[i], path))
			return &forms[i];
	return NULL;
}

const struct form *form_of_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	return NULL;
}

const struct form *form_of(enum format format)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].format == format)
			return &forms[i];
	return NULL;
}

unsigned int form_count(void)
{
	return ARRAY_SIZE(forms);
}

const struct form *form_at(unsigned int i)
{
	return &forms[i];
}

void form_names(char list[FORM_LIST])
{
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(forms) && used < FORM_LIST; i++)
		used += (size_t)snprintf(list + used, FORM_LIST - used, "%s%s", i ? ", " : "",
					 forms[i].name);
}

void form_ends(char list[FORM_LIST])
{
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(forms) && used < FORM_LIST; i++)
		used += (size_t)snprintf(list + used, FORM_LIST - used, "%s%s (%s)", i ? ", " : "",
					 forms[i].ends[0], forms[i].name);
}

void form_help(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		fprintf(out, "  %-18s%-15s%s\n", forms[i].ends[0], forms[i].name, forms[i].text);
}
