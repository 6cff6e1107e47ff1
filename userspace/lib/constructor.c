// SPDX-License-Identifier: LGPL-2.1-or-later
/* Begins the library when it is loaded. */
#include "internal.h"

/* The preload library has its own: most programs it gets into need nothing. */
const int coroprof_early = 1;

static __attribute__((constructor)) void constructor(void)
{
	coroprof_init_(coroprof_early);
}
