// SPDX-License-Identifier: GPL-2.0
/* Classes that Java's adapter changes: those that it does not understand it leaves alone. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "java/classfile.h"

static const struct classfile_call one = {
	.method = "main", .whole = true, .name = "called", .signature = "(Ljava/lang/Object;)V",
};
static const struct classfile_calls calls = { .class = "a/Called", .count = 1, .calls = &one };
/* The same, with a field of the object. */
static const struct classfile_call given = {
	.method = "main", .whole = true, .name = "called", .signature = "(ILjava/lang/Object;)V", .argument = { "n", "I" },
};

/* class Plain { int n; void main() { if (n > 0) n = 0; } }: its code has a frame, 10 bytes from its beginning. */
static const uint8_t plain[] = {
	0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 14,
	1, 0, 5, 'P', 'l', 'a', 'i', 'n', 7, 0, 1,
	1, 0, 16, 'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g', '/', 'O', 'b', 'j', 'e', 'c', 't', 7, 0, 3,
	1, 0, 1, 'n', 1, 0, 1, 'I', 12, 0, 5, 0, 6, 9, 0, 2, 0, 7,
	1, 0, 4, 'm', 'a', 'i', 'n', 1, 0, 3, '(', ')', 'V', 1, 0, 4, 'C', 'o', 'd', 'e',
	1, 0, 13, 'S', 't', 'a', 'c', 'k', 'M', 'a', 'p', 'T', 'a', 'b', 'l', 'e',
	1, 0, 15, 'L', 'i', 'n', 'e', 'N', 'u', 'm', 'b', 'e', 'r', 'T', 'a', 'b', 'l', 'e',
	0, 0x20, 0, 2, 0, 4, 0, 0,
	0, 1, 0, 0, 0, 5, 0, 6, 0, 0,
	0, 1, 0, 0, 0, 9, 0, 10, 0, 1,
	0, 11, 0, 0, 0, 44, 0, 2, 0, 1, 0, 0, 0, 13,
	0x2a, 0xb4, 0, 8, 0x9e, 0, 8, 0x2a, 0x03, 0xb5, 0, 8, 0xb1,
	0, 0, 0, 2,
	0, 12, 0, 0, 0, 3, 0, 1, 12,
	0, 13, 0, 0, 0, 10, 0, 2, 0, 0, 0, 1, 0, 7, 0, 2,
	0, 0,
};

static uint8_t to[4096];

static const uint8_t *find(size_t size, const char *what, size_t len)
{
	return memmem(to, size, what, len);
}

#define HAS(size, bytes) (find(size, bytes, sizeof(bytes) - 1) != NULL)

static void inserted(void)
{
	size_t size = classfile_insert(&calls, plain, sizeof(plain), to);

	ok(size > sizeof(plain) && size <= classfile_room(sizeof(plain)), "a method gets a call");
	/* 14 constants were there, and six are new: the last is called. */
	ok(HAS(size, "\0\0\0\x11\x2a\xb8\0\x13\x2a\xb4"),
	   "the call comes first in its method, and the code is longer by it");
	ok(HAS(size, "\0\0\0\x03\0\x01\x10"), "a frame is as much farther from the beginning");
	ok(HAS(size, "\0\x02\0\0\0\x01\0\x0b\0\x02"),
	   "a line is as much farther from the beginning, but for the first");
}

static void with_argument(void)
{
	struct classfile_calls with = calls;
	size_t size;

	with.calls = &given;
	size = classfile_insert(&with, plain, sizeof(plain), to);
	/* The class's own constant for its field is the eighth. */
	ok(HAS(size, "\0\0\0\x15\x2a\xb4\0\x08\x2a\xb8\0\x13\x2a\xb4"), "a field of the object is read for it");
	ok(HAS(size, "\0\0\0\x03\0\x01\x14"), "a frame is farther from the beginning by both");
}

static void lacks_argument(const char *what, struct classfile_member argument)
{
	struct classfile_call call = given;
	struct classfile_calls with = calls;

	with.calls = &call;
	call.argument = argument;
	ok(classfile_insert(&with, plain, sizeof(plain), to) == 0, "a class without %s is left alone", what);
}

static void refused(void)
{
	const struct classfile_call other = {
		.method = "others", .whole = true, .name = "called", .signature = "(Ljava/lang/Object;)V",
	};
	struct classfile_calls without = calls;
	uint8_t bytes[sizeof(plain)];
	size_t accepted = 0;

	without.calls = &other;
	ok(classfile_insert(&without, plain, sizeof(plain), to) == 0,
	   "a class without the method is left alone");
	lacks_argument("the field", (struct classfile_member){ "m", "I" });
	lacks_argument("a field of that type", (struct classfile_member){ "n", "J" });
	lacks_argument("the method that gets it", (struct classfile_member){ "n", "()I" });
	for (size_t size = 0; size < sizeof(plain); size++)
		accepted += classfile_insert(&calls, plain, size, to) != 0;
	ok(accepted == 0, "a class that ends too early, anywhere, is left alone");
	for (size_t i = 0; i < sizeof(plain); i++) {
		memcpy(bytes, plain, sizeof(plain));
		bytes[i] ^= 0xff;
		accepted = classfile_insert(&calls, bytes, sizeof(bytes), to);
		if (accepted > classfile_room(sizeof(plain)))
			break;
	}
	ok(accepted <= classfile_room(sizeof(plain)),
	   "no class grows by more than is said, whatever is in it");
}

/* Constants alone: of a class, a number of 64 bits, which counts twice, and a method of that class. */
static const uint8_t constants[] = {
	1, 0, 3, 'M', 'i', 'x', 7, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 1,
	1, 0, 4, 'w', 'o', 'r', 'k', 1, 0, 3, '(', ')', 'V', 12, 0, 5, 0, 6, 10, 0, 2, 0, 7,
};
#define CONSTANTS 9

static void methods(void)
{
	struct classfile_method method;
	uint8_t *cut = malloc(sizeof(constants));
	unsigned int found = 0;

	ok(classfile_method(constants, sizeof(constants), CONSTANTS, 0, &method) &&
	   !strcmp(method.class, "LMix;") && !strcmp(method.name, "work") &&
	   !strcmp(method.type, "()V"), "a method is found among constants");
	ok(!classfile_method(constants, sizeof(constants), CONSTANTS, 1, &method),
	   "and no more than there are");
	for (size_t size = 0; size < sizeof(constants); size++) {
		/* So that what is behind them is another's. */
		cut = realloc(cut, size + 1);
		memcpy(cut, constants, size);
		found += classfile_method(cut, size, CONSTANTS, 0, &method);
	}
	free(cut);
	ok(!found, "none is found in constants that are cut short");
}

int main(void)
{
	inserted();
	with_argument();
	refused();
	methods();
	return tap_done();
}
