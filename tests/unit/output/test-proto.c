// SPDX-License-Identifier: GPL-2.0
/* Fields of Protocol Buffers, byte by byte. */
#include "gen/recording.h"
#include "output/export/proto.h"

static void assert_bytes(struct proto *p, const void *want, size_t size)
{
	assert_false(p->failed);
	assert_int_equal(p->bytes.size, size);
	assert_memory_equal(p->bytes.data, want, size);
	proto_free(p);
}

static void writes_numbers(void **state)
{
	struct proto p = { 0 };

	(void)state;
	proto_uint(&p, 1, 0);
	proto_uint(&p, 2, 127);
	proto_uint(&p, 15, 128);
	proto_uint(&p, 16, 300);
	assert_bytes(&p, "\x08\x00" "\x10\x7f" "\x78\x80\x01" "\x80\x01\xac\x02", 11);
	proto_uint(&p, 1, UINT64_MAX);
	assert_bytes(&p, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	proto_fixed64(&p, 3, 0x0102030405060708);
	assert_bytes(&p, "\x19\x08\x07\x06\x05\x04\x03\x02\x01", 9);
}

static void writes_messages_in_messages(void **state)
{
	struct proto p = { 0 }, inner = { 0 };

	(void)state;
	proto_text(&inner, 1, "ab");
	proto_message(&p, 2, &inner);
	assert_int_equal(inner.bytes.size, 0);
	proto_message(&p, 3, &inner);
	proto_packed(&inner, 1);
	proto_packed(&inner, 300);
	proto_message(&p, 4, &inner);
	assert_bytes(&p, "\x12\x04\x0a\x02" "ab" "\x1a\x00" "\x22\x03\x01\xac\x02", 13);
	proto_free(&inner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_numbers),
		cmocka_unit_test(writes_messages_in_messages),
	};

	return cmocka_run_group_tests_name("proto", tests, NULL, NULL);
}
