/* SPDX-License-Identifier: GPL-2.0 */
/* Files that are named by whoever was recorded: only regular ones are opened to be read. */
#ifndef COROPROF_REGULAR_H
#define COROPROF_REGULAR_H

/*
 * @path: a descriptor opened with O_PATH, which opens no device; is closed, or -1.
 * Returns one to read from, or -1 with errno, ENOTSUP for what is no regular file.
 */
int regular_reopen(int path);

/* Opens a file by its name, in the same way. */
int regular_open(const char *path);

/* Has regular_open() call @open in this process, which may open nothing itself. */
void regular_open_by(int (*open)(const char *path));

#endif /* COROPROF_REGULAR_H */
