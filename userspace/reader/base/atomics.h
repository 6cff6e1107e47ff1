/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only ordered accesses of the reader, all to memory it shares with a
 * producer of a ring:
 *
 *   load_acquire(&producer->head)   pairs with the producer's release of head:
 *                                   the records below it are complete
 *   load_acquire(&consumer->closed) is read after the head: what a thread has
 *                                   written once the kernel had closed its ring
 *                                   does not count
 *   store_release(&consumer->tail)  pairs with the producer's acquire of tail:
 *                                   the bytes below it are no longer read
 */
#ifndef COROPROF_ATOMICS_H
#define COROPROF_ATOMICS_H

#include <linux/types.h>

static inline __u64 load_acquire(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void store_release(__u64 *p, __u64 value)
{
	__atomic_store_n(p, value, __ATOMIC_RELEASE);
}

#endif /* COROPROF_ATOMICS_H */
