// SPDX-License-Identifier: GPL-2.0
/*
 * The program that is recorded: runs coroutines of known work, and writes this work into memory
 * that the judge shares.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "selftest/library.h"
#include "selftest/known.h"
#include "selftest/steal.h"
#include "selftest/work.h"
#include "selftest/worker.h"

/* Turns of loops: of a short slice, and of one that can be preempted and interrupted. */
#define SHORT_TURNS	5000
#define SHORT_SLICES	1000
#define LONG_TURNS	250000
#define CPU_SLICES	4
#define CPU_LOOPS	2
#define CLOCK_ROUNDS	20
/* For so many preemptions, or so long. */
#define PREEMPTIONS	20
#define PATIENCE_NS	3000000000ull
#define SLEEPS		5
#define SLEEP_NS	20000000
#define NEAR_BYTES	16384
#define ACCESSES	200000
#define PAGES		256
#define SAMPLED_SLICES	20
#define SAMPLED_LOOPS	6
/* Whoever records has to open events, which takes a while. */
#define GIVEN_NS	5000000000ull

static struct truth *truth;
static cpu_set_t allowed;

static int report_failure(const char *what)
{
	snprintf(truth->error, sizeof(truth->error), "%s: %s", what, strerror(errno));
	return 1;
}

bool worker_is_meant(int argc, char **argv)
{
	return argc == 3 && !strcmp(argv[1], WORKER_ARGUMENT);
}

