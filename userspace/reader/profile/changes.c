// SPDX-License-Identifier: GPL-2.0
/*
 * Frees what a comparison has put into a model, and says whether metadata of two recordings
 * differ.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/model.h"

bool model_metadata_differs(const struct model_metadata *metadatum)
{
	const char *old = metadatum->text[MODEL_OLD], *new = metadatum->text[MODEL_NEW];

	return old && new && strcmp(old, new);
}

static void free_figures(struct model_change *changes, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		free(changes[i].name);
		free(changes[i].label);
		free(changes[i].figure);
	}
	free(changes);
}

static void free_nodes(struct model_change_node *nodes, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		free(nodes[i].name);
	free(nodes);
}

static void free_slow(struct model *m)
{
	for (uint32_t i = 0; i < m->nr_slow_of; i++) {
		free(m->slow_of[i].label);
		free(m->slow_of[i].by);
		free(m->slow_of[i].asked);
	}
	free(m->slow_of);
	free_figures(m->slow, m->nr_slow);
	free_nodes(m->slow_nodes, m->nr_slow_nodes);
}

void changes_free(struct model *m)
{
	for (uint32_t i = 0; i < m->nr_metadata; i++) {
		free(m->metadata[i].text[MODEL_OLD]);
		free(m->metadata[i].text[MODEL_NEW]);
	}
	for (uint32_t i = 0; i < m->nr_answers; i++) {
		free(m->answers[i].text);
		free(m->answers[i].name);
	}
	free(m->answers);
	free_figures(m->changes, m->nr_changes);
	free_nodes(m->change_nodes, m->nr_change_nodes);
	free(m->metadata);
	free_slow(m);
}
