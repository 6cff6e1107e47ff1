// SPDX-License-Identifier: GPL-2.0
/*
 * Resolves addresses to functions and lines, once each. Where several mappings of a process have an
 * address, the latest is used: code that replaces other code at the same place while it is recorded
 * is rare.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "profile/frames.h"
#include "profile/maps.h"
#include "profile/resolve.h"
#include "symbols/symbols.h"

/* More than any program has mapped, or run at. */
#define MAPS_MAX	16384
#define ADDRESSES_MAX	262144

/* Functions may be put into others many levels deep, at each address other ones. */
#define LOCATIONS_MAX	1000000

/**
 * struct map - an executable mapping
 * @older:        of the same process, or MODEL_NONE
 * @path:         not NUL terminated in the file, but here
 */
struct map {
	uint32_t process;
	uint32_t older;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint8_t build_id[32];
	uint8_t build_id_len;
	char *path;
};

/**
 * struct frames - functions, and how to find them
 * @build:     the model's
 * @maps:      of all processes
 * @nr_maps:   how many
 * @map_index: (hash, process) to the map, so that none is there twice
 * @newest:    process to its newest map
 * @known:     (address, process) to where its chain begins
 * @nr_known:  how many
 * @chains:    of each how many locations, then their rows
 * @nr_chains: numbers in it
 * @by_name:   hash of object and name to row
 * @by_line:   hash of a location to its row
 * @lines:     a line is known
 * @special:   rows of the kinds that are one row each, plus 1
 */
struct frames {
	struct build *build;
	struct map *maps;
	uint32_t nr_maps;
	struct index map_index;
	struct index newest;
	struct index known;
	uint32_t nr_known;
	uint32_t *chains;
	uint32_t nr_chains;
	struct index by_name;
	struct index by_line;
	bool lines;
	uint32_t special[MODEL_FRAME_OTHER + 1];
};

static uint64_t hash_number(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x9e3779b97f4a7c15ULL;
}

static bool same_map(const struct map *a, const struct cprof_map *m,
		     const char *path)
{
	return a->start == m->start && a->end == m->end &&
	       a->offset == m->offset && strlen(a->path) == m->path_len &&
	       !memcmp(a->path, path, m->path_len) &&
	       a->build_id_len == m->build_id_len &&
	       !memcmp(a->build_id, m->build_id, m->build_id_len);
}

static void add_map(struct build *b, void *context, uint32_t process,
		    const struct cprof_map *map, const char *path)
{
	struct frames *f = context;
	uint64_t key = hash_bytes(hash_number(hash_number(hash_number(0, map->start), map->end),
					     map->offset), path, map->path_len);
	uint32_t known = index_get(&f->map_index, key, process);
	uint32_t older = index_get(&f->newest, 0, process);
	uint32_t n = f->nr_maps;
	struct map *m;

	if ((known != INDEX_NONE && same_map(&f->maps[known], map, path)) ||
	    n == MAPS_MAX || !build_grow(b, &f->maps, n, sizeof(*f->maps)))
		return;
	m = &f->maps[n];
	*m = (struct map){
		.process = process,
		.older = older,
		.start = map->start,
		.end = map->end,
		.offset = map->offset,
		.build_id_len = (uint8_t)map->build_id_len,
		.path = build_text(b, path, map->path_len),
	};
	if (!m->path)
		return;
	memcpy(m->build_id, map->build_id, map->build_id_len);
	f->nr_maps++;
	if (!index_put(&f->map_index, key, process, n) ||
	    !index_put(&f->newest, 0, process, n))
		b->out_of_memory = true;
}

static const struct map *find_map(const struct frames *f, uint32_t process,
				  uint64_t address)
{
	uint32_t i = index_get(&f->newest, 0, process);

	for (; i != INDEX_NONE; i = f->maps[i].older)
		if (address >= f->maps[i].start && address < f->maps[i].end)
			return &f->maps[i];
	return NULL;
}

static uint32_t add_frame(struct frames *f, enum model_frame_kind kind,
			  char *name, const char *object,
			  const char *unresolved)
{
	struct build *b = f->build;
	struct model *m = b->model;
	uint32_t n = m->nr_frames;

	if (!name || !build_grow(b, &m->frames, n, sizeof(*m->frames))) {
		free(name);
		return MODEL_NONE;
	}
	m->frames[n] = (struct model_frame){
		.kind = kind,
		.name = name,
		.object = object ? build_format(b, "%s", object) : NULL,
		.unresolved = unresolved,
	};
	m->nr_frames++;
	return n;
}

