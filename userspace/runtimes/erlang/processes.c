// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is known of each process of Erlang: a table by number, made once, as large as there may be
 * processes.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "processes.h"

static struct process *processes;
static unsigned long mask;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool settled;

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

/* Returns whether it has to be given back. */
static bool take_lock(void)
{
	bool taken = unlikely(!atomic_load_explicit(&settled, memory_order_acquire));

	if (taken)
		pthread_mutex_lock(&lock);
	return taken;
}

static void give_lock(bool taken)
{
	if (taken)
		pthread_mutex_unlock(&lock);
}

void processes_settled(void)
{
	pthread_mutex_lock(&lock);
	atomic_store_explicit(&settled, true, memory_order_release);
	pthread_mutex_unlock(&lock);
}

struct process *process_find(ERL_NIF_TERM pid)
{
	struct process *process = place_of(pid);

	/* Pairs with the release in add(). */
	return likely(__atomic_load_n(&process->pid, __ATOMIC_ACQUIRE) == pid) ? process : NULL;
}

static struct adapter adapter = {
	.name = "Erlang",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

static void end(struct process *process)
{
	__atomic_store_n(&process->pid, 0, __ATOMIC_RELAXED);
	if (process->co == runtime_current)
		coroprof_switch_done(COROPROF_THREAD);
	else
		coroprof_done(process->co);
}

static struct process *add(ERL_NIF_TERM pid, uint32_t label, coroprof_co parent)
{
	struct process *process = place_of(pid);

	if (process->pid)
		end(process);
	process->co = runtime_new(&adapter, label, parent, pid >> TAG_BITS);
	/* Pairs with the acquire in process_find(). */
	__atomic_store_n(&process->pid, pid, __ATOMIC_RELEASE);
	return process;
}

struct process *process_new(ERL_NIF_TERM pid, uint32_t label, coroprof_co parent)
{
	bool locked = take_lock();
	struct process *process = add(pid, label, parent);

	give_lock(locked);
	return process;
}

struct process *process_run(ERL_NIF_TERM pid)
{
	struct process *process = process_find(pid);
	bool locked;

	if (likely(process))
		return process;
	locked = take_lock();
	process = process_find(pid);
	if (!process)
		process = add(pid, 0, COROPROF_THREAD);
	give_lock(locked);
	return process;
}

/* Whoever has its place lives, so it does not. */
void process_known(ERL_NIF_TERM pid, uint32_t label)
{
	bool locked = take_lock();
	struct process *process = process_find(pid);

	if (process)
		coroprof_set_label(process->co, label);
	else if (!place_of(pid)->pid)
		add(pid, label, COROPROF_THREAD);
	give_lock(locked);
}

void process_rename(ERL_NIF_TERM pid, uint32_t label)
{
	bool locked = take_lock();
	struct process *process = process_find(pid);

	if (process)
		coroprof_set_label(process->co, label);
	give_lock(locked);
}

void process_end(ERL_NIF_TERM pid)
{
	bool locked = take_lock();
	struct process *process = process_find(pid);

	if (process)
		end(process);
	give_lock(locked);
}
