// SPDX-License-Identifier: GPL-2.0
/* Adds up the CPU time of threads without coroutines, and writes a sentence of it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tables/figure.h"
#include "tables/unrecorded.h"

static void add_to_cell(struct cell *sum, struct model_ns more)
{
	sum->number += more.ns;
	sum->standing = standing_combined(COMBINE_SUM, sum->standing, model_ns_standing(more));
}

struct unrecorded unrecorded_of(const struct model *m)
{
	struct unrecorded all = {
		.cpu.standing = m->nr_processes ? STANDING_NONE : STANDING_NA,
		.ns.standing = m->nr_processes ? STANDING_NONE : STANDING_NA,
	};

	for (uint32_t i = 0; i < m->nr_processes; i++) {
		const struct model_process *p = &m->processes[i];

		add_to_cell(&all.cpu, p->cpu);
		add_to_cell(&all.ns, p->unrecorded);
		all.threads += p->others;
	}
	return all;
}

static char *write_sentence(const struct model *m, const struct unrecorded *all)
{
	char time[FIGURE_SIZE], share[FIGURE_SIZE],
		threads[64] = "no thread without coroutines was seen";
	char *text;

	figure_cell(time, KIND_NS, all->ns);
	figure_cell(share, KIND_SHARE, (struct cell){
		.standing = standing_combined(COMBINE_QUOTIENT, all->ns.standing, all->cpu.standing),
		.fraction = all->cpu.number ? (double)all->ns.number / (double)all->cpu.number : 0,
	});
	if (all->threads)
		snprintf(threads, sizeof(threads), "%s%" PRIu64 " thread%s without coroutines",
			 standing_mark(STANDING_AT_LEAST), all->threads,
			 all->threads == 1 ? "" : "s");
	if (asprintf(&text, "%s, %s of CPU (%s of the process%s), with what recorded threads ran before their first coroutine%s",
		     threads, time, share, m->nr_processes == 1 ? "" : "es",
		     all->threads && !m->all_threads ? "; --threads records those of pthread_create()" : "") < 0)
		return NULL;
	return text;
}

int unrecorded_make(struct model *m)
{
	const struct unrecorded all = unrecorded_of(m);

	m->unrecorded = !has_value(all.ns) ?
		strdup(m->part ? "n/a of a part of a recording" :
				 "n/a, the recording does not have what its processes used of the CPUs") :
		write_sentence(m, &all);
	return m->unrecorded ? 0 : -1;
}
