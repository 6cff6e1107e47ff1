// SPDX-License-Identifier: GPL-2.0
/* Rounds and writes numbers: time, counts, shares, changes, with units and marks of standings. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/util.h"
#include "tables/figure.h"

const struct figure_unit figure_ns_units[] = {
	{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" },
};
const unsigned int figure_nr_ns_units = ARRAY_SIZE(figure_ns_units);

const struct figure_unit figure_count_units[] = {
	{ 1000000000000000000, "E" }, { 1000000000000000, "P" }, { 1000000000000, "T" },
	{ 1000000000, "G" }, { 1000000, "M" }, { 1000, "k" }, { 1, "" },
};
const unsigned int figure_nr_count_units = ARRAY_SIZE(figure_count_units);

/* Three digits; rounding must not make a fourth of them. */
const struct figure_digits figure_digits[] = { { 9.995, 2 }, { 99.95, 1 }, { 0, 0 } };
const unsigned int figure_nr_digits = ARRAY_SIZE(figure_digits);

const struct figure_fraction figure_of_shares = { 100, 1, 0.0005, "%" };
const struct figure_fraction figure_of_ratios = { 1, 2, 0.01, "" };

static int decimals_of(double value)
{
	const struct figure_digits *digits = figure_digits;

	while (digits->below && value >= digits->below)
		digits++;
	return digits->decimals;
}

static void write_with_unit(char *to, int decimals, double value, const char *unit)
{
	snprintf(to, FIGURE_DIGITS, "%.*f%s%s", decimals, value, *unit ? " " : "", unit);
}

/* Uses the largest unit of which there is at least 1 after rounding. */
static void write_in_units(char *to, uint64_t value, const struct figure_unit *units,
			   unsigned int nr)
{
	double part;
	unsigned int i = 0;

	if (value < units[nr - 2].size) {
		write_with_unit(to, 0, (double)value, units[nr - 1].name);
		return;
	}
	while (i + 2 < nr && (double)value < FIGURE_WHOLE * (double)units[i].size)
		i++;
	part = (double)value / (double)units[i].size;
	write_with_unit(to, decimals_of(part), part, units[i].name);
}

uint64_t figure_whole(double measure)
{
	double nearest = measure + 0.5;

	return nearest < 0x1p64 ? (uint64_t)nearest : UINT64_MAX;
}

/*
 * Writes a value of the smaller unit as both units, of which the larger one is 60 of the smaller.
 */
static void write_in_two_units(char *to, uint64_t value, const char *large, const char *small)
{
	snprintf(to, FIGURE_DIGITS, "%" PRIu64 " %s %" PRIu64 " %s", value / 60, large, value % 60,
		 small);
}

void figure_ns(char *to, uint64_t ns)
{
	uint64_t seconds = figure_whole((double)ns / 1e9);

	if (seconds >= 3600)
		write_in_two_units(to, figure_whole((double)ns / 60e9), "h", "min");
	else if ((double)ns >= FIGURE_WHOLE * 60e9)
		write_in_two_units(to, seconds, "min", "s");
	else
		write_in_units(to, ns, figure_ns_units, figure_nr_ns_units);
}

/*
 * Writes a point in time to the nanosecond, so that a part that begins there cuts nothing that
 * begins then. Each smaller unit has three digits, up to the last one that is not 0.
 */
static void figure_moment(char *to, uint64_t ns)
{
	const struct figure_unit *unit = figure_ns_units;
	size_t used;

	while (unit->size > 1 && ns < unit->size)
		unit++;
	used = (size_t)snprintf(to, FIGURE_DIGITS, "%" PRIu64, ns / unit->size);
	for (uint64_t size = unit->size; ns % size; ) {
		ns %= size;
		used += (size_t)snprintf(to + used, FIGURE_DIGITS - used, "%s%03" PRIu64,
					 size == unit->size ? "." : "", ns / (size / 1000));
		size /= 1000;
	}
	snprintf(to + used, FIGURE_DIGITS - used, " %s", unit->name);
}

void figure_cpus(char *to, uint32_t cpus)
{
	if (cpus)
		snprintf(to, FIGURE_SIZE, "%" PRIu32 " CPU%s", cpus, cpus == 1 ? "" : "s");
	else
		snprintf(to, FIGURE_SIZE, "number of CPUs n/a");
}

void figure_count(char *to, uint64_t count)
{
	write_in_units(to, count, figure_count_units, figure_nr_count_units);
}

void figure_grouped(char *to, uint64_t count)
{
	char digits[FIGURE_DIGITS];
	int nr = snprintf(digits, sizeof(digits), "%" PRIu64, count);

	for (int i = 0; i < nr; i++) {
		if (i && !((nr - i) % 3))
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
}

/*
 * A value too small for the digits is written as less than the least that they can show. With a
 * bound it is written as 0 (at least), or as that least (at most).
 */
static void write_fraction(char *to, const struct figure_fraction *rule, double value,
			   enum standing standing)
{
	bool at_least = standing == STANDING_AT_LEAST;
	bool at_most = standing == STANDING_AT_MOST || standing == STANDING_AT_MOST_SCALED;

	if (value > 0 && value < rule->least) {
		if (!at_least && !at_most)
			*to++ = '<';
		value = at_least ? 0 : pow(10, -rule->decimals) / rule->factor;
	}
	write_with_unit(to, rule->decimals, rule->factor * value, rule->unit);
}

void figure_share(char *to, double share)
{
	write_fraction(to, &figure_of_shares, share, STANDING_COUNTED);
}

void figure_change(char *to, enum standing standing, double change)
{
	char times[FIGURE_DIGITS];

	if (1 + change < FIGURE_TIMES) {
		snprintf(to, FIGURE_SIZE, "%s%+.1f %%", standing_mark(standing), 100 * change);
		return;
	}
	figure_count(times, figure_whole(1 + change));
	snprintf(to, FIGURE_SIZE, "%s%s times", standing_mark(standing), times);
}

void figure_cell(char *to, enum kind kind, struct cell cell)
{
	const char *mark = standing_mark(cell.standing);

	to += snprintf(to, FIGURE_SIZE - FIGURE_DIGITS, "%s", mark);
	if (!has_value(cell))
		return;
	switch (kind) {
	case KIND_NS:
		figure_ns(to, cell.number);
		break;
	case KIND_TIME:
		figure_moment(to, cell.number);
		break;
	case KIND_EVENTS:
		figure_count(to, cell.number);
		break;
	case KIND_SHARE:
		write_fraction(to, &figure_of_shares, cell.fraction, cell.standing);
		break;
	case KIND_RATIO:
		write_fraction(to, &figure_of_ratios, cell.fraction, cell.standing);
		break;
	default:
		snprintf(to, FIGURE_DIGITS, "%" PRIu64, cell.number);
	}
}

/* From here on a mean that is no time is shown as what it is of. */
#define MEAN_WHOLE	1000

void figure_mean(char *to, enum kind kind, struct cell cell)
{
	bool whole = kind == KIND_NS || cell.fraction >= MEAN_WHOLE;

	if (has_value(cell) && whole)
		cell.number = figure_whole(cell.fraction);
	figure_cell(to, whole ? kind : KIND_RATIO, cell);
}
