// SPDX-License-Identifier: GPL-2.0
/*
 * Finds a function by name in symbol tables or in the table of Go, and where in the file its code
 * is.
 */
#include <gelf.h>
#include <string.h>

#include "symbols/elffile.h"
#include "symbols/function.h"
#include "symbols/gotable.h"

/**
 * struct wanted - a function
 * @name:   whole; of Rust, what the compiler makes of its own
 * @module: of Rust, likewise of where it is; else NULL
 */
struct wanted {
	const char *name;
	const char *module;
};

/* A name that Rust's compiler made ends with the function's own, or with a hash behind it. */
static bool is_of_rust(const char *symbol, const struct wanted *wanted)
{
	const char *module = strstr(symbol, wanted->module);
	const char *name = module ? strstr(module, wanted->name) : NULL;
	const char *end = name ? name + strlen(wanted->name) : NULL;

	return end && (!*end || !strncmp(end, "17h", 3));
}

static bool is_wanted(const char *symbol, const struct wanted *wanted)
{
	return wanted->module ? is_of_rust(symbol, wanted) : !strcmp(symbol, wanted->name);
}

static Elf_Data *table_of(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = elf_file_section(elf, type, NULL, header);

	if (!section || header->sh_size > BUDGET_TABLE ||
	    !elf_file_strings(elf, header->sh_link, BUDGET_TABLE))
		return NULL;
	return elf_getdata(section, NULL);
}

static bool find_in_table(struct code_location *location, Elf *elf, GElf_Word type,
			  const struct wanted *wanted)
{
	GElf_Shdr header;
	Elf_Data *data = table_of(elf, type, &header);
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *its = elf_strptr(elf, header.sh_link, sym.st_name);

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF || !its ||
		    !is_wanted(its, wanted))
			continue;
		location->address = sym.st_value;
		location->size = sym.st_size;
		return true;
	}
	return false;
}

static bool find_of_go(struct code_location *location, Elf *elf, const char *name)
{
	struct go_table table;
	const char *its;
	uint64_t end;

	if (!go_table_open(&table, elf))
		return false;
	for (uint64_t i = 0; i < table.nr; i++) {
		if (!go_table_function(&table, i, &location->address, &end, &its) ||
		    strcmp(its, name))
			continue;
		location->size = end - location->address;
		return true;
	}
	return false;
}

/* What may be called: a function, or what others see of assembly. */
static bool is_entry(const GElf_Sym *sym)
{
	unsigned char type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC ||
		(type == STT_NOTYPE && GELF_ST_BIND(sym->st_info) != STB_LOCAL));
}

static bool table_enters(Elf *elf, GElf_Word type, const struct code_location *location, size_t by)
{
	GElf_Shdr header;
	Elf_Data *data = table_of(elf, type, &header);
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++)
		if (is_entry(&sym) && sym.st_value - location->address - 1 < by)
			return true;
	return false;
}

bool function_has_entry(const struct code_location *location, Elf *elf, size_t by)
{
	return table_enters(elf, SHT_SYMTAB, location, by) ||
	       table_enters(elf, SHT_DYNSYM, location, by);
}

bool function_find_offset(struct code_location *location, Elf *elf)
{
	GElf_Phdr header;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X) ||
		    location->address - header.p_vaddr >= header.p_filesz)
			continue;
		location->offset = location->address - header.p_vaddr + header.p_offset;
		return true;
	}
	return false;
}

bool function_find(struct code_location *location, Elf *elf, const char *name)
{
	const struct wanted wanted = { .name = name };

	return (find_in_table(location, elf, SHT_SYMTAB, &wanted) ||
		find_in_table(location, elf, SHT_DYNSYM, &wanted) ||
		find_of_go(location, elf, name)) && function_find_offset(location, elf);
}

bool function_find_rust(struct code_location *location, Elf *elf, const char *module,
			const char *name)
{
	const struct wanted wanted = { .name = name, .module = module };

	return find_in_table(location, elf, SHT_SYMTAB, &wanted) && function_find_offset(location, elf);
}
