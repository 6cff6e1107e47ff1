// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Types of tasks, each known by its table of functions; those tables are found in the program and
 * get our functions in place of tokio's.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "../preload/store.h"
#include "kinds.h"
#include "symbols.h"
#include "version.h"

/* The module that has the functions, as symbols have it. */
#define RAW "5tokio7runtime4task3raw"

/* A table begins with poll, and has less than this many functions. */
#define FUNCTIONS_MAX 9

static struct table_node *buckets[1024];
static const struct table kinds = { buckets, 1024, sizeof(struct kind) };

static const struct {
	const char *name;
	size_t offset;
} roles[] = {
	{ RAW "4poll", offsetof(struct functions, poll) },
	{ RAW "8schedule", offsetof(struct functions, schedule) },
	{ RAW "7dealloc", offsetof(struct functions, dealloc) },
	{ RAW "8shutdown", offsetof(struct functions, shutdown) },
};

#define ROLES (sizeof(roles) / sizeof(roles[0]))

_Static_assert(sizeof(struct functions) == ROLES * sizeof(uintptr_t) &&
	       sizeof(struct kind_hooks) == sizeof(struct functions), "one of each");

/* Of the program, while its tables are looked for. */
struct search {
	struct symbols symbols;
	const struct kind_hooks *hooks;
	uintptr_t first_poll, last_poll;
};

static bool has_role(const struct symbols *symbols, uintptr_t function, size_t role)
{
	const struct symbol *end, *symbol = symbols_at(symbols, function, &end);

	for (; symbol && symbol < end; symbol++) {
		if (strstr(symbol->name, roles[role].name))
			return true;
	}
	return false;
}

/* A task is not larger. */
#define TASK_MOST (1u << 20)

/*
 * Behind the functions, of which the last is shutdown, tokio has since 1.21 how many bytes there are
 * of a task up to what is the same in all.
 */
static size_t bytes_of_task(void *const *table, void *const *end, const size_t at[ROLES])
{
	uintptr_t bytes = table + at[3] + 1 < end ? (uintptr_t)table[at[3] + 1] : 0;

	return bytes > TASK_MOST || bytes % sizeof(void *) ? 0 : bytes;
}

/* Where in a table each function is; 0: it has none. poll is where it begins. */
static bool read_table(const struct search *search, void *const *table, void *const *end,
		       size_t at[ROLES])
{
	memset(at, 0, ROLES * sizeof(at[0]));
	for (size_t i = 1; i < FUNCTIONS_MAX && table + i < end; i++) {
		for (size_t role = 1; role < ROLES; role++) {
			if (!at[role] && has_role(&search->symbols, (uintptr_t)table[i], role))
				at[role] = i;
		}
	}
	return at[2] && at[3];
}

static void replace(const struct search *search, void **table, void *const *end,
		    const size_t at[ROLES])
{
	void *const *hooks = (void *const *)search->hooks;
	struct kind *new = calloc(1, sizeof(*new));
	void **next = (void **)&new->next;
	bool traced = false;

	if (!new)
		return;
	for (size_t role = 0; role < ROLES; role++)
		next[role] = role && !at[role] ? NULL : table[at[role]];
	new->node.key = (uintptr_t)table;
	if (!name_of_tasks(&search->symbols, (const struct functions *)next, new->name, &traced)) {
		free(new);
		return;
	}
	if (traced)
		new->span = calloc(1, sizeof(*new->span));
	if (new->span)
		new->span->bytes = bytes_of_task(table, end, at);
	table_add(&kinds, &new->node);
	for (size_t role = 0; role < ROLES; role++) {
		if (next[role])
			store(&table[at[role]], hooks[role]);
	}
}

static void look_through(const struct search *search, void **at, void **end)
{
	size_t places[ROLES];

	for (; at < end; at++) {
		uintptr_t value = (uintptr_t)*at;

		if (value >= search->first_poll && value <= search->last_poll &&
		    has_role(&search->symbols, value, 0) && read_table(search, at, end, places))
			replace(search, at, end, places);
	}
}

/* Only the program itself, which comes first. */
static int look_through_program(struct dl_phdr_info *object, size_t size, void *data)
{
	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		char *begin = (char *)object->dlpi_addr + part->p_vaddr;
		char *end = begin + part->p_filesz;

		if (part->p_type == PT_LOAD && part->p_flags & PF_R && !(part->p_flags & PF_X))
			look_through(data, (void **)(((uintptr_t)begin + 7) & -8UL),
				     (void **)((uintptr_t)end & -8UL));
	}
	return 1;
}

static void find_polls(struct search *search)
{
	const struct symbols *symbols = &search->symbols;

	search->first_poll = UINTPTR_MAX;
	for (size_t i = 0; i < symbols->nr; i++) {
		if (!strstr(symbols->all[i].name, roles[0].name))
			continue;
		if (search->first_poll == UINTPTR_MAX)
			search->first_poll = symbols->all[i].address;
		search->last_poll = symbols->all[i].address;
	}
}

void kinds_begin(const struct kind_hooks *hooks)
{
	struct search search = { .hooks = hooks };

	if (!symbols_open(&search.symbols))
		return;
	if (version_is_known(&search.symbols) && symbols_read(&search.symbols, roles[0].name)) {
		find_polls(&search);
		span_begin();
		dl_iterate_phdr(look_through_program, &search);
	}
	symbols_close(&search.symbols);
}

/* What a task begins with, its table in it, has at most this many words in any known version. */
#define WORDS_MAX 8

/* The word of a task that points to its table: as in tokio 1.23 and later, or as found. */
static size_t table_at = 2;

struct kind *kind_of(void *const *task)
{
	struct kind *kind = table_find(&kinds, (uintptr_t)task[table_at]);
	size_t at = 0;

	if (likely(kind))
		return kind;
	/*
	 * It is one of the words: whoever called a hook has read it there. Else nothing can be
	 * called.
	 */
	while (!(kind = table_find(&kinds, (uintptr_t)task[at]))) {
		if (++at == WORDS_MAX)
			abort();
	}
	__atomic_store_n(&table_at, at, __ATOMIC_RELAXED);
	return kind;
}
