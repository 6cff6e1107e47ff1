// SPDX-License-Identifier: GPL-2.0
/*
 * handlers SECONDS [WHAT AT]: eight coroutines that work a little, one after the other, on one
 * thread. After AT seconds once
 *   blocks   one of them, "culprit", sleeps in the kernel for 200 ms in its slice
 *   spins    it works for 200 ms
 *   hangs    it sleeps for 3 s
 *   waits    it is made ready, and the thread sleeps outside for 100 ms before it runs
 *   woken    it is made ready while it works, 100 ms before it leaves, and then runs again at once
 *   asks     it calls coroprof_dump("on purpose")
 */
#include <coroprof/coroprof.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../harness/rounds.h"

#define HANDLERS	8

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void pause_ms(long ms)
{
	const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&pause, NULL);
}

static void spin_ms(long ms)
{
	for (double end = now() + (double)ms / 1000; now() < end;)
		rounds(1000);
}

static void go_wrong(const char *what, coroprof_co culprit)
{
	if (!strcmp(what, "waits")) {
		coroprof_wake(culprit);
		pause_ms(100);
	}
	coroprof_switch(culprit);
	if (!strcmp(what, "blocks"))
		pause_ms(200);
	if (!strcmp(what, "spins"))
		spin_ms(200);
	if (!strcmp(what, "hangs"))
		pause_ms(3000);
	if (!strcmp(what, "asks"))
		coroprof_dump("on purpose");
	if (!strcmp(what, "woken")) {
		coroprof_wake(culprit);
		spin_ms(50);
		coroprof_switch(COROPROF_THREAD);
		coroprof_switch(culprit);
	}
	coroprof_switch(COROPROF_THREAD);
}

int main(int argc, char **argv)
{
	double begin = now(), seconds = argc > 1 ? atof(argv[1]) : 1, at = argc > 3 ? atof(argv[3]) : 1e9;
	coroprof_co handlers[HANDLERS], culprit;

	for (uint64_t i = 0; i < HANDLERS; i++)
		handlers[i] = coroprof_new(coroprof_label("handler"), COROPROF_THREAD, i + 1);
	culprit = coroprof_new(coroprof_label("culprit"), COROPROF_THREAD, 4711);
	for (unsigned int n = 0; now() < begin + seconds; n++) {
		coroprof_wake(handlers[n % HANDLERS]);
		coroprof_switch(handlers[n % HANDLERS]);
		rounds(5000);
		coroprof_switch(COROPROF_THREAD);
		pause_ms(2);
		if (now() > begin + at) {
			go_wrong(argv[2], culprit);
			at = 1e9;
		}
	}
	return 0;
}
