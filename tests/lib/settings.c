// SPDX-License-Identifier: GPL-2.0
/* COROPROF_SESSION=18446744073709551557, COROPROF_SLOTS=256: kept from the start. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

#define TOKEN	18446744073709551557ull
#define SLOTS	256

static void first_coroutine(void)
{
	coroprof_switch(coroprof_new(coroprof_label("a"), COROPROF_THREAD, 0));
}

/* 0 if a child of fork() has shown the token by itself. */
static int child(void)
{
	const struct mock_event *event = mock_last(MOCK_PROCESS);

	first_coroutine();
	return event && event->pid == getpid() && event->token == TOKEN ? 0 : 1;
}

static int forked(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(child());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint32_t distinguished(void)
{
	uint32_t n = 0;

	for (; n < 4 * SLOTS && !coroprof_slotless(); n++)
		coroprof_new(0, COROPROF_THREAD, 0);
	return n;
}

int main(void)
{
	ok(coroprof_status() < 0, "no module: the process is not known");
	setenv(COROPROF_ENV_TOKEN, "5", 1);
	clearenv();
	mock_open_error(0);
	mock_record(true);
	first_coroutine();
	is(mock_count(MOCK_PROCESS), 1, "the first coroutine makes the process known");
	is(mock_last(MOCK_PROCESS)->token, TOKEN,
	   "the process is known with the token it was started with");
	setenv(COROPROF_ENV_TOKEN, "6", 1);
	is(forked(), 0, "a forked child shows the same token");
	ok(distinguished() <= SLOTS, "COROPROF_SLOTS holds, too");
	return tap_done();
}
