/* SPDX-License-Identifier: GPL-2.0 */
/* What the settings of perf permit: they hold here as they do for perf_event_open(). */
#ifndef COROPROF_PERMIT_H
#define COROPROF_PERMIT_H

#include <linux/types.h>

void coroprof_permit_init(void);
void coroprof_permit_exit(void);

/*
 * Both are about the calling task, and may sleep. The first returns 0 or an error; the second
 * returns the highest frequency permitted, at most @wanted.
 */
int coroprof_permit_counting(bool kernel);
u32 coroprof_permit_frequency(u32 wanted);

#endif /* COROPROF_PERMIT_H */
