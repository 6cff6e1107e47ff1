// SPDX-License-Identifier: GPL-2.0
/* Programs that close what is not theirs, and use the numbers for themselves. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

static coroprof_co a, b;

static bool reported_after(int switches)
{
	mock_forget();
	for (int i = 0; i < switches; i++)
		coroprof_switch(i % 2 ? a : b);
	return mock_count(MOCK_SWITCH) && !mock_last(MOCK_SWITCH)->error;
}

static void close_all(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}

/* Every number that was ours is now a pipe's. */
static int take_all(void)
{
	int ends[2];

	close_all();
	if (pipe(ends))
		return -1;
	for (int fd = 500; fd < 540; fd++)
		dup2(ends[1], fd);
	for (int fd = 120; fd < 140; fd++)
		dup2(ends[1], fd);
	return ends[1];
}

static bool all_open(int end)
{
	bool open = fcntl(end, F_GETFD) >= 0;

	for (int fd = 500; fd < 540; fd++)
		open &= fcntl(fd, F_GETFD) >= 0;
	return open;
}

int main(void)
{
	int end;

	a = coroprof_new(coroprof_label("alpha"), COROPROF_THREAD, 0);
	b = coroprof_new(coroprof_label("beta"), COROPROF_THREAD, 0);
	ok(fcntl(3, F_GETFD) < 0, "low numbers stay free");

	close_all();
	for (int i = 0; i < 100; i++)
		coroprof_new(0, COROPROF_THREAD, 0);
	is(coroprof_status(), 0, "a daemon that closed all is known again");
	is(mock_last(MOCK_PROCESS)->error, 0,
	   "a daemon that closed all has a descriptor of its own");
	mock_record(true);
	ok(reported_after(4), "a daemon that closed all is recorded");

	close_all();
	errno = EILSEQ;
	coroprof_switch(a);
	is(errno, EILSEQ, "errno is kept when descriptors are gone");
	ok(reported_after(8), "switches are told once descriptors are gone");

	end = take_all();
	errno = EILSEQ;
	reported_after(8);
	is(errno, EILSEQ, "errno is kept when numbers mean something else");
	ok(all_open(end), "what took our numbers is not touched");
	ok(reported_after(8), "switches are told by other descriptors");

	for (int i = 0; i < 50; i++) {
		close_all();
		reported_after(4);
		for (int j = 0; j < 100; j++)
			coroprof_new(0, COROPROF_THREAD, 0);
	}
	mock_forget();
	reported_after(1000);
	is(mock_count(MOCK_PROCESS), 0, "who keeps closing them is left alone");
	is(coroprof_status(), -EBADF, "who keeps closing them is told so");
	ok(coroprof_new(0, COROPROF_THREAD, 0), "who keeps closing them runs on");
	return tap_done();
}
