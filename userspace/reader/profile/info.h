/* SPDX-License-Identifier: GPL-2.0 */
/* INFO, COUNTERS and END segments: what the recorder says of the recording as a whole. */
#ifndef COROPROF_PROFILE_INFO_H
#define COROPROF_PROFILE_INFO_H

#include <stddef.h>
#include <stdint.h>

struct build;
struct model;

/* Reads the keys and values of an INFO segment. */
void info_add(struct build *b, uint64_t offset, const char *payload,
	      size_t size);
/* Reads the counters that the session was asked for, from a COUNTERS segment. */
void info_counters(struct build *b, uint64_t offset, const void *payload,
		   size_t size);
/* Reads an END segment: the recording was ended in order, and how the program exited. */
void info_end(struct build *b, const void *payload, size_t size);
/* Sets the members of the model that are values of keys, once all segments are read. */
void info_finish(struct build *b);
/* The value of a key, or NULL. */
const char *info_value(const struct model *m, const char *key);
/*
 * Adds what the recorder could not read of rings to the table of damage, once channels are known.
 */
void info_truncated(struct build *b);

#endif /* COROPROF_PROFILE_INFO_H */
