// SPDX-License-Identifier: GPL-2.0
/*
 * Finds a program in PATH and looks at its ELF headers, or at the first line of a script: static,
 * privileged, its libc, its interpreter.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "explain/program.h"
#include "symbols/elffile.h"

#define CAPABILITIES	"security.capability"

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool program_find(char path[PATH_MAX], const char *name)
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/') || !folders) {
		snprintf(path, PATH_MAX, "%s", name);
		return is_executable(path);
	}
	while (*folders) {
		int len = (int)strcspn(folders, ":");

		snprintf(path, PATH_MAX, "%.*s%s%s", len, folders,
			 len ? "/" : "./", name);
		if (is_executable(path))
			return true;
		folders += len + (folders[len] == ':');
	}
	return false;
}

/*
 * The kernel ignores LD_PRELOAD for a program that gets other rights than its caller's; root has
 * all.
 */
static bool is_privileged(const struct stat *st, const char *path)
{
	if (st->st_mode & S_ISUID && st->st_uid != getuid())
		return true;
	if (st->st_mode & S_ISGID && st->st_mode & S_IXGRP &&
	    st->st_gid != getgid())
		return true;
	return getuid() && getxattr(path, CAPABILITIES, NULL, 0) > 0;
}

static bool find_program_header(Elf *elf, GElf_Word type, GElf_Phdr *phdr)
{
	size_t nr = 0;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr && i < INT_MAX; i++) {
		if (gelf_getphdr(elf, (int)i, phdr) && phdr->p_type == type)
			return true;
	}
	return false;
}

static void read_linker(struct program *p, const struct elf_file *e)
{
	char name[PATH_MAX] = "";
	GElf_Phdr phdr;

	if (!find_program_header(e->elf, PT_INTERP, &phdr)) {
		p->is_static = find_program_header(e->elf, PT_LOAD, &phdr);
		return;
	}
	if (phdr.p_filesz < sizeof(name) &&
	    pread(e->fd, name, phdr.p_filesz, (off_t)phdr.p_offset) > 0)
		p->is_musl = strstr(name, "/ld-musl-") != NULL;
}

static void read_needed(struct program *p, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(elf, SHT_DYNAMIC, NULL, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
		const char *name;

		if (dyn.d_tag != DT_NEEDED)
			continue;
		name = elf_strptr(elf, header.sh_link, dyn.d_un.d_val);
		if (!name)
			continue;
		p->has_asan |= !strncmp(name, "libasan.so", strlen("libasan.so"));
		if (p->runtime)
			continue;
		p->runtime = runtime_of_file(name);
		if (p->runtime)
			snprintf(p->shows, sizeof(p->shows), "%s", name);
	}
}

/* Sets libc, whether it is static, and the runtime, by ELF headers. False if it is no ELF file. */
static bool read_elf(struct program *p, const char *path)
{
	struct elf_file e;

	elf_version(EV_CURRENT);
	if (!elf_file_open(&e, path))
		return false;
	read_linker(p, &e);
	p->runtime = runtime_of_elf(e.elf);
	read_needed(p, e.elf);
	elf_file_close(&e);
	return true;
}

static void read_script_line(struct program *p, const char *path)
{
	char line[sizeof(p->script) + 2] = "";
	FILE *file = fopen(path, "re");

	if (!file)
		return;
	if (fgets(line, sizeof(line), file) && !strncmp(line, "#!", 2)) {
		char *begin = line + 2 + strspn(line + 2, " \t");

		begin[strcspn(begin, "\n")] = '\0';
		snprintf(p->script, sizeof(p->script), "%s", begin);
	}
	fclose(file);
}

bool program_look(struct program *p, const char *path, const char *called)
{
	struct stat st;

	memset(p, 0, sizeof(*p));
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	p->privileged = is_privileged(&st, path);
	if (!read_elf(p, path))
		read_script_line(p, path);
	else if (!p->runtime)
		p->runtime = runtime_of_program(called);
	return true;
}
