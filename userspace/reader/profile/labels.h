/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of labels in a profile. */
#ifndef COROPROF_PROFILE_LABELS_H
#define COROPROF_PROFILE_LABELS_H

#include <stdbool.h>
#include <stdint.h>

struct build;
struct profile;
struct profile_key;

/* The row for what threads of a process ran that is in no slot: see MODEL_LABEL_REST. */
uint32_t label_of_rest(struct build *b, uint32_t process);
/* The row for coroutines, or for threads, that have a label. */
uint32_t label_of(struct build *b, uint32_t process, uint32_t number,
		  bool thread);
/* For each row of @from, that of build.profile; NULL when out of memory. */
uint32_t *labels_merge(struct build *b, const struct profile *from);
/* No slice follows: those of profile.on_cpu_histograms go where they belong. */
void labels_settle(struct build *b);
/* As name_number() and name_rekey(), of the key of a row. */
uint32_t label_number(const struct build *b, uint64_t key);
bool label_rekey(const struct build *b, struct profile_key *key, uint32_t number);
/* Moves the rows to the model, with their names. */
void labels_finish(struct build *b);

#endif /* COROPROF_PROFILE_LABELS_H */
