/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PYTHON_LOOP_H
#define PYTHON_LOOP_H

#include "../runtime.h"

/* Once asyncio tells, or can't. */
extern bool loop_tells __attribute__((visibility("hidden")));
void loop_listen(void);

/* While somebody records, asyncio tells which tasks are made and when each is ready. */
static inline void loop_check(void)
{
	if (unlikely(!loop_tells))
		loop_listen();
}

#endif /* PYTHON_LOOP_H */
