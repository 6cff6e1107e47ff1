// SPDX-License-Identifier: GPL-2.0
/* Blocks the signals that end or show a recording and reads them from a signalfd. */
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "record/signals.h"

int signals_open(struct signals *s, const sigset_t *others, struct error *err)
{
	sigset_t set;

	*s = (struct signals){ .fd = -1 };
	sigemptyset(&s->others);
	if (others)
		s->others = *others;
	set = s->others;
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &s->before);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return error_errno(err, "can't receive signals");
	/* Outputs into a pipe that nobody reads are an error, not an end. */
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

void signals_read(struct signals *s)
{
	struct signalfd_siginfo info;

	while (read(s->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			s->child = true;
			continue;
		}
		if (sigismember(&s->others, (int)info.ssi_signo) == 1) {
			s->asked |= 1ull << (info.ssi_signo - 1);
			continue;
		}
		signals_stop(s, (int)info.ssi_signo, info.ssi_code == SI_KERNEL);
	}
}

void signals_stop(struct signals *s, int signal, bool typed)
{
	bool again = signal == SIGHUP && s->hung_up;

	s->hung_up |= signal == SIGHUP;
	if (again || s->stops++)
		return;
	s->stop = signal;
	s->typed = typed;
}

bool signals_wait(struct signals *s, int timeout_ms)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };
	bool any = poll(&fd, 1, timeout_ms) > 0;

	signals_read(s);
	return any;
}

void signals_close(struct signals *s)
{
	if (s->fd >= 0)
		close(s->fd);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}
