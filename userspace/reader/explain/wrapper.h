/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that run another one, by their names. */
#ifndef COROPROF_WRAPPER_H
#define COROPROF_WRAPPER_H

#include <stdbool.h>

/* Each takes a path, or a name alone. */
bool wrapper_is_shell(const char *path);

/* Its last words are a command. */
bool wrapper_hands_on(const char *path);

/* As env(1): its words are of the environment before they are a command. */
bool wrapper_is_env(const char *path);

/* What it runs does not get the environment it was given. */
bool wrapper_clears(const char *path);

/* After this word of a shell's text, the next word is a command. */
bool wrapper_is_prefix(const char *word);

#endif /* COROPROF_WRAPPER_H */
