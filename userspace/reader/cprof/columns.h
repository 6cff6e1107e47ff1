/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of a ring stored by column, as cprof/format.h describes it: smaller
 * and faster to write than packed as they are, and the identical records again
 * once they are unpacked, whatever they hold.
 */
#ifndef COROPROF_COLUMNS_H
#define COROPROF_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/util.h"

struct codec;

/**
 * struct columns - memory for packing and unpacking; all zero at first
 * @codec:  what is known of the records so far
 * @memory: of packing: the columns, each with the room it may take
 * @room:   bytes of @memory
 */
struct columns {
	struct codec *codec;
	unsigned char *memory;
	size_t room;
};

/* So many bytes behind the stored form must be readable to unpack it. */
#define COLUMNS_SLACK	8u

/* What so many bytes of records take at most. */
size_t columns_bound(size_t size);

/*
 * Replaces what is in @to by the stored form of @size bytes of whole records,
 * which are aligned to 8. Returns -ENOTSUP when they are of too many kinds, and
 * -ENOMEM.
 */
int columns_pack(struct columns *c, const void *records, size_t size,
		 struct buffer *to);

/*
 * Unpacks @size bytes to exactly @room bytes of @records, aligned to 8. Returns
 * NULL, or what is wrong with them.
 */
const char *columns_unpack(struct columns *c, const void *stored, size_t size,
			   void *records, size_t room);

void columns_free(struct columns *c);

#endif /* COROPROF_COLUMNS_H */
