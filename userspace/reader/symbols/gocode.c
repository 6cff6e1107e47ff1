// SPDX-License-Identifier: GPL-2.0
#include <gelf.h>

#include "base/util.h"
#include "symbols/gocheck.h"
#include "symbols/gocode.h"

/* A function's code is looked at so far. */
#define NEAR 256

/* call; its operand counts from behind it. That one is met by chance is out of the question. */
static size_t call_x86(const unsigned char *code, uint64_t distance)
{
	for (size_t at = 0; at + 5 <= NEAR; at++)
		if (code[at] == 0xe8 && u32_at(code + at + 1) == (uint32_t)(distance - at - 5))
			return at + 5;
	return 0;
}

/* bl */
static size_t call_arm(const unsigned char *code, uint64_t distance)
{
	for (size_t at = 0; at + 4 <= NEAR; at += 4)
		if (u32_at(code + at) == (0x94000000 | (((distance - at) >> 2) & 0x3ffffff)))
			return at + 4;
	return 0;
}

static const unsigned char *code_at(Elf *elf, const struct place *place)
{
	const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)place->offset, NEAR,
						    ELF_T_BYTE);

	return data ? data->d_buf : NULL;
}

static bool is_arm(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && header.e_machine == EM_AARCH64;
}

static bool move(struct place *place, size_t by)
{
	place->address += by;
	place->offset += by;
	place->size -= by < place->size ? by : place->size;
	return by;
}

static bool find_check(struct go_check *check, const struct place *place, Elf *elf)
{
	const unsigned char *code = code_at(elf, place);

	return code && go_check_find(check, code, is_arm(elf));
}

bool go_at_check(struct place *place, Elf *elf)
{
	struct go_check check;

	return find_check(&check, place, elf) && move(place, check.branch);
}

bool go_behind_check(struct place *place, Elf *elf)
{
	struct go_check check;

	return find_check(&check, place, elf) && move(place, check.behind);
}

bool go_behind_call(struct place *place, Elf *elf, const struct place *callee)
{
	const unsigned char *code = code_at(elf, place);
	uint64_t distance = callee->address - place->address;

	return code && move(place, is_arm(elf) ? call_arm(code, distance) :
					       call_x86(code, distance));
}
