// SPDX-License-Identifier: GPL-2.0
/* A program that has libcoroprof itself: a coroutine runs three times, and a thread has none. */
#include <pthread.h>

#include <coroprof/coroprof.h>

#include "../../harness/rounds.h"

enum { UNIT = 1000000, TURNS = 3 };

static void *works(void *unused)
{
	rounds(2 * UNIT);
	return unused;
}

int main(void)
{
	coroprof_co mine = coroprof_new(coroprof_label("mine"), 0, 0);
	pthread_t thread;

	if (pthread_create(&thread, NULL, works, NULL) || pthread_join(thread, NULL))
		return 1;
	for (int i = 0; i < TURNS; i++) {
		coroprof_switch(mine);
		rounds(UNIT);
		coroprof_switch(COROPROF_THREAD);
	}
	coroprof_done(mine);
	return 7;
}
