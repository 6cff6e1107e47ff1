// SPDX-License-Identifier: GPL-2.0
/* Names of this machine. */
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "push/here.h"

bool here_is(const char *host)
{
	static const char *const names[] = { "localhost", "[::1]" };
	size_t size = strcspn(host, ":/?");

	if (*host == '[')
		size = strcspn(host, "]") + 1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (size == strlen(names[i]) && !strncasecmp(host, names[i], size))
			return true;
	return !strncmp(host, "127.", 4) && strspn(host, "0123456789.") == size;
}
