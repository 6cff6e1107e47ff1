/* SPDX-License-Identifier: GPL-2.0 */
/* The open slice and the channel page of a thread that switches from user mode. */
#ifndef COROPROF_SHARED_H
#define COROPROF_SHARED_H

#include <linux/types.h>

struct coroprof_channel;
struct coroprof_recording;
struct vm_area_struct;

/*
 * What a thread that switches from user mode shares with the kernel: the open slice, which
 * is in the producer page of the thread's ring, and the channel page, which shows the
 * thread when it has to call the kernel.
 *
 * While a recording is in user mode, the members of the channel that describe the slice
 * are a copy, made at the last load. Only who may touch the channel's slice (channel-layout.h)
 * calls these functions. They take no lock and never wait. They read what the thread wrote
 * once and check it. A value that passes can harm the figures of that process, and
 * nothing else.
 */
bool coroprof_shared_load(struct coroprof_channel *channel);
u32 coroprof_shared_slot(const struct coroprof_recording *recording);
void coroprof_shared_take(struct coroprof_channel *channel);
void coroprof_shared_store(struct coroprof_channel *channel);
void coroprof_shared_move(struct coroprof_channel *channel, u64 head);
void coroprof_shared_off(struct coroprof_channel *channel);
void coroprof_shared_on(struct coroprof_channel *channel);
void coroprof_shared_close(struct coroprof_channel *channel, u64 position);

/* The channel page. May sleep. */
int coroprof_shared_create(struct coroprof_channel *channel);
void coroprof_shared_free(struct coroprof_channel *channel);
int coroprof_shared_mmap(struct coroprof_channel *channel, struct vm_area_struct *vma);

#endif /* COROPROF_SHARED_H */
