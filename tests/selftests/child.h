/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A traced process beside the test, which does one thing at a time when told.
 */
#ifndef _CHILD_H
#define _CHILD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/capability.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "program.h"

#define NR_SLOTS	16U
#define A		2U
#define B		3U
#define NOBODY		65534
/* For tests' children: they could not make a user namespace. */
#define NO_NAMESPACE	102
/* A copy of the program for order 'u', which is set-user-id for root. */
#define CHILD_SETID	"/coroprof-test-setid"

struct child {
	pid_t pid;
	int orders;
	int answers;
};

static inline char child_step(const struct child *child, char order)
{
	char answer = '?';

	if (write(child->orders, &order, 1) != 1 ||
	    read(child->answers, &answer, 1) != 1)
		return '!';
	return answer;
}

/* What the child knows; each order is one letter. */
struct child_state {
	struct program program;
	__u64 token;
	int orders;
	int answers;
	int control;
	int channel;
};

/* Makes CHILD_SETID. Returns 0 or a negative errno. */
static inline int child_copy_setid(void)
{
	int from = open("/proc/self/exe", O_RDONLY);
	int to = open(CHILD_SETID, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	char bytes[4096];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, n) != n)
			return -EIO;
	if (n || fchmod(to, 04755))
		return -errno;
	close(from);
	close(to);
	return 0;
}

/* Another program, which obeys the same orders: see child_again(). */
static inline int child_execute(const struct child_state *state, const char *path)
{
	char orders[16], answers[16];

	snprintf(orders, sizeof(orders), "%d", state->orders);
	snprintf(answers, sizeof(answers), "%d", state->answers);
	execl(path, path, "--child", orders, answers, NULL);
	return -errno;
}

/* A child of it obeys from now on. It ends itself, or waits for that to end. */
static inline int child_fork(bool end)
{
	pid_t pid = fork();

	if (pid > 0 && !end)
		waitpid(pid, NULL, 0);
	if (pid > 0)
		_exit(0);
	return pid < 0 ? -errno : 0;
}

/* Waits until the parent has ended. */
static inline int child_orphaned(pid_t parent)
{
	while (getppid() == parent)
		sleep_ns(1000000);
	return 0;
}

static inline int child_share_main(void *arg)
{
	unsigned int *there = arg;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	__atomic_store_n(there, 1, __ATOMIC_RELEASE);
	while (*there)
		pause();
	return 0;
}

/* Another process has the same memory from now on, and copies of the descriptors. */
static inline int child_share(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	static unsigned int there;
	pid_t pid = clone(child_share_main, stack + sizeof(stack), CLONE_VM | SIGCHLD, &there);

	if (pid < 0)
		return -errno;
	return wait_until(&there, 1) ? 0 : -ETIME;
}

/* What it is known by stays open over execve(). */
static inline int child_keep(const struct child_state *state)
{
	return fcntl(state->program.process, F_SETFD, 0) || fcntl(state->channel, F_SETFD, 0) ?
	       -errno : 0;
}

static inline int child_become(uid_t real, uid_t effective, uid_t saved, gid_t gid)
{
	return setresgid(gid, gid, gid) || setresuid(real, effective, saved) ? -errno : 0;
}

/* Of the capabilities that it has. */
static inline int child_keep_only(__u64 set)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ set, set, 0 }, { set >> 32, set >> 32, 0 },
	};

	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

