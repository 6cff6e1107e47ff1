// SPDX-License-Identifier: LGPL-2.1-or-later
/* The label of a fiber, by the function that it was given. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../runtime.h"
#include "fiber.h"

/* Each of the class, the function and the file. */
#define TEXT_MAX "100"

_Static_assert(offsetof(struct php_context, status) == 40, "as in every version");
_Static_assert(offsetof(struct php_function, scope) == 16, "as in every version");
_Static_assert(offsetof(struct php_fiber, context) == 64, "as in every version");
_Static_assert(offsetof(struct php_fiber, function) == 248, "as in every version");

uint32_t php_label(const struct php_fiber *fiber, bool late)
{
	const struct php_function *f = fiber->function;
	char text[340];

	if (!f || !f->name || (late && f->flags & PHP_TRAMPOLINE))
		return coroprof_label("Fiber");
	snprintf(text, sizeof(text), "%." TEXT_MAX "s%s%." TEXT_MAX "s",
		 f->scope ? f->scope->name->text : "", f->scope ? "::" : "", f->name->text);
	if (f->type == PHP_USER_FUNCTION && !(f->flags & PHP_TRAMPOLINE)) {
		const struct php_place *place = (const void *)((const char *)f + php_place_at);
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "@%." TEXT_MAX "s:%u",
			 place->file->text, place->line);
	}
	return coroprof_label(text);
}
