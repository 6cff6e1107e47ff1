/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own totals of each thread. */
#ifndef COROPROF_PROFILE_STATUS_H
#define COROPROF_PROFILE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build;

/* Reads a BASE segment: totals of threads where their kept records begin. */
void bases_add(struct build *b, uint64_t offset, const void *payload, size_t size);
/* Reads a STATUS segment: totals of threads at the end of their recording. */
void status_add(struct build *b, uint64_t offset, const void *payload,
		size_t size);
/*
 * True if the totals are those at the last record: the recording ended in order, or only the last
 * seconds are kept.
 */
bool channel_is_finished(const struct build *b, uint32_t channel);
/*
 * True if all slices of the channel are in the file, or reported as lost. Of a part of a recording
 * that is not known: true if the recording ended in order.
 */
bool channel_complete(const struct build *b, uint32_t channel);
/* True if the recording ended in order, and nothing of it is known to be missing. */
bool channel_is_ended(const struct build *b, uint32_t channel);
/* Subtracts the bases: totals are then those of the kept records. */
void bases_finish(struct build *b);

#endif /* COROPROF_PROFILE_STATUS_H */
