/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of each process of Erlang. */
#ifndef ERLANG_PROCESSES_H
#define ERLANG_PROCESSES_H

#include "../runtime.h"
#include "api.h"

#pragma GCC visibility push(hidden)

/**
 * struct process - a process of Erlang
 * @pid: 0: there is none
 * @co:  its coroutine
 *
 * There is one for each number that processes may have at once: Erlang gives no two that live
 * numbers whose lowest bits are the same. What is reported of a process is reported one after the
 * other; but while those are named that were there before, by the process that does so, they may
 * run and end. Until processes_settled(), whoever changes this, or a name, holds a lock.
 */
struct process {
	ERL_NIF_TERM pid;
	coroprof_co co;
};

/* At most so many live at once. False without memory. */
bool processes_begin(unsigned long room);

/* NULL: it is not known. */
struct process *process_find(ERL_NIF_TERM pid);
/* It is there from now on. */
struct process *process_new(ERL_NIF_TERM pid, uint32_t label, coroprof_co parent);
/* It goes on: the same, unless it is known. */
struct process *process_run(ERL_NIF_TERM pid);
/* It was there before, and may have ended since. */
void process_known(ERL_NIF_TERM pid, uint32_t label);
/* It has this name from now on, if it is known. */
void process_rename(ERL_NIF_TERM pid, uint32_t label);
/* It has ended, on the calling thread if that runs it. */
void process_end(ERL_NIF_TERM pid);

/* No process is named any more by another. */
void processes_settled(void);

/* The name of what calls {Module, Function, Arguments or their number}. */
uint32_t process_label(ErlNifEnv *env, ERL_NIF_TERM call);

#pragma GCC visibility pop

#endif /* ERLANG_PROCESSES_H */
