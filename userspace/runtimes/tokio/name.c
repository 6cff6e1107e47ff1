// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The symbol of a function of tokio's does not say for which type of future it is. But what
 * destroys that future is called there, and has a symbol that does. The compiler makes one
 * function of those that are alike: it has the names of all, and which of these futures a
 * function polls is known by what it calls.
 */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "name.h"
#include "path.h"

#define DROP "core::ptr::drop_in_place<"
#define TASK "tokio::runtime::task::"
#define BLOCKING "tokio::runtime::blocking::"
#define GENERATOR "core::future::from_generator::GenFuture<"
#define INSTRUMENTED "tracing::instrument::Instrumented<"
#define CLOSURE "::{{closure}}"

/* In symbols, tokio's function that polls a task. */
#define POLL "5tokio7runtime4task3raw4poll"

#define PATH_ROOM 1024
#define TYPES_MAX 8
#define DEPTH_MAX 5
#define LOOKS_MAX 500

/**
 * struct found - what a walk through code has found
 * @types:    of futures; several if what destroys them is one function
 * @possible: those that each function on the way can be for, a bit for each
 * @looks:    functions that may still be looked at
 */
struct found {
	char types[TYPES_MAX][NAME_ROOM];
	unsigned int nr;
	unsigned int possible;
	unsigned int looks;
};

/* Looks at the name of a function. Returns which types it is for, 0: it doesn't say. */
typedef unsigned int look_fn(struct found *found, const char *path);

static bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

/* How long the first of several types is, which a comma or the closing bracket ends. */
static size_t first_type(const char *types)
{
	const char *at = types;
	int depth = 0;

	for (; *at; at++) {
		if (strchr("<([{", *at))
			depth++;
		else if (strchr(")]}", *at) || (*at == '>' && at[-1] != '-'))
			depth--;
		if (depth < 0 || (!depth && *at == ','))
			break;
	}
	return (size_t)(at - types);
}

/* Of what destroys a task, a part of it, or what guards its future: "...::Cell<TYPE,SCHEDULER>". */
static bool type_in(const char *path, char type[NAME_ROOM])
{
	static const char *const of[] = {
		"core::Cell<", "core::Core<", "core::CoreStage<", "core::Stage<",
		"harness::poll_future::{{closure}}::Guard<",
	};
	const char *at = begins_with(path, DROP) ? strstr(path, TASK) : NULL;

	for (size_t i = 0; at && i < sizeof(of) / sizeof(of[0]); i++) {
		const char *first = at + strlen(TASK) + strlen(of[i]);

		if (!begins_with(at + strlen(TASK), of[i]))
			continue;
		if (begins_with(first, GENERATOR))
			first += strlen(GENERATOR);
		snprintf(type, NAME_ROOM, "%.*s", (int)first_type(first), first);
		return true;
	}
	return false;
}

static unsigned int look_for_type(struct found *found, const char *path)
{
	char *new = found->types[found->nr];

	if (found->nr == TYPES_MAX || !type_in(path, new))
		return 0;
	for (unsigned int i = 0; i < found->nr; i++) {
		if (!strcmp(found->types[i], new))
			return 0;
	}
	found->nr++;
	return 0;
}

/* An async function is polled by what has its name, another type of future by its poll(). */
static bool polls(const char *path, const char *type)
{
	size_t length = strlen(type);

	if (*path != '<')
		return !strcmp(path, type);
	return !strncmp(path + 1, type, length) && begins_with(path + 1 + length, " as ");
}

static unsigned int look_for_use(struct found *found, const char *path)
{
	unsigned int types = 0;
	char type[NAME_ROOM];
	bool has_type = type_in(path, type);

	for (unsigned int i = 0; i < found->nr; i++) {
		if (has_type ? !strcmp(type, found->types[i]) : polls(path, found->types[i]))
			types |= 1u << i;
	}
	return types;
}

/* Beyond these functions is what the task does. */
static bool leads_on(const char *path)
{
	return begins_with(path, TASK) || begins_with(path, "tokio::loom::") ||
	       !strcmp(path, "core::mem::drop") ||
	       begins_with(path, "std::panic") || begins_with(path, "<core::panic::") ||
	       (begins_with(path, DROP) && strstr(path, TASK));
}

static void walk(const struct symbols *symbols, uintptr_t address, struct found *found,
		 look_fn *look, int depth);

