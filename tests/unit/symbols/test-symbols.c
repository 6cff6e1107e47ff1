// SPDX-License-Identifier: GPL-2.0
/*
 * Names of functions, from objects that the Makefile builds: whole, stripped,
 * stripped with a debug link, and stripped with a debug file by build id.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/util.h"
#include "cprof/format.h"
#include "gen/recording.h"
#include "symbols/budget.h"
#include "symbols/elffile.h"
#include "symbols/kept.h"
#include "symbols/objects.h"
#include "symbols/symbols.h"

/* Addresses as in the object's symbol table, as the dynamic linker says. */
static uint64_t exported, hidden, mangled, rusty;
static uint8_t build_id[64];
static size_t build_id_len;

static uint64_t offset_of(void *address)
{
	Dl_info info;

	assert_true(dladdr(address, &info));
	return (uint64_t)((char *)address - (char *)info.dli_fbase);
}

static int find_objects(void **state)
{
	void *(*hidden_address)(void);
	struct elf_file e;
	void *so;

	(void)state;
	find_folder();
	so = dlopen(path_of("whole.so"), RTLD_NOW);
	if (!so)
		fail_msg("%s", dlerror());
	exported = offset_of(dlsym(so, "exported_function"));
	mangled = offset_of(dlsym(so, "_ZN6server14handle_requestEi"));
	rusty = offset_of(dlsym(so, "_RNvC6server4poll"));
	*(void **)&hidden_address = dlsym(so, "address_of_hidden_function");
	hidden = offset_of(hidden_address());
	dlclose(so);
	elf_version(EV_CURRENT);
	assert_true(elf_file_open(&e, path_of("whole.so")));
	build_id_len = elf_file_build_id(e.elf, build_id, sizeof(build_id));
	elf_file_close(&e);
	assert_int_equal(build_id_len, 20);
	return 0;
}

static void finds(struct symbols *s, const char *object, size_t id_len,
		  uint64_t address, const char *want)
{
	char *name;
	const char *fault = symbols_find(s, object, build_id, id_len, address,
					 &name);

	if (fault)
		fail_msg("%s: %s", object, fault);
	assert_string_equal(name, want);
	free(name);
}

static void misses(struct symbols *s, const char *object, const uint8_t *id,
		   size_t id_len, uint64_t address, const char *want)
{
	char *name;
	const char *fault = symbols_find(s, object, id, id_len, address, &name);

	assert_null(name);
	assert_non_null(fault);
	if (!strstr(fault, want))
		fail_msg("\"%s\" does not say \"%s\"", fault, want);
}

static void reads_the_objects_own_symbols(void **state)
{
	struct symbols *s = symbols_new(NULL);
	const char *object = path_of("whole.so");

	(void)state;
	finds(s, object, 0, exported, "exported_function");
	finds(s, object, build_id_len, exported, "exported_function");
	finds(s, object, build_id_len, exported + 1, "exported_function");
	finds(s, object, build_id_len, hidden, "hidden_function");
	finds(s, object, build_id_len, mangled, "server::handle_request(int)");
	finds(s, object, build_id_len, rusty, "server::poll");
	misses(s, object, build_id, build_id_len, 1, "no function");
	misses(s, object, build_id, build_id_len, UINT64_MAX, "no function");
	symbols_free(s);
}

static void reads_dynamic_symbols_of_a_stripped_object(void **state)
{
	struct symbols *s = symbols_new("/");
	const char *object = path_of("stripped.so");

	(void)state;
	finds(s, object, build_id_len, exported, "exported_function");
	misses(s, object, build_id, build_id_len, hidden, "no function");
	symbols_free(s);
}

/* It lacks the exported ones; and a damaged one is none. */
static void reads_what_is_kept_in_a_stripped_object(void **state)
{
	struct symbols *s = symbols_new(NULL);

	(void)state;
	finds(s, path_of("mini.so"), build_id_len, hidden, "hidden_function");
	finds(s, path_of("mini.so"), build_id_len, exported, "exported_function");
	finds(s, path_of("mini-damaged.so"), build_id_len, exported, "exported_function");
	misses(s, path_of("mini-damaged.so"), build_id, build_id_len, hidden, "no function");
	symbols_free(s);
}

