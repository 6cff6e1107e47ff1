/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PYTHON_LOOP_H
#define PYTHON_LOOP_H

/*
 * To be called when a coroutine is driven: asyncio, if it has been imported, tells
 * from then on which tasks are made and when each is ready.
 */
void loop_find_now(void);

extern _Bool loop_found __attribute__((visibility("hidden")));

static inline void loop_find(void)
{
	if (__builtin_expect(!loop_found, 0))
		loop_find_now();
}

#endif /* PYTHON_LOOP_H */