/* The one row of all frames of a kind that have no function, such as [unknown]. */
static uint32_t frame_of_kind(struct frames *f, enum model_frame_kind kind)
{
	static const char *const names[] = {
		[MODEL_FRAME_UNKNOWN] = "[unknown]",
		[MODEL_FRAME_KERNEL] = "[kernel]",
		[MODEL_FRAME_CUT] = "[callers not recorded]",
		[MODEL_FRAME_OTHER] = "[others]",
	};

	if (!f->special[kind])
		f->special[kind] = 1 + add_frame(f, kind,
			build_format(f->build, "%s", names[kind]), NULL, NULL);
	return f->special[kind] - 1;
}

/*
 * The row of a function of @object, a new one if need be; [others] when the table is full. Owns
 * @name.
 */
static uint32_t intern_frame(struct frames *f, enum model_frame_kind kind, char *name,
			     const char *object, const char *unresolved)
{
	struct build *b = f->build;
	const struct model_frame *known;
	uint64_t key;
	uint32_t row;

	if (!name)
		return MODEL_NONE;
	key = hash_bytes(hash_bytes(kind, object, strlen(object) + 1), name,
			strlen(name));
	row = index_get(&f->by_name, key, 0);
	known = row == INDEX_NONE ? NULL : &b->model->frames[row];
	if (known && known->kind == kind && known->object && !strcmp(known->object, object) &&
	    !strcmp(known->name, name)) {
		free(name);
		return row;
	}
	if (b->model->nr_frames >= b->options.frames) {
		free(name);
		return frame_of_kind(f, MODEL_FRAME_OTHER);
	}
	row = add_frame(f, kind, name, object, unresolved);
	if (row != MODEL_NONE && !index_put(&f->by_name, key, 0, row))
		b->out_of_memory = true;
	return row;
}

static char *object_name(struct build *b, const char *path)
{
	const char *base = strrchr(path, '/');

	if (*path == '[')
		return build_format(b, "%s", path);
	return build_format(b, "[%s]", base ? base + 1 : path);
}

/* ------------------------------------------------------------------------
 * locations
 */

static bool same_location(const struct model_location *p, const struct model_location *other)
{
	return p->frame == other->frame && p->inlined == other->inlined &&
	       p->line == other->line && !p->file == !other->file &&
	       (!p->file || !strcmp(p->file, other->file));
}

/* Copies the file's name. Returns the new row, or MODEL_NONE without memory. */
static uint32_t add_location(struct frames *f, const struct model_location *location)
{
	struct build *b = f->build;
	struct model *m = b->model;
	uint32_t n = m->nr_locations;

	if (!build_grow(b, &m->locations, n, sizeof(*m->locations)))
		return MODEL_NONE;
	m->locations[n] = *location;
	m->locations[n].file =
		location->file ? build_text(b, location->file, strlen(location->file)) : NULL;
	m->nr_locations++;
	return n;
}

/*
 * The row of a location, a new one if need be; only its frame is kept when the table is full. Its
 * file stays the caller's.
 */
static uint32_t intern_location(struct frames *f, struct model_location location)
{
	uint32_t row;
	uint64_t key;

	if (location.frame == MODEL_NONE)
		return MODEL_NONE;
	if (f->build->model->nr_locations >= LOCATIONS_MAX)
		location = (struct model_location){ .frame = location.frame };
	key = hash_number(hash_number(hash_number(0, location.frame), location.line),
			  location.inlined);
	if (location.file)
		key = hash_bytes(key, location.file, strlen(location.file));
	row = index_get(&f->by_line, key, 0);
	if (row != INDEX_NONE && same_location(&f->build->model->locations[row], &location))
		return row;
	row = add_location(f, &location);
	if (row != MODEL_NONE && !index_put(&f->by_line, key, 0, row))
		f->build->out_of_memory = true;
	return row;
}

uint32_t location_of_kind(struct frames *f, enum model_frame_kind kind)
{
	return intern_location(f, (struct model_location){ .frame = frame_of_kind(f, kind) });
}

/*
 * The function that debug information names at a location; without a name, "some function of the
 * object".
 */
static uint32_t frame_of_location(struct frames *f, const struct map *map,
				  const struct source_location *location)
{
	struct build *b = f->build;

	if (!location->name)
		return intern_frame(f, MODEL_FRAME_OBJECT, object_name(b, map->path), map->path,
				    "its debug information has no name for it");
	return intern_frame(f, MODEL_FRAME_FUNCTION,
			    build_text(b, location->name, strlen(location->name)), map->path, NULL);
}

/* ------------------------------------------------------------------------
 * addresses
 */

static void add_to_chain(struct frames *f, uint32_t location)
{
	if (location == MODEL_NONE ||
	    !build_grow(f->build, &f->chains, f->nr_chains, sizeof(*f->chains)))
		return;
	f->chains[f->nr_chains++] = location;
}

static void add_frame_to_chain(struct frames *f, uint32_t frame)
{
	add_to_chain(f, intern_location(f, (struct model_location){ .frame = frame }));
}

