/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal: shows a canvas, and says which keys were pressed. All that knows of curses is here. */
#ifndef COROPROF_TERMINAL_H
#define COROPROF_TERMINAL_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"
#include "live/canvas.h"
#include "live/choices.h"

/* Whether there is one that can show anything; it is not changed. */
int terminal_check(struct error *err);

/*
 * Takes the terminal. Until terminal_end() a signal that ends the program, as a crash does, first
 * brings it back to how it was before.
 */
int terminal_begin(bool colored, struct error *err);
/* As it was before. */
void terminal_end(void);

/* Takes those of a crash out of a set that a thread blocks: blocked, they end the program at once. */
void terminal_faults(sigset_t *set);

/* How large it is now. */
void terminal_size(unsigned int *width, unsigned int *height);

void terminal_draw(const struct canvas *canvas);

/* enum key, a byte of a text, or 0: none has been pressed. */
int terminal_key(void);

#endif /* COROPROF_TERMINAL_H */
