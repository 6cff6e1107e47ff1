// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the functions of Erlang's native interface in the emulator. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "api.h"

struct erlang_api erlang;
ERL_NIF_TERM erlang_atoms[ATOMS];

static const struct {
	const char *name;
	size_t offset;
} wanted[] = {
#define WANTED(name) { "enif_" #name, offsetof(struct erlang_api, name) }
	WANTED(make_atom), WANTED(get_ulong), WANTED(get_tuple), WANTED(get_list_cell),
	WANTED(get_list_length), WANTED(get_map_value), WANTED(is_fun), WANTED(is_atom),
	WANTED(snprintf), WANTED(alloc_env), WANTED(make_copy),
};

static const char *const names[ATOMS] = {
	[ATOM_TRACE] = "trace", [ATOM_DISCARD] = "discard", [ATOM_OK] = "ok",
	[ATOM_TRACE_STATUS] = "trace_status", [ATOM_EXTRA] = "extra",
	[ATOM_IN] = "in", [ATOM_OUT] = "out", [ATOM_IN_EXITING] = "in_exiting",
	[ATOM_OUT_EXITING] = "out_exiting", [ATOM_OUT_EXITED] = "out_exited",
	[ATOM_SPAWNED] = "spawned", [ATOM_REGISTER] = "register",
	[ATOM_ERLANG] = "erlang", [ATOM_APPLY] = "apply", [ATOM_PROC_LIB] = "proc_lib",
	[ATOM_INIT_P] = "init_p", [ATOM_GEN] = "gen", [ATOM_INIT_IT] = "init_it",
};

bool erlang_find(ErlNifEnv *env)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *found = dlsym(RTLD_DEFAULT, wanted[i].name);

		if (!found)
			return false;
		*(void **)((char *)&erlang + wanted[i].offset) = found;
	}
	for (int i = 0; i < ATOMS; i++)
		erlang_atoms[i] = erlang.make_atom(env, names[i]);
	return true;
}
