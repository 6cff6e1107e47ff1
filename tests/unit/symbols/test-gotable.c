// SPDX-License-Identifier: GPL-2.0
/*
 * Where functions of Go are, in programs that this test makes up: what linkers leave of Go up to
 * 1.25, since then, and where C comes first.
 */
#include "support.h"

#include <string.h>

#include "symbols/gotable.h"

#define TEXT 0x401000
/* With C before it. */
#define GO_TEXT 0x401110
#define EXECUTE 0x200
#define END 0x300
#define MODULE_SIZE 600

#define NAMES "\0.text\0.gopclntab\0.go.module\0.shstrtab"
enum { NO_SECTION, TEXT_SECTION, TABLE_SECTION, MODULE_SECTION, NAMES_SECTION, SECTIONS };
static const uint32_t name_at[SECTIONS] = { 0, 1, 7, 18, 29 };

struct table {
	uint32_t magic;
	unsigned char zero[2], least, word;
	uint64_t functions, files, text, names_at, others[3], functions_at;
	char first[24], second[24];
	struct {
		uint32_t begin, info;
	} function[2];
	uint32_t end;
	struct {
		uint32_t begin, name;
	} info[2];
};

static struct image {
	Elf64_Ehdr file;
	Elf64_Shdr sections[SECTIONS];
	struct table table;
	char names[sizeof(NAMES)];
	unsigned char module[MODULE_SIZE];
	unsigned char text[16];
} image;

static void add_section(int n, uint64_t address, const void *data, size_t size)
{
	image.sections[n] = (Elf64_Shdr){
		.sh_name = name_at[n],
		.sh_type = n == NAMES_SECTION ? SHT_STRTAB : SHT_PROGBITS,
		.sh_addr = address,
		.sh_offset = (uint64_t)((const char *)data - (const char *)&image),
		.sh_size = size,
		.sh_addralign = 1,
	};
}

static void make_table(uint64_t text)
{
	struct table *t = &image.table;
	const size_t at = offsetof(struct table, function);

	*t = (struct table){
		.magic = 0xfffffff1, .least = 4, .word = 8, .functions = 2, .text = text,
		.names_at = offsetof(struct table, first), .functions_at = at,
		.first = "_rt0_arm64_linux", .second = "runtime.execute", .end = END,
		.function = { { 0, offsetof(struct table, info[0]) - at },
			      { EXECUTE, offsetof(struct table, info[1]) - at } },
		.info = { { 0, 0 }, { EXECUTE, sizeof(t->first) } },
	};
}

/* @table, @module: where these say that the code of Go begins; 0: when it is loaded. */
static void make_program(uint64_t table, uint64_t module, uint64_t entry)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.file.e_ident, ELFMAG, SELFMAG);
	image.file.e_ident[EI_CLASS] = ELFCLASS64;
	image.file.e_ident[EI_DATA] = ELFDATA2LSB;
	image.file.e_ident[EI_VERSION] = image.file.e_version = EV_CURRENT;
	image.file.e_type = ET_EXEC;
	image.file.e_machine = EM_AARCH64;
	image.file.e_entry = entry;
	image.file.e_ehsize = sizeof(image.file);
	image.file.e_shoff = offsetof(struct image, sections);
	image.file.e_shentsize = sizeof(image.sections[0]);
	image.file.e_shnum = SECTIONS;
	image.file.e_shstrndx = NAMES_SECTION;
	memcpy(image.names, NAMES, sizeof(NAMES));
	make_table(table);
	memcpy(image.module + 176, &module, sizeof(module));
	add_section(TEXT_SECTION, TEXT, image.text, sizeof(image.text));
	add_section(TABLE_SECTION, 0x500000, &image.table, sizeof(image.table));
	add_section(MODULE_SECTION, 0x600000, image.module, sizeof(image.module));
	add_section(NAMES_SECTION, 0, image.names, sizeof(image.names));
}

/* Where runtime.execute() is in the program as it is made up; 0: nobody can say. */
static uint64_t execute_at(void)
{
	Elf *elf = elf_memory((char *)&image, sizeof(image));
	uint64_t begin = 0, end = 0;
	struct go_table table;
	const char *name;

	assert_non_null(elf);
	if (go_table_open(&table, elf)) {
		assert_true(go_table_function(&table, 1, &begin, &end, &name));
		assert_string_equal(name, "runtime.execute");
		assert_int_equal(end - begin, END - EXECUTE);
		assert_false(go_table_function(&table, 2, &begin, &end, &name));
	}
	elf_end(elf);
	return begin;
}

static int begin(void **state)
{
	(void)state;
	return elf_version(EV_CURRENT) == EV_NONE;
}

static void test_the_table_says_up_to_1_25(void **state)
{
	(void)state;
	make_program(GO_TEXT, 0, TEXT);
	assert_int_equal(execute_at(), GO_TEXT + EXECUTE);
	make_program(GO_TEXT, TEXT, TEXT);
	assert_int_equal(execute_at(), GO_TEXT + EXECUTE);
}

static void test_the_runtime_says_since_1_26(void **state)
{
	(void)state;
	make_program(0, GO_TEXT, TEXT);
	assert_int_equal(execute_at(), GO_TEXT + EXECUTE);
}

static void test_a_program_that_begins_with_go_has_it_first(void **state)
{
	(void)state;
	make_program(0, 0, TEXT);
	assert_int_equal(execute_at(), TEXT + EXECUTE);
	make_program(0, GO_TEXT, TEXT);
	image.sections[MODULE_SECTION].sh_size = 176;
	assert_int_equal(execute_at(), TEXT + EXECUTE);
}

/* It begins with C's, between functions of the table, or where the table has another one. */
static void test_one_that_does_not_has_no_functions(void **state)
{
	(void)state;
	make_program(0, 0, TEXT - 0x40);
	assert_int_equal(execute_at(), 0);
	make_program(0, 0, TEXT + 0x40);
	assert_int_equal(execute_at(), 0);
	make_program(0, 0, TEXT + EXECUTE);
	assert_int_equal(execute_at(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_table_says_up_to_1_25),
		cmocka_unit_test(test_the_runtime_says_since_1_26),
		cmocka_unit_test(test_a_program_that_begins_with_go_has_it_first),
		cmocka_unit_test(test_one_that_does_not_has_no_functions),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
