// SPDX-License-Identifier: GPL-2.0
/*
 * Loads functions and lines of object files in the process of jail.c: symbols, then Go's table,
 * then debug files, all within budget.h.
 */
#include <errno.h>
#include <gelf.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/budget.h"
#include "symbols/clone.h"
#include "symbols/debugfile.h"
#include "symbols/elffile.h"
#include "symbols/gotable.h"
#include "symbols/gowrap.h"
#include "symbols/kept.h"
#include "symbols/lines.h"
#include "symbols/lookup.h"
#include "symbols/minidebug.h"
#include "symbols/symbols.h"
#include "symbols/search.h"

/* Demanglers take long for what no compiler writes. */
#define NAME_LENGTH	4096

/* So many functions between two looks at the clock. */
#define LOOK_EACH	4096

/* Symbols of size 0, from assembly, reach to the next; but no further. */
#define UNSIZED_REACH	4096

/* An object has about four that are loaded. */
#define LOADS_MAX	64

/**
 * struct function - in the order of their begins: see search_begun()
 * @begin: its address
 * @end:   behind it
 * @name:  as in the file
 * @wraps: all it does is to call this one; NULL for most
 */
struct function {
	uint64_t begin;
	uint64_t end;
	char *name;
	char *wraps;
};

/**
 * struct load - a part of an object file that is mapped
 * @offset:  in the file
 * @size:    bytes in the file
 * @address: as in its symbol table
 */
struct load {
	uint64_t offset;
	uint64_t size;
	uint64_t address;
};

/**
 * struct object - an object file and its functions
 * @next:         list
 * @path:         as recorded
 * @budget:       what its symbols may cost
 * @build_id:     that it was to have
 * @build_id_len: 0 if none
 * @given_up:     what of it is too large to be read, or NULL
 * @fault:        why it has no functions, or NULL
 * @functions:    sorted by begin
 * @nr_functions: how many
 * @loads:        what of it is mapped
 * @nr_loads:     how many; 0 if the object is not here
 * @lines:        its debug information; NULL: none, or not looked for yet
 * @lines_sought: it was
 */
struct object {
	struct object *next;
	char *path;
	struct budget *budget;
	uint8_t build_id[64];
	size_t build_id_len;
	const char *given_up;
	const char *fault;
	struct function *functions;
	size_t nr_functions;
	struct load loads[LOADS_MAX];
	size_t nr_loads;
	struct lines *lines;
	bool lines_sought;
};

struct lookup {
	char *root;
	struct budget budget;
	struct budget lines;
	struct object *objects;
	char kept[KEPT_PATH];
};

struct lookup *lookup_new(const char *root)
{
	struct lookup *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->budget = budget_full();
	s->lines = budget_lines();
	s->root = strdup(root && strcmp(root, "/") ? root : "");
	if (!s->root || elf_version(EV_CURRENT) == EV_NONE) {
		lookup_free(s);
		return NULL;
	}
	return s;
}

void lookup_set_kept(struct lookup *s, const char *path)
{
	snprintf(s->kept, sizeof(s->kept), "%s", path);
}

/* All but so many. */
static void drop_functions(struct object *o, size_t but)
{
	for (; o->nr_functions > but; o->nr_functions--) {
		free(o->functions[o->nr_functions - 1].name);
		free(o->functions[o->nr_functions - 1].wraps);
	}
	if (but)
		return;
	free(o->functions);
	o->functions = NULL;
}

static void free_object(struct object *o)
{
	drop_functions(o, 0);
	lines_close(o->lines);
	free(o->path);
	free(o);
}

void lookup_free(struct lookup *s)
{
	while (s && s->objects) {
		struct object *o = s->objects;

		s->objects = o->next;
		free_object(o);
	}
	if (s)
		free(s->root);
	free(s);
}

/* ---- functions */

static bool is_function(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       sym->st_shndx != SHN_UNDEF;
}

