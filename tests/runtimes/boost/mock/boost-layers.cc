// SPDX-License-Identifier: GPL-2.0
/*
 * What is built on Boost.Context, as the kernel sees it: fibers of Context,
 * Coroutine, Coroutine2 and Fiber. Coroutines that end, that are given up in the
 * middle, and that are left by an exception.
 */
#define BOOST_COROUTINES_NO_DEPRECATION_WARNING
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

/* gcc 14 takes a state of Boost.Coroutine2, which its constructor sets, for one that is not set. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <boost/context/continuation.hpp>
#include <boost/context/fiber.hpp>
#include <boost/coroutine/coroutine.hpp>
#include <boost/coroutine2/all.hpp>
#include <boost/fiber/all.hpp>

#include "watch.h"

namespace
{

/* The thread is '-'; the first coroutine seen from here on 'a', and so on, round. */
std::vector<uint64_t> letters;

char letter(const struct mock_event *event)
{
	size_t i = 0;

	if (!strncmp(event->label, "(thread", 7))
		return '-';
	while (i < letters.size() && letters[i] != event->id)
		i++;
	if (i == letters.size())
		letters.push_back(event->id);
	return static_cast<char>('a' + i % 26);
}

/* Before it '!' if the one left has ended, '*' if it is new, '~' if any was missed. */
std::string order()
{
	const struct mock_event *event;
	std::string text;

	while ((event = next_reported_switch())) {
		char who = letter(event);

		if (event->arg & COROPROF_SWITCH_END)
			text += '!';
		if (event->arg & COROPROF_SWITCH_UNREPORTED)
			text += '~';
		if (event->arg & COROPROF_SWITCH_FRESH && who != '-')
			text += '*';
		text += who;
	}
	return text;
}

void from_here()
{
	watch_from_here();
	letters.clear();
}

void in_order(const char *expected, const char *name)
{
	std::string got = order();

	ok(got == expected, "%s", name);
	if (got != expected)
		printf("# got:      %s\n# expected: %s\n", got.c_str(), expected);
}

namespace ctx = boost::context;

void context_fiber()
{
	/* The thread is reported once, with its first coroutine. */
	ctx::callcc([](ctx::continuation &&back) { return std::move(back); });
	from_here();
	{
		ctx::fiber f{ [](ctx::fiber &&back) {
			back = std::move(back).resume();
			return std::move(back);
		} };
		f = std::move(f).resume();
		in_order("*a-a-",
			 "context: a fiber is entered once to be made, and when it is resumed");
		f = std::move(f).resume();
		ok(!f, "context: a fiber that returns is over");
		in_order("a!-", "context: so it is told");
	}
	in_order("", "context: and not again");
}

void context_given_up()
{
	bool unwound = false;
	struct guard {
		bool &flag;
		~guard() { flag = true; }
	};

	from_here();
	{
		ctx::fiber f{ [&](ctx::fiber &&back) {
			guard g{ unwound };

			for (;;)
				back = std::move(back).resume();
			return std::move(back);
		} };
		f = std::move(f).resume();
		order();
	}
	ok(unwound, "context: one that is given up is unwound");
	in_order("a!-", "context: that runs as the fiber, which ends then");
}

void context_again()
{
	from_here();
	for (int i = 0; i < 3; i++)
		ctx::callcc([](ctx::continuation &&back) { return std::move(back); });
	in_order("*a-a!-*b-b!-*c-c!-",
			 "context: each continuation is a coroutine, though all have one stack");
}

void context_with()
{
	from_here();
	ctx::fiber f{ [](ctx::fiber &&back) {
		for (;;)
			back = std::move(back).resume();
		return std::move(back);
	} };
	f = std::move(f).resume();
	order();
	f = std::move(f).resume_with([](ctx::fiber &&back) {
		return std::move(back);
	});
	in_order("a-", "context: resume_with() ends nobody");
}

void coroutine2()
{
	using boost::coroutines2::coroutine;
	int sum = 0;

	from_here();
	{
		coroutine<int>::pull_type source([](coroutine<int>::push_type &sink) {
			for (int i = 1; i <= 2; i++)
				sink(i);
		});
		for (int i : source)
			sum += i;
	}
	is(sum, 3, "coroutine2: values arrive");
	in_order("*a-a-a-a-a!-", "coroutine2: told from birth to death");
	try {
		coroutine<int>::pull_type source([](coroutine<int>::push_type &sink) {
			sink(1);
			throw std::runtime_error("from within");
		});
		source();
		ok(false, "coroutine2: an exception arrives");
	} catch (const std::runtime_error &error) {
		ok(!strcmp(error.what(), "from within"), "coroutine2: an exception arrives");
	}
	in_order("*b-b-b-b!-", "coroutine2: and its coroutine ends");
}

