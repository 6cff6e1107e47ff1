/* SPDX-License-Identifier: GPL-2.0 */
/* INFO, COUNTERS and END segments: what the recorder says of the recording as a whole. */
#ifndef COROPROF_PROFILE_INFO_H
#define COROPROF_PROFILE_INFO_H

#include <stddef.h>
#include <stdint.h>

struct build;
struct model;

/* Keys and values of an INFO segment. */
void info_add(struct build *b, uint64_t offset, const char *payload,
	      size_t size);
/* Counters of a COUNTERS segment, as the session was asked for them. */
void info_counters(struct build *b, uint64_t offset, const void *payload,
		   size_t size);
/* An END segment: the recording was ended in order, and how the program exited. */
void info_end(struct build *b, const void *payload, size_t size);
/* Once all segments are read: members of the model that are values of keys. */
void info_finish(struct build *b);
/* The value of a key, or NULL. */
const char *info_value(const struct model *m, const char *key);
/* Once channels are known: what the recorder could not read of their rings. */
void info_truncated(struct build *b);

#endif /* COROPROF_PROFILE_INFO_H */
