// SPDX-License-Identifier: GPL-2.0
/*
 * Encodes fields of Protocol Buffers into a growing buffer. Lack of memory is noted in struct
 * proto, for the caller to check at the end.
 */
#include <string.h>

#include "output/export/proto.h"

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static void append_bytes(struct proto *p, const void *data, size_t size)
{
	struct error err = ERROR_NONE;

	if (buffer_append(&p->bytes, data, size, &err))
		p->failed = true;
}

void proto_packed(struct proto *p, uint64_t value)
{
	uint8_t bytes[10];
	size_t nr = 0;

	do {
		bytes[nr] = (uint8_t)(value & 0x7f);
		value >>= 7;
		if (value)
			bytes[nr] |= 0x80;
		nr++;
	} while (value);
	append_bytes(p, bytes, nr);
}

static void append_key(struct proto *p, uint32_t field, enum wire wire)
{
	proto_packed(p, (uint64_t)field << 3 | wire);
}

void proto_uint(struct proto *p, uint32_t field, uint64_t value)
{
	append_key(p, field, WIRE_VARINT);
	proto_packed(p, value);
}

void proto_fixed64(struct proto *p, uint32_t field, uint64_t value)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	append_key(p, field, WIRE_FIXED64);
	append_bytes(p, bytes, sizeof(bytes));
}

void proto_bytes(struct proto *p, uint32_t field, const void *data, size_t size)
{
	append_key(p, field, WIRE_BYTES);
	proto_packed(p, size);
	append_bytes(p, data, size);
}

void proto_text(struct proto *p, uint32_t field, const char *text)
{
	proto_bytes(p, field, text, strlen(text));
}

void proto_message(struct proto *p, uint32_t field, struct proto *inner)
{
	proto_bytes(p, field, inner->bytes.data, inner->bytes.size);
	p->failed |= inner->failed;
	inner->bytes.size = 0;
}

void proto_free(struct proto *p)
{
	buffer_free(&p->bytes);
}
