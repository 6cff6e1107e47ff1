/* SPDX-License-Identifier: GPL-2.0 */
/* What of a recording could not be read. */
#ifndef COROPROF_PROFILE_DAMAGE_H
#define COROPROF_PROFILE_DAMAGE_H

#include <stdint.h>

struct build;
struct error;
struct file_segment;

/* Notes it for the table of damage; @channel, or MODEL_NONE, has some then. */
void damage_add(struct build *b, uint64_t offset, uint32_t channel,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Of a segment so many records were read, and no more can be. It is not known how many are behind
 * one whose size is wrong: the segment counts those up to it.
 */
void segment_cut(struct build *b, const struct file_segment *segment, uint32_t read);

/* A segment can't be read: it counts as damage of the channel, if it has one. */
void segment_unread(struct build *b, const struct file_segment *segment,
		    uint32_t channel, const char *what, const struct error *err);

#endif /* COROPROF_PROFILE_DAMAGE_H */
