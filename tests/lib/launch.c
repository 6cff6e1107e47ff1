// SPDX-License-Identifier: GPL-2.0
/* A stand-in for coroprof-read, given by COROPROF_READ, writes what it was called with. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "tap.h"

static const char *folder;

static const char *in_folder(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void script(const char *text)
{
	const char *path = in_folder("reader.sh");
	FILE *file = fopen(path, "w");

	fprintf(file, "#!/bin/sh\n%s\n", text);
	fclose(file);
	chmod(path, 0755);
	setenv("COROPROF_READ", path, 1);
}

static void content(const char *name, char text[256])
{
	FILE *file = fopen(in_folder(name), "r");
	size_t n = file ? fread(text, 1, 255, file) : 0;

	text[n] = '\0';
	if (file)
		fclose(file);
}

static void recording(void)
{
	char text[256], expected[300];

	script("trap 'echo interrupted >>$4; exit 0' INT; echo \"$*\" >$4; echo >&3; exec 3>&-; "
	       "while :; do sleep 0.05; done");
	is(coroprof_start(in_folder("out")), 0, "a recording starts");
	content("out", text);
	snprintf(expected, sizeof(expected), "-p %d -o %s --ready-fd 3 --no-inherit\n", getpid(),
		 in_folder("out"));
	ok(!strcmp(text, expected), "coroprof-read got its arguments: %s", text);
	is(coroprof_start("other"), -EBUSY, "there is one recording at a time");
	is(coroprof_stop(), 0, "the recording stops");
	content("out", text);
	ok(strstr(text, "interrupted"), "the recording is stopped by an interrupt");
	is(coroprof_stop(), -EALREADY, "a recording is stopped once");
}

static void failures(void)
{
	script("exit 3");
	is(coroprof_start(in_folder("out")), -EIO, "a coroprof-read that fails is reported");
	script("echo >&3; exec 3>&-; exit 1");
	is(coroprof_start(in_folder("out")), 0, "a coroprof-read that fails later starts");
	is(coroprof_stop(), -EIO, "a coroprof-read that fails later is reported then");
	setenv("COROPROF_READ", "/nonexistent/coroprof-read", 1);
	is(coroprof_start(in_folder("out")), -ENOENT,
	   "a coroprof-read that is not there is reported");
	is(coroprof_start(""), -EINVAL, "an output is needed");
	ok(strstr(coroprof_strerror(-ENOENT), "coroprof-read"), "errors have a text");
}

static void reaped(void)
{
	script("trap 'exit 0' INT; echo >&3; exec 3>&-; while :; do sleep 0.05; done");
	signal(SIGCHLD, SIG_IGN);
	is(coroprof_start(in_folder("out")), 0,
	   "a program that ignores its children starts a recording");
	is(coroprof_stop(), -ECHILD,
	   "a program that ignores its children is told that the result is unknown");
	signal(SIGCHLD, SIG_DFL);
}

static void fn(void *arg)
{
	(*(int *)arg)++;
}

int main(void)
{
	int calls = 0;

	folder = getenv("TEST_FOLDER");
	/* In the background of a shell it is ignored, and what is ignored no script can catch. */
	signal(SIGINT, SIG_DFL);
	recording();
	failures();
	reaped();
	is(coroprof_go(fn, &calls, ""), -EINVAL, "what can't be recorded is an error");
	is(calls, 0, "what can't be recorded is not run");
	script("trap 'exit 0' INT; echo >&3; exec 3>&-; while :; do sleep 0.05; done");
	is(coroprof_go(fn, &calls, in_folder("out")), 0, "what can be recorded is no error");
	is(calls, 1, "what can be recorded is run");
	return tap_done();
}
