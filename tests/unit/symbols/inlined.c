// SPDX-License-Identifier: GPL-2.0
/* Functions that are put into others, some of them into several, for test-lines to look at. */
#include "inlined.h"

static volatile unsigned long sink;

static __attribute__((always_inline)) inline unsigned long innermost(unsigned long x)
{
	for (int i = 0; i < 100; i++)
		x = x * 6364136223846793005ul + 1442695040888963407ul;
	return x;
}

static __attribute__((always_inline)) inline unsigned long middle(unsigned long x)
{
	x ^= x >> 7;
	x = innermost(x);
	sink = x;
	return x + 3;
}

static __attribute__((noinline)) unsigned long not_inlined(unsigned long x)
{
	if (x & 1)
		x = in_header(x);
	return middle(x) + innermost(x);
}

unsigned long work(unsigned long x);
unsigned long work(unsigned long x)
{
	unsigned long y = middle(x);

	if (y & 4)
		y += not_inlined(y);
	return middle(y) ^ in_header(y);
}