static void follows_a_debug_link(void **state)
{
	struct symbols *s = symbols_new(NULL);

	(void)state;
	finds(s, path_of("linked.so"), build_id_len, hidden, "hidden_function");
	/* That one's debug file is of another build: its checksum differs. */
	misses(s, path_of("mislinked.so"), build_id, build_id_len, hidden,
	       "no function");
	symbols_free(s);
}

static void finds_debug_files_by_build_id(void **state)
{
	struct symbols *s = symbols_new(path_of("root"));

	(void)state;
	finds(s, "/lib/stripped.so", build_id_len, hidden, "hidden_function");
	/* Even if the object itself is not here. */
	finds(s, "/lib/gone.so", build_id_len, hidden, "hidden_function");
	misses(s, "/lib/gone.so", build_id, 0, hidden, "is not here");
	symbols_free(s);
}

static void refuses_another_build(void **state)
{
	struct symbols *s = symbols_new(NULL);
	uint8_t other[20];

	(void)state;
	memcpy(other, build_id, sizeof(other));
	other[19] ^= 1;
	misses(s, path_of("whole.so"), other, 20, exported, "build id differs");
	misses(s, path_of("whole.so"), other, 19, exported, "build id differs");
	symbols_free(s);
}

static void leaves_alone_what_is_no_object(void **state)
{
	struct symbols *s = symbols_new(NULL);

	(void)state;
	misses(s, "/nonexistent", NULL, 0, 1, "is not here");
	misses(s, "/dev/zero", NULL, 0, 1, "can't be read");
	misses(s, "/tmp", NULL, 0, 1, "can't be read");
	misses(s, "relative.so", NULL, 0, 1, "is not here");
	misses(s, "", NULL, 0, 1, "is not here");
	misses(s, "[vdso]", NULL, 0, 1, "is not here");
	symbols_free(s);
}

static char *slurp(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	char *data;

	assert_true(fd >= 0);
	*size = (size_t)lseek(fd, 0, SEEK_END);
	data = malloc(*size);
	assert_int_equal(pread(fd, data, *size, 0), *size);
	close(fd);
	return data;
}

/* Cut off, and with changed bytes: some name or a reason, and no crash. */
static void survives_damaged_objects(void **state)
{
	size_t size, cut;
	char *data = slurp(path_of("whole.so"), &size), *name;
	uint32_t seed = 7;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/tmp/coroprof-unit-%ld.so", (long)getpid());
	for (int round = 0; round < 2000; round++) {
		struct symbols *s = symbols_new(NULL);
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		size_t at;

		seed = seed * 1664525 + 1013904223;
		cut = round % 2 ? size : seed % size;
		/* Half of the changes go to the headers, the rest anywhere. */
		at = round % 4 < 2 ? seed / 7 % 64 : seed / 7 % size;
		data[at] ^= (char)(seed >> 16);
		assert_int_equal(write(fd, data, cut), cut);
		data[at] ^= (char)(seed >> 16);
		close(fd);
		symbols_find(s, path, NULL, 0, hidden, &name);
		free(name);
		symbols_free(s);
	}
	unlink(path);
	free(data);
}

static size_t put_entry(char *to, uint64_t end, const char *path,
			const uint8_t *id)
{
	struct cprof_map map = {
		.path_len = (uint16_t)strlen(path),
		.build_id_len = id ? 20 : 0,
		.end = end,
	};

	map.size = (uint32_t)(sizeof(map) + ((map.path_len + 7u) & ~7u));
	if (id)
		memcpy(map.build_id, id, 20);
	memcpy(to, &map, sizeof(map));
	memcpy(to + sizeof(map), path, map.path_len);
	return map.size;
}

/* With a root directory of the process, unless that is NULL. */
static void put_maps(struct gen *g, const char *root, const char *path,
		     const uint8_t *id)
{
	struct cprof_maps maps = { .process_id = 1, .pid = 100 };
	char bytes[3 * 4096] = { 0 };
	size_t size = sizeof(maps);

	memcpy(bytes, &maps, sizeof(maps));
	if (root)
		size += put_entry(bytes + size, 0, root, NULL);
	size += put_entry(bytes + size, 4096, path, id);
	gen_segment(g, CPROF_SEGMENT_MAPS, bytes, (uint32_t)size);
}

static struct model *with_code_labels(const uint8_t *id, bool no_symbols)
{
	const struct model_options options = { .no_symbols = no_symbols };
	struct gen *g = begin_recording();

