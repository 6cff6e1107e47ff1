// SPDX-License-Identifier: GPL-2.0
/* Exceptions: compilers report the end of what they leave. */
extern "C" {
#include <coroprof/coroprof.h>
#include "mock.h"
}
#include "tap.h"

#define PLAIN __attribute__((no_instrument_function))

static volatile int sink;

static __attribute__((noinline)) void throws()
{
	sink = sink + 1;
	throw 1;
}

static __attribute__((noinline)) void passes_on()
{
	throws();
	sink = sink + 1;
}

static __attribute__((noinline)) void catches()
{
	try {
		passes_on();
	} catch (int) {
	}
	sink = sink + 1;
}

PLAIN static bool reported(uint32_t n, void (*function)(), uint32_t depth)
{
	for (uint32_t i = 0; i < mock_events(); i++) {
		const struct mock_event *event = mock_event(i);

		if (event->command == MOCK_SPAN && !n--)
			return event->span.label == coroprof_label_code((void *)function) &&
			       event->span.depth == depth;
	}
	return false;
}

PLAIN int main()
{
	mock_record(true);
	for (int i = 0; i < 2; i++) {
		mock_forget();
		catches();
		is(mock_count(MOCK_SPAN), 3, "all calls are told");
		ok(reported(0, throws, 2) && reported(1, passes_on, 1) && reported(2, catches, 0),
		   "in order");
	}
	return tap_done();
}
