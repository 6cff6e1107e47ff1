// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "profile/model.h"

bool model_fact_differs(const struct model_fact *fact)
{
	const char *old = fact->text[MODEL_OLD], *new = fact->text[MODEL_NEW];

	return old && new ? strcmp(old, new) : old != new;
}

void changes_free(struct model *m)
{
	for (uint32_t i = 0; i < m->nr_changes; i++) {
		free(m->changes[i].name);
		free(m->changes[i].label);
		free(m->changes[i].figure);
	}
	for (uint32_t i = 0; i < m->nr_change_nodes; i++)
		free(m->change_nodes[i].name);
	for (uint32_t i = 0; i < m->nr_facts; i++) {
		free(m->facts[i].text[MODEL_OLD]);
		free(m->facts[i].text[MODEL_NEW]);
	}
	free(m->changes);
	free(m->change_nodes);
	free(m->facts);
}
