/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_WARN_H
#define COROPROF_WARN_H

/* The name that lines of warn() begin with from now on; it stays the caller's. */
void warn_as(const char *program);

/*
 * Lines "coroprof: ..." on standard error, by the name of the program. Names of processes and
 * threads may be in them, so nothing that could steer a terminal gets through.
 */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* COROPROF_WARN_H */
