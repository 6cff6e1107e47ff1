// SPDX-License-Identifier: GPL-2.0
/* Coroutines of C++20 whose promises report them, in all the ways in which coroutines can wait and end. */
#include <coroprof/promise.hpp>

#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

extern "C" {
#include "mock.h"
}
#include "tap.h"

/* ---- a type of one's own */

struct plain_promise;

struct job {
	using promise_type = coroprof::promise<plain_promise>;
	using handle = std::coroutine_handle<promise_type>;

	handle own;
};

struct plain_promise {
	job get_return_object()
	{
		return { job::handle::from_address(
			std::coroutine_handle<plain_promise>::from_promise(*this).address()) };
	}
	std::suspend_always initial_suspend() noexcept { return {}; }
	std::suspend_always final_suspend() noexcept { return {}; }
	void return_void() noexcept {}
	void unhandled_exception() { if (throws) throw; }
	std::suspend_always yield_value(int value) noexcept { this->value = value; return {}; }

	bool throws = false;
	int value = 0;
};

static coroprof_co running()
{
	return coroprof_current();
}

/* What each coroutine finds that it is. */
static std::vector<coroprof_co> seen;

static void see()
{
	seen.push_back(running());
}

static bool saw_only(coroprof_co co, size_t times)
{
	bool only = seen.size() == times;

	for (coroprof_co each : seen)
		only = only && each == co;
	seen.clear();
	return only;
}

static job twice()
{
	see();
	co_await std::suspend_always();
	see();
}

static bool flag(unsigned int n, unsigned long flag)
{
	return mock_event(n)->command == MOCK_SWITCH && mock_event(n)->arg & flag;
}

static void lives()
{
	job j = twice();
	coroprof_co co = j.own.promise().coroutine();

	mock_forget();
	ok(co != COROPROF_THREAD, "a coroutine is born where it is called");
	ok(saw_only(co, 0), "and does not run yet");
	j.own.resume();
	ok(saw_only(co, 1), "its body runs as the coroutine");
	is(running(), COROPROF_THREAD, "while it waits, the thread is outside");
	j.own.resume();
	ok(saw_only(co, 1), "it goes on as the same");
	is(running(), COROPROF_THREAD, "after its end the thread is outside");
	is(mock_count(MOCK_SWITCH), 4, "which are four switches");
	ok(flag(0, COROPROF_SWITCH_FRESH), "the first one tells of its birth");
	ok(flag(mock_events() - 1, COROPROF_SWITCH_END), "the last one of its end");
	is(j.own.promise().coroutine(), COROPROF_THREAD, "it is no coroutine any more");
	j.own.destroy();
	is(mock_count(MOCK_SWITCH), 4, "and is not ended again when it is destroyed");
}

/* Once, with the first of them. */
static void tells()
{
	const struct mock_event *said = nullptr;
	job j = twice(), other = twice();
	int times = 0;

	for (uint32_t i = 0; i < mock_events(); i++) {
		if (mock_event(i)->command == MOCK_LABEL &&
		    mock_event(i)->arg & COROPROF_LABEL_ADAPTER) {
			said = mock_event(i);
			times++;
		}
	}
	is(times, 1, "the first coroutine has said who tells of it");
	ok(said && !strcmp(said->label, "C++20"), "by the language");
	is(said ? said->id : 0, COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
	   "who does not know when they are ready");
	j.own.destroy();
	other.own.destroy();
}

static void cancelled()
{
	job j = twice(), unborn = twice();

	j.own.resume();
	mock_forget();
	j.own.destroy();
	unborn.own.destroy();
	seen.clear();
	is(running(), COROPROF_THREAD, "to destroy one that waits is no switch");
	is(mock_count(MOCK_SWITCH), 0, "nor to destroy one that never ran");
}

/* ---- who waits for whom */

struct until {
	job other;
	job::handle waiting = nullptr;

	bool await_ready() noexcept { return false; }
	job::handle await_suspend(job::handle h) noexcept { waiting = h; return other.own; }
	void await_resume() noexcept {}
};

static job inner(job::handle *outer)
{
	see();
	co_await std::suspend_always();
	see();
	outer->resume();
}

static job outer(job other, job::handle *own)
{
	see();
	co_await until{ other };
	see();
	*own = nullptr;
}

static void nested()
{
	job::handle back;
	job in = inner(&back), out = outer(in, &back);
	coroprof_co ci = in.own.promise().coroutine(), co = out.own.promise().coroutine();

	back = out.own;
	out.own.resume();
	is(seen[0], co, "the one that awaits runs first");
	is(seen[1], ci, "then, by a transfer, the one that is awaited");
	is(running(), COROPROF_THREAD, "which waits for the thread");
	seen.clear();
	in.own.resume();
	is(seen[0], ci, "the inner one goes on");
	is(seen[1], co, "and resumes the outer one within itself");
	is(running(), COROPROF_THREAD, "both end");
	seen.clear();
	in.own.destroy();
	out.own.destroy();
}

