// SPDX-License-Identifier: GPL-2.0
/*
 * Attaches the processes of -p and their descendants by pidfd, and warns which could not be
 * attached, once for each reason.
 */
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

static void warn_of_process_without_coroutines(pid_t pid, enum library library)
{
	char path[64], comm[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!read_text(path, comm, sizeof(comm)))
		snprintf(comm, sizeof(comm), "?");
	warn("pid %d (%s) has no coroutine yet: it is recorded from its first one on%s",
	     pid, comm, library == LIBRARY_UNKNOWN ?
	     ", if it has libcoroprof or its preload library: that can't be seen from here" : "");
}

/**
 * struct attaching - what each is attached with
 * @targets: that there are so far
 * @session: records them
 * @options: what was asked for
 * @probed:  they need not make themselves known
 */
struct attaching {
	struct targets *targets;
	struct session *session;
	const struct record_options *options;
	bool probed;
};

/*
 * Opens the pidfd before attaching, so that the descriptor is never of a later process with the
 * same pid.
 */
static int attach_target(struct target *t, const struct attaching *a)
{
	__u32 flags = a->options->no_inherit ? 0 : COROPROF_ATTACH_CHILDREN;
	bool named = a->targets->nr < a->targets->named, known;
	enum library library = library_look(t->pid);
	int ret;

	t->pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);
	if (t->pidfd < 0)
		return -errno;
	if (library != LIBRARY_NONE || a->probed)
		flags |= COROPROF_ATTACH_LATER;
	ret = session_attach(a->session, t->pid, flags, &known);
	if (!ret && !known && named && !a->options->quiet && !a->probed)
		warn_of_process_without_coroutines(t->pid, library);
	return ret;
}

static bool has_ended(const struct target *t)
{
	struct pollfd ended = { .fd = t->pidfd, .events = POLLIN };

	return poll(&ended, 1, 0) == 1;
}

/*
 * ATTACH knows processes by their pids only. If this one has ended and another one has its pid, the
 * session may have attached that.
 */
static bool may_be_another(const struct target *t)
{
	return t->pidfd >= 0 && has_ended(t) && (!kill(t->pid, 0) || errno == EPERM);
}

static void close_target(struct target *t)
{
	if (t->pidfd >= 0)
		close(t->pidfd);
	t->pidfd = -1;
}

static void add_target(struct attaching *a, pid_t pid)
{
	struct target *t = &a->targets->all[a->targets->nr];

	t->pid = pid;
	t->code = -attach_target(t, a);
	if (!t->code && may_be_another(t))
		t->code = ESTALE;
	if (t->code)
		close_target(t);
	a->targets->nr++;
}

static void add_if_new(void *attaching, pid_t pid)
{
	struct attaching *a = attaching;

	/* The reader has coroutines of its own, to measure what they cost. */
	if (pid == getpid())
		return;
	for (unsigned int i = 0; i < a->targets->nr; i++) {
		if (a->targets->all[i].pid == pid)
			return;
	}
	if (a->targets->nr < TARGETS_MAX)
		add_target(a, pid);
}

/*
 * The kernel follows children of an attached process that are forked from then on. Children from
 * before, or of a parent that was not attached yet, are found here: walks the trees until a walk
 * finds no more.
 */
static void add_descendants(struct attaching *a)
{
	struct targets *ts = a->targets;
	unsigned int before;
	bool all = true;

	do {
		before = ts->nr;
		for (unsigned int i = 0; i < ts->named; i++)
			all &= tree_each(ts->all[i].pid, add_if_new, a);
	} while (ts->nr > before && ts->nr < TARGETS_MAX);
	if (!all || ts->nr == TARGETS_MAX)
		warn("more processes descend from those of -p than are looked at, which are %d: name the others, too, or end some",
		     TREE_MAX);
}

static unsigned int count_attached(const struct targets *ts, unsigned int from)
{
	unsigned int attached = 0;

	for (unsigned int i = from; i < ts->nr; i++)
		attached += !ts->all[i].code;
	return attached;
}

/*
 * A script that has started a program stands in front of it, and can be attached although it has no
 * coroutines, so that what it starts later is recorded, too.
 */
static void attach_parents(struct attaching *a)
{
	struct targets *ts = a->targets;
	unsigned int below = count_attached(ts, ts->named);
	bool known;

	for (unsigned int i = 0; below && i < ts->named; i++) {
		struct target *t = &ts->all[i];

		if (t->code != ENODEV)
			continue;
		t->pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);
		t->code = -session_attach(a->session, t->pid,
					  COROPROF_ATTACH_CHILDREN | COROPROF_ATTACH_LATER, &known);
		if (!t->code && !a->options->quiet)
			warn("pid %d has no coroutines: recorded are processes that descend from it",
			     t->pid);
	}
}

/* A child that does not use coroprof is no failure, nor is one that has ended. */
static bool is_refused(const struct targets *ts, unsigned int i)
{
	int code = ts->all[i].code;

	return code && (i < ts->named || (code != ENODEV && code != ESRCH));
}

/* Warns of each; the reason is written out only for the first that has it. */
static void report_refused(const struct targets *ts)
{
	for (unsigned int i = 0; i < ts->nr; i++) {
		bool reported = false;
		struct error err;

		for (unsigned int j = ts->named; j < i; j++)
			reported |= is_refused(ts, j) && ts->all[j].code == ts->all[i].code;
		if (!is_refused(ts, i))
			continue;
		diagnose_attach(ts->all[i].code, ts->all[i].pid, &err);
		if (reported)
			warn("nor is process %d recorded, for the same reason", ts->all[i].pid);
		else
			warn("%s", err.message);
	}
}

static const struct target *find_stale(const struct targets *ts)
{
	for (unsigned int i = 0; i < ts->nr; i++) {
		if (ts->all[i].code == ESTALE)
			return &ts->all[i];
	}
	return NULL;
}

int targets_attach(struct targets *ts, struct session *session,
		   const struct record_options *o, bool probed, struct error *err)
{
	struct attaching a = {
		.targets = ts, .session = session, .options = o, .probed = probed,
	};
	const struct target *stale;

	ts->nr = 0;
	ts->named = o->nr_pids;
	while (ts->nr < o->nr_pids)
		add_target(&a, o->pids[ts->nr]);
	if (!o->no_inherit) {
		add_descendants(&a);
		attach_parents(&a);
	}
	stale = find_stale(ts);
	if (stale)
		return error_set(err, ESRCH, "process %d has ended, and another one has got its id, while they were about to be recorded\nLook which one you mean, and start again: ps %d",
				 stale->pid, stale->pid);
	if (ts->named == 1 && !count_attached(ts, 0))
		return diagnose_attach(ts->all[0].code, ts->all[0].pid, err);
	report_refused(ts);
	if (count_attached(ts, 0) || !ts->nr)
		return 0;
	return error_set(err, ts->all[0].code, "none of the %u processes can be recorded",
			 ts->named);
}

bool targets_alive(const struct targets *ts)
{
	struct pollfd fds[TARGETS_MAX];

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
		close_target(&ts->all[i]);
	ts->nr = 0;
}
