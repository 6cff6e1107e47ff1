// SPDX-License-Identifier: GPL-2.0
/* Lists of shells and of programs that run another one, with how each changes the environment. */
#include <stddef.h>
#include <string.h>

#include "explain/wrapper.h"

static bool is_named_one_of(const char *path, const char *const *names)
{
	const char *slash = strrchr(path, '/');

	for (; *names; names++) {
		if (!strcmp(slash ? slash + 1 : path, *names))
			return true;
	}
	return false;
}

bool wrapper_is_shell(const char *path)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", NULL,
	};

	return is_named_one_of(path, names);
}

bool wrapper_hands_on(const char *path)
{
	static const char *const names[] = {
		"env", "nice", "nohup", "timeout", "stdbuf", "setsid", "time",
		"ionice", "taskset", "chrt", "numactl", "setarch", "unshare",
		"setpriv", "runuser", "busybox", NULL,
	};

	return is_named_one_of(path, names);
}

bool wrapper_is_env(const char *path)
{
	static const char *const names[] = { "env", "unset", NULL };

	return is_named_one_of(path, names);
}

bool wrapper_clears(const char *path)
{
	static const char *const names[] = { "sudo", "doas", "pkexec", NULL };

	return is_named_one_of(path, names);
}

bool wrapper_is_prefix(const char *word)
{
	static const char *const names[] = {
		"if", "then", "elif", "else", "while", "until", "do", "!", "{",
		"exec", "export", "unset", "command", "time", "env", "nice", "nohup", "setsid",
		NULL,
	};

	return strchr(word, '=') || is_named_one_of(word, names);
}
