// SPDX-License-Identifier: GPL-2.0
/*
 * Counters read from user mode: each count goes to the coroutine that caused it,
 * whatever the counters are like, the program's own among them; and when the permission to read
 * them is taken back in the middle, the program goes on, whatever it does with the signal that
 * this causes, and is recorded by ioctl from there. For a guest
 * with the module, and a PMU that user mode may read: that of arm64, or the simulated
 * one of tests/simpmu, which alone can be set to any count.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <coroprof/coroprof.h>

#include "conserve.h"
#include "tap.h"

#define NR_SLOTS 65536u
#define ROUNDS 300
#define SIMPMU "/dev/coroprof_simpmu"

#if defined(__aarch64__)
#define PERMISSION "/proc/sys/kernel/perf_user_access"
#define TRAP SIGILL
#else
#define PERMISSION "/sys/bus/event_source/devices/cpu/rdpmc"
#define TRAP SIGSEGV
#endif

static const struct coroprof_counter own = { .type = COROPROF_TYPE_PROGRAM };

static coroprof_co co[2];
static int simpmu;

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

static void happen(const char *events)
{
	if (simpmu >= 0 && write(simpmu, events, strlen(events)) < 0)
		perror(SIMPMU);
}

/* With cycles, and another counter. */
static bool begin_with(struct reader *reader, int control, __u32 flags, struct coroprof_counter counter)
{
	*reader = (struct reader){ .config = { .flags = flags, .ring_size = 1 << 20,
			.nr_counters = 2 } };
	reader->config.counters[0].config = PERF_COUNT_HW_CPU_CYCLES;
	reader->config.counters[1] = counter;
	return !reader_open(reader, control, NR_SLOTS) && !attach(reader->fd, getpid()) &&
	       !start(reader->fd);
}

static bool begin(struct reader *reader, int control)
{
	return begin_with(reader, control, COROPROF_SESSION_USER, (struct coroprof_counter){
				  .config = PERF_COUNT_HW_INSTRUCTIONS });
}

/* The counts are those of whom they are charged to, from -1000 on through 0. */
static void switch_and_count(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++) {
		coroprof_switch(co[0]);
		happen("cycles 20 instructions 7");
		coroprof_switch(co[1]);
		happen("cycles 3 instructions 1");
	}
	coroprof_switch(COROPROF_THREAD);
}

static const struct sums *sums_of(const struct reader *reader, coroprof_co which)
{
	return &reader->slots[which];
}

static void counts_exactly(int control, const char *what)
{
	struct reader reader;

	ok(begin(&reader, control), "%s: begins", what);
	switch_and_count(ROUNDS);
	is(stop(reader.fd), 0, "%s: ends", what);
	reader_drain(&reader);
	ok(!*conservation(&reader), "%s: slices sum to the totals: %s", what, reader.defect);
	is(reader.nr_logs, 1, "%s: in one piece", what);
	is(reader.logs[0].record.mode, COROPROF_MODE_USER, "%s: from user mode", what);
	if (simpmu >= 0) {
		is(sums_of(&reader, co[0])->count[0], 20 * ROUNDS, "%s: cycles of one", what);
		is(sums_of(&reader, co[1])->count[0], 3 * ROUNDS, "%s: cycles of the other", what);
		is(sums_of(&reader, co[0])->count[1], 7 * ROUNDS, "%s: instructions of one", what);
	}
	reader_close(&reader);
}

/* It is another process, which the library does not learn of. */
static void count_in_raw_child(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (!pid) {
		coroprof_count(1000000);
		syscall(SYS_exit_group, 0);
	}
	waitpid(pid, NULL, 0);
}

static void count_by_program(void)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		coroprof_switch(co[0]);
		coroprof_count(20);
		coroprof_switch(co[1]);
		coroprof_count(1);
		coroprof_count(2);
	}
	coroprof_switch(co[0]);
	count_in_raw_child();
	coroprof_span_begin(0);
	coroprof_count(7);
	coroprof_span_end();
	coroprof_switch(COROPROF_THREAD);
}

static void counts_its_own(int control, __u32 flags, const char *what)
{
	struct reader reader;

	ok(begin_with(&reader, control, flags, own), "%s: begins", what);
	/* From its first switch on. */
	coroprof_switch(co[1]);
	count_by_program();
	is(stop(reader.fd), 0, "%s: ends", what);
	reader_drain(&reader);
	ok(!*conservation(&reader), "%s: slices sum to the totals: %s", what, reader.defect);
	is(reader.nr_logs, 1, "%s: in one piece", what);
	is(reader.logs[0].record.mode, flags ? COROPROF_MODE_USER : COROPROF_MODE_IOCTL,
	   "%s: so", what);
	is(COROPROF_STANDING(reader.logs[0].sums.standing, 1), COROPROF_STANDING_COUNTED,
	   "%s: counted", what);
	is(sums_of(&reader, co[0])->count[1], 20 * ROUNDS + 7, "%s: of one", what);
	is(sums_of(&reader, co[1])->count[1], 3 * ROUNDS, "%s: of the other", what);
	is(reader.logs[0].last_span_count[1], 7, "%s: of a span", what);
	reader_close(&reader);
}