static void walk_into(const struct symbols *symbols, uintptr_t to, struct found *found,
		      look_fn *look, int depth)
{
	const struct symbol *end, *symbol = symbols_at(symbols, to, &end);
	unsigned int types = 0;
	char path[PATH_ROOM];
	bool leads = false;

	for (; symbol && symbol < end && found->looks; symbol++, found->looks--) {
		if (!path_of(symbol->name, path, sizeof(path)))
			continue;
		types |= look(found, path);
		leads |= leads_on(path);
	}
	if (types)
		found->possible &= types;
	if (leads && depth < DEPTH_MAX)
		walk(symbols, to, found, look, depth + 1);
}

static void walk(const struct symbols *symbols, uintptr_t address, struct found *found,
		 look_fn *look, int depth)
{
	const struct symbol *end, *symbol = symbols_at(symbols, address, &end);
	const uint8_t *at = (const uint8_t *)address;
	uintptr_t to;

	if (!symbol || !symbol_is_code(symbols, symbol))
		return;
	while ((to = calls_next(symbols, &at, (const uint8_t *)address + symbol->size)))
		walk_into(symbols, to, found, look, depth);
}

static void find(const struct symbols *symbols, uintptr_t function, struct found *found,
		 look_fn *look)
{
	found->looks = LOOKS_MAX;
	found->possible = (1u << TYPES_MAX) - 1;
	walk(symbols, function, found, look, 0);
}

/* What the crate tracing puts around a future that the program has. */
static void unwrap(char *type)
{
	static const char *const around[] = {
		INSTRUMENTED, "tracing::instrument::WithDispatch<", GENERATOR,
	};
	size_t i = 0;

	while (i < sizeof(around) / sizeof(around[0])) {
		if (!begins_with(type, around[i])) {
			i++;
			continue;
		}
		memmove(type, type + strlen(around[i]), strlen(type + strlen(around[i])) + 1);
		type[first_type(type)] = '\0';
		/* There may be several. */
		i = 0;
	}
}

/* An async function's future is what the compiler calls a closure in it. */
static void shorten(char *type)
{
	size_t length, less = strlen(CLOSURE);

	unwrap(type);
	length = strlen(type);
	if (length > less && !strcmp(type + length - less, CLOSURE))
		type[length - less] = '\0';
}

/* Those that are possible; all, if none seems to be. */
static void join(struct found *found, char name[NAME_ROOM])
{
	unsigned int possible = found->possible & ((1u << found->nr) - 1);
	size_t used = 0;

	name[0] = '\0';
	for (unsigned int i = 0; i < found->nr; i++) {
		if (possible && !(possible >> i & 1))
			continue;
		shorten(found->types[i]);
		used += (size_t)snprintf(name + used, NAME_ROOM - used, "%s%s", used ? " or " : "",
					 found->types[i]);
		if (used >= NAME_ROOM)
			return;
	}
}

static void add_type(struct found *found, const char *type)
{
	if (found->nr < TYPES_MAX)
		snprintf(found->types[found->nr++], NAME_ROOM, "%s", type);
}

/* In the newer way a symbol says what its function is for. False: it is not in that way. */
static bool read_types(const struct symbols *symbols, uintptr_t poll, struct found *found)
{
	const struct symbol *end, *symbol = symbols_at(symbols, poll, &end);
	bool newer = false;
	char path[NAME_ROOM] = "";

	for (; symbol && symbol < end; symbol++) {
		const char *types = begins_with(symbol->name, "_R") ?
				    strstr(symbol->name, POLL) : NULL;

		newer |= types != NULL;
		/* How such a type begins is enough, where the rest can't be read. */
		if (types && (path_of_type(symbol->name, types + strlen(POLL), path,
					   sizeof(path)) ||
			      begins_with(path, BLOCKING)))
			add_type(found, path);
	}
	return newer;
}

static void find_types(const struct symbols *symbols, const struct functions *functions,
		       struct found *found)
{
	if (read_types(symbols, functions->poll, found))
		return;
	find(symbols, functions->dealloc, found, look_for_type);
	if (!found->nr)
		find(symbols, functions->shutdown, found, look_for_type);
	if (!found->nr)
		find(symbols, functions->poll, found, look_for_type);
}

bool name_of_tasks(const struct symbols *symbols, const struct functions *functions,
		   char name[NAME_ROOM], bool *traced)
{
	struct found found = { .nr = 0 };

	find_types(symbols, functions, &found);
	if (found.nr && begins_with(found.types[0], BLOCKING))
		return false;
	if (found.nr > 1)
		find(symbols, functions->poll, &found, look_for_use);
	*traced = found.nr == 1 && begins_with(found.types[0], INSTRUMENTED);
	join(&found, name);
	if (!*name)
		snprintf(name, NAME_ROOM, "tokio task");
	return true;
}