void coroutine1()
{
	using co = boost::coroutines::asymmetric_coroutine<int>;
	int sum = 0;

	from_here();
	{
		co::pull_type source([](co::push_type &sink) {
			for (int i = 1; i <= 2; i++)
				sink(i);
		});
		while (source) {
			sum += source.get();
			source();
		}
	}
	is(sum, 3, "coroutine: values arrive");
	in_order("*a-a-a-", "coroutine: told until it returns");
	{
		co::pull_type source([](co::push_type &sink) {
			sink(1);
		});
	}
	in_order("*b-b-", "coroutine: the next one on its stack is another");
}

/* Fibers by the letter they have in what was reported. */
struct seen {
	std::set<uint64_t> fibers, woken, ended;
	std::set<int> threads;
};

seen look()
{
	const struct mock_event *event;
	uint64_t last = 0;
	seen all;

	while ((event = next_reported_switch())) {
		if (event->arg & COROPROF_SWITCH_END)
			all.ended.insert(last);
		last = event->id;
		all.threads.insert(event->tid);
		if (!strncmp(event->label, "(thread", 7))
			continue;
		all.fibers.insert(event->id);
		if (event->woken)
			all.woken.insert(event->id);
	}
	return all;
}

void fibers()
{
	boost::fibers::mutex mutex;
	boost::fibers::condition_variable_any condition;
	bool go = false;
	int done = 0;

	from_here();
	{
		boost::fibers::fiber waits([&] {
			std::unique_lock<boost::fibers::mutex> lock(mutex);
			condition.wait(lock, [&] { return go; });
			done++;
		});
		boost::fibers::fiber sleeps([&] {
			boost::this_fiber::sleep_for(std::chrono::milliseconds(2));
			std::unique_lock<boost::fibers::mutex> lock(mutex);
			go = true;
			condition.notify_all();
			done++;
		});
		waits.join();
		sleeps.join();
		boost::this_fiber::sleep_for(std::chrono::milliseconds(2));
	}
	seen all = look();
	is(done, 2, "fiber: all have done their work");
	is(all.fibers.size(), 2, "fiber: two of them were seen, and the dispatcher is the thread");
	is(all.woken.size(), 2, "fiber: each was made ready, by another or by the clock");
	is(all.ended.size(), 2, "fiber: each has ended");
}

void work(boost::fibers::mutex &mutex, int &done)
{
	for (int i = 0; i < 5; i++) {
		boost::this_fiber::yield();
		boost::this_fiber::sleep_for(std::chrono::milliseconds(1));
	}
	std::unique_lock<boost::fibers::mutex> lock(mutex);
	done++;
}

void share()
{
	boost::fibers::use_scheduling_algorithm<boost::fibers::algo::shared_work>();
}

void fibers_over_threads()
{
	const int THREADS = 3, FIBERS = 30;
	boost::fibers::mutex mutex;
	std::atomic<bool> over{ false };
	std::vector<std::thread> threads;
	int done = 0;

	from_here();
	std::thread first([&] {
		share();
		for (int i = 1; i < THREADS; i++)
			threads.emplace_back([&] {
				share();
				while (!over)
					boost::this_fiber::sleep_for(std::chrono::milliseconds(1));
			});
		std::vector<boost::fibers::fiber> fibers;
		for (int i = 0; i < FIBERS; i++)
			fibers.emplace_back([&] { work(mutex, done); });
		for (auto &fiber : fibers)
			fiber.join();
		over = true;
		for (auto &thread : threads)
			thread.join();
	});
	first.join();
	is(done, FIBERS, "fiber: threads share the work, and all is done");
	bool unreported = order().find('~') != std::string::npos;
	ok(!unreported, "fiber: no switch is missed, on whichever thread");
	is(letters.size(), FIBERS, "fiber: each is one coroutine, and no dispatcher is");
}

} // namespace

int main()
{
	/* What a place calls is looked up at its first call, and that is charged to the adapter. */
	setenv("MOCK_FINDS_NAMES", "1", true);
	record(true);
	context_fiber();
	context_given_up();
	context_again();
	context_with();
	coroutine2();
	coroutine1();
	fibers();
	fibers_over_threads();
	return tap_done();
}
