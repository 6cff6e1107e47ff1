// SPDX-License-Identifier: GPL-2.0
/*
 * Runs coroprof top on a terminal of its own, over a program that switches so many times a second, and
 * counts what all of its threads execute in some seconds. The difference of two rates, divided by that
 * of their slices, is what a slice costs; what a picture costs is in both.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "event.h"
#include "live.h"

#define READER "/coroprof/bin/coroprof"
#define PROGRAM "/coroprof/bench/paced"

/* Until its window of ten seconds is full, and then so long. */
#define FULL_S 13
#define COUNTED_S 20
#define END_S 10

#define FEW 50000
#define MANY 150000

#define LABELS 50

static int open_terminal(char *name, size_t size)
{
	const struct winsize window = { .ws_row = 40, .ws_col = 120 };
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || grantpt(fd) || unlockpt(fd) || ptsname_r(fd, name, size) ||
	    ioctl(fd, TIOCSWINSZ, &window))
		return -errno;
	return fd;
}

/* It is stopped before its execve(), where the meter begins. */
static void become(char *const argv[], const char *terminal)
{
	int fd;

	setsid();
	fd = open(terminal, O_RDWR);
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		dup2(fd, i);
	setenv("TERM", "xterm", 1);
	raise(SIGSTOP);
	execv(argv[0], argv);
	_exit(127);
}

/* All of its threads, and none of its children. */
static int open_meter(pid_t pid)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_HW_INSTRUCTIONS);

	attr.exclude_kernel = 0;
	attr.inherit = 1;
	attr.inherit_thread = 1;
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	return event_open_of(&attr, pid);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* What it draws is thrown away. False: it has closed its terminal. */
static bool watch(int terminal, unsigned int seconds)
{
	uint64_t until = now_ms() + 1000 * seconds, now;
	struct pollfd fd = { .fd = terminal, .events = POLLIN };
	char picture[4096];

	while ((now = now_ms()) < until)
		if (poll(&fd, 1, (int)(until - now)) > 0 &&
		    read(terminal, picture, sizeof(picture)) <= 0)
			return false;
	return true;
}

static int count(int meter, int terminal, double *instructions)
{
	uint64_t before, after;

	if (!watch(terminal, FULL_S))
		return -ECHILD;
	if (read(meter, &before, sizeof(before)) != sizeof(before))
		return -ENODATA;
	if (!watch(terminal, COUNTED_S))
		return -ECHILD;
	if (read(meter, &after, sizeof(after)) != sizeof(after))
		return -ENODATA;
	*instructions = (double)(after - before) / COUNTED_S;
	return 0;
}

/* By a key: then its command ends, too. What it says is not waited for. */
static void finish(pid_t pid, int terminal)
{
	int status;

	if (write(terminal, "q", 1) == 1)
		watch(terminal, END_S);
	if (waitpid(pid, &status, WNOHANG) == pid)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

/* Instructions a second. */
static int run(int labels, int rate, double *instructions)
{
	char nr_labels[16], per_second[16], name[64];
	char *argv[] = { READER, "top", "--keep", "60s", "-e", "cycles,instructions", "--",
			 PROGRAM, nr_labels, per_second, NULL };
	int terminal = open_terminal(name, sizeof(name)), meter, err;
	pid_t pid;

	if (terminal < 0)
		return terminal;
	snprintf(nr_labels, sizeof(nr_labels), "%d", labels);
	snprintf(per_second, sizeof(per_second), "%d", rate);
	pid = fork();
	if (!pid)
		become(argv, name);
	if (pid < 0 || waitpid(pid, NULL, WUNTRACED) != pid)
		return -errno;
	meter = open_meter(pid);
	kill(pid, meter < 0 ? SIGKILL : SIGCONT);
	err = meter < 0 ? meter : count(meter, terminal, instructions);
	finish(pid, terminal);
	close(meter);
	close(terminal);
	return err;
}

void measure_live(int variant, struct result *result)
{
	double few, many;

	if (result_failed(result, run(variant, FEW, &few), READER " top") ||
	    result_failed(result, run(variant, MANY, &many), READER " top"))
		return;
	if (many <= few)
		result_none(result, "more slices did not take more instructions");
	else
		result_set(result, (many - few) / (MANY - FEW));
}

void measure_top(int variant, struct result *result)
{
	double instructions;

	if (!result_failed(result, run(LABELS, variant, &instructions), READER " top"))
		result_set(result, instructions);
}
