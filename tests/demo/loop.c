// SPDX-License-Identifier: GPL-2.0
/*
 * Three ucontext coroutines that run a loop of a known number of instructions,
 * 1, 2 and 10 times as long, and take turns. It knows nothing of coroprof.
 */
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

#include "../harness/rounds.h"

#define TURNS 10
#define UNIT 300000ul	/* rounds of a turn */

static ucontext_t scheduler, contexts[3];
static char stacks[3][65536] __attribute__((aligned(16)));

static void turns(int which, unsigned long times)
{
	for (int i = 0; i < TURNS; i++) {
		rounds(times * UNIT);
		swapcontext(&contexts[which], &scheduler);
	}
}

void once(void) { turns(0, 1); }
void twice(void) { turns(1, 2); }
void ten_times(void) { turns(2, 10); }

int main(void)
{
	void (*functions[3])(void) = { once, twice, ten_times };

	for (int i = 0; i < 3; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = sizeof(stacks[i]);
		contexts[i].uc_link = &scheduler;
		makecontext(&contexts[i], functions[i], 0);
	}
	for (int turn = 0; turn <= TURNS; turn++) {
		for (int i = 0; i < 3; i++)
			swapcontext(&scheduler, &contexts[i]);
	}
	printf("3 coroutines, %d turns each\n", TURNS);
	return 0;
}
