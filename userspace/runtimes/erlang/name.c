// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Many processes begin with a function of Erlang's own, which is given what it is to call:
 * their names are those of what the program wrote.
 */
#include <stdio.h>
#include <string.h>

#include "processes.h"

#define TEXT_ROOM 256

static bool is(ERL_NIF_TERM term, enum erlang_atom atom)
{
	return term == erlang_atoms[atom];
}

/* Element @index of a list, or 0. */
static ERL_NIF_TERM nth(ErlNifEnv *env, ERL_NIF_TERM list, unsigned int index)
{
	ERL_NIF_TERM head = 0;

	for (unsigned int i = 0; i <= index; i++) {
		if (!erlang.get_list_cell(env, list, &head, &list))
			return 0;
	}
	return head;
}

/* "'Elixir.Name'" is Name in Elixir, which has a dot before the function. */
static const char *pretty(char *module, const char **dot)
{
	static const char elixir[] = "'Elixir.";
	size_t prefix = sizeof(elixir) - 1, len = strlen(module);

	*dot = ":";
	if (strncmp(module, elixir, prefix) || module[len - 1] != '\'')
		return module;
	module[len - 1] = '\0';
	*dot = ".";
	return module + prefix;
}

static uint32_t label_of(ERL_NIF_TERM module, ERL_NIF_TERM function, unsigned long arity)
{
	char text[TEXT_ROOM], name[TEXT_ROOM / 2];
	const char *dot, *shown;

	erlang.snprintf(name, sizeof(name), "%T", module);
	shown = pretty(name, &dot);
	erlang.snprintf(text, sizeof(text), "%s%s%T/%lu", shown, dot, function, arity);
	return coroprof_label(text);
}

/* "#Fun<module.3.1234567>" is a function written in place: the third but one of that module. */
static uint32_t label_of_fun(ERL_NIF_TERM fun)
{
	char text[TEXT_ROOM], *end;

	erlang.snprintf(text, sizeof(text), "%T", fun);
	if (strncmp(text, "#Fun<", 5))
		return coroprof_label(text);
	end = strrchr(text, '.');
	if (end)
		*end = '\0';
	memmove(text, "fun ", 4);
	memmove(text + 4, text + 5, strlen(text + 5) + 1);
	return coroprof_label(text);
}

/* What a process begins with, as far as arguments say it. */
struct call {
	ERL_NIF_TERM module, function, arguments;
};

/* gen:init_it(Kind, Starter, Parent or self, [Name,] Module, Arguments, Options) */
static ERL_NIF_TERM behaviour(ErlNifEnv *env, const struct call *call)
{
	unsigned int length = 0;
	ERL_NIF_TERM module;

	if (!is(call->module, ATOM_GEN) || !is(call->function, ATOM_INIT_IT) ||
	    !erlang.get_list_length(env, call->arguments, &length) || length < 6)
		return 0;
	module = nth(env, call->arguments, length - 3);
	return module && erlang.is_atom(env, module) ? module : 0;
}

/*
 * Whether it calls what its arguments name, which is in @call then. @fun: that is a function, or 0
 */
static bool calls(ErlNifEnv *env, struct call *call, ERL_NIF_TERM *fun)
{
	bool begins = is(call->module, ATOM_PROC_LIB) && is(call->function, ATOM_INIT_P);
	bool applies = is(call->module, ATOM_ERLANG) && is(call->function, ATOM_APPLY);
	unsigned int first = begins ? 2 : 0, length = 0;
	ERL_NIF_TERM inner;

	if ((!begins && !applies) || !erlang.get_list_length(env, call->arguments, &length) ||
	    length < first + 1)
		return false;
	inner = nth(env, call->arguments, first);
	*fun = erlang.is_fun(env, inner) ? inner : 0;
	if (*fun || length < first + 3)
		return *fun;
	*call = (struct call){ inner, nth(env, call->arguments, first + 1),
			       nth(env, call->arguments, first + 2) };
	return true;
}

uint32_t process_label(ErlNifEnv *env, ERL_NIF_TERM term)
{
	const ERL_NIF_TERM *element;
	ERL_NIF_TERM fun = 0, module;
	unsigned long arity = 0;
	unsigned int length;
	struct call call;
	int count;

	if (!erlang.get_tuple(env, term, &count, &element) || count != 3)
		return coroprof_label("Erlang process");
	call = (struct call){ element[0], element[1], element[2] };
	if (erlang.get_ulong(env, call.arguments, &arity))
		return label_of(call.module, call.function, arity);
	while (!fun && calls(env, &call, &fun))
		;
	if (fun)
		return label_of_fun(fun);
	module = behaviour(env, &call);
	if (module)
		return label_of(module, erlang.make_atom(env, "init"), 1);
	if (erlang.get_list_length(env, call.arguments, &length))
		arity = length;
	return label_of(call.module, call.function, arity);
}
