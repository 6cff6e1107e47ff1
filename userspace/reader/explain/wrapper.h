/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that run another one, by their names. */
#ifndef COROPROF_WRAPPER_H
#define COROPROF_WRAPPER_H

#include <stdbool.h>

/* Each takes a path, or a name alone. */
bool wrapper_is_shell(const char *path);

/* True if the program's last words are a command, which it runs. */
bool wrapper_hands_on(const char *path);

/* True of programs like env(1): words before the command change the environment. */
bool wrapper_is_env(const char *path);

/* True if the command does not get the environment of the program. */
bool wrapper_clears(const char *path);

/* True if a command follows this word in a shell's text. */
bool wrapper_is_prefix(const char *word);

#endif /* COROPROF_WRAPPER_H */
