/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Erlang's interface for libraries (NIFs), as far as it is used. Nothing of Erlang is needed to
 * build this.
 */
#ifndef ERLANG_API_H
#define ERLANG_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Atoms and processes of this machine are their own numbers; others are addresses. */
typedef uintptr_t ERL_NIF_TERM;
typedef void ErlNifEnv;
typedef ERL_NIF_TERM erlang_nif(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]);

struct erlang_function {
	const char *name;
	unsigned int arity;
	erlang_nif *function;
	unsigned int flags;
};

/* As of NIF 2.15, OTP 22. */
struct erlang_library {
	int major, minor;
	const char *module;
	int nr_functions;
	struct erlang_function *functions;
	int (*load)(ErlNifEnv *env, void **data, ERL_NIF_TERM info);
	int (*reload)(ErlNifEnv *env, void **data, ERL_NIF_TERM info);
	int (*upgrade)(ErlNifEnv *env, void **data, void **old, ERL_NIF_TERM info);
	void (*unload)(ErlNifEnv *env, void *data);
	const char *variant;
	unsigned int options;
	size_t resource_size;
	const char *min_erts;
};

struct erlang_api {
	ERL_NIF_TERM (*make_atom)(ErlNifEnv *env, const char *name);
	int (*get_ulong)(ErlNifEnv *env, ERL_NIF_TERM term, unsigned long *value);
	int (*get_tuple)(ErlNifEnv *env, ERL_NIF_TERM tuple, int *arity,
			 const ERL_NIF_TERM **elements);
	int (*get_list_cell)(ErlNifEnv *env, ERL_NIF_TERM list, ERL_NIF_TERM *head,
			     ERL_NIF_TERM *tail);
	int (*get_list_length)(ErlNifEnv *env, ERL_NIF_TERM list, unsigned int *length);
	int (*get_map_value)(ErlNifEnv *env, ERL_NIF_TERM map, ERL_NIF_TERM key,
			     ERL_NIF_TERM *value);
	int (*is_fun)(ErlNifEnv *env, ERL_NIF_TERM term);
	int (*is_atom)(ErlNifEnv *env, ERL_NIF_TERM term);
	/* As snprintf(), with %T for a term. */
	int (*snprintf)(char *text, size_t room, const char *format, ...);
	ErlNifEnv *(*alloc_env)(void);
	ERL_NIF_TERM (*make_copy)(ErlNifEnv *env, ERL_NIF_TERM term);
};

extern struct erlang_api erlang;

/* What the adapter knows by name. */
enum erlang_atom {
	ATOM_TRACE, ATOM_DISCARD, ATOM_OK, ATOM_TRACE_STATUS, ATOM_EXTRA,
	ATOM_IN, ATOM_OUT, ATOM_IN_EXITING, ATOM_OUT_EXITING, ATOM_OUT_EXITED,
	ATOM_SPAWNED, ATOM_REGISTER,
	ATOM_ERLANG, ATOM_APPLY, ATOM_PROC_LIB, ATOM_INIT_P, ATOM_GEN, ATOM_INIT_IT,
	ATOMS
};

extern ERL_NIF_TERM erlang_atoms[ATOMS];

/* Finds all of it, in the program that runs. False if it isn't there. */
bool erlang_find(ErlNifEnv *env);

#pragma GCC visibility pop

#endif /* ERLANG_API_H */
