// SPDX-License-Identifier: GPL-2.0
/* What a process uses of the CPUs, against what its threads have counted themselves. */
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cprof/format.h"
#include "record/used.h"

#define THREADS	3
#define WORK_NS	20000000ull

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void *work(void *barrier)
{
	while (now(CLOCK_THREAD_CPUTIME_ID) < WORK_NS)
		;
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

/* Waits to be reported before its threads end, and before itself does. */
static void child(int in, int out)
{
	pthread_barrier_t barrier;
	pthread_t thread[THREADS];
	uint64_t used;
	char c = 0;

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, &barrier);
	pthread_barrier_wait(&barrier);
	c = (char)write(out, &c, 1);
	c = (char)read(in, &c, 1);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	used = now(CLOCK_PROCESS_CPUTIME_ID);
	_exit(write(out, &used, sizeof(used)) != sizeof(used));
}

static void has_all_of_a_process_that_has_ended(void **state)
{
	int to[2], from[2];
	struct cprof_cpu cpu;
	struct used used;
	uint64_t truth;
	pid_t pid;
	char c = 0;

	(void)state;
	assert_int_equal(pipe(to) | pipe(from), 0);
	pid = fork();
	if (!pid)
		child(to[0], from[1]);
	assert_int_equal(read(from[0], &c, 1), 1);
	used_begin(&used, pid, 0);
	assert_int_equal(used.nr, THREADS + 1);
	used_recorded(&used, pid);
	assert_int_equal(write(to[1], &c, 1), 1);
	assert_int_equal(read(from[0], &truth, sizeof(truth)), sizeof(truth));
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	used_look(&used);
	assert_true(used.ended);
	assert_true(used_report(&used, 7, &cpu));
	assert_int_equal(cpu.process_id, 7);
	assert_int_equal(cpu.threads, THREADS);
	/* Its end takes a moment, too. */
	assert_in_range(cpu.ns, truth, truth + WORK_NS);
	assert_true(cpu.ns >= THREADS * WORK_NS);
	waitpid(pid, NULL, 0);
	used_look(&used);
	assert_int_equal(used.ns, cpu.ns);
	used_free(&used);
}

static void leaves_out_what_was_used_before(void **state)
{
	struct cprof_cpu cpu;
	struct used used;
	uint64_t before;

	(void)state;
	assert_true(used_clock(getpid(), &before));
	used_begin(&used, getpid(), UINT64_MAX);
	assert_true(used.begin_ns >= before);
	before = used.begin_ns;
	while (now(CLOCK_PROCESS_CPUTIME_ID) < before + WORK_NS)
		;
	used_look(&used);
	assert_true(used_report(&used, 1, &cpu));
	assert_in_range(cpu.ns, WORK_NS, 10 * WORK_NS);
	assert_false(used.ended);
	used_free(&used);
}

static void knows_nothing_of_what_is_gone(void **state)
{
	pid_t pid = fork();
	struct cprof_cpu cpu;
	struct used used;

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	used_begin(&used, pid, 0);
	assert_false(used_report(&used, 1, &cpu));
	used_free(&used);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_all_of_a_process_that_has_ended),
		cmocka_unit_test(leaves_out_what_was_used_before),
		cmocka_unit_test(knows_nothing_of_what_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
