// SPDX-License-Identifier: GPL-2.0
/* Draws shares of a whole as bars, in characters that are filled by eighths. */
#include <math.h>
#include <string.h>

#include "live/bar.h"

#define EIGHTHS	8u

/* From the left: U+258F to U+2588. From below: U+2581 to U+2588. */
static const char *const lying[] = {
	" ", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589", "\u2588",
};
static const char *const standing[] = {
	" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
};

/*
 * How many of @all eighths are filled: none for 0, at least one for a share above 0, all only for
 * the whole.
 */
static unsigned int filled_eighths(double share, unsigned int all)
{
	double eighths;

	if (!(share > 0))
		return 0;
	if (share >= 1)
		return all;
	eighths = round(share * all);
	return eighths < 1 ? 1 : eighths >= all ? all - 1 : (unsigned int)eighths;
}

void bar_share(char to[BAR_SIZE], double share, unsigned int width)
{
	unsigned int eighths;

	if (width > BAR_MOST)
		width = BAR_MOST;
	eighths = filled_eighths(share, width * EIGHTHS);
	*to = '\0';
	for (unsigned int i = 0; i < width; i++) {
		unsigned int here = eighths < EIGHTHS ? eighths : EIGHTHS;

		to = stpcpy(to, lying[here]);
		eighths -= here;
	}
}

void bar_parts(unsigned int *columns, const uint64_t *parts, unsigned int nr, unsigned int width)
{
	double rests[BAR_MOST], whole = 0;
	unsigned int used = 0;

	for (unsigned int i = 0; i < nr; i++)
		whole += (double)parts[i];
	for (unsigned int i = 0; i < nr; i++) {
		double exact = whole > 0 ? (double)parts[i] * width / whole : 0;

		columns[i] = (unsigned int)exact;
		rests[i] = exact - columns[i];
		used += columns[i];
	}
	while (whole > 0 && used < width) {
		unsigned int most = 0;

		for (unsigned int i = 1; i < nr; i++)
			if (rests[i] > rests[most])
				most = i;
		columns[most]++;
		rests[most] = -1;
		used++;
	}
}

void bar_heights(char to[BAR_SIZE], const uint64_t *figures, unsigned int nr)
{
	uint64_t most = 0;

	if (nr > BAR_MOST)
		nr = BAR_MOST;
	for (unsigned int i = 0; i < nr; i++)
		most = figures[i] > most ? figures[i] : most;
	*to = '\0';
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int eighths = 0;

		if (figures[i])
			eighths =
				figures[i] == most ?
					EIGHTHS :
					filled_eighths((double)figures[i] / (double)most, EIGHTHS);
		to = stpcpy(to, standing[eighths]);
	}
}
