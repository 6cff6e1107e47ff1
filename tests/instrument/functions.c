// SPDX-License-Identifier: GPL-2.0
/* All functions of this program are instrumented; what is reported of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

#define PLAIN __attribute__((no_instrument_function))
#define CALLED __attribute__((noinline, noclone))

static coroprof_co a;
static volatile int sink;

/* Before any constructor: nothing is there yet, and nothing goes wrong. */
static CALLED void very_early(void)
{
	sink++;
}

static __attribute__((section(".preinit_array"), used)) void (*const early)(void) = very_early;

/* The library calls this to find what to call a function: such as this one. */
int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
	static int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *);

	if (!real)
		real = (__typeof__(real))dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real(visit, data);
}

/* The number of calls of @function that were reported; of the last one, its depth. */
static PLAIN int reported(const void *function, int *depth)
{
	uint32_t label = coroprof_label_code(function);
	int n = 0;

	for (uint32_t i = 0; i < mock_events(); i++) {
		const struct mock_event *event = mock_event(i);

		if (event->command != MOCK_SPAN || event->span.label != label)
			continue;
		n++;
		*depth = (int)event->span.depth;
	}
	return n;
}

#define reported_are(function, times, deep, ...) do {			\
	int tap_depth = -1, tap_times = reported((void *)(function), &tap_depth); \
	ok(tap_times == (times) && tap_depth == (deep), __VA_ARGS__);	\
	if (tap_times != (times) || tap_depth != (deep))		\
		printf("# %d times, depth %d\n", tap_times, tap_depth);	\
} while (0)

static CALLED void leaf(void)
{
	sink++;
}

static CALLED void twice(void)
{
	leaf();
	leaf();
}

static CALLED int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static PLAIN void plain(void)
{
	uint32_t labels, spans;
	int depth;

	mock_forget();
	errno = EILSEQ;
	twice();
	is(errno, EILSEQ, "errno is kept");
	labels = mock_count(MOCK_LABEL);
	reported_are(leaf, 2, 1, "calls are told");
	reported_are(twice, 1, 0, "a call is told with how many it is in");
	is(labels, 3, "each function is looked up once, as is the thread");
	mock_forget();
	is(fib(10), 55, "recursion works");
	spans = mock_count(MOCK_SPAN);
	/* fib(n) makes 2 * fib(n + 1) - 1 calls. */
	reported_are(fib, 2 * 89 - 1, 0, "all calls of a recursive function are told");
	is(spans, reported((void *)fib, &depth),
	   "nothing but calls of the recursive function is told");
}

static jmp_buf jump;

static CALLED void jumps(void)
{
	sink++;
	longjmp(jump, 1);
}

static CALLED void skipped(void)
{
	jumps();
	sink++;
}

static CALLED void catches(void)
{
	if (!setjmp(jump))
		skipped();
	leaf();
}

static PLAIN void long_jumps(void)
{
	int depth;

	mock_forget();
	for (int i = 0; i < 600; i++)
		catches();
	reported_are(catches, 600, 0, "who catches a longjmp() is told as it returns");
	is(reported((void *)skipped, &depth) + reported((void *)jumps, &depth), 0,
	   "who is skipped by a longjmp() is not told");
}

static ucontext_t main_context, context;
static char stack[256 * 1024];

static CALLED void yield(void)
{
	coroprof_switch(COROPROF_THREAD);
	swapcontext(&context, &main_context);
}

static void coroutine(void)
{
	twice();
	yield();
	twice();
	coroprof_switch(COROPROF_THREAD);
	swapcontext(&context, &main_context);
}

static CALLED void resume(coroprof_co co)
{
	coroprof_switch(co);
	swapcontext(&main_context, &context);
}

static PLAIN bool all_of(const void *function, uint64_t id)
{
	uint32_t label = coroprof_label_code(function);

	for (uint32_t i = 0; i < mock_events(); i++) {
		if (mock_event(i)->command == MOCK_SPAN && mock_event(i)->span.label == label &&
		    mock_event(i)->id != id)
			return false;
	}
	return true;
}

static PLAIN void yields(void)
{
	coroprof_co co = coroprof_new(coroprof_label("yields"), COROPROF_THREAD, 0);

	coroprof_switch(COROPROF_THREAD);
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	makecontext(&context, coroutine, 0);
	mock_forget();
	resume(co);
	resume(co);
	reported_are(yield, 1, 1, "a call that waits is told once, in what called it");
	reported_are(resume, 2, 0, "calls that ran the one that waits are told");
	reported_are(twice, 2, 1, "the coroutine's calls are told");
	ok(all_of((void *)yield, coroprof_id(co)) && all_of((void *)twice, coroprof_id(co)) &&
	   all_of((void *)resume, coroprof_id(COROPROF_THREAD)), "each as whose it is");
	coroprof_switch(a);
}

static volatile sig_atomic_t handled;

static CALLED void handler(int signal)
{
	(void)signal;
	handled = 1;
	leaf();
}

static CALLED void outer(void)
{
	twice();
}

static PLAIN void signals(void)
{
	pid_t pid = mock_storm(handler, &handled);
	int n = 0, depth;

	for (; n < 300; n++)
		outer();
	mock_storm_end(pid);
	reported_are(outer, n, 0, "what handlers come into is told all the same");
	reported_are(twice, n, 1, "what handlers come into is told down to what it calls");
	n = reported((void *)handler, &depth);
	raise(SIGUSR1);
	ok(reported((void *)handler, &depth) > n,
	   "what handlers do, if not in the library, is told");
	signal(SIGUSR1, SIG_IGN);
}

static CALLED void *thread_main(void *unused)
{
	leaf();
	return unused;
}

static PLAIN void threads(void)
{
	pthread_t thread;

	mock_forget();
	pthread_create(&thread, NULL, thread_main, NULL);
	pthread_join(thread, NULL);
	reported_are(thread_main, 1, 0, "a thread's functions are told");
	reported_are(leaf, 1, 1, "a thread's functions are told from the first on");
}

PLAIN int main(void)
{
	is(sink, 1, "functions may be called before any constructor");
	a = coroprof_new(coroprof_label("alpha"), COROPROF_THREAD, 0);
	coroprof_switch(a);
	mock_forget();
	twice();
	is(mock_events(), 0, "nothing is told while idle");
	mock_record(true);
	plain();
	long_jumps();
	yields();
	signals();
	threads();
	return tap_done();
}
