// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "output/figure.h"

struct unit {
	uint64_t size;
	const char *name;
};

/* Three digits; rounding must not make a fourth of them. */
static void three_digits(char *to, double value, const char *unit)
{
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	snprintf(to, FIGURE_ROOM, "%.*f %s", decimals, value, unit);
}

/* The largest unit that leaves at least 1, as it will be rounded. */
static void in_units(char *to, uint64_t value, const struct unit *units,
		     size_t nr)
{
	size_t i = 0;

	while (i + 1 < nr &&
	       (double)value < 0.9995 * (double)units[i].size)
		i++;
	three_digits(to, (double)value / (double)units[i].size, units[i].name);
}

void figure_ns(char *to, uint64_t ns)
{
	static const struct unit units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" },
	};

	if (ns < 1000)
		snprintf(to, FIGURE_ROOM, "%" PRIu64 " ns", ns);
	else
		in_units(to, ns, units, ARRAY_SIZE(units));
}

void figure_count(char *to, uint64_t count)
{
	static const struct unit units[] = {
		{ 1000000000000000000, "E" }, { 1000000000000000, "P" },
		{ 1000000000000, "T" }, { 1000000000, "G" }, { 1000000, "M" },
		{ 1000, "k" },
	};

	if (count < 1000)
		snprintf(to, FIGURE_ROOM, "%" PRIu64, count);
	else
		in_units(to, count, units, ARRAY_SIZE(units));
}

void figure_share(char *to, double share)
{
	if (share > 0 && share < 0.0005)
		snprintf(to, FIGURE_ROOM, "<0.1 %%");
	else
		snprintf(to, FIGURE_ROOM, "%.1f %%", 100 * share);
}

void figure_ratio(char *to, double ratio, bool scaled)
{
	const char *mark = scaled ? "~" : "";

	if (ratio < 0)
		strcpy(to, "n/a");
	else if (ratio > 0 && ratio < 0.01)
		snprintf(to, FIGURE_ROOM, "%s<0.01", mark);
	else
		snprintf(to, FIGURE_ROOM, "%s%.2f", mark, ratio);
}

void figure_known(char *to, struct model_ns ns)
{
	char text[FIGURE_ROOM];

	figure_ns(text, ns.ns);
	if (ns.known == MODEL_NA)
		strcpy(to, "n/a");
	else
		snprintf(to, FIGURE_ROOM, "%s%.*s",
			 ns.known == MODEL_AT_LEAST ? ">=" : "",
			 FIGURE_ROOM - 3, text);
}

void figure_value(char *to, struct model_value value, bool is_time)
{
	char text[FIGURE_ROOM];

	if (!value.present) {
		strcpy(to, "n/a");
		return;
	}
	if (value.standing < COROPROF_STANDING_SCALED) {
		strcpy(to, model_standing_text(value.standing));
		return;
	}
	if (is_time)
		figure_ns(text, value.estimate);
	else
		figure_count(text, value.estimate);
	snprintf(to, FIGURE_ROOM, "%s%.*s",
		 value.standing == COROPROF_STANDING_SCALED ? "~" : "",
		 FIGURE_ROOM - 3, text);
}
