/* SPDX-License-Identifier: GPL-2.0 */
/* How a process becomes known to the sessions that wait for it. */
#ifndef COROPROF_DISCOVER_H
#define COROPROF_DISCOVER_H

#include <linux/types.h>

struct coroprof_keys;
struct coroprof_process;
struct coroprof_session;

int coroprof_discover(struct coroprof_process *process, u64 token);
struct coroprof_process *coroprof_discover_probed(struct coroprof_session *session,
						  struct coroprof_keys *keys, u32 slots);
void coroprof_discover_refuse(struct coroprof_session *session, int err);

#endif /* COROPROF_DISCOVER_H */
