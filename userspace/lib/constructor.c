// SPDX-License-Identifier: LGPL-2.1-or-later
/* Begins the library when it is loaded. */
#include "internal.h"

/* The preload library has its own: most programs it gets into need nothing. */
const int coroprof_early = 1;

/* Marks the object that the library is linked into, for the preload library: no strip takes it out. */
__asm__(".pushsection .note.coroprof, \"a\", %note\n"
	".balign 4\n"
	".long 9, 0, 1\n"
	".asciz \"coroprof\"\n"
	".balign 4\n"
	".popsection");

static __attribute__((constructor)) void constructor(void)
{
	coroprof_init_(coroprof_early);
}
