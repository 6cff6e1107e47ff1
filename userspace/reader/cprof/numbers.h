/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups of numbers in few bits, as cprof/format.h describes them: quick to read,
 * as four numbers at a time are unpacked by the same shifts.
 */
#ifndef COROPROF_NUMBERS_H
#define COROPROF_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "cprof/format.h"

/* A group takes no more bytes. */
#define NUMBERS_BOUND	(sizeof(struct cprof_group) + 8u + 13u * CPROF_GROUP + 8u)

/* So many bytes behind a group may be read, and are not looked at. */
#define NUMBERS_SLACK	(4u * CPROF_GROUP)

/*
 * Stores a group of 1 to CPROF_GROUP numbers, and returns its bytes. @v has room
 * for CPROF_GROUP numbers, and is changed.
 */
size_t numbers_pack(unsigned char *to, uint64_t *v, unsigned int nr);

/*
 * Reads a group of @nr numbers to @v, which has room for CPROF_GROUP of them.
 * Returns where the next group begins, or NULL if there is none before @end.
 */
const unsigned char *numbers_unpack(const unsigned char *from,
				    const unsigned char *end, uint64_t *v,
				    uint32_t *nr);

#endif /* COROPROF_NUMBERS_H */
