/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ruby, as far as it is used: of 3.1 to 3.3. Nothing of Ruby is needed to build this.
 */
#ifndef RUBY_API_H
#define RUBY_API_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef uintptr_t VALUE;
typedef uintptr_t ID;

enum ruby_event {
	RUBY_THREAD_BEGIN = 0x0400,
	RUBY_FIBER_SWITCH = 0x1000,
};

typedef void ruby_listener(uint32_t event, VALUE data, VALUE self, ID method, VALUE class);

/* What an object is, in its flags: of a type written in C, or Ruby's own, such as code in Ruby. */
enum { RUBY_TYPE_BITS = 0x1f, RUBY_DATA = 0x0c, RUBY_OWN = 0x1a };
enum { RUBY_OWN_SHIFT = 12, RUBY_OWN_BITS = 0xf, RUBY_OWN_CODE = 7 };

struct ruby_type {
	const char *name;
	void (*mark)(void *data);
	void (*free)(void *data);
};

/* An object of a type written in C. The garbage collector moves it, but not its data. */
struct ruby_object {
	uintptr_t flags;
	VALUE class;
	const struct ruby_type *type;
	VALUE typed;	/* 1 */
	void *data;
};

/* What begins the data of a Proc, as far as is known: see name.c. */
struct ruby_block {
	union {
		struct {
			VALUE self;
			const VALUE *environment;
			VALUE code;
		};
		VALUE symbol;
		VALUE proc;
	};
	enum { BLOCK_RUBY, BLOCK_C, BLOCK_SYMBOL, BLOCK_PROC } kind;
};

enum { RUBY_CONTINUE };

/* A symbol that is no object. */
static inline bool ruby_is_static_symbol(VALUE value)
{
	return (value & 0xff) == 0x0c;
}

/*
 * None of these makes an object: where Ruby reports a switch its garbage collector must not run.
 */
struct ruby_api {
	const int *version;
	void (*add_event_hook)(ruby_listener *listener, uint32_t events, VALUE data);
	int (*remove_event_hook)(ruby_listener *listener);
	VALUE (*fiber_current)(void);
	VALUE (*fiber_alive_p)(VALUE fiber);
	/* Of the code that runs; NULL: none of Ruby does. */
	const char *(*sourcefile)(void);
	int (*sourceline)(void);
	ID (*frame_callee)(void);
	const char *(*id2name)(ID id);
	ID (*sym2id)(VALUE symbol);
	/* Of all variables of an instance; @each returns RUBY_CONTINUE. */
	void (*ivar_foreach)(VALUE object, int (*each)(ID, VALUE, uintptr_t), uintptr_t data);
	/*
	 * Calls @each with all that the object refers to: what its variables have, its class, then
	 * what its type marks, in order.
	 */
	void (*objspace_reachable_objects_from)(VALUE object, void (*each)(VALUE, void *),
						void *data);
	/* Of code in Ruby. */
	VALUE (*profile_frame_path)(VALUE code);
	VALUE (*profile_frame_first_lineno)(VALUE code);
	char *(*string_value_ptr)(volatile VALUE *string);
};

extern struct ruby_api ruby;

/* Finds them in the library that has @function. False if it is of another version. */
bool ruby_find(const void *function);

#pragma GCC visibility pop

#endif /* RUBY_API_H */
