// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "processes.h"

static struct process *processes;
static unsigned long mask;

/* Below a number there is what says that it is one. */
#define TAG_BITS 4

bool processes_begin(unsigned long room)
{
	unsigned long size = 1;

	while (size < room)
		size *= 2;
	mask = size - 1;
	processes = calloc(size, sizeof(*processes));
	return processes;
}

static struct process *place_of(ERL_NIF_TERM pid)
{
	return &processes[pid >> TAG_BITS & mask];
}

struct process *process_find(ERL_NIF_TERM pid)
{
	struct process *process = place_of(pid);

	return likely(process->pid == pid) ? process : NULL;
}

static struct adapter adapter = {
	.name = "Erlang",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

struct process *process_new(ERL_NIF_TERM pid, uint32_t label, coroprof_co parent)
{
	struct process *process = place_of(pid);

	if (process->pid)
		process_end(process->pid);
	process->co = runtime_new(&adapter, label, parent, pid >> TAG_BITS);
	process->pid = pid;
	return process;
}

void process_end(ERL_NIF_TERM pid)
{
	struct process *process = process_find(pid);

	if (!process)
		return;
	process->pid = 0;
	if (process->co == runtime_current)
		coroprof_switch_done(COROPROF_THREAD);
	else
		coroprof_done(process->co);
}
