// SPDX-License-Identifier: GPL-2.0
/* Parses times (into ns), sizes (into bytes) and counts of the command line. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"

#define TIME_MAX	1e18
#define SIZE_MAX_BITS	30

/* The factor of the unit at *@text, which is moved behind it; 0 if there is no unit. */
static double unit_at(const char **text)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		size_t length = strlen(units[i].name);

		if (strncmp(*text, units[i].name, length))
			continue;
		*text += length;
		return units[i].ns;
	}
	return 0;
}

/*
 * Skips the blank between number and unit, as figures are printed: that of the page is narrow and
 * not broken.
 */
static const char *skip_blank(const char *text)
{
	static const char *const blanks[] = { " ", "\u00a0", "\u202f" };

	for (size_t i = 0; i < ARRAY_SIZE(blanks); i++)
		if (!strncmp(text, blanks[i], strlen(blanks[i])))
			return text + strlen(blanks[i]);
	return text;
}

bool units_time(const char *text, uint64_t *ns)
{
	double sum = 0, last = INFINITY;

	do {
		char *end;
		double number = strtod(text, &end), unit;

		if (end == text || !(number >= 0))
			return false;
		text = skip_blank(end);
		unit = unit_at(&text);
		/* A number alone is seconds, and nothing stands beside it. */
		if (unit ? unit >= last : *end || last != INFINITY)
			return false;
		sum += number * (unit ? unit : 1e9);
		last = unit ? unit : 1;
	} while (*text);
	if (!(sum < TIME_MAX))
		return false;
	*ns = (uint64_t)(sum + 0.5);
	return true;
}

bool units_size(const char *text, uint32_t *bytes)
{
	static const char units[] = "KMG";
	unsigned long value;
	const char *unit;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || !value || value > 1ul << SIZE_MAX_BITS)
		return false;
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (unit) {
		value <<= 10 * (unit - units + 1);
		end++;
	}
	if (*end || value > 1ul << SIZE_MAX_BITS)
		return false;
	*bytes = (uint32_t)value;
	return true;
}

bool units_count(const char *text, double *count)
{
	static const char units[] = "kMGTPE";
	const char *unit;
	char *end;

	/* What begins otherwise is inf, nan or less than 0. */
	if (*text < '0' || *text > '9')
		return false;
	*count = strtod(text, &end);
	if (!*end)
		return isfinite(*count);
	end = (char *)skip_blank(end);
	unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
	if (!unit || end[1])
		return false;
	for (long i = 0; i <= unit - units; i++)
		*count *= 1000;
	return isfinite(*count);
}
