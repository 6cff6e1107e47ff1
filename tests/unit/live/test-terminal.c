// SPDX-License-Identifier: GPL-2.0
/* What becomes of a terminal, which is one of this test's own, when the program that has it ends. */
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/util.h"
#include "live/terminal.h"
#include "support.h"

static int master;
static int slave;
static struct termios before;
static char written[65536];

static int begin(void **state)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };

	(void)state;
	if (openpty(&master, &slave, NULL, NULL, &size))
		return -1;
	return tcgetattr(slave, &before);
}

static int end(void **state)
{
	(void)state;
	close(master);
	close(slave);
	return 0;
}

/* The terminal is a child's, which has its own curses. Ends with 99 where there are none. */
static void take_terminal(void)
{
	struct error err;

	prctl(PR_SET_DUMPABLE, 0);
	setenv("TERM", "xterm", 1);
	dup2(slave, STDIN_FILENO);
	dup2(slave, STDOUT_FILENO);
	if (terminal_check(&err) || terminal_begin(true, &err))
		_exit(99);
}

/* Takes what the child writes until it ends; returns its wait status. */
static int watch(pid_t pid)
{
	struct pollfd fd = { .fd = master, .events = POLLIN };
	size_t length = 0;
	int status;

	do {
		ssize_t n = poll(&fd, 1, 10) > 0 && length + 1 < sizeof(written) ?
				    read(master, written + length, sizeof(written) - 1 - length) : 0;

		length += n > 0 ? (size_t)n : 0;
	} while (!waitpid(pid, &status, WNOHANG) || poll(&fd, 1, 0) > 0);
	written[length] = '\0';
	return status;
}

static bool is_as_before(void)
{
	struct termios now;

	assert_int_equal(tcgetattr(slave, &now), 0);
	return now.c_lflag == before.c_lflag && now.c_iflag == before.c_iflag &&
	       now.c_oflag == before.c_oflag;
}

static void *fault(void *page)
{
	sigset_t all;

	sigfillset(&all);
	terminal_faults(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	*(volatile char *)page = 1;
	return NULL;
}

/* By a signal, or by a fault of a thread that blocks all that it may, as the one that draws does. */
static void die(int nr, bool in_thread)
{
	void *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	/* Tests have handlers of their own. */
	signal(nr, SIG_DFL);
	take_terminal();
	if (!in_thread)
		raise(nr);
	else if (!pthread_create(&thread, NULL, fault, page))
		pthread_join(thread, NULL);
	_exit(98);
}

static void expect_restored(int nr, bool in_thread)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		die(nr, in_thread);
	status = watch(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
		skip();
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), nr);
	assert_true(is_as_before());
	/* Of xterm: the screen from before, with its cursor. */
	assert_non_null(strstr(written, "\033[?1049h"));
	assert_non_null(strstr(strstr(written, "\033[?1049h"), "\033[?1049l"));
}

static void test_signals(void **state)
{
	static const int signals[] = { SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGUSR1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		expect_restored(signals[i], false);
	expect_restored(SIGSEGV, true);
}

/* A child of the program that has the terminal may die without that anybody sees it. */
static void test_child(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid) {
		pid_t child;

		take_terminal();
		child = fork();
		if (!child)
			raise(SIGQUIT);
		waitpid(child, &status, 0);
		_exit(WIFSIGNALED(status) && !is_as_before() ? 0 : 97);
	}
	status = watch(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
		skip();
	assert_int_equal(status, 0);
	assert_null(strstr(written, "\033[?1049l"));
}

/* That it has another size is no key. */
static void test_size(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid) {
		const struct winsize size = { .ws_row = 30, .ws_col = 100 };
		unsigned int width, height;

		take_terminal();
		if (ioctl(slave, TIOCSWINSZ, &size))
			_exit(97);
		terminal_size(&width, &height);
		if (width != 100 || height != 30 || terminal_key())
			_exit(96);
		terminal_end();
		_exit(is_as_before() ? 0 : 95);
	}
	status = watch(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_signals, begin, end),
		cmocka_unit_test_setup_teardown(test_child, begin, end),
		cmocka_unit_test_setup_teardown(test_size, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
