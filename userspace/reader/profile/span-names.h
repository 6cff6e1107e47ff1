/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of spans of one name. */
#ifndef COROPROF_PROFILE_SPAN_NAMES_H
#define COROPROF_PROFILE_SPAN_NAMES_H

#include <stdint.h>

struct build;
struct profile_key;

/* The row of spans with the label @number, a new one if need be; MODEL_NONE if there is no room. */
uint32_t span_of(struct build *b, uint32_t process, uint32_t number);
/* Likewise, by the key of the label's name. */
uint32_t span_row(struct build *b, const struct profile_key *key);
/* Moves the rows of spans to the model, with their names and histograms. */
void span_names_finish(struct build *b);

#endif /* COROPROF_PROFILE_SPAN_NAMES_H */
