/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf events that user mode can read. Whoever opens them, a thread for itself or
 * coroprof-read for it, has to ask for the same: the module looks at that.
 */
#ifndef COROPROF_EVENT_H
#define COROPROF_EVENT_H

#include <sys/types.h>

struct coroprof_counter;

/*
 * An event of thread @tid, 0 for the calling one, with as many bits as the PMU can
 * give. Returns its descriptor (close-on-exec), or what perf_event_open() said,
 * negative. Changes errno.
 */
int coroprof_event_open(const struct coroprof_counter *counter, pid_t tid);

#endif /* COROPROF_EVENT_H */
