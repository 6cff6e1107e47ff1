// SPDX-License-Identifier: GPL-2.0
/* Reads tokens. */
#include <errno.h>
#include <string.h>

#include "base/printable.h"
#include "base/util.h"
#include "push/token.h"

int secret_read(char token[TOKEN_MAX], const char *path, const char *option, const char *is,
		struct error *err)
{
	if (!read_text(path, token, TOKEN_MAX))
		return error_errno(err, "can't read --%s %s", option, path);
	token[strcspn(token, "\r\n")] = '\0';
	if (*token && printable_is_plain(token) && strlen(token) < TOKEN_MAX - 1)
		return 0;
	return error_set(err, EINVAL, "--%s %s: its first line is to be %s, of visible characters without blanks",
			 option, path, is);
}

int token_read(char token[TOKEN_MAX], const char *path, const char *option, struct error *err)
{
	return secret_read(token, path, option, "the token", err);
}
