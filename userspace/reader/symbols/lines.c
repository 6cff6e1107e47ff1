// SPDX-License-Identifier: GPL-2.0
/*
 * Finds functions and lines of an address with libdw, one unit at a time. Checks sizes of tables
 * before libdw reads them.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "symbols/lines.h"
#include "symbols/search.h"

/* More than any program has, of units, their parts, and functions. */
#define RANGES_MAX	(4u << 20)

/* So many of what is read between two looks at the clock. */
#define LOOK_EACH	256

/**
 * struct address_range - addresses, and what they are of
 * @begin: first; see search_begun()
 * @end:   behind the last
 * @die:   unit or function
 * @unit:  of a unit: which
 */
struct address_range {
	uint64_t begin;
	uint64_t end;
	Dwarf_Die die;
	uint32_t unit;
};

/**
 * struct ranges - many of them
 * @list: in order, once they are sorted
 * @nr:   how many
 */
struct ranges {
	struct address_range *list;
	uint32_t nr;
};

/**
 * struct unit - what one source file was compiled to
 * @functions: in it, once they are looked for
 * @known:     they were
 * @refused:   its table of lines is larger than may be read
 */
struct unit {
	struct ranges functions;
	bool known;
	bool refused;
};

/**
 * struct lines - the debug information of an object file
 * @file:     that has it
 * @alt:      what dwz took out of it
 * @budget:   of time
 * @dwarf:    of @file
 * @alt_dwarf: of @alt, or NULL
 * @ranges:   of units
 * @units:    as ranges have them
 * @nr_units: how many
 * @over:     there is no more time, or memory
 */
struct lines {
	struct elf_file file;
	struct elf_file alt;
	struct budget *budget;
	Dwarf *dwarf;
	Dwarf *alt_dwarf;
	struct ranges ranges;
	struct unit *units;
	uint32_t nr_units;
	bool over;
};

/* ------------------------------------------------------------------------
 * sections
 */

/* The size of a section once it is read; 0 if that is not known. */
static uint64_t section_size(Elf_Scn *section, const GElf_Shdr *header)
{
	GElf_Chdr compressed;

	if (!(header->sh_flags & SHF_COMPRESSED))
		return header->sh_size;
	return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
}

/* The size of all debug information; 0 if there is none, UINT64_MAX if it is not known. */
static uint64_t debug_size(Elf *elf)
{
	Elf_Scn *section = NULL;
	bool has_info = false;
	uint64_t sum = 0;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) || !elf_file_strings(elf, names, BUDGET_NOTES))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ?
				   elf_strptr(elf, names, header.sh_name) : NULL;
		uint64_t size = name ? section_size(section, &header) : 0;

		if (!name || header.sh_type == SHT_NOBITS)
			continue;
		/* An older way to compress, which nothing bounds. */
		if (!strncmp(name, ".zdebug_", 8))
			return UINT64_MAX;
		if (strncmp(name, ".debug_", 7))
			continue;
		if (size > BUDGET_TABLE)
			return UINT64_MAX;
		sum += size;
		has_info |= !strcmp(name, ".debug_info");
	}
	return has_info ? sum : 0;
}

bool lines_are_in(Elf *elf, struct budget *budget)
{
	uint64_t size = debug_size(elf);

	return size && budget_read(budget, size);
}

size_t lines_alt_build_id(Elf *elf, uint8_t *id, size_t capacity)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(elf, SHT_PROGBITS, ".gnu_debugaltlink", &header);
	Elf_Data *data = section && header.sh_size <= BUDGET_NOTES ?
			 elf_getdata(section, NULL) : NULL;
	size_t name, len;

	if (!data || !data->d_buf)
		return 0;
	name = strnlen(data->d_buf, data->d_size) + 1;
	len = name < data->d_size ? data->d_size - name : 0;
	if (len > capacity)
		return 0;
	memcpy(id, (char *)data->d_buf + name, len);
	return len;
}

/* ------------------------------------------------------------------------
 * ranges
 */

