/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STRANGE_H
#define STRANGE_H

#include <stdint.h>

/* The call that was made last, and what it is to return. */
struct call {
	const char *name;
	uintptr_t arguments[6];
	uintptr_t result;
};

extern struct call call;

typedef uintptr_t word;

#define DECLARE(name) word name(word a, word b, word c, word d, word e, word f)
#define FUNCTION(function) \
	DECLARE(function); \
	DECLARE(function) \
	{ \
		word result = call.result; \
		call = (struct call){ #function, { a, b, c, d, e, f }, result }; \
		return result; \
	}

#endif /* STRANGE_H */
