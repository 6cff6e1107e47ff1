// SPDX-License-Identifier: GPL-2.0
/*
 * A program that has Python in it, begins it and ends it several times. It is of no version:
 * which one it has, LD_PRELOAD says. usage: python-again TIMES PROGRAM
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *function(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return found;
}

int main(int argc, char **argv)
{
	void (*begin)(int signals) = function("Py_InitializeEx");
	int (*end)(void) = function("Py_FinalizeEx");
	int (*run)(const char *program) = function("PyRun_SimpleString");

	for (int i = 0; argc == 3 && i < atoi(argv[1]); i++) {
		begin(0);
		if (run(argv[2]) || end())
			return 1;
	}
	return 7;
}
