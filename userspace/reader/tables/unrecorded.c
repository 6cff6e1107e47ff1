// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tables/figure.h"
#include "tables/unrecorded.h"

/* One of which nothing is known makes the sum a bound. */
static void add(struct model_ns *sum, struct model_ns more, bool first)
{
	sum->ns += more.ns;
	if (first)
		sum->known = more.known;
	else if (sum->known != more.known)
		sum->known = MODEL_AT_LEAST;
}

struct unrecorded unrecorded_of(const struct model *m)
{
	struct unrecorded all = { 0 };

	for (uint32_t i = 0; i < m->nr_processes; i++) {
		const struct model_process *p = &m->processes[i];

		add(&all.cpu, p->cpu, !i);
		add(&all.ns, p->unrecorded, !i);
		all.threads += p->others;
	}
	return all;
}

static char *say(const struct model *m, const struct unrecorded *all)
{
	char time[FIGURE_ROOM], share[FIGURE_ROOM], threads[64] = "no thread without coroutines was seen";
	char *text;

	figure_cell(time, KIND_NS, (struct cell){
		.standing = all->ns.known == MODEL_EXACT ? STANDING_COUNTED : STANDING_AT_LEAST,
		.number = all->ns.ns,
	});
	figure_share(share, all->cpu.ns ? (double)all->ns.ns / (double)all->cpu.ns : 0);
	if (all->threads)
		snprintf(threads, sizeof(threads), "%s%" PRIu64 " thread%s without coroutines",
			 standing_mark(STANDING_AT_LEAST), all->threads, all->threads == 1 ? "" : "s");
	if (asprintf(&text, "%s, %s of CPU (%s of the process%s), with what recorded threads ran before their first coroutine",
		     threads, time, share, m->nr_processes == 1 ? "" : "es") < 0)
		return NULL;
	return text;
}

int unrecorded_make(struct model *m)
{
	const struct unrecorded all = unrecorded_of(m);

	m->unrecorded = all.ns.known == MODEL_NA ?
		strdup(m->part ? "n/a of a part of a recording" :
				 "n/a, the recording does not have what its processes used of the CPUs") :
		say(m, &all);
	return m->unrecorded ? 0 : -1;
}
