// SPDX-License-Identifier: GPL-2.0
/* What is reported to the kernel of spans, and that ends always find their beginnings. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

static coroprof_co a, b;

static void begin(const char *label)
{
	coroprof_span_begin(coroprof_label(label));
}

static const struct mock_event *nth_span(uint32_t n)
{
	for (uint32_t i = 0; i < mock_events(); i++) {
		if (mock_event(i)->command == MOCK_SPAN && !n--)
			return mock_event(i);
	}
	return NULL;
}

static void reported(uint32_t n, coroprof_co co, const char *label, uint32_t depth,
		     const char *what)
{
	const struct mock_event *event = nth_span(n);

	ok(event && !event->error && event->slot == co && !strcmp(event->label, label) &&
	   event->span.depth == depth, "%s", what);
	if (event)
		printf("# slot %u %s depth %u error %d\n", event->slot, event->label,
		       event->span.depth, event->error);
}

static void idle(void)
{
	mock_forget();
	begin("idle");
	coroprof_switch(a);
	begin("idle");
	coroprof_span_end();
	coroprof_switch(COROPROF_THREAD);
	coroprof_span_end();
	is(mock_count(MOCK_READ) + mock_count(MOCK_SPAN), 0, "nothing is told while idle");
	coroprof_span_end();
	coroprof_span_end();
	begin("idle");
	coroprof_span_end();
	is(mock_count(MOCK_SPAN), 0, "ends without beginnings do no harm");
}

static void nested(void)
{
	coroprof_switch(a);
	mock_forget();
	errno = EILSEQ;
	begin("outer");
	begin("inner");
	coroprof_span_end();
	begin("second");
	coroprof_span_end();
	coroprof_span_end();
	is(errno, EILSEQ, "errno is kept");
	is(mock_count(MOCK_READ) + mock_count(MOCK_SPAN), 6, "a span takes two calls");
	reported(0, a, "inner", 1, "the inner span is told first, in one other");
	reported(1, a, "second", 1, "the inner span's sibling is told next");
	reported(2, a, "outer", 0, "the outer span is told last, in none");
	ok(nth_span(2)->span.time < nth_span(0)->span.time, "the outer span began first");
	is(nth_span(0)->span.count[0], 100 * 1, "what was counted at its beginning is told");
	ok(!nth_span(0)->span.flags && nth_span(0)->span.size == sizeof(struct coroprof_span),
	   "what was counted is told in a whole structure");
}

static void across_switches(void)
{
	mock_forget();
	begin("of a");
	coroprof_switch(b);
	begin("of b");
	coroprof_switch(a);
	begin("again of a");
	coroprof_span_end();
	coroprof_span_end();
	coroprof_switch(b);
	coroprof_span_end();
	reported(0, a, "again of a", 1, "each coroutine has spans of its own");
	reported(1, a, "of a", 0, "a coroutine's spans end in it");
	reported(2, b, "of b", 0, "a coroutine's spans end whatever runs meanwhile");
	coroprof_switch(a);
}

static void *end_here(void *unused)
{
	coroprof_switch(a);
	coroprof_span_end();
	begin("moved");
	coroprof_span_end();
	coroprof_switch(COROPROF_THREAD);
	return unused;
}

static void across_threads(void)
{
	pthread_t thread;

	mock_forget();
	begin("travels");
	coroprof_switch(COROPROF_THREAD);
	pthread_create(&thread, NULL, end_here, NULL);
	pthread_join(thread, NULL);
	reported(0, a, "travels", 0, "a span ends on another thread");
	reported(1, a, "moved", 0, "spans begin on a thread where others end");
	ok(nth_span(0)->tid != getpid(), "the thread where a span ends is another indeed");
	coroprof_switch(a);
}

static void *first_span(void *unused)
{
	begin("first");
	coroprof_span_end();
	return unused;
}

static void outside(void)
{
	pthread_t thread;

	coroprof_switch(COROPROF_THREAD);
	mock_forget();
	begin("thread's");
	coroprof_switch(a);
	begin("a's");
	coroprof_span_end();
	coroprof_switch(COROPROF_THREAD);
	coroprof_span_end();
	reported(0, a, "a's", 0, "a coroutine's span is not in the thread's");
	ok(nth_span(1) && nth_span(1)->id & COROPROF_ID_THREAD, "a thread has spans of its own");

	mock_forget();
	pthread_create(&thread, NULL, first_span, NULL);
	pthread_join(thread, NULL);
	is(mock_count(MOCK_THREAD), 1, "a thread that never switched joins");
	is(mock_count(MOCK_SPAN), 1, "a thread that never switched tells its span");
	is(mock_last(MOCK_SPAN)->error, 0, "the span of a thread that never switched is taken");
	coroprof_switch(a);
}

static void *many_spans(void *unused)
{
	for (int i = 0; i < 33; i++)
		begin("many");
	return unused;
}

static long virtual_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = -1;

	if (!file || fscanf(file, "%ld", &pages) != 1)
		pages = -1;
	fclose(file);
	return pages;
}

/* Room for 64 frames is about 11 kB; library memory comes by the megabyte. */
static void exits(void)
{
	pthread_t thread;
	long before = 0;

	for (int i = 0; i < 120; i++) {
		pthread_create(&thread, NULL, many_spans, NULL);
		pthread_join(thread, NULL);
		if (i == 1)
			before = virtual_pages();
	}
	ok(before > 0 && virtual_pages() == before, "threads that exit give memory back");
}

