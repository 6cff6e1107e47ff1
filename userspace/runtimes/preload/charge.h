/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an adapter itself does is charged to the coroutine of the library's own, one for
 * each thread, labelled "(coroprof)": not to what the program runs.
 */
#ifndef CHARGE_H
#define CHARGE_H

/* From now on, until the next switch. While nobody records this does nothing. */
void charge(void);
/* The same, where what runs has ended. */
void charge_done(void);

#endif /* CHARGE_H */
