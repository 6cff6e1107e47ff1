// SPDX-License-Identifier: GPL-2.0
/*
 * Reads build ids from the notes of mapped files, remembers them by device and inode, and keeps a
 * copy of files that only their process can see (symbols/kept.h).
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inroot.h"
#include "symbols/buildid.h"
#include "symbols/elffile.h"
#include "symbols/kept.h"
#include "symbols/regular.h"

/* Processes can map any number of files; this many are remembered. */
#define ENTRIES_MAX	65536

struct build_id_entry {
	uint64_t device;
	uint64_t inode;
	uint8_t id[BUILD_ID_MAX];
	uint8_t len;
};

/*
 * Reads the file instead of mapping it: a file that is truncated meanwhile would kill this process.
 */
static unsigned int read_build_id(int fd, uint8_t id[BUILD_ID_MAX])
{
	const void *bytes;
	ssize_t len = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_file_begin(fd);
	if (elf && elf_file_notes_are_small(elf))
		len = dwelf_elf_gnu_build_id(elf, &bytes);
	if (len < 0 || len > BUILD_ID_MAX)
		len = 0;
	if (len)
		memcpy(id, bytes, (size_t)len);
	elf_end(elf);
	return (unsigned int)len;
}

static unsigned int read_build_id_of_process(pid_t pid, const char *path, uint64_t inode,
					     uint8_t id[BUILD_ID_MAX])
{
	bool other = mounts_are_other(pid);
	struct process_root root = root_of_process(pid);
	unsigned int len = 0;
	struct stat st;
	int fd;

	/* The kernel shows paths as this process sees them, if it can see them. */
	fd = regular_reopen(open_in_root(other ? root.path : "/", path, O_PATH));
	if (fd < 0)
		return 0;
	/* Overlay file systems map a file under another device number. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == inode)
		len = read_build_id(fd, id);
	if (len && other)
		kept_add(fd, id, len);
	close(fd);
	return len;
}

static size_t find_place(const struct build_ids *ids, uint64_t device,
			 uint64_t inode)
{
	size_t low = 0, high = ids->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct build_id_entry *e = &ids->entries[middle];

		if (e->device < device ||
		    (e->device == device && e->inode < inode))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert_entry(struct build_ids *ids, size_t at,
			 const struct build_id_entry *entry)
{
	if (ids->nr == ENTRIES_MAX)
		return;
	if (ids->nr == ids->capacity) {
		size_t capacity = ids->capacity ? 2 * ids->capacity : 64;
		void *entries = reallocarray(ids->entries, capacity,
					     sizeof(*ids->entries));

		if (!entries)
			return;
		ids->entries = entries;
		ids->capacity = capacity;
	}
	memmove(&ids->entries[at + 1], &ids->entries[at],
		(ids->nr - at) * sizeof(*ids->entries));
	ids->entries[at] = *entry;
	ids->nr++;
}

unsigned int build_ids_get(struct build_ids *ids, pid_t pid, const char *path,
			   uint64_t device, uint64_t inode,
			   uint8_t id[BUILD_ID_MAX])
{
	struct build_id_entry entry = { .device = device, .inode = inode };
	size_t at = find_place(ids, device, inode);

	if (at < ids->nr && ids->entries[at].device == device &&
	    ids->entries[at].inode == inode) {
		entry = ids->entries[at];
	} else {
		entry.len = (uint8_t)read_build_id_of_process(pid, path, inode, entry.id);
		insert_entry(ids, at, &entry);
	}
	memcpy(id, entry.id, sizeof(entry.id));
	return entry.len;
}

void build_ids_free(struct build_ids *ids)
{
	free(ids->entries);
	*ids = (struct build_ids){ 0 };
}
