/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the adapter itself does is charged to a coroutine of its own, one for
 * each thread, labelled "(coroprof)": not to what the program runs.
 */
#ifndef LUA_CHARGE_H
#define LUA_CHARGE_H

/* From now on, until the next switch. While nobody records this does nothing. */
void lua_charge(void);

#endif /* LUA_CHARGE_H */
