/* SPDX-License-Identifier: GPL-2.0 */
/* Which counters a model has. */
#ifndef COROPROF_PROFILE_COUNTERS_H
#define COROPROF_PROFILE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build;
struct coroprof_counter;
struct coroprof_counter_state;
struct model;

/* The row of a counter, a new one if need be; MODEL_NONE if there is no room. */
uint32_t counter_of(struct build *b, const struct coroprof_counter *counter);
/* Adds a counter that the session was asked for, with the name that the user gave. */
void counter_of_session(struct build *b, const struct coroprof_counter *counter,
			const char *name, size_t size);
/* Adds the counters that a thread opened, and why it could not open others. */
void counters_of_channel(struct build *b, uint32_t channel,
			 const struct coroprof_counter_state *states,
			 uint32_t nr);
/*
 * Sets which counters each channel lacks, once all are known, and why events failed on a machine
 * without a PMU.
 */
void counters_finish(struct build *b);
/* Finds which counters are cycles and instructions. */
void counters_of_ipc(struct model *m);
/* True if both count the same. */
bool same_counter(const struct coroprof_counter *a,
		  const struct coroprof_counter *b);

#endif /* COROPROF_PROFILE_COUNTERS_H */
