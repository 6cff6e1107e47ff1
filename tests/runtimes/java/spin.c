// SPDX-License-Identifier: GPL-2.0
/* Work of a known number of instructions, for Java to call. */
#include <stdint.h>

#include "../../harness/rounds.h"

void Java_Known_spin(void *jni, void *class, int64_t turns);

void Java_Known_spin(void *jni, void *class, int64_t turns)
{
	(void)jni;
	(void)class;
	rounds((unsigned long)turns);
}
