/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal: shows a canvas, and says which keys were pressed. All that knows of curses is here. */
#ifndef COROPROF_TERMINAL_H
#define COROPROF_TERMINAL_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"
#include "live/canvas.h"
#include "live/choices.h"

/* Fails if there is no terminal that can show a canvas. Does not change the terminal. */
int terminal_check(struct error *err);

/*
 * Begins to use the terminal. Until terminal_end() a signal that ends the program, such as one of a
 * crash, first restores it.
 */
int terminal_begin(bool colored, struct error *err);
/* Restores the terminal. */
void terminal_end(void);

/*
 * Removes signals of a crash from a set that a thread blocks: blocked, they would end the program
 * without restoring the terminal.
 */
void terminal_faults(sigset_t *set);

/* Gets the size of the terminal at this time. */
void terminal_size(unsigned int *width, unsigned int *height);

void terminal_draw(const struct canvas *canvas);

/* Returns an enum key, a byte of text, or 0 if none was pressed. */
int terminal_key(void);

#endif /* COROPROF_TERMINAL_H */
