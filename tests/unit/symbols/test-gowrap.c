// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that Go's compiler makes for goroutines with arguments are called as those that they
 * call: of a program that the Makefile builds, where there is Go, for both machines.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elffile.h"
#include "symbols/gotable.h"
#include "symbols/objects.h"
#include "symbols/symbols.h"

#define NAMES_MAX 64

static int find_objects(void **state)
{
	(void)state;
	find_folder();
	return elf_version(EV_CURRENT) == EV_NONE;
}

/* What functions of main() and begins() are called, and what the table says. */
struct names {
	char *made[NAMES_MAX];
	char *called[NAMES_MAX];
	unsigned int nr;
};

static bool is_made(const char *name)
{
	return !strncmp(name, "main.main.", 10) || !strncmp(name, "main.begins.", 12);
}

static void read_names(struct names *names, const char *path)
{
	struct symbols *symbols = symbols_new(NULL);
	struct go_table table;
	struct elf_file file;
	uint64_t begin, end;
	const char *name;

	assert_true(elf_file_open(&file, path));
	assert_true(go_table_open(&table, file.elf));
	for (uint64_t n = 0; n < table.nr && names->nr < NAMES_MAX; n++) {
		if (!go_table_function(&table, n, &begin, &end, &name) || !is_made(name))
			continue;
		names->made[names->nr] = strdup(name);
		assert_null(symbols_find(symbols, path, NULL, 0, begin, &names->called[names->nr]));
		names->nr++;
	}
	elf_file_close(&file);
	symbols_free(symbols);
}

static void free_names(struct names *names)
{
	for (unsigned int i = 0; i < names->nr; i++) {
		free(names->made[i]);
		free(names->called[i]);
	}
}

/* So many functions of that begin are called @called; NULL: as they were made. */
static void has(const struct names *names, const char *made, const char *called, unsigned int nr)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < names->nr; i++)
		found += !strncmp(names->made[i], made, strlen(made)) &&
			 !strcmp(names->called[i], called ? called : names->made[i]);
	if (found != nr)
		fail_msg("%u of %s are called %s, not %u", found, made, called ? called : "so", nr);
}

static void calls_them(const char *machine)
{
	struct names names = { .nr = 0 };
	char path[4100];

	snprintf(path, sizeof(path), "%s/wraps-%s", objects, machine);
	if (access(path, R_OK))
		skip();
	read_names(&names, path);
	has(&names, "main.main.", "main.large", 1);
	has(&names, "main.main.", "main.small", 1);
	has(&names, "main.main.", "main.(*server).serve", 1);
	/* The developer's own has no other name. */
	has(&names, "main.main.", NULL, 1);
	has(&names, "main.begins.", "main.large", 1);
	/* Who is called is in a variable. */
	has(&names, "main.begins.", NULL, 2);
	free_names(&names);
}

static void names_what_a_goroutine_was_begun_with_on_amd64(void **state)
{
	(void)state;
	calls_them("amd64");
}

static void names_what_a_goroutine_was_begun_with_on_arm64(void **state)
{
	(void)state;
	calls_them("arm64");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_a_goroutine_was_begun_with_on_amd64),
		cmocka_unit_test(names_what_a_goroutine_was_begun_with_on_arm64),
	};

	return cmocka_run_group_tests(tests, find_objects, NULL);
}
