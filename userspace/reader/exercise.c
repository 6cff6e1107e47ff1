// SPDX-License-Identifier: GPL-2.0
#include <coroprof/coroprof.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exercise.h"
#include "util.h"

/*
 * The cheapest batch is the one that nothing else got into. All slices together
 * must fit into a ring of the default size, so that no switch is spared writing
 * its record.
 */
#define BATCHES		16
#define BATCH		128
#define WARM_UP		128

/* Far more than it takes. */
#define PATIENCE_MS	10000

void coroprof_init_(int early);

/* The library is not to be looked for, nor set up, but in the child. */
const int coroprof_early = 0;

struct pair {
	coroprof_co a;
	coroprof_co b;
};

/* An even number of switches; ends in @a, if it begins there. */
static void switch_often(const struct pair *pair, unsigned int times)
{
	for (unsigned int i = 0; i < times; i += 2) {
		coroprof_switch(pair->b);
		coroprof_switch(pair->a);
	}
}

static double time_switches(const struct pair *pair)
{
	double best = -1;

	for (unsigned int i = 0; i < BATCHES; i++) {
		uint64_t begin = monotonic_ns();
		double each;

		switch_often(pair, BATCH);
		each = (double)(monotonic_ns() - begin) / BATCH;
		if (best < 0 || each < best)
			best = each;
	}
	return best;
}

/*
 * Between two readings of @a it had half of the slices, each of which is one
 * switch from the counters' point of view. What a reading costs is measured and
 * taken off.
 */
static bool count_switches(const struct pair *pair, unsigned int last,
			   double *count)
{
	struct coroprof_totals t[3];

	for (unsigned int i = 0; i < ARRAY_SIZE(t); i++) {
		t[i] = (struct coroprof_totals){ .size = sizeof(t[i]) };
		if (i == 2)
			switch_often(pair, BATCH);
		if (coroprof_read_self(&t[i]) || t[i].nr_counters <= last ||
		    COROPROF_STANDING(t[i].standing, last) !=
		    COROPROF_STANDING_COUNTED)
			return false;
	}
	*count = ((double)(t[2].count[last] - t[1].count[last]) -
		  (double)(t[1].count[last] - t[0].count[last])) /
		 (BATCH / 2);
	return *count >= 0;
}

static void child(int out, uint64_t token, bool by_ioctl, unsigned int last)
{
	struct exercise result = { 0 };
	char text[32];
	struct pair pair;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(text, sizeof(text), "%" PRIu64, token);
	setenv(COROPROF_ENV_TOKEN, text, 1);
	unsetenv("COROPROF_DISABLE");
	if (by_ioctl)
		setenv("COROPROF_SWITCH", "ioctl", 1);
	coroprof_init_(0);
	pair.a = coroprof_new(0, COROPROF_THREAD, 0);
	pair.b = coroprof_new(0, COROPROF_THREAD, 0);
	coroprof_switch(pair.a);
	switch_often(&pair, WARM_UP);
	result.switch_ns = time_switches(&pair);
	result.counted = count_switches(&pair, last, &result.switch_count);
	if (!coroprof_status() &&
	    write(out, &result, sizeof(result)) == sizeof(result))
		_exit(0);
	_exit(1);
}

static int take_result(struct exercise *exercise, int in, struct error *err)
{
	struct pollfd fd = { .fd = in, .events = POLLIN };

	if (poll(&fd, 1, PATIENCE_MS) == 1 &&
	    read(in, exercise, sizeof(*exercise)) == sizeof(*exercise))
		return 0;
	return error_set(err, EIO, "the program that was to be measured has failed");
}

int exercise_run(struct exercise *exercise, uint64_t token, bool by_ioctl,
		 unsigned int last, struct error *err)
{
	int fds[2], ret;
	pid_t pid;

	if (pipe(fds))
		return error_errno(err, "can't make a pipe");
	pid = fork();
	if (!pid) {
		close(fds[0]);
		child(fds[1], token, by_ioctl, last);
	}
	close(fds[1]);
	ret = pid < 0 ? error_errno(err, "can't fork") :
			take_result(exercise, fds[0], err);
	close(fds[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return ret;
}
