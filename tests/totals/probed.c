// SPDX-License-Identifier: GPL-2.0
/*
 * A program that knows nothing of coroprof, to be probed: many short slices of one coroutine, few
 * long ones of another. Prints for how many nanoseconds it was on a CPU.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "../harness/rounds.h"

#define TURNS	20000
#define FEW	200		/* one turn of so many is a long one */
#define SHORT	100ul		/* rounds of a short slice */
#define LONG	300000ul	/* of a long one */

void goes_on(uintptr_t key, void (*label)(void));
void leaves(void);

asm(".pushsection .text, \"ax\"\n"
    ".global goes_on, leaves\n"
    ".type goes_on, %function\n"
    "goes_on: b 1f\n1: ret\n"
    ".size goes_on, . - goes_on\n"
    ".type leaves, %function\n"
    "leaves: b 1f\n1: ret\n"
    ".size leaves, . - leaves\n"
    ".popsection\n");

/* Different code, so that nobody makes one function of them. */
void short_slices(void)
{
	rounds(SHORT);
}

void long_slices(void)
{
	rounds(LONG);
}

static void step(uintptr_t key, void (*label)(void))
{
	goes_on(key, label);
	label();
	leaves();
}

int main(void)
{
	struct timespec cpu;

	for (int i = 0; i < TURNS; i++) {
		step(1, short_slices);
		if (i % FEW == 0)
			step(2, long_slices);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("cpu %ld\n", cpu.tv_sec * 1000000000L + cpu.tv_nsec);
	return 0;
}
