// SPDX-License-Identifier: GPL-2.0
/*
 * Warns once of each object file whose symbols are missing, with where to get them
 * (explain/debugsyms.h).
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/warn.h"
#include "explain/debugsyms.h"
#include "output/nameless.h"
#include "symbols/symbols.h"

#define OBJECTS_SAID	4

/*
 * Of the system's libraries a few samples are nameless in most recordings: one part of so many is
 * worth a word.
 */
#define SAMPLES_PART	20

/**
 * struct nameless - object files without symbols
 * @objects: their paths
 * @nr:      how many
 */
struct nameless {
	const char *objects[OBJECTS_SAID];
	unsigned int nr;
};

static void add_object(struct nameless *n, const char *object, const char *unresolved)
{
	if (!object || !unresolved || !symbols_are_missing(unresolved))
		return;
	for (unsigned int i = 0; i < n->nr; i++)
		if (!strcmp(n->objects[i], object))
			return;
	if (n->nr < OBJECTS_SAID)
		n->objects[n->nr++] = object;
}

void nameless_report(const struct model *m)
{
	char text[2 * PATH_MAX];
	struct nameless all = { 0 };

	for (uint32_t i = 0; i < m->nr_labels; i++)
		add_object(&all, m->labels[i].object, m->labels[i].unresolved);
	for (uint32_t i = 0; i < m->nr_spans; i++)
		add_object(&all, m->spans[i].object, m->spans[i].unresolved);
	for (uint32_t i = 0; i < m->nr_frames; i++)
		if (m->frames[i].own && m->frames[i].own >= m->samples / SAMPLES_PART)
			add_object(&all, m->frames[i].object, m->frames[i].unresolved);
	for (unsigned int i = 0; i < all.nr; i++) {
		debugsyms_report(DEBUGSYMS_QUERY, all.objects[i], text, sizeof(text));
		warn("functions of %s have no names, as its symbols are not here: %s", all.objects[i],
		     text);
	}
}
