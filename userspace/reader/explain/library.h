/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a process has what it takes to report its coroutines to coroprof. */
#ifndef COROPROF_LIBRARY_H
#define COROPROF_LIBRARY_H

#include <sys/types.h>

enum library {
	LIBRARY_NONE,		/* it has neither */
	LIBRARY_MAPPED,		/* libcoroprof, or the preload library */
	LIBRARY_UNKNOWN,	/* it may not be looked into */
};

/* Finds out whether a process has mapped libcoroprof or the preload library. */
enum library library_look(pid_t pid);

#endif /* COROPROF_LIBRARY_H */
