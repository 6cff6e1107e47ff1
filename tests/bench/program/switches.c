// SPDX-License-Identifier: GPL-2.0
/*
 * switches COUNT: a program of 1000 coroutines of 10 kinds, that switches so
 * often. It works a little in each.
 */
#include <coroprof/coroprof.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COROUTINES 1000u
#define KINDS 10u

static volatile uint32_t sum;

int main(int argc, char **argv)
{
	static coroprof_co coroutines[COROUTINES];
	unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	char name[32];

	if (!count) {
		fprintf(stderr, "usage: switches COUNT\n");
		return EXIT_FAILURE;
	}
	for (uint32_t i = 0; i < COROUTINES; i++) {
		snprintf(name, sizeof(name), "kind %u", i % KINDS);
		coroutines[i] = coroprof_new(coroprof_label(name), COROPROF_THREAD, i);
	}
	for (unsigned long i = 0; i < count; i++) {
		coroprof_switch(coroutines[i * 7 % COROUTINES]);
		for (uint32_t n = 0; n < 10 + i % 30; n++)
			sum += n;
	}
	coroprof_switch(COROPROF_THREAD);
	return EXIT_SUCCESS;
}
