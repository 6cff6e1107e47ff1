// SPDX-License-Identifier: GPL-2.0
/* Work of a known number of instructions, for Erlang. */
#include "../../../userspace/runtimes/erlang/api.h"
#include "../../harness/rounds.h"

int enif_get_ulong(ErlNifEnv *env, ERL_NIF_TERM term, unsigned long *value);
struct erlang_library *nif_init(void);

static ERL_NIF_TERM spin(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	unsigned long count = 0;

	(void)argc;
	enif_get_ulong(env, argv[0], &count);
	rounds(count);
	return argv[0];
}

struct erlang_library *nif_init(void)
{
	static struct erlang_function functions[] = { { "spin", 1, spin, 0 } };
	static struct erlang_library library = {
		.major = 2, .minor = 15, .module = "known", .nr_functions = 1, .functions = functions,
		.variant = "beam.vanilla", .options = 1, .resource_size = 40, .min_erts = "erts-10.4",
	};

	return &library;
}
