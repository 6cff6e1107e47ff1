// SPDX-License-Identifier: GPL-2.0
/* Work of a known number of instructions, for Python to call. */
#include "../../harness/rounds.h"

void spin(unsigned long turns);

void spin(unsigned long turns)
{
	rounds(turns);
}
