// SPDX-License-Identifier: GPL-2.0
/* Runs where the engine is built: writes the words of the C library there for each error. */
#include <stdio.h>
#include <string.h>

/* As many as Linux has. */
#define ERRORS	134

int main(void)
{
	for (int i = 0; i < ERRORS; i++)
		if (strerrordesc_np(i))
			printf("[%d] = \"%s\",\n", i, strerrordesc_np(i));
	return 0;
}
