// SPDX-License-Identifier: GPL-2.0
/*
 * daemon PIDFILE: a server as servers are. It goes into the background, writes
 * over its environment and clears it, gives up its rights, and never has a
 * coroutine itself: at each SIGUSR1 it forks a worker, which has one, of
 * YIELDS + 1 slices, and ends. It knows nothing of coroprof. SIGTERM ends it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define YIELDS	100
#define NOBODY	65534

extern char **environ;

static ucontext_t scheduler, coroutine;
static volatile unsigned long work;

void serve(void)
{
	for (int i = 0; i < YIELDS; i++) {
		for (int n = 0; n < 1000; n++)
			work++;
		swapcontext(&coroutine, &scheduler);
	}
}

static void run_worker(void)
{
	static char stack[65536];

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &scheduler;
	makecontext(&coroutine, serve, 0);
	for (int i = 0; i <= YIELDS; i++)
		swapcontext(&scheduler, &coroutine);
}

/* As a process that shows its state in its title does. */
static void lose_environment(void)
{
	for (char **variable = environ; *variable; variable++)
		memset(*variable, 'x', strlen(*variable));
	clearenv();
}

static void fork_and_end(void)
{
	pid_t pid = fork();

	if (pid)
		_exit(pid < 0);
}

static void go_into_background(void)
{
	int null = open("/dev/null", O_RDWR);

	fork_and_end();
	setsid();
	fork_and_end();
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close(null);
}

/* Under its name only when it is complete. */
static int write_pid(const char *path)
{
	char part[256];
	FILE *file;

	snprintf(part, sizeof(part), "%s.part", path);
	file = fopen(part, "w");
	if (!file)
		return -1;
	fprintf(file, "%d\n", getpid());
	fclose(file);
	return rename(part, path);
}

static void serve_until_told(const sigset_t *signals)
{
	int signal;

	while (!sigwait(signals, &signal) && signal != SIGTERM) {
		if (signal == SIGUSR1 && !fork()) {
			run_worker();
			exit(0);
		}
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	sigset_t signals;

	if (argc != 2)
		return 2;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	go_into_background();
	lose_environment();
	if (write_pid(argv[1]) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	serve_until_told(&signals);
	return 0;
}
