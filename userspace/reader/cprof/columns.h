/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stores records of a ring by column, as cprof/format.h describes it. What reads
 * them is cprof/records.h.
 */
#ifndef COROPROF_COLUMNS_H
#define COROPROF_COLUMNS_H

#include <stddef.h>

#include "base/util.h"

struct packer;

/**
 * struct columns - memory for packing; all zero at first
 * @packer: what is known of the records so far
 */
struct columns {
	struct packer *packer;
};

/*
 * Replaces what is in @to by the stored form of @size bytes of records, which are
 * aligned to 8. Returns -ENOTSUP when they can't be stored so: cprof/format.h
 * says which can. Else 0 or -ENOMEM.
 */
int columns_pack(struct columns *c, const void *records, size_t size,
		 struct buffer *to);

void columns_free(struct columns *c);

#endif /* COROPROF_COLUMNS_H */
