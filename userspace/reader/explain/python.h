/* SPDX-License-Identifier: GPL-2.0 */
/* What can be done about a process of Python that runs already, without the preload library. */
#ifndef COROPROF_PYTHON_H
#define COROPROF_PYTHON_H

#include <sys/types.h>

#include "base/error.h"

/*
 * The second number of the version that a path says: of an interpreter, its library or a module of
 * it. 0 if it says none, or if it is of a build that the preload library does not know.
 */
unsigned int python_minor(const char *path);

/* Puts it into @err, behind what is there. Nothing if the process has ended. */
void python_report(pid_t pid, const char *program, unsigned int minor, struct error *err);

#endif /* COROPROF_PYTHON_H */