	gen_label_code(g, 1, 5, path_of("whole.so"), mangled);
	gen_label_code(g, 1, 6, "/nonexistent/lib.so", 0x1234);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 5);
	SLICE(g, 1, 11, 1010, 1020, .label = 6);
	put_maps(g, NULL, path_of("whole.so"), id);
	return load_with(g, &options);
}

static void names_code_labels(void **state)
{
	struct model *m = with_code_labels(build_id, false);
	const struct model_label *l = label(m, "server::handle_request(int)");
	uint8_t other[20] = { 0 };

	(void)state;
	assert_int_equal(l->kind, MODEL_LABEL_CODE);
	assert_string_equal(l->object, path_of("whole.so"));
	assert_int_equal(l->address, mangled);
	assert_null(l->unresolved);
	l = label(m, "lib.so+0x1234");
	assert_string_equal(l->unresolved, "the object file is not here");
	assert_int_equal(m->nr_damage, 0);
	model_free(m);

	m = with_code_labels(other, false);
	assert_non_null(strstr(m->labels[0].unresolved, "build id differs"));
	model_free(m);

	m = with_code_labels(build_id, true);
	assert_non_null(strstr(m->labels[0].name, "whole.so+0x"));
	model_free(m);
}

/* One coroutine of @object in a process of another root directory. */
static struct model *in_root(const char *root, const char *object,
			     const char *path, const uint8_t *id)
{
	const struct model_options options = { 0 };
	struct gen *g = begin_recording();

	gen_label_code(g, 1, 5, object, exported);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 5);
	put_maps(g, root, path, id);
	return load_with(g, &options);
}

/* What a label of such a process names by a path is another file here. */
static void names_in_another_root(void **state)
{
	char root[4096], path[8192];
	struct model *m;

	(void)state;
	snprintf(root, sizeof(root), "%s", path_of("root"));
	snprintf(path, sizeof(path), "%s/lib/stripped.so", root);
	m = in_root(root, "/lib/stripped.so", path, NULL);
	assert_non_null(label(m, "exported_function"));
	model_free(m);

	m = in_root(root, path_of("whole.so"), "/lib/libc.so.6", NULL);
	assert_string_equal(m->labels[0].unresolved,
			    "the program has another root directory, and nothing mapped there has this name");
	model_free(m);

	m = in_root("", path_of("whole.so"), path_of("whole.so"), NULL);
	assert_string_equal(m->labels[0].unresolved,
			    "the program has a root directory of its own, and the object no build id to know its file by");
	model_free(m);

	m = in_root("", path_of("whole.so"), path_of("whole.so"), build_id);
	assert_non_null(label(m, "exported_function"));
	model_free(m);
}

static void finds_what_was_kept(void **state)
{
	int fd = open(path_of("whole.so"), O_RDONLY | O_CLOEXEC);
	struct symbols *s = symbols_new(NULL);
	uint8_t other[20] = { 1 };

	(void)state;
	misses(s, "/gone/before.so", build_id, build_id_len, exported,
	       "not here");
	kept_add(fd, build_id, build_id_len);
	/* A file that says to be another one is not believed. */
	kept_add(fd, other, sizeof(other));
	close(fd);
	finds(s, "/gone/whole.so", build_id_len, exported, "exported_function");
	misses(s, "/gone/whole.so", other, sizeof(other), exported,
	       "build id differs");
	symbols_free(s);
}

/* ---- files made to hurt who reads them */

/* A copy, or a file of nothing but holes. */
static const char *hostile(const char *name, const char *of, off_t size)
{
	static char path[4200];
	char command[9000];

	snprintf(path, sizeof(path), "%s/%s", objects, name);
	unlink(path);
	if (of) {
		snprintf(command, sizeof(command), "cp '%s/%s' '%s'", objects, of, path);
		assert_int_equal(system(command), 0);
	}
	if (size) {
		int fd = open(path, O_WRONLY | O_CREAT, 0600);

		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, size), 0);
		close(fd);
	}
	return path;
}

/* With holes, it takes no room, and a checksum of it hours. */
static void debug_file_of_terabytes(void **state)
{
	struct symbols *s = symbols_new(NULL);
	uint64_t begin = monotonic_ns();

	(void)state;
	mkdir(path_of("terabytes"), 0700);
	mkdir(path_of("terabytes/.debug"), 0700);
	hostile("terabytes/linked.so", "linked.so", 0);
	hostile("terabytes/.debug/linked.debug", ".debug/linked.debug", (off_t)4 << 40);
	misses(s, path_of("terabytes/linked.so"), build_id, 0, hidden, "given up");
	finds(s, path_of("terabytes/linked.so"), 0, exported, "exported_function");
	assert_true(monotonic_ns() - begin < UINT64_C(100000000000));
	symbols_free(s);
}

