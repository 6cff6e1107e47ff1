/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests that do random things for a while: how long, from what seed, and
 * whether the kernel had anything to say about it.
 *
 *   COROPROF_TEST_SECONDS  how long, in place of the test's own default
 *   COROPROF_TEST_SEED     to do the same again
 *   COROPROF_TEST_CGROUP   a control group for the processes that do them, and for nobody else
 */
#ifndef _STORM_H
#define _STORM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static inline unsigned int from_environment(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

static inline unsigned int storm_seconds(unsigned int otherwise)
{
	return from_environment("COROPROF_TEST_SECONDS", otherwise);
}

/* For how long it goes on, on a slow machine, while it has not got to what its test is about. */
#define STORM_LATE_NS	120000000000ULL

/* Until then, or until that has been @seen. */
static inline bool storm_goes_on(__u64 until, bool seen)
{
	__u64 now = wall_ns();

	return now < until || (!seen && now < until + STORM_LATE_NS);
}

/* Prints it, so that it can be given again. */
static inline unsigned int storm_seed(void)
{
	unsigned int seed = from_environment("COROPROF_TEST_SEED", wall_ns() >> 10 | 1);

	fprintf(stderr, "# COROPROF_TEST_SEED=%u\n", seed);
	return seed;
}

static inline const char *in_cgroup(void)
{
	return getenv("COROPROF_TEST_CGROUP");
}

/*
 * For a process that nobody relies on: where memory is short, it may be refused any, and
 * has to be killed where it waits for it. What it has itself so far it keeps, of another
 * group, so that most of what is refused is what it asks the kernel for.
 */
static inline void enter_cgroup(void)
{
	const char *cgroup = in_cgroup();
	char path[256];
	int fd;

	if (!cgroup)
		return;
	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || mlockall(MCL_CURRENT) || write(fd, "0", 1) != 1)
		abort();
	close(fd);
}

/* Opened at the end of what the kernel has said so far. */
static inline int kernel_log_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/*
 * That the machine is slow is nobody's fault here, nor that kmemleak finds no memory for
 * itself while faults are injected, nor what 5.10 with PREEMPT_RT says, without the module
 * too, when a processor goes away while timers run. Programs that crash are meant to: of many
 * at once the kernel says that it does not name each.
 */
static inline bool is_of_the_machine(const char *text)
{
	return strstr(text, "hrtimer: interrupt took") || strstr(text, "kmemleak: Cannot allocate") ||
	       strstr(text, "NOHZ tick-stop error") || strstr(text, "show_signal_msg: ");
}

/* How many warnings, or worse, the kernel has printed since; prints them. */
static inline unsigned int kernel_log_complaints(int fd)
{
	unsigned int complaints = 0, priority;
	char line[4096], *text;
	ssize_t len;

	while ((len = read(fd, line, sizeof(line) - 1)) > 0 || (len < 0 && errno == EPIPE)) {
		line[len > 0 ? len : 0] = '\0';
		text = strchr(line, ';');
		if (!text || sscanf(line, "%u", &priority) != 1 || (priority & 7) > 4 ||
		    is_of_the_machine(text + 1))
			continue;
		fprintf(stderr, "# kernel: %s", text + 1);
		complaints++;
	}
	return complaints;
}

#endif /* _STORM_H */
