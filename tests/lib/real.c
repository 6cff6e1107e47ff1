// SPDX-License-Identifier: GPL-2.0
/* With the module itself; skipped where there is none. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "tap.h"

#define PAGES 1000u
#define MEMORY_LIMIT "/sys/module/coroprof/parameters/user_memory_mb"

static coroprof_co a, b;

static int session_open(int pid)
{
	/* Small rings: the bound of a small guest has room for those of many threads. */
	struct coroprof_session_config config = { .size = sizeof(config), .ring_size = 65536 };
	struct coroprof_attach attach = { .size = sizeof(attach), .pid = pid };
	int control = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);
	int session = ioctl(control, COROPROF_IOC_SESSION, &config);

	close(control);
	if (session < 0 || ioctl(session, COROPROF_IOC_ATTACH, &attach)) {
		printf("Bail out! no session: %s\n", strerror(errno));
		exit(1);
	}
	return session;
}

static uint64_t slices(int session, uint32_t channel)
{
	struct coroprof_channel_status status = { .size = sizeof(status), .channel_id = channel };

	return ioctl(session, COROPROF_IOC_CHANNEL, &status) ? 0 : status.slices;
}

static void recorded(void)
{
	int session = session_open(getpid());

	coroprof_switch(a);
	is(ioctl(session, COROPROF_IOC_START), 0, "a session starts");
	for (int i = 0; i < 1000; i++)
		coroprof_switch(i % 2 ? a : b);
	coroprof_switch_done(COROPROF_THREAD);
	is(ioctl(session, COROPROF_IOC_STOP), 0, "the session stops");
	/* Reported: the one that ran, 1000 and the end; then cut. */
	ok(slices(session, 1) >= 1001 && slices(session, 1) <= 1003, "%llu slices are recorded",
	   (unsigned long long)slices(session, 1));
	is(coroprof_id(a), 0, "who ended has ended");
	a = coroprof_new(coroprof_label("alpha"), COROPROF_THREAD, 0);

	is(ioctl(session, COROPROF_IOC_START), 0, "another session starts");
	coroprof_switch(a);
	coroprof_switch(b);
	is(ioctl(session, COROPROF_IOC_STOP), 0, "the session stops");
	ok(slices(session, 2), "the thread is there in another session");
	close(session);
}

/* As many page faults. */
static void touch(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)memory, pages * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * page] = 1;
	munmap((void *)memory, pages * page);
}

/* Of the first counter that counts. Returns false if none does. */
static bool read_count(uint64_t *value)
{
	struct coroprof_totals totals = { .size = sizeof(totals) };
	int err = coroprof_read_self(&totals);

	for (uint32_t i = 0; !err && i < totals.nr_counters; i++) {
		if (coroprof_estimate(&totals, i, value) == COROPROF_STANDING_COUNTED)
			return true;
	}
	return false;
}

static void counting(void)
{
	struct coroprof_join join = { .size = sizeof(join), .nr_counters = 1 };
	struct coroprof_totals totals = { .size = sizeof(totals) };
	uint64_t one = 0, two = 0, other = 0;

	is(coroprof_read_self(&totals), -ENODATA, "nothing counts before a thread joins");
	join.counters[0].type = 1;	/* software: every machine has it */
	join.counters[0].config = 2;	/* page faults: how many, this decides */
	is(coroprof_thread_join(&join), 0, "a thread joins");
	coroprof_switch(a);
	ok(read_count(&one), "a coroutine reads its own counter");
	touch(PAGES);
	coroprof_switch(b);
	ok(read_count(&other), "another coroutine reads its own counter");
	coroprof_switch(a);
	ok(read_count(&two) && two >= one + PAGES,
	   "a coroutine's counter continues: %llu, then %llu",
	   (unsigned long long)one, (unsigned long long)two);
	ok(other < PAGES / 2,
	   "the other coroutine's counter is its own: %llu", (unsigned long long)other);
	is(coroprof_read_self(&totals), 0, "all counters are read at once");
	is(totals.id, coroprof_id(a), "what is read has the coroutine's id");
	ok(totals.running_ns > 0, "what is read has the time it ran");

	is(coroprof_thread_join(NULL), 0,
	   "a thread joins with cycles, instructions and cache misses");
	coroprof_switch(b);
	if (read_count(&one)) {
		touch(10);
		ok(read_count(&two) && two > one, "the PMU counts");
	} else {
		is(coroprof_read_self(&totals), 0, "without a PMU there are totals");
		is(coroprof_estimate(&totals, 0, &one), -EOPNOTSUPP,
		   "without a PMU there are no cycles");
	}
	is(coroprof_thread_leave(), 0, "a thread leaves");
	coroprof_switch(a);
	is(coroprof_read_self(&totals), -ENODATA, "a thread that has left counts no more");
}

