// SPDX-License-Identifier: GPL-2.0
/* Pieces of a recording, found by their offsets, and what they are in. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cprof/memory.h"

/**
 * struct piece - a part of a recording
 * @offset: in that
 * @data:   its bytes
 * @size:   how many
 * @copied: they are its own
 */
struct piece {
	uint64_t offset;
	const char *data;
	size_t size;
	bool copied;
};

/**
 * struct memory - see memory.h
 * @pieces:    in order, none of them empty
 * @nr_pieces: how many
 * @shares:    what pieces are in that are not copies
 * @nr_shares: how many
 * @size:      of all pieces
 * @copied:    of those that are copies
 */
struct memory {
	struct piece *pieces;
	size_t nr_pieces;
	struct memory_share **shares;
	size_t nr_shares;
	uint64_t size;
	uint64_t copied;
};

void memory_leave(struct memory_share *share)
{
	if (atomic_fetch_sub(&share->users, 1) == 1)
		share->free(share);
}

struct memory *memory_new(void)
{
	return calloc(1, sizeof(struct memory));
}

void memory_free(struct memory *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nr_pieces; i++)
		if (m->pieces[i].copied)
			free((char *)m->pieces[i].data);
	for (size_t i = 0; i < m->nr_shares; i++)
		memory_leave(m->shares[i]);
	free(m->pieces);
	free(m->shares);
	free(m);
}

static int out_of_memory(struct error *err)
{
	return error_set(err, ENOMEM, "out of memory for a recording in memory");
}

static int add_piece(struct memory *m, const char *data, size_t size, bool copied,
		     struct error *err)
{
	if (!array_grow(&m->pieces, m->nr_pieces, sizeof(*m->pieces)))
		return out_of_memory(err);
	m->pieces[m->nr_pieces++] = (struct piece){ m->size, data, size, copied };
	m->size += size;
	return 0;
}

int memory_append(struct memory *m, const void *data, size_t size, struct error *err)
{
	char *copy;
	int ret;

	if (!size)
		return 0;
	copy = malloc(size);
	if (!copy)
		return out_of_memory(err);
	memcpy(copy, data, size);
	ret = add_piece(m, copy, size, true, err);
	if (ret)
		free(copy);
	else
		m->copied += size;
	return ret;
}

/* Neighbours in a recording are mostly in the same share. */
static int hold(struct memory *m, struct memory_share *share, struct error *err)
{
	if (!share || (m->nr_shares && m->shares[m->nr_shares - 1] == share))
		return 0;
	if (!array_grow(&m->shares, m->nr_shares, sizeof(struct memory_share *)))
		return out_of_memory(err);
	atomic_fetch_add(&share->users, 1);
	m->shares[m->nr_shares++] = share;
	return 0;
}

int memory_refer(struct memory *m, struct memory_share *share, const void *data, size_t size,
		 struct error *err)
{
	int ret = size ? hold(m, share, err) : 0;

	return ret || !size ? ret : add_piece(m, data, size, false, err);
}

uint64_t memory_size(const struct memory *m)
{
	return m->size;
}

uint64_t memory_copied(const struct memory *m)
{
	return m->copied;
}

/* The piece that has this offset, which is below the size. */
static const struct piece *piece_at(const struct memory *m, uint64_t offset)
{
	size_t low = 0, high = m->nr_pieces;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (m->pieces[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return &m->pieces[low];
}

size_t memory_read(const struct memory *m, uint64_t offset, void *to, size_t size)
{
	size_t got = 0;

	if (offset >= m->size)
		return 0;
	if (size > m->size - offset)
		size = (size_t)(m->size - offset);
	for (const struct piece *p = piece_at(m, offset); got < size; p++) {
		size_t from = (size_t)(offset + got - p->offset), n = p->size - from;

		if (n > size - got)
			n = size - got;
		memcpy((char *)to + got, p->data + from, n);
		got += n;
	}
	return got;
}
