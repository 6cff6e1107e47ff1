// SPDX-License-Identifier: GPL-2.0
/* used PROGRAM [ARGUMENT]...: runs it, and says on standard error what the kernel charged it and its children for, in ns. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage used;
	int status;
	pid_t pid;

	if (argc < 2 || (pid = fork()) < 0)
		return 1;
	if (!pid) {
		execv(argv[1], argv + 1);
		_exit(1);
	}
	if (wait4(pid, &status, 0, &used) != pid)
		return 1;
	fprintf(stderr, "used %.0f\n", (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
				       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3);
	return WEXITSTATUS(status);
}
