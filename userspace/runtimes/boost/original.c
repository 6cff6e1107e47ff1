// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds Boost's own functions behind the hooks, at the adapter's expense. */
#include <errno.h>

#include "../preload/charge.h"
#include "../preload/scope.h"
#include "../runtime.h"
#include "../stacks/place.h"
#include "original.h"

void *boost_original(const char *name, const void *caller)
{
	coroprof_co before = runtime_current;
	int saved = errno;
	void *original;

	if (!boost_runtime.off) {
		place_check((uintptr_t)__builtin_frame_address(0));
		before = runtime_current;
		charge();
	}
	original = scope_original(name, caller);
	runtime_switch(before);
	errno = saved;
	return original;
}