/* False when there is no room for any more. */
static bool add_function(struct object *o, const GElf_Sym *sym,
			 const char *name, bool thumb)
{
	struct function *f = &o->functions[o->nr_functions];
	/* Bit 0 of an arm function says which instruction set it is in. */
	uint64_t begin = sym->st_value & ~(uint64_t)thumb;

	if (!name || !*name || begin + sym->st_size < begin)
		return true;
	if (!budget_function(o->budget, strnlen(name, NAME_LENGTH)))
		return false;
	f->name = strndup(name, NAME_LENGTH);
	if (!f->name)
		return false;
	f->begin = begin;
	f->end = begin + sym->st_size;
	o->nr_functions++;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin > y->begin ? 1 : -1;
	/* The largest first, and names in order: the same answer every time. */
	if (x->end != y->end)
		return x->end < y->end ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void extend_unsized(struct object *o)
{
	for (size_t i = 0; i < o->nr_functions; i++) {
		struct function *f = &o->functions[i];
		uint64_t next = i + 1 < o->nr_functions ?
				o->functions[i + 1].begin : UINT64_MAX;

		if (f->end == f->begin)
			f->end = next - f->begin < UNSIZED_REACH ? next :
				 f->begin + UNSIZED_REACH;
	}
}

/* The table, if that and its names are no larger than may be read. */
static Elf_Data *table_data(struct object *o, Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = elf_file_section(elf, type, NULL, header);
	uint64_t names;

	if (!section)
		return NULL;
	names = elf_file_strings(elf, header->sh_link, BUDGET_TABLE);
	if (header->sh_size > BUDGET_TABLE || !names) {
		o->given_up = "given up: its table of symbols, or that of their names, is larger than 512 MiB, or compressed";
		return NULL;
	}
	return budget_read(o->budget, header->sh_size + names) ? elf_getdata(section, NULL) : NULL;
}

static bool read_functions(struct object *o, Elf *elf, Elf_Data *data, size_t names, bool arm)
{
	size_t nr = data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t before = o->nr_functions, capacity = before + 1;
	uint64_t begin = budget_begin();
	struct function *functions;
	bool going = true;
	GElf_Sym sym;

	for (size_t i = 0; i < nr; i++)
		capacity += gelf_getsym(data, (int)i, &sym) && is_function(&sym);
	functions = realloc(o->functions, capacity * sizeof(*functions));
	if (!functions)
		return false;
	memset(functions + before, 0, (capacity - before) * sizeof(*functions));
	o->functions = functions;
	for (size_t i = 0; i < nr && going; i++) {
		if (gelf_getsym(data, (int)i, &sym) && is_function(&sym))
			going = add_function(o, &sym, elf_strptr(elf, names, sym.st_name), arm);
		if (i % LOOK_EACH == 0 && !budget_time(o->budget, &begin))
			going = false;
	}
	return o->nr_functions > before && going;
}

static bool read_table(struct object *o, Elf *elf, GElf_Word type)
{
	GElf_Shdr header;
	Elf_Data *data = table_data(o, elf, type, &header);
	size_t before = o->nr_functions;
	GElf_Ehdr file;

	if (!data || !gelf_getehdr(elf, &file))
		return false;
	if (!read_functions(o, elf, data, header.sh_link, file.e_machine == EM_ARM)) {
		drop_functions(o, before);
		return false;
	}
	qsort(o->functions, o->nr_functions, sizeof(*o->functions), by_address);
	extend_unsized(o);
	return true;
}

/* Beside them a stripped program has those that it exports. */
static bool read_mini_debug(struct object *o, Elf *elf)
{
	struct mini_debug mini;
	bool has;

	if (!mini_debug_open(&mini, elf, o->budget))
		return false;
	has = read_table(o, mini.elf, SHT_SYMTAB);
	mini_debug_close(&mini);
	if (has)
		read_table(o, elf, SHT_DYNSYM);
	return has;
}

/* A program of Go that is stripped has them still. */
static bool read_go_table(struct object *o, Elf *elf)
{
	struct go_table table;
	uint64_t begin, end;
	const char *name;

	if (!go_table_open(&table, elf) || !budget_read(o->budget, table.size))
		return false;
	o->functions = calloc(table.nr + 1, sizeof(*o->functions));
	for (uint64_t i = 0; o->functions && i < table.nr; i++) {
		GElf_Sym sym = { 0 };

		if (!go_table_function(&table, i, &begin, &end, &name) || end < begin)
			continue;
		sym.st_value = begin;
		sym.st_size = end - begin;
		if (!add_function(o, &sym, name, false))
			break;
	}
	if (!o->nr_functions) {
		drop_functions(o, 0);
		return false;
	}
	qsort(o->functions, o->nr_functions, sizeof(*o->functions), by_address);
	return true;
}

/* The last that begins at or below the address, of those the first. */
static struct function *function_at(const struct object *o, uint64_t address)
{
	size_t low = search_begun(o->functions, o->nr_functions, sizeof(*o->functions), address);

	if (!low)
		return NULL;
	while (low > 1 &&
	       o->functions[low - 2].begin == o->functions[low - 1].begin)
		low--;
	return address < o->functions[low - 1].end ? &o->functions[low - 1] :
						     NULL;
}

static void add_wrapped(struct object *o, Elf *elf, const struct go_table *table, unsigned int mark,
			uint64_t n)
{
	const char *wrapped = go_wrapped(table, elf, mark, n), *name;
	struct function *f;
	uint64_t begin, end;

	if (!wrapped || !go_table_function(table, n, &begin, &end, &name))
		return;
	f = function_at(o, begin);
	if (f && f->begin == begin && !f->wraps &&
	    budget_function(o->budget, strnlen(wrapped, NAME_LENGTH)))
		f->wraps = strndup(wrapped, NAME_LENGTH);
}

/* Of Go: who begins a goroutine names another function than that which the goroutine begins with. */
static void read_wrapped(struct object *o, Elf *elf)
{
	uint64_t begin = budget_begin();
	struct go_table table;
	unsigned int mark;

	if (!go_table_open(&table, elf) || !budget_read(o->budget, table.size))
		return;
	mark = go_wrapper_mark(&table);
	for (uint64_t n = 0; n < table.nr; n++) {
		if (n % LOOK_EACH == 0 && !budget_time(o->budget, &begin))
			return;
		add_wrapped(o, elf, &table, mark, n);
	}
}

/* ---- separate debug files */

static bool take_functions(void *context, struct elf_file *e)
{
	struct object *o = context;

	if (!read_table(o, e->elf, SHT_SYMTAB))
		return false;
	elf_file_close(e);
	return true;
}

static struct debug_search search_of(struct object *o, const char *root,
				     bool (*use)(void *context, struct elf_file *file))
{
	return (struct debug_search){ root, o->path, o->budget, use, o };
}

/* ---- objects */

static void read_loads(struct object *o, Elf *elf)
{
	GElf_Phdr header;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return;
	for (size_t i = 0; i < nr && o->nr_loads < LOADS_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &header) &&
		    header.p_type == PT_LOAD)
			o->loads[o->nr_loads++] = (struct load){
				header.p_offset, header.p_filesz,
				header.p_vaddr,
			};
}

