/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a process that lives reports nothing to coroprof, although its command was given the preload
 * library: by what it has mapped, its environment, its ids and what its /dev holds.
 */
#ifndef COROPROF_CAUSE_H
#define COROPROF_CAUSE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "explain/detection.h"

/**
 * struct living - a process as it was found
 * @pid:     of it
 * @preload: path of the preload library that its command was given, "" for none
 * @started: the dynamic linker has loaded what the program needs
 * @library: the preload library or libcoroprof is mapped
 */
struct living {
	pid_t pid;
	const char *preload;
	bool started;
	bool library;
};

#define CAUSES	3

/*
 * True if cause number @nr, below CAUSES, holds for a process. @found: what shows it, as in struct
 * detection.
 */
bool cause_holds(unsigned int nr, const struct living *living, enum detection_kind *kind,
		 char found[PATH_MAX]);

/* Likewise, by a word before a command, in a shell's text or of env(1). */
bool cause_of_word(const char *word, enum detection_kind *kind, char found[PATH_MAX]);

/* Adds to @err a cause that was found of @who. @preload: the path of the preload library. */
void cause_report(const struct detection *detection, const char *who, const char *preload,
		  struct error *err);

#endif /* COROPROF_CAUSE_H */
