/* SPDX-License-Identifier: GPL-2.0 */
/* Build ids of mapped files, each file looked at once. */
#ifndef COROPROF_BUILDID_H
#define COROPROF_BUILDID_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BUILD_ID_MAX	32

struct build_id_entry;

/**
 * struct build_ids - what has been looked at
 * @entries: sorted by device and inode
 * @nr:      how many
 * @capacity: how many fit
 */
struct build_ids {
	struct build_id_entry *entries;
	size_t nr;
	size_t capacity;
};

/*
 * Puts the build id of the file at @path, as /proc/PID/maps has it, into @id and
 * returns its length, 0 when there is none to be had. @device and @inode are
 * those of the mapping: a file that has taken its place since is not it.
 */
unsigned int build_ids_get(struct build_ids *ids, pid_t pid, const char *path,
			   uint64_t device, uint64_t inode,
			   uint8_t id[BUILD_ID_MAX]);
void build_ids_free(struct build_ids *ids);

#endif /* COROPROF_BUILDID_H */
