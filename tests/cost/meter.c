// SPDX-License-Identifier: GPL-2.0
/*
 * meter [-p PATH:OFFSET] FILE COMMAND...: runs it, and writes how many instructions it
 * took to FILE, in user and in kernel mode, with all its threads and the children that it
 * waits for; with -p while a uprobe is there, which only counts. Exits as the command does.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "meter: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Counts from the next exec() of @pid on. */
static int open_event(struct perf_event_attr attr, pid_t pid)
{
	int fd;

	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = 1;
	attr.inherit = 1;
	attr.enable_on_exec = 1;
	fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("perf_event_open()");
	return fd;
}

static int open_instructions(pid_t pid)
{
	return open_event((struct perf_event_attr){ .type = PERF_TYPE_HARDWARE,
						    .config = PERF_COUNT_HW_INSTRUCTIONS }, pid);
}

/* @place is PATH:OFFSET. */
static int open_uprobe(char *place, pid_t pid)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	char *colon = strrchr(place, ':');
	struct perf_event_attr attr = { .size = sizeof(attr) };

	if (!file || fscanf(file, "%u", &attr.type) != 1 || fclose(file))
		die("the type of uprobes");
	if (!colon)
		die(place);
	*colon = '\0';
	attr.config1 = (uintptr_t)place;
	attr.config2 = strtoull(colon + 1, NULL, 16);
	return open_event(attr, pid);
}

/* It waits until it is told that the event is there. */
static pid_t start(char **command, int *go)
{
	int fds[2];
	char byte;
	pid_t pid;

	if (pipe(fds))
		die("pipe()");
	pid = fork();
	if (pid < 0)
		die("fork()");
	if (pid) {
		close(fds[0]);
		*go = fds[1];
		return pid;
	}
	close(fds[1]);
	if (read(fds[0], &byte, 1) != 1)
		die("read() of a pipe");
	close(fds[0]);
	execvp(command[0], command);
	die(command[0]);
}

static uint64_t count_of(int event)
{
	struct {
		uint64_t count, enabled, running;
	} value;

	if (read(event, &value, sizeof(value)) != sizeof(value))
		die("read() of an event");
	if (!value.count || value.running != value.enabled) {
		fprintf(stderr, "meter: an event was not counted, or not all the time\n");
		exit(1);
	}
	return value.count;
}

static void write_count(const char *path, int event)
{
	FILE *file = fopen(path, "we");

	if (!file || fprintf(file, "%llu\n", (unsigned long long)count_of(event)) < 0 || fclose(file))
		die(path);
}

int main(int argc, char **argv)
{
	int go, event, status, probe = -1;
	char *place = NULL;
	pid_t pid;

	if (argc > 2 && !strcmp(argv[1], "-p")) {
		place = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 3)
		return fprintf(stderr, "usage: meter [-p PATH:OFFSET] FILE COMMAND...\n"), 2;
	pid = start(argv + 2, &go);
	event = open_instructions(pid);
	if (place)
		probe = open_uprobe(place, pid);
	if (write(go, "", 1) != 1 || close(go))
		die("write() to a pipe");
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid()");
	write_count(argv[1], event);
	if (place)
		count_of(probe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