/* Why the object has no functions, or NULL. */
static const char *read_object(struct object *o, const char *root, Elf *elf)
{
	uint8_t id[64];
	size_t len = elf_file_build_id(elf, id, sizeof(id));
	struct debug_search search = search_of(o, root, take_functions);

	if (o->build_id_len &&
	    (len != o->build_id_len || memcmp(id, o->build_id, len)))
		return "the object file is not the one that was recorded: its build id differs";
	read_loads(o, elf);
	if (read_table(o, elf, SHT_SYMTAB) ||
	    debug_file_by_build_id(&search, id, len) || debug_file_by_link(&search, elf) ||
	    read_go_table(o, elf) || read_mini_debug(o, elf) || read_table(o, elf, SHT_DYNSYM)) {
		read_wrapped(o, elf);
		return NULL;
	}
	return SYMBOLS_NONE;
}

/* What was given up comes first. */
static const char *fault_of(struct object *o, const char *fault)
{
	if (!o->given_up)
		o->given_up = o->budget->gone;
	return fault && o->given_up ? o->given_up : fault;
}

/* Why the object can't be looked at, or NULL. */
static const char *open_object(const struct lookup *s, const struct object *o, struct elf_file *e)
{
	char path[4096];
	int n;

	if (*s->kept && elf_file_open(e, s->kept))
		return NULL;
	n = snprintf(path, sizeof(path), "%s%s", s->root, o->path);
	if (o->path[0] != '/' || n < 0 || (size_t)n >= sizeof(path))
		return "the object file is not here";
	errno = 0;
	if (elf_file_open(e, path))
		return NULL;
	return errno == ENOENT || errno == ENOTDIR ? "the object file is not here" :
						     "the object file can't be read";
}

static void load(struct lookup *s, struct object *o)
{
	struct debug_search search = search_of(o, s->root, take_functions);
	struct elf_file e;

	s->budget.gone = NULL;
	o->fault = open_object(s, o, &e);
	if (!o->fault) {
		o->fault = fault_of(o, read_object(o, s->root, e.elf));
		elf_file_close(&e);
	} else if (debug_file_by_build_id(&search, o->build_id, o->build_id_len)) {
		/* Its symbols are here even if the object is not. */
		o->fault = NULL;
	}
}

static bool same_object(const struct object *o, const char *path,
			const uint8_t *build_id, size_t len)
{
	return !strcmp(o->path, path) && o->build_id_len == len &&
	       !memcmp(o->build_id, build_id, len);
}

static struct object *object_of(struct lookup *s, const char *path,
				const uint8_t *build_id, size_t len)
{
	struct object *o;

	if (len > sizeof(o->build_id))
		len = 0;
	for (o = s->objects; o; o = o->next)
		if (same_object(o, path, build_id, len))
			return o;
	o = calloc(1, sizeof(*o));
	if (!o)
		return NULL;
	o->path = strdup(path);
	if (!o->path) {
		free(o);
		return NULL;
	}
	memcpy(o->build_id, build_id, len);
	o->build_id_len = len;
	o->budget = &s->budget;
	o->next = s->objects;
	s->objects = o;
	load(s, o);
	return o;
}

