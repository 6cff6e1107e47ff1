// SPDX-License-Identifier: GPL-2.0
/*
 * Maps a ring, checks what its shared pages claim, and copies bytes out of it. The tail is kept in
 * private memory.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/atomics.h"
#include "record/ring.h"

static int check_size(size_t size, size_t page_size, struct error *err)
{
	if (size >= page_size && size <= (1u << 30) && !(size & (size - 1)))
		return 0;
	return error_set(err, EPROTO, "the ring has %zu bytes, which is not a power of two from %zu to %u",
			 size, page_size, 1u << 30);
}

int ring_map(struct ring *ring, int fd, __u64 offset, size_t size,
	     size_t page_size, struct error *err)
{
	char *consumer, *producer;
	int ret;

	ret = check_size(size, page_size, err);
	if (ret)
		return ret;
	consumer = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			(off_t)offset);
	if (consumer == MAP_FAILED)
		return error_errno(err, "can't map the consumer page of a ring");
	producer = mmap(NULL, page_size + 2 * size, PROT_READ, MAP_SHARED, fd,
			(off_t)(offset + page_size));
	if (producer == MAP_FAILED) {
		ret = error_errno(err, "can't map a ring of %zu bytes",
				  size);
		munmap(consumer, page_size);
		return ret;
	}
	*ring = (struct ring){
		.consumer = (void *)consumer,
		.producer = (void *)producer,
		.data = producer + page_size,
		.size = size,
		.page_size = page_size,
	};
	return 0;
}

void ring_unmap(struct ring *ring)
{
	munmap(ring->consumer, ring->page_size);
	munmap((void *)ring->producer, ring->page_size + 2 * ring->size);
	*ring = (struct ring){ 0 };
}

/*
 * The position up to which records are written. The low bits of the word are flags, and left out.
 */
__u64 ring_head(const struct ring *ring)
{
	return load_acquire(&ring->producer->head) & ~7ull;
}

int ring_available(const struct ring *ring, size_t *available,
		   struct error *err)
{
	__u64 head = ring_head(ring);
	__u64 closed = load_acquire(&ring->consumer->closed);
	__u64 ahead = (head < closed ? head : closed) - ring->tail;

	*available = 0;
	if (ahead > ring->size || ahead % 8)
		return error_set(err, EPROTO, "the ring has an impossible position: head %llu, tail %llu, of %zu bytes",
				 head, ring->tail, ring->size);
	*available = ahead;
	return 0;
}

void ring_copy(const struct ring *ring, void *to, size_t size)
{
	memcpy(to, ring->data + (ring->tail & (ring->size - 1)), size);
}

void ring_consume(struct ring *ring, size_t size)
{
	ring->tail += size;
	store_release(&ring->consumer->tail, ring->tail);
}

size_t ring_whole(const void *records, size_t size)
{
	const char *p = records;
	struct coroprof_record record;
	size_t whole = 0;

	while (size - whole >= sizeof(record)) {
		memcpy(&record, p + whole, sizeof(record));
		if (record.size < sizeof(record) || record.size % 8 ||
		    record.size > COROPROF_RECORD_MAX ||
		    record.size > size - whole)
			break;
		whole += record.size;
	}
	return whole;
}
