// SPDX-License-Identifier: GPL-2.0
/*
 * Collects, for each process and for the recording, why slices may be missing, and writes a
 * sentence of that.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/util.h"
#include "tables/unmeasured.h"

/**
 * struct lack - why slices of a process, or of all, may be missing
 * @lost:    so many found a ring full
 * @refused: so many threads could not be recorded
 * @unread:  of so many a part of their ring can't be read
 * @truncated: of so many the end is missing, where the file is truncated
 * @damaged: likewise, where the file is damaged
 * @open:    likewise, as their recording was not ended in order
 */
struct lack {
	uint64_t lost;
	uint64_t refused;
	uint64_t unread;
	uint64_t truncated;
	uint64_t damaged;
	uint64_t open;
};

static void count_lack(struct lack *lack, const struct model *m, const struct model_channel *c)
{
	lack->lost += c->lost;
	if (c->error)
		lack->refused++;
	else if (c->damaged)
		lack->unread++;
	else if (c->partial & MODEL_PARTIAL_LOSSES && m->truncated)
		lack->truncated++;
	else if (c->partial & MODEL_PARTIAL_LOSSES && m->nr_damage_total)
		lack->damaged++;
	else if (c->partial & MODEL_PARTIAL_LOSSES)
		lack->open++;
}

/* Writes nothing if nothing is missing. */
static void write_lack(const struct lack *lack, FILE *file)
{
	const struct {
		uint64_t nr;
		const char *what;
		const char *says;
	} causes[] = {
		{ lack->lost, "slice", "found a ring full" },
		{ lack->refused, "thread", "could not be recorded" },
		{ lack->unread, "thread", "left a ring of which a part can't be read" },
		{ lack->truncated, "thread", "ran on where the file is torn" },
		{ lack->damaged, "thread", "ran where the file is damaged" },
		{ lack->open, "thread", "ran on where the recording was not ended in order" },
	};
	const char *between = "";

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		if (!causes[i].nr)
			continue;
		fprintf(file, "%s%" PRIu64 " %s%s %s", between, causes[i].nr, causes[i].what,
			causes[i].nr == 1 ? "" : "s", causes[i].says);
		between = ", ";
	}
}

static void write_gaps(const struct model_times *t, const struct lack *lack, FILE *file)
{
	uint64_t missing = t->unseen_gaps - t->cut_gaps;

	if (!t->unseen_gaps)
		return;
	fprintf(file, "%" PRIu64 " not measured:", t->unseen_gaps);
	if (t->cut_gaps)
		fprintf(file, " in %" PRIu64 " of them a thread was not recorded, as its recording began or ended there",
			t->cut_gaps);
	if (missing) {
		fprintf(file,
			"%s in %" PRIu64 " of them slices may be missing: ", t->cut_gaps ? ";" : "",
			missing);
		write_lack(lack, file);
	}
}

/*
 * Writes a sentence about gaps (@t), or, if @t is NULL, about a process. *@text: NULL if there is
 * nothing to report.
 */
static int make_sentence(char **text, const struct model_times *t, const struct lack *lack)
{
	size_t size;
	FILE *file = open_memstream(text, &size);

	if (!file)
		return -1;
	if (t)
		write_gaps(t, lack, file);
	else
		write_lack(lack, file);
	if (fclose(file))
		return -1;
	if (!size) {
		free(*text);
		*text = NULL;
	}
	return 0;
}

int unmeasured_make(struct model *m)
{
	struct lack *of = calloc((size_t)m->nr_processes + 1, sizeof(*of)), *all;
	int ret = of ? 0 : -1;

	if (!of)
		return ret;
	all = &of[m->nr_processes];
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		count_lack(&of[m->channels[i].process], m, &m->channels[i]);
		count_lack(all, m, &m->channels[i]);
	}
	for (uint32_t i = 0; !ret && i < m->nr_processes; i++)
		ret = make_sentence(&m->processes[i].lacks, NULL, &of[i]);
	if (!ret)
		ret = make_sentence(&m->unmeasured, &m->times, all);
	free(of);
	return ret;
}
