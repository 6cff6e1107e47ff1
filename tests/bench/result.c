// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meter.h"
#include "result.h"

void result_set(struct result *result, double value)
{
	result->measured = true;
	result->value = value;
}

/* The unit outlives the child: its parent has the same text at the same place. */
void result_set_bytes(struct result *result, double value)
{
	result_set(result, value);
	result->unit = "bytes";
}

void result_none(struct result *result, const char *format, ...)
{
	va_list args;

	result->measured = false;
	va_start(args, format);
	vsnprintf(result->reason, sizeof(result->reason), format, args);
	va_end(args);
}

bool result_failed(struct result *result, int err, const char *what)
{
	if (err >= 0)
		return false;
	result_none(result, "%s: %s", what, strerror(-err));
	return true;
}

static void child(const struct benchmark *benchmark, int out)
{
	struct result result = { .reason = "the benchmark said nothing" };

	if (!result_failed(&result, meter_open(), "perf_event_open of instructions, user and kernel"))
		benchmark->measure(benchmark->variant, &result);
	_exit(write(out, &result, sizeof(result)) != sizeof(result));
}

static void receive(int in, pid_t pid, struct result *result)
{
	int status = 0;

	if (read(in, result, sizeof(*result)) != sizeof(*result))
		memset(result, 0, sizeof(*result));
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		result_none(result, "died of signal %d", WTERMSIG(status));
	else if (!result->measured && !result->reason[0])
		result_none(result, "ended with status %d and without a result", WEXITSTATUS(status));
}

void result_take(const struct benchmark *benchmark, struct result *result)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends)) {
		result_failed(result, -errno, "pipe");
		return;
	}
	pid = fork();
	if (!pid)
		child(benchmark, ends[1]);
	close(ends[1]);
	if (pid < 0)
		result_failed(result, -errno, "fork");
	else
		receive(ends[0], pid, result);
	close(ends[0]);
}
