// SPDX-License-Identifier: GPL-2.0
/*
 * A program that switches as nobody, who may open no perf events where
 * perf_event_paranoid says so, or under a filter of system calls that kills whoever
 * tries ("filter"). For tests/given.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#define NOBODY 65534
#define SECONDS 2

static bool drop_rights(void)
{
	return !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	       !setresuid(NOBODY, NOBODY, NOBODY);
}

static bool filter(void)
{
	static struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static struct sock_fprog program = {
		.len = sizeof(rules) / sizeof(rules[0]), .filter = rules,
	};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static bool is_over(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - begin->tv_sec >= SECONDS;
}

int main(int argc, char **argv)
{
	coroprof_co a = coroprof_new(coroprof_label("a"), COROPROF_THREAD, 0);
	coroprof_co b = coroprof_new(coroprof_label("b"), COROPROF_THREAD, 0);
	struct timespec begin;

	if (!drop_rights() || (argc > 1 && !strcmp(argv[1], "filter") && !filter())) {
		perror("unprivileged");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (!is_over(&begin)) {
		coroprof_switch(a);
		usleep(1000);
		coroprof_switch(b);
	}
	coroprof_switch(COROPROF_THREAD);
	return 0;
}
