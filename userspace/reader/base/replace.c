// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a file without a name, or one beside the wanted name, and renames it over the wanted name
 * when it is complete. Relies on O_TMPFILE and linkat() where a file system has them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replace.h"

bool replaceable(const char *path, char resolved[PATH_MAX])
{
	struct stat st;

	if (strlen(path) >= PATH_MAX)
		return false;
	if (!stat(path, &st))
		return S_ISREG(st.st_mode) && realpath(path, resolved);
	/* A link that leads to nothing is followed by who creates the file. */
	if (errno != ENOENT || !lstat(path, &st))
		return false;
	strcpy(resolved, path);
	return true;
}

bool same_file(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The length of the folder's part of @path, up to and including the last "/". */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash + 1 - path) : 0;
}

/* Sets a name beside @path, another one at each call. */
static bool choose_name_beside(struct replacement *r)
{
	static unsigned int nr;
	int n = snprintf(r->beside, sizeof(r->beside), "%.*s.coroprof-%d-%u",
			 folder_length(r->path), r->path, (int)getpid(), nr++);

	if (n > 0 && (size_t)n < sizeof(r->beside))
		return true;
	*r->beside = '\0';
	errno = ENAMETOOLONG;
	return false;
}

/* Opens a file without a name, or, on a file system that has none, one with a name beside @path. */
static int open_beside(struct replacement *r)
{
	int length = folder_length(r->path), fd;
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", length ? length : 1, length ? r->path : ".");
	fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	do {
		if (!choose_name_beside(r))
			return -1;
		fd = open(r->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	} while (fd < 0 && errno == EEXIST);
	if (fd < 0)
		*r->beside = '\0';
	return fd;
}

int replacement_open(struct replacement *r, const char *path, struct error *err)
{
	int fd;

	r->direct = !replaceable(path, r->path);
	*r->beside = '\0';
	if (r->direct) {
		snprintf(r->path, sizeof(r->path), "%s", path);
		r->file = fopen(path, "we");
		return r->file ? 0 : error_errno(err, "can't create %s", path);
	}
	fd = open_beside(r);
	if (fd >= 0)
		r->file = fdopen(fd, "w");
	if (r->file)
		return 0;
	error_errno(err, "can't create a file beside %s, which takes that name once it is whole", path);
	if (fd >= 0) {
		close(fd);
		if (*r->beside)
			unlink(r->beside);
	}
	return -err->code;
}

bool replace_file(const char *path, const char *beside, bool sync)
{
	int fd = open(beside, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int saved;

	if (fd < 0)
		return false;
	/*
	 * Who may write the old one may not always give a file to its owner: then it is the
	 * writer's.
	 */
	if (!stat(path, &st) &&
	    (!fchown(fd, st.st_uid, st.st_gid) || !fchown(fd, (uid_t)-1, st.st_gid)))
		fchmod(fd, st.st_mode & 0777);
	if ((!sync || !fsync(fd)) && !rename(beside, path)) {
		close(fd);
		return true;
	}
	saved = errno;
	close(fd);
	errno = saved;
	return false;
}

/*
 * linkat() replaces nothing, so the file first gets a name that nobody else has, and is then
 * renamed.
 */
static bool give_name(struct replacement *r)
{
	char self[32];

	if (*r->beside)
		return true;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(r->file));
	do {
		if (!choose_name_beside(r))
			return false;
		if (!linkat(AT_FDCWD, self, AT_FDCWD, r->beside, AT_SYMLINK_FOLLOW))
			return true;
	} while (errno == EEXIST);
	*r->beside = '\0';
	return false;
}

int replacement_commit(struct replacement *r, bool sync, struct error *err)
{
	FILE *file = r->file;

	errno = 0;
	if (fflush(file) || ferror(file) || (!r->direct && !give_name(r)))
		goto failed;
	/* Network file systems and quotas may only say now. */
	r->file = NULL;
	if (fclose(file) || (!r->direct && !replace_file(r->path, r->beside, sync)))
		goto failed;
	return 0;
failed:
	error_errno(err, "can't write %s", r->path);
	replacement_cancel(r);
	return -err->code;
}

void replacement_cancel(struct replacement *r)
{
	if (r->file)
		fclose(r->file);
	if (*r->beside)
		unlink(r->beside);
	r->file = NULL;
}
