/* SPDX-License-Identifier: GPL-2.0 */
/* What LABEL records say of numbers. */
#ifndef COROPROF_PROFILE_NAMES_H
#define COROPROF_PROFILE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct build;
struct build_name;
struct coroprof_record_label;

/* A LABEL record says what @record.label is called in a process. */
void name_define(struct build *b, uint32_t process,
		 const struct coroprof_record_label *record);
/*
 * The same for all numbers with the same text in a process; name_of_key() is NULL
 * if that is not in the file.
 */
uint64_t name_key(const struct build *b, uint32_t process, uint32_t number);
/* NULL if it is not in the file. */
const struct build_name *name_of_key(const struct build *b, uint64_t key);
/*
 * Keys are of one build. A number that has that key; and the key that the number has in another build of
 * the same process: false if it has a name in one of both only.
 */
uint32_t name_number(const struct build *b, uint64_t key);
bool name_rekey(const struct build *b, uint32_t process, uint32_t number, uint64_t *key);
/* The text to show, the path of the object, and the address in that. */
void name_fill(struct build *b, const struct build_name *name, char **text,
	       char **object, uint64_t *address, const char **unresolved);

#endif /* COROPROF_PROFILE_NAMES_H */
