/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perf events for threads that may not open any: perf_event_paranoid, a filter of
 * system calls or a limit keeps them from it. They are opened here, with the rights of
 * whoever records, and the kernel hands them over.
 */
#ifndef COROPROF_DELEGATE_H
#define COROPROF_DELEGATE_H

#include "record/session.h"

/*
 * Opens events for the thread of a channel that has begun, if it needs that. If none can be opened,
 * the thread goes on by ioctl, and its recording has the reason.
 */
void delegate_events(struct session *session, const struct coroprof_record_channel *record);

#endif /* COROPROF_DELEGATE_H */
