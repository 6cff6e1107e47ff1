// SPDX-License-Identifier: GPL-2.0
/* Compares secrets in a time that does not depend on where they differ. */
#include <string.h>

#include "base/secret.h"

bool secret_equals(const char *secret, const char *text, size_t length)
{
	size_t size = strlen(secret);
	unsigned char differ = 0;

	if (length != size)
		return false;
	for (size_t i = 0; i < size; i++)
		differ |= (unsigned char)(secret[i] ^ text[i]);
	return !differ;
}
