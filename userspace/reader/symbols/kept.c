// SPDX-License-Identifier: GPL-2.0
/* Copies object files into memfds while their process lives, and finds them again by build id. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/buildid.h"
#include "symbols/kept.h"

static struct {
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_len;
	int fd;
} kept[KEPT_MAX];

static unsigned int nr_kept;
static size_t kept_bytes;

/* Returns a descriptor of the copy, or -1. */
static int copy_to_memfd(int fd, size_t size)
{
	int to = memfd_create("object", MFD_CLOEXEC);
	off_t at = 0;

	if (to < 0)
		return -1;
	while ((size_t)at < size && sendfile(to, fd, &at, size - (size_t)at) > 0)
		;
	if ((size_t)at == size)
		return to;
	close(to);
	return -1;
}

void kept_add(int fd, const uint8_t *build_id, size_t build_id_len)
{
	char path[KEPT_PATH];
	struct stat st;
	int own;

	if (nr_kept == KEPT_MAX || !build_id_len ||
	    build_id_len > BUILD_ID_MAX || fstat(fd, &st) ||
	    (size_t)st.st_size > KEPT_BYTES - kept_bytes ||
	    kept_find(path, build_id, build_id_len))
		return;
	own = copy_to_memfd(fd, (size_t)st.st_size);
	if (own < 0)
		return;
	kept_bytes += (size_t)st.st_size;
	kept[nr_kept].fd = own;
	kept[nr_kept].build_id_len = build_id_len;
	memcpy(kept[nr_kept++].build_id, build_id, build_id_len);
}

bool kept_find(char path[KEPT_PATH], const uint8_t *build_id,
	       size_t build_id_len)
{
	for (unsigned int i = 0; i < nr_kept; i++) {
		if (kept[i].build_id_len != build_id_len ||
		    memcmp(kept[i].build_id, build_id, build_id_len))
			continue;
		snprintf(path, KEPT_PATH, "/proc/self/fd/%d", kept[i].fd);
		return true;
	}
	return false;
}
