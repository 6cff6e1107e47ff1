// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "output/folded.h"

/* A semicolon would end the name. */
static void write_name(const char *name, FILE *file)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, file);
}

static void write_label(const struct model *m, uint32_t label, FILE *file)
{
	const struct model_label *l = &m->labels[label];

	if (m->nr_processes > 1 && l->process != MODEL_NONE) {
		write_name(m->processes[l->process].comm, file);
		fprintf(file, " %" PRId32 ";", m->processes[l->process].pid);
	}
	write_name(l->name, file);
}

/* The outermost first. A chain has but so many frames, see COROPROF_STACK_MAX. */
static void write_chain(const struct model *m, uint32_t node, FILE *file)
{
	const struct model_sample_node *n = &m->sample_nodes[node];

	if (n->parent != MODEL_NONE)
		write_chain(m, n->parent, file);
	fputc(';', file);
	write_name(m->frames[n->frame].name, file);
}

int folded_write(const struct model *m, FILE *file)
{
	for (uint32_t i = 0; i < m->nr_sample_nodes; i++) {
		const struct model_sample_node *n = &m->sample_nodes[i];

		if (!n->own)
			continue;
		write_label(m, n->label, file);
		write_chain(m, i, file);
		fprintf(file, " %" PRIu64 "\n", n->own);
	}
	return ferror(file) ? -1 : 0;
}
