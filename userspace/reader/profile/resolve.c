// SPDX-License-Identifier: GPL-2.0
/*
 * Looks up functions for labels and spans that are code addresses, by the maps of their process and
 * symbols/symbols.h, or a list.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "profile/maps.h"
#include "profile/resolve.h"
#include "symbols/entry.h"
#include "symbols/given.h"
#include "symbols/symbols.h"

/**
 * struct code - a name that is a code address: a label's, or a span's
 * @process:    index
 * @object:     path
 * @address:    in it
 * @entry:      it is what coroutines run
 * @name:       to be replaced by that of the function
 * @unresolved: or else why it is not
 * @mapped:     a mapping of the object was seen
 * @root:       its path is below this; "" for none
 * @build_id:   of the object
 * @build_id_len: 0 if it is not known
 */
struct code {
	uint32_t process;
	const char *object;
	uint64_t address;
	bool entry;
	char **name;
	const char **unresolved;
	bool mapped;
	const char *root;
	uint8_t build_id[32];
	uint8_t build_id_len;
};

struct codes {
	struct code *all;
	uint32_t nr;
};

struct symbols *build_symbols(struct build *b)
{
	const struct model_options *o = &b->options;

	if (b->symbols)
		return b->symbols;
	b->symbols = o->names ? given_names(o->names) : symbols_new(o->symbol_root);
	if (o->note_names)
		b->symbols = given_noting(o->note_names, b->symbols);
	if (!b->symbols)
		b->out_of_memory = true;
	return b->symbols;
}

static bool is_below(const char *root, const char *object, const char *path,
		     size_t len)
{
	size_t root_len = strlen(root);

	return len == root_len + strlen(object) &&
	       !memcmp(path, root, root_len) &&
	       !memcmp(path + root_len, object, len - root_len);
}

static void note_map(struct build *b, void *context, uint32_t process,
		     const struct cprof_map *map, const char *path)
{
	const char *root = b->model->processes[process].root;
	struct codes *codes = context;

	for (uint32_t i = 0; i < codes->nr; i++) {
		struct code *c = &codes->all[i];

		if (c->process != process)
			continue;
		if (is_below("", c->object, path, map->path_len))
			c->root = "";
		else if (root && is_below(root, c->object, path, map->path_len))
			c->root = root;
		else
			continue;
		c->mapped = true;
		c->build_id_len = (uint8_t)map->build_id_len;
		memcpy(c->build_id, map->build_id, map->build_id_len);
	}
}

static void resolve(struct build *b, struct symbols *symbols, struct code *c)
{
	char *path, *name, *shown;
	const char *part;
	size_t len;

	*c->unresolved = maps_object_fault(b, c->process, c->mapped,
					   c->build_id_len);
	if (*c->unresolved)
		return;
	path = build_format(b, "%s%s", c->root, c->object);
	if (!path)
		return;
	*c->unresolved = symbols_find(symbols, path, c->build_id,
				      c->build_id_len, c->address, &name);
	free(path);
	if (*c->unresolved)
		return;
	part = name;
	len = strlen(name);
	if (c->entry)
		part = entry_function(name, &len);
	shown = build_text(b, part, len);
	free(name);
	if (!shown)
		return;
	free(*c->name);
	*c->name = shown;
}

static void collect(struct build *b, struct codes *codes)
{
	struct model *m = b->model;

	for (uint32_t i = 0; i < m->nr_labels; i++) {
		struct model_label *l = &m->labels[i];

		if (l->object)
			codes->all[codes->nr++] = (struct code){
				l->process, l->object, l->address, true, &l->name,
				&l->unresolved, false, "", { 0 }, 0,
			};
	}
	for (uint32_t i = 0; i < m->nr_spans; i++) {
		struct model_span *s = &m->spans[i];

		if (s->object)
			codes->all[codes->nr++] = (struct code){
				s->process, s->object, s->address, false, &s->name,
				&s->unresolved, false, "", { 0 }, 0,
			};
	}
}

void names_resolve(struct build *b)
{
	struct model *m = b->model;
	struct codes codes = { 0 };
	struct symbols *symbols;

	if (b->options.no_symbols)
		return;
	codes.all = calloc((size_t)m->nr_labels + m->nr_spans + 1,
			   sizeof(*codes.all));
	if (!codes.all) {
		b->out_of_memory = true;
		return;
	}
	collect(b, &codes);
	symbols = codes.nr ? build_symbols(b) : NULL;
	if (symbols) {
		maps_for_each(b, note_map, &codes);
		for (uint32_t i = 0; i < codes.nr; i++)
			resolve(b, symbols, &codes.all[i]);
	}
	free(codes.all);
}