static void start_between(void)
{
	mock_record(false);
	begin("before");
	mock_record(true);
	mock_forget();
	begin("within");
	coroprof_span_end();
	coroprof_span_end();
	begin("after");
	coroprof_span_end();
	is(mock_count(MOCK_SPAN), 2, "a span from before the recording is not told");
	reported(0, a, "within", 0, "a span in one that is not told is in none that is told");
	reported(1, a, "after", 0, "the span after one that is not told is in none");

	begin("cut");
	mock_record(false);
	coroprof_span_end();
	begin("unseen");
	mock_record(true);
	mock_forget();
	coroprof_span_end();
	is(mock_count(MOCK_SPAN), 0, "a span from between two recordings is not told");
	begin("cut");
	mock_record(false);
	mock_record(true);
	mock_forget();
	coroprof_span_end();
	is(mock_count(MOCK_SPAN), 0, "a span that goes on in another recording is not told");
}

static void reuse(void)
{
	coroprof_co c = coroprof_new(0, COROPROF_THREAD, 0), again;

	coroprof_switch(c);
	begin("never ended");
	begin("never ended");
	coroprof_switch_done(a);
	again = coroprof_new(0, COROPROF_THREAD, 0);
	is(again, c, "a handle is used again");
	coroprof_switch(again);
	mock_forget();
	coroprof_span_end();
	is(mock_count(MOCK_SPAN), 0, "a new coroutine has no spans");
	begin("its own");
	coroprof_span_end();
	reported(0, c, "its own", 0, "a new coroutine has its own spans");
	coroprof_switch_done(a);
}

#define DEEP 1500

static void deep(void)
{
	bool right = true;

	mock_forget();
	for (int i = 0; i < DEEP; i++)
		begin(i % 2 ? "odd" : "even");
	for (int i = 0; i < DEEP; i++)
		coroprof_span_end();
	is(mock_count(MOCK_SPAN), 1024, "1024 spans in each other are told");
	for (uint32_t i = 0; i < 1024; i++)
		right &= nth_span(i)->span.depth == 1023 - i &&
			 !strcmp(nth_span(i)->label, i % 2 ? "even" : "odd");
	ok(right, "each of 1024 spans is told as it began");
	mock_forget();
	begin("shallow");
	coroprof_span_end();
	reported(0, a, "shallow", 0, "all of 1024 spans have ended");
}

static void slotless(void)
{
	coroprof_switch(1);
	mock_forget();
	begin("shared");
	coroprof_span_end();
	coroprof_switch(0xfffffff0);
	begin("nowhere");
	coroprof_span_end();
	is(mock_count(MOCK_READ) + mock_count(MOCK_SPAN), 0,
	   "coroutines that are counted together have no spans");
	coroprof_switch(a);
}

static volatile sig_atomic_t handled;

/* Deep enough for more memory at first; then quick, or nothing else would run. */
static void handler(int signal)
{
	int times = ++handled, deep = times < 4 ? 20 << times : 2;

	(void)signal;
	for (int i = 0; i < deep; i++)
		begin("handler");
	for (int i = 0; i < deep; i++)
		coroprof_span_end();
}

