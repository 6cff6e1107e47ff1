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

/* The row of a counter, made if need be; MODEL_NONE when there is no room. */
uint32_t counter_of(struct build *b, const struct coroprof_counter *counter);
/* One that the session was asked for, with the name it was asked for by. */
void counter_of_session(struct build *b, const struct coroprof_counter *counter,
			const char *name, size_t size);
/* Those that a thread opened, or why it could not. */
void counters_of_channel(struct build *b, uint32_t channel,
			 const struct coroprof_counter_state *states,
			 uint32_t nr);
/* Once all are known: which of them each channel lacks. Where there is no PMU, that is why. */
void counters_finish(struct build *b);
/* Sets which of them are cycles and instructions. */
void counters_of_ipc(struct model *m);
/* Whether they count the same. */
bool same_counter(const struct coroprof_counter *a,
		  const struct coroprof_counter *b);

#endif /* COROPROF_PROFILE_COUNTERS_H */