static void forked(void)
{
	int session = session_open(getpid()), status;
	pid_t pid;

	ioctl(session, COROPROF_IOC_START);
	coroprof_switch(a);
	pid = fork();
	if (!pid) {
		int own = coroprof_status() ? -1 : session_open(getpid());

		if (own < 0 || ioctl(own, COROPROF_IOC_START))
			_exit(1);
		for (int i = 0; i < 100; i++)
			coroprof_switch(i % 2 ? a : b);
		_exit(slices(own, 1) >= 100 ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	is(status, 0, "a child is known, and recorded, by itself");
	coroprof_switch(b);
	coroprof_switch(a);
	ok(slices(session, 1) >= 2, "the parent of a child is still recorded");
	close(session);
}

static void daemonised(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int own;

		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		for (int i = 0; i < 100; i++)
			coroprof_new(0, COROPROF_THREAD, 0);
		if (chroot("/tmp"))
			chdir("/");
		own = coroprof_status() ? -1 : fork() ? 0 : 1;
		if (own < 0)
			_exit(1);
		if (!own) {
			wait(&status);
			_exit(status ? 2 : 0);
		}
		/* In a child of a daemon, without /dev. */
		_exit(coroprof_status() ? 3 : 0);
	}
	waitpid(pid, &status, 0);
	is(status, 0, "a daemon without descriptors, and its child without /dev, are known");
}

static void *exits(void *unused)
{
	coroprof_co co = coroprof_new(0, COROPROF_THREAD, 0);

	coroprof_switch(co);
	coroprof_switch_done(COROPROF_THREAD);
	return unused;
}

static void threads(void)
{
	int session = session_open(getpid());
	pthread_t thread[8];

	ioctl(session, COROPROF_IOC_START);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 8; i++)
			pthread_create(&thread[i], NULL, exits, NULL);
		for (int i = 0; i < 8; i++)
			pthread_join(thread[i], NULL);
	}
	ok(slices(session, 160), "each of 160 threads is recorded");
	close(session);
}

static bool write_limit(const char *value)
{
	int fd = open(MEMORY_LIMIT, O_WRONLY);
	bool done = fd >= 0 && write(fd, value, strlen(value)) > 0;

	close(fd);
	return done;
}

/* Slots that the user may not have: a store there would be a SIGBUS. */
static void quota(void)
{
	int session = session_open(getpid());

	if (!write_limit("2")) {
		ok(1, "a user over the limit # SKIP not root");
		return;
	}
	ioctl(session, COROPROF_IOC_START);
	for (int i = 0; i < 100000; i++) {
		coroprof_co co = coroprof_new(0, COROPROF_THREAD, 0);

		coroprof_wake(co);
		coroprof_switch(co);
		coroprof_set_label(co, 1);
	}
	coroprof_switch(COROPROF_THREAD);
	write_limit("1024");
	ok(1, "a user over the limit is not killed");
	close(session);
}

int main(void)
{
	if (coroprof_status() == -ENODEV) {
		ok(1, "the module # SKIP there is no " COROPROF_DEVICE);
		return tap_done();
	}
	is(coroprof_status(), 0, "the process is known");
	a = coroprof_new(coroprof_label("alpha"), COROPROF_THREAD, 0);
	b = coroprof_new(coroprof_label("beta"), COROPROF_THREAD, 0);
	recorded();
	counting();
	forked();
	daemonised();
	threads();
	quota();
	return tap_done();
}
