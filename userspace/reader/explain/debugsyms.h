/* SPDX-License-Identifier: GPL-2.0 */
/* Where the debug symbols of an object file are to be had. */
#ifndef COROPROF_DEBUGSYMS_H
#define COROPROF_DEBUGSYMS_H

#include <stddef.h>

/* What packages of Debian have installed: for each a list of files. */
#define DEBUGSYMS_LISTS	"/var/lib/dpkg/info"

/*
 * In words, with the command that gets them: the package, where a list in the folder @lists has
 * @object; else what can be asked for any file.
 */
void debugsyms_tell(const char *lists, const char *object, char *text, size_t room);

#endif /* COROPROF_DEBUGSYMS_H */
