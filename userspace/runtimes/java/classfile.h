/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JAVA_CLASSFILE_H
#define JAVA_CLASSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct classfile_call - a call to be put at the beginning of methods
 * @methods:   of those whose name has this in it, and that have an object
 * @class:     whose method is called,
 * @name:      what that is called,
 * @signature: and its type: it takes the object, and returns nothing
 */
struct classfile_call {
	const char *methods;
	const char *class, *name, *signature;
};

/* A class grows by no more than this. */
size_t classfile_room(size_t size);

/*
 * Writes the class with the calls in it. Returns its size; 0 if this is no class, or one that
 * is not understood.
 */
size_t classfile_insert(const struct classfile_call *call, const uint8_t *class, size_t size,
			uint8_t *to);

/* Writes the class that is called, whose method is native. Its texts and 256 bytes are enough. */
size_t classfile_make(const struct classfile_call *call, uint8_t *to);

#endif /* JAVA_CLASSFILE_H */
