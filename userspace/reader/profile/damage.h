/* SPDX-License-Identifier: GPL-2.0 */
/* What of a recording could not be read. */
#ifndef COROPROF_PROFILE_DAMAGE_H
#define COROPROF_PROFILE_DAMAGE_H

#include <stdint.h>

struct build;
struct error;
struct file_segment;

/* Adds a row to the table of damage. If @channel is not MODEL_NONE, that channel is damaged. */
void damage_add(struct build *b, uint64_t offset, uint32_t channel,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Notes that only the first @read records of a segment could be read. How many follow one whose
 * size is wrong is not known; the segment has their number up to that one.
 */
void segment_cut(struct build *b, const struct file_segment *segment, uint32_t read);

/* Notes that a segment can't be read: it is damage of its channel, if it has one. */
void segment_unread(struct build *b, const struct file_segment *segment,
		    uint32_t channel, const char *what, const struct error *err);

#endif /* COROPROF_PROFILE_DAMAGE_H */
