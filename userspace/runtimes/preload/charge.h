/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an adapter itself does is charged to the coroutine of the library's own, one for
 * each thread, labelled "(coroprof)": not to what the program runs.
 */
#ifndef CHARGE_H
#define CHARGE_H

/*
 * From now on, until the next switch. While nobody records this does nothing. For where what
 * runs is about to be left: to come back to it would part its slice in two. What has to be looked
 * up in the middle of a slice is a part of it, but for what is done once for a piece of code.
 */
void charge(void);
/* The same, where what runs has ended. */
void charge_done(void);

#endif /* CHARGE_H */
