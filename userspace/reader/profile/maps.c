// SPDX-License-Identifier: GPL-2.0
/*
 * Reads MAPS segments: which object was mapped where in which process, for those who look up
 * addresses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/build.h"
#include "profile/damage.h"
#include "profile/maps.h"

static void set_process_root(struct build *b, uint32_t process, const char *path,
			     size_t len)
{
	struct model_process *p = &b->model->processes[process];

	free(p->root);
	p->root = build_text(b, path, len);
}

const char *maps_object_fault(const struct build *b, uint32_t process,
			      bool mapped, size_t build_id_len)
{
	const char *root = process < b->model->nr_processes ?
			   b->model->processes[process].root : NULL;

	if (!root)
		return NULL;
	if (!mapped)
		return "the program has another root directory, and nothing mapped there has this name";
	if (!*root && !build_id_len)
		return "the program has a root directory of its own, and the object no build id to know its file by";
	return NULL;
}

/*
 * Calls @take for each mapping of a MAPS segment's payload at @p. An entry without a length is the
 * process's root directory.
 */
static void read_mappings(struct build *b, uint64_t offset, const char *p,
			  size_t left, maps_take take, void *context)
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
		if (map.build_id_len > sizeof(map.build_id))
			continue;
		if (process == INDEX_NONE)
			continue;
		if (map.start == map.end)
			set_process_root(b, process, p + sizeof(map), map.path_len);
		else
			take(b, context, process, &map, p + sizeof(map));
	}
	if (!left)
		return;
damaged:
	damage_add(b, offset, MODEL_NONE,
		   "a list of mappings ends within an entry");
}

void maps_for_each(struct build *b, maps_take take, void *context)
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
			read_mappings(b, s->offset, payload, s->size, take, context);
		else
			damage_add(b, s->offset, MODEL_NONE,
				   "a list of mappings can't be read: %s",
				   err.message);
		free(payload);
	}
}