char *lookup_readable(const char *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO;
	char *source = clone_of(name), *plain;

	plain = source ? cplus_demangle(source, options | DMGL_RET_DROP) :
			 cplus_demangle(name, options);
	if (source && plain)
		clone_shorten(plain);
	free(source);
	return plain ? plain : strdup(name);
}

/* What has @begun is what somebody had begun; else a wrapper is a function as others are. */
static const char *name_at(const struct object *o, uint64_t address, bool begun, char **name)
{
	const struct function *f = function_at(o, address);

	if (!f && o->given_up)
		return o->given_up;
	if (!f)
		return SYMBOLS_NO_FUNCTION;
	*name = lookup_readable(begun && f->wraps ? f->wraps : f->name);
	return *name ? NULL : "out of memory";
}

static const char *find_object(struct lookup *s, const char *path,
			       const uint8_t *build_id, size_t build_id_len,
			       struct object **o)
{
	static const uint8_t none[1];

	*o = object_of(s, path, build_id_len ? build_id : none, build_id_len);
	return *o ? (*o)->fault : "out of memory";
}

const char *lookup_find(struct lookup *s, const char *object,
			 const uint8_t *build_id, size_t build_id_len,
			 uint64_t address, char **name)
{
	struct object *o;
	const char *fault = find_object(s, object, build_id, build_id_len, &o);

	*name = NULL;
	return fault ? fault : name_at(o, address, true, name);
}

/* Where a place in the file is, as in its symbol table. */
static bool address_of(const struct object *o, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < o->nr_loads; i++) {
		const struct load *l = &o->loads[i];

		if (offset - l->offset < l->size) {
			*address = offset - l->offset + l->address;
			return true;
		}
	}
	return false;
}

const char *lookup_find_at(struct lookup *s, const char *object,
			    const uint8_t *build_id, size_t build_id_len,
			    uint64_t offset, char **name)
{
	struct object *o;
	const char *fault = find_object(s, object, build_id, build_id_len, &o);
	uint64_t address;

	*name = NULL;
	if (fault)
		return fault;
	if (address_of(o, offset, &address))
		return name_at(o, address, false, name);
	return o->nr_loads ? "the object file has nothing mapped there" :
			     "the object file is not here";
}

/* ---- lines */

/**
 * struct line_search - for the debug information of an object
 * @found: what the file says that dwz took something out of
 */
struct line_search {
	struct lookup *lookup;
	struct object *object;
	struct elf_file found;
};

static bool take_alt(void *context, struct elf_file *e)
{
	struct line_search *search = context;

	if (!lines_are_in(e->elf, &search->lookup->lines))
		return false;
	search->found = *e;
	return true;
}

/* libdw would open whatever file the object names: it is never left to look for one. */
static bool take_lines(void *context, struct elf_file *e)
{
	struct line_search *search = context;
	struct lookup *s = search->lookup;
	struct debug_search alt = search_of(search->object, s->root, take_alt);
	uint8_t id[64];
	size_t len;

	if (!lines_are_in(e->elf, &s->lines))
		return false;
	len = lines_alt_build_id(e->elf, id, sizeof(id));
	alt.budget = &s->lines;
	alt.context = search;
	if (len && !debug_file_by_build_id(&alt, id, len))
		return false;
	search->object->lines = lines_open(e, len ? &search->found : NULL, &s->lines);
	return true;
}

static void seek_lines(struct lookup *s, struct object *o)
{
	struct line_search context = { .lookup = s, .object = o };
	struct debug_search search = search_of(o, s->root, take_lines);
	uint8_t id[64];
	struct elf_file e;
	size_t len;

	o->lines_sought = true;
	search.budget = &s->lines;
	search.context = &context;
	if (open_object(s, o, &e))
		return;
	if (take_lines(&context, &e))
		return;
	len = elf_file_build_id(e.elf, id, sizeof(id));
	if (!debug_file_by_build_id(&search, id, len))
		debug_file_by_link(&search, e.elf);
	elf_file_close(&e);
}

unsigned int lookup_locations_at(struct lookup *s, const char *object, const uint8_t *build_id,
			       size_t build_id_len, uint64_t offset,
			       struct source_location locations[LINES_DEPTH])
{
	struct object *o;
	uint64_t address;

	if (find_object(s, object, build_id, build_id_len, &o) ||
	    !address_of(o, offset, &address))
		return 0;
	if (!o->lines_sought)
		seek_lines(s, o);
	return o->lines ? lines_find(o->lines, address, locations) : 0;
}

const char *lookup_lines_fault(const struct lookup *s)
{
	return s->lines.gone;
}
