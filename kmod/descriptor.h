/* SPDX-License-Identifier: GPL-2.0 */
/* A descriptor that is made first and shown to the program last, when nothing can fail any more. */
#ifndef COROPROF_DESCRIPTOR_H
#define COROPROF_DESCRIPTOR_H

#include <linux/anon_inodes.h>
#include <linux/fcntl.h>
#include <linux/file.h>

/**
 * coroprof_descriptor_reserve() - a descriptor that nobody sees yet
 * @name: as /proc shows it
 * @fops: of the file
 * @data: of the file. On failure the caller still owns it; otherwise the release of the
 *        file does
 * @file: out: for fd_install(), or for coroprof_descriptor_drop()
 *
 * Returns its number, close-on-exec, or an error.
 */
static inline int coroprof_descriptor_reserve(const char *name,
					      const struct file_operations *fops,
					      void *data, struct file **file)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;

	*file = anon_inode_getfile(name, fops, data, O_RDWR);
	if (IS_ERR(*file)) {
		put_unused_fd(fd);
		return PTR_ERR(*file);
	}
	return fd;
}

static inline void coroprof_descriptor_drop(int fd, struct file *file)
{
	put_unused_fd(fd);
	fput(file);
}

#endif /* COROPROF_DESCRIPTOR_H */
