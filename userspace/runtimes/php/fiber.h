/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PHP's fibers, as far as they are used: of 8.2 and 8.4. Nothing of PHP is needed to build
 * this.
 */
#ifndef PHP_FIBER_H
#define PHP_FIBER_H

#include <stdbool.h>
#include <stdint.h>

enum php_status { PHP_DEAD = 3 };

/* What is switched: a fiber's, or what a thread began with. */
struct php_context {
	void *handle;
	const void *kind;
	void *unused[3];
	enum php_status status;
};

struct php_string {
	uint64_t unused[3];
	char text[];
};

struct php_class {
	uint64_t unused;
	const struct php_string *name;
};

#define PHP_USER_FUNCTION 2
/* It stands for another, and is gone once that is called. */
#define PHP_TRAMPOLINE (1u << 18)

struct php_function {
	uint8_t type;
	uint8_t unused1[3];
	uint32_t flags;
	const struct php_string *name;
	const struct php_class *scope;
};

/* Where a function of PHP code is defined. */
struct php_place {
	const struct php_string *file;
	uint32_t line;
};

struct php_fiber {
	uint64_t unused1[8];
	struct php_context context;
	uint64_t unused2[17];
	const struct php_function *function;
};

/* Where a function has its place, by PHP_VERSION_ID / 100; 0 of versions that are not known. */
static inline uint32_t php_place_offset(int64_t version)
{
	return version == 802 ? 152 : version == 804 ? 168 : 0;
}

/* The same, of the PHP that runs. */
extern uint32_t php_place_at __attribute__((visibility("hidden")));

/* Of a fiber that has not ended; @late: it may have begun to run. */
uint32_t php_label(const struct php_fiber *fiber, bool late) __attribute__((visibility("hidden")));

#endif /* PHP_FIBER_H */
