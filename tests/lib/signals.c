// SPDX-License-Identifier: GPL-2.0
/* Switches in signal handlers, in the middle of everything. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

static coroprof_co in_handler;
static volatile int handled;

static void handler(int signal)
{
	coroprof_co before = coroprof_current();

	(void)signal;
	coroprof_wake(before);
	coroprof_switch(in_handler);
	coroprof_switch(before);
	handled++;
}

int main(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	coroprof_co a = coroprof_new(coroprof_label("a"), COROPROF_THREAD, 0);
	int kept = 1;
	char text[32];

	in_handler = coroprof_new(coroprof_label("handler"), COROPROF_THREAD, 0);
	signal(SIGPROF, handler);
	setitimer(ITIMER_PROF, &often, NULL);
	for (int i = 0; handled < 300; i++) {
		snprintf(text, sizeof(text), "label %d", i % 900);
		coroprof_label(text);
		errno = EILSEQ;
		coroprof_done(coroprof_new(0, a, 0));
		coroprof_switch(a);
		coroprof_switch_ready(COROPROF_THREAD);
		kept &= errno == EILSEQ && coroprof_current() == COROPROF_THREAD;
	}
	setitimer(ITIMER_PROF, &never, NULL);
	ok(kept, "the interrupted thread is where it was");
	return tap_done();
}
