// SPDX-License-Identifier: GPL-2.0
/*
 * Shows standard output by a pager, such as less: a child that reads a pipe, into which standard
 * output goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pager.h"

#define PAGER	"less"
/* Ends where all fits on one screen (F), shows colours (R), leaves the text there (X). */
#define LESS	"FRX"

static pid_t pager;

static const char *pager_command(void)
{
	const char *wanted = getenv("COROPROF_PAGER");

	wanted = wanted ? wanted : getenv("PAGER");
	return wanted ? wanted : PAGER;
}

static void execute_pager(const char *wanted, const int ends[2])
{
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	setenv("LESS", LESS, 0);
	execl("/bin/sh", "sh", "-c", wanted, (char *)NULL);
	_exit(127);
}

void pager_begin(void)
{
	const char *wanted = pager_command();
	int ends[2];

	if (!*wanted || !strcmp(wanted, "cat") || pipe(ends))
		return;
	fflush(stdout);
	pager = fork();
	if (!pager)
		execute_pager(wanted, ends);
	close(ends[0]);
	if (pager > 0)
		dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
}

void pager_end(void)
{
	if (pager <= 0)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) != pager)
		;
	pager = 0;
}
