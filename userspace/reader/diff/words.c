// SPDX-License-Identifier: GPL-2.0
/* One change as words: the figure of each side and the difference between them. */
#include <math.h>
#include <stdio.h>

#include "diff/words.h"

void words_figure(char to[FIGURE_SIZE], const struct model_change *c, enum model_age age)
{
	const struct model_side *side = &c->side[age];
	struct cell cell = { .standing = (enum standing)side->standing, .fraction = side->value };

	figure_mean(to, c->time ? KIND_NS : KIND_EVENTS, cell);
}

void words_difference(char to[FIGURE_SIZE], const struct model_change *c)
{
	if (isfinite(c->change))
		figure_change(to, c->standing, c->change);
	else
		snprintf(to, FIGURE_SIZE, "from nothing");
}
