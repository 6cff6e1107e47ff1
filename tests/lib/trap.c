// SPDX-License-Identifier: GPL-2.0
/*
 * The handler that answers reads of counters which the kernel no longer permits: what is the
 * library's, and what goes to the program, whatever action that has. The reads here are real,
 * and really refused; the rest of the library is not there. Each case is a process of its own.
 */
#include "../../userspace/lib/trap.c"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#ifndef TRAP

int main(void)
{
	printf("1..0 # SKIP no counters are read from user mode on this architecture\n");
	return 0;
}

#else

#define COUNTER 1u
#define VALUE 4711u
#define TOTAL 1000u

__thread struct thread coroprof_this_thread;
static struct perf_event_mmap_page page;
static struct coroprof_open_slice open_slice = { .count = { VALUE } };
static struct coroprof_slot slot = { .count = { TOTAL } };
static struct user user = {
	.counter = { { .page = &page, .number = COUNTER } }, .nr = 1,
	.current = &slot, .open = &open_slice,
};

/* READ: so much has been counted since the slice began. */
int ioctl(int fd, unsigned long request, ...)
{
	struct coroprof_totals *totals;
	va_list args;

	va_start(args, request);
	totals = va_arg(args, struct coroprof_totals *);
	va_end(args);
	if (request == COROPROF_IOC_READ) {
		totals->nr_counters = 1;
		totals->count[0] = TOTAL + 5;
	}
	return fd - this_thread.channel;
}

void coroprof_debug(const char *format, ...)
{
	(void)format;
}

void coroprof_user_leave(void)
{
}

void coroprof_switch_ioctl(coroprof_co to, unsigned long flags)
{
	(void)to;
	(void)flags;
}

/* As in the middle of a switch. Returns whether the library answered the read. */
static bool reads(void)
{
	uint64_t value;

	this_thread.path = NULL;
	fence();
	value = arch_counter(COUNTER, false);
	fence();
	return value == VALUE + 5 && this_thread.path == coroprof_user_deny &&
	       user.denied == COROPROF_REASON_ACCESS;
}

static volatile uintptr_t nowhere = 8;

static void fault(void)
{
#if defined(__aarch64__)
	__asm__ volatile("udf #0");
#else
	*(volatile int *)nowhere = 0;
#endif
}

static sigjmp_buf back;
static volatile int calls, seen_code, was_masked, on_stack, nested;
static char stack[65536];

static void look(int code)
{
	sigset_t now;
	char local;

	calls++;
	seen_code = code;
	sigprocmask(SIG_BLOCK, NULL, &now);
	was_masked = sigismember(&now, SIGUSR1) == 1;
	nested = sigismember(&now, TRAP) == 0;
	on_stack = &local > stack && &local < stack + sizeof(stack);
}

static void with_info(int signal, siginfo_t *info, void *at)
{
	(void)at;
	look(signal == TRAP ? info->si_code : 0);
	if (info->si_code > 0)
		siglongjmp(back, 1);
}

static void without_info(int signal)
{
	look(signal);
	siglongjmp(back, 1);
}

static void set(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(TRAP, &action, NULL);
}

static void set_info(int flags)
{
	set((void (*)(int))(uintptr_t)with_info, SA_SIGINFO | flags);
}

static bool caught_fault(void)
{
	if (!sigsetjmp(back, 1))
		fault();
	return calls == 1;
}

static bool caught_sent(void)
{
	if (!sigsetjmp(back, 1))
		raise(TRAP);
	return calls == 1;
}

/* Each case returns whether all is well, or ends by the signal. */

static bool default_reads(void)
{
	coroprof_trap_catch();
	return reads() && reads();
}

static bool default_faults(void)
{
	coroprof_trap_catch();
	fault();
	return false;
}

static bool default_sent(void)
{
	coroprof_trap_catch();
	raise(TRAP);
	return false;
}

static bool ignored_reads(void)
{
	set(SIG_IGN, 0);
	coroprof_trap_catch();
	return reads();
}

static bool ignored_sent(void)
{
	set(SIG_IGN, 0);
	coroprof_trap_catch();
	kill(getpid(), TRAP);
	raise(TRAP);
	return reads() && !raise(TRAP) && reads();
}

