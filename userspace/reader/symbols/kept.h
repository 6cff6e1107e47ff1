/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of object files that no path leads to any more when their symbols are
 * wanted: a process that ends takes its file systems with it. They are in memory
 * from their recording until the reader ends, and are known by their build ids.
 * A file that were kept open instead would keep its file system busy, and the
 * program from unmounting it.
 */
#ifndef COROPROF_KEPT_H
#define COROPROF_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program that maps more than that has what comes first. */
#define KEPT_MAX	256
#define KEPT_BYTES	(128u << 20)

/* Long enough for "/proc/self/fd/N" */
#define KEPT_PATH	32

/* Copies the file that is open at @fd, unless it has been copied. */
void kept_add(int fd, const uint8_t *build_id, size_t build_id_len);

/* Sets a path to the copy of the file with this build id. False if there is none. */
bool kept_find(char path[KEPT_PATH], const uint8_t *build_id,
	       size_t build_id_len);

#endif /* COROPROF_KEPT_H */
