// SPDX-License-Identifier: GPL-2.0
/*
 * Coroutines whose slices are known: 100 of "pure tea", of 1000 cycles each, and 50 of the function brew(), of 7. The
 * cycles are those of tests/simpmu.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#define ROUNDS 50

static int simpmu;
static unsigned int missing;

static void happen(const char *events)
{
	missing += write(simpmu, events, strlen(events)) != (ssize_t)strlen(events);
}

/* What tells of it has its address alone. */
void brew(void);

void brew(void)
{
	happen("cycles 7\n");
}

int main(void)
{
	coroprof_co tea = coroprof_new(coroprof_label("pure tea"), 0, 0);
	coroprof_co brewer = coroprof_new(coroprof_label_code((const void *)brew), 0, 0);
	unsigned int i;

	simpmu = open("/dev/coroprof_simpmu", O_WRONLY | O_CLOEXEC);
	for (i = 0; i < ROUNDS; i++) {
		coroprof_switch(tea);
		happen("cycles 1000\n");
		coroprof_switch(brewer);
		brew();
		coroprof_switch(tea);
		happen("cycles 1000\n");
		coroprof_switch(COROPROF_THREAD);
	}
	if (missing)
		perror("/dev/coroprof_simpmu");
	return !!missing;
}
