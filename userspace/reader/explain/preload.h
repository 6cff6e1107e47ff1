/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the library that makes runtimes tell coroprof of their coroutines. */
#ifndef COROPROF_PRELOAD_H
#define COROPROF_PRELOAD_H

#include <limits.h>
#include <stddef.h>

#include "base/error.h"

#define PRELOAD_NAME	"libcoroprof-preload.so"
#define PRELOAD_ENV	"COROPROF_PRELOAD"

/*
 * Its path, from the environment variable, else beside the own executable, else
 * where it is installed.
 */
int preload_find(char path[PATH_MAX], struct error *err);

/* The value for LD_PRELOAD: the library, then what is there already. */
int preload_value(char *value, size_t room, const char *path,
		  struct error *err);

#endif /* COROPROF_PRELOAD_H */
