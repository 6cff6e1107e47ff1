/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own totals of each thread. */
#ifndef COROPROF_PROFILE_STATUS_H
#define COROPROF_PROFILE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build;

/* Totals where the kept records of threads begin. */
void bases_add(struct build *b, uint64_t offset, const void *payload, size_t size);
/* Totals where they end. */
void status_add(struct build *b, uint64_t offset, const void *payload,
		size_t size);
/* Where only the last seconds are kept, its last record is the last that the totals have. */
bool channel_is_finished(const struct build *b, uint32_t channel);
/*
 * Whether all slices of the channel are in the file or reported as lost. Of a part
 * of a recording that is not known: then whether it was ended in order.
 */
bool channel_complete(const struct build *b, uint32_t channel);
/* Its recording was ended in order, and nothing of it is known to be missing. */
bool channel_is_ended(const struct build *b, uint32_t channel);
/* From now on the totals are what they have grown by since the records begin. */
void bases_finish(struct build *b);

#endif /* COROPROF_PROFILE_STATUS_H */
