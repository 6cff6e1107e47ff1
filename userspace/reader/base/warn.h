/* SPDX-License-Identifier: GPL-2.0 */
/* Lines on standard error. */
#ifndef COROPROF_WARN_H
#define COROPROF_WARN_H

#include <stddef.h>
#include <stdint.h>

/* Sets the name with which lines of warn() begin. It stays the caller's. */
void warn_as(const char *program);

/*
 * Lines "coroprof: ..." on standard error, by the name of the program. Names of processes and
 * threads may be in them, so nothing that could steer a terminal gets through.
 */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Holds lines back from now on, while the terminal shows something else, until warn_release(). */
void warn_hold(void);
/* How many lines have been held back so far; @last is set to the last of them, if there is one. */
uint64_t warn_held(char *last, size_t capacity);
void warn_release(void);

#endif /* COROPROF_WARN_H */
