/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_MEET_H
#define COROPROF_MEET_H

#include <linux/types.h>

struct coroprof_keys;
struct coroprof_process;
struct coroprof_session;

int coroprof_meet(struct coroprof_process *process, u64 token);
struct coroprof_process *coroprof_meet_probed(struct coroprof_session *session,
					      struct coroprof_keys *keys, u32 slots);

#endif /* COROPROF_MEET_H */
