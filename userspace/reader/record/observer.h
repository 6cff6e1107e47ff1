/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Somebody who looks at a flight recorder while it records. All that is called here is called by
 * the thread that reads rings, and must not wait for anything.
 */
#ifndef COROPROF_OBSERVER_H
#define COROPROF_OBSERVER_H

#include "base/error.h"
#include "record/signals.h"

struct flight;

/**
 * struct record_observer - who looks
 * @fd:      readable when look() is to be called at once
 * @begin:   the recording runs; a negative errno ends it
 * @look:    rings have been read, and perhaps a tick has begun. What asks for an end goes to
 *           @signals
 * @ended:   nothing more will be recorded: all is kept that will be. Afterwards look() is called as
 *           before, until @signals say stop; @status: wait status of the command, or -1
 * @end:     nothing more is to be looked at: called once, if @begin was
 * @output:  the command's standard output and error output go there where they would go to the
 *           terminal, and its input is empty; -1: they are left alone
 * @context: handed to them
 */
struct record_observer {
	int fd;
	int (*begin)(void *context, struct error *err);
	void (*look)(void *context, struct flight *flight, struct signals *signals);
	void (*ended)(void *context, int status);
	void (*end)(void *context);
	int output;
	void *context;
};

#endif /* COROPROF_OBSERVER_H */