/*
 * Adds the locations of one address to the chain: those of functions that the compiler inlined, and
 * that of the function @frame into which.
 */
static void add_inlined_to_chain(struct frames *f, const struct map *map,
				 const struct symbols_location *found, uint32_t frame)
{
	if (!found->nr)
		add_frame_to_chain(f, frame);
	for (unsigned int i = 0; i < found->nr && frame != MODEL_NONE; i++) {
		const struct source_location *p = &found->locations[i];
		struct model_frame *to;

		if (p->inlined)
			frame = frame_of_location(f, map, p);
		if (frame == MODEL_NONE)
			return;
		to = &f->build->model->frames[frame];
		if (to->kind == MODEL_FRAME_FUNCTION && !to->file && p->from_file) {
			to->file = build_text(f->build, p->from_file, strlen(p->from_file));
			to->line = p->from_line;
		}
		f->lines |= p->line || p->inlined;
		add_to_chain(f, intern_location(f, (struct model_location){
			.frame = frame,
			.inlined = p->inlined,
			.file = (char *)p->file,
			.line = p->line,
		}));
	}
}

/* Adds the locations of @address to the chain, or a row that says why it was not resolved. */
static void resolve_address(struct frames *f, uint32_t process, uint64_t address)
{
	const struct map *map = find_map(f, process, address);
	struct build *b = f->build;
	struct symbols *symbols;
	const char *unresolved;
	struct symbols_location found;
	char *shown;

	if (!map) {
		add_frame_to_chain(f, frame_of_kind(f, MODEL_FRAME_UNKNOWN));
		return;
	}
	if (b->options.no_symbols) {
		add_frame_to_chain(f, intern_frame(f, MODEL_FRAME_OBJECT, object_name(b, map->path),
						   map->path, "symbols were not looked up"));
		return;
	}
	symbols = build_symbols(b);
	if (!symbols)
		return;
	unresolved = maps_object_fault(b, process, true, map->build_id_len);
	if (!unresolved)
		unresolved = symbols_find_at(symbols, map->path, map->build_id,
					     map->build_id_len, address - map->start + map->offset,
					     !b->options.no_inline, &found);
	if (unresolved) {
		add_frame_to_chain(f, intern_frame(f, MODEL_FRAME_OBJECT, object_name(b, map->path),
						   map->path, unresolved));
		return;
	}
	shown = build_text(b, found.name, strlen(found.name));
	free(found.name);
	add_inlined_to_chain(f, map, &found,
			     intern_frame(f, MODEL_FRAME_FUNCTION, shown, map->path, NULL));
}

static struct location_chain chain_at(const struct frames *f, uint32_t at)
{
	return (struct location_chain){ &f->chains[at + 1], f->chains[at] };
}

/* Resolves an address into a new chain. The chain's length is stored before its locations. */
static struct location_chain resolve_chain(struct frames *f, uint32_t process, uint64_t at)
{
	uint32_t begin = f->nr_chains;

	add_to_chain(f, 0);
	if (f->build->out_of_memory)
		return (struct location_chain){ NULL, 0 };
	if (f->nr_known == ADDRESSES_MAX)
		add_frame_to_chain(f, frame_of_kind(f, MODEL_FRAME_OTHER));
	else
		resolve_address(f, process, at);
	if (f->build->out_of_memory)
		return (struct location_chain){ NULL, 0 };
	f->chains[begin] = f->nr_chains - begin - 1;
	return chain_at(f, begin);
}

struct location_chain locations_of(struct frames *f, uint32_t process, uint64_t address, bool call)
{
	uint64_t at = address - (call && address);
	uint32_t begin = index_get(&f->known, at, process);
	struct location_chain chain;

	if (begin != INDEX_NONE)
		return chain_at(f, begin);
	begin = f->nr_chains;
	chain = resolve_chain(f, process, at);
	if (f->nr_known == ADDRESSES_MAX) {
		f->nr_chains = begin;
		return chain;
	}
	f->nr_known++;
	if (!index_put(&f->known, at, process, begin))
		f->build->out_of_memory = true;
	return chain;
}

bool frames_have_lines(const struct frames *f)
{
	return f->lines;
}

struct frames *frames_new(struct build *b)
{
	struct frames *f = calloc(1, sizeof(*f));

	if (!f) {
		b->out_of_memory = true;
		return NULL;
	}
	f->build = b;
	maps_for_each(b, add_map, f);
	return f;
}

void frames_free(struct frames *f)
{
	for (uint32_t i = 0; f && i < f->nr_maps; i++)
		free(f->maps[i].path);
	if (f) {
		free(f->maps);
		index_free(&f->map_index);
		index_free(&f->newest);
		index_free(&f->known);
		index_free(&f->by_name);
		index_free(&f->by_line);
		free(f->chains);
	}
	free(f);
}
