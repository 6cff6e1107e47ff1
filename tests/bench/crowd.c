// SPDX-License-Identifier: GPL-2.0
/*
 * What a user has to wait because another one's session has many recordings, and is
 * read all the time: by the clock, as whoever waits executes nothing.
 */
#include <coroprof.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "crowd.h"

#define VISITS 400
#define VISITS_WARM 20
#define NOBODY 65534
#define SLOTS 4
#define MEMORY_MB "2048"

/* The one with many recordings, of this process itself. */
struct crowd {
	int control;
	int session;
	int process;
	int channel;
};

static int call(int fd, unsigned long command, void *arg)
{
	int ret = ioctl(fd, command, arg);

	return ret < 0 ? -errno : ret;
}

static int let_memory(void)
{
	int fd = open("/sys/module/coroprof/parameters/user_memory_mb", O_WRONLY | O_CLOEXEC);
	int err = fd < 0 || write(fd, MEMORY_MB, strlen(MEMORY_MB)) < 0 ? -errno : 0;

	close(fd);
	return err;
}

static int open_session(int control, uint64_t *token)
{
	struct coroprof_session_config config = {
		.size = sizeof(config),
		.ring_size = sysconf(_SC_PAGESIZE),
		.memory_mb = ~0U,
	};
	int session = call(control, COROPROF_IOC_SESSION, &config);

	*token = config.token;
	return session;
}

static int join(int control, uint64_t token, int *process)
{
	struct coroprof_process_config config = {
		.size = sizeof(config), .slots = SLOTS, .token = token,
	};
	struct coroprof_thread_config thread = { .size = sizeof(thread), .slot = 1 };

	*process = call(control, COROPROF_IOC_PROCESS, &config);
	return *process < 0 ? *process : call(*process, COROPROF_IOC_THREAD, &thread);
}

static int crowd_open(struct crowd *crowd)
{
	uint64_t token;
	int err = let_memory();

	if (err)
		return err;
	crowd->control = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);
	if (crowd->control < 0)
		return -errno;
	crowd->session = open_session(crowd->control, &token);
	if (crowd->session < 0)
		return crowd->session;
	crowd->channel = join(crowd->control, token, &crowd->process);
	if (crowd->channel < 0)
		return crowd->channel;
	return fcntl(crowd->session, F_SETFL, O_RDWR | O_NONBLOCK) ? -errno : 0;
}

/* Each START makes one of each thread that switches. */
static int crowd_record(const struct crowd *crowd, int recordings)
{
	int err = 0;

	while (recordings-- && !err) {
		err = call(crowd->session, COROPROF_IOC_START, NULL);
		if (!err)
			err = call(crowd->channel, COROPROF_IOC_SWITCH, (void *)2);
		if (!err)
			err = call(crowd->session, COROPROF_IOC_STOP, NULL);
	}
	return err;
}

static void read_for_ever(int session)
{
	char buffer[4096];

	for (;;)
		if (read(session, buffer, sizeof(buffer)) < 0 && errno != EAGAIN)
			_exit(1);
}

/* Whether a thread was recorded. */
static bool has_channel(int session)
{
	unsigned char buffer[4096] __attribute__((aligned(8)));
	const struct coroprof_record_channel *record;
	ssize_t got = read(session, buffer, sizeof(buffer)), at;

	for (at = 0; at < got; at += record->size) {
		record = (const void *)(buffer + at);
		if (record->type == COROPROF_RECORD_CHANNEL)
			return !record->error;
	}
	return false;
}

/* A process that is recorded from its beginning, and has gone. */
static int visit(int control)
{
	int session, process, channel, status;
	uint64_t token;
	bool recorded;
	pid_t pid;

	session = open_session(control, &token);

	if (session < 0 || call(session, COROPROF_IOC_START, NULL))
		return -EIO;
	pid = fork();
	if (!pid) {
		channel = join(control, token, &process);
		_exit(channel < 0 || call(channel, COROPROF_IOC_SWITCH, (void *)2));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -ECHILD;
	recorded = has_channel(session);
	close(session);
	return recorded ? 0 : -ENODATA;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* In a process of the other user's. Returns 0 or a negative errno. */
static int visits(int control, uint64_t *took)
{
	uint64_t began = 0;
	int err = 0;

	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		return -errno;
	/* Who gives up root's ids is not dumpable, and so nobody may attach. */
	if (prctl(PR_SET_DUMPABLE, 1))
		return -errno;
	for (int i = 0; i < VISITS_WARM + VISITS && !err; i++) {
		if (i == VISITS_WARM)
			began = now();
		err = visit(control);
	}
	*took = now() - began;
	return err;
}

static int visit_apart(int control, uint64_t *took)
{
	int ends[2], status;
	pid_t pid;

	if (pipe(ends))
		return -errno;
	pid = fork();
	if (!pid) {
		int err = visits(control, took);

		_exit(err ? -err : write(ends[1], took, sizeof(*took)) != sizeof(*took));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -ECHILD;
	if (status || read(ends[0], took, sizeof(*took)) != sizeof(*took))
		return WIFEXITED(status) && WEXITSTATUS(status) ? -WEXITSTATUS(status) : -EIO;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

/* What the visits take while another process reads the session. */
static int visit_beside(const struct crowd *crowd, uint64_t *took)
{
	pid_t reader = fork();
	int err, status;

	if (reader < 0)
		return -errno;
	if (!reader)
		read_for_ever(crowd->session);
	err = visit_apart(crowd->control, took);
	kill(reader, SIGKILL);
	waitpid(reader, &status, 0);
	return !err && WIFEXITED(status) ? -EIO : err;
}

void measure_interference(int recordings, struct result *result)
{
	uint64_t alone, crowded;
	struct crowd crowd;

	if (result_failed(result, crowd_open(&crowd), "process and session") ||
	    result_failed(result, visit_beside(&crowd, &alone), "beside no recordings") ||
	    result_failed(result, crowd_record(&crowd, recordings), "recordings") ||
	    result_failed(result, visit_beside(&crowd, &crowded), "beside the recordings"))
		return;
	result_set(result, (double)crowded / (double)alone);
	result->unit = "ratio";
}
