// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "cprof.h"

/**
 * struct build_id - of the object that a label is in, for each row
 * @bytes: the id
 * @len:   its length, 0 if it is not known
 */
struct build_id {
	uint8_t bytes[32];
	uint8_t len;
};

static bool wanted(const struct build *b, uint32_t label, uint32_t process,
		   const char *path, size_t path_len)
{
	const struct model_label *l = &b->model->labels[label];

	return l->object && l->process == process &&
	       strlen(l->object) == path_len &&
	       !memcmp(l->object, path, path_len);
}

static void note_map(const struct build *b, struct build_id *ids,
		     uint32_t process, const struct cprof_map *map,
		     const char *path)
{
	if (map->build_id_len > sizeof(map->build_id))
		return;
	for (uint32_t i = 0; i < b->model->nr_labels; i++) {
		if (!wanted(b, i, process, path, map->path_len))
			continue;
		ids[i].len = (uint8_t)map->build_id_len;
		memcpy(ids[i].bytes, map->build_id, map->build_id_len);
	}
}

static void note_maps(struct build *b, struct build_id *ids, uint64_t offset,
		      const char *p, size_t left)
{
	struct cprof_maps head;
	struct cprof_map map;
	uint32_t process;

	if (left < sizeof(head))
		goto damaged;
	memcpy(&head, p, sizeof(head));
	process = index_get(&b->process_index, head.process_id, 0);
	for (p += sizeof(head), left -= sizeof(head); left >= sizeof(map);
	     p += map.size, left -= map.size) {
		memcpy(&map, p, sizeof(map));
		if (map.size < sizeof(map) || map.size > left || map.size % 8 ||
		    map.path_len > map.size - sizeof(map))
			goto damaged;
		if (process != INDEX_NONE)
			note_map(b, ids, process, &map, p + sizeof(map));
	}
	if (!left)
		return;
damaged:
	damage_add(b, offset, MODEL_NONE,
		   "a list of mappings ends within an entry");
}

static void read_maps(struct build *b, struct build_id *ids)
{
	for (size_t i = 0; i < b->file->nr_segments; i++) {
		const struct file_segment *s = &b->file->segments[i];
		struct error err = ERROR_NONE;
		void *payload;

		if (s->type != CPROF_SEGMENT_MAPS)
			continue;
		payload = malloc(s->size + 1);
		if (!payload)
			b->out_of_memory = true;
		else if (!file_read(b->file, i, payload, &err))
			note_maps(b, ids, s->offset, payload, s->size);
		else
			damage_add(b, s->offset, MODEL_NONE,
				   "a list of mappings can't be read: %s",
				   err.message);
		free(payload);
	}
}

static void resolve(struct build *b, struct symbols *symbols,
		    struct model_label *l, const struct build_id *id)
{
	char *name, *shown;

	l->unresolved = symbols_find(symbols, l->object, id->bytes, id->len,
				     l->address, &name);
	if (l->unresolved)
		return;
	shown = build_text(b, name, strlen(name));
	free(name);
	if (!shown)
		return;
	free(l->name);
	l->name = shown;
}

static bool has_code(const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_labels; i++)
		if (m->labels[i].object)
			return true;
	return false;
}

void labels_name(struct build *b)
{
	struct model *m = b->model;
	struct symbols *symbols;
	struct build_id *ids;

	if (b->options.no_symbols || !has_code(m))
		return;
	ids = calloc(m->nr_labels, sizeof(*ids));
	symbols = symbols_new(b->options.symbol_root);
	if (ids && symbols) {
		read_maps(b, ids);
		for (uint32_t i = 0; i < m->nr_labels; i++)
			if (m->labels[i].object)
				resolve(b, symbols, &m->labels[i], &ids[i]);
	} else {
		b->out_of_memory = true;
	}
	symbols_free(symbols);
	free(ids);
}