static int compare_ranges(const void *a, const void *b)
{
	const struct address_range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin > y->begin ? 1 : -1;
	/* What is within another comes behind it. */
	return (x->end < y->end) - (x->end > y->end);
}

static void add_range(struct lines *l, struct ranges *r, const struct address_range *range)
{
	if (range->begin >= range->end)
		return;
	if (r->nr == RANGES_MAX || !array_grow(&r->list, r->nr, sizeof(*r->list))) {
		l->over = true;
		return;
	}
	r->list[r->nr++] = *range;
}

static void add_ranges(struct lines *l, struct ranges *r, Dwarf_Die *die, uint32_t unit)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while (!l->over && (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0)
		add_range(l, r, &(struct address_range){ begin, end, *die, unit });
}

static void sort_ranges(struct ranges *r)
{
	if (r->nr)
		qsort(r->list, r->nr, sizeof(*r->list), compare_ranges);
}

/* The innermost range with the address, or the last one; NULL if there is none. */
static struct address_range *range_at(const struct ranges *r, uint64_t address)
{
	size_t low = search_begun(r->list, r->nr, sizeof(*r->list), address);

	return low && address < r->list[low - 1].end ? &r->list[low - 1] : NULL;
}

/* ------------------------------------------------------------------------
 * units
 */

static void read_units(struct lines *l)
{
	uint64_t began = budget_begin();
	Dwarf_Off at = 0, next;
	Dwarf_Die die;
	size_t header;

	for (; !l->over && !dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL);
	     at = next) {
		if (!dwarf_offdie(l->dwarf, at + header, &die))
			continue;
		add_ranges(l, &l->ranges, &die, l->nr_units++);
		if (l->nr_units % LOOK_EACH == 0 && !budget_time(l->budget, &began))
			l->over = true;
	}
	sort_ranges(&l->ranges);
	l->units = calloc((size_t)l->nr_units + 1, sizeof(*l->units));
	l->over |= !l->units || !budget_time(l->budget, &began);
}

struct lines *lines_open(struct elf_file *file, struct elf_file *alt, struct budget *budget)
{
	struct lines *l = calloc(1, sizeof(*l));

	if (!l) {
		elf_file_close(file);
		if (alt)
			elf_file_close(alt);
		return NULL;
	}
	l->file = *file;
	l->alt = alt ? *alt : (struct elf_file){ .fd = -1 };
	l->budget = budget;
	l->dwarf = dwarf_begin_elf(l->file.elf, DWARF_C_READ, NULL);
	if (l->dwarf && alt) {
		l->alt_dwarf = dwarf_begin_elf(l->alt.elf, DWARF_C_READ, NULL);
		dwarf_setalt(l->dwarf, l->alt_dwarf);
	}
	if (!l->dwarf || (alt && !l->alt_dwarf)) {
		lines_close(l);
		return NULL;
	}
	read_units(l);
	return l;
}

void lines_close(struct lines *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; l->units && i < l->nr_units; i++)
		free(l->units[i].functions.list);
	free(l->units);
	free(l->ranges.list);
	dwarf_end(l->dwarf);
	dwarf_end(l->alt_dwarf);
	elf_file_close(&l->file);
	elf_file_close(&l->alt);
	free(l);
}

/* ------------------------------------------------------------------------
 * functions
 */

/**
 * struct unit_reader - the functions of a unit
 */
struct unit_reader {
	struct lines *lines;
	struct unit *unit;
};

