/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the library that makes runtimes report their coroutines to coroprof. */
#ifndef COROPROF_PRELOAD_H
#define COROPROF_PRELOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define PRELOAD_NAME	"libcoroprof-preload.so"
#define PRELOAD_ENV	"COROPROF_PRELOAD"

#define ASAN_ENV	"ASAN_OPTIONS"
/*
 * Such a program ends at once if a library is loaded before that of AddressSanitizer, unless this
 * is set.
 */
#define ASAN_BEARS	"verify_asan_link_order=0"

/*
 * The path of the preload library: of the environment variable, else beside this program, else
 * where it is installed.
 */
int preload_find(char path[PATH_MAX], struct error *err);

/* The value for LD_PRELOAD: the library, then the present value. */
int preload_value(char *value, size_t capacity, const char *path,
		  struct error *err);

/*
 * The value for ASAN_OPTIONS: the present one, and an option for programs with AddressSanitizer to
 * tolerate the library. False if @capacity is too small.
 */
bool preload_asan_value(char *value, size_t capacity);

#endif /* COROPROF_PRELOAD_H */
