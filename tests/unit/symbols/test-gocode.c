// SPDX-License-Identifier: GPL-2.0
/*
 * Where functions of Go call another: in what the compilers that Debian ships have made of
 * runtime.injectglist() and findRunnable() around a call of casgstatus(), and in what is near to
 * it.
 */
#include "support.h"

#include <gelf.h>
#include <string.h>

#include "base/util.h"
#include "symbols/gocode.h"

#define TEXT 0x400000
#define ROOM 0x20000

static struct image {
	Elf64_Ehdr file;
	unsigned char text[ROOM];
} image;

static Elf *begin_program(int machine, uint64_t address, const void *code, size_t size)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.file.e_ident, ELFMAG, SELFMAG);
	image.file.e_ident[EI_CLASS] = ELFCLASS64;
	image.file.e_ident[EI_DATA] = ELFDATA2LSB;
	image.file.e_ident[EI_VERSION] = image.file.e_version = EV_CURRENT;
	image.file.e_type = ET_EXEC;
	image.file.e_machine = (Elf64_Half)machine;
	image.file.e_ehsize = sizeof(image.file);
	memcpy(image.text + address, code, size);
	return elf_memory((char *)&image, sizeof(image));
}

/* Of a function that has @size, in a file where it is as far from the begin as it is in memory. */
static struct code_location location(uint64_t address, uint64_t size)
{
	return (struct code_location){
		.address = TEXT + address,
		.offset = offsetof(struct image, text) + address,
		.size = size,
	};
}

static const struct known {
	const char *of;
	int machine;
	uint64_t address, callee;
	size_t calls, behind;
	unsigned char code[20];
} known[] = {
	{ "injectglist, 1.19, amd64", EM_X86_64, 0xdabb, 0x9620, 13, 18,
	  { 0x48, 0x89, 0xd0, 0xbb, 4, 0, 0, 0, 0xb9, 1, 0, 0, 0, 0xe8, 0x53, 0xbb, 0xff, 0xff } },
	{ "findRunnable, 1.24, amd64", EM_X86_64, 0x137e4, 0xeea0, 7, 12,
	  { 0xbb, 4, 0, 0, 0, 0x89, 0xf9, 0xe8, 0xb0, 0xb6, 0xff, 0xff } },
	{ "findRunnable, 1.27, amd64", EM_X86_64, 0x13994, 0xf5a0, 12, 17,
	  { 0xbb, 4, 0, 0, 0, 0xb9, 1, 0, 0, 0, 0x66, 0x90, 0xe8, 0xfb, 0xbb, 0xff, 0xff } },
	{ "injectglist, 1.19, arm64", EM_AARCH64, 0xd480, 0x87f0, 12, 16,
	  { 0xe0, 0x03, 0x03, 0xaa, 0xe1, 0x03, 0x7e, 0xb2, 0xe2, 0x03, 0x40, 0xb2,
	    0xd9, 0xec, 0xff, 0x97 } },
	{ "injectglist, 1.27, arm64", EM_AARCH64, 0x10758, 0xb0a0, 12, 16,
	  { 0xe0, 0x03, 0x03, 0xaa, 0xe1, 0x03, 0x7e, 0xb2, 0xe2, 0x03, 0x40, 0xb2,
	    0x4f, 0xea, 0xff, 0x97 } },
};

static void test_a_call_is_found_and_there_is_no_other(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const struct known *k = &known[i];
		Elf *elf = begin_program(k->machine, k->address, k->code, sizeof(k->code));
		struct code_location callee = location(k->callee, 0),
				     at = location(k->address, sizeof(k->code));

		print_message("%s\n", k->of);
		assert_true(go_next_call(&at, elf, &callee));
		assert_int_equal(at.address, TEXT + k->address + k->calls);
		assert_int_equal(at.offset, offsetof(struct image, text) + k->address + k->calls);
		assert_false(go_next_call(&at, elf, &callee));
		at = location(k->address, sizeof(k->code));
		assert_true(go_behind_call(&at, elf, &callee));
		assert_int_equal(at.address, TEXT + k->address + k->behind);
		elf_end(elf);
	}
}

static void test_a_call_of_another_is_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const struct known *k = &known[i];
		Elf *elf = begin_program(k->machine, k->address, k->code, sizeof(k->code));
		struct code_location callee = location(k->callee + 4, 0);
		struct code_location at = location(k->address, sizeof(k->code));

		assert_false(go_next_call(&at, elf, &callee));
		elf_end(elf);
	}
}

/* bl, of itself, in each of two places; the third is another function's. */
static void test_all_of_a_function_are_found(void **state)
{
	const uint32_t code[] = { 0xd503201f, 0x97ffffff, 0xd503201f, 0x97fffffd, 0x97fffffc };
	Elf *elf = begin_program(EM_AARCH64, 0x100, code, sizeof(code));
	struct code_location callee = location(0x100, 0), at = location(0x100, 16);

	(void)state;
	assert_true(go_next_call(&at, elf, &callee));
	assert_int_equal(at.address, TEXT + 0x104);
	assert_true(go_next_call(&at, elf, &callee));
	assert_int_equal(at.address, TEXT + 0x10c);
	assert_false(go_next_call(&at, elf, &callee));
	elf_end(elf);
}

static void test_of_a_function_without_a_size_or_beyond_the_file_none_is(void **state)
{
	const struct known *k = &known[0];
	Elf *elf = begin_program(k->machine, k->address, k->code, sizeof(k->code));
	struct code_location callee = location(k->callee, 0), at = location(k->address, 0);

	(void)state;
	assert_false(go_next_call(&at, elf, &callee));
	at = location(k->address, 17);
	assert_false(go_next_call(&at, elf, &callee));
	at = location(sizeof(image), 20);
	assert_false(go_next_call(&at, elf, &callee));
	at = location(k->address, UINT64_MAX);
	at.offset = sizeof(image) - 8;
	assert_false(go_next_call(&at, elf, &callee));
	elf_end(elf);
}

static int begin(void **state)
{
	(void)state;
	return elf_version(EV_CURRENT) == EV_NONE;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_is_found_and_there_is_no_other),
		cmocka_unit_test(test_a_call_of_another_is_not),
		cmocka_unit_test(test_all_of_a_function_are_found),
		cmocka_unit_test(test_of_a_function_without_a_size_or_beyond_the_file_none_is),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