/* Says that its table of symbols is of 3 GiB, which are holes. */
static void table_of_gigabytes(void **state)
{
	const char *path = hostile("huge.so", "whole.so", (off_t)4 << 30);
	struct symbols *s = symbols_new(NULL);
	int fd = open(path, O_RDWR);
	Elf64_Shdr header;
	Elf64_Ehdr file;

	(void)state;
	assert_int_equal(pread(fd, &file, sizeof(file), 0), sizeof(file));
	for (unsigned int i = 0; i < file.e_shnum; i++) {
		off_t at = (off_t)(file.e_shoff + i * sizeof(header));

		assert_int_equal(pread(fd, &header, sizeof(header), at), sizeof(header));
		if (header.sh_type != SHT_SYMTAB)
			continue;
		header.sh_size = UINT64_C(3) << 30;
		assert_int_equal(pwrite(fd, &header, sizeof(header), at), sizeof(header));
	}
	close(fd);
	/* The dynamic symbols are as they were. */
	finds(s, path, 0, exported, "exported_function");
	symbols_free(s);
	unlink(path);
}

/* As many sections as there is room for in the first one's size. */
static void sections_without_number(void **state)
{
	const char *path = hostile("sections.so", "whole.so", (off_t)4 << 30);
	struct symbols *s = symbols_new(NULL);
	int fd = open(path, O_RDWR);
	Elf64_Shdr first;
	Elf64_Ehdr file;

	(void)state;
	assert_int_equal(pread(fd, &file, sizeof(file), 0), sizeof(file));
	assert_int_equal(pread(fd, &first, sizeof(first), (off_t)file.e_shoff), sizeof(first));
	file.e_shnum = 0;
	first.sh_size = 60000000;
	assert_int_equal(pwrite(fd, &file, sizeof(file), 0), sizeof(file));
	assert_int_equal(pwrite(fd, &first, sizeof(first), (off_t)file.e_shoff), sizeof(first));
	close(fd);
	misses(s, path, build_id, 0, exported, "can't be read");
	symbols_free(s);
	unlink(path);
}

/* To open it would wait for a writer, or do whatever a device does when it is opened. */
static void no_regular_file(void **state)
{
	const char *path = hostile("pipe.so", NULL, 0);
	struct symbols *s = symbols_new(NULL);
	int writer;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	misses(s, path, build_id, 0, exported, "can't be read");
	/* Nobody has it open. */
	writer = open(path, O_WRONLY | O_NONBLOCK);
	assert_int_equal(writer, -1);
	assert_int_equal(errno, ENXIO);
	misses(s, "/dev/zero", build_id, 0, exported, "can't be read");
	symbols_free(s);
	unlink(path);
}

static void budget_runs_out(void **state)
{
	struct budget b = budget_full();

	(void)state;
	assert_true(budget_function(&b, 100));
	b.names = 50;
	assert_false(budget_function(&b, 100));
	assert_non_null(strstr(b.gone, "names"));
	b = budget_full();
	b.functions = 1;
	assert_true(budget_function(&b, 1));
	assert_false(budget_function(&b, 1));
	assert_non_null(strstr(b.gone, "functions"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_objects_own_symbols),
		cmocka_unit_test(reads_dynamic_symbols_of_a_stripped_object),
		cmocka_unit_test(reads_what_is_kept_in_a_stripped_object),
		cmocka_unit_test(follows_a_debug_link),
		cmocka_unit_test(finds_debug_files_by_build_id),
		cmocka_unit_test(refuses_another_build),
		cmocka_unit_test(leaves_alone_what_is_no_object),
		cmocka_unit_test(survives_damaged_objects),
		cmocka_unit_test(names_code_labels),
		cmocka_unit_test(names_in_another_root),
		cmocka_unit_test(finds_what_was_kept),
		cmocka_unit_test(debug_file_of_terabytes),
		cmocka_unit_test(table_of_gigabytes),
		cmocka_unit_test(sections_without_number),
		cmocka_unit_test(no_regular_file),
		cmocka_unit_test(budget_runs_out),
	};

	return cmocka_run_group_tests_name("symbols", tests, find_objects, NULL);
}
