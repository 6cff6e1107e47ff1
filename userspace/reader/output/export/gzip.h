/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_GZIP_H
#define COROPROF_GZIP_H

#include <stddef.h>
#include <stdio.h>

/* Writes it as gzip(1) would have. Returns 0, or -1 with errno. */
int gzip_write(const void *data, size_t size, FILE *file);

#endif /* COROPROF_GZIP_H */