static int add_function(Dwarf_Die *die, void *context)
{
	struct unit_reader *r = context;

	add_ranges(r->lines, &r->unit->functions, die, 0);
	return r->lines->over ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* The length at the begin @at of a table of lines, in the byte order of the object. */
static uint64_t table_length(Elf *elf, const char *at)
{
	bool big = elf_getident(elf, NULL)[EI_DATA] == ELFDATA2MSB;
	uint32_t length;
	uint64_t longer;

	memcpy(&length, at, sizeof(length));
	if (length != UINT32_MAX)
		return big ? be32toh(length) : le32toh(length);
	memcpy(&longer, at + sizeof(length), sizeof(longer));
	return big ? be64toh(longer) : le64toh(longer);
}

/* The size of a unit's table of lines, which libdw reads at once; 0 if there is none. */
static uint64_t table_size(struct lines *l, Dwarf_Die *unit)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(l->file.elf, SHT_PROGBITS, ".debug_line", &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	Dwarf_Attribute attribute;
	Dwarf_Word at;

	if (!data || !data->d_buf || !dwarf_attr(unit, DW_AT_stmt_list, &attribute) ||
	    dwarf_formudata(&attribute, &at) || at > data->d_size || data->d_size - at < 12)
		return 0;
	return table_length(l->file.elf, (const char *)data->d_buf + at);
}

static void read_functions(struct lines *l, struct unit *unit, Dwarf_Die *die)
{
	struct unit_reader reading = { l, unit };

	unit->known = true;
	unit->refused = !budget_table(l->budget, table_size(l, die));
	if (unit->refused)
		return;
	dwarf_getfuncs(die, add_function, &reading, 0);
	sort_ranges(&unit->functions);
}

/* Moves @die to its child with the address: an inlined function, or a block of these. */
static bool enter_child(Dwarf_Die *die, uint64_t address)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
		    dwarf_haspc(&child, address) > 0) {
			*die = child;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

static uint32_t line_number(int line)
{
	return line > 0 ? (uint32_t)line : 0;
}

static void set_function(struct source_location *to, Dwarf_Die *die)
{
	int line = 0;

	to->inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
	to->name = to->inlined ? function_name(die) : NULL;
	to->from_file = dwarf_decl_file(die);
	if (!dwarf_decl_line(die, &line))
		to->from_line = line_number(line);
}

/* Sets file and line where the inlined function @die was called. */
static void set_call_line(struct source_location *to, Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t nr;

	if (dwarf_attr(die, DW_AT_call_line, &attribute) &&
	    !dwarf_formudata(&attribute, &number) && number <= INT32_MAX)
		to->line = (uint32_t)number;
	if (dwarf_attr(die, DW_AT_call_file, &attribute) &&
	    !dwarf_formudata(&attribute, &number) &&
	    !dwarf_getsrcfiles(unit, &files, &nr) && number < nr)
		to->file = dwarf_filesrc(files, number, NULL, NULL);
}

static void set_line(struct source_location *to, Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0;

	if (!line)
		return;
	to->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number))
		to->line = line_number(number);
}

static unsigned int find_locations(struct lines *l, uint64_t address,
				   struct source_location *locations)
{
	struct address_range *unit = range_at(&l->ranges, address), *function;
	unsigned int nr = 0;
	Dwarf_Die die;

	if (!unit)
		return 0;
	memset(locations, 0, LINES_DEPTH * sizeof(*locations));
	if (!l->units[unit->unit].known)
		read_functions(l, &l->units[unit->unit], &unit->die);
	if (l->units[unit->unit].refused)
		return 0;
	function = range_at(&l->units[unit->unit].functions, address);
	if (function) {
		die = function->die;
		set_function(&locations[nr++], &die);
	} else {
		/* Of assembly, lines are known, and no functions. */
		set_line(&locations[0], &unit->die, address);
		return locations[0].line ? 1 : 0;
	}
	while (enter_child(&die, address)) {
		if (dwarf_tag(&die) != DW_TAG_inlined_subroutine)
			continue;
		set_call_line(&locations[nr - 1], &unit->die, &die);
		if (nr == LINES_DEPTH)
			return nr;
		set_function(&locations[nr++], &die);
	}
	set_line(&locations[nr - 1], &unit->die, address);
	return nr;
}

unsigned int lines_find(struct lines *l, uint64_t address,
			struct source_location locations[LINES_DEPTH])
{
	uint64_t began = budget_begin();
	unsigned int nr = l->over ? 0 : find_locations(l, address, locations);

	l->over |= !budget_time(l->budget, &began);
	return l->over ? 0 : nr;
}
