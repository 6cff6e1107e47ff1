// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds what is known of a place of a program, by its file and line. */
#include "place.h"

static struct table_node *buckets[256];
static const struct table places = { buckets, 256, sizeof(struct lua_place_known) };

struct lua_place_known *lua_place_known(const struct lua_api *api, lua_State *L,
					const struct lua_place *place)
{
	/* Functions of C have no place but their code. */
	uintptr_t hash = (uintptr_t)place->line ^ (uintptr_t)api->tocfunction(L, -1);

	for (const char *c = place->file; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3ULL;
	return table_get(&places, hash);
}