static job creates(coroprof_co *parent, coroprof_co *still)
{
	*parent = running();
	job child = twice();
	*still = running();
	child.own.destroy();
	*parent = running() == *still ? *parent : COROPROF_THREAD;
	co_return;
}

static void births()
{
	coroprof_co parent, still;
	job j = creates(&parent, &still);
	coroprof_co co = j.own.promise().coroutine();

	j.own.resume();
	is(still, co, "one that creates another goes on as itself");
	is(parent, co, "also when it destroys the other");
	j.own.destroy();
}

static job numbers()
{
	for (int i = 1; i <= 2; i++) {
		see();
		co_yield i;
	}
}

static job consumer(job from, int *sum)
{
	coroprof_co own = running();

	while (from.own.resume(), !from.own.done()) {
		*sum += from.own.promise().value;
		is(running(), own, "after a value the consumer goes on as itself");
	}
	co_return;
}

static void generators()
{
	job from = numbers();
	coroprof_co co = from.own.promise().coroutine();
	int sum = 0;
	job by = consumer(from, &sum);

	by.own.resume();
	is(sum, 3, "a generator gives its values");
	ok(saw_only(co, 2), "and runs as itself");
	is(running(), COROPROF_THREAD, "the consumer ends outside");
	from.own.destroy();
	by.own.destroy();
}

/* ---- awaiters */

struct immovable {
	immovable() = default;
	immovable(const immovable &) = delete;
	bool await_ready() { return false; }
	bool await_suspend(std::coroutine_handle<>) { return running() != COROPROF_THREAD; }
	int await_resume() { return 7; }
};

struct by_member {
	immovable operator co_await() { return {}; }
};

struct by_function {};

static immovable operator co_await(by_function) { return {}; }

struct at_once {
	bool await_ready() { return true; }
	void await_suspend(std::coroutine_handle<>) {}
	int await_resume() { return 1; }
};

struct throwing {
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<>) { throw std::runtime_error("no"); }
	void await_resume() {}
};

/* Of a library that knows its own promise alone. */
struct strict {
	bool await_ready() { return false; }
	bool await_suspend(std::coroutine_handle<plain_promise> h)
	{
		return h.promise().value != 0;
	}
	void await_resume() {}
};

static job awaits(int *sum)
{
	immovable kept;

	*sum += co_await at_once();
	see();
	*sum += co_await kept;
	see();
	*sum += co_await by_member();
	see();
	*sum += co_await by_function();
	see();
	co_await strict();
	see();
	try {
		co_await throwing();
	} catch (const std::runtime_error &) {
		*sum += 100;
	}
	see();
}

static void awaiters()
{
	int sum = 0;
	job j = awaits(&sum);
	coroprof_co co = j.own.promise().coroutine();

	j.own.resume();
	is(sum, 122, "values, exceptions and awaiters that do not move come through");
	ok(saw_only(co, 6), "one that does not suspend after all goes on as itself");
	j.own.destroy();
}

static job throws()
{
	see();
	throw std::runtime_error("out");
	co_return;
}

static void exceptions()
{
	job j = throws();
	coroprof_co co = j.own.promise().coroutine();
	bool caught = false;

	j.own.promise().throws = true;
	try {
		j.own.resume();
	} catch (const std::runtime_error &) {
		caught = true;
	}
	ok(caught && saw_only(co, 1), "an exception leaves the coroutine");
	is(running(), COROPROF_THREAD, "and the thread is outside");
	j.own.destroy();
}

static void threads()
{
	job j = twice();
	coroprof_co co = j.own.promise().coroutine(), there = co;

	j.own.resume();
	std::thread([&] { j.own.resume(); there = running(); }).join();
	ok(saw_only(co, 2), "it is the same on another thread");
	is(there, COROPROF_THREAD, "and that one is outside after it");
	j.own.destroy();
}

/* ---- a type of somebody else's, whose coroutines destroy themselves */

namespace library {

struct detached {
	struct promise_type {
		detached get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() noexcept {}
		void unhandled_exception() noexcept { std::terminate(); }
	};
};

}

template <typename... Args>
struct std::coroutine_traits<library::detached, Args...> {
	using promise_type = coroprof::promise<library::detached::promise_type>;
};

static library::detached at_once_and_away(int *n)
{
	*n = running() != COROPROF_THREAD;
	co_return;
}

static void libraries()
{
	int ran = 0;

	mock_forget();
	at_once_and_away(&ran);
	ok(ran, "a library's coroutine that runs when it is called is one");
	is(mock_count(MOCK_SWITCH), 2, "is switched to and ends");
	is(running(), COROPROF_THREAD, "although it destroys itself");
}


int main()
{
	mock_record(true);
	/* So that the thread is known. */
	coroprof_switch(COROPROF_THREAD);
	tells();
	lives();
	cancelled();
	nested();
	births();
	generators();
	awaiters();
	exceptions();
	threads();
	libraries();
	return tap_done();
}
