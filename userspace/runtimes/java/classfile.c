// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Class files, by the Java Virtual Machine Specification, chapter 4.
 *
 * What is put in takes four bytes, aload_0 and invokestatic with the number of a constant, or
 * eight: before these, the same of what gets the argument. As switches in the code are aligned to
 * four, all the rest stays as it is, and only what says where in the code something is has to be
 * moved.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../runtime.h"
#include "classfile.h"

#define INSERTED 4
#define INSERTED_MAX (2 * INSERTED)
#define ACC_STATIC 0x0008

enum constant {
	CONSTANT_UTF8 = 1, CONSTANT_INTEGER = 3, CONSTANT_FLOAT, CONSTANT_LONG, CONSTANT_DOUBLE,
	CONSTANT_CLASS, CONSTANT_STRING, CONSTANT_FIELD, CONSTANT_METHOD, CONSTANT_INTERFACE_METHOD,
	CONSTANT_NAME_AND_TYPE, CONSTANT_METHOD_HANDLE = 15, CONSTANT_METHOD_TYPE, CONSTANT_DYNAMIC,
	CONSTANT_INVOKE_DYNAMIC, CONSTANT_MODULE, CONSTANT_PACKAGE,
};

/**
 * struct copier - a class on its way
 * @at, @end:  what is still to be read
 * @to:        where the next byte is written
 * @constants: where each constant is in what is read
 * @count:     how many there are, and one
 * @class:     the number of the constant that is the class itself
 * @methods:   the number of the constant that the first call calls; METHOD_CONSTANTS on,
 *             the next
 * @calls:     what is put in
 * @used:      a bit for each that was
 * @inserted:  so many bytes were put into the method that is copied
 * @bad:       it ended too early: what is read from then on is 0
 */
struct copier {
	const uint8_t *at, *end;
	uint8_t *to;
	const uint8_t **constants;
	uint32_t count;
	uint32_t class, methods;
	const struct classfile_calls *calls;
	uint32_t used, inserted;
	bool bad;
};