static void reads_its_own(void)
{
	struct coroprof_join join = { .size = sizeof(join), .nr_counters = 1, .counters = { own } };
	struct coroprof_totals totals = { .size = sizeof(totals) };

	is(coroprof_thread_join(&join), 0, "a thread counts for itself");
	coroprof_switch(coroprof_new(0, COROPROF_THREAD, 0));
	coroprof_count(40);
	is(coroprof_read_self(&totals), 0, "a thread reads what its coroutine has");
	is(totals.count[0], 40, "a thread reads the program's own counter");
	coroprof_switch_done(COROPROF_THREAD);
	coroprof_thread_leave();
}

static sigjmp_buf back;
static volatile int calls;

static void on_trap(int signal)
{
	(void)signal;
	calls++;
	siglongjmp(back, 1);
}

static void fault(void)
{
	volatile uintptr_t nowhere = 8;

#if defined(__aarch64__)
	__asm__ volatile("udf #0" : : "r"(nowhere));
#else
	*(volatile int *)nowhere = 0;
#endif
}

/* What the program does with the signal when the permission is taken back. */
enum action { DEFAULT, AN_END, IGNORED, HANDLED, ACTIONS };

static void keeps_its_action(enum action action, const char *what)
{
	if (action == IGNORED) {
		ok(!raise(TRAP) && !kill(getpid(), TRAP), "%s: is ignored where it is sent", what);
	} else if (action == HANDLED) {
		is(calls, 0, "%s: the program's handler had no read", what);
		if (!sigsetjmp(back, 1))
			fault();
		is(calls, 1, "%s: the program's handler has the program's fault", what);
	}
	calls = 0;
	signal(TRAP, SIG_DFL);
}

/* It is recorded in two pieces. */
static void loses_access(int control, enum action action)
{
	static const char *const whats[] = {
		"taken back", "taken back before an end", "taken back while the signal is ignored",
		"taken back, with a handler",
	};
	const char *what = whats[action];
	const struct log *last;
	struct reader reader;

	if (action >= IGNORED)
		signal(TRAP, action == IGNORED ? SIG_IGN : on_trap);
	ok(put(PERMISSION, "1"), "%s: permitted at first", what);
	ok(begin(&reader, control), "%s: begins", what);
	switch_and_count(ROUNDS);
	ok(put(PERMISSION, "0"), "%s: no longer permitted", what);
	if (action == AN_END) {
		coroprof_co ends = coroprof_new(0, COROPROF_THREAD, 0);

		coroprof_switch(ends);
		coroprof_switch_done(COROPROF_THREAD);
	}
	switch_and_count(ROUNDS);
	is(stop(reader.fd), 0, "%s: goes on, and ends", what);
	reader_drain(&reader);
	ok(!*conservation(&reader), "%s: slices sum to the totals: %s", what, reader.defect);
	is(reader.nr_logs, 2, "%s: in two pieces", what);
	last = &reader.logs[reader.nr_logs - 1];
	is(reader.logs[0].record.mode, COROPROF_MODE_USER, "%s: from user mode", what);
	is(last->record.mode, COROPROF_MODE_IOCTL, "%s: then by ioctl", what);
	is(last->record.reason, COROPROF_REASON_ACCESS, "%s: because of that", what);
	ok(reader.logs[0].sums.slices + last->sums.slices >= 4 * ROUNDS, "%s: nothing is missing",
	   what);
	keeps_its_action(action, what);
	reader_close(&reader);
}

/* What is not a read of a counter does what it did. */
static void crashes_as_before(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		raise(TRAP);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == TRAP,
	   "a signal that is sent ends the program");
	pid = fork();
	if (!pid) {
		fault();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == TRAP,
	   "a signal that the program causes ends it");
}

int main(void)
{
	int control = open_control();

	simpmu = open(SIMPMU, O_WRONLY | O_CLOEXEC);
	if (control < 0 || coroprof_status() || !put(PERMISSION, "1")) {
		printf("1..0 # SKIP no module here, or no counters that user mode may read\n");
		return 0;
	}
	for (unsigned int i = 0; i < 2; i++)
		co[i] = coroprof_new(coroprof_label("switched"), COROPROF_THREAD, 0);
	counts_exactly(control, "48 bits");
	if (simpmu >= 0 && put("/sys/module/coroprof_simpmu/parameters/fixed", "1"))
		counts_exactly(control, "fixed counters");
	if (simpmu >= 0 && put("/sys/module/coroprof_simpmu/parameters/width", "64"))
		counts_exactly(control, "64 bits");
	put("/sys/module/coroprof_simpmu/parameters/fixed", "0");
	put("/sys/module/coroprof_simpmu/parameters/width", "48");
	counts_its_own(control, 0, "the program's own counter, by ioctl");
	counts_its_own(control, COROPROF_SESSION_USER, "the program's own counter, from user mode");
	reads_its_own();
	for (enum action action = DEFAULT; action < ACTIONS; action++)
		loses_access(control, action);
	crashes_as_before();
	return tap_done();
}
