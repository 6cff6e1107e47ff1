// SPDX-License-Identifier: GPL-2.0
/*
 * coroprof-read, run twice, once with more records than the other time: what it
 * executes more is what they cost, and what it costs to start is left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drain.h"
#include "event.h"

#define READER "/coroprof/bin/coroprof-read"
#define PROGRAM "/coroprof/bench/switches"
#define RECORDING "/tmp/bench.cprof"

#define FEW "100000"
#define MANY "300000"

/**
 * struct run - coroprof-read, from its execve() to its end
 * @instructions: of the program itself, user and kernel mode, not of its children
 * @slices:       as it says
 * @lost:         as it says
 * @bytes:        of the recording
 */
struct run {
	uint64_t instructions;
	uint64_t slices;
	uint64_t lost;
	uint64_t bytes;
};

static void become(char *const argv[], int out)
{
	dup2(out, STDERR_FILENO);
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	raise(SIGSTOP);
	execv(argv[0], argv);
	_exit(127);
}

static int open_meter(pid_t pid)
{
	struct perf_event_attr attr = event_attr(PERF_COUNT_HW_INSTRUCTIONS);

	attr.exclude_kernel = 0;
	attr.pinned = 1;
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	return event_open_of(&attr, pid);
}

/* The line with which it ends a recording, if it is one. */
static void listen_to(int in, struct run *run)
{
	FILE *lines = fdopen(in, "r");
	char line[4096];
	const char *at;

	while (lines && fgets(line, sizeof(line), lines)) {
		at = strstr(line, "slices ");
		if (at)
			sscanf(at, "slices %lu, lost %lu", &run->slices, &run->lost);
	}
	if (lines)
		fclose(lines);
}

static int finish(pid_t pid, int meter, struct run *run)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return -ECHILD;
	if (read(meter, &run->instructions, sizeof(run->instructions)) !=
	    sizeof(run->instructions))
		return -ENODATA;
	return 0;
}

static int measure_run(char *const argv[], struct run *run)
{
	int ends[2], meter, err;
	pid_t pid;

	*run = (struct run){ 0 };
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		become(argv, ends[1]);
	close(ends[1]);
	if (pid < 0 || waitpid(pid, NULL, WUNTRACED) != pid)
		return -errno;
	meter = open_meter(pid);
	kill(pid, meter < 0 ? SIGKILL : SIGCONT);
	listen_to(ends[0], run);
	err = finish(pid, meter, run);
	if (meter < 0)
		return meter;
	close(meter);
	return err;
}

/*
 * The ring holds all of it: nothing is lost, however late the reader comes. A time that is kept
 * is longer than the program runs.
 */
static int record(char *count, bool keep, struct run *run)
{
	char *argv[] = { READER, "--ring-size", "64M", "-e", "cycles,instructions", "-o", RECORDING,
			 keep ? "--keep" : "--switch", keep ? "60s" : "auto", "--", PROGRAM, count,
			 NULL };
	int err = measure_run(argv, run);
	struct stat file;

	if (!err && !stat(RECORDING, &file))
		run->bytes = (uint64_t)file.st_size;
	return !err && (run->lost || run->slices < 1000) ? -ENODATA : err;
}

static int aggregate(struct run *run)
{
	char *argv[] = { READER, "-o", "-", RECORDING, NULL };
	struct run recorded = *run;
	int err = measure_run(argv, run);

	run->slices = recorded.slices;
	run->bytes = recorded.bytes;
	return err;
}

static bool run_both(struct result *result, bool keep, bool reading, struct run *few,
		     struct run *many)
{
	bool failed = result_failed(result, record(FEW, keep, few), READER " with " FEW " switches") ||
		      (reading && result_failed(result, aggregate(few), READER " " RECORDING)) ||
		      result_failed(result, record(MANY, keep, many), READER " with " MANY " switches") ||
		      (reading && result_failed(result, aggregate(many), READER " " RECORDING));

	unlink(RECORDING);
	return !failed;
}

static void measure(struct result *result, bool keep, bool reading)
{
	struct run few, many;

	if (!run_both(result, keep, reading, &few, &many))
		return;
	if (many.slices <= few.slices || many.instructions <= few.instructions)
		result_none(result, "more records did not take more instructions");
	else
		result_set(result, (double)(many.instructions - few.instructions) /
				   (double)(many.slices - few.slices));
}

void measure_drain(int variant, struct result *result)
{
	measure(result, variant, false);
}

void measure_keep_bytes(int variant, struct result *result)
{
	struct run few, many;

	(void)variant;
	if (!run_both(result, true, false, &few, &many))
		return;
	if (many.slices <= few.slices || many.bytes <= few.bytes)
		result_none(result, "more records did not take more bytes");
	else
		result_set_bytes(result, (double)(many.bytes - few.bytes) /
					 (double)(many.slices - few.slices));
}

void measure_aggregate(int variant, struct result *result)
{
	(void)variant;
	measure(result, false, true);
}
