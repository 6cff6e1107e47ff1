// SPDX-License-Identifier: GPL-2.0
#include "support.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cprof/format.h"
#include "record/maps.h"

static struct build_ids ids;
static struct buffer payload;
static struct error err;

static int clean(void **state)
{
	(void)state;
	build_ids_free(&ids);
	buffer_free(&payload);
	return 0;
}

static void parse(const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	payload.size = 0;
	assert_non_null(file);
	assert_int_equal(maps_parse(&payload, file, getpid(), &ids, &err), 0);
	fclose(file);
}

/* The entry at @at, with its path; returns where the next one is. */
static size_t entry(size_t at, struct cprof_map *map, char path[4097])
{
	assert_true(payload.size - at >= sizeof(*map));
	memcpy(map, payload.data + at, sizeof(*map));
	assert_int_equal(map->size % 8, 0);
	assert_true(payload.size - at >= map->size);
	memcpy(path, payload.data + at + sizeof(*map), map->path_len);
	path[map->path_len] = '\0';
	return at + map->size;
}

static void test_lines(void **state)
{
	struct cprof_map map;
	char path[4097];
	size_t at;

	(void)state;
	parse("00400000-00401000 r--p 00000000 08:01 123 /nonexistent/a\n"
	      "00401000-00402000 r-xp 00001000 08:01 123 /nonexistent/a\n"
	      "00402000-00403000 rwxp 00000000 00:00 0 \n"
	      "7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0                  [vdso]\n"
	      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"
	      "500000-501000 r-xp 00000000 08:01 9 /with space (deleted)\n");
	at = entry(0, &map, path);
	assert_string_equal(path, "/nonexistent/a");
	assert_int_equal(map.start, 0x401000);
	assert_int_equal(map.end, 0x402000);
	assert_int_equal(map.offset, 0x1000);
	assert_int_equal(map.build_id_len, 0);
	at = entry(at, &map, path);
	assert_string_equal(path, "[vdso]");
	assert_true(map.start == 0x7ffff7fc1000);
	at = entry(at, &map, path);
	assert_string_equal(path, "[vsyscall]");
	assert_true(map.end == 0xffffffffff601000);
	at = entry(at, &map, path);
	assert_string_equal(path, "/with space (deleted)");
	assert_int_equal(at, payload.size);
}

static void test_nonsense(void **state)
{
	(void)state;
	parse("\n");
	parse("garbage\nr-xp\n-\n0-\n0-1 r-xp\n1-2 x 3 4:5 6\n");
	assert_int_equal(payload.size, 0);
}

static void test_long_path(void **state)
{
	char *text = malloc(20000);
	int n = sprintf(text, "1000-2000 r-xp 00000000 08:01 1 /");

	(void)state;
	memset(text + n, 'a', 10000);
	strcpy(text + n + 10000, "\n3000-4000 r-xp 00000000 08:01 1 /b\n");
	parse(text);
	/* The first is longer than any path, the second is good. */
	assert_int_equal(payload.size, sizeof(struct cprof_map) + 8);
	free(text);
}

/* More mappings than a payload holds: the file must still be readable. */
static void test_very_many(void **state)
{
	FILE *file = tmpfile();
	char path[3000];

	(void)state;
	assert_non_null(file);
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	for (int i = 0; i < 7000; i++)
		fprintf(file, "%x000-%x000 r-xp 0 08:01 %d /%s\n", i, i + 1,
			i, path);
	rewind(file);
	payload.size = 0;
	assert_int_equal(maps_parse(&payload, file, getpid(), &ids, &err), 0);
	assert_true(payload.size <= CPROF_PAYLOAD_MAX - sizeof(struct cprof_maps));
	assert_true(payload.size > CPROF_PAYLOAD_MAX / 2);
	fclose(file);
}

/* What the linker put into this very program. */
static int own_build_id(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct cprof_map *map = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];
		const char *p = (char *)info->dlpi_addr + phdr->p_vaddr;
		const char *end = p + phdr->p_memsz;

		while (phdr->p_type == PT_NOTE && p < end) {
			const ElfW(Nhdr) *note = (void *)p;
			const char *name = p + sizeof(*note);
			const char *desc = name + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && !strcmp(name, "GNU")) {
				map->build_id_len = (uint16_t)note->n_descsz;
				memcpy(map->build_id, desc, note->n_descsz);
				return 1;
			}
			p = desc + ((note->n_descsz + 3) & ~3u);
		}
	}
	return 1;
}

static void test_own(void **state)
{
	struct cprof_map map, own = { 0 };
	char path[4097], exe[4097];
	struct cprof_maps header;
	bool found = false;
	ssize_t n;
	size_t at;

	(void)state;
	dl_iterate_phdr(own_build_id, &own);
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n] = '\0';
	assert_int_equal(maps_read(&payload, 7, getpid(), &ids, &err), 0);
	memcpy(&header, payload.data, sizeof(header));
	assert_int_equal(header.process_id, 7);
	assert_int_equal(header.pid, getpid());
	for (at = sizeof(header); at < payload.size;) {
		at = entry(at, &map, path);
		if (strcmp(path, exe))
			continue;
		found = true;
		assert_int_equal(map.build_id_len, own.build_id_len);
		assert_memory_equal(map.build_id, own.build_id, 32);
	}
	assert_true(found);
	assert_true(own.build_id_len > 0);
}

static void test_gone(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(maps_read(&payload, 7, pid, &ids, &err), -ESRCH);
}

/* A zombie's list can be opened, and is empty. */
static void test_zombie(void **state)
{
	siginfo_t info;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	assert_int_equal(maps_read(&payload, 7, pid, &ids, &err), -ESRCH);
	waitpid(pid, NULL, 0);
}

/* Opening a file that has become a FIFO must not wait for a writer. */
static void test_fifo(void **state)
{
	char folder[] = "/tmp/coroprof-test-XXXXXX";
	char path[64], line[256];
	struct cprof_map map;
	char got[4097];
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(stat(path, &st), 0);
	snprintf(line, sizeof(line), "1000-2000 r-xp 0 08:01 %lu %s\n",
		 (unsigned long)st.st_ino, path);
	alarm(300);
	parse(line);
	alarm(0);
	entry(0, &map, got);
	assert_int_equal(map.build_id_len, 0);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_lines, clean),
		cmocka_unit_test_teardown(test_nonsense, clean),
		cmocka_unit_test_teardown(test_long_path, clean),
		cmocka_unit_test_teardown(test_very_many, clean),
		cmocka_unit_test_teardown(test_own, clean),
		cmocka_unit_test_teardown(test_gone, clean),
		cmocka_unit_test_teardown(test_zombie, clean),
		cmocka_unit_test_teardown(test_fifo, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
