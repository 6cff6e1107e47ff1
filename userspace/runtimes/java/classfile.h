/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts calls at the beginning of methods of a class file. */
#ifndef JAVA_CLASSFILE_H
#define JAVA_CLASSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct classfile_call - a call to be put at the beginning of methods that have an object
 * @method:    what those are called, or, unless @whole, what their names have in them
 * @whole:     see there
 * @name:      of the method that is called,
 * @signature: and its type: it takes @argument, if there is one, then the object, and returns
 *             nothing
 * @argument:  what is read of the object for it: a field, or what a method without arguments
 *             returns; the class itself has to use it somewhere, by that name and type
 * @guarded:   NULL: the method is native. Else the native method that it calls while the class's
 *             field CLASSFILE_GUARD is not 0; it does nothing else
 */
struct classfile_call {
	const char *method;
	bool whole;
	const char *name, *signature;
	struct classfile_member {
		const char *name, *type;
	} argument;
	const char *guarded;
};

#define CLASSFILE_GUARD "guard"

/**
 * struct classfile_calls - all of them
 * @class:     whose methods are called
 * @count:     how many there are in @calls, less than 32
 * @calls:     of several that a method fits, the first is put in
 */
struct classfile_calls {
	const char *class;
	uint32_t count;
	const struct classfile_call *calls;
};

/* A class grows by no more than this. */
size_t classfile_room(size_t size);

/*
 * Writes the class with the calls in it. Returns its size; 0 if this is no class, or one that
 * is not understood, or lacks a method or an argument for one of them.
 */
size_t classfile_insert(const struct classfile_calls *calls, const uint8_t *class, size_t size,
			uint8_t *to);

/* Writes the class that is called. Its texts and 512 bytes are enough. */
size_t classfile_make(const struct classfile_calls *calls, uint8_t *to);

/**
 * struct classfile_method - a method that constants of a class name
 * @class: the signature of its class, "Lorg/example/Server;"
 * @name:  of it
 * @type:  its signature
 */
struct classfile_method {
	char class[256];
	char name[256];
	char type[512];
};

/*
 * The nth of them, of the constants alone as a class has them, @count with one that is none. False:
 * there are no more, or it is longer than fits.
 */
bool classfile_method(const uint8_t *constants, size_t size, uint32_t count, uint32_t nth,
		      struct classfile_method *method);

#endif /* JAVA_CLASSFILE_H */
