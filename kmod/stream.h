/* SPDX-License-Identifier: GPL-2.0 */
/* The records that read() on a session returns. */
#ifndef COROPROF_STREAM_H
#define COROPROF_STREAM_H

#include <linux/types.h>

struct coroprof_session;
struct list_head;

/* Make the records that read() returns. The caller holds session.read_lock. */
u32 coroprof_stream_fill(struct coroprof_session *session, char *to, u32 room,
			 struct list_head *done);

#endif /* COROPROF_STREAM_H */
