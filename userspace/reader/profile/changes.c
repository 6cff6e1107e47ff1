// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "profile/model.h"

bool model_fact_differs(const struct model_fact *fact)
{
	const char *old = fact->text[MODEL_OLD], *new = fact->text[MODEL_NEW];

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
	for (uint32_t i = 0; i < m->nr_facts; i++) {
		free(m->facts[i].text[MODEL_OLD]);
		free(m->facts[i].text[MODEL_NEW]);
	}
	for (uint32_t i = 0; i < m->nr_answers; i++) {
		free(m->answers[i].text);
		free(m->answers[i].name);
	}
	free(m->answers);
	free_figures(m->changes, m->nr_changes);
	free_nodes(m->change_nodes, m->nr_change_nodes);
	free(m->facts);
	free_slow(m);
}
