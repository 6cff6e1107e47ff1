// SPDX-License-Identifier: GPL-2.0
/*
 * Finds instructions within functions of Go: behind the check of the stack, and at calls of another
 * function.
 */
#include <gelf.h>

#include "base/util.h"
#include "symbols/gocheck.h"
#include "symbols/gocode.h"

/* What go_check_find() looks at. */
#define CHECK 12
/* A function's code is looked through so far. */
#define FAR 0x10000

#define CALL_X86 5
#define CALL_ARM 4

/*
 * The bytes up to the next call of the function at @distance; 0 if there is none. A call's operand
 * counts from behind it, and is too long to be met by chance.
 */
static size_t find_call_x86(const unsigned char *code, size_t size, uint64_t distance)
{
	for (size_t at = 1; at + CALL_X86 <= size; at++)
		if (code[at] == 0xe8 &&
		    u32_at(code + at + 1) == (uint32_t)(distance - at - CALL_X86))
			return at;
	return 0;
}

/* Likewise, of the instruction bl. */
static size_t find_call_arm(const unsigned char *code, size_t size, uint64_t distance)
{
	for (size_t at = CALL_ARM; at + CALL_ARM <= size; at += CALL_ARM)
		if (u32_at(code + at) == (0x94000000 | (((distance - at) >> 2) & 0x3ffffff)))
			return at;
	return 0;
}

static const unsigned char *code_at(Elf *elf, const struct code_location *location, size_t size)
{
	const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)location->offset, size,
						    ELF_T_BYTE);

	return data ? data->d_buf : NULL;
}

static bool is_arm64(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && header.e_machine == EM_AARCH64;
}

static bool advance(struct code_location *location, size_t by)
{
	location->address += by;
	location->offset += by;
	location->size -= by < location->size ? by : location->size;
	return by;
}

static bool find_check(struct go_check *check, const struct code_location *location, Elf *elf)
{
	const unsigned char *code = code_at(elf, location, CHECK);

	return code && go_check_find(check, code, is_arm64(elf));
}

bool go_at_check(struct code_location *location, Elf *elf)
{
	struct go_check check;

	return find_check(&check, location, elf) && advance(location, check.branch);
}

bool go_behind_check(struct code_location *location, Elf *elf)
{
	struct go_check check;

	return find_check(&check, location, elf) && advance(location, check.behind);
}

bool go_next_call(struct code_location *location, Elf *elf, const struct code_location *callee)
{
	size_t size = location->size < FAR ? location->size : FAR;
	const unsigned char *code = code_at(elf, location, size);
	uint64_t distance = callee->address - location->address;

	return code && advance(location, is_arm64(elf) ? find_call_arm(code, size, distance) :
					       find_call_x86(code, size, distance));
}

bool go_behind_call(struct code_location *location, Elf *elf, const struct code_location *callee)
{
	return go_next_call(location, elf, callee) &&
	       advance(location, is_arm64(elf) ? CALL_ARM : CALL_X86);
}