static uint32_t peek(const uint8_t *at, int bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static void poke(uint8_t *to, uint32_t value, int bytes)
{
	while (bytes--)
		*to++ = (uint8_t)(value >> 8 * bytes);
}

/* Something to be read, or NULL. */
static const uint8_t *take(struct copier *c, size_t bytes)
{
	const uint8_t *at = c->at;

	if (c->bad || (size_t)(c->end - at) < bytes) {
		c->bad = true;
		return NULL;
	}
	c->at += bytes;
	return at;
}

static uint32_t get(struct copier *c, int bytes)
{
	const uint8_t *at = take(c, bytes);

	return at ? peek(at, bytes) : 0;
}

static void put(struct copier *c, uint32_t value, int bytes)
{
	poke(c->to, value, bytes);
	c->to += bytes;
}

static void copy(struct copier *c, size_t bytes)
{
	const uint8_t *at = take(c, bytes);

	if (!at)
		return;
	memcpy(c->to, at, bytes);
	c->to += bytes;
}

/* Copied, and known. */
static uint32_t pass(struct copier *c, int bytes)
{
	uint32_t value = get(c, bytes);

	put(c, value, bytes);
	return value;
}

/* Bytes of a constant after its tag; of text, after its length. -1: there is no such tag. */
static int constant_size(enum constant tag)
{
	switch (tag) {
	case CONSTANT_UTF8:
		return 2;
	case CONSTANT_INTEGER:
	case CONSTANT_FLOAT:
	case CONSTANT_FIELD:
	case CONSTANT_METHOD:
	case CONSTANT_INTERFACE_METHOD:
	case CONSTANT_NAME_AND_TYPE:
	case CONSTANT_DYNAMIC:
	case CONSTANT_INVOKE_DYNAMIC:
		return 4;
	case CONSTANT_LONG:
	case CONSTANT_DOUBLE:
		return 8;
	case CONSTANT_CLASS:
	case CONSTANT_STRING:
	case CONSTANT_METHOD_TYPE:
	case CONSTANT_MODULE:
	case CONSTANT_PACKAGE:
		return 2;
	case CONSTANT_METHOD_HANDLE:
		return 3;
	}
	return -1;
}

/* Returns how many numbers it takes. */
static uint32_t pass_constant(struct copier *c)
{
	uint32_t tag = pass(c, 1);
	int size = constant_size(tag);

	if (size < 0) {
		c->bad = true;
		return 1;
	}
	if (tag == CONSTANT_UTF8)
		copy(c, pass(c, 2));
	else
		copy(c, size);
	return tag == CONSTANT_LONG || tag == CONSTANT_DOUBLE ? 2 : 1;
}

static void put_text(struct copier *c, const char *text)
{
	size_t len = strlen(text);

	put(c, CONSTANT_UTF8, 1);
	put(c, len, 2);
	memcpy(c->to, text, len);
	c->to += len;
}

static void put_pair(struct copier *c, enum constant tag, uint32_t first, uint32_t second)
{
	put(c, tag, 1);
	put(c, first, 2);
	put(c, second, 2);
}

/* What calls refer to: all of them, and each. */
#define CLASS_CONSTANTS 2
#define METHOD_CONSTANTS 4

static void put_class(struct copier *c, const char *name, uint32_t at)
{
	put_text(c, name);
	put(c, CONSTANT_CLASS, 1);
	put(c, at, 2);
}

/* The last of them is the method's, the first has the number @at. */
static void put_method(struct copier *c, uint32_t class, const char *name, const char *signature,
		       uint32_t at)
{
	put_text(c, name);
	put_text(c, signature);
	put_pair(c, CONSTANT_NAME_AND_TYPE, at, at + 1);
	put_pair(c, CONSTANT_METHOD, class, at + 2);
}

static void put_constants(struct copier *c)
{
	uint32_t class = c->count + 1, at = c->count + CLASS_CONSTANTS;

	put_class(c, c->calls->class, c->count);
	c->methods = at + METHOD_CONSTANTS - 1;
	for (uint32_t i = 0; i < c->calls->count; i++, at += METHOD_CONSTANTS)
		put_method(c, class, c->calls->calls[i].name, c->calls->calls[i].signature, at);
}

static void pass_constants(struct copier *c)
{
	uint32_t more = CLASS_CONSTANTS + METHOD_CONSTANTS * c->calls->count;
	uint8_t *count = c->to;

	c->count = pass(c, 2);
	c->constants = calloc(c->count, sizeof(*c->constants));
	if (!c->constants || c->count + more > UINT16_MAX) {
		c->bad = true;
		return;
	}
	poke(count, c->count + more, 2);
	for (uint32_t i = 1; i < c->count && !c->bad; ) {
		c->constants[i] = c->at;
		i += pass_constant(c);
	}
	put_constants(c);
}

/* Whether a text among the constants has this in it, or, if @whole, is this. */
static bool is_text(const struct copier *c, uint32_t number, const char *text, bool whole)
{
	const uint8_t *at = number && number < c->count ? c->constants[number] : NULL;
	size_t len = strlen(text), has;

	if (!at || *at != CONSTANT_UTF8)
		return false;
	has = peek(at + 1, 2);
	return whole ? has == len && !memcmp(at + 3, text, len) :
		       memmem(at + 3, has, text, len) != NULL;
}

/* Which call a method of that name is to make; -1: none. */
static int call_for(const struct copier *c, uint32_t name)
{
	for (uint32_t i = 0; i < c->calls->count; i++) {
		if (is_text(c, name, c->calls->calls[i].method, c->calls->calls[i].whole))
			return (int)i;
	}
	return -1;
}

/* The number of the constant that the class has for a member of its own; 0: it has none. */
static uint32_t member_of(const struct copier *c, enum constant tag, struct classfile_member member)
{
	for (uint32_t i = 1; i < c->count; i++) {
		const uint8_t *at = c->constants[i], *pair;
		uint32_t number;

		if (!at || *at != tag || peek(at + 1, 2) != c->class)
			continue;
		number = peek(at + 3, 2);
		pair = number < c->count ? c->constants[number] : NULL;
		if (pair && *pair == CONSTANT_NAME_AND_TYPE &&
		    is_text(c, peek(pair + 1, 2), member.name, true) &&
		    is_text(c, peek(pair + 3, 2), member.type, true))
			return i;
	}
	return 0;
}

static void pass_attribute(struct copier *c)
{
	pass(c, 2);
	copy(c, pass(c, 4));
}

static void pass_attributes(struct copier *c)
{
	for (uint32_t n = pass(c, 2); n && !c->bad; n--)
		pass_attribute(c);
}

static void pass_moved(struct copier *c)
{
	put(c, get(c, 2) + c->inserted, 2);
}

static void pass_exceptions(struct copier *c)
{
	for (uint32_t n = pass(c, 2); n && !c->bad; n--) {
		for (int i = 0; i < 3; i++)
			pass_moved(c);
		pass(c, 2);
	}
}

/* What begins each entry is moved. The line that the code begins with begins with the call. */
static void pass_table(struct copier *c, size_t rest, bool lines)
{
	for (uint32_t n = pass(c, 2); n && !c->bad; n--) {
		uint32_t begin = get(c, 2);

		put(c, lines && !begin ? 0 : begin + c->inserted, 2);
		copy(c, rest);
	}
}

#define SAME_MAX 63
#define SAME_WITH_ONE_MAX 127
#define SAME_WITH_ONE_FAR 247
#define SAME_FAR 251

/* Frames say how far each is from the one before: the first from the beginning. */
static void pass_first_frame(struct copier *c)
{
	uint32_t type = get(c, 1), moved = type + c->inserted;

	if (type > SAME_WITH_ONE_MAX) {
		put(c, type, 1);
		pass_moved(c);
	} else if (moved <= SAME_MAX || (type > SAME_MAX && moved <= SAME_WITH_ONE_MAX)) {
		put(c, moved, 1);
	} else {
		put(c, type > SAME_MAX ? SAME_WITH_ONE_FAR : SAME_FAR, 1);
		put(c, type > SAME_MAX ? moved - SAME_MAX - 1 : moved, 2);
	}
}

static void pass_code_attribute(struct copier *c)
{
	uint32_t name = pass(c, 2), size = get(c, 4);
	const uint8_t *end = c->at + size;
	uint8_t *begin = c->to + 4;

	c->to = begin;
	if (c->bad || (size_t)(c->end - c->at) < size) {
		c->bad = true;
		return;
	}
	if (is_text(c, name, "StackMapTable", true) && pass(c, 2))
		pass_first_frame(c);
	else if (is_text(c, name, "LineNumberTable", true))
		pass_table(c, 2, true);
	else if (is_text(c, name, "LocalVariableTable", true) ||
		 is_text(c, name, "LocalVariableTypeTable", true))
		pass_table(c, 8, false);
	if (end < c->at)
		c->bad = true;
	else
		copy(c, end - c->at);
	poke(begin - 4, c->to - begin, 4);
}

enum { ALOAD_0 = 0x2a, IFEQ = 0x99, RETURN = 0xb1, GETSTATIC, GETFIELD = 0xb4, INVOKEVIRTUAL = 0xb6,
	INVOKESTATIC = 0xb8 };

static void put_code(struct copier *c, uint32_t code, uint32_t number)
{
	put(c, code, 1);
	put(c, number, 2);
}

static void put_call(struct copier *c, int call)
{
	struct classfile_member argument = c->calls->calls[call].argument;

	if (argument.name) {
		bool method = *argument.type == '(';
		uint32_t number = member_of(c, method ? CONSTANT_METHOD : CONSTANT_FIELD, argument);

		c->bad |= !number;
		put(c, ALOAD_0, 1);
		put_code(c, method ? INVOKEVIRTUAL : GETFIELD, number);
	}
	put(c, ALOAD_0, 1);
	put_code(c, INVOKESTATIC, c->methods + METHOD_CONSTANTS * call);
	c->used |= 1u << call;
}

/* The object, and before it the argument, which may take two. */
#define STACK 3

static void pass_code(struct copier *c, int call)
{
	uint8_t *begin = c->to + 4;
	uint32_t stack, size;

	c->inserted = c->calls->calls[call].argument.name ? 2 * INSERTED : INSERTED;
	get(c, 4);
	c->to = begin;
	stack = get(c, 2);
	put(c, stack > STACK ? stack : STACK, 2);
	pass(c, 2);
	size = get(c, 4);
	if (size > UINT16_MAX - INSERTED_MAX)
		c->bad = true;
	put(c, size + c->inserted, 4);
	put_call(c, call);
	copy(c, size);
	pass_exceptions(c);
	for (uint32_t n = pass(c, 2); n && !c->bad; n--)
		pass_code_attribute(c);
	poke(begin - 4, c->to - begin, 4);
}

/* Whether what comes next is called so. */
static bool comes(const struct copier *c, const char *name)
{
	return c->end - c->at >= 2 && is_text(c, peek(c->at, 2), name, true);
}

static void pass_member_attribute(struct copier *c, int call)
{
	if (call < 0 || !comes(c, "Code")) {
		pass_attribute(c);
		return;
	}
	pass(c, 2);
	pass_code(c, call);
}

/* Fields, or methods. */
static void pass_members(struct copier *c, bool methods)
{
	for (uint32_t n = pass(c, 2); n && !c->bad; n--) {
		bool is_static = pass(c, 2) & ACC_STATIC;
		uint32_t name = pass(c, 2);
		int call = methods && !is_static ? call_for(c, name) : -1;

		pass(c, 2);
		for (uint32_t i = pass(c, 2); i && !c->bad; i--)
			pass_member_attribute(c, call);
	}
}

#define MAGIC 0xcafebabe

size_t classfile_insert(const struct classfile_calls *calls, const uint8_t *class, size_t size,
			uint8_t *to)
{
	struct copier c = { .at = class, .end = class + size, .to = to, .calls = calls };

	if (pass(&c, 4) != MAGIC)
		return 0;
	pass(&c, 4);
	pass_constants(&c);
	pass(&c, 2);
	c.class = pass(&c, 2);
	pass(&c, 2);
	copy(&c, 2 * pass(&c, 2));
	pass_members(&c, false);
	pass_members(&c, true);
	pass_attributes(&c);
	free(c.constants);
	return c.bad || c.at != c.end || c.used != (1u << calls->count) - 1 ? 0 : c.to - to;
}

/* At most ten bytes for each method, whose own are more, and the new constants. */
size_t classfile_room(size_t size)
{
	return 2 * size + 1024;
}

#define ACC_PUBLIC_FINAL_SUPER 0x0031
#define ACC_PUBLIC_STATIC 0x0009
#define ACC_PUBLIC_STATIC_NATIVE 0x0109
/* Java 8: later ones have nothing that is needed. */
#define VERSION 52

/* Constants of the class that is called; those of its methods come after them. */
enum { MADE_TEXT = 1, MADE, OBJECT_TEXT, OBJECT, CODE_TEXT, FRAMES_TEXT, GUARD_TEXT, INT_TEXT,
	GUARD_PAIR, GUARD, MADE_METHODS };
/* Of each method: its name, and what it calls, or itself. */
#define MADE_METHOD_CONSTANTS (1 + METHOD_CONSTANTS)

static void make_constants(struct copier *c)
{
	uint32_t at = MADE_METHODS;

	put_class(c, c->calls->class, MADE_TEXT);
	put_class(c, "java/lang/Object", OBJECT_TEXT);
	put_text(c, "Code");
	put_text(c, "StackMapTable");
	put_text(c, CLASSFILE_GUARD);
	put_text(c, "I");
	put_pair(c, CONSTANT_NAME_AND_TYPE, GUARD_TEXT, INT_TEXT);
	put_pair(c, CONSTANT_FIELD, MADE, GUARD_PAIR);
	for (uint32_t i = 0; i < c->calls->count; i++, at += MADE_METHOD_CONSTANTS) {
		const struct classfile_call *call = &c->calls->calls[i];

		put_text(c, call->name);
		put_method(c, MADE, call->guarded ? call->guarded : call->name, call->signature,
			   at + 1);
	}
}

/* if (guard != 0) NATIVE(object); */
static void make_guarded(struct copier *c, uint32_t name, uint32_t signature, uint32_t native)
{
	put(c, ACC_PUBLIC_STATIC, 2);
	put(c, name, 2);
	put(c, signature, 2);
	put(c, 1, 2);
	put(c, CODE_TEXT, 2);
	put(c, 32, 4);
	put(c, 1, 2);
	put(c, 1, 2);
	put(c, 11, 4);
	put_code(c, GETSTATIC, GUARD);
	put_code(c, IFEQ, 7);
	put(c, ALOAD_0, 1);
	put_code(c, INVOKESTATIC, native);
	put(c, RETURN, 1);
	put(c, 0, 2);
	/* One frame, where it returns: as at the beginning. */
	put(c, 1, 2);
	put(c, FRAMES_TEXT, 2);
	put(c, 3, 4);
	put(c, 1, 2);
	put(c, 10, 1);
}

static void make_methods(struct copier *c)
{
	uint32_t at = MADE_METHODS, count = c->calls->count;
	uint8_t *counted = c->to;

	put(c, 0, 2);
	for (uint32_t i = 0; i < c->calls->count; i++, at += MADE_METHOD_CONSTANTS) {
		put(c, ACC_PUBLIC_STATIC_NATIVE, 2);
		put(c, at + 1, 2);
		put(c, at + 2, 2);
		put(c, 0, 2);
		if (c->calls->calls[i].guarded) {
			make_guarded(c, at, at + 2, at + 4);
			count++;
		}
	}
	poke(counted, count, 2);
}

size_t classfile_make(const struct classfile_calls *calls, uint8_t *to)
{
	struct copier c = { .to = to, .calls = calls };

	put(&c, MAGIC, 4);
	put(&c, VERSION, 4);
	put(&c, MADE_METHODS + MADE_METHOD_CONSTANTS * calls->count, 2);
	make_constants(&c);
	put(&c, ACC_PUBLIC_FINAL_SUPER, 2);
	put(&c, MADE, 2);
	put(&c, OBJECT, 2);
	/* No interfaces, and one field. */
	put(&c, 0, 2);
	put(&c, 1, 2);
	put(&c, ACC_PUBLIC_STATIC, 2);
	put(&c, GUARD_TEXT, 2);
	put(&c, INT_TEXT, 2);
	put(&c, 0, 2);
	make_methods(&c);
	put(&c, 0, 2);
	return c.to - to;
}

/* ---- constants alone */

/* The constant of that number and tag, behind the tag; or NULL. They stand one behind the other. */
static const uint8_t *constant_of(const uint8_t *at, size_t size, uint32_t count, uint32_t number,
				  enum constant tag)
{
	const uint8_t *end = at + size;
	int bytes;

	for (uint32_t n = 1; n < count && at < end; n++) {
		enum constant its = *at++;

		bytes = constant_size(its);
		if (bytes < 0 || end - at < bytes)
			return NULL;
		if (its == CONSTANT_UTF8)
			bytes += (int)peek(at, 2);
		if (end - at < bytes)
			return NULL;
		if (n == number)
			return its == tag ? at : NULL;
		/* These have two numbers. */
		n += its == CONSTANT_LONG || its == CONSTANT_DOUBLE;
		at += bytes;
	}
	return NULL;
}

/**
 * struct pool - constants, as the arguments of classfile_method() are
 */
struct pool {
	const uint8_t *bytes;
	size_t size;
	uint32_t count;
};

static const uint8_t *constant_in(const struct pool *p, uint32_t number, enum constant tag)
{
	return constant_of(p->bytes, p->size, p->count, number, tag);
}

/* Between two texts. */
static bool copy_text(const struct pool *p, uint32_t number, char *to, size_t room,
		      const char *before, const char *behind)
{
	const uint8_t *text = constant_in(p, number, CONSTANT_UTF8);
	int len = text ? snprintf(to, room, "%s%.*s%s", before, (int)peek(text, 2),
				  (const char *)text + 2, behind) : -1;

	return len >= 0 && (size_t)len < room;
}

static bool copy_method(const struct pool *p, const uint8_t *at, struct classfile_method *m)
{
	const uint8_t *class = constant_in(p, peek(at, 2), CONSTANT_CLASS);
	const uint8_t *name = constant_in(p, peek(at + 2, 2), CONSTANT_NAME_AND_TYPE);

	return class && name &&
	       copy_text(p, peek(class, 2), m->class, sizeof(m->class), "L", ";") &&
	       copy_text(p, peek(name, 2), m->name, sizeof(m->name), "", "") &&
	       copy_text(p, peek(name + 2, 2), m->type, sizeof(m->type), "", "");
}

bool classfile_method(const uint8_t *constants, size_t size, uint32_t count, uint32_t nth,
		      struct classfile_method *method)
{
	const struct pool pool = { constants, size, count };
	const uint8_t *at;

	for (uint32_t n = 1; n < count; n++) {
		at = constant_in(&pool, n, CONSTANT_METHOD);
		if (!at)
			at = constant_in(&pool, n, CONSTANT_INTERFACE_METHOD);
		if (at && !nth--)
			return copy_method(&pool, at, method);
	}
	return false;
}
