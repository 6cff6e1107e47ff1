/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records as they are in a ring, for what looks at them as they pass. They are the program's own
 * where it switches from user mode: no more is relied on than that each lies within its bytes.
 * Who reads files has cprof/records.h.
 */
#ifndef COROPROF_PACKED_H
#define COROPROF_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "coroprof.h"

/*
 * Returns the record at *@at, of whose bytes *@left are left, and steps over it. NULL: no bytes are
 * left, or they are no record.
 */
static inline const struct coroprof_record *packed_next(const char **at, size_t *left)
{
	const struct coroprof_record *record = (const void *)*at;

	if (*left < sizeof(*record) || record->size < sizeof(*record) || record->size > *left)
		return NULL;
	*at += record->size;
	*left -= record->size;
	return record;
}

/**
 * struct packed_parts - what comes behind the counts of a slice; zero where it has none
 */
struct packed_parts {
	struct coroprof_slice_offcpu offcpu;
	struct coroprof_slice_fresh fresh;
	struct coroprof_slice_woken woken;
};

/*
 * The parts of a slice behind its counts, whose number follows from the record's size. False if
 * that is too small.
 */
static inline bool packed_parts(struct packed_parts *parts, const struct coroprof_record_slice *s)
{
	size_t bare = coroprof_slice_size(s->flags, 0);
	const char *at = (const char *)(s + 1);

	*parts = (struct packed_parts){ 0 };
	if (s->size < bare)
		return false;
	at += (s->size - bare) / (s->flags & COROPROF_SLICE_SCALED ? 2 : 1);
	if (s->flags & COROPROF_SLICE_OFFCPU) {
		memcpy(&parts->offcpu, at, sizeof(parts->offcpu));
		at += sizeof(parts->offcpu);
	}
	if (s->flags & COROPROF_SLICE_FRESH) {
		memcpy(&parts->fresh, at, sizeof(parts->fresh));
		at += sizeof(parts->fresh);
	}
	if (s->flags & COROPROF_SLICE_WOKEN)
		memcpy(&parts->woken, at, sizeof(parts->woken));
	return true;
}

#endif /* COROPROF_PACKED_H */
