// SPDX-License-Identifier: GPL-2.0
/*
 * forks N: N processes, one after the other, each with labels and three coroutines of two slices
 * each, of known length. The tag of each has the number of its process.
 */
#include <coroprof/coroprof.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../harness/rounds.h"

static void child(uint64_t number)
{
	char name[32];
	coroprof_co co;

	for (uint64_t i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "work_%d", (int)i);
		co = coroprof_new(coroprof_label(name), COROPROF_THREAD, 10 * number + i);
		for (int k = 0; k < 2; k++) {
			coroprof_switch(co);
			rounds(2000);
			coroprof_switch(COROPROF_THREAD);
		}
		coroprof_done(co);
	}
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	uint64_t nr = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

	for (uint64_t i = 1; i <= nr; i++) {
		pid_t pid = fork();

		if (!pid) {
			child(i);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		nanosleep(&pause, NULL);
	}
	return 0;
}