static bool ignored_faults(void)
{
	set(SIG_IGN, 0);
	coroprof_trap_catch();
	fault();
	return false;
}

/* What it executes finds the signal ignored, as it would. */
static bool ignored_in_child(void)
{
	struct sigaction now;

	set(SIG_IGN, 0);
	coroprof_trap_catch();
	coroprof_trap_child();
	sigaction(TRAP, NULL, &now);
	return is_plain(&now, SIG_IGN);
}

static bool own_before(void)
{
	set_info(0);
	coroprof_trap_catch();
	return reads() && !calls && caught_fault() && seen_code > 0 && reads();
}

static bool own_after(void)
{
	coroprof_trap_catch();
	set_info(0);
	coroprof_trap_catch();
	return reads() && !calls && caught_fault() && seen_code > 0 && reads();
}

static bool own_plain(void)
{
	set(without_info, 0);
	coroprof_trap_catch();
	return reads() && !calls && caught_fault() && seen_code == TRAP && reads();
}

static bool own_sent(void)
{
	set_info(0);
	coroprof_trap_catch();
	return reads() && caught_sent() && seen_code == SI_TKILL && reads();
}

static bool mask_and_flags(void)
{
	set_info(0);
	coroprof_trap_catch();
	return caught_fault() && was_masked && !on_stack && !nested;
}

static bool no_defer(void)
{
	set_info(SA_NODEFER);
	coroprof_trap_catch();
	return caught_fault() && was_masked && nested;
}

static bool own_stack(void)
{
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	sigaltstack(&alternate, NULL);
	set_info(SA_ONSTACK);
	coroprof_trap_catch();
	return reads() && caught_fault() && on_stack;
}

/* Not by the read: the program's handler is there for what the program waits for. */
static bool once_only(void)
{
	struct sigaction now;

	set_info(SA_RESETHAND);
	coroprof_trap_catch();
	if (!reads() || calls || !caught_fault())
		return false;
	sigaction(TRAP, NULL, &now);
	return is_plain(&now, SIG_DFL);
}

static struct sigaction before;

static void calls_the_one_before(int signal, siginfo_t *info, void *at)
{
	calls++;
	before.sa_sigaction(signal, info, at);
}

/* Which is the library's. That goes on with what was there before it, and does not come back. */
static bool calls_ours(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO, .sa_sigaction = calls_the_one_before };

	set_info(0);
	coroprof_trap_catch();
	sigaction(TRAP, &action, &before);
	coroprof_trap_catch();
	if (!reads() || calls)
		return false;
	if (!sigsetjmp(back, 1))
		fault();
	return calls == 2 && reads();
}

/*
 * The second time it finds ours, and takes that for the one before: each would call the other for
 * ever.
 */
static bool set_twice(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO, .sa_sigaction = calls_the_one_before };

	sigaction(TRAP, &action, &before);
	coroprof_trap_catch();
	sigaction(TRAP, &action, &before);
	coroprof_trap_catch();
	if (!reads() || calls)
		return false;
	fault();
	return false;
}

static bool puts_ours_back(void)
{
	coroprof_trap_catch();
	sigaction(TRAP, NULL, &before);
	set_info(0);
	coroprof_trap_catch();
	sigaction(TRAP, &before, NULL);
	coroprof_trap_catch();
	if (!reads())
		return false;
	fault();
	return false;
}

/* As libraries do that try whether the machine has an instruction. */
static bool sets_many_times(void)
{
	for (unsigned int i = 0; i < 100; i++) {
		struct sigaction action = { .sa_handler = without_info }, old;

		calls = 0;
		sigaction(TRAP, &action, &old);
		coroprof_trap_catch();
		if (!reads() || !caught_fault())
			return false;
		sigaction(TRAP, &old, NULL);
		coroprof_trap_catch();
	}
	return reads();
}

/*
 * Where one processor, or one that is emulated in turn with others, has both threads, each race
 * takes long.
 */
#define RACES 20000u
#define RACES_SECONDS 3
#define RACES_END UINT32_MAX
static volatile unsigned int begun, done;

