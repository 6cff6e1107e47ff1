// SPDX-License-Identifier: GPL-2.0
/* Calls of functions, as libcoroprof-instrument reports them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

void coroprof_call_enter_(const void *code);
void coroprof_call_exit_(const void *code);

static coroprof_co a, b;

/* Stand-ins: addresses in this program. */
static char functions[8192];
#define F (&functions[16])
#define G (&functions[32])
#define H (&functions[48])

static const struct mock_event *nth_span(uint32_t n)
{
	for (uint32_t i = 0; i < mock_events(); i++) {
		if (mock_event(i)->command == MOCK_SPAN && !n--)
			return mock_event(i);
	}
	return NULL;
}

/* Labels are reported in order, so the kernel's number is the library's own. */
static bool reported(uint32_t n, coroprof_co co, const void *code, uint32_t depth)
{
	const struct mock_event *event = nth_span(n);

	return event && !event->error && event->slot == co && event->span.depth == depth &&
	       event->span.label == coroprof_label_code(code);
}

static void nested(void)
{
	mock_forget();
	coroprof_call_enter_(F);
	coroprof_call_enter_(G);
	coroprof_call_exit_(G);
	coroprof_call_exit_(F);
	ok(reported(0, a, G, 1) && reported(1, a, F, 0), "calls are spans, labelled by code");
	is(mock_count(MOCK_LABEL), 2, "the label of a function is looked up once");
	mock_forget();
	coroprof_call_enter_(F);
	coroprof_call_enter_(F);
	coroprof_call_exit_(F);
	coroprof_call_exit_(F);
	ok(reported(0, a, F, 1) && reported(1, a, F, 0), "a function may call itself");
	ok(nth_span(1)->span.time < nth_span(0)->span.time, "the outer call began first");
	is(mock_events(), 4, "of calls nothing else is asked or told");
}

static void mixed(void)
{
	uint32_t label = coroprof_label("span");

	mock_forget();
	coroprof_call_enter_(F);
	coroprof_span_begin(label);
	coroprof_call_enter_(G);
	coroprof_call_exit_(G);
	coroprof_span_end();
	coroprof_call_exit_(F);
	ok(reported(0, a, G, 2) && nth_span(1)->span.depth == 1 && reported(2, a, F, 0),
	   "spans and calls are in each other");
}

/* longjmp() from H to F, twice over. */
static void skipped(void)
{
	mock_forget();
	coroprof_call_enter_(F);
	coroprof_call_enter_(G);
	coroprof_call_enter_(H);
	coroprof_call_exit_(F);
	ok(mock_count(MOCK_SPAN) == 1 && reported(0, a, F, 0),
	   "calls that were skipped are not told");
	mock_forget();
	coroprof_call_enter_(G);
	coroprof_call_exit_(G);
	ok(reported(0, a, G, 0), "calls that were skipped are gone");
	mock_forget();
	coroprof_call_exit_(H);
	coroprof_call_exit_(F);
	is(mock_count(MOCK_SPAN), 0, "a return without a call is none");
}

static void start_between(void)
{
	mock_record(false);
	coroprof_call_enter_(F);
	mock_record(true);
	mock_forget();
	coroprof_call_enter_(G);
	coroprof_call_exit_(G);
	coroprof_call_exit_(F);
	ok(mock_count(MOCK_SPAN) == 1 && reported(0, a, G, 0), "a call from before is not told");
	coroprof_call_enter_(F);
	coroprof_call_enter_(G);
	mock_record(false);
	coroprof_call_exit_(G);
	mock_record(true);
	mock_forget();
	coroprof_call_exit_(F);
	coroprof_call_enter_(G);
	coroprof_call_exit_(G);
	ok(mock_count(MOCK_SPAN) == 1 && reported(0, a, G, 0),
	   "a call from the recording before is not told");
}

static void deep(void)
{
	bool right = true;

	mock_forget();
	for (int i = 0; i < 1500; i++)
		coroprof_call_enter_(F);
	for (int i = 0; i < 1500; i++)
		coroprof_call_exit_(F);
	is(mock_count(MOCK_SPAN), 1024, "1024 calls in each other are told");
	for (uint32_t i = 0; i < 1024; i++)
		right &= nth_span(i)->span.depth == 1023 - i;
	ok(right, "each of 1024 calls is told as it began");
	mock_forget();
	coroprof_call_enter_(G);
	coroprof_call_exit_(G);
	ok(reported(0, a, G, 0), "all of 1024 calls have returned");
}

static void across_switches(void)
{
	mock_forget();
	coroprof_call_enter_(F);
	coroprof_switch(b);
	coroprof_call_enter_(G);
	coroprof_switch(a);
	coroprof_call_exit_(F);
	coroprof_switch(b);
	coroprof_call_exit_(G);
	coroprof_switch(a);
	ok(reported(0, a, F, 0) && reported(1, b, G, 0), "calls are the coroutine's");
	mock_forget();
	coroprof_call_enter_(F);
	coroprof_call_enter_(H);
	coroprof_switch(b);
	coroprof_call_exit_(H);
	coroprof_switch(a);
	coroprof_call_exit_(F);
	ok(mock_count(MOCK_SPAN) == 1 && reported(0, a, F, 0),
	   "a call that returns in another coroutine is not told");
}

static void *call_all(void *unused)
{
	for (int i = 0; i < 8192; i += 2) {
		coroprof_call_enter_(&functions[i]);
		coroprof_call_exit_(&functions[i]);
	}
	return unused;
}

/* The mock knows but so many labels. */
static void racing(void)
{
	pthread_t threads[4];

	mock_forget();
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, call_all, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	is(mock_count(MOCK_SPAN), 4 * 4096, "threads call the same functions");
	is(coroprof_label_code(&functions[2]), coroprof_label_code(&functions[2]),
	   "what threads call has one label");
}

int main(void)
{
	a = coroprof_new(0, COROPROF_THREAD, 0);
	b = coroprof_new(0, COROPROF_THREAD, 0);
	mock_forget();
	coroprof_call_enter_(F);
	coroprof_call_exit_(F);
	is(mock_events(), 0, "while idle nothing is told, nor looked up");
	mock_record(true);
	coroprof_switch(a);
	nested();
	mixed();
	skipped();
	start_between();
	deep();
	across_switches();
	racing();
	return tap_done();
}
