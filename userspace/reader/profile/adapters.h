/* SPDX-License-Identifier: GPL-2.0 */
/* Who reports the coroutines of a process. */
#ifndef COROPROF_PROFILE_ADAPTERS_H
#define COROPROF_PROFILE_ADAPTERS_H

#include <stdint.h>

struct build;
struct coroprof_record_label;

/*
 * Notes an adapter of a process, from the LABEL record in which it reports its name, and what it
 * does not see.
 */
void adapter_add(struct build *b, uint32_t process, const struct coroprof_record_label *r);
/* Sets by what coroutines of each process are reported. Called once channels are known. */
void adapters_finish(struct build *b);

#endif /* COROPROF_PROFILE_ADAPTERS_H */
