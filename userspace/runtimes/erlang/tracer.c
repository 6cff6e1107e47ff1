// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What coroprof_erlang.erl calls, and Erlang of its tracer: when a process begins, on the thread
 * of its parent; when a thread (a scheduler) goes on with one, and leaves it; when it ends.
 */
#include "processes.h"

static ERL_NIF_TERM atom(enum erlang_atom atom)
{
	return erlang_atoms[atom];
}

static void goes_on(ERL_NIF_TERM pid)
{
	runtime_switch(process_run(pid)->co);
}

/*
 * Whether trace() is to be called for an event. Of a switch all is known here already: so it is
 * reported here, once for each, and not told again. Only while somebody records, or where a
 * recording left a process running.
 */
static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ERL_NIF_TERM tag = argv[0];
	bool wanted = false;

	(void)env, (void)argc;
	if (tag == atom(ATOM_IN) || tag == atom(ATOM_IN_EXITING)) {
		if (runtime_recorded())
			goes_on(argv[2]);
	} else if (tag == atom(ATOM_OUT) || tag == atom(ATOM_OUT_EXITING)) {
		if (runtime_current != COROPROF_THREAD)
			runtime_switch(COROPROF_THREAD);
	} else {
		wanted = tag == atom(ATOM_OUT_EXITED) || tag == atom(ATOM_SPAWNED) ||
			 tag == atom(ATOM_REGISTER) || tag == atom(ATOM_TRACE_STATUS);
	}
	return wanted ? atom(ATOM_TRACE) : atom(ATOM_DISCARD);
}

static void spawned(ErlNifEnv *env, ERL_NIF_TERM pid, ERL_NIF_TERM parent, ERL_NIF_TERM options)
{
	struct process *creator = process_find(parent);
	ERL_NIF_TERM call = 0;

	erlang.get_map_value(env, options, atom(ATOM_EXTRA), &call);
	process_new(pid, process_label(env, call), creator ? creator->co : COROPROF_THREAD);
}

static uint32_t label_of_name(ERL_NIF_TERM name)
{
	char text[256];

	erlang.snprintf(text, sizeof(text), "%T", name);
	return coroprof_label(text);
}

static void registered(ERL_NIF_TERM pid, ERL_NIF_TERM name)
{
	process_rename(pid, label_of_name(name));
}

/* The thread has left it, also if it was thought to be gone before. */
static void ended(ERL_NIF_TERM pid)
{
	process_end(pid);
	if (runtime_current != COROPROF_THREAD)
		runtime_switch(COROPROF_THREAD);
}

/* trace(tag, state, tracee, term, options) */
static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ERL_NIF_TERM tag = argv[0], pid = argv[2];

	(void)argc;
	if (tag == atom(ATOM_SPAWNED))
		spawned(env, pid, argv[3], argv[4]);
	else if (tag == atom(ATOM_REGISTER))
		registered(pid, argv[3]);
	else if (tag == atom(ATOM_OUT_EXITED))
		ended(pid);
	return atom(ATOM_OK);
}

/* known(pid, name or call): of a process that was there before. */
static ERL_NIF_TERM known(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	uint32_t label = erlang.is_atom(env, argv[1]) ? label_of_name(argv[1]) :
							process_label(env, argv[1]);

	(void)argc;
	process_known(argv[0], label);
	return atom(ATOM_OK);
}

/* gone(pid): it has ended, maybe before the tracer learnt of anything. */
static ERL_NIF_TERM gone(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	(void)env, (void)argc;
	process_end(argv[0]);
	return atom(ATOM_OK);
}

/* settled(): all that were there before are known. */
static ERL_NIF_TERM settled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	(void)env, (void)argc, (void)argv;
	processes_settled();
	return atom(ATOM_OK);
}

/* keep(session): it is over when nobody has it any more. */
static ERL_NIF_TERM keep(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	ErlNifEnv *own = erlang.alloc_env();

	(void)env, (void)argc;
	erlang.make_copy(own, argv[0]);
	return atom(ATOM_OK);
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
	unsigned long room;

	(void)data;
	return erlang_runtime.off || !erlang_find(env) || !erlang.get_ulong(env, info, &room) ||
	       !processes_begin(room);
}

/* Erlang looks for this in a library that it is to load. */
EXPORT struct erlang_library *nif_init(void)
{
	static struct erlang_function functions[] = {
		{ "enabled", 3, enabled, 0 }, { "trace", 5, trace, 0 },
		{ "known", 2, known, 0 }, { "keep", 1, keep, 0 },
		{ "gone", 1, gone, 0 }, { "settled", 0, settled, 0 },
	};
	static struct erlang_library library = {
		.major = 2, .minor = 15, .module = "coroprof_erlang",
		.nr_functions = sizeof(functions) / sizeof(functions[0]),
		.functions = functions, .load = load, .variant = "beam.vanilla",
		.options = 1, .resource_size = 40, .min_erts = "erts-10.4",
	};

	return &library;
}
