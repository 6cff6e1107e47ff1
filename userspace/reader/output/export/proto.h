/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes messages of Protocol Buffers: fields, one behind the other. A message
 * within a message is written on its own and then put into the outer one.
 */
#ifndef COROPROF_PROTO_H
#define COROPROF_PROTO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

/**
 * struct proto - a message
 * @bytes:  its fields; or the numbers of a packed field
 * @failed: there was no memory for some of them
 */
struct proto {
	struct buffer bytes;
	bool failed;
};

void proto_uint(struct proto *p, uint32_t field, uint64_t value);
void proto_fixed64(struct proto *p, uint32_t field, uint64_t value);
void proto_bytes(struct proto *p, uint32_t field, const void *data, size_t size);
void proto_text(struct proto *p, uint32_t field, const char *text);
/* Appends @inner as a field, and empties it for the next message. */
void proto_message(struct proto *p, uint32_t field, struct proto *inner);
/* Appends a number of a packed field: @p holds nothing but such numbers. */
void proto_packed(struct proto *p, uint64_t value);
void proto_free(struct proto *p);

#endif /* COROPROF_PROTO_H */
