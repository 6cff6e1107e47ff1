/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that appear whole or not at all: they are written beside the name that was asked
 * for and take it once all of it is there. Until then whoever opens the name finds what was
 * there before, and so it stays if the disk is full or the writer is killed.
 */
#ifndef COROPROF_REPLACE_H
#define COROPROF_REPLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/**
 * struct replacement - one such file
 * @file:   to be written to
 * @path:   the name it takes: what a link leads to, so that the link stays
 * @beside: the name it has until then; empty: none, so that nothing is left of it if the
 *          writer is killed
 * @direct: it is written as it stands: a pipe, a device, or a name that leads to nothing
 */
struct replacement {
	FILE *file;
	char path[PATH_MAX];
	char beside[PATH_MAX];
	bool direct;
};

/* Opens a file to write. The file at @path stays as it is until replacement_commit(). */
int replacement_open(struct replacement *r, const char *path, struct error *err);

/*
 * Gives the file its name, as replace_file() does. Frees everything in any case; after an error
 * @path is as before.
 */
int replacement_commit(struct replacement *r, bool sync, struct error *err);

/* Removes the file, and leaves @path as it is. */
void replacement_cancel(struct replacement *r);

/*
 * @beside takes the name @path, with the permissions and, as far as that is allowed, the owner
 * of what it replaces; with @sync it is on the disk before. False with errno.
 */
bool replace_file(const char *path, const char *beside, bool sync);

/*
 * Sets the path of the regular file that @path names, or would name. False if it names something
 * else, or that can't be known.
 */
bool replaceable(const char *path, char resolved[PATH_MAX]);

/* True if both names are of one file. */
bool same_file(const char *one, const char *other);

#endif /* COROPROF_REPLACE_H */
