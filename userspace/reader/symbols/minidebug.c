// SPDX-License-Identifier: GPL-2.0
/*
 * Decompresses .gnu_debugdata within the budget, by the library that libdw uses for the same, and
 * has in the process.
 */
#include <dlfcn.h>
#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elffile.h"
#include "symbols/minidebug.h"

/* What it may need itself: xz's highest level has a dictionary of 64 MiB. */
#define MEMORY (UINT64_C(80) << 20)
#define ROOM_FIRST 4
#define ROOM_MOST (UINT64_C(256) << 20)

/* As of every version of liblzma. */
#define XZ_OK 0
#define XZ_NO_ROOM 10

typedef int decode(uint64_t *memory, uint32_t flags, const void *allocator, const uint8_t *in,
		   size_t *in_at, size_t in_size, uint8_t *out, size_t *out_at, size_t out_size);

static decode *find_decode(void)
{
	decode *function;

	*(void **)&function = dlsym(RTLD_DEFAULT, "lzma_stream_buffer_decode");
	return function;
}

/* How much it comes to is not known before. NULL: nothing that makes sense, or too much. */
static char *decompress(const Elf_Data *data, size_t *size, struct budget *budget)
{
	decode *function = find_decode();
	uint64_t memory = MEMORY;
	char *bytes = NULL;
	size_t room, at;
	int result = XZ_NO_ROOM;

	for (room = data->d_size * ROOM_FIRST; function && result == XZ_NO_ROOM && room <= ROOM_MOST;
	     room *= 2) {
		free(bytes);
		bytes = budget_read(budget, room) ? malloc(room) : NULL;
		if (!bytes)
			return NULL;
		at = 0;
		*size = 0;
		result = function(&memory, 0, NULL, data->d_buf, &at, data->d_size,
				  (uint8_t *)bytes, size, room);
	}
	if (result == XZ_OK)
		return bytes;
	free(bytes);
	return NULL;
}

bool mini_debug_open(struct mini_debug *m, Elf *of, struct budget *budget)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(of, SHT_PROGBITS, ".gnu_debugdata", &header);
	const Elf_Data *data = NULL;
	size_t size = 0;

	*m = (struct mini_debug){ NULL, NULL };
	if (section && header.sh_size && header.sh_size <= ROOM_MOST / ROOM_FIRST &&
	    budget_read(budget, header.sh_size))
		data = elf_getdata(section, NULL);
	if (data && data->d_buf)
		m->bytes = decompress(data, &size, budget);
	if (m->bytes)
		m->elf = elf_file_memory(m->bytes, size);
	if (m->elf)
		return true;
	mini_debug_close(m);
	return false;
}

void mini_debug_close(struct mini_debug *m)
{
	elf_end(m->elf);
	free(m->bytes);
	*m = (struct mini_debug){ NULL, NULL };
}
