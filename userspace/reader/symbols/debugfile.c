// SPDX-License-Identifier: GPL-2.0
/*
 * Finds files with debug information below /usr/lib/debug, by build id and by debug link, and
 * checks that they belong to the object.
 */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "symbols/debugfile.h"

static bool try_file(const struct debug_search *s, const char *path, const uint32_t *crc)
{
	struct elf_file e;

	if (!elf_file_open(&e, path))
		return false;
	if ((!crc || elf_file_has_crc(&e, *crc, s->budget)) && s->use(s->context, &e))
		return true;
	elf_file_close(&e);
	return false;
}

bool debug_file_by_build_id(const struct debug_search *s, const uint8_t *id, size_t len)
{
	char path[4096];
	int at = snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/", s->root);

	if (len < 2 || at < 0 || (size_t)at + 2 * len + 16 > sizeof(path))
		return false;
	for (size_t i = 0; i < len; i++)
		at += sprintf(path + at, i ? "%02x" : "%02x/", id[i]);
	strcpy(path + at, ".debug");
	return try_file(s, path, NULL);
}

bool debug_file_by_link(const struct debug_search *s, Elf *elf)
{
	static const char *const places[] = {
		"%s%.*s/%s", "%s%.*s/.debug/%s", "%s/usr/lib/debug%.*s/%s",
	};
	const char *slash = strrchr(s->object, '/');
	int dir = slash ? (int)(slash - s->object) : 0;
	char name[256], path[4096];
	uint32_t crc;

	if (!elf_file_debuglink(elf, name, sizeof(name), &crc))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int n = snprintf(path, sizeof(path), places[i], s->root, dir, s->object, name);

		if (n > 0 && (size_t)n < sizeof(path) && try_file(s, path, &crc))
			return true;
	}
	return false;
}
