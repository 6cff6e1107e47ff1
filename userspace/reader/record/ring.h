/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader's end of one channel's ring, of slices or of samples. Nothing in the
 * shared memory is trusted: the tail is kept here and only ever stored there, the
 * head is read once a look and checked against it. The recorded program itself
 * may write the producer page and the data, if its thread switches from user
 * mode.
 */
#ifndef COROPROF_RING_H
#define COROPROF_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "coroprof.h"

/**
 * struct ring - a mapped ring
 * @consumer:    the consumer page
 * @producer:    the producer page
 * @data:        the data, twice
 * @size:        bytes of data, a power of two
 * @page_size:   of the kernel
 * @tail:        bytes read so far
 */
struct ring {
	struct coroprof_ring_consumer *consumer;
	const struct coroprof_ring_producer *producer;
	const char *data;
	size_t size;
	size_t page_size;
	__u64 tail;
};

/* @offset: of the ring in the session's descriptor @fd, COROPROF_MMAP_RING() or _SAMPLES(). */
int ring_map(struct ring *ring, int fd, __u64 offset, size_t size,
	     size_t page_size, struct error *err);
void ring_unmap(struct ring *ring);

/*
 * Sets how many bytes can be read: up to where the ring was closed, if it was. -EPROTO if the
 * producer's position is impossible, and then it stays so.
 */
int ring_available(const struct ring *ring, size_t *available,
		   struct error *err);

/* Where the producer says that it has written up to. */
__u64 ring_head(const struct ring *ring);

/* Copies the next @size bytes, which must be available. */
void ring_copy(const struct ring *ring, void *to, size_t size);

/* Gives @size bytes back to the producer. */
void ring_consume(struct ring *ring, size_t size);

/* How many of @size bytes are whole records. @size must not be more than was available. */
size_t ring_whole(const void *records, size_t size);

#endif /* COROPROF_RING_H */
