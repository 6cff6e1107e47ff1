// SPDX-License-Identifier: GPL-2.0
/* The line that every output begins with: slices, coroutines, threads, duration, shares of time. */
#include <stdio.h>

#include "tables/figure.h"
#include "tables/summary.h"

/**
 * struct line - a text that grows
 * @to:   SUMMARY_SIZE bytes
 * @used: of these
 */
struct line {
	char *to;
	size_t used;
};

static void append(struct line *l, const char *before, const char *figure)
{
	int added = snprintf(l->to + l->used, SUMMARY_SIZE - l->used, "%s%s", before, figure);

	if (added > 0 && l->used + (size_t)added < SUMMARY_SIZE)
		l->used += (size_t)added;
}

/**
 * struct whole - what shares are of
 * @ns:       all of it
 * @standing: of that, and of its parts
 */
struct whole {
	uint64_t ns;
	enum standing standing;
};

static void add_share(struct line *l, const char *before, uint64_t ns, const struct whole *of)
{
	char share[FIGURE_SIZE];

	figure_cell(share, KIND_SHARE, (struct cell){
		.standing = standing_combined(COMBINE_QUOTIENT, of->standing, of->standing),
		.fraction = (double)ns / (double)of->ns,
	});
	append(l, before, share);
}

static void add_blocked(struct line *l, uint64_t ns, const struct whole *of)
{
	char time[FIGURE_SIZE];

	figure_cell(time, KIND_NS, (struct cell){ .standing = of->standing, .number = ns });
	append(l, "; coroutines blocked ", time);
	if (!ns)
		return;
	add_share(l, " (", ns, of);
	append(l, ")", "");
}

static bool has_several_threads(const struct model *m)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < m->nr_channels; i++)
		nr += m->channels[i].times.slices > 0;
	return nr > 1;
}

void summary_write(const struct model *m, char to[SUMMARY_SIZE])
{
	const struct model_times *t = &m->times;
	const struct whole all = {
		t->running_ns + t->preempted_ns + t->blocked_ns + t->idle_ns,
		model_times_standing(t, model_lacks_slices(m)),
	};
	struct line l = { .to = to };

	to[0] = 0;
	if (!all.ns) {
		append(&l, "nothing ran", "");
		return;
	}
	if (m->some_labels) {
		append(&l, "how busy event loops were is n/a: only some labels are shown", "");
		return;
	}
	if (model_lacks_shares(m, t)) {
		append(&l,
		       "how busy event loops were is n/a: of slices that are cut it is not known",
		       "");
		return;
	}
	add_share(&l, has_several_threads(m) ? "event loops busy " : "event loop busy ",
		  t->running_ns, &all);
	add_share(&l, ", idle ", t->idle_ns, &all);
	if (t->preempted_ns)
		add_share(&l, ", preempted ", t->preempted_ns, &all);
	add_blocked(&l, t->blocked_ns, &all);
	if (model_lacks_slices(m))
		append(&l, "; of what was recorded: slices are missing", "");
}
