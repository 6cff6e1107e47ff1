// SPDX-License-Identifier: GPL-2.0
/*
 * server SECONDS WORKERS [anew]: a master without coroutines, as servers have it, and workers that have one each, which runs and
 * yields for so long. At SIGUSR2, or after half of its time, it starts itself anew with an empty environment, as some do to
 * make room for their next version, and goes on. Prints a line when the workers have begun.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static ucontext_t scheduler, coroutine;
static volatile sig_atomic_t upgrade;

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void server_work(void)
{
	for (;;) {
		long begin = now_ms();

		while (now_ms() - begin < 2)
			;
		swapcontext(&coroutine, &scheduler);
	}
}

static void work(long end)
{
	static char stack[65536];
	static const struct timespec pause = { .tv_nsec = 5000000 };

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	makecontext(&coroutine, server_work, 0);
	while (now_ms() < end) {
		swapcontext(&scheduler, &coroutine);
		nanosleep(&pause, NULL);
	}
	_exit(0);
}

static void on_upgrade(int signal)
{
	(void)signal;
	upgrade = 1;
}

static void start_anew(char **argv)
{
	char *nothing[] = { "ANEW=1", NULL };

	upgrade = 0;
	if (!fork()) {
		execve("/proc/self/exe", argv, nothing);
		_exit(127);
	}
}

int main(int argc, char **argv)
{
	long begin = now_ms(), end = begin + 1000 * (argc > 1 ? atoi(argv[1]) : 1);
	int workers = argc > 2 ? atoi(argv[2]) : 2;

	signal(SIGUSR2, on_upgrade);
	/* Who reads the line may have gone when the next one says it. */
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < workers; i++) {
		if (!fork())
			work(end);
	}
	puts("workers");
	fflush(stdout);
	upgrade |= argc > 3 && !getenv("ANEW") ? 2 : 0;
	while (now_ms() < end) {
		if (upgrade == 1 || (upgrade && now_ms() - begin > (end - begin) / 2))
			start_anew(argv);
		usleep(10000);
	}
	/* Not for the one that was started anew, which goes on. */
	while (workers-- > 0 && wait(NULL) > 0)
		;
	return 0;
}
