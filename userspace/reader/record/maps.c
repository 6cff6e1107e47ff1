// SPDX-License-Identifier: GPL-2.0
/*
 * Parses /proc/PID/maps for executable mappings and writes them as a MAPS segment, with the root
 * directory where it is another.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/inroot.h"
#include "cprof/format.h"
#include "record/maps.h"

/* Leaves room for one more entry in a payload. */
#define PAYLOAD_SIZE	(CPROF_PAYLOAD_MAX - sizeof(struct cprof_map) - PATH_MAX - 8)

struct mapping {
	struct cprof_map map;
	uint64_t device;
	uint64_t inode;
	const char *path;
};

/*
 * Parses "START-END PERMS OFFSET MAJOR:MINOR INODE PATH". False if the mapping is not executable,
 * or has no name.
 */
static bool parse_line(struct mapping *m, char *line)
{
	unsigned int major, minor;
	char perms[5];
	int name = 0;

	memset(m, 0, sizeof(*m));
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &m->map.start, &m->map.end, perms, &m->map.offset, &major,
		   &minor, &m->inode, &name) < 7 || !name)
		return false;
	line[strcspn(line, "\n")] = '\0';
	m->device = makedev(major, minor);
	m->path = line + name;
	return perms[2] == 'x' && *m->path && strlen(m->path) <= PATH_MAX;
}

static int add_map(struct buffer *payload, struct mapping *m, pid_t pid,
		   struct build_ids *ids, struct error *err)
{
	size_t len = strlen(m->path);
	int ret;

	m->map.path_len = (uint16_t)len;
	m->map.size = (uint32_t)(sizeof(m->map) + ALIGN8(len));
	/* Names such as [vdso] stand for no file. */
	if (m->path[0] == '/')
		m->map.build_id_len = (uint16_t)
			build_ids_get(ids, pid, m->path, m->device, m->inode,
				      m->map.build_id);
	ret = buffer_append(payload, &m->map, sizeof(m->map), err);
	if (!ret)
		ret = buffer_append(payload, m->path, len, err);
	return ret ? ret : buffer_pad(payload, err);
}

int maps_parse(struct buffer *payload, FILE *file, pid_t pid,
	       struct build_ids *ids, struct error *err)
{
	struct mapping mapping;
	char *line = NULL;
	size_t capacity = 0;
	int ret = 0;

	while (!ret && payload->size < PAYLOAD_SIZE &&
	       getline(&line, &capacity, file) > 0) {
		if (parse_line(&mapping, line))
			ret = add_map(payload, &mapping, pid, ids, err);
	}
	free(line);
	return ret;
}

/*
 * Adds the process's root directory if it is another than ours: the paths in its mappings are below
 * it.
 */
static int add_root(struct buffer *payload, pid_t pid, struct error *err)
{
	struct process_root link = root_of_process(pid);
	struct cprof_map root = { .size = sizeof(root) };
	char path[PATH_MAX];
	ssize_t len = 0;
	int ret;

	/* Of other file systems, no path here leads to it. */
	if (!mounts_are_other(pid)) {
		if (!root_is_other(link.path))
			return 0;
		len = readlink(link.path, path, sizeof(path));
	}
	if (len < 0)
		return 0;
	root.path_len = (uint16_t)len;
	root.size = (uint32_t)(sizeof(root) + ALIGN8((size_t)len));
	ret = buffer_append(payload, &root, sizeof(root), err);
	if (!ret)
		ret = buffer_append(payload, path, (size_t)len, err);
	return ret ? ret : buffer_pad(payload, err);
}

int maps_read(struct buffer *payload, uint32_t process_id, pid_t pid,
	      struct build_ids *ids, struct error *err)
{
	struct cprof_maps header = {
		.process_id = process_id,
		.pid = pid,
		.time = monotonic_ns(),
	};
	char path[64];
	size_t before;
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return error_set(err, ESRCH, "can't open %s", path);
	payload->size = 0;
	ret = buffer_append(payload, &header, sizeof(header), err);
	if (!ret)
		ret = add_root(payload, pid, err);
	before = payload->size;
	if (!ret)
		ret = maps_parse(payload, file, pid, ids, err);
	fclose(file);
	/* A process that has just ended has an empty list, not none. */
	if (!ret && payload->size == before)
		ret = error_set(err, ESRCH, "%s is empty", path);
	return ret;
}
