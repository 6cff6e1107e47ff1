// SPDX-License-Identifier: GPL-2.0
/* A program that calls a function of Lua which nobody has. */
#include <stdio.h>

extern int lua_closethread(void *L, void *from) __attribute__((weak));

int main(void)
{
	if (lua_closethread) {
		printf("called\n");
		fflush(stdout);
		return lua_closethread(NULL, NULL);
	}
	printf("not there\n");
	return 3;
}
