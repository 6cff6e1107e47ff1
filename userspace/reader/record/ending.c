// SPDX-License-Identifier: GPL-2.0
/*
 * Decides when a recording ends: when the command, the processes or the time are over, or at a
 * signal, of which the first is passed on to the command.
 */
#include "base/warn.h"
#include "record/ending.h"

/* How long at most between two looks at what nobody reports. */
#define LOOK_NS		(SECOND_NS / 4)

/*
 * A process that is started while the command ends, such as a daemon, may take
 * so long to show what it is.
 */
#define GRACE_NS	SECOND_NS

void ending_begin(struct ending *e)
{
	if (e->options->duration_ns)
		e->deadline = monotonic_ns() + e->options->duration_ns;
	if (e->launch->pid)
		executables_add(&e->processes->executables, e->launch->pid);
}

/*
 * Counts and lists the processes that the command left behind and that are recorded; if none is,
 * those that may be yet: they run an executable that was recorded, or any if none was so far.
 */
static unsigned int count_left_behind(const struct ending *e, char *list, size_t capacity)
{
	static const struct executables any;

	if (e->processes->nr) {
		processes_list(e->processes, list, capacity);
		return (unsigned int)e->processes->nr;
	}
	if (!e->launch->orphans)
		return 0;
	return orphans_find(e->processes->seen ? &e->processes->executables :
						 &any, list, capacity);
}

static bool has_command_ended(struct ending *e, uint64_t now)
{
	bool late;
	char list[512];

	if (e->launch->pid)
		return false;
	if (!e->ended_at)
		e->ended_at = now;
	if (!e->processes->nr && !e->launch->orphans)
		return true;
	late = now - e->ended_at >= GRACE_NS;
	if (!late)
		return false;
	if (!count_left_behind(e, list, sizeof(list)))
		return true;
	if (!e->reported && !e->options->quiet)
		warn("the command has ended; the recording goes on with what it left behind: %s. Ctrl-C ends it.",
		     list);
	e->reported = true;
	return false;
}

bool ending_reached(struct ending *e)
{
	uint64_t now = monotonic_ns();

	if (e->signals->stops || (e->deadline && now >= e->deadline))
		return true;
	if (e->options->command)
		return has_command_ended(e, now);
	/* One that lives may yet have its first coroutine, or children that have. */
	return !e->processes->nr && !targets_alive(e->targets);
}

int ending_timeout_ms(const struct ending *e)
{
	uint64_t now = monotonic_ns();

	if (!e->deadline || e->deadline >= now + LOOK_NS)
		return LOOK_NS / 1000000;
	if (e->deadline <= now)
		return 0;
	return (int)((e->deadline - now + 999999) / 1000000);
}

/*
 * Passes request number @request to stop on to the command: the first as it came, unless the
 * terminal has sent it there, the second as SIGTERM, later ones as SIGKILL.
 */
static void pass_on_stop(const struct launch *launch, const struct signals *signals,
			 unsigned int request)
{
	if (request > 2)
		kill(launch->pid, SIGKILL);
	else if (request == 2)
		kill(launch->pid, SIGTERM);
	else if (!signals->typed)
		kill(launch->pid, signals->stop);
}

void ending_wait(struct ending *e, struct launch *launch,
		 struct signals *signals)
{
	unsigned int passed = 0;
	bool reported = e->options->quiet;

	if (launch->pid && !signals->stops && e->deadline &&
	    monotonic_ns() >= e->deadline)
		kill(launch->pid, SIGTERM);
	for (;;) {
		launch_reap(launch);
		if (!launch->pid)
			return;
		while (passed < signals->stops)
			pass_on_stop(launch, signals, ++passed);
		if (!signals_wait(signals, 2000) && !reported) {
			warn("the recording has ended; waiting for the command (pid %d) to end. Ctrl-C asks it again.",
			     launch->pid);
			reported = true;
		}
	}
}
