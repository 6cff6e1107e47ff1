// SPDX-License-Identifier: GPL-2.0
/* Work of a known number of instructions, for ctypes of Python, which lets other threads run meanwhile. */
#include "../../harness/rounds.h"

void spin(unsigned long count);

void spin(unsigned long count)
{
	rounds(count);
}
