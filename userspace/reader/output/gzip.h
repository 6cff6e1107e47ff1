/* SPDX-License-Identifier: GPL-2.0 */
/* A stream that compresses. */
#ifndef COROPROF_GZIP_H
#define COROPROF_GZIP_H

#include <stdio.h>

/*
 * What is written to it is written to @to, as gzip(1) would have it; what that takes of memory
 * does not grow. fclose() writes the rest, says whether all could be written, and leaves @to
 * open. NULL with errno.
 */
FILE *gzip_open(FILE *to);

#endif /* COROPROF_GZIP_H */
