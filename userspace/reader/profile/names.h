/* SPDX-License-Identifier: GPL-2.0 */
/* What LABEL records say of numbers. */
#ifndef COROPROF_PROFILE_NAMES_H
#define COROPROF_PROFILE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct build;
struct build_name;
struct coroprof_record_label;

/* Reads a LABEL record: the name of the number record.label in a process. */
void name_define(struct build *b, uint32_t process,
		 const struct coroprof_record_label *record);
/*
 * The key of a number's name: equal for all numbers with the same text in a process. Without a name
 * in the file, name_of_key() returns NULL for it.
 */
uint64_t name_key(const struct build *b, uint32_t process, uint32_t number);
/* NULL if the file has no name for the key. */
const struct build_name *name_of_key(const struct build *b, uint64_t key);
/* A number that has this key. Keys are of one build only. */
uint32_t name_number(const struct build *b, uint64_t key);
/*
 * Replaces a key of another build of the same process by the one that @number has in this build.
 * False if the number has a name in only one of both.
 */
bool name_rekey(const struct build *b, uint32_t process, uint32_t number, uint64_t *key);
/* Sets the text to show, and, of a code address, the path of the object and the address in it. */
void name_fill(struct build *b, const struct build_name *name, char **text,
	       char **object, uint64_t *address, const char **unresolved);

#endif /* COROPROF_PROFILE_NAMES_H */
