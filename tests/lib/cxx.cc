// SPDX-License-Identifier: GPL-2.0
/* The headers, in C++, with all warnings. */
#include <coroprof/coroprof.hpp>

#include <string>

extern "C" {
#include "mock.h"
}
#include "tap.h"

static void calls()
{
	coroprof_co co = coroprof_new(coroprof_label("C++"), COROPROF_THREAD, 0);
	coroprof_totals totals = {};
	coroprof_join join = {};

	totals.size = sizeof(totals);
	join.size = sizeof(join);
	coroprof_switch(co);
	is(coroprof_current(), co, "C++ can call it");
	coroprof_switch_done(COROPROF_THREAD);
	is(coroprof_id(co), 0, "and end it");
}

/* The label of the span reported last, in how many others. */
static bool reported(const char *label, uint32_t depth)
{
	const struct mock_event *event = mock_last(MOCK_SPAN);

	return event && !event->error && event->label == std::string(label) &&
	       event->span.depth == depth;
}

static void leave(bool by_exception)
{
	COROPROF_SPAN("scope");
	COROPROF_SPAN("another");

	if (by_exception)
		throw 1;
}

static void spans()
{
	mock_forget();
	leave(false);
	is(mock_count(MOCK_SPAN), 2, "a scope may have two spans");
	ok(reported("scope", 0), "that end with it, the first one last");
	mock_forget();
	{
		coroprof::span outer("outer");

		try {
			leave(true);
		} catch (int) {
		}
		ok(reported("scope", 1), "they end by exception");
	}
	ok(reported("outer", 0), "and those around them later");
	for (int i = 0; i < 2; i++)
		coroprof::span named(coroprof_label(i ? "one" : "zero"));
	ok(reported("one", 0), "labels may be given");
}

int main()
{
	calls();
	mock_record(true);
	spans();
	return tap_done();
}
