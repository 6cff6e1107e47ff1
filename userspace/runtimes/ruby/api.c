// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the functions of Ruby in the library or program that has them. */
#include <stddef.h>

#include "../preload/scope.h"
#include "api.h"

_Static_assert(offsetof(struct ruby_object, data) == 32, "as in every version");
_Static_assert(offsetof(struct ruby_type, free) == 16, "as in every version");

struct ruby_api ruby;

static const struct {
	const char *name;
	size_t offset;
} wanted[] = {
#define WANTED(name) { "rb_" #name, offsetof(struct ruby_api, name) }
	{ "ruby_api_version", offsetof(struct ruby_api, version) },
	WANTED(add_event_hook), WANTED(remove_event_hook),
	WANTED(fiber_current), WANTED(fiber_alive_p),
	WANTED(sourcefile), WANTED(sourceline), WANTED(frame_callee),
	WANTED(id2name), WANTED(sym2id), WANTED(ivar_foreach), WANTED(objspace_reachable_objects_from),
	WANTED(profile_frame_path), WANTED(profile_frame_first_lineno), WANTED(string_value_ptr),
};

bool ruby_find(const void *function)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *found = scope_sibling(function, wanted[i].name);

		if (!found)
			return false;
		*(void **)((char *)&ruby + wanted[i].offset) = found;
	}
	return ruby.version[0] == 3 && ruby.version[1] >= 1 && ruby.version[1] <= 3;
}