static inline int child_obey(struct child_state *state, char order)
{
	pid_t parent;

	switch (order) {
	case 'p': /* become known */
		return program_open_on(&state->program, state->control < 0 ? open_control() :
				       state->control, NR_SLOTS, state->token);
	case 'o': /* open the device, while it may */
		state->control = open_control();
		return state->control < 0 ? state->control : 0;
	case 'f':
		return child_fork(false);
	case 'd':
		parent = getpid();
		return child_fork(true) ?: child_orphaned(parent);
	case 'c':
		return child_execute(state, "/proc/self/exe");
	case 'E': /* a program that does nothing */
		return execl("/proc/self/exe", "nothing", "--nothing", NULL) ? -errno : 0;
	case 'u':
		return child_execute(state, CHILD_SETID);
	case 'm':
		return child_share();
	case 'K':
		return child_keep(state);
	case 'S': /* run for a while */
		spin_cpu(30000000);
		return 0;
	case 'j':
		state->channel = join(state->program.process, THREAD_SLOT);
		return state->channel < 0 ? state->channel : 0;
	case 'l':
		return make_label(state->program.process, "a label", 7) == 1 ? 0 : -EIO;
	case 'a':
		return switch_to(state->channel, A | COROPROF_SWITCH_FRESH);
	case 'b':
		return switch_to(state->channel, B);
	case 'q':
		return leave(state->channel);
	case 'n':
		return child_become(NOBODY, NOBODY, NOBODY, NOBODY);
	case 'O': /* another user than nobody */
		return child_become(NOBODY - 7, NOBODY - 7, NOBODY - 7, NOBODY - 7);
	case 'z': /* root, and no capabilities */
		return child_keep_only(0);
	case 'r': /* root only as a saved id, which keeps its capabilities */
		return child_become(NOBODY, NOBODY, 0, NOBODY);
	case 'k': /* root no more, but for its capabilities */
		return prctl(PR_SET_KEEPCAPS, 1) ? -errno :
		       child_become(NOBODY, NOBODY, NOBODY, NOBODY);
	case 'D': /* may be looked into: a change of ids takes that away */
		return prctl(PR_SET_DUMPABLE, 1) ? -errno : 0;
	case 'H': /* may not */
		return prctl(PR_SET_DUMPABLE, 0) ? -errno : 0;
	case 'w': /* all capabilities, in a user namespace of its own */
		return unshare(CLONE_NEWUSER) ? -errno : 0;
	case 's':
		return child_become(NOBODY, NOBODY, NOBODY - 1, NOBODY);
	case 'e':
		return child_become(NOBODY, NOBODY - 1, NOBODY, NOBODY);
	case 'g':
		return child_become(NOBODY, NOBODY, NOBODY, NOBODY - 1);
	default:
		return -EINVAL;
	}
}

static inline void child_main(int orders, int answers, __u64 token)
{
	struct child_state state = {
		.token = token, .orders = orders, .answers = answers, .control = -1,
	};
	char order;

	prctl(PR_SET_NAME, "test-child");
	while (read(orders, &order, 1) == 1) {
		char answer = child_obey(&state, order) ? 'n' : 'y';

		if (order == 'x' || write(answers, &answer, 1) != 1)
			break;
	}
	_exit(0);
}

/* For a constructor: goes on obeying after child_execute(). */
static inline void child_again(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--nothing"))
		_exit(0);
	if (argc != 4 || strcmp(argv[1], "--child"))
		return;
	if (write(atoi(argv[3]), "y", 1) == 1)
		child_main(atoi(argv[2]), atoi(argv[3]), 0);
	_exit(1);
}

/* With a number that is free, or 0 for any. */
static inline pid_t child_fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1,
	};

	return pid ? syscall(SYS_clone3, &args, sizeof(args)) : fork();
}

static inline int child_start_as(struct child *child, __u64 token, pid_t pid)
{
	int orders[2], answers[2], fd;

	if (pipe(orders) || pipe(answers))
		return -errno;
	child->orders = orders[1];
	child->answers = answers[0];
	child->pid = child_fork_as(pid);
	if (!child->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* A descriptor that it inherited would keep what is behind it. */
		for (fd = 3; fd < 64; fd++)
			if (fd != orders[0] && fd != answers[1])
				close(fd);
		child_main(orders[0], answers[1], token);
	}
	close(orders[0]);
	close(answers[1]);
	return child->pid < 0 ? -errno : 0;
}

static inline int child_start(struct child *child, __u64 token)
{
	return child_start_as(child, token, 0);
}

/* Ends it as it is, with whatever it has open. */
static inline void child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->orders);
	close(child->answers);
}

/* Several orders, one after the other. Returns whether all were obeyed. */
static inline bool child_steps(const struct child *child, const char *orders)
{
	while (*orders && child_step(child, *orders) == 'y')
		orders++;
	return !*orders;
}

/* For test bodies. */
#define CHILD(order) \
	ASSERT_EQ('y', child_step(&child, order)) TH_LOG("order %s", #order)

#endif /* _CHILD_H */
