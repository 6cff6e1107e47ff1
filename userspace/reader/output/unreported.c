// SPDX-License-Identifier: GPL-2.0
/*
 * Sentences about slices in which switches were not reported: how many, and which labels have most.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tables/figure.h"
#include "output/unreported.h"

#define LABELS_SAID 8

static void write_slices(uint64_t slices, uint64_t ns, FILE *file)
{
	char text[FIGURE_SIZE];

	figure_ns(text, ns);
	fprintf(file, "%" PRIu64 " slice%s, running %s", slices,
		slices == 1 ? "" : "s", text);
}

/* Compares two struct model_label *: the one with more unreported time comes first. */
static int by_unreported_ns(const void *left, const void *right)
{
	const struct model_label *a = *(const struct model_label *const *)left;
	const struct model_label *b = *(const struct model_label *const *)right;

	return (a->unreported_ns < b->unreported_ns) - (a->unreported_ns > b->unreported_ns);
}

/* Returns how many labels have any. */
static uint32_t sort_labels(const struct model *m, const struct model_label **labels)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (m->labels[i].unreported)
			labels[nr++] = &m->labels[i];
	qsort(labels, nr, sizeof(*labels), by_unreported_ns);
	return nr;
}

static void write_labels(const struct model_label **labels, uint32_t nr,
			 FILE *file)
{
	for (uint32_t i = 0; i < nr && i < LABELS_SAID; i++) {
		fprintf(file, "%s%s (", i ? ", " : "", labels[i]->name);
		write_slices(labels[i]->unreported, labels[i]->unreported_ns, file);
		fputc(')', file);
	}
	if (nr > LABELS_SAID)
		fprintf(file, " and %" PRIu32 " more", nr - LABELS_SAID);
}

char *unreported_text(const struct model *m)
{
	const struct model_label **labels = calloc((size_t)m->nr_labels + 1,
						   sizeof(*labels));
	char *text = NULL;
	size_t size;
	FILE *file = labels ? open_memstream(&text, &size) : NULL;

	if (file) {
		write_slices(m->unreported, m->unreported_ns, file);
		fputs(", may be other coroutines' in part, of these labels: ",
		      file);
		write_labels(labels, sort_labels(m, labels), file);
	}
	if (file && fclose(file)) {
		free(text);
		text = NULL;
	}
	free(labels);
	return text;
}
