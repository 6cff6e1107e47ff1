/* SPDX-License-Identifier: GPL-2.0 */
/* Up to when slices, or spans, of a process may be missing. */
#ifndef COROPROF_PROFILE_LOSSES_H
#define COROPROF_PROFILE_LOSSES_H

#include <stdint.h>

struct build;

/* Slices of the process may be missing up to the time @until. */
void process_lost(struct build *b, uint32_t process, uint64_t until);
/* A thread of the process was not recorded for a while before @until, as far as that is known. */
void process_cut(struct build *b, uint32_t process, uint64_t until);
/*
 * Marks the time between two recordings of a thread as not seen, for recordings that began again up
 * to @time.
 */
void process_pass_restarts(struct build *b, uint32_t process, uint64_t time);
/* Spans of the process may be missing up to the time @until. */
void process_spans_lost(struct build *b, uint32_t process, uint64_t until);
/* A small number that stands for the time up to which spans were lost; 0 for none. */
uint32_t spans_lost_number(struct build *b, uint64_t lost_until);

#endif /* COROPROF_PROFILE_LOSSES_H */
