// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "report.h"

int report_open(struct report *report, const char *path)
{
	report->json = fopen(path, "we");
	if (!report->json)
		return -errno;
	report->separator = "{";
	return 0;
}

static void put_text(FILE *json, const char *text)
{
	putc('"', json);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', json);
		if ((unsigned char)*text < ' ')
			fprintf(json, "\\u%04x", *text);
		else
			putc(*text, json);
	}
	putc('"', json);
}

static void put_member(FILE *json, const char *name, const char *text)
{
	fprintf(json, ", \"%s\": ", name);
	put_text(json, text);
}

void report_line(struct report *report, const char *key, const char *unit, const char *how,
		 const struct result *result)
{
	FILE *json = report->json;

	fprintf(json, "%s\n  ", report->separator);
	put_text(json, key);
	if (result->measured)
		fprintf(json, ": {\"value\": %.3f", result->value);
	else
		fprintf(json, ": {\"value\": null");
	put_member(json, "unit", unit);
	put_member(json, "how", how);
	if (!result->measured)
		put_member(json, "reason", result->reason);
	putc('}', json);
	report->separator = ",";

	if (result->measured)
		printf("%-36s %12.2f  %s\n", key, result->value, how);
	else
		printf("%-36s %12s  %s\n", key, "n/a", result->reason);
	fflush(stdout);
}

int report_close(struct report *report)
{
	fputs("\n}\n", report->json);
	if (ferror(report->json)) {
		fclose(report->json);
		return -EIO;
	}
	return fclose(report->json) ? -errno : 0;
}
