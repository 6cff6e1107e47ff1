// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the CPU clock of a process and which threads it has, to report how much CPU time was not
 * recorded.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "cprof/format.h"
#include "record/used.h"

/* More threads of a process are not distinguished. */
#define THREADS_MAX	65536

bool used_clock(pid_t pid, uint64_t *ns)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return false;
	*ns = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	return true;
}

uint64_t used_ticks(void)
{
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * ticks + (uint64_t)ts.tv_nsec * ticks / 1000000000;
}

/* Reads /proc/PID/stat behind the name in it, which may have any character. */
static bool read_stat(pid_t pid, char *state, uint64_t *began)
{
	char path[32], text[1024];
	const char *behind;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	behind = read_text(path, text, sizeof(text)) ? strrchr(text, ')') : NULL;
	return behind && sscanf(behind + 1,
				" %c%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%" SCNu64,
				state, began) == 2;
}

bool used_began(pid_t pid, uint64_t *ticks)
{
	char state;

	return read_stat(pid, &state, ticks);
}

static int compare_tids(const void *a, const void *b)
{
	const struct used_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* NULL if there is no room. The array may move, and what was returned before with it. */
static struct used_thread *find_or_add_thread(struct used *u, pid_t tid)
{
	const struct used_thread key = { .tid = tid };
	struct used_thread *found = NULL;

	if (u->nr)
		found = bsearch(&key, u->threads, u->nr, sizeof(key), compare_tids);
	if (found || u->nr == THREADS_MAX || !array_grow(&u->threads, u->nr, sizeof(key)))
		return found;
	u->threads[u->nr++] = key;
	/* New ones mostly have the highest number. */
	if (u->nr > 1 && compare_tids(&u->threads[u->nr - 2], &key) > 0)
		qsort(u->threads, u->nr, sizeof(key), compare_tids);
	return bsearch(&key, u->threads, u->nr, sizeof(key), compare_tids);
}

/* Returns how many threads the process has at this time. */
static unsigned int update_threads(struct used *u)
{
	const struct dirent *entry;
	unsigned int nr = 0;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", u->pid);
	tasks = opendir(path);
	if (!tasks)
		return 0;
	while ((entry = readdir(tasks))) {
		if (entry->d_name[0] == '.')
			continue;
		find_or_add_thread(u, atoi(entry->d_name));
		nr++;
	}
	closedir(tasks);
	return nr;
}

/*
 * Updates threads and clock. Whether the process has ended is found out before its clock is read,
 * so that the clock of an ended one is final: its first thread may have ended, and others not. The
 * pid may belong to another process by now, whose clock is behind this one's.
 */
void used_look(struct used *u)
{
	uint64_t ns, began;
	char state = 0;
	bool ended;

	if (u->pid <= 0 || u->ended)
		return;
	read_stat(u->pid, &state, &began);
	ended = update_threads(u) == 1 && state == 'Z';
	if (!used_clock(u->pid, &ns) || ns < u->ns)
		return;
	u->known = true;
	u->ended = ended;
	u->ns = ns;
}

void used_begin(struct used *u, pid_t pid, uint64_t begin_ns)
{
	*u = (struct used){ .pid = pid };
	used_look(u);
	u->begin_ns = begin_ns < u->ns ? begin_ns : u->ns;
}

void used_recorded(struct used *u, pid_t tid)
{
	struct used_thread *thread = find_or_add_thread(u, tid);

	if (thread)
		thread->recorded = true;
}

bool used_report(const struct used *u, uint32_t process_id, struct cprof_cpu *to)
{
	*to = (struct cprof_cpu){ .process_id = process_id, .ns = u->ns - u->begin_ns };
	for (size_t i = 0; i < u->nr; i++)
		to->threads += !u->threads[i].recorded;
	return u->known;
}

void used_free(struct used *u)
{
	free(u->threads);
	*u = (struct used){ 0 };
}
