// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the only call of a wrapper. What the table says of a function is by which marks it is known,
 * and whether the compiler has put others into it.
 */
#include <gelf.h>
#include <string.h>

#include "base/util.h"
#include "symbols/function.h"
#include "symbols/gowrap.h"

/* Wrappers are short. */
#define FAR 4096

/* The last mark there is is theirs. 1.18 has no fewer than so many. */
#define MARKS_LEAST 16

#define CALL_X86 5
#define CALL_ARM 4

unsigned int go_wrapper_mark(const struct go_table *t)
{
	unsigned int mark = 0;
	struct go_marks marks;

	for (uint64_t n = 0; n < t->nr; n++)
		if (go_table_marks(t, n, &marks) && marks.kind > mark)
			mark = marks.kind;
	return mark < MARKS_LEAST ? 0 : mark;
}

/* Of code of either machine; 0: no call begins there. Addresses beyond a word wrap around. */
static uint64_t target_x86(const unsigned char *code, uint64_t address)
{
	return code[0] == 0xe8 ? address + CALL_X86 + (uint64_t)(int32_t)u32_at(code + 1) : 0;
}

static uint64_t target_arm(const unsigned char *code, uint64_t address)
{
	uint32_t word = u32_at(code);

	/* bl: the sign is the highest of 26 bits. */
	if (word >> 26 != 0x25)
		return 0;
	return address + (uint64_t)((int64_t)((uint64_t)word << 38) >> 36);
}

/* What methods of embedded types have is a wrapper, too, of which programs have thousands. */
static bool begins_goroutines(const char *name)
{
	const char *last = strrchr(name, '.');

	return last && (!strncmp(last, ".gowrap", 7) || !strncmp(last, ".func", 5));
}

/* Each wrapper may look for more stack, and tell the garbage collector. */
static bool is_of_runtime(const char *name)
{
	return !strncmp(name, "runtime.", strlen("runtime."));
}

/* The only one that is called; that a function begins by chance where other bytes lead is no matter. */
static const char *called_by(const struct go_table *t, const unsigned char *code,
			     const struct code_location *at, bool arm)
{
	size_t step = arm ? CALL_ARM : 1, size = arm ? CALL_ARM : CALL_X86;
	const char *found = NULL, *name;
	uint64_t target;

	for (size_t i = 0; i + size <= at->size; i += step) {
		target = arm ? target_arm(code + i, at->address + i) :
			       target_x86(code + i, at->address + i);
		name = target ? go_table_name(t, target) : NULL;
		if (!name || is_of_runtime(name))
			continue;
		if (found && strcmp(found, name))
			return NULL;
		found = name;
	}
	return found;
}

const char *go_wrapped(const struct go_table *t, Elf *elf, unsigned int mark, uint64_t n)
{
	struct code_location at = { 0 };
	const Elf_Data *data;
	struct go_marks marks;
	GElf_Ehdr header;
	const char *name;
	uint64_t end;

	if (!mark || !go_table_marks(t, n, &marks) || marks.kind != mark || marks.inlined ||
	    !go_table_function(t, n, &at.address, &end, &name) || end <= at.address ||
	    !begins_goroutines(name) || end - at.address > FAR || !gelf_getehdr(elf, &header))
		return NULL;
	at.size = end - at.address;
	if (!function_find_offset(&at, elf))
		return NULL;
	if (header.e_machine != EM_AARCH64 && header.e_machine != EM_X86_64)
		return NULL;
	data = elf_getdata_rawchunk(elf, (int64_t)at.offset, at.size, ELF_T_BYTE);
	return data ? called_by(t, data->d_buf, &at, header.e_machine == EM_AARCH64) : NULL;
}
