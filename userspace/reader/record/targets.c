// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "explain/diagnose.h"
#include "explain/library.h"
#include "record/targets.h"

static void tell_later(pid_t pid, enum library library)
{
	char path[64], comm[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!read_text(path, comm, sizeof(comm)))
		snprintf(comm, sizeof(comm), "?");
	warn("pid %d (%s) has no coroutine yet: it is recorded from its first one on%s",
	     pid, comm, library == LIBRARY_UNKNOWN ?
	     ", if it has libcoroprof or its preload library: that can't be seen from here" : "");
}

/* Before it is attached, so that the descriptor is of no other process. */
static int attach(struct target *t, struct session *session,
		  const struct record_options *o, bool probed)
{
	__u32 flags = o->no_inherit ? 0 : COROPROF_ATTACH_CHILDREN;
	enum library library = library_look(t->pid);
	bool known;
	int ret;

	t->pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);
	if (t->pidfd < 0)
		return -errno;
	if (library != LIBRARY_NONE || probed)
		flags |= COROPROF_ATTACH_LATER;
	ret = session_attach(session, t->pid, flags, &known);
	if (!ret && !known && !o->quiet && !probed)
		tell_later(t->pid, library);
	return ret;
}

static bool has_ended(const struct target *t)
{
	struct pollfd ended = { .fd = t->pidfd, .events = POLLIN };

	return poll(&ended, 1, 0) == 1;
}

/*
 * ATTACH knows processes by their ids only. If this one has ended, and another one has
 * its id, then the session may have that.
 */
static bool may_be_another(const struct target *t)
{
	return t->pidfd >= 0 && has_ended(t) && (!kill(t->pid, 0) || errno == EPERM);
}

static void end(struct target *t)
{
	if (t->pidfd >= 0)
		close(t->pidfd);
	t->pidfd = -1;
}

static void tell_refused(const struct targets *ts)
{
	struct error err;

	for (unsigned int i = 0; i < ts->nr; i++) {
		if (!ts->all[i].code)
			continue;
		diagnose_attach(ts->all[i].code, ts->all[i].pid, &err);
		warn("%s", err.message);
	}
}

int targets_attach(struct targets *ts, struct session *session,
		   const struct record_options *o, bool probed, struct error *err)
{
	unsigned int attached = 0;

	for (ts->nr = 0; ts->nr < o->nr_pids; ts->nr++) {
		struct target *t = &ts->all[ts->nr];

		t->pid = o->pids[ts->nr];
		t->code = -attach(t, session, o, probed);
		if (!t->code && may_be_another(t)) {
			end(t);
			return error_set(err, ESRCH, "process %d has ended, and another one has got its id, while they were about to be recorded\nLook which one you mean, and start again: ps %d",
					 t->pid, t->pid);
		}
		if (t->code)
			end(t);
		else
			attached++;
	}
	if (ts->nr == 1 && !attached)
		return diagnose_attach(ts->all[0].code, ts->all[0].pid, err);
	tell_refused(ts);
	if (attached || !ts->nr)
		return 0;
	return error_set(err, ts->all[0].code, "none of the %u processes can be recorded", ts->nr);
}

bool targets_alive(const struct targets *ts)
{
	struct pollfd fds[PIDS_MAX];

	for (unsigned int i = 0; i < ts->nr; i++)
		fds[i] = (struct pollfd){ .fd = ts->all[i].pidfd, .events = POLLIN };
	if (ts->nr && poll(fds, ts->nr, 0) < 0)
		return true;
	for (unsigned int i = 0; i < ts->nr; i++) {
		if (fds[i].fd >= 0 && !fds[i].revents)
			return true;
	}
	return false;
}

void targets_close(struct targets *ts)
{
	for (unsigned int i = 0; i < ts->nr; i++)
		end(&ts->all[i]);
	ts->nr = 0;
}
