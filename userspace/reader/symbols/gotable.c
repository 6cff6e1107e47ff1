// SPDX-License-Identifier: GPL-2.0
/*
 * Reads .gopclntab with every offset checked, and finds the offset of a member of the runtime by
 * DWARF, or by a list of versions.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "symbols/elffile.h"
#include "symbols/gotable.h"

/* How the table begins: of Go 1.18 and 1.19, and since. */
#define MAGIC_18	0xfffffff0u
#define MAGIC_20	0xfffffff1u
#define HEADER		72
#define WORD		8

/* In .go.module, since 1.26. */
#define MODULE_TEXT	176
/* Where Go's own linker has programs begin. */
#define GO_ENTRY	"_rt0_"

#define INFO_MAGIC	"\xff Go buildinf:"
#define INFO_HEADER	32
#define INFO_FLAGS	15
#define INFO_INLINE	2

static uint64_t u64_at(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static const Elf_Data *section_data(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = elf_file_section(elf, SHT_PROGBITS, name, header);

	if (!section || header->sh_size > BUDGET_TABLE)
		return NULL;
	return elf_getdata(section, NULL);
}

/*
 * Parses "go1.24.4" of @len bytes, behind which options of the compiler may stand: "go1.27.3
 * X:...".
 */
static unsigned int parse_minor(const char *text, size_t len)
{
	char version[32];
	unsigned int minor;

	if (len >= sizeof(version))
		len = sizeof(version) - 1;
	memcpy(version, text, len);
	version[len] = '\0';
	return sscanf(version, "go1.%u", &minor) == 1 ? minor : 0;
}

bool go_version(Elf *elf, unsigned int *minor)
{
	GElf_Shdr header;
	const Elf_Data *data = section_data(elf, ".go.buildinfo", &header);
	const unsigned char *bytes = data ? data->d_buf : NULL;

	*minor = 0;
	if (!bytes || data->d_size <= INFO_HEADER ||
	    memcmp(bytes, INFO_MAGIC, sizeof(INFO_MAGIC) - 1))
		return false;
	if (bytes[INFO_FLAGS] & INFO_INLINE &&
	    INFO_HEADER + 1 + (size_t)bytes[INFO_HEADER] <= data->d_size)
		*minor = parse_minor((const char *)bytes + INFO_HEADER + 1, bytes[INFO_HEADER]);
	return true;
}

/*
 * Where the code begins. If the table does not have it, since 1.26, the runtime's description of
 * the program does; in a program that is relocated when it is loaded, both are set only then.
 */
static uint64_t text_address(Elf *elf, uint64_t said)
{
	GElf_Shdr header;
	const Elf_Data *module = said ? NULL : section_data(elf, ".go.module", &header);

	if (module && module->d_buf && module->d_size >= MODULE_TEXT + sizeof(said))
		said = u64_at((const unsigned char *)module->d_buf + MODULE_TEXT);
	return said;
}

/*
 * Returns the address of the section .text, with which code begins if the table does not have it; 0
 * if there is C before it: then the program does not start in a function of Go's.
 */
static uint64_t text_section_of_go(Elf *elf, struct go_table *t)
{
	GElf_Shdr header;
	GElf_Ehdr file;
	uint64_t begin, end;
	const char *name;

	if (!elf_file_section(elf, SHT_PROGBITS, ".text", &header) || !gelf_getehdr(elf, &file))
		return 0;
	t->text = header.sh_addr;
	for (uint64_t n = 0; n < t->nr; n++)
		if (go_table_function(t, n, &begin, &end, &name) && begin == file.e_entry)
			return strncmp(name, GO_ENTRY, strlen(GO_ENTRY)) ? 0 : t->text;
	return 0;
}

static bool is_within(const struct go_table *t, uint64_t at, uint64_t size)
{
	return at <= t->size && size <= t->size - at;
}

bool go_table_open(struct go_table *t, Elf *elf)
{
	GElf_Shdr header;
	const Elf_Data *data = section_data(elf, ".gopclntab", &header);

	if (!data || !data->d_buf)
		data = section_data(elf, ".data.rel.ro.gopclntab", &header);
	if (!data || !data->d_buf || data->d_size < HEADER)
		return false;
	*t = (struct go_table){ .bytes = data->d_buf, .size = data->d_size };
	if ((u32_at(t->bytes) != MAGIC_18 && u32_at(t->bytes) != MAGIC_20) || t->bytes[7] != WORD)
		return false;
	t->nr = u64_at(t->bytes + 8);
	t->text = text_address(elf, u64_at(t->bytes + 24));
	t->names = u64_at(t->bytes + 32);
	t->functions = u64_at(t->bytes + 64);
	if (t->nr >= t->size / 8 || !is_within(t, t->names, 1) ||
	    !is_within(t, t->functions, t->nr * 8 + 4))
		return false;
	if (!t->text)
		t->text = text_section_of_go(elf, t);
	return t->text;
}

bool go_table_function(const struct go_table *t, uint64_t n, uint64_t *begin, uint64_t *end,
		       const char **name)
{
	const unsigned char *entry = t->bytes + t->functions + n * 8;
	uint64_t info = t->functions + u32_at(entry + 4), at;

	if (n >= t->nr || !is_within(t, info, 8))
		return false;
	at = t->names + u32_at(t->bytes + info + 4);
	if (!is_within(t, at, 1) || !memchr(t->bytes + at, '\0', t->size - at))
		return false;
	*begin = t->text + u32_at(entry);
	*end = t->text + u32_at(entry + 8);
	*name = (const char *)t->bytes + at;
	return true;
}

/*
 * Of a function: its begin, its name, and so on, all words of 32 bits; how many tables of numbers
 * there are of it; since 1.20 its line; its kind; and where each of those tables is, or 0. One is
 * of what was put into it.
 */
#define NR_TABLES	28
#define KIND_18		36
#define KIND_20		40
#define OF_INLINED	2

bool go_table_marks(const struct go_table *t, uint64_t n, struct go_marks *marks)
{
	uint64_t info = t->functions + u32_at(t->bytes + t->functions + n * 8 + 4), kind;

	kind = info + (u32_at(t->bytes) == MAGIC_18 ? KIND_18 : KIND_20);
	if (n >= t->nr || !is_within(t, info, KIND_20 + 4 + 4 * (OF_INLINED + 1)))
		return false;
	marks->kind = t->bytes[kind];
	marks->inlined = u32_at(t->bytes + info + NR_TABLES) > OF_INLINED &&
			 u32_at(t->bytes + kind + 4 + 4 * OF_INLINED);
	return true;
}

const char *go_table_name(const struct go_table *t, uint64_t address)
{
	uint64_t low = 0, high = t->nr, begin, end;
	const char *name;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!go_table_function(t, middle, &begin, &end, &name))
			return NULL;
		if (begin == address)
			return name;
		if (begin < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* ---- where the start function is */

static bool is_named(Dwarf_Die *die, int tag, const char *name)
{
	const char *its = dwarf_diename(die);

	return dwarf_tag(die) == tag && its && !strcmp(its, name);
}

/* Moves @die to itself or the next one after it that is a @tag of this @name. */
static bool find_sibling(Dwarf_Die *die, int tag, const char *name)
{
	do {
		if (is_named(die, tag, name))
			return true;
	} while (!dwarf_siblingof(die, die));
	return false;
}

static uint64_t offset_in_unit(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type, member;
	Dwarf_Word offset;

	if (dwarf_child(unit, &type) ||
	    !find_sibling(&type, DW_TAG_structure_type, "runtime.g") ||
	    dwarf_child(&type, &member) ||
	    !find_sibling(&member, DW_TAG_member, "startpc") ||
	    !dwarf_attr(&member, DW_AT_data_member_location, &attribute) ||
	    dwarf_formudata(&attribute, &offset))
		return 0;
	return offset;
}

static uint64_t offset_by_dwarf(Elf *elf)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Dwarf_Off at = 0, next;
	uint64_t offset = 0;
	size_t header;

	while (dwarf && !offset &&
	       !dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die unit;

		if (dwarf_offdie(dwarf, at + header, &unit) &&
		    is_named(&unit, DW_TAG_compile_unit, "runtime"))
			offset = offset_in_unit(&unit);
		at = next;
	}
	dwarf_end(dwarf);
	return offset;
}

/* Each offset was looked up in what the compiler of that version has of its runtime. */
static uint64_t offset_by_version(unsigned int minor)
{
	switch (minor) {
	case 19:
		return 312;
	case 24:
	case 27:
		return 304;
	}
	return 0;
}

uint64_t go_start_offset(Elf *elf, unsigned int minor)
{
	uint64_t offset = offset_by_dwarf(elf);

	return offset ? offset : offset_by_version(minor);
}
