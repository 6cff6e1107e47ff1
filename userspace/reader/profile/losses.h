/* SPDX-License-Identifier: GPL-2.0 */
/* Up to when slices, or spans, of a process may be missing. */
#ifndef COROPROF_PROFILE_LOSSES_H
#define COROPROF_PROFILE_LOSSES_H

#include <stdint.h>

struct build;

/* From now on slices of this process may be missing up to this time. */
void process_lost(struct build *b, uint32_t process, uint64_t until);
/* A thread of it was not recorded for a while up to this time, as far as that is known. */
void process_cut(struct build *b, uint32_t process, uint64_t until);
/* What happened between two recordings of a thread was not seen. */
void process_pass_restarts(struct build *b, uint32_t process, uint64_t time);
/* From now on spans of this process may be missing up to this time. */
void process_spans_lost(struct build *b, uint32_t process, uint64_t until);
/* A small number for each time up to which spans were lost. */
uint32_t spans_lost_number(struct build *b, uint64_t lost_until);

#endif /* COROPROF_PROFILE_LOSSES_H */
