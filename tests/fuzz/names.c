// SPDX-License-Identifier: GPL-2.0
/*
 * Names, from any bytes: of events, of functions, and what is shown of any. The first byte says
 * which.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "events/events.h"
#include "symbols/entry.h"

static void want(bool what)
{
	if (!what)
		abort();
}

static void event(const char *text)
{
	struct event events[COROPROF_COUNTERS_MAX];
	struct error err = ERROR_NONE;
	unsigned int nr = 0;

	events_pmu_root = FUZZ "/pmu";
	if (events_parse(events, &nr, text, &err)) {
		want(err.code > 0 && err.message[0]);
		return;
	}
	/* Of times alone there is none. */
	want((nr || strstr(text, "tsc")) && nr <= COROPROF_COUNTERS_MAX);
	for (unsigned int i = 0; i < nr; i++)
		want(memchr(events[i].name, '\0', EVENT_NAME_MAX));
}

static void function(const char *text)
{
	size_t len = 0;
	const char *part = entry_function(text, &len);

	want(!part || (part >= text && part + len <= text + strlen(text)));
}

/* Nothing that a terminal would obey comes through. */
static void show(const char *text, size_t size)
{
	char *shown = printable(text, size);
	size_t used = 0;

	want(shown);
	for (const char *at = shown; *at; at++)
		want((unsigned char)*at >= ' ' && *at != 0x7f);
	want(printable_fit(shown, 20, &used) <= strlen(shown));
	want(used <= 20);
	printable_width(shown);
	free(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	want(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (data[0] % 3 == 0)
		event(text);
	else if (data[0] % 3 == 1)
		function(text);
	else
		show(text, size - 1);
	free(text);
	return 0;
}
