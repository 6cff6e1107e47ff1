// SPDX-License-Identifier: GPL-2.0
/*
 * filter kill|error|permit [first]: two coroutines that take turns, and a filter of system calls that ends the program for
 * ioctl(), returns an error, or permits it: put in place after half of the turns, or before the first. From then on the
 * second coroutine has most of the time. Prints a line when all is done.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define TURNS 200

static ucontext_t scheduler, coroutines[2];
static long ms[2] = { 2, 2 };

static void spend(long time)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < time);
}

void first_work(void)
{
	for (;;) {
		spend(ms[0]);
		swapcontext(&coroutines[0], &scheduler);
	}
}

void second_work(void)
{
	for (;;) {
		spend(ms[1]);
		swapcontext(&coroutines[1], &scheduler);
	}
}

static int put_in_place(const char *how)
{
	unsigned int action = !strcmp(how, "kill") ? SECCOMP_RET_KILL_PROCESS :
			      !strcmp(how, "error") ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = sizeof(rules) / sizeof(rules[0]), .filter = rules };

	ms[1] = 10;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void make(int i, void (*work)(void))
{
	static char stacks[2][65536];

	getcontext(&coroutines[i]);
	coroutines[i].uc_stack.ss_sp = stacks[i];
	coroutines[i].uc_stack.ss_size = sizeof(stacks[i]);
	makecontext(&coroutines[i], work, 0);
}

int main(int argc, char **argv)
{
	int at = argc > 2 ? 0 : TURNS / 2;

	make(0, first_work);
	make(1, second_work);
	for (int i = 0; i < TURNS; i++) {
		if (i == at && put_in_place(argc > 1 ? argv[1] : "permit"))
			return 1;
		swapcontext(&scheduler, &coroutines[i % 2]);
	}
	return write(1, "all done\n", 9) != 9;
}
