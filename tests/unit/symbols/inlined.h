/* SPDX-License-Identifier: GPL-2.0 */
/* One that is in another file than those it is put into. */
static __attribute__((always_inline)) inline unsigned long in_header(unsigned long x)
{
	while (x > 1000)
		x = x / 3 + (x & 1);
	return x;
}
