// SPDX-License-Identifier: GPL-2.0
/*
 * A program that switches as nobody, who may open no perf events where
 * perf_event_paranoid says so, or under a filter of system calls that kills whoever
 * tries ("filter"), or whoever calls anything but what the library is documented to call
 * and this program itself ("strict"). For tests/delegated.
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

static bool install(struct sock_filter *rules, size_t nr)
{
	struct sock_fprog program = { .len = nr, .filter = rules };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static bool filter(void)
{
	static struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return install(rules, sizeof(rules) / sizeof(rules[0]));
}

/* As coroprof(3) lists them; then those of main(). */
static const int permitted[] = {
	SYS_ioctl, SYS_mmap, SYS_munmap, SYS_madvise, SYS_openat, SYS_pread64, SYS_close,
	SYS_getdents64, SYS_getpid, SYS_gettid, SYS_rt_sigaction, SYS_rt_sigprocmask,
	SYS_clock_gettime, SYS_fcntl, SYS_futex, SYS_prctl,
	SYS_clock_nanosleep, SYS_exit_group,
};

#define NR_PERMITTED (sizeof(permitted) / sizeof(permitted[0]))

static bool strict(void)
{
	static struct sock_filter rules[NR_PERMITTED + 3] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	size_t i;

	for (i = 0; i < NR_PERMITTED; i++)
		rules[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, permitted[i],
							    NR_PERMITTED - i, 0);
	rules[1 + i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	rules[2 + i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return install(rules, NR_PERMITTED + 3);
}

static bool is_filtered(const char *how)
{
	return !strcmp(how, "strict") ? strict() : filter();
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

	if (!drop_rights() || (argc > 1 && !is_filtered(argv[1]))) {
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
