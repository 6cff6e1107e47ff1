/* SPDX-License-Identifier: GPL-2.0 */
/* The records of all rings, in order of time. */
#ifndef COROPROF_PROFILE_RINGS_H
#define COROPROF_PROFILE_RINGS_H

#include <stdint.h>

struct build;

/*
 * Adds the records of all rings in order of time: of each those from the first
 * that ended at @from or later, up to the first that did at @to or later; from 0
 * to UINT64_MAX all. In a file of version 2 all records are before any time but 0.
 * It reads what other threads may read at the same time, and writes what is added
 * up, the damage and the progress.
 */
void merge_rings(struct build *b, uint64_t from, uint64_t to);

#endif /* COROPROF_PROFILE_RINGS_H */
