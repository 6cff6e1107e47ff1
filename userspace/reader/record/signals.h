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

/* @others: NULL: there are none */
int signals_open(struct signals *signals, const sigset_t *others, struct error *err);
/* Takes those that are there. */
void signals_read(struct signals *signals);
/*
 * Somebody asks to stop by @signal. That the terminal is gone is so once, by how many ways ever it
 * becomes known: who asks again wants the command gone.
 */
void signals_stop(struct signals *signals, int signal, bool typed);
/* Waits for one, and takes it. False when there was none in @timeout_ms. */
bool signals_wait(struct signals *signals, int timeout_ms);
void signals_close(struct signals *signals);

#endif /* COROPROF_SIGNALS_H */
