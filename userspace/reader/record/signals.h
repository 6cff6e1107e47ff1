/* SPDX-License-Identifier: GPL-2.0 */
/* Signals of a recording, read from a descriptor. */
#ifndef COROPROF_SIGNALS_H
#define COROPROF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct signals - signals held back
 * @fd:      readable when there is one
 * @before:  what was blocked before
 * @stops:   how often somebody asked to stop
 * @stop:    the signal that asked first
 * @typed:   it came from the terminal, which sends it to the command as well
 * @hung_up: one was that the terminal is gone
 * @child:   a child has ended
 * @others:  signals that ask for something else: of each that has come there is a bit in @asked
 * @asked:   see there
 */
struct signals {
	int fd;
	sigset_t before;
	unsigned int stops;
	int stop;
	bool typed;
	bool hung_up;
	bool child;
	sigset_t others;
	uint64_t asked;
};

/*
 * Blocks signals, and opens a descriptor to read them from. @others: signals to read beside those
 * that end a recording, or NULL.
 */
int signals_open(struct signals *signals, const sigset_t *others, struct error *err);
/* Takes all signals that have come. */
void signals_read(struct signals *signals);
/*
 * Notes a request to stop, by @signal. That the terminal is gone counts once, however often it is
 * noticed: a second request would kill the command.
 */
void signals_stop(struct signals *signals, int signal, bool typed);
/* Waits for a signal and takes it. False if none came in @timeout_ms. */
bool signals_wait(struct signals *signals, int timeout_ms);
void signals_close(struct signals *signals);

#endif /* COROPROF_SIGNALS_H */
