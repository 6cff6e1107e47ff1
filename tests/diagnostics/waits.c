// SPDX-License-Identifier: GPL-2.0
/* Has no coroutine, and lives long enough to be looked at. */
#include <unistd.h>

int main(void)
{
	usleep(1000000);
	return 0;
}
