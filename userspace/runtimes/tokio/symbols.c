// SPDX-License-Identifier: LGPL-2.1-or-later
/* The program's own symbols, read from its file while its tables are looked for. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../runtime.h"
#include "symbols.h"

/* To read more would hold up each start of the program, also while nobody records. */
#define NAMES_MAX ((size_t)32 << 20)

static bool map_file(struct symbols *symbols)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return false;
	symbols->file = MAP_FAILED;
	if (!fstat(fd, &st) && st.st_size > (off_t)sizeof(ElfW(Ehdr))) {
		symbols->file_size = (size_t)st.st_size;
		symbols->file = mmap(NULL, symbols->file_size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return symbols->file != MAP_FAILED;
}

/* NULL if that is not all in the file. */
static const void *part(const struct symbols *symbols, uint64_t offset, uint64_t size)
{
	return offset <= symbols->file_size && size <= symbols->file_size - offset ?
	       (const char *)symbols->file + offset : NULL;
}

static const ElfW(Shdr) *sections_of(const struct symbols *symbols)
{
	const ElfW(Ehdr) *file = symbols->file;

	return part(symbols, file->e_shoff, (uint64_t)file->e_shnum * sizeof(ElfW(Shdr)));
}

const char *symbols_constants(const struct symbols *symbols, size_t *i, size_t *size)
{
	const ElfW(Ehdr) *file = symbols->file;
	const ElfW(Shdr) *sections = sections_of(symbols);

	while (sections && *i < file->e_shnum) {
		const ElfW(Shdr) *section = &sections[(*i)++];
		const char *begin = part(symbols, section->sh_offset, section->sh_size);

		*size = section->sh_size;
		if (section->sh_type == SHT_PROGBITS && begin &&
		    (section->sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) == SHF_ALLOC)
			return begin;
	}
	return NULL;
}

/* The symbol table, and by *@strings that of its names. */
static const ElfW(Shdr) *find_table(const struct symbols *symbols, const ElfW(Shdr) **strings)
{
	const ElfW(Ehdr) *file = symbols->file;
	const ElfW(Shdr) *sections = sections_of(symbols);

	for (size_t i = 0; sections && i < file->e_shnum; i++) {
		if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= file->e_shnum)
			continue;
		*strings = &sections[sections[i].sh_link];
		return &sections[i];
	}
	return NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

static bool collect(struct symbols *symbols, const ElfW(Sym) *table, size_t count,
		    const char *names, size_t room)
{
	symbols->all = malloc(count * sizeof(*symbols->all));
	if (!symbols->all)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (ELF64_ST_TYPE(table[i].st_info) != STT_FUNC || !table[i].st_size ||
		    table[i].st_name >= room)
			continue;
		symbols->all[symbols->nr++] = (struct symbol){
			symbols->base + table[i].st_value, table[i].st_size,
			names + table[i].st_name,
		};
	}
	qsort(symbols->all, symbols->nr, sizeof(*symbols->all), by_address);
	return true;
}

bool symbols_read(struct symbols *symbols, const char *text)
{
	const ElfW(Shdr) *strings, *table = find_table(symbols, &strings);
	const ElfW(Sym) *all = table ? part(symbols, table->sh_offset, table->sh_size) : NULL;
	const char *names = all ? part(symbols, strings->sh_offset, strings->sh_size) : NULL;

	if (names && strings->sh_size > NAMES_MAX) {
		coroprof_debug("symbols with %zu MB of names, more than %zu: tokio's tasks are not recorded",
			       ((size_t)strings->sh_size >> 20) + 1, NAMES_MAX >> 20);
		return false;
	}
	/* The last name must end in there. */
	if (!names || !strings->sh_size || names[strings->sh_size - 1] ||
	    !memmem(names, strings->sh_size, text, strlen(text)))
		return false;
	return collect(symbols, all, table->sh_size / sizeof(*all), names, strings->sh_size);
}

static bool is_code(const ElfW(Phdr) *part)
{
	return part->p_type == PT_LOAD && (part->p_flags & (PF_R | PF_X)) == (PF_R | PF_X);
}

/* The program is what is reported first. Of several parts that have code the first counts. */
static int find_program(struct dl_phdr_info *object, size_t size, void *data)
{
	struct symbols *symbols = data;

	(void)size;
	symbols->base = object->dlpi_addr;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t begin = symbols->base + part->p_vaddr;

		if (part->p_type == PT_GNU_RELRO) {
			symbols->relro = begin;
			symbols->relro_end = begin + part->p_memsz;
		} else if (is_code(part) && !symbols->code) {
			symbols->code = begin;
			symbols->code_end = begin + part->p_memsz;
		}
	}
	return 1;
}

bool symbol_is_code(const struct symbols *symbols, const struct symbol *symbol)
{
	return symbol->address >= symbols->code && symbol->address <= symbols->code_end &&
	       symbol->size <= symbols->code_end - symbol->address;
}

bool symbols_open(struct symbols *symbols)
{
	*symbols = (struct symbols){ .all = NULL };
	if (!map_file(symbols))
		return false;
	dl_iterate_phdr(find_program, symbols);
	return true;
}

void symbols_close(struct symbols *symbols)
{
	munmap(symbols->file, symbols->file_size);
	free(symbols->all);
}

const struct symbol *symbols_at(const struct symbols *symbols, uintptr_t address,
				const struct symbol **end)
{
	size_t low = 0, high = symbols->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (symbols->all[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < symbols->nr && symbols->all[high].address == address; high++)
		;
	*end = symbols->all + high;
	return low < high ? symbols->all + low : NULL;
}
