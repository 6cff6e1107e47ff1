// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explain/program.h"

static bool find(struct program *program, const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/') || !path) {
		snprintf(program->path, sizeof(program->path), "%s", name);
		return access(program->path, X_OK) == 0;
	}
	while (*path) {
		int len = (int)strcspn(path, ":");

		snprintf(program->path, sizeof(program->path), "%.*s%s%s", len,
			 path, len ? "/" : "./", name);
		if (access(program->path, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

static bool has_segment(Elf *elf, GElf_Word type)
{
	GElf_Phdr phdr;
	size_t nr = 0;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr && i < INT_MAX; i++) {
		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == type)
			return true;
	}
	return false;
}

static bool is_static(int fd)
{
	bool ret = false;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		ret = has_segment(elf, PT_LOAD) && !has_segment(elf, PT_INTERP);
	elf_end(elf);
	return ret;
}

bool program_look(struct program *program, const char *name)
{
	struct stat st;
	int fd;

	if (!find(program, name))
		return false;
	fd = open(program->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return false;
	}
	program->setid = st.st_mode & (S_ISUID | S_ISGID);
	program->is_static = is_static(fd);
	close(fd);
	return true;
}
