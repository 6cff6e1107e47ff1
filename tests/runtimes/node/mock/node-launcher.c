// SPDX-License-Identifier: GPL-2.0
/* node PROGRAM ARGUMENT...: runs that, as launchers of Node.js' versions do, and says if NODE_OPTIONS isn't as it was. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (getenv("NODE_OPTIONS"))
		printf("NODE_OPTIONS is %s in the launcher\n", getenv("NODE_OPTIONS"));
	fflush(stdout);
	execv(argv[1], argv + 1);
	return 127;
}
