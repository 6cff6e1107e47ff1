// SPDX-License-Identifier: GPL-2.0
/*
 * The file into which a recording goes: the one that was asked for, or a temporary one that is
 * removed in the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/replace.h"
#include "output/spool.h"

/* Sets the "DIR/" of a path; for "-", that of temporary files. */
static void get_folder(const char *path, char *folder, size_t capacity)
{
	const char *slash = strrchr(path, '/');
	const char *tmp = getenv("TMPDIR");

	if (!strcmp(path, "-"))
		snprintf(folder, capacity, "%s/", tmp && *tmp ? tmp : "/tmp");
	else
		snprintf(folder, capacity, "%.*s",
			 slash ? (int)(slash + 1 - path) : 0, path);
}

static int make_temporary(struct spool *spool, const char *beside,
			  struct error *err)
{
	char folder[PATH_MAX - 32];
	int fd;

	get_folder(beside, folder, sizeof(folder));
	snprintf(spool->path, sizeof(spool->path), "%scoroprof-XXXXXX.cprof",
		 folder);
	fd = mkstemps(spool->path, (int)strlen(".cprof"));
	if (fd < 0)
		return error_errno(err, "can't create a temporary recording in %s",
				   *folder ? folder : "the current directory");
	close(fd);
	spool->temporary = true;
	return 0;
}

int spool_choose(struct spool *spool, const struct output *outputs,
		 unsigned int nr, struct error *err)
{
	const char *path = nr ? NULL : SPOOL_DEFAULT;

	*spool = (struct spool){ 0 };
	for (unsigned int i = 0; i < nr; i++) {
		if (outputs[i].format == FORMAT_CPROF)
			path = outputs[i].path;
	}
	if (!path)
		return make_temporary(spool, outputs[0].path, err);
	/* A pipe or a device is written as it stands. */
	if (!replaceable(path, spool->name)) {
		snprintf(spool->path, sizeof(spool->path), "%s", path);
		return 0;
	}
	if (snprintf(spool->path, sizeof(spool->path), "%s.part", spool->name) >= PATH_MAX)
		return error_set(err, ENAMETOOLONG, "the name of the recording, %s, is too long",
				 path);
	return 0;
}

int spool_finish(struct spool *spool, bool sync, struct error *err)
{
	if (!*spool->name)
		return 0;
	if (!replace_file(spool->name, spool->path, sync))
		return error_errno(err, "can't give the recording %s the name %s", spool->path,
				   spool->name);
	strcpy(spool->path, spool->name);
	return 0;
}
