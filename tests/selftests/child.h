/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A traced process beside the test, which does one thing at a time when told.
 */
#ifndef _CHILD_H
#define _CHILD_H

#include <sys/prctl.h>

#include "program.h"

#define NR_SLOTS	16U
#define A		2U
#define B		3U
#define NOBODY		65534

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
	int channel;
};

static inline int child_become(uid_t real, uid_t effective, uid_t saved, gid_t gid)
{
	return setresgid(gid, gid, gid) || setresuid(real, effective, saved) ? -errno : 0;
}

static inline int child_obey(struct child_state *state, char order)
{
	switch (order) {
	case 'p': /* become known */
		return program_open(&state->program, NR_SLOTS, state->token);
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
	case 'r': /* root only as a saved id, which keeps its capabilities */
		return child_become(NOBODY, NOBODY, 0, NOBODY);
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
	struct child_state state = { .token = token };
	char order;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "test-child");
	while (read(orders, &order, 1) == 1) {
		char answer = child_obey(&state, order) ? 'n' : 'y';

		if (order == 'x' || write(answers, &answer, 1) != 1)
			break;
	}
	_exit(0);
}

static inline int child_start(struct child *child, __u64 token)
{
	int orders[2], answers[2], fd;

	if (pipe(orders) || pipe(answers))
		return -errno;
	child->orders = orders[1];
	child->answers = answers[0];
	child->pid = fork();
	if (!child->pid) {
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

/* Ends it as it is, with whatever it has open. */
static inline void child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	close(child->orders);
	close(child->answers);
}

/* For test bodies. */
#define CHILD(order) \
	ASSERT_EQ('y', child_step(&child, order)) TH_LOG("order %s", #order)

#endif /* _CHILD_H */