static void storm(void)
{
	pid_t pid = mock_storm(handler, &handled), parent = getpid();
	bool right = true;
	uint32_t n = 0;

	for (int i = 0; i < 3000 && mock_events() < 40000; i++) {
		begin("outer");
		begin("inner");
		coroprof_span_end();
		coroprof_span_end();
		n++;
	}
	mock_storm_end(pid);
	signal(SIGUSR1, SIG_IGN);
	for (uint32_t i = 0; i < mock_events(); i++) {
		const struct mock_event *event = mock_event(i);

		if (event->command != MOCK_SPAN || event->pid != parent)
			continue;
		right &= !event->error;
		n -= !strcmp(event->label, "outer") && event->span.depth == 0;
	}
	ok(right, "handlers may have spans");
	is(n, 0, "handlers' spans do no harm to those they come into");
	mock_forget();
	begin("quiet");
	coroprof_span_end();
	reported(0, a, "quiet", 0, "handlers' spans do no harm to those that follow");
}

static void child(void)
{
	int status;
	pid_t pid;

	begin("parent's");
	mock_forget();
	pid = fork();
	if (!pid) {
		coroprof_span_end();
		if (mock_count(MOCK_SPAN))
			_exit(1);
		begin("child's");
		coroprof_span_end();
		_exit(mock_count(MOCK_SPAN) == 1 && !mock_last(MOCK_SPAN)->error ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	is(status, 0, "what was open is the parent's, a child has its own");
	mock_forget();
	coroprof_span_end();
	reported(0, a, "parent's", 0, "the parent of a child goes on with its span");
}

static void *counts_otherwise(void *unused)
{
	struct coroprof_join join = { .size = sizeof(join), .nr_counters = 1 };

	coroprof_thread_join(&join);
	coroprof_switch(a);
	coroprof_switch(COROPROF_THREAD);
	return unused;
}

static void other_counters(void)
{
	pthread_t thread;

	begin("mixed");
	coroprof_switch(COROPROF_THREAD);
	pthread_create(&thread, NULL, counts_otherwise, NULL);
	pthread_join(thread, NULL);
	coroprof_switch(a);
	mock_forget();
	coroprof_span_end();
	is(mock_count(MOCK_SPAN), 0, "totals that began anew in a span are not its own");
	begin("one kind");
	coroprof_span_end();
	reported(0, a, "one kind", 0, "totals of the next span are its own");
}

static void refused(void)
{
	mock_fail(MOCK_READ, ENODATA, 1);
	mock_forget();
	begin("unread");
	coroprof_span_end();
	is(mock_count(MOCK_SPAN), 0, "a span without a beginning has no end");
	mock_fail(MOCK_SPAN, ENODATA, 1);
	begin("unwritten");
	coroprof_span_end();
	mock_forget();
	begin("fine");
	coroprof_span_end();
	reported(0, a, "fine", 0, "a span that is refused does not spoil the next");

	mock_fail(MOCK_READ, EBADF, 1);
	mock_forget();
	begin("lost");
	coroprof_span_end();
	is(mock_count(MOCK_SPAN), 0, "a span that finds its channel gone is not told");
	begin("found");
	coroprof_span_end();
	is(mock_count(MOCK_THREAD), 1, "a thread that has lost its channel gets another");
	reported(0, a, "found", 0, "a thread that got another channel tells its spans");
}

/* Readers know it by its name. */
static void dump(void)
{
	mock_forget();
	begin("outer");
	coroprof_dump("too slow");
	coroprof_span_end();
	coroprof_dump(NULL);
	reported(0, a, "coroprof_dump:too slow", 1,
		 "what is to be dumped for is the name of a span");
	reported(1, a, "outer", 0, "which is one more in what is open");
	reported(2, a, "coroprof_dump:", 0, "it may be nothing");
}

int main(void)
{
	a = coroprof_new(coroprof_label("alpha"), COROPROF_THREAD, 0);
	b = coroprof_new(coroprof_label("beta"), COROPROF_THREAD, 0);
	idle();
	mock_forget();
	coroprof_dump("nobody listens");
	is(mock_count(MOCK_SPAN), 0, "nobody is asked for a dump while idle");
	mock_record(true);
	nested();
	dump();
	across_switches();
	across_threads();
	outside();
	exits();
	start_between();
	reuse();
	deep();
	slotless();
	storm();
	child();
	other_counters();
	refused();
	return tap_done();
}