static bool run_on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static void run_anywhere(void)
{
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

/* Forbids perf_event_open() by a filter, as containers do. */
static bool forbid_events(void)
{
	static struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static struct sock_fprog program = { .len = ARRAY_SIZE(rules), .filter = rules };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void run_loop(struct truth_coroutine *t, uint64_t turns)
{
	selftest_one(turns);
	t->instructions += turns * WORK_TURN;
}

/*
 * Two coroutines take turns. What is charged to the wrong one of them does not show in the sum of
 * both, nor does the cost of switches in their difference.
 */
static void do_short_slices(void)
{
	struct truth_coroutine *s, *l;
	coroprof_co shorter = known_coroutine(truth, TRUTH_SHORT, "short slices", &s);
	coroprof_co longer = known_coroutine(truth, TRUTH_LONGER, "twice as long", &l);

	for (int i = 0; i < SHORT_SLICES; i++) {
		coroprof_switch(shorter);
		run_loop(s, SHORT_TURNS);
		coroprof_switch(longer);
		run_loop(l, 2 * SHORT_TURNS);
	}
	coroprof_switch(COROPROF_THREAD);
	s->slices = l->slices = SHORT_SLICES;
}

static void do_slices_on_cpu(int cpu)
{
	struct truth_coroutine *t;
	struct known_slice slice;
	coroprof_co co;
	char label[32];

	if (!run_on_cpu(cpu))
		return;
	snprintf(label, sizeof(label), "CPU %d", cpu);
	co = known_coroutine(truth, TRUTH_CPU, label, &t);
	t->cpu = cpu;
	truth->cpus++;
	for (int i = 0; i < CPU_SLICES; i++) {
		known_begin(&slice, t, co);
		for (int j = 0; j < CPU_LOOPS; j++)
			run_loop(t, LONG_TURNS);
		known_end(&slice);
	}
}

static void do_cpus(void)
{
	for (int cpu = 0; cpu < CPU_SETSIZE && truth->cpus < TRUTH_CPUS; cpu++) {
		if (CPU_ISSET(cpu, &allowed))
			do_slices_on_cpu(cpu);
	}
	run_anywhere();
}

/* The clock must not be behind that of the processor before. */
static void compare_clock(int cpu)
{
	static uint64_t last_ns;
	static int last_cpu = -1;
	uint64_t now = monotonic_ns();

	if (last_ns > now && last_ns - now > truth->back_ns) {
		truth->back_ns = last_ns - now;
		truth->back_from = last_cpu;
		truth->back_to = cpu;
	}
	last_ns = monotonic_ns();
	last_cpu = cpu;
}

static void do_clock(void)
{
	for (int i = 0; i < CLOCK_ROUNDS; i++) {
		for (uint32_t j = 0; j < truth->nr; j++) {
			int cpu = truth->coroutine[j].cpu;

			if (cpu >= 0 && run_on_cpu(cpu))
				compare_clock(cpu);
		}
	}
	run_anywhere();
}

static void do_moves(void)
{
	struct truth_coroutine *t;
	coroprof_co co = known_coroutine(truth, TRUTH_MOVES, "moves", &t);
	struct known_slice slice;

	for (int i = 0; i < CPU_SLICES; i++) {
		known_begin(&slice, t, co);
		for (uint32_t j = 0; j < truth->nr; j++) {
			int cpu = truth->coroutine[j].cpu;

			if (cpu >= 0 && run_on_cpu(cpu))
				run_loop(t, LONG_TURNS);
		}
		known_end(&slice);
	}
	run_anywhere();
}

static int first_cpu(void)
{
	uint32_t i = 0;

	while (truth->coroutine[i].kind != TRUTH_CPU)
		i++;
	return truth->coroutine[i].cpu;
}

static volatile bool enough;

static void *run_competitor(void *unused)
{
	while (!enough)
		;
	return unused;
}

static bool do_preempted(void)
{
	struct truth_coroutine *t[2];
	coroprof_co co[2] = {
		known_coroutine(truth, TRUTH_PREEMPTED, "preempted", &t[0]),
		known_coroutine(truth, TRUTH_PREEMPTED, "preempted, too", &t[1]),
	};
	uint64_t end = monotonic_ns() + PATIENCE_NS;
	struct known_slice slice;
	pthread_t thread;

	/* The other thread begins where this one is. */
	if (!run_on_cpu(first_cpu()) ||
	    pthread_create(&thread, NULL, run_competitor, NULL))
		return false;
	for (int i = 0; monotonic_ns() < end; i = !i) {
		if (t[0]->preempted_min + t[1]->preempted_min >= PREEMPTIONS && !i)
			break;
		known_begin(&slice, t[i], co[i]);
		for (int j = 0; j <= i; j++)
			run_loop(t[i], LONG_TURNS);
		known_end(&slice);
	}
	enough = true;
	pthread_join(thread, NULL);
	run_anywhere();
	return true;
}

static void do_sleep(void)
{
	const struct timespec time = { .tv_nsec = SLEEP_NS };
	struct truth_coroutine *t;
	coroprof_co co = known_coroutine(truth, TRUTH_BLOCKED, "blocked", &t);
	struct known_slice slice;

	for (int i = 0; i < SLEEPS; i++) {
		known_begin(&slice, t, co);
		if (!clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL))
			t->slept_ns += SLEEP_NS;
		known_end(&slice);
	}
}

static bool chase_in_coroutine(enum truth_kind kind, const char *label, uint64_t bytes,
			       uint64_t misses)
{
	struct truth_coroutine *t;
	struct known_slice slice;
	struct chase chase;
	coroprof_co co;

	if (!chase_make(&chase, bytes))
		return false;
	/* What is near is in the cache from here on. */
	chase_run(&chase, chase.nr < ACCESSES ? chase.nr : 1, 0);
	co = known_coroutine(truth, kind, label, &t);
	known_begin(&slice, t, co);
	chase_run(&chase, ACCESSES, misses);
	known_end(&slice);
	t->accesses = ACCESSES;
	chase_free(&chase);
	return true;
}

static bool do_cache(void)
{
	if (!truth->plan.far_bytes)
		return true;
	return chase_in_coroutine(TRUTH_NEAR, "near memory", NEAR_BYTES, ACCESSES / 1000) &&
	       chase_in_coroutine(TRUTH_FAR, "far memory", truth->plan.far_bytes, ACCESSES);
}

static bool do_pages(void)
{
	struct truth_coroutine *t;
	coroprof_co co = known_coroutine(truth, TRUTH_PAGES, "new pages", &t);
	struct known_slice slice;
	bool done;

	known_begin(&slice, t, co);
	done = work_pages(PAGES);
	known_end(&slice);
	t->pages = PAGES;
	return done;
}

static void do_sampled_work(enum truth_kind kind, const char *label, unsigned int loops,
			    void (*work)(uint64_t turns))
{
	struct truth_coroutine *t;
	coroprof_co co = known_coroutine(truth, kind, label, &t);
	struct known_slice slice;

	for (int i = 0; i < SAMPLED_SLICES; i++) {
		known_begin(&slice, t, co);
		for (unsigned int j = 0; j < loops; j++)
			work(LONG_TURNS);
		known_end(&slice);
		t->instructions += (uint64_t)loops * LONG_TURNS * WORK_TURN;
	}
}

static void do_sampled(void)
{
	do_sampled_work(TRUTH_ONE, "sampled", SAMPLED_LOOPS, selftest_one);
	do_sampled_work(TRUTH_OTHER, "sampled, thrice", 3 * SAMPLED_LOOPS, selftest_other);
}

/*
 * The first switches of a thread, which make its recording and map its memory, are not tested. A
 * thread that is delegated events switches by ioctl until it has them.
 */
static void warm_up_thread(void)
{
	coroprof_co co = coroprof_new(coroprof_label("warming up"), COROPROF_THREAD, 0);
	const struct timespec time = { .tv_nsec = 1000000 };
	uint64_t end = monotonic_ns() + GIVEN_NS;

	do {
		coroprof_switch(co);
		if (truth->plan.given)
			nanosleep(&time, NULL);
		coroprof_switch(COROPROF_THREAD);
	} while (truth->plan.given && !library_in_user_mode() && monotonic_ns() < end);
}

static int do_all_work(void)
{
	uint64_t stolen;

	warm_up_thread();
	if (truth->plan.sampled) {
		do_sampled();
		return 0;
	}
	stolen = steal_ns();
	do_short_slices();
	do_cpus();
	if (!truth->cpus)
		return report_failure("can't choose a processor");
	do_clock();
	do_moves();
	if (!do_preempted())
		return report_failure("can't start a thread");
	do_sleep();
	if (!do_cache() || !do_pages())
		return report_failure("can't have memory");
	truth->steal_ns = steal_ns() - stolen;
	return 0;
}

static bool map_truth(const char *descriptor)
{
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED,
		     atoi(descriptor), 0);
	return truth != MAP_FAILED;
}

/*
 * Runs the worker. @descriptor: the number, as text, of the shared memory's descriptor. Returns the
 * exit status of the program.
 */
int worker_run(const char *descriptor)
{
	int status;

	if (!map_truth(descriptor))
		return 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return report_failure("can't find out which processors there are");
	if (truth->plan.simulated && !work_simulate())
		return report_failure("can't give the simulated PMU the counts of a loop");
	if (truth->plan.given && !forbid_events())
		return report_failure("can't filter system calls");
	library_begin();
	status = do_all_work();
	truth->done = !status;
	return status;
}