static void *set_two(void *unused)
{
	for (unsigned int i = 1; i <= RACES; i++) {
		while (begun != i) {
			if (begun == RACES_END)
				return unused;
			sched_yield();
		}
		set(without_info, 0);
		set_info(0);
		done = i;
	}
	return unused;
}

/*
 * What another thread of the program sets last stays, whatever the library puts in front meanwhile.
 */
static bool sets_beside(void)
{
	const struct place *place;
	struct sigaction now;
	unsigned int lost = 0;
	time_t end = time(NULL) + RACES_SECONDS;
	pthread_t other;

	if (pthread_create(&other, NULL, set_two, NULL))
		return false;
	for (unsigned int i = 1; i <= RACES && time(NULL) <= end; i++) {
		begun = i;
		do {
			coroprof_trap_catch();
		} while (done != i);
		coroprof_trap_catch();
		sigaction(TRAP, NULL, &now);
		place = ours(&now);
		lost += !place || place->theirs.sa_sigaction != with_info;
	}
	begun = RACES_END;
	pthread_join(other, NULL);
	return !lost && reads();
}

/* A signal that is sent while a read is under way is the program's. */
static bool sent_is_no_read(void)
{
	siginfo_t sent = { .si_code = SI_USER };
	ucontext_t at;

	set_info(0);
	coroprof_trap_catch();
	memset(&at, 0, sizeof(at));
	trapped(&places[0], TRAP, &sent, &at);
	return calls == 1 && !this_thread.path;
}

/* A read that the library has not made: somebody else's. */
static bool foreign_read(void)
{
	set_info(0);
	coroprof_trap_catch();
	this_thread.user = &user;
	if (!sigsetjmp(back, 1))
		arch_counter(COUNTER, false);
	return calls == 1 && !this_thread.path;
}

static int run(bool (*test)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		this_thread.own = &user;
		this_thread.user_mode = true;
		signal(TRAP, SIG_DFL);
		alarm(60);
		_exit(!test());
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? -1 : 0;
}

static bool only_reads(void)
{
	arch_counter(COUNTER, false);
	return true;
}

int main(void)
{
	static const struct {
		bool (*test)(void);
		int ends;
		const char *name;
	} tests[] = {
		{ default_reads, 0, "default action: the read is answered" },
		{ default_faults, TRAP, "default action: a fault ends the program" },
		{ default_sent, TRAP, "default action: a signal that is sent ends the program" },
		{ ignored_reads, 0, "ignored: the read is answered" },
		{ ignored_sent, 0, "ignored: signals that are sent are ignored" },
		{ ignored_faults, TRAP, "ignored: a fault ends the program, as it does" },
		{ ignored_in_child, 0, "ignored: a child has it ignored" },
		{ own_before, 0, "a handler from before: has its fault, and no read" },
		{ own_after, 0, "a handler from after: has its fault, and no read" },
		{ own_plain, 0, "a handler without SA_SIGINFO has its fault, and no read" },
		{ own_sent, 0, "a handler has the signal that is sent, as it was sent" },
		{ mask_and_flags, 0, "a handler runs with its mask, on the stack there is" },
		{ no_defer, 0, "a handler with SA_NODEFER can be interrupted" },
		{ own_stack, 0, "a handler with SA_ONSTACK runs on that stack" },
		{ once_only, 0, "a handler with SA_RESETHAND runs once, and not for a read" },
		{ calls_ours, 0, "a handler that calls the one before, which is the library's" },
		{ set_twice, TRAP, "a handler that takes the library's for the one before it, as it was set twice, ends at a fault" },
		{ puts_ours_back, TRAP, "the library's handler put back by the program stands for what it stood for" },
		{ sets_many_times, 0, "a handler that is set for a moment, many times" },
		{ sets_beside, 0, "a handler that another thread sets at the same time" },
		{ sent_is_no_read, 0, "a signal that is sent in a read is no fault of it" },
		{ foreign_read, 0, "a read of the program's own is not answered" },
	};

	if (run(only_reads) != TRAP) {
		printf("1..0 # SKIP a read of a counter is not refused by signal %d here\n", TRAP);
		return 0;
	}
	for (unsigned int i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		is(run(tests[i].test), tests[i].ends, "%s", tests[i].name);
	return tap_done();
}

#endif
