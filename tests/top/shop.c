// SPDX-License-Identifier: GPL-2.0
/*
 * shop SECONDS [WHAT]: a thread with coroutines of known work: each turn, of which there are some
 * 90 a second, one "query" does 3000 rounds and makes one "render" ready, which does 1000 rounds;
 * and the thread sleeps. Its exit status is 3. WHAT is one of
 *   hangs   after a second a second thread, "worker", has one "db_query", which sleeps for ever
 *   many    before that 100000 coroutines "many" run once, and stay
 *   names   labels are what somebody who means no good would choose
 *   writes  each turn a line is written
 */
#include <coroprof/coroprof.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../harness/rounds.h"

#define QUERIES	4
#define MANY	100000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *hang(void *arg)
{
	prctl(PR_SET_NAME, "worker");
	sleep(1);
	coroprof_switch(coroprof_new(coroprof_label("db_query"), COROPROF_THREAD, 1));
	for (;;)
		pause();
	return arg;
}

static void run_many(void)
{
	uint32_t many = coroprof_label("many");

	for (unsigned int i = 0; i < MANY; i++)
		coroprof_switch(coroprof_new(many, COROPROF_THREAD, i));
	coroprof_switch(COROPROF_THREAD);
}

static void run_names(void)
{
	static const char *const names[] = {
		"\033[31mred", "\u5bbd\u5bbd\u5bbd wide", "bad \xff\xfe", "", "a\tb\nc", "\u202eleft",
	};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		coroprof_switch(coroprof_new(coroprof_label(names[i]), COROPROF_THREAD, i));
		rounds(100);
	}
	coroprof_switch(COROPROF_THREAD);
}

int main(int argc, char **argv)
{
	const struct timespec a_while = { .tv_nsec = 10000000 };
	double end = now() + (argc > 1 ? atof(argv[1]) : 1);
	const char *what = argc > 2 ? argv[2] : "";
	uint32_t query = coroprof_label("query"), render = coroprof_label("render");
	coroprof_co queries[QUERIES], renders[QUERIES];
	pthread_t thread;

	if (!strcmp(what, "hangs"))
		pthread_create(&thread, NULL, hang, NULL);
	if (!strcmp(what, "many"))
		run_many();
	for (unsigned int i = 0; i < QUERIES; i++) {
		queries[i] = coroprof_new(query, COROPROF_THREAD, i);
		renders[i] = coroprof_new(render, queries[i], i);
	}
	for (unsigned int i = 0; now() < end; i = (i + 1) % QUERIES) {
		coroprof_switch(queries[i]);
		rounds(3000);
		coroprof_wake(renders[i]);
		coroprof_switch(renders[i]);
		rounds(1000);
		coroprof_switch(COROPROF_THREAD);
		if (!strcmp(what, "names"))
			run_names();
		if (!strcmp(what, "writes"))
			printf("a line of the shop\n");
		nanosleep(&a_while, NULL);
	}
	return 3;
}
