/* SPDX-License-Identifier: GPL-2.0 */
/* A bearer token, or another secret, in a file. */
#ifndef COROPROF_TOKEN_H
#define COROPROF_TOKEN_H

#include "base/error.h"

#define TOKEN_MAX	16384u

/* The first line, which is of what a header may have. @option: that names the file. */
int token_read(char token[TOKEN_MAX], const char *path, const char *option, struct error *err);

/* Likewise. @is: what it is for people. */
int secret_read(char text[TOKEN_MAX], const char *path, const char *option, const char *is,
		struct error *err);

#endif /* COROPROF_TOKEN_H */
