// SPDX-License-Identifier: GPL-2.0
/*
 * Forks the command with the environment that a recording needs, learns through a pipe that closes
 * at exec whether it could be executed, and reaps the command and the orphans that it left behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coroprof.h"
#include "../../runtimes/list.h"
#include "explain/preload.h"
#include "record/launch.h"

/*
 * Where the terminal shows the recording itself (top), the command neither reads from it nor writes
 * to it.
 */
static bool leave_terminal(int output)
{
	int null = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;

	if (isatty(STDIN_FILENO) && (null < 0 || dup2(null, STDIN_FILENO) < 0))
		return false;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (isatty(fd) && dup2(output, fd) < 0)
			return false;
	return true;
}

/* Runs in the child. Returns only if the command can't be executed. */
static void execute_command(char *const *command,
			    const struct launch_environment *environment)
{
	char token[32];

	snprintf(token, sizeof(token), "%" PRIu64, environment->token);
	if (setenv(COROPROF_ENV_TOKEN, token, 1))
		return;
	if (environment->preload &&
	    setenv("LD_PRELOAD", environment->preload, 1))
		return;
	if (environment->asan && setenv(ASAN_ENV, environment->asan, 1))
		return;
	if (environment->runtimes &&
	    setenv(RUNTIMES_ENV, environment->runtimes, 1))
		return;
	if (environment->functions &&
	    setenv(FUNCTIONS_ENV, environment->functions, 1))
		return;
	if (environment->threads && setenv(THREADS_ENV, "1", 1))
		return;
	if (environment->output >= 0 && !leave_terminal(environment->output))
		return;
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &environment->mask, NULL);
	execvp(command[0], command);
}

static _Noreturn void run_child(int gate, char *const *command,
				const struct launch_environment *environment)
{
	int code;
	ssize_t n;

	execute_command(command, environment);
	code = errno;
	do {
		n = write(gate, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	_exit(127);
}

/* The pipe closes at exec; if exec fails, its errno comes through it. */
static int read_gate(int gate)
{
	int code = 0;
	ssize_t n;

	do {
		n = read(gate, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	return n == sizeof(code) ? code : 0;
}

int launch_start(struct launch *launch, char *const *command,
		 const struct launch_environment *environment,
		 struct error *err)
{
	int gate[2];
	int code;

	*launch = (struct launch){ .status = -1 };
	/* Descendants whose parents end become children of this process. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (pipe2(gate, O_CLOEXEC))
		return error_errno(err, "can't make a pipe");
	launch->pid = fork();
	if (launch->pid == 0)
		run_child(gate[1], command, environment);
	code = launch->pid < 0 ? errno : 0;
	close(gate[1]);
	if (!code)
		code = read_gate(gate[0]);
	close(gate[0]);
	if (!code)
		return 0;
	if (launch->pid > 0)
		waitpid(launch->pid, NULL, 0);
	launch->pid = 0;
	errno = code;
	return error_errno(err, "can't execute %s", command[0]);
}

void launch_reap(struct launch *launch)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != launch->pid)
			continue;
		launch->status = status;
		launch->pid = 0;
	}
	launch->orphans = !launch->pid && pid == 0;
}

int launch_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}
