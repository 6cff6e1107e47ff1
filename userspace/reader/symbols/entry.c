// SPDX-License-Identifier: GPL-2.0
/*
 * Extracts the type of the program's own function from the demangled name of a template of Boost.
 */
#include <stdbool.h>
#include <string.h>

#include "base/util.h"
#include "symbols/entry.h"

/* Boost's, and which of its arguments is the program's, or has that within. */
static const struct {
	const char *name;
	unsigned int argument;
} templates[] = {
	{ "boost::context::detail::fiber_record<", 2 },
	{ "boost::context::detail::record<", 2 },
	{ "control_block::control_block<", 1 },
	{ "boost::fibers::worker_context<", 0 },
	{ "boost::coroutines::detail::pull_coroutine_object<", 2 },
	{ "boost::coroutines::detail::push_coroutine_object<", 2 },
};

struct text_part {
	const char *begin;
	size_t len;
};

static bool begins_with(struct text_part part, const char *text)
{
	size_t len = strlen(text);

	return part.len >= len && !memcmp(part.begin, text, len);
}

/* Finds the Nth of the arguments before the bracket that closes the list. */
static bool find_argument(const char *arguments, const char *end, unsigned int n,
			  struct text_part *argument)
{
	const char *begin = arguments;
	unsigned int depth = 0;

	for (const char *at = arguments; at < end; at++) {
		if (strchr("<({[", *at)) {
			depth++;
		} else if (depth && strchr(">)}]", *at)) {
			depth--;
		} else if (!depth && strchr(",>", *at)) {
			if (!n--) {
				*argument = (struct text_part){ begin, (size_t)(at - begin) };
				return at > begin;
			}
			if (*at == '>')
				return false;
			begin = at + 1 + strspn(at + 1, " ");
		}
	}
	return false;
}

/*
 * Sets @inside to the argument of the first of Boost's templates in @part that holds the function's
 * type.
 */
static bool first_template_argument(struct text_part part, struct text_part *inside)
{
	const char *first = NULL, *end = part.begin + part.len;
	unsigned int argument = 0;

	for (size_t i = 0; i < ARRAY_SIZE(templates); i++) {
		const char *name = templates[i].name;
		const char *at = memmem(part.begin, part.len, name, strlen(name));

		if (at && (!first || at + strlen(name) < first)) {
			first = at + strlen(name);
			argument = templates[i].argument;
		}
	}
	return first && find_argument(first, end, argument, inside);
}

/* The search ends at a type of the program's own, even if that is made of Boost's templates. */
static bool is_of_boost(struct text_part part)
{
	return begins_with(part, "void boost::co") || begins_with(part, "boost::co") ||
	       begins_with(part, "std::_Bind<boost::context::");
}

const char *entry_function(const char *name, size_t *len)
{
	struct text_part part = { name, strlen(name) }, inside;

	while (is_of_boost(part) && first_template_argument(part, &inside))
		part = inside;
	while (part.len && part.begin[part.len - 1] == ' ')
		part.len--;
	*len = part.len;
	return part.begin;
}
