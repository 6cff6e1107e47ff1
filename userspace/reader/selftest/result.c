// SPDX-License-Identifier: GPL-2.0
/* Collects verdicts, counts them, and prints them. */
#include <stdarg.h>
#include <string.h>

#include "selftest/result.h"

static const char *const words[] = {
	[VERDICT_RIGHT] = "right",
	[VERDICT_WRONG] = "WRONG",
	[VERDICT_NONE] = "n/a",
	[VERDICT_FIGURE] = "",
};

void result_add(struct results *r, const char *how, const char *check,
		enum verdict verdict, const char *format, ...)
{
	struct result *row;
	va_list args;

	if (r->nr == RESULTS_MAX)
		return;
	row = &r->row[r->nr++];
	*row = (struct result){ .how = how, .check = check, .verdict = verdict };
	va_start(args, format);
	vsnprintf(row->text, sizeof(row->text), format, args);
	va_end(args);
	/* A line is a check. */
	for (char *c = row->text; (c = strchr(c, '\n')); c++)
		*c = ' ';
}

unsigned int results_count(const struct results *r, enum verdict verdict)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < r->nr; i++)
		n += r->row[i].verdict == verdict;
	return n;
}

void results_print(const struct results *r, FILE *out)
{
	for (unsigned int i = 0; i < r->nr; i++)
		fprintf(out, "%-22s %-29s %-5s  %s\n", r->row[i].how, r->row[i].check,
			words[r->row[i].verdict], r->row[i].text);
}
