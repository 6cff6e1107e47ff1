// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static void become(const char *const argv[])
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static int run_once(const char *const argv[], double *wall, struct rusage *usage)
{
	double begin = now();
	pid_t pid = fork();
	int status;

	if (!pid)
		become(argv);
	if (pid < 0 || wait4(pid, &status, 0, usage) < 0)
		return -errno;
	*wall = now() - begin;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ECHILD;
}

static void least(double *least, double value, bool first)
{
	if (first || value < *least)
		*least = value;
}

int command_run(struct command *c, const char *const argv[], unsigned int times)
{
	struct rusage usage;
	double wall = 0;
	int err;

	*c = (struct command){ 0 };
	for (unsigned int i = 0; i < times; i++) {
		err = run_once(argv, &wall, &usage);
		if (err)
			return err;
		least(&c->seconds, wall, i == 0);
		least(&c->cpu, seconds(&usage.ru_utime) + seconds(&usage.ru_stime), i == 0);
		if (c->peak < (double)usage.ru_maxrss * 1024)
			c->peak = (double)usage.ru_maxrss * 1024;
	}
	return 0;
}
